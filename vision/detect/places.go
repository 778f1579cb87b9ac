package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tabletop/board"
)

// A card is looked for at the scale at which it is this high, pixels: large
// enough that its edge and its printed frame stay apart, small enough that a
// bent card's edge is straight.
const (
	levelMinHeight = 90
	levelMaxHeight = 240
)

// places returns one supported quad for each place that may hold a card, best
// first. Of a card's nested outlines (outer edge, border, printed frame) any
// may stand for the place; which one is the card is decided later, when the
// plane is known.
func (s *search) places() []candidate {
	found := placeSet{cells: map[[2]int][]int{}}
	for i := len(s.d.levels) - 1; i >= 0; i-- {
		l := s.d.levels[i]
		b := bounds{w: float64(l.bgr.Cols()), h: float64(l.bgr.Rows()), aspect: s.card.Width / s.card.Height,
			minSide: 0.5 * levelMinHeight, maxSide: 1.15 * levelMaxHeight}
		if i == len(s.d.levels)-1 {
			b.maxSide = 2 * max(b.w, b.h)
		}
		if i == 0 {
			b.minSide = 0.5 * max(40, 0.025*s.longest)
		}
		l.segs = l.find.find(&l.edges, minSegment)
		l.segs = append(l.segs, joinCollinear(l.segs)...)
		l.graph = newCornerGraph(l.segs, l.bgr.Cols(), l.bgr.Rows())
		hyps := hypotheses(&l.graph, b)
		s.note("level %d: %d edgels, %d segments, %d hypotheses", i, len(l.edges.list), len(l.segs), len(hyps))
		for _, h := range hyps {
			q := h.quad.Map(s.fromLevel(i))
			at := found.near(q)
			if at >= 0 && found.list[at].quality > 0.8 {
				continue
			}
			if found.within(q) {
				continue
			}
			if f, _ := bestOwnFit(q, s.centre, s.longest, s.card); f.residual > 0.08 {
				continue
			}
			c, ok := s.check(h.quad, i)
			if !ok {
				continue
			}
			if at < 0 {
				at = found.near(c.quad)
			}
			found.put(at, c)
		}
	}
	slices.SortStableFunc(found.list, func(a, b candidate) int { return cmp.Compare(b.quality, a.quality) })
	return found.list
}

// fromLevel and intoLevel change between pixels of a level and of level 0.
func (s *search) fromLevel(i int) func(board.Point) board.Point {
	k := s.d.levels[i].scale / s.d.levels[0].scale
	return func(p board.Point) board.Point {
		return board.Point{X: (p.X+0.5)*k - 0.5, Y: (p.Y+0.5)*k - 0.5}
	}
}

func (s *search) intoLevel(i int) func(board.Point) board.Point {
	k := s.d.levels[0].scale / s.d.levels[i].scale
	return func(p board.Point) board.Point {
		return board.Point{X: (p.X+0.5)*k - 0.5, Y: (p.Y+0.5)*k - 0.5}
	}
}

func (s *search) note(format string, args ...any) {
	if s.d.o.Debug != nil {
		s.d.o.Debug(fmt.Sprintf(format, args...), nil)
	}
}

// minSegment is the shortest piece of a side that counts, pixels.
const minSegment = 9

// check measures a hypothesis, given in pixels of a level, and moves its sides
// onto the edges found.
func (s *search) check(q board.Quad, level int) (candidate, bool) {
	m := &s.d.levels[level].edges
	sup := m.measureSides(q, 3)
	if sup.mean() < 0.5 {
		return candidate{}, false
	}
	q, ok := sup.moved(q)
	if !ok {
		return candidate{}, false
	}
	sup = m.measure(q, 1, s.card)
	c := candidate{quad: q.Map(s.fromLevel(level)), level: level, support: sup, quality: sup.quality()}
	return c, c.quality > minPlace
}

// minPlace is the least quality of a quad that is looked at more closely.
const minPlace = 0.55

// placeSet is a list of quads of which no two are nearly the same.
type placeSet struct {
	list  []candidate
	cells map[[2]int][]int
}

// placeSlack is how far the corners of two quads of one place may differ, share
// of the quad's size.
const placeSlack = 0.07

const placeCell = 16

func placeLimit(q board.Quad) float64 { return placeSlack * math.Sqrt(q.Area()) }

// near returns the place that holds nearly the same quad, or -1.
func (p *placeSet) near(q board.Quad) int {
	c, limit := q.Centre(), placeLimit(q)
	x0, x1 := int((c.X-limit)/placeCell), int((c.X+limit)/placeCell)
	y0, y1 := int((c.Y-limit)/placeCell), int((c.Y+limit)/placeCell)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			for _, i := range p.cells[[2]int{x, y}] {
				if sameQuad(p.list[i].quad, q, limit) {
					return i
				}
			}
		}
	}
	return -1
}

// within says whether a quad is only a part of what a good place already holds:
// the art box of a card whose frame or edge was found.
func (p *placeSet) within(q board.Quad) bool {
	c := q.Centre()
	for i := range p.list {
		o := &p.list[i]
		if o.quality > 0.85 && o.quad.Contains(c) && o.quad.Contains(q[0]) && o.quad.Contains(q[1]) && o.quad.Contains(q[2]) && o.quad.Contains(q[3]) {
			return true
		}
	}
	return false
}

// put adds a candidate, or lets it replace the one at a place if it is better.
func (p *placeSet) put(at int, c candidate) {
	if at >= 0 {
		if c.quality > p.list[at].quality {
			// The cell stays that of the first: the centre moves little.
			p.list[at] = c
		}
		return
	}
	m := c.quad.Centre()
	k := [2]int{int(m.X / placeCell), int(m.Y / placeCell)}
	p.cells[k] = append(p.cells[k], len(p.list))
	p.list = append(p.list, c)
}

// sameQuad says whether the corners of two quads agree within a limit, pixels,
// whichever corner comes first.
func sameQuad(a, b board.Quad, limit float64) bool {
	for turn := range 4 {
		same := true
		for i := range a {
			p, q := a[i], b[(i+turn)%4]
			if math.Abs(p.X-q.X) > limit || math.Abs(p.Y-q.Y) > limit {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}
