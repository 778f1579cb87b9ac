package rules

import (
	"tabletop/board"
)

// ActKind is a kind of action that may be declared, and what it takes. A client
// builds its form from it. Its title is the message action.<kind>.
type ActKind struct {
	Kind    board.ActionKind `json:"kind"`
	Seat    Need             `json:"seat,omitempty"`
	Copies  Need             `json:"copies,omitempty"`
	Targets Need             `json:"targets,omitempty"`
	Zone    Need             `json:"zone,omitempty"`
	Amount  Need             `json:"amount,omitempty"`
	Signed  bool             `json:"signed,omitempty"` // the amount may be below zero
	Params  []Param          `json:"params,omitempty"`
}

// Need says whether a kind of action takes a thing.
type Need string

// The needs; the empty one means that the kind doesn't take it.
const (
	May  Need = "may"
	Must Need = "must"
)

// Param is a further word that a kind of action takes.
type Param struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"` // that it may have; empty: any
	Need   Need     `json:"need"`

	Is      ParamIs `json:"is,omitempty"`      // what its value names; empty: a word
	Pattern string  `json:"pattern,omitempty"` // regular expression (RE2) that the whole value matches; empty: any
}

// ParamIs is what the value of a parameter names.
type ParamIs string

// What a parameter may name.
const (
	ParamSeat   ParamIs = "seat"
	ParamCopy   ParamIs = "copy"   // on the table
	ParamAction ParamIs = "action" // declared before, and not long ago
)

// Declared is a declared action before the board on which it was declared.
type Declared struct {
	Action board.Action
	Table  Table
}

// Param returns a parameter, or "".
func (d Declared) Param(name string) string { return d.Action.Params[name] }

// Copies are the subjects of the action's copies.
func (d Declared) Copies() []Subject { return d.Table.Subjects(d.Action.Copies) }

// Targets are the subjects of the action's targets.
func (d Declared) Targets() []Subject { return d.Table.Subjects(d.Action.Targets) }

// Verdict is what one rule has to say about a declared action. Any breach makes
// the action illegal; the effects and debts of an illegal action don't come.
type Verdict struct {
	Breaches []Note
	Effects  []Note
	Owes     []Debt
}

// Note is a sentence to be said: a message of the pack and what it is about.
// Its template may use what the messages of findings use, of the copy About, and
// .Other .OtherPlace .Who .Amount .Words.
type Note struct {
	Message string // of a breach: a word of the rule's Says; of an effect: one of the pack's Says
	About   board.CopyID
	Other   board.CopyID
	Seat    board.SeatID // .Who
	Amount  int
	Words   string
}

// Debt is something that the table comes to owe: a prompt to be opened. One that
// is owed already (same rule, message and copies) isn't owed twice.
type Debt struct {
	Message  string // a word of the rule's Says
	Seat     board.SeatID
	Copies   []board.CopyID // the first is what the text is about, the second .Other
	Amount   int
	Zone     board.ZoneID
	Params   map[string]string
	Words    string
	Possible bool // owed only if what was seen means what it seems to
}

// News is what just happened, for a prompt that may be settled by it.
type News struct {
	Table      Table
	Action     *Declared   // a legal action declared just now, or nil
	Transition *Transition // a change seen just now, or nil; After.Copy.ID is empty when the copy left the table
}
