package detect

import (
	"math"
	"slices"

	"tabletop/board"
)

// corner says that two segments may be two sides of one card: their lines
// cross, at a steep angle, near an end of both.
type corner struct {
	at    board.Point // where the lines cross
	other int         // the other segment
	end   int         // which end of the other segment is at the corner: 0 = a, 1 = b
	away  board.Point // unit vector along the other segment, away from the corner
	cost  float64     // how far the segments are from meeting, relative to their length
}

// cornerGraph lists, for either end of every segment, the corners it may make.
type cornerGraph struct {
	segs []segment
	ends [][2]cornerList
	grid endGrid
}

// cornerList holds the corners of one end, the nearest first.
type cornerList struct {
	n    int
	list [cornersPerEnd]corner
}

func (l *cornerList) all() []corner { return l.list[:l.n] }

// add keeps a corner if it is among the nearest.
func (l *cornerList) add(c corner) {
	if l.n == len(l.list) {
		if c.cost >= l.list[l.n-1].cost {
			return
		}
		l.n--
	}
	at := l.n
	for at > 0 && l.list[at-1].cost > c.cost {
		l.list[at] = l.list[at-1]
		at--
	}
	l.list[at] = c
	l.n++
}

const (
	// cornersPerEnd bounds the work in busy pictures; the nearest stay.
	cornersPerEnd = 4
	// A corner of a card in view of a tilted camera is seen under 45° to 135°.
	cornerMinSin = 0.6
	// cornerMaxCost is the most a corner may cost.
	cornerMaxCost = 0.4
	// maxReach bounds how far from its end a segment looks for another, pixels.
	maxReach = 48
)

// reach is how far beyond the end of a segment its side may go on: a rounded
// corner takes some 4 % of a card's height, and something on the card may cover
// a part of the side.
func (s *segment) reach() float64 { return min(maxReach, 4+0.22*s.length) }

// overshoot is how far before the end of a segment a corner may lie, as where
// two cards' edges are in one line.
func (s *segment) overshoot() float64 { return 2.5 + 0.06*s.length }

func (s *segment) end(e int) board.Point {
	if e == 0 {
		return s.a
	}
	return s.b
}

// outward is the unit vector along the segment that leaves it at end e.
func (s *segment) outward(e int) board.Point {
	if e == 0 {
		return s.dir.Scale(-1)
	}
	return s.dir
}

// connect lists the corners of segments anew.
func (g *cornerGraph) connect(segs []segment, w, h int) {
	g.segs = segs
	g.ends = slices.Grow(g.ends[:0], len(segs))[:len(segs)]
	g.grid.fill(segs, w, h)
	onBothCores((len(segs)+cornerBatch-1)/cornerBatch, func(k int) {
		for i := k * cornerBatch; i < min(len(segs), (k+1)*cornerBatch); i++ {
			g.look(i)
		}
	})
}

// cornerBatch is how many segments one goroutine takes at a time.
const cornerBatch = 128

// look lists the corners at the ends of a segment.
func (g *cornerGraph) look(i int) {
	s := &g.segs[i]
	for e := range 2 {
		list := &g.ends[i][e]
		list.n = 0
		p := s.end(e)
		r := s.reach() + 8
		for y := g.grid.row(p.Y - r); y <= g.grid.row(p.Y+r); y++ {
			for x := g.grid.column(p.X - r); x <= g.grid.column(p.X+r); x++ {
				for _, code := range g.grid.at(y*g.grid.w + x) {
					j, f := int(code/2), int(code%2)
					if j == i {
						continue
					}
					if c, ok := g.meet(i, e, j, f); ok {
						list.add(c)
					}
				}
			}
		}
	}
}

// meet checks whether end e of segment i and end f of segment j make a corner.
func (g *cornerGraph) meet(i, e, j, f int) (corner, bool) {
	s, t := &g.segs[i], &g.segs[j]
	sin := s.dir.Cross(t.dir)
	if math.Abs(sin) < cornerMinSin {
		return corner{}, false
	}
	at := s.a.Add(s.dir.Scale(t.a.Sub(s.a).Cross(t.dir) / sin))
	gapS := at.Sub(s.end(e)).Dot(s.outward(e))
	gapT := at.Sub(t.end(f)).Dot(t.outward(f))
	if gapS > s.reach() || gapT > t.reach() || gapS < -s.overshoot() || gapT < -t.overshoot() {
		return corner{}, false
	}
	cost := math.Abs(gapS)/(s.length+8) + math.Abs(gapT)/(t.length+8)
	return corner{at: at, other: j, end: f, away: t.outward(f).Scale(-1), cost: cost}, cost < cornerMaxCost
}
