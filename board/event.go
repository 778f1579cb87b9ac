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

	EventPromptOpened   EventKind = "prompt.opened"
	EventPromptEnded    EventKind = "prompt.ended"
	EventPromptDecided  EventKind = "prompt.decided"
	EventActionDeclared EventKind = "action.declared"
	EventCorrected      EventKind = "card.corrected"
	EventAccepted       EventKind = "board.accepted"    // a person takes the table as it lies
	EventOutOfStep      EventKind = "board.out-of-step" // the table differs from the game, or more than before
	EventInStep         EventKind = "board.in-step"     // it agrees again
	EventGameChanged    EventKind = "game.changed"      // something seen changed what is declared
)

// Event is one entry of the journal and of the stream. Before and After are
// whole objects, never patches: nil Before for a copy that was placed, nil
// After for one that was removed. Action comes with its Answer; Game, where an
// event changes it, is the whole of it as it is from then on.
type Event struct {
	Seq     uint64
	At      time.Time
	Kind    EventKind
	Card    CopyID
	Before  *Copy
	After   *Copy
	Finding *Finding
	Prompt  *Prompt
	Action  *Action
	Answer  *Answer
	Game    *Game
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
	Prompt  *Prompt   `json:"prompt,omitempty"`
	Action  *Action   `json:"action,omitempty"`
	Answer  *Answer   `json:"answer,omitempty"`
	Game    *Game     `json:"game,omitempty"`
}

// MarshalJSON writes the event in the form of the websocket contract.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(eventJSON{"event", e.Seq, e.At.UTC().Format(timeLayout), e.Kind, e.Card, e.Before, e.After, e.Finding, e.Prompt, e.Action, e.Answer, e.Game})
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
	*e = Event{j.Seq, at.UTC(), j.Kind, j.Card, j.Before, j.After, j.Finding, j.Prompt, j.Action, j.Answer, j.Game}
	return nil
}

// Apply folds the event into the board: a snapshot and the events that follow
// it give the same board as all events from the start. A decision by which a
// finding or a prompt is over (see [Decision.Closes]) ends it.
func (b *Board) Apply(e Event) {
	if e.Game != nil {
		g := e.Game.Clone()
		b.Game = &g
	}
	switch {
	case e.Finding != nil && (e.Kind == EventFindingEnded || e.Finding.Decision.Closes()):
		delete(b.Findings, e.Finding.ID)
	case e.Finding != nil:
		if b.Findings == nil {
			b.Findings = map[FindingID]Finding{}
		}
		b.Findings[e.Finding.ID] = *e.Finding
	case e.Prompt != nil && (e.Kind == EventPromptEnded || e.Prompt.Decision.Closes()):
		delete(b.Prompts, e.Prompt.ID)
	case e.Prompt != nil:
		if b.Prompts == nil {
			b.Prompts = map[PromptID]Prompt{}
		}
		b.Prompts[e.Prompt.ID] = *e.Prompt
	case e.Card == "":
	case e.After == nil:
		delete(b.Copies, e.Card)
	default:
		if b.Copies == nil {
			b.Copies = map[CopyID]Copy{}
		}
		b.Copies[e.Card] = *e.After
	}
}
