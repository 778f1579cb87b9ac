package web

import (
	"encoding/json"
	"fmt"
	"slices"

	"tabletop/board"
)

// Seen is what the camera saw that a finding or a prompt came of.
type Seen struct {
	Event  board.Event  `json:"event"` // that opened it
	Copies []SeenChange `json:"copies"`
	// Picture is where the camera's picture of that moment is, if it was kept.
	Picture string `json:"picture,omitempty"`
}

// SeenChange is the last change of a copy before something was opened about it.
type SeenChange struct {
	Copy   board.CopyID `json:"copy"`
	Before *board.Copy  `json:"before"` // null when it came onto the table
	After  *board.Copy  `json:"after"`  // null when it left
}

// events returns the newest events of a role's view before that number (0: all)
// that are kept, at most so many, the oldest first.
func (h *Hub) events(role Role, before uint64, most int) ([]json.RawMessage, error) {
	events := []json.RawMessage{}
	err := h.ask(func() {
		s := h.streams[role]
		last := s.head
		if before > 0 {
			last = min(last, before-1)
		}
		for ; last > 0 && len(events) < most; last-- {
			data, kept := s.event(last)
			if !kept {
				break
			}
			events = append(events, data)
		}
	})
	slices.Reverse(events)
	return events, err
}

// seen finds the event of a role's view that opened something about some copies,
// and what last happened to each of them before. ok is false when it is not kept.
func (h *Hub) seen(role Role, opened func(board.Event) (copies []board.CopyID, ok bool)) (seen Seen, ok bool, err error) {
	kept, err := h.events(role, 0, int(^uint(0)>>1))
	if err != nil {
		return Seen{}, false, err
	}
	var copies []board.CopyID
	found := map[board.CopyID]*SeenChange{}
	for i := len(kept) - 1; i >= 0 && (!ok || len(found) < len(copies)); i-- {
		var e board.Event
		if err := json.Unmarshal(kept[i], &e); err != nil {
			return Seen{}, false, fmt.Errorf("web: an event of our own: %w", err)
		}
		switch {
		case !ok:
			if copies, ok = opened(e); ok {
				seen.Event = e
			}
		case e.Finding == nil && e.Prompt == nil && slices.Contains(copies, e.Card) && found[e.Card] == nil:
			found[e.Card] = &SeenChange{Copy: e.Card, Before: e.Before, After: e.After}
			// What else one act did is told by the events right before.
			for j := i - 1; j >= 0; j-- {
				var same board.Event
				if json.Unmarshal(kept[j], &same) != nil || same.Card != e.Card || !same.At.Equal(e.At) {
					break
				}
				found[e.Card].Before = same.Before
			}
		}
	}
	seen.Copies = []SeenChange{}
	for _, id := range copies {
		if c := found[id]; c != nil {
			seen.Copies = append(seen.Copies, *c)
		}
	}
	return seen, ok, nil
}
