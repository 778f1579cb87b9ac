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
	for _, pack := range l5r.Packs() {
		texts := map[string]string{}
		for _, lang := range pack.Languages {
			ids := messageIDs(t, pack, lang)
			for _, id := range pack.MessageIDs() {
				text, ok := ids[id]
				if !ok || strings.TrimSpace(text) == "" {
					t.Errorf("%s, %s: no message %s", pack.ID, lang, id)
				}
				if other, ok := texts[text]; ok && !strings.HasPrefix(id, "action.") && !strings.HasPrefix(id, "fact.") {
					t.Errorf("%s: %s says the same as %s: %q", lang, id, other, text)
				}
				texts[text] = lang + " " + id
			}
			if _, err := rules.New(pack, rules.Options{Lang: lang, Layout: scenario.Table()}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestNoMessageIsLeftOver holds that every message is said by some pack.
func TestNoMessageIsLeftOver(t *testing.T) {
	for _, lang := range []string{"en", "de"} {
		needed := map[string]bool{}
		for _, pack := range l5r.Packs() {
			for _, id := range pack.MessageIDs() {
				needed[id] = true
			}
		}
		for _, pack := range l5r.Packs() {
			for _, id := range slices.Sorted(maps.Keys(messageIDs(t, pack, lang))) {
				if !needed[id] {
					t.Errorf("%s: nothing says %s", lang, id)
				}
			}
		}
	}
}
