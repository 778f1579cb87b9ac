package board

import "time"

// ActionID names one declared action for the length of a match ("a5").
type ActionID string

// ActionKind is what someone declares. Packs say which kinds they know, what
// each needs and may add their own.
type ActionKind string

// Action is what a player, an operator or a judge declares because no camera
// can see it: an attack, a target, a cost, an honor gain. An action is a
// statement about the game; nothing on the table moves by it.
type Action struct {
	ID      ActionID          `json:"id"`
	Kind    ActionKind        `json:"kind"`
	Seat    SeatID            `json:"seat,omitempty"`    // who does it
	Copies  []CopyID          `json:"copies,omitempty"`  // which do it, or which it is done with
	Targets []CopyID          `json:"targets,omitempty"` // what it is done to
	Zone    ZoneID            `json:"zone,omitempty"`    // where, or where to
	Amount  int               `json:"amount,omitempty"`
	Params  map[string]string `json:"params,omitempty"` // whatever else the kind takes
	At      time.Time         `json:"at"`

	// Ruled says that a judge lets it stand whatever rules it breaks: the
	// answer names the breaches and is legal all the same.
	Ruled bool `json:"ruled,omitempty"`
}

// Answer is what the rules have to say about a declared action. An illegal one
// has no effects: it is on record, and the declared state stays as it was.
type Answer struct {
	Legal    bool       `json:"legal"`             // or let stand by a judge
	Breaches []Breach   `json:"breaches"`          // every rule that it breaks
	Effects  []string   `json:"effects"`           // what follows, in the chosen language
	Prompts  []PromptID `json:"prompts,omitempty"` // what the table owes by it
	Lang     string     `json:"lang"`
}

// Breach is one rule that a declared action breaks.
type Breach struct {
	Rule     RuleID   `json:"rule"`
	Copies   []CopyID `json:"copies,omitempty"`
	Text     string   `json:"text"`
	Citation Citation `json:"citation"`
}

// PromptID names one prompt for the length of a match ("p2").
type PromptID string

// Prompt is something that the rules owe the table: a card to be turned, honor
// to be lost, cards to be removed. It ends when the table or a declared action
// shows that it was done, or when a person dismisses it.
type Prompt struct {
	ID       PromptID          `json:"id"`
	Rule     RuleID            `json:"rule"`
	Message  string            `json:"message"` // which of the rule's prompts, for the pack
	Seat     SeatID            `json:"seat,omitempty"`
	Copies   []CopyID          `json:"copies,omitempty"`
	Amount   int               `json:"amount,omitempty"`
	Zone     ZoneID            `json:"zone,omitempty"`
	Params   map[string]string `json:"params,omitempty"`
	Action   ActionID          `json:"action,omitempty"` // the declared action that it follows from
	Possible bool              `json:"possible"`         // it is owed only if what was seen means what it seems to
	Text     string            `json:"text"`
	Lang     string            `json:"lang"`
	Citation Citation          `json:"citation"`
	Decision Decision          `json:"decision,omitempty"`
}

// Correction is what a person says of a copy that the camera got wrong or can't
// see. What it doesn't mention stays as the camera has it. Each is given on the
// same copy until another correction replaces it or the copy is gone; an empty
// correction takes all back.
type Correction struct {
	Card       *CardRef `json:"card,omitempty"`
	Face       Face     `json:"face,omitempty"`
	Owner      *SeatID  `json:"owner,omitempty"`
	Controller *SeatID  `json:"controller,omitempty"`
}

// Empty says whether the correction says nothing.
func (c Correction) Empty() bool {
	return c.Card == nil && c.Face == "" && c.Owner == nil && c.Controller == nil
}
