package tapper_test

import (
	"os"
	"path/filepath"
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
		parsed, err := scenario.Parse(name, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsed...)
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
