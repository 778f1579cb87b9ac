package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tabletop/board"
)

// places returns one supported quad for each place that may hold a card, best
// first. Of a card's nested outlines (outer edge, border, printed frame) any
// may stand for the place; which one is the card is decided later, when the
// plane is known.
func (s *search) places() []candidate {
	base := s.d.levels[0]
	found := placeSet{cells: map[[2]int][]int{}}
	minHeight := max(40, 0.025*s.longest)
	for i, l := range s.d.levels {
		b := bounds{minSide: 0.45 * minHeight, maxSide: 2 * float64(max(l.bgr.Cols(), l.bgr.Rows())),
			w: float64(l.bgr.Cols()), h: float64(l.bgr.Rows()), aspect: s.card.Width / s.card.Height}
		l.segs = l.find.find(&l.edges, minSegment)
		l.segs = append(l.segs, joinCollinear(l.segs)...)
		l.graph = newCornerGraph(l.segs, l.bgr.Cols(), l.bgr.Rows())
		hyps := hypotheses(&l.graph, b)
		s.note("level %d: %d edgels, %d segments, %d hypotheses", i, len(l.edges.list), len(l.segs), len(hyps))
		for _, h := range hyps {
			q := h.quad
			if i > 0 {
				k := l.scale / base.scale
				q = q.Map(func(p board.Point) board.Point {
					return board.Point{X: (p.X+0.5)*k - 0.5, Y: (p.Y+0.5)*k - 0.5}
				})
			}
			at := found.near(q)
			if at >= 0 && found.list[at].quality > 0.8 {
				continue
			}
			if f, _ := bestOwnFit(q, s.centre, s.longest, s.card); f.residual > 0.08 {
				continue
			}
			c, ok := s.check(q)
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

func (s *search) note(format string, args ...any) {
	if s.d.o.Debug != nil {
		s.d.o.Debug(fmt.Sprintf(format, args...), nil)
	}
}

// minSegment is the shortest piece of a side that counts, pixels.
const minSegment = 9

// check measures a hypothesis and moves its sides onto the edges found.
func (s *search) check(q board.Quad) (candidate, bool) {
	m := &s.d.levels[0].edges
	sup := m.measure(q, 3)
	if sup.mean() < 0.5 {
		return candidate{}, false
	}
	q, ok := sup.moved(q)
	if !ok {
		return candidate{}, false
	}
	sup = m.measure(q, 1)
	c := candidate{quad: q, support: sup, quality: sup.quality()}
	return c, c.quality > 0.55
}

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
