package web_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tabletop/rules"
	"tabletop/rules/champions"
	"tabletop/rules/l5r"
	"tabletop/rules/tapper"
	"tabletop/web"
)

// pageTexts are what the pages say in a language, by key.
func pageTexts(t *testing.T, lang string) map[string]string {
	t.Helper()
	texts, err := web.Texts(lang)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestTextsOfThePages holds that every language says the same things, with the
// same values in them, and that there is nothing that the pages want to say and
// no language knows.
func TestTextsOfThePages(t *testing.T) {
	en, de := pageTexts(t, "en"), pageTexts(t, "de")
	value := regexp.MustCompile(`\{\w+\}`)
	values := func(text string) []string { return slices.Sorted(slices.Values(value.FindAllString(text, -1))) }
	for key, text := range en {
		switch other, ok := de[key]; {
		case !ok:
			t.Errorf("%s is not said in German", key)
		case strings.TrimSpace(text) == "" || strings.TrimSpace(other) == "":
			t.Errorf("%s is empty", key)
		case !slices.Equal(values(text), values(other)):
			t.Errorf("%s: %v in English, %v in German", key, values(text), values(other))
		}
	}
	for key := range maps.Keys(de) {
		if _, ok := en[key]; !ok {
			t.Errorf("%s is not said in English", key)
		}
	}

	said := regexp.MustCompile(`\bt\("([\w.-]+)"|data-t(?:-label|-placeholder)?="([\w.-]+)"|"((?:judge|board)\.[\w.-]+)"`)
	quoted := regexp.MustCompile(`"([\w.-]+)"`)
	used := map[string]bool{}
	for _, pattern := range []string{"static/*.js", "static/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasPrefix(filepath.Base(file), "text.") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, ".html") {
				data = regexp.MustCompile(`data-t="[^"]*\{\{[^"]*"`).ReplaceAll(data, nil) // filled in by the server
			}
			for _, found := range quoted.FindAllStringSubmatch(string(data), -1) {
				used[found[1]], used[found[1]+".why"] = true, true
			}
			for _, found := range said.FindAllStringSubmatch(string(data), -1) {
				key := found[1] + found[2] + found[3]
				if _, ok := en[key]; !ok && !strings.HasPrefix(key, "board.js") {
					t.Errorf("%s says %s, which is in no language", file, key)
				}
			}
		}
	}
	// Keys that are put together from parts.
	together := []string{"problem.", "event.", "cause.", "login.", "ended.", "severity.", "decision.", "word.", "type.", "zone.", "role.", "face.", "turn.", "connection.", "param.", "value.", "judge.declare.", "judge.correct."}
	for key := range en {
		if !used[key] && !slices.ContainsFunc(together, func(p string) bool { return strings.HasPrefix(key, p) }) {
			t.Errorf("%s is said nowhere", key)
		}
	}
}

// A language that the pages don't speak is English, as on the pages.
func TestTextsOfAnUnknownLanguage(t *testing.T) {
	if got, want := pageTexts(t, "fr")["word.bowed"], pageTexts(t, "en")["word.bowed"]; got != want || got == "" {
		t.Errorf("in French %q, want %q", got, want)
	}
}

// TestActionsHaveWords holds that a form for an action of the games in the
// program shows no name that is for programs.
func TestActionsHaveWords(t *testing.T) {
	packs := l5r.Packs()
	for _, load := range []func() (rules.Pack, error){champions.Pack, tapper.Pack} {
		pack, err := load()
		if err != nil {
			t.Fatal(err)
		}
		packs = append(packs, pack)
	}
	for _, lang := range []string{"en", "de"} {
		texts := pageTexts(t, lang)
		for _, pack := range packs {
			engine, err := rules.New(pack, rules.Options{Lang: lang})
			if err != nil {
				t.Fatal(err)
			}
			words := engine.Words()
			said := func(keys ...string) bool {
				return slices.ContainsFunc(keys, func(k string) bool { return words[k] != "" || texts[k] != "" })
			}
			for _, act := range engine.Acts() {
				if act.Title == "" || !said("action."+string(act.Kind)) {
					t.Errorf("%s, %s: action %s has no title", pack.ID, lang, act.Kind)
				}
				for _, p := range act.Params {
					if !said("param." + p.Name) {
						t.Errorf("%s, %s: parameter %s of %s is said nowhere", pack.ID, lang, p.Name, act.Kind)
					}
					for _, v := range p.Values {
						if !said("param."+p.Name+"."+v, "value."+v, "zone."+v, "word."+v, "type."+v) {
							t.Errorf("%s, %s: value %s of parameter %s of %s is said nowhere", pack.ID, lang, v, p.Name, act.Kind)
						}
					}
				}
			}
		}
	}
}
