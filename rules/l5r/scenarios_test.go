package l5r_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

func load(t *testing.T) []scenario.Scenario {
	t.Helper()
	files, err := filepath.Glob("scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var all []scenario.Scenario
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		scenarios, err := scenario.Parse(name, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, scenarios...)
	}
	return all
}

func TestScenarios(t *testing.T) {
	packs := rules.Packs{l5r.EmperorEdition()}
	obeyed, broken := map[board.RuleID]bool{}, map[board.RuleID]bool{}
	for _, s := range load(t) {
		t.Run(s.Title, func(t *testing.T) {
			result, err := scenario.Run(s, packs)
			if err != nil {
				t.Error(err)
			}
			if len(s.Rules) == 0 {
				t.Error("it cites no rule")
			}
			for _, rule := range s.Rules {
				if slices.ContainsFunc(result.Opened, func(f board.Finding) bool { return f.Rule == rule }) {
					broken[rule] = true
				} else {
					obeyed[rule] = true
				}
			}
		})
	}
	for _, r := range l5r.EmperorEdition().Rules {
		if !obeyed[r.ID] || !broken[r.ID] {
			t.Errorf("rule %s: shown obeyed %t, shown broken %t", r.ID, obeyed[r.ID], broken[r.ID])
		}
	}
}
