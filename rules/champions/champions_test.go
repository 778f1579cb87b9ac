package champions_test

import (
	"os"
	"path/filepath"
	"testing"

	"tabletop/rules"
	"tabletop/rules/champions"
	"tabletop/rules/scenario"
)

func load(t testing.TB) rules.Pack {
	t.Helper()
	pack, err := champions.Pack()
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

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b)
	}
}
