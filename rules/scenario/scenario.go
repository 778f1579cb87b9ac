package scenario

import (
	"time"

	"tabletop/board"
)

// Scenario is one story at the table.
type Scenario struct {
	Title string
	Line  int
	Game  string
	Lang  string
	Table board.Layout
	Cites []board.RuleID
	Steps []Step // the board, if there is one, is the first
}

// Step is something that happens, and what must follow from it.
type Step struct {
	Line    int
	Acts    []Act
	Wait    time.Duration
	Expects []Expect
}

// Act is what one act does to one copy.
type Act struct {
	Line int
	Kind board.ChangeKind
	ID   board.CopyID

	Card     *board.CardRef // placed or named; nil for an unknown card
	Zone     board.ZoneID   // empty: where it lies
	Turn     *board.Turn    // nil: as it lies
	AngleDeg float64        // from the seat's up, where Turn is set
	Face     board.Face     // empty: as it lies
}

// Expect is one line of what must follow.
type Expect struct {
	Line     int
	What     Expectation
	ID       board.CopyID
	Rule     board.RuleID
	Severity board.Severity
	Event    board.EventKind
	State    board.State
	Text     string
}

// Expectation is a kind of expect line.
type Expectation string

// The kinds of expect lines.
const (
	ExpectNothing Expectation = "nothing"
	ExpectFinding Expectation = "finding"
	ExpectEnded   Expectation = "ended"
	ExpectEvent   Expectation = "event"
	ExpectState   Expectation = "state"
	ExpectText    Expectation = "text"
)

// Table is the standard table: players south (at the camera's bottom edge) and
// north, each with the zones home, province, fate-deck, dynasty-deck,
// fate-discard, dynasty-discard, deck, discard, hand, removed and set-aside
// ("south.home"), and a battlefield between them that both share.
func Table() board.Layout {
	kinds := []board.ZoneKind{
		board.ZoneHome, board.ZoneProvince, board.ZoneFateDeck, board.ZoneDynastyDeck, board.ZoneFateDiscard,
		board.ZoneDynastyDiscard, board.ZoneDeck, board.ZoneDiscard, board.ZoneHand, board.ZoneRemoved, board.ZoneSetAside,
	}
	l := bareTable()
	rect := func(x0, y0, x1, y1 float64) board.Polygon {
		return board.Polygon{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	}
	for i, kind := range kinds {
		x0, x1 := float64(i)/float64(len(kinds)), float64(i+1)/float64(len(kinds))
		l.Zones = append(l.Zones,
			board.Zone{ID: "south." + board.ZoneID(kind), Kind: kind, Seat: "south", Outline: rect(x0, 0.6, x1, 1)},
			board.Zone{ID: "north." + board.ZoneID(kind), Kind: kind, Seat: "north", Outline: rect(x0, 0, x1, 0.4)})
	}
	l.Zones = append(l.Zones, board.Zone{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: rect(0, 0.4, 1, 0.6)})
	return l
}

// bareTable is the table with no zones.
func bareTable() board.Layout {
	return board.Layout{
		Size:  board.Size{Width: 1600, Height: 900},
		Seats: []board.Seat{{ID: "south", Name: "South", UpDeg: 0}, {ID: "north", Name: "North", UpDeg: 180}},
	}
}
