package l5r_test

import (
	"os"
	"strings"
	"testing"

	"tabletop/rules/l5r"
)

// TestEveryActionIsDescribed holds the manual against the packs: each action and
// each of its parameters stands in it.
func TestEveryActionIsDescribed(t *testing.T) {
	text, err := os.ReadFile("../../docs/l5r.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range l5r.Packs() {
		for _, a := range pack.Acts {
			if !strings.Contains(string(text), "`"+string(a.Kind)+"`") {
				t.Errorf("docs/l5r.md doesn't say what %s is", a.Kind)
			}
			for _, p := range a.Params {
				if !strings.Contains(string(text), "`"+p.Name+"`") && !strings.Contains(string(text), p.Name+"=") {
					t.Errorf("docs/l5r.md doesn't say what %s of %s is", p.Name, a.Kind)
				}
			}
		}
	}
}
