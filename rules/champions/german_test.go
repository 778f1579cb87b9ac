package champions_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/goccy/go-yaml"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/scenario"
)

// sameInBoth are words of the game that the German edition leaves in English,
// and names.
var sameInBoth = []string{"upgrade", "upgrades", "alter", "ego", "deck", "marvel", "champions", "hand", "name"}

// texts are all that a person reads in a game, in order, each with where it
// stood.
type texts struct{ where, said []string }

func (s *texts) add(where, text string) {
	s.where, s.said = append(s.where, where), append(s.said, text)
}

func (s *texts) cite(where string, c board.Citation) {
	s.add(where+" source", c.Source)
	s.add(where+" passage", c.Passage)
	s.add(where+" quote", c.Quote)
}

func (s *texts) events(events []board.Event) {
	for i, e := range events {
		where := fmt.Sprintf("event %d, %s", i, e.Kind)
		if f := e.Finding; f != nil {
			s.add(where+" "+string(f.Rule)+" seen", f.Seen)
			s.add(where+" "+string(f.Rule), f.Text)
			s.cite(where, f.Citation)
		}
		if p := e.Prompt; p != nil {
			s.add(where+" "+string(p.Rule), p.Text)
			s.cite(where, p.Citation)
		}
		if a := e.Answer; a != nil {
			for _, b := range a.Breaches {
				s.add(where+" "+string(b.Rule), b.Text)
				s.cite(where, b.Citation)
			}
			for _, effect := range a.Effects {
				s.add(where+" effect", effect)
			}
		}
		if e.Game != nil && e.Game.OutOfStep != nil {
			for _, d := range e.Game.OutOfStep.Differences {
				s.add(where, d.Text)
			}
		}
	}
}

// manual is what can be read of a pack without playing.
func (s *texts) manual(t *testing.T, pack rules.Pack, lang string, b board.Board) {
	t.Helper()
	engine, err := rules.New(pack, rules.Options{Lang: lang, Layout: b.Layout})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range engine.Rules() {
		s.add("title of "+string(r.ID), r.Title)
		s.cite("citation of "+string(r.ID), r.Citation)
	}
	for _, a := range engine.Acts() {
		s.add("action "+string(a.Kind), a.Title)
	}
	words := engine.Words()
	for _, id := range slices.Sorted(maps.Keys(words)) {
		s.add(id, words[id])
	}
	explained, err := engine.Explain(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range explained.Copies {
		s.add("place of "+string(c.Copy), c.Place)
		s.add("name of "+string(c.Copy), c.Name)
	}
}

// TestAGermanGameShowsNoEnglish plays a game from start to finish in both
// languages and holds each German text against its English one, and each word of
// it against the words of the English messages.
func TestAGermanGameShowsNoEnglish(t *testing.T) {
	pack := load(t)
	game := germanGame(t)
	spoken := map[string]*texts{}
	for _, lang := range []string{"de", "en"} {
		game.Lang = lang
		result, err := scenario.Run(game, rules.Packs{pack})
		if err != nil {
			t.Fatal(lang, err)
		}
		if lang == "de" {
			everyRuleSpeaks(t, pack, result)
		}
		s := &texts{}
		s.events(result.Events)
		b := board.NewBoard(game.Table)
		for _, e := range result.Events {
			b.Apply(e)
		}
		s.manual(t, pack, lang, b)
		spoken[lang] = s
	}
	de, en := spoken["de"], spoken["en"]
	if !slices.Equal(de.where, en.where) {
		t.Fatal("the two games differ in more than their language")
	}
	forbidden := englishWords(t, pack)
	for i, text := range de.said {
		if strings.TrimSpace(text) == "" && !strings.HasSuffix(de.where[i], "quote") {
			t.Errorf("%s: no text", de.where[i])
		}
		name := strings.HasPrefix(de.where[i], "name of")
		if text == en.said[i] && text != "" && !name && !slices.Contains(sameInBoth, strings.ToLower(text)) {
			t.Errorf("%s: the same in both languages: %q", de.where[i], text)
		}
		for _, word := range words(text) {
			if forbidden[word] {
				t.Errorf("%s: the English word %q in %q", de.where[i], word, text)
			}
		}
	}
	t.Logf("%d texts", len(de.said))
}

// germanGame is the game, with the players' names.
func germanGame(t *testing.T) scenario.Scenario {
	t.Helper()
	all := scenarios(t)
	i := slices.IndexFunc(all, func(s scenario.Scenario) bool { return s.File == "scenarios/spiel.txt" })
	if i < 0 {
		t.Fatal("scenarios/spiel.txt is missing")
	}
	game := all[i]
	game.Table.Seats = slices.Clone(game.Table.Seats)
	for i, name := range []string{"Anna", "Jürgen"} {
		game.Table.Seats[i].Name = name
	}
	return game
}

// everyRuleSpeaks holds that the game shows what it is meant to show.
func everyRuleSpeaks(t *testing.T, pack rules.Pack, r scenario.Result) {
	t.Helper()
	spoke := map[board.RuleID]bool{}
	for _, f := range r.Opened {
		spoke[f.Rule] = true
	}
	for _, b := range r.Breaches {
		spoke[b.Rule] = true
	}
	for _, rule := range pack.Rules {
		if !spoke[rule.ID] {
			t.Errorf("rule %s never speaks in the game", rule.ID)
		}
	}
	acts := map[board.ActionKind]bool{}
	for _, e := range r.Events {
		if e.Action != nil {
			acts[e.Action.Kind] = true
		}
	}
	for _, a := range pack.Acts {
		if !acts[a.Kind] {
			t.Errorf("action %s is never declared in the game", a.Kind)
		}
	}
}

// englishWords are those of the English messages that no German message has.
func englishWords(t *testing.T, pack rules.Pack) map[string]bool {
	t.Helper()
	in := func(lang string) map[string]bool {
		found := map[string]bool{}
		engine, err := os.ReadFile("../messages/engine." + lang + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		own, err := fs.ReadFile(pack.Messages, "messages/marvel-champions."+lang+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{engine, own} {
			var tree map[string]any
			if err := yaml.Unmarshal(data, &tree); err != nil {
				t.Fatal(err)
			}
			for _, text := range leaves(tree) {
				for _, word := range words(outsideTemplates(text)) {
					found[word] = true
				}
			}
		}
		for _, r := range pack.Rules {
			for _, word := range words(r.Citations[lang].Source + " " + r.Citations[lang].Passage + " " + r.Citations[lang].Quote) {
				found[word] = true
			}
		}
		return found
	}
	english, german := in("en"), in("de")
	for word := range german {
		delete(english, word)
	}
	for _, word := range sameInBoth {
		delete(english, word)
	}
	if len(english) < 100 {
		t.Fatalf("only %d English words; the messages can't have been read", len(english))
	}
	return english
}

func leaves(tree map[string]any) []string {
	var all []string
	for _, v := range tree {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case map[string]any:
			all = append(all, leaves(v)...)
		}
	}
	return all
}

// outsideTemplates cuts {{…}} out.
func outsideTemplates(text string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "{{")
		b.WriteString(before + " ")
		if !ok {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "}}")
	}
}

// words are the words of a text in small letters.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}
