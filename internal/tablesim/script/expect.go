package script

import (
	"fmt"
	"time"

	"tabletop/board"
)

// Expected is one report that an act leads to.
type Expected struct {
	// At is when the act's card comes to rest, or is off the table with the hand
	// that took it, from the game's beginning. How much later the report comes,
	// the settle time and the hand that leaves decide.
	At time.Duration
	// Line is the script's line, and Act what it says.
	Line int
	Act  string
	// Group is the same for reports of one moment whose order is open (several
	// copies laid or gathered at once); it grows otherwise.
	Group int

	Kind   board.EventKind
	Copy   string       // the script's name for it
	Card   board.CardID // which card it is
	Rule   board.RuleID // of a finding or a prompt
	Centre board.Point  // where the copy lies, mm; where it lay if it was removed
}

func (e Expected) String() string {
	s := fmt.Sprintf("%s %s", e.Kind, e.Copy)
	if e.Rule != "" {
		s += " " + string(e.Rule)
	}
	return fmt.Sprintf("%s (line %d: %s)", s, e.Line, e.Act)
}

// samePlaceMM is how far a placed copy may be from where the script puts it.
const samePlaceMM = 30

// Compare says how events differ from what is expected: nil, or an error that
// names the first difference and the script's line. The events must be exactly
// the expected ones in order, those of one group in any order; and one of the
// script's copies must be one copy throughout. A copy is recognised when it is
// placed, by where it lies. Decisions of a judge are not compared.
func Compare(want []Expected, got []board.Event) error {
	m := matcher{ids: map[string]board.CopyID{}, labels: map[board.CopyID]string{}}
	var events []board.Event
	for _, e := range got {
		if e.Kind != board.EventFindingDecided {
			events = append(events, e)
		}
	}
	for i := 0; i < len(want); {
		n := 1
		for i+n < len(want) && want[i+n].Group == want[i].Group {
			n++
		}
		open := append([]Expected(nil), want[i:i+n]...)
		for len(open) > 0 {
			if len(events) == 0 {
				return fmt.Errorf("script: after %d events nothing more came, want %s", len(got), open[0])
			}
			found := -1
			for j, w := range open {
				if m.match(w, events[0]) {
					found = j
					break
				}
			}
			if found < 0 {
				return fmt.Errorf("script: event %d is %s, want %s", len(got)-len(events)+1, m.describe(events[0]), open[0])
			}
			open = append(open[:found], open[found+1:]...)
			events = events[1:]
		}
		i += n
	}
	if len(events) > 0 {
		return fmt.Errorf("script: event %d, %s, is one too many", len(got)-len(events)+1, m.describe(events[0]))
	}
	return nil
}

// matcher knows which copy stands for which name of the script.
type matcher struct {
	ids    map[string]board.CopyID
	labels map[board.CopyID]string
}

func (m *matcher) match(w Expected, e board.Event) bool {
	if w.Kind != e.Kind {
		return false
	}
	if w.Rule != "" && e.Prompt != nil {
		return e.Prompt.Rule == w.Rule && len(e.Prompt.Copies) == 1 && e.Prompt.Copies[0] == m.ids[w.Copy]
	}
	if w.Rule != "" {
		return e.Finding != nil && e.Finding.Rule == w.Rule && len(e.Finding.Copies) == 1 && e.Finding.Copies[0] == m.ids[w.Copy]
	}
	seen := e.After
	if seen == nil {
		seen = e.Before
	}
	if seen == nil || (seen.Card != nil && seen.Card.ID != w.Card) {
		return false
	}
	if w.Kind == board.EventPlaced {
		if seen.Pose.Centre.Distance(w.Centre) > samePlaceMM {
			return false
		}
		m.ids[w.Copy], m.labels[e.Card] = e.Card, w.Copy
		return true
	}
	return m.ids[w.Copy] == e.Card
}

func (m *matcher) describe(e board.Event) string {
	if e.Finding != nil {
		s := fmt.Sprintf("%s %s about", e.Kind, e.Finding.Rule)
		for _, id := range e.Finding.Copies {
			s += fmt.Sprintf(" %s (%s)", id, m.name(id))
		}
		return s
	}
	if e.Prompt != nil {
		return fmt.Sprintf("%s %s about %v", e.Kind, e.Prompt.Rule, e.Prompt.Copies)
	}
	return fmt.Sprintf("%s %s (%s)", e.Kind, e.Card, m.name(e.Card))
}

func (m *matcher) name(id board.CopyID) string {
	if l, ok := m.labels[id]; ok {
		return l
	}
	return "not in the script so far"
}
