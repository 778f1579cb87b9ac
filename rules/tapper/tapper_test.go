package tapper_test

import (
	"os"
	"testing"

	"tabletop/rules"
	"tabletop/rules/scenario"
	"tabletop/rules/tapper"
)

func load(t testing.TB) rules.Pack {
	t.Helper()
	pack, err := tapper.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return pack
}

func scenarios(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.ParseDir(os.DirFS("."), "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScenarios(t *testing.T) {
	packs := rules.Packs{load(t)}
	for _, s := range scenarios(t) {
		t.Run(s.Title, func(t *testing.T) {
			if _, err := scenario.Run(s, packs); err != nil {
				t.Error(s.File, err)
			}
		})
	}
}

func TestEveryRuleIsShown(t *testing.T) {
	shown := scenario.Cover(scenarios(t))["tapper"]
	for _, r := range load(t).Rules {
		by := shown[r.ID]
		if r.Action == nil && len(by[scenario.ShowsObeyed]) == 0 {
			t.Errorf("no scenario obeys %s", r.ID)
		}
		if len(by[scenario.ShowsBroken]) == 0 {
			t.Errorf("no scenario breaks %s", r.ID)
		}
		if r.Settled != nil && len(by[scenario.ShowsPrompt]) == 0 {
			t.Errorf("no scenario shows the prompt of %s", r.ID)
		}
	}
}
