package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/web"
)

// explainTexts are what `rules explain` says itself, by language; the other
// words are the game's own and those of the pages.
func explainTexts(lang string) map[string]string {
	if strings.HasPrefix(lang, "de") {
		return map[string]string{
			"area.in-play":      "im Spiel",
			"area.out-of-play":  "nicht im Spiel",
			"area.undetermined": "ob im Spiel, lässt sich nicht sagen",
			"explain.clear":     "Kein Befund.",
			"explain.no-types":  "Kein Befund – das Spiel %s kennt den Typ keiner dieser Karten. Gehört das Brett zu einem anderen Spiel (--game)?",
			"explain.type":      "Das Spiel %s kennt keinen Kartentyp „%s“; Regeln, die nach dem Typ fragen, sagen dazu nichts.",
			"explain.owed":      "noch zu tun",
			"show.severity":     "ein klar erkannter Verstoß: %s",
			"list.rules":        "%s: %d Regeln",
		}
	}
	return map[string]string{
		"area.in-play":      "in play",
		"area.out-of-play":  "out of play",
		"area.undetermined": "whether in play can't be told",
		"explain.clear":     "No finding.",
		"explain.no-types":  "No finding – but the game %s knows the type of none of these cards. Is the board one of another game (--game)?",
		"explain.type":      "The game %s has no card type “%s”; rules that ask for the type say nothing of it.",
		"explain.owed":      "owed",
		"show.severity":     "a breach that is seen clearly: %s",
		"list.rules":        "%s: %d rules",
	}
}

// words are what a command says in a game's language, by key.
type words map[string]string

// wordsOf are the pages' texts, over them the game's own words.
func wordsOf(engine *rules.Engine) (words, error) {
	texts, err := web.Texts(engine.Lang())
	if err != nil {
		return nil, err
	}
	maps.Copy(texts, explainTexts(engine.Lang()))
	maps.Copy(texts, engine.Words())
	return texts, nil
}

// of is the word for what programs call name: the first of the kinds that has
// one counts. Without any it is name itself, as on the pages.
func (w words) of(name string, kinds ...string) string {
	for _, kind := range kinds {
		if said := w[kind+"."+name]; said != "" {
			return said
		}
	}
	return strings.NewReplacer("-", " ", "_", " ").Replace(name)
}

// fact is what a fact says: a value, copies, or both.
func (w words) fact(f rules.Fact, layout board.Layout) string {
	said := f.Value
	if seat, ok := layout.Seat(board.SeatID(f.Value)); ok {
		said = cmp.Or(seat.Name, string(seat.ID))
	} else if said != "" {
		said = w.of(said, "value", "zone", "param.as", "word", "type")
	}
	return strings.Join(slices.DeleteFunc([]string{said, joined(f.Copies)}, func(s string) bool { return s == "" }), ", ")
}

// writeExplanation says what the rules make of a board, all of it in the language
// of the game.
func writeExplanation(w io.Writer, say words, gameName string, layout board.Layout, x rules.Explanation) {
	for _, c := range x.Copies {
		parts := []string{c.Place}
		for _, word := range c.State {
			parts = append(parts, say.of(word, "word"))
		}
		parts = append(parts, say.of(c.Area, "area"))
		fmt.Fprintf(w, "%-6s %s: %s\n", c.Copy, c.Name, strings.Join(parts, "; "))
		for _, f := range c.Facts {
			fmt.Fprintf(w, "       %s: %s\n", f.Title, say.fact(f, layout))
		}
		if c.UnknownType != "" {
			writeWrapped(w, "       ", fmt.Sprintf(say["explain.type"], gameName, c.UnknownType))
		}
	}
	fmt.Fprintln(w)
	if len(x.Findings) == 0 {
		known := slices.ContainsFunc(x.Copies, func(c rules.ExplainedCopy) bool { return c.UnknownType == "" })
		if known {
			fmt.Fprintln(w, say["explain.clear"])
		} else {
			writeWrapped(w, "", fmt.Sprintf(say["explain.no-types"], gameName))
		}
	}
	for _, f := range x.Findings {
		sure := say.of(string(f.Severity), "severity")
		if f.Possible {
			sure += ", " + say["judge.possible"]
		}
		fmt.Fprintf(w, "%s (%s) %s\n", f.Rule, sure, joined(f.Copies))
		writeWrapped(w, "  ", f.Text)
		writeWrapped(w, "  ", cited(f.Citation))
	}
	for _, p := range x.Prompts {
		fmt.Fprintf(w, "%s (%s) %s\n", p.Rule, say["explain.owed"], joined(p.Copies))
		writeWrapped(w, "  ", p.Text)
	}
}
