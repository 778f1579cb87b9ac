package detect

import (
	"math"
	"slices"
	"sync"

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
	ends [][2][]corner
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

func newCornerGraph(segs []segment, w, h int) cornerGraph {
	g := cornerGraph{segs: segs, ends: make([][2][]corner, len(segs))}
	grid := newEndGrid(segs, w, h)
	half := len(segs) / 2
	var wg sync.WaitGroup
	wg.Go(func() { g.fill(grid, 0, half) })
	g.fill(grid, half, len(segs))
	wg.Wait()
	return g
}

// fill lists the corners of the segments first to last.
func (g *cornerGraph) fill(grid *endGrid, first, last int) {
	for i := first; i < last; i++ {
		s := &g.segs[i]
		for e := range 2 {
			p := s.end(e)
			r := s.reach() + 8
			for y := grid.row(p.Y - r); y <= grid.row(p.Y+r); y++ {
				for x := grid.column(p.X - r); x <= grid.column(p.X+r); x++ {
					for _, code := range grid.ends[y*grid.w+x] {
						j, f := int(code/2), int(code%2)
						if j == i {
							continue
						}
						if c, ok := g.meet(i, e, j, f); ok {
							g.ends[i][e] = append(g.ends[i][e], c)
						}
					}
				}
			}
			list := g.ends[i][e]
			slices.SortFunc(list, func(a, b corner) int {
				switch {
				case a.cost < b.cost:
					return -1
				case a.cost > b.cost:
					return 1
				}
				return 0
			})
			if len(list) > cornersPerEnd {
				g.ends[i][e] = list[:cornersPerEnd]
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
