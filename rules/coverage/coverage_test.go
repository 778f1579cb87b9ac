package coverage_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/champions"
	"tabletop/rules/coverage"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

// go test ./rules/coverage -update writes the table anew.
var update = flag.Bool("update", false, "write docs/rules-coverage.md anew")

const tablePath = "../../docs/rules-coverage.md"

func packs(t *testing.T) rules.Packs {
	t.Helper()
	marvel, err := champions.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return rules.Packs{l5r.EmperorEdition(), l5r.SamuraiEdition(), marvel}
}

func TestEveryRowIsShown(t *testing.T) {
	rows, err := coverage.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := coverage.Scenarios(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	all := packs(t)
	cells, err := coverage.Table(rows, all, scenarios)
	if err != nil {
		t.Error(err)
	}
	var table bytes.Buffer
	if err := coverage.Write(&table, cells, all, "../rules/"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(tablePath, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, table.Bytes()) {
		t.Error("docs/rules-coverage.md is out of date; run: go test ./rules/coverage -update")
	}
	// What a scenario says it shows, it must show.
	ran := map[string]bool{}
	for _, c := range cells {
		for _, s := range slices.Concat(c.Obeyed, c.Broken, c.Prompts) {
			if id := fmt.Sprint(s.Game, s.File, s.Line); !ran[id] {
				ran[id] = true
				if _, err := scenario.Run(s, all); err != nil {
					t.Errorf("%s: %v", s.File, err)
				}
			}
		}
	}
}

// TestEveryRuleSpeaksEveryLanguage holds that each finding, prompt and title
// exists in each language of its pack.
func TestEveryRuleSpeaksEveryLanguage(t *testing.T) {
	for _, pack := range packs(t) {
		if len(pack.Languages) < 2 {
			t.Errorf("%s speaks only %v", pack.ID, pack.Languages)
		}
		for _, lang := range pack.Languages {
			engine, err := rules.New(pack, rules.Options{Lang: lang}) // it tries every text
			if err != nil {
				t.Error(err)
				continue
			}
			for _, r := range engine.Rules() {
				if r.Title == "" || r.Citation.Passage == "" {
					t.Errorf("%s, %s: rule %s lacks its title or passage", pack.ID, lang, r.ID)
				}
			}
		}
	}
}

func TestTableNotices(t *testing.T) {
	marvel, err := champions.Pack()
	if err != nil {
		t.Fatal(err)
	}
	marvel.Rules = marvel.Rules[:2] // in-play.player and in-play.encounter
	read := func(shows string) []scenario.Scenario {
		s, err := scenario.Parse("x", strings.NewReader("game marvel-champions\nscenario \"a\"\nrule: in-play.player\nshows: obeyed\nact wait 1s\nscenario \"b\"\nrule: in-play.player\nshows: "+shows+"\nact wait 1s"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	row := func(id string, how ...coverage.How) coverage.Row {
		return coverage.Row{ID: id, How: how, Games: []string{"marvel-champions"}, Rules: []board.RuleID{board.RuleID(id)}, Text: "x"}
	}
	tests := []struct {
		name  string
		row   coverage.Row
		shows string
		want  string
	}{
		{"a rule that the pack lacks", row("no.such", coverage.Seen), "broken", "game marvel-champions has no rule no.such"},
		{"a rule that nothing breaks", row("in-play.player", coverage.Seen), "obeyed", "no scenario of marvel-champions shows in-play.player broken"},
		{"a prompt that is never given", row("in-play.player", coverage.Seen, coverage.Prompted), "broken", "shows in-play.player as a prompt"},
		{"a rule that nothing shows", row("in-play.encounter", coverage.Seen), "broken", "shows in-play.encounter obeyed or broken"},
		{"a rule in no row", row("in-play.player", coverage.Seen), "broken", "rule in-play.encounter stands in no row"},
		{"a game there isn't", coverage.Row{ID: "x", Games: []string{"chess"}}, "broken", `row x: unknown game "chess"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := coverage.Table([]coverage.Row{tt.row}, rules.Packs{marvel}, read(tt.shows)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
