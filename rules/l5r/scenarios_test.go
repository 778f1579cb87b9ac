package l5r_test

import (
	"os"
	"testing"

	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

func load(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.ParseDir(os.DirFS("."), "scenarios")
	if err != nil {
		t.Fatal(err)
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
