package l5r_test

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

// messageIDs reads what a language's files hold, as go-i18n names it.
func messageIDs(t *testing.T, pack rules.Pack, lang string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	var walk func(prefix string, tree map[string]any)
	walk = func(prefix string, tree map[string]any) {
		for key, v := range tree {
			id := strings.TrimPrefix(prefix+"."+key, ".")
			switch v := v.(type) {
			case map[string]any:
				walk(id, v)
			case string:
				ids[id] = v
			default:
				t.Errorf("%s: %s is no text: %v", lang, id, v)
			}
		}
	}
	files, err := fs.Glob(pack.Messages, "messages/*."+lang+".yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no messages in %s: %v", lang, err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(pack.Messages, name)
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := yaml.Unmarshal(data, &tree); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		walk("", tree)
	}
	return ids
}

func TestTextsAreCompleteInEveryLanguage(t *testing.T) {
	pack := l5r.EmperorEdition()
	var want []string
	for _, r := range pack.Rules {
		want = append(want, string(r.ID)+".title", string(r.ID)+".text")
	}
	slices.Sort(want)
	texts := map[string]string{}
	for _, lang := range pack.Languages {
		ids := messageIDs(t, pack, lang)
		if got := slices.Sorted(maps.Keys(ids)); !slices.Equal(got, want) {
			t.Errorf("%s has the messages %v, the rules need %v", lang, got, want)
		}
		for id, text := range ids {
			if other, ok := texts[text]; ok {
				t.Errorf("%s: %s says the same as %s: %q", lang, id, other, text)
			}
			texts[text] = lang + " " + id
		}
		if _, err := rules.New(pack, rules.Options{Lang: lang, Layout: scenario.Table()}); err != nil {
			t.Error(err)
		}
	}
}
