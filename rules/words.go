package rules

import "strings"

// Words are the game's own words in the engine's language, by their message:
// "type.ally", "zone.home", "word.exhausted", "event.exhausted", "action.target", "param.side" (of a parameter of actions, and
// of a value that one may have).
// A client shows them in place of the names that programs use.
func (e *Engine) Words() map[string]string {
	words := map[string]string{}
	for _, id := range e.pack.MessageIDs() {
		switch kind, _, _ := strings.Cut(id, "."); kind {
		case "type", "zone", "word", "event", "action", "param":
			words[id] = e.texts.say(id, wording{})
		}
	}
	return words
}
