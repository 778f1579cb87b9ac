package champions_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tabletop/board"
	"tabletop/rules"
)

// TestTypesOfCommunityLists reads the community's card lists, if they lie beside
// the project: every type in them is one that the pack knows, in English and in
// German.
func TestTypesOfCommunityLists(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "formats", "marvelsdb")
	pack := load(t)
	know := func(name string) {
		if pack.Kind(rules.Subject{Card: board.Card{Type: name}}) == "" {
			t.Errorf("the pack doesn't know the type %q", name)
		}
	}
	read := func(file string, into any) {
		data, err := os.ReadFile(filepath.Join(root, file))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("%s is not there", filepath.Join(root, file))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"pack/core.json", "pack/core_encounter.json"} {
		var cards []struct {
			Type string `json:"type_code"`
		}
		read(file, &cards)
		for _, c := range cards {
			if c.Type != "" {
				know(c.Type)
			}
		}
	}
	var german []struct{ Code, Name string }
	read("translations/de/types.json", &german)
	for _, g := range german {
		code := pack.Kind(rules.Subject{Card: board.Card{Type: g.Code}})
		name := pack.Kind(rules.Subject{Card: board.Card{Type: g.Name}})
		if code == "" || code != name {
			t.Errorf("%s is %q, %s is %q", g.Code, code, g.Name, name)
		}
	}
}
