package nearest_test

import (
	"testing"

	"tabletop/rules/nearest"
)

func TestWord(t *testing.T) {
	known := []string{"bow.turn", "bow.enter", "honor.turn"}
	for name, c := range map[string]struct{ word, want string }{
		"itself":                 {"bow.turn", "bow.turn"},
		"a letter too many":      {"bow.turnn", "bow.turn"},
		"nearer than the others": {"honor.trun", "honor.turn"},
		"none is near":           {"overlay.only", ""},
		"case counts":            {"BOW.TURN", ""},
		"nothing":                {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nearest.Word(c.word, known); got != c.want {
				t.Errorf("%q is taken for %q, want %q", c.word, got, c.want)
			}
		})
	}
	if got := nearest.Word("bow.tern", nil); got != "" {
		t.Errorf("of no words %q is near", got)
	}
}
