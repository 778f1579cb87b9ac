package board

import (
	"encoding/json"
	"time"
)

// ChangeKind is what physically happened to a copy.
type ChangeKind string

// The physical changes the tracker reports. What they mean, a pack says.
const (
	ChangePlaced  ChangeKind = "placed"  // a copy came to rest that was not on the table
	ChangeMoved   ChangeKind = "moved"   // its centre is elsewhere
	ChangeTurned  ChangeKind = "turned"  // another quarter turn
	ChangeFlipped ChangeKind = "flipped" // another face
	ChangeNamed   ChangeKind = "named"   // it is now known which card it is
	ChangeRemoved ChangeKind = "removed" // it is gone
)

// Change is one physical change of one copy, at rest before and after. One act
// of a player may give several changes of one copy at once (moved and turned);
// they share Before and After and follow one another in the order above.
type Change struct {
	Kind   ChangeKind
	At     time.Time
	Before *Copy // nil when placed
	After  *Copy // nil when removed
}

// EventKind names an event, "card." for what happened to a copy, "finding."
// for what a rule had to say.
type EventKind string

// Events of every game. Packs add their own ("card.bowed").
const (
	EventPlaced         EventKind = "card.placed"
	EventMoved          EventKind = "card.moved"
	EventTurned         EventKind = "card.turned" // a turn that means nothing in this game
	EventFlipped        EventKind = "card.flipped"
	EventNamed          EventKind = "card.named"
	EventRemoved        EventKind = "card.removed"
	EventFindingOpened  EventKind = "finding.opened"
	EventFindingEnded   EventKind = "finding.ended"
	EventFindingDecided EventKind = "finding.decided"
)

// Event is one entry of the journal and of the stream. Before and After are
// whole objects, never patches: nil Before for a copy that was placed, nil
// After for one that was removed.
type Event struct {
	Seq     uint64
	At      time.Time
	Kind    EventKind
	Card    CopyID
	Before  *Copy
	After   *Copy
	Finding *Finding
}

// timeLayout is RFC 3339 with milliseconds, as the contract has it.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

type eventJSON struct {
	Type    string    `json:"type"`
	Seq     uint64    `json:"seq"`
	At      string    `json:"at"`
	Kind    EventKind `json:"kind"`
	Card    CopyID    `json:"card,omitempty"`
	Before  *Copy     `json:"before"`
	After   *Copy     `json:"after"`
	Finding *Finding  `json:"finding,omitempty"`
}

// MarshalJSON writes the event in the form of the websocket contract.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(eventJSON{"event", e.Seq, e.At.UTC().Format(timeLayout), e.Kind, e.Card, e.Before, e.After, e.Finding})
}

// UnmarshalJSON reads the form of the websocket contract.
func (e *Event) UnmarshalJSON(data []byte) error {
	var j eventJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, j.At)
	if err != nil {
		return err
	}
	*e = Event{j.Seq, at.UTC(), j.Kind, j.Card, j.Before, j.After, j.Finding}
	return nil
}

// Apply folds the event into the board: a snapshot and the events that follow
// it give the same board as all events from the start.
func (b Board) Apply(e Event) {
	switch {
	case e.Finding != nil && e.Kind == EventFindingEnded:
		delete(b.Findings, e.Finding.ID)
	case e.Finding != nil:
		b.Findings[e.Finding.ID] = *e.Finding
	case e.Card == "":
	case e.After == nil:
		delete(b.Copies, e.Card)
	default:
		b.Copies[e.Card] = *e.After
	}
}
