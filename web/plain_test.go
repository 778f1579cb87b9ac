package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/web"
)

// TestPlainJSONError holds that what is wrong with a board is told in the words
// of JSON: no name of Go stands in it.
func TestPlainJSONError(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a list for a board":      {`[]`, "it is a list; it must be an object"},
		"a text for a board":      {`"x"`, "it is a text; it must be an object"},
		"a list of copies":        {`{"copies":[{}]}`, "copies is a list; it must be an object"},
		"a text for a number":     {`{"layout":{"size_mm":{"width":"wide"}}}`, "layout.size_mm.width is a text; it must be a number"},
		"an object for a point":   {`{"layout":{"zones":[{"outline":[{"x":1}]}]}}`, "a point is a pair [x, y], not an object"},
		"an object for a turn":    {`{"copies":{"a":{"pose":{"rotation":{}}}}}`, "a rotation is 0, 90, 180, 270 or null, not an object"},
		"half a turn":             {`{"copies":{"a":{"pose":{"rotation":1.5}}}}`, "a rotation is 0, 90, 180, 270 or null, not 1.5"},
		"a turn there isn't":      {`{"copies":{"a":{"pose":{"rotation":45}}}}`, "a rotation is 0, 90, 180, 270 or null, not 45"},
		"a fraction for an honor": {`{"game":{"honor":{"south":1.5}}}`, "is 1.5; it must be a whole number"},
		"it ends":                 {`{"copies":`, "it ends in the middle"},
		"no JSON":                 {`{copies}`, "invalid character 'c'"},
	} {
		t.Run(name, func(t *testing.T) {
			var b board.Board
			err := json.NewDecoder(strings.NewReader(c.text)).Decode(&b)
			if err == nil {
				t.Fatal("it was taken")
			}
			got := web.PlainJSONError(err).Error()
			if !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, word := range []string{"json:", "Go ", "float64", "board.", "struct"} {
				if strings.Contains(got, word) {
					t.Errorf("%q says %q", got, word)
				}
			}
		})
	}
}
