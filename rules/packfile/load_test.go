package packfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"tabletop/rules/packfile"
)

// folder is the example's folder in memory, each file changed by replacing one
// text with another.
func folder(t testing.TB, file string, replace ...string) fs.FS {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, name := range []string{"pack.yaml", "messages/tapper.en.yaml", "messages/tapper.de.yaml"} {
		data, err := os.ReadFile(filepath.Join("../tapper", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if name == file {
			for i := 0; i < len(replace); i += 2 {
				if !strings.Contains(text, replace[i]) {
					t.Fatalf("%s has no %q", name, replace[i])
				}
				text = strings.Replace(text, replace[i], replace[i+1], 1)
			}
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestLoadReadsTheExample(t *testing.T) {
	pack, err := packfile.Load(folder(t, ""), "club")
	if err != nil {
		t.Fatal(err)
	}
	if pack.ID != "tapper" || len(pack.Rules) != 6 || len(pack.Acts) != 2 || len(pack.Languages) != 2 {
		t.Errorf("%+v", pack)
	}
	rule, _ := pack.Rule("tap.enter")
	if rule.Citations["de"].Passage != "Ins Spiel kommen" || rule.Citation.Source != "Sparks and Stones, Rules" {
		t.Errorf("citations %+v, %+v", rule.Citation, rule.Citations)
	}
}

// TestLoadRefuses holds that each error has the line and says what to do.
func TestLoadRefuses(t *testing.T) {
	const pack = "pack.yaml"
	tests := []struct{ name, old, new, want string }{
		{"no YAML", "areas:", "areas: [", "club/pack.yaml:"},
		{"a tab", "  - {kind: deck", "\t- {kind: deck", "club/pack.yaml:LINE: this is no YAML"},
		{"an alias", "game: tapper", "game: *tapper", "club/pack.yaml:LINE: anchors (&), aliases (*) and tags (!) are not read here"},
		{"two documents", "\nwords:", "\n---\nwords:", "club/pack.yaml:LINE+2: a second document begins"},
		{"an unknown key", "game: tapper", "game: tapper\ngamee: x", `club/pack.yaml:LINE+1: there is no key "gamee" here; did you mean "game"?`},
		{"an unknown key of a rule", "    severity: suspicious\n    passage: {en: Tapping", "    severty: suspicious\n    passage: {en: Tapping", `club/pack.yaml:LINE: rules[tap.turn]: there is no key "severty" here; did you mean "severity"?`},
		{"a missing key", "    severity: suspicious\n    passage: {en: Tapping", "    passage: {en: Tapping", "club/pack.yaml:LINE-1: rules[tap.turn]: it lacks severity; add it"},
		{"a severity there isn't", "severity: suspicious", "severity: bad", "club/pack.yaml:LINE: rules[tap.turn].severity: it is one of illegal, suspicious, info, not bad"},
		{"a turn there isn't", "turned: 90", "turned: 45", "club/pack.yaml:LINE: turns[2].turned: it is one of 0, 90, 180, 270, not 45"},
		{"a list for a text", "game: tapper", "game: [tapper]", "club/pack.yaml:LINE: game: it takes a text, not a list"},
		{"an id in capitals", "game: tapper", "game: Tapper", `club/pack.yaml:LINE: game: "Tapper" is no name: small letters`},
		{"an event of another kind", "gained: card.tapped", "gained: tapped", `club/pack.yaml:LINE: words[tapped].gained: an event is card. and a word`},
		{"an empty list", "languages: [en, de]", "languages: []", "club/pack.yaml:LINE: languages: it is empty"},
		{"a language twice", "languages: [en, de]", "languages: [en, en]", "club/pack.yaml:LINE: languages: entries 1 and 2 are the same"},
		{"a rule that judges nothing", "    board:\n      when: card.type == \"spell\" and card.zone == \"home\" and card.face == \"up\"\n", "", "rules[spell.never-stays]: it judges nothing"},
		{"a rule of board and change", "    change:\n", "    board: {when: card.turn == 90}\n    change:\n", "rules[tap.enter]: it takes board or change, not both"},
		{"a rule twice", "  - id: tap.in-play", "  - id: tap.turn", `club/pack.yaml:LINE: rules[tap.turn].id: "tap.turn" stands twice; the first is on line 50`},
		{"a type's name twice", "relic: [relic", "relic: [creature", `club/pack.yaml:LINE: types.relic[1]: "creature" is already a name of the type creature`},
		{"a word there isn't", "means: [tapped]", "means: [taped]", `club/pack.yaml:LINE: turns[2].means[1]: there is no word "taped"; known are tapped`},
		{"an action there isn't", "      - actions: [attack]\n        when: '\"tapped\" in", "      - actions: [atack]\n        when: '\"tapped\" in", `club/pack.yaml:LINE: rules[attack.untapped].refuses[1].actions[1]: there is no action "atack"`},
		{"a name that isn't known", `when: card.zone == "home"`, `when: crd.zone == "home"`, "club/pack.yaml:LINE: areas[2].when: there is no crd here; known are card"},
		{"a field that isn't known", `when: card.zone == "home"`, `when: card.zon == "home"`, "club/pack.yaml:LINE: areas[2].when: there is no field zon; there are id, name, type, "},
		{"a zone there isn't", `when: card.zone == "home"`, `when: card.zone == "house"`, `club/pack.yaml:LINE: areas[2].when: zone is never "house"; it is one of home, deck, discard, hand, removed`},
		{"a type there isn't", `card.type == "spell" and card.zone`, `card.type == "spel" and card.zone`, `rules[spell.never-stays].board.when: type is never "spel"`},
		{"a state there isn't", `when: enters and "tapped" in`, `when: enters and "bowed" in`, `rules[tap.enter].change.when: states is never "bowed"; it is one of tapped`},
		{"a turn no card has", "card.turn in [180, 270]", "card.turn in [180, 27]", `turn is never "27"; it is one of 0, 90, 180, 270`},
		{"no yes or no", `when: card.zone == "home"`, `when: card.zone`, "areas[2].when: expected bool, but got string"},
		{"other types compared", "card.turn in [180, 270]", `card.turn == "90"`, "invalid operation: == (mismatched types int and string)"},
		{"a syntax error", `when: card.zone == "home"`, `when: card.zone == == "home"`, "club/pack.yaml:LINE: areas[2].when: unexpected token"},
		{"a range", "card.turn in [180, 270]", "card.turn in 1..1000000", `the operator ".." is not read here`},
		{"a pattern", `when: card.zone == "home"`, `when: card.name matches "(a+)+$"`, `the operator "matches" is not read here`},
		{"a division", `when: card.zone == "home"`, `when: card.turn % 0 == 1`, `the operator "%" is not read here`},
		{"the time", `when: card.zone == "home"`, `when: now().Year() > 2000`, "areas[2].when: "},
		{"a function of the language", `when: card.zone == "home"`, `when: fromJSON(card.name) == 1`, "areas[2].when: "},
		{"either text or number", `when: card.zone == "home"`, `when: '(card.slanted ? card.turn : card.name) == "home"'`, "is of no certain type"},
		{"one = for two", `when: card.zone == "home"`, `when: card.zone = "home"`, "= stands alone; two things are compared with =="},
		{"a bracket left open", "(card.turn in [180, 270]", "((card.turn in [180, 270]", "it ends too early; is a bracket or a quote left open?"},
		{"a list for a card", `card.type == "spell" and card.zone == "home"`, `touching.turn == 90`, "this is a list; ask about the cards in it with any("},
		{"a field of another thing", `card.type == "spell" and card.zone == "home"`, `any(touching, .kind == "creature")`, "there is no field kind; there are id, name, type"},
		{"a text for a number", `card.type == "spell" and card.zone == "home"`, `card.attributes.cost > 3`, "number(card.attributes.cost) its number"},
		{"a turn in quotes", "turned: 90", `turned: "90"`, `it is one of 0, 90, 180, 270, not the text "90": take the quotes away`},
		{"a text in no language", "passage: {en: Tapping, de: Tappen}", "passage: Tapping", "club/pack.yaml:LINE: rules[tap.turn].passage: it takes a text for each language"},
		{"a source not in the first language", "  en: Sparks and Stones, Rules\n", "", "club/pack.yaml:8: source: it lacks the text in en"},
		{"a list within a list", `card.type == "spell" and card.zone == "home"`, `any(touching, any(touching, .turn == 90))`, "walk over one list only"},
		{"a position in a list", `card.type == "spell" and card.zone == "home"`, `touching[3].turn == 90`, "no positions, no ?."},
		{"a parameter there isn't", `act.params.cost == "tap" and`, `act.params.price == "tap" and`, `no action takes a parameter "price"`},
		{"a value of a parameter there isn't", `act.params.cost == "tap" and`, `act.params.cost == "tip" and`, `params.cost is never "tip"; it is one of tap, none`},
		{"a name that message files keep", "values: [tap, none]", "values: [tap, other]", `club/pack.yaml: param.other: the name "other" means something else in message files`},
		{"a citation in a language it hasn't", "    passage: {en: Spells, de: Zauber}", "    passage: {en: Spells, fr: Sorts}", `rules[spell.never-stays].passage.fr: the pack has no language "fr"; it has en, de`},
		{"a citation not in its first language", "    passage: {en: Spells, de: Zauber}", "    passage: {de: Zauber}", "rules[spell.never-stays].passage: it lacks the text in en"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := packfile.Load(folder(t, pack, tt.old, tt.new), "club")
			if want := atLine(t, tt.old, tt.want); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error\n%v\nwant one with\n%s", err, want)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "club/pack.yaml:") {
					t.Errorf("a line of it has no place: %q", line)
				}
			}
		})
	}
}

// atLine puts the line on which a text of the example's pack file begins in
// place of LINE, LINE+1 …
func atLine(t *testing.T, text, want string) string {
	t.Helper()
	data, err := os.ReadFile("../tapper/pack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(data), text)
	line := 1 + strings.Count(before, "\n")
	for by := -1; by <= 2; by++ {
		want = strings.ReplaceAll(want, fmt.Sprintf("LINE%+d", by), strconv.Itoa(line+by))
	}
	return strings.ReplaceAll(want, "LINE", strconv.Itoa(line))
}

func TestLoadTellsTheLineWithinACondition(t *testing.T) {
	fsys := folder(t, "pack.yaml", `when: card.zone == "home"`, "when: |\n      card.turn == 90 and\n      card.zone == \"house\"")
	_, err := packfile.Load(fsys, "club")
	if want := atLine(t, `when: card.zone == "home"`, "club/pack.yaml:LINE+2: areas[2].when:"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func TestLoadTellsAllAtOnce(t *testing.T) {
	_, err := packfile.Load(folder(t, "pack.yaml", "severity: suspicious", "severity: bad", "turned: 90", "turned: 91"), "club")
	first := packfile.Problem{}
	if !errors.As(err, &first) || first.Line != 37 || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("%v", err)
	}
}

// Of several steps only the first that fails is told, as docs/packs.md says.
func TestLoadTellsOneStepAtATime(t *testing.T) {
	form := []string{"turned: 90", "turned: 91"}
	condition := []string{`when: card.zone == "home"`, `when: card.zone == "house"`}
	for name, c := range map[string]struct {
		changes  []string
		want     string
		notThese []string
	}{
		"form and condition": {append(form, condition...), "turned", []string{"house"}},
		"condition alone":    {condition, "house", []string{"turned"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := packfile.Load(folder(t, "pack.yaml", c.changes...), "club")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			for _, not := range c.notThese {
				if strings.Contains(err.Error(), not) {
					t.Errorf("error %v tells of %q too", err, not)
				}
			}
		})
	}
}

func TestLoadRefusesTexts(t *testing.T) {
	const en, de = "messages/tapper.en.yaml", "messages/tapper.de.yaml"
	tests := []struct{ name, file, old, new, want string }{
		{"one that is missing", de, "    breach: \"{{.Name}} ist schon getappt und kann nicht durch Tappen bezahlen.\"\n", "", "club/messages/tapper.de.yaml: ability.tap-cost.breach: this text is missing; write it"},
		{"one that is empty", de, "enttappt", `" "`, `message "event.untapped" is empty`},
		{"one that nothing says", en, "  tapped: tapped", "  tapped: tapped\n  bowed: bowed", "club/messages/tapper.en.yaml:22: word.bowed: nothing says this text"},
		{"one with a loop", en, `text: "{{.Name}} came`, `text: "{{range 999999999999}}.{{end}} came`, "is not read in a text"},
		{"one with a call", en, `text: "{{.Name}} came`, `text: "{{printf .Name}} came`, `function "printf" not defined`},
		{"one with a call in an if", en, `{{if .Seat}}`, `{{if eq .Seat .Seat}}`, `function "eq" not defined`},
		{"one left open", en, `text: "{{.Name}} came`, `text: "{{.Name came`, "club/messages/tapper.en.yaml:"},
		{"a number", en, "tapped: tapped", "tapped: 5", "club/messages/tapper.en.yaml:21: word.tapped: a text stands here"},
		{"a field that isn't there", en, `text: "{{.Name}} came`, `text: "{{.Nme}} came`, "Nme"},
		{"no YAML", en, "type:", "type: [", "club/messages/tapper.en.yaml:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := packfile.Load(folder(t, tt.file, tt.old, tt.new), "club"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLoadMissesFiles(t *testing.T) {
	fsys := folder(t, "").(fstest.MapFS)
	delete(fsys, "messages/tapper.de.yaml")
	if _, err := packfile.Load(fsys, "club"); err == nil || !strings.Contains(err.Error(), "club/messages/tapper.de.yaml: there is no such file") {
		t.Errorf("without German: %v", err)
	}
	delete(fsys, "pack.yaml")
	if _, err := packfile.Load(fsys, "club"); err == nil || !strings.Contains(err.Error(), "club/pack.yaml: there is no such file") {
		t.Errorf("without a pack file: %v", err)
	}
	if _, err := packfile.Load(fstest.MapFS{"pack.yaml": &fstest.MapFile{Data: make([]byte, 2<<20)}}, "club"); err == nil || !strings.Contains(err.Error(), "a pack file has at most") {
		t.Errorf("a huge file: %v", err)
	}
	if _, err := packfile.Load(fstest.MapFS{"pack.yaml": &fstest.MapFile{}}, "club"); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestLoadDirReadsEachFolder(t *testing.T) {
	packs, err := packfile.LoadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packs.Find("tapper"); err != nil {
		t.Error(err)
	}
	if _, err := packs.Find("marvel-champions"); err != nil {
		t.Error(err)
	}
	if _, err := packfile.LoadDir("testdata/none"); err == nil || !strings.Contains(err.Error(), "there is no folder testdata/none") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := packfile.LoadDir(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no pack") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestLoadDirRefusesAGameTwice(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.CopyFS(filepath.Join(dir, name), folder(t, "")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := packfile.LoadDir(dir); err == nil || !strings.Contains(err.Error(), `both hold the game "tapper"`) {
		t.Errorf("%v", err)
	}
}

// TestLoadNeverPanics takes lines out of a good file, doubles them and cuts them
// short: whatever comes of it is a pack or an error.
func TestLoadNeverPanics(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing here runs at the same time as anything else")
	}
	data, err := os.ReadFile("../champions/pack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	rapid.Check(t, func(t *rapid.T) {
		mangled := append([]string{}, lines...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(mangled)-1).Draw(t, "line")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				mangled = append(mangled[:i:i], mangled[i+1:]...)
			case 1:
				mangled = append(mangled[:i+1:i+1], mangled[i:]...)
			case 2:
				mangled[i] = mangled[i][:rapid.IntRange(0, len(mangled[i])).Draw(t, "length")]
			}
		}
		fsys := fstest.MapFS{"pack.yaml": &fstest.MapFile{Data: []byte(strings.Join(mangled, "\n"))}}
		if _, err := packfile.Load(fsys, "club"); err == nil {
			t.Error("a pack without texts was taken")
		}
	})
}

func TestSchemaIsJSON(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(packfile.Schema(), &schema); err != nil || schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("%v, %v", schema["$schema"], err)
	}
}
