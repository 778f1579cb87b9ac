package scenario

import (
	"time"

	"tabletop/board"
)

// Scenario is one story at the table, in one game.
type Scenario struct {
	Title  string
	File   string
	Line   int
	Game   string
	Lang   string
	Source string
	Table  board.Layout
	Rules  []board.RuleID
	Shows  Showing
	Pace   time.Duration // of an act
	Steps  []Step        // the board, if there is one, is the first
}

// Showing is what a scenario shows of its rules.
type Showing string

// The showings. A scenario that says none is not held to any.
const (
	ShowsObeyed Showing = "obeyed"
	ShowsBroken Showing = "broken"
	ShowsPrompt Showing = "prompt"
)

// Step is something that happens, and what must follow from it. One of its
// parts is set.
type Step struct {
	Line    int
	Acts    []Act
	Wait    time.Duration
	Declare *Declaration
	Correct *Correction
	Accept  bool
	Decide  *Decision
	Restart bool
	Expects []Expect
}

// empty says that nothing happens: a board without copies.
func (s Step) empty() bool {
	return len(s.Acts) == 0 && s.Wait == 0 && s.Declare == nil && s.Correct == nil && !s.Accept && s.Decide == nil && !s.Restart
}

// Act is what one act does to one copy.
type Act struct {
	Line int
	Kind board.ChangeKind
	ID   board.CopyID

	Card       *board.Card  // placed or named; nil for an unknown card
	Zone       board.ZoneID // empty: where it lies
	Beside     Beside       // where it lies with respect to another copy
	Next       board.CopyID // that copy
	Turn       *board.Turn  // nil: as it lies
	AngleDeg   float64      // from the seat's up, where Turn is set
	Face       board.Face   // empty: as it lies
	Owner      board.SeatID
	Controller board.SeatID
}

// Beside is where a copy lies with respect to another.
type Beside string

// The ways to lie there.
const (
	BesideOn    Beside = "on"
	BesideUnder Beside = "under"
	BesideEdge  Beside = "beside"
)

// Declaration is a declared action, and the name that later ones know it by.
type Declaration struct {
	Action board.Action
	As     string
}

// Correction is what a person says of a copy.
type Correction struct {
	ID   board.CopyID
	Said board.Correction
	Card *board.Card
}

// Decision is a judge's decision about the finding or prompt of a rule.
type Decision struct {
	Rule     board.RuleID
	ID       board.CopyID // of a finding
	Prompt   bool
	Decision board.Decision
}

// Expect is one line of what must follow.
type Expect struct {
	Line     int
	What     Expectation
	ID       board.CopyID
	IDs      []board.CopyID
	Rule     board.RuleID
	Severity board.Severity
	Event    board.EventKind
	State    board.State
	Text     string
	Ending   board.Ending
	Seat     board.SeatID
	Amount   int
	Name     string
	Possible bool
}

// Expectation is a kind of expect line.
type Expectation string

// The kinds of expect lines.
const (
	ExpectNothing   Expectation = "nothing"
	ExpectFinding   Expectation = "finding"
	ExpectEnded     Expectation = "ended"
	ExpectEvent     Expectation = "event"
	ExpectState     Expectation = "state"
	ExpectText      Expectation = "text"
	ExpectLegal     Expectation = "legal"
	ExpectIllegal   Expectation = "illegal"
	ExpectSays      Expectation = "says"
	ExpectEffect    Expectation = "effect"
	ExpectNoEffect  Expectation = "no"
	ExpectPrompt    Expectation = "prompt"
	ExpectPossible  Expectation = "possible"
	ExpectSettled   Expectation = "settled"
	ExpectHonor     Expectation = "honor"
	ExpectMark      Expectation = "mark"
	ExpectFact      Expectation = "fact"
	ExpectOutOfStep Expectation = "out-of-step"
	ExpectInStep    Expectation = "in-step"
)

// Result is what came of a scenario.
type Result struct {
	Opened   []board.Finding // in order
	Breaches []board.Breach  // that answers named
	Prompts  []board.Prompt  // that were opened
	Events   []board.Event   // all, in order
}

// Table is the standard table: players south (at the camera's bottom edge) and
// north, each with the zones home, province, fate-deck, dynasty-deck,
// fate-discard, dynasty-discard, deck, discard, hand, removed, set-aside,
// resolution, entering-play and focusing ("south.home"), and a battlefield
// between them that both share.
func Table() board.Layout {
	return tableOf([]board.ZoneKind{
		board.ZoneHome, board.ZoneProvince, board.ZoneFateDeck, board.ZoneDynastyDeck, board.ZoneFateDiscard,
		board.ZoneDynastyDiscard, board.ZoneDeck, board.ZoneDiscard, board.ZoneHand, board.ZoneRemoved, board.ZoneSetAside,
		board.ZoneResolution, board.ZoneEnteringPlay, board.ZoneFocusing,
	}, []board.ZoneKind{board.ZoneBattlefield})
}

// tableOf is a table with areas of each seat and shared ones. A player's first
// area is the whole row along the edge; the others lie in a row before it, the
// shared ones in the middle.
func tableOf(kinds, shared []board.ZoneKind) board.Layout {
	l := bareTable()
	rect := func(x0, y0, x1, y1 float64) board.Polygon {
		return board.Polygon{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	}
	for i, kind := range kinds {
		x0, x1, near, far := 0.0, 1.0, 1.0, 0.78
		if i > 0 {
			n := float64(len(kinds) - 1)
			x0, x1, near, far = float64(i-1)/n, float64(i)/n, 0.78, 0.6
		}
		l.Zones = append(l.Zones,
			board.Zone{ID: "south." + board.ZoneID(kind), Kind: kind, Seat: "south", Outline: rect(x0, far, x1, near)},
			board.Zone{ID: "north." + board.ZoneID(kind), Kind: kind, Seat: "north", Outline: rect(x0, 1-near, x1, 1-far)})
	}
	for i, kind := range shared {
		n := float64(len(shared))
		l.Zones = append(l.Zones, board.Zone{ID: board.ZoneID(kind), Kind: kind, Outline: rect(float64(i)/n, 0.4, float64(i+1)/n, 0.6)})
	}
	return l
}

// bareTable is the table with no zones.
func bareTable() board.Layout {
	return board.Layout{
		Size:  board.Size{Width: 2600, Height: 1500},
		Seats: []board.Seat{{ID: "south", Name: "South", UpDeg: 0}, {ID: "north", Name: "North", UpDeg: 180}},
	}
}

// Coverage is which scenarios show which rule of a game how.
type Coverage map[string]map[board.RuleID]map[Showing][]Scenario

// Cover sorts scenarios by what they say they show. That they do, Run checks.
func Cover(scenarios []Scenario) Coverage {
	c := Coverage{}
	for _, s := range scenarios {
		if c[s.Game] == nil {
			c[s.Game] = map[board.RuleID]map[Showing][]Scenario{}
		}
		for _, r := range s.Rules {
			if c[s.Game][r] == nil {
				c[s.Game][r] = map[Showing][]Scenario{}
			}
			c[s.Game][r][s.Shows] = append(c[s.Game][r][s.Shows], s)
		}
	}
	return c
}

// cards are the cards of a scenario, for the engine's catalogue.
func (s Scenario) cards() func(board.CardID) (board.Card, bool) {
	known := map[board.CardID]board.Card{}
	for _, step := range s.Steps {
		for _, a := range step.Acts {
			if a.Card != nil {
				known[a.Card.ID] = *a.Card
			}
		}
		if step.Correct != nil && step.Correct.Card != nil {
			known[step.Correct.Card.ID] = *step.Correct.Card
		}
	}
	return func(id board.CardID) (board.Card, bool) {
		card, ok := known[id]
		return card, ok
	}
}
