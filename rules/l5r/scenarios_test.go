package l5r_test

import (
	"os"
	"path/filepath"
	"testing"

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
	all := load(t)
	for _, s := range all {
		t.Run(s.Game+"/"+s.Title, func(t *testing.T) {
			if _, err := scenario.Run(s, l5r.Packs()); err != nil {
				t.Errorf("%s: %v", s.File, err)
			}
			if len(s.Rules) == 0 || s.Source == "" {
				t.Errorf("%s:%d: it names no rule or no source", s.File, s.Line)
			}
		})
	}
	cover := scenario.Cover(all)
	for _, pack := range l5r.Packs() {
		for _, r := range pack.Rules {
			shown := cover[pack.ID][r.ID]
			if len(shown[scenario.ShowsObeyed]) == 0 || len(shown[scenario.ShowsBroken])+len(shown[scenario.ShowsPrompt]) == 0 {
				t.Errorf("%s, rule %s: no scenario shows it obeyed, or none shows it broken or a prompt of it", pack.ID, r.ID)
			}
		}
	}
}
