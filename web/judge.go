package web

import (
	"context"
	"errors"

	"tabletop/board"
	"tabletop/rules"
)

// Judge is what judges and operators do beyond looking; the live program
// implements it. Its methods may be called from any goroutine. What they change
// comes back as events of the stream: nothing here answers with the board.
//
// An error that is the asker's to mend wraps ErrUnknown or ErrRefused, and its
// text says what to do. One that wraps ErrNotKept says that what was asked is
// done, but not on record yet.
type Judge interface {
	// Desk says what can be done at this table.
	Desk() Desk
	// Rules lists the rules of the game, in the desk's language.
	Rules() []rules.RuleText
	// Cards searches the catalogue by name: at most so many, the best first.
	Cards(query string, most int) FoundCards
	// Declare puts an action on record and answers for it. That it is illegal is
	// an answer and no error. ID and At of what is given are not looked at.
	Declare(ctx context.Context, a board.Action) (board.Action, board.Answer, error)
	// Correct says what the camera got wrong of a copy. Of a card, the id is
	// enough; an empty correction takes earlier ones back.
	Correct(ctx context.Context, id board.CopyID, c board.Correction) error
	// Accept takes the table as it lies.
	Accept(ctx context.Context) error
	// Decide records what a person made of a finding or a prompt.
	Decide(ctx context.Context, r Ruling) error
	// Picture is the camera's picture, a JPEG, of the moment of an event.
	Picture(ctx context.Context, seq uint64) ([]byte, error)
	// Explain judges a board that has nothing to do with the one on the table.
	Explain(ctx context.Context, b board.Board) (rules.Explanation, error)
}

// Errors of a Judge.
var (
	ErrUnknown = errors.New("there is no such thing at this table")
	ErrRefused = errors.New("that can't be done")
	ErrNotKept = errors.New("it counts, but the journal can't take it yet")
)

// Desk is what a judge can do at a table.
type Desk struct {
	Game     string `json:"game"`
	GameName string `json:"game_name"`
	Lang     string `json:"lang"` // of rules, findings and titles, BCP 47
	// Words are the game's own words in Lang, by the keys that the pages' texts
	// have (rules.Engine.Words). They are for everyone.
	Words map[string]string `json:"words"`
	// ReadOnly says that rules can be read, and nothing can be done: a replay.
	ReadOnly  bool             `json:"read_only"`
	Actions   []rules.ActText  `json:"actions"`
	Decisions []board.Decision `json:"decisions"`
}

// FoundCards is what a search of the catalogue gave.
type FoundCards struct {
	Cards     []board.CardRef `json:"cards"`
	Of        int             `json:"of"`        // how many fit in all
	Catalogue int             `json:"catalogue"` // how many there are; 0: no catalogue
}

// Ruling is what a person made of a finding or of a prompt, whichever is named.
type Ruling struct {
	Finding  board.FindingID
	Prompt   board.PromptID
	Decision board.Decision
	BackTo   uint64 // with DecisionBackedUp: number of the event after which the game goes on
}
