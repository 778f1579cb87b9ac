package rules

import (
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"tabletop/board"
)

// Table is a board as rules may ask about it: each copy with what is known of
// its card, what it touches, and what was declared. Asking costs what is asked
// for; only [Table.All] walks the whole board.
type Table struct {
	pack  *Pack
	card  func(board.CardID) (board.Card, bool)
	board *board.Board
	near  grid
	left  map[board.CopyID]left
}

// left is how a copy lay in play until it left.
type left struct {
	before board.Copy
	at     time.Time
}

// Layout is the table's areas and seats.
func (t Table) Layout() board.Layout { return t.board.Layout }

// Game is what is declared. It is not to be changed.
func (t Table) Game() board.Game {
	if t.board == nil || t.board.Game == nil {
		return board.Game{}
	}
	return *t.board.Game
}

// Subject returns a copy on the table.
func (t Table) Subject(id board.CopyID) (Subject, bool) {
	if t.board == nil {
		return Subject{}, false
	}
	c, ok := t.board.Copies[id]
	if !ok {
		return Subject{}, false
	}
	return t.subject(c), true
}

// Subjects returns those of the copies that are on the table.
func (t Table) Subjects(ids []board.CopyID) []Subject {
	var subjects []Subject
	for _, id := range ids {
		if s, ok := t.Subject(id); ok {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// All walks every copy, by id.
func (t Table) All() iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		for _, id := range slices.Sorted(maps.Keys(t.board.Copies)) {
			if !yield(t.subject(t.board.Copies[id])) {
				return
			}
		}
	}
}

// Prompts are what is owed.
func (t Table) Prompts() map[board.PromptID]board.Prompt { return t.board.Prompts }

// LeftPlay returns a copy as it lay in play, if it was seen to leave play in
// the last minutes before at and lies out of play now.
func (t Table) LeftPlay(id board.CopyID, at time.Time) (Subject, bool) {
	l, ok := t.left[id]
	if !ok || at.Sub(l.at) > remembersLeaving {
		return Subject{}, false
	}
	return t.subject(l.before), true
}

// LeftPlaySince returns the copies that were seen to leave play since a moment of
// the last minutes and lie out of play now, as they lay in play; by id.
func (t Table) LeftPlaySince(since time.Time) []Subject {
	var all []Subject
	for _, id := range slices.Sorted(maps.Keys(t.left)) {
		if l := t.left[id]; !l.at.Before(since) {
			all = append(all, t.subject(l.before))
		}
	}
	return all
}

// remembersLeaving is how much later an act may be declared by which a copy left
// play.
const remembersLeaving = 3 * time.Minute

// Touch is a copy that another touches. Its Seat is what the table alone says,
// for who controls a copy may hang on what it touches; Table.Subject asks the
// pack.
type Touch struct {
	Subject
	Shared float64 // share of the smaller of the two that both cover, [0,1]; 0: edges meet
}

// Touching returns the copies that lie on, under or against a copy, those that
// share most with it first.
func (t Table) Touching(s Subject) []Touch {
	var touches []Touch
	for _, id := range t.near.around(s.Copy.Pose.Centre) {
		if other, ok := t.board.Copies[id]; ok && id != s.Copy.ID {
			if shared, touch := touching(s.Copy, other); touch {
				touches = append(touches, Touch{t.bare(other), shared})
			}
		}
	}
	slices.SortFunc(touches, func(a, b Touch) int {
		switch {
		case a.Shared > b.Shared:
			return -1
		case a.Shared < b.Shared:
			return 1
		}
		return compareIDs(a.Copy.ID, b.Copy.ID)
	})
	return touches
}

// subject gathers what rules may ask about a copy.
func (t Table) subject(c board.Copy) Subject {
	s := t.bare(c)
	if t.pack.Controller != nil {
		s.Seat = t.pack.Controller(s)
	}
	return s
}

// bare is a subject before the pack is asked who controls it.
func (t Table) bare(c board.Copy) Subject {
	s := Subject{Copy: c, table: t}
	if c.Card != nil {
		s.Card = board.Card{ID: c.Card.ID, Name: c.Card.Name, Type: c.Card.Type}
		if t.card != nil {
			if card, ok := t.card(c.Card.ID); ok {
				s.Card = card
			}
		}
	}
	zone, inZone := t.board.Layout.Zone(c.Zone)
	s.Zone = zone
	for _, seat := range []board.SeatID{c.Controller, c.Owner, zone.Seat} {
		if seat != "" {
			s.Seat = seat
			break
		}
	}
	// The turn is read from the seat that the tracker reads it from.
	seat, _ := t.board.Layout.Seat(s.Seat)
	s.AngleDeg = board.NormalizeDeg(c.Pose.AngleDeg - seat.UpDeg)
	switch {
	case len(t.board.Layout.Zones) == 0:
		s.Area = AreaInPlay
	case inZone:
		s.Area = t.pack.Area(s)
	}
	return s
}

// reachMM is how far two cards may lie apart and still touch: what sleeves and
// the camera's uncertainty make of an edge.
const reachMM = 3

// touching says whether two copies touch, and which share of the smaller one
// both cover.
func touching(a, b board.Copy) (shared float64, ok bool) {
	qa, qb := outline(a), outline(b)
	if apart(qa, qb) {
		return 0, false
	}
	smaller := math.Min(qa.Area(), qb.Area())
	if smaller <= 0 {
		return 0, false
	}
	shared = board.Polygon(qa[:]).Clip(qb[:]).Area() / smaller
	if shared > 0 {
		return math.Min(shared, 1), true
	}
	grown := grow(qb, reachMM)
	return 0, board.Polygon(qa[:]).Clip(grown[:]).Area() > 0
}

// apart says at little cost that two outlines can't touch: the boxes around them
// lie further apart than they may.
func apart(a, b board.Quad) bool {
	loA, hiA := box(a)
	loB, hiB := box(b)
	return loA.X-hiB.X > reachMM || loB.X-hiA.X > reachMM || loA.Y-hiB.Y > reachMM || loB.Y-hiA.Y > reachMM
}

func box(q board.Quad) (lo, hi board.Point) {
	lo, hi = q[0], q[0]
	for _, p := range q[1:] {
		lo = board.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = board.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	return lo, hi
}

// outline is where a copy lies, whole.
func outline(c board.Copy) board.Quad {
	if c.Pose.Corners.Area() > 1 {
		return c.Pose.Corners
	}
	return board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
}

// grow moves each edge of a card's outline outwards by a distance in millimetres.
func grow(q board.Quad, by float64) board.Quad {
	w, h := q.Edges()
	if w <= 0 || h <= 0 {
		return q
	}
	centre := q.Centre()
	factor := 1 + 2*by/math.Min(w, h)
	return q.Map(func(p board.Point) board.Point { return centre.Add(p.Sub(centre).Scale(factor)) })
}

// cellMM is the side of the grid's cells: at least the distance between the
// centres of two cards that touch, so that nine cells hold all of them.
const cellMM = 128

type cell [2]int

// grid finds copies by place, so that who touches whom is asked of a few.
type grid map[cell]map[board.CopyID]bool

func cellOf(p board.Point) cell {
	return cell{int(math.Floor(p.X / cellMM)), int(math.Floor(p.Y / cellMM))}
}

func newGrid(b board.Board) grid {
	g := grid{}
	for id, c := range b.Copies {
		g.put(id, c.Pose.Centre)
	}
	return g
}

func (g grid) put(id board.CopyID, at board.Point) {
	k := cellOf(at)
	if g[k] == nil {
		g[k] = map[board.CopyID]bool{}
	}
	g[k][id] = true
}

func (g grid) drop(id board.CopyID, at board.Point) {
	k := cellOf(at)
	delete(g[k], id)
	if len(g[k]) == 0 {
		delete(g, k)
	}
}

// around returns the copies whose centre lies in the cell of a place or in one
// next to it, by id.
func (g grid) around(p board.Point) []board.CopyID {
	var ids []board.CopyID
	k := cellOf(p)
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for id := range g[cell{k[0] + dx, k[1] + dy}] {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func compareIDs(a, b board.CopyID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
