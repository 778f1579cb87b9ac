package board

import (
	"maps"
	"slices"
	"time"
)

// Game is what is known of a game beyond what lies on the table: what was
// declared, and what follows from it. It is a value: whoever changes it clones
// it first, so an event may carry the whole of it.
type Game struct {
	// Honor is each seat's honor, or whatever total a game counts.
	Honor map[SeatID]int `json:"honor,omitempty"`

	// Battle is the battle that goes on, if one does.
	Battle *Battle `json:"battle,omitempty"`

	// Attached says which copy is attached to which by declaration, where the
	// table alone doesn't tell.
	Attached map[CopyID]CopyID `json:"attached,omitempty"`

	// Marks are words on a copy that its pose can't show: "dead",
	// "entered-bowed", "alter-ego". Sorted.
	Marks map[CopyID]State `json:"marks,omitempty"`

	// Overlays says which copy lies directly on which.
	Overlays map[CopyID]CopyID `json:"overlays,omitempty"` // upper → lower

	// Controllers are the seats that were given control of a copy.
	Controllers map[CopyID]SeatID `json:"controllers,omitempty"`

	// Removed are copies that have left the game. Barred are those that were
	// physically destroyed and may be in no deck again.
	Removed []CopyID `json:"removed,omitempty"`
	Barred  []Barred `json:"barred,omitempty"`

	// Past are the newest declared actions with what was true of their copies
	// then, for rules that look back ("status is checked when targeted").
	Past []Past `json:"past,omitempty"`

	// Dismissed are the breaches that a person lets pass.
	Dismissed []Dismissal `json:"dismissed,omitempty"`

	// OutOfStep is set while the table is known to differ from the game.
	OutOfStep *OutOfStep `json:"out_of_step,omitempty"`
}

// Battle is a battle in progress.
type Battle struct {
	Attacker SeatID   `json:"attacker"`
	Defender SeatID   `json:"defender"`
	Zone     ZoneID   `json:"zone,omitempty"`     // the battlefield
	Province ZoneID   `json:"province,omitempty"` // the province attacked
	Assigned []CopyID `json:"assigned,omitempty"` // declared to be in an army
}

// Barred is a copy that was physically destroyed.
type Barred struct {
	Copy  CopyID   `json:"copy"`
	Card  *CardRef `json:"card"`
	Owner SeatID   `json:"owner,omitempty"`
}

// Past is a declared action as later ones may look back on it.
type Past struct {
	Action ActionID         `json:"action"`
	Kind   ActionKind       `json:"kind"`
	Copies map[CopyID]State `json:"copies,omitempty"` // words true of the copies and targets then
}

// OutOfStep lists what differs between the table and what the game expects.
type OutOfStep struct {
	Differences []Difference `json:"differences"`
	Lang        string       `json:"lang"`
}

// Difference is one copy that does not lie as expected.
type Difference struct {
	Copy     CopyID          `json:"copy"`
	Expected *Copy           `json:"expected"` // as it lay when all was well; null: it should not be there
	Cause    DifferenceCause `json:"cause"`
	At       time.Time       `json:"at"`
	Text     string          `json:"text"`
}

// DifferenceCause is why a copy counts as lying otherwise than expected.
type DifferenceCause string

// The causes.
const (
	CauseMisread DifferenceCause = "misread"   // it reads as another card than before
	CauseMess    DifferenceCause = "mess"      // many cards came to break rules at once
	CauseBackup  DifferenceCause = "backed-up" // the game goes on from an earlier board
)

// Dismissal is a breach that a person lets pass. It holds as long as the rule
// goes on finding it.
type Dismissal struct {
	Copy CopyID `json:"copy"`
	Rule RuleID `json:"rule"`
}

// Clone returns a game that shares nothing changeable with g.
func (g Game) Clone() Game {
	g.Honor, g.Attached, g.Marks = maps.Clone(g.Honor), maps.Clone(g.Attached), maps.Clone(g.Marks)
	g.Overlays, g.Controllers = maps.Clone(g.Overlays), maps.Clone(g.Controllers)
	g.Removed, g.Barred, g.Past = slices.Clone(g.Removed), slices.Clone(g.Barred), slices.Clone(g.Past)
	g.Dismissed = slices.Clone(g.Dismissed)
	if g.Battle != nil {
		b := *g.Battle
		b.Assigned = slices.Clone(b.Assigned)
		g.Battle = &b
	}
	if g.OutOfStep != nil {
		o := *g.OutOfStep
		o.Differences = slices.Clone(o.Differences)
		g.OutOfStep = &o
	}
	return g
}
