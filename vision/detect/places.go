package detect

import (
	"fmt"
	"math"

	"tabletop/board"
)

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

// check measures a hypothesis, given in pixels of a level, and moves its sides
// onto the edges found.
func (s *search) check(q board.Quad, level int) (candidate, bool) {
	m := &s.d.levels[level].edges
	if m.glance(q) < 0.5 {
		return candidate{}, false
	}
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
	return c, c.quality > minPlace && !s.d.levels[level].look.hollow(q)
}

// minPlace is the least quality of a quad that is looked at more closely.
const minPlace = 0.55

// placeSet is a list of quads of which no two are nearly the same.
type placeSet struct {
	list  []candidate
	cells map[[2]int][]int
}

// How far the corners of two quads may differ, share of the quad's size, to be
// nested outlines of one card; one place; the same hypothesis.
const (
	nestedSlack = 0.12
	placeSlack  = 0.07
	triedSlack  = 0.02
	// goodPlace is the quality of an outline from which the others around it
	// will be found.
	goodPlace = 0.85
)

const placeCell = 16

// near returns a place of at least the given quality that holds nearly the same
// quad, or -1.
func (p *placeSet) near(q board.Quad, slack, quality float64) int {
	c, limit := q.Centre(), slack*math.Sqrt(q.Area())
	x0, x1 := int((c.X-limit)/placeCell), int((c.X+limit)/placeCell)
	y0, y1 := int((c.Y-limit)/placeCell), int((c.Y+limit)/placeCell)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			for _, i := range p.cells[[2]int{x, y}] {
				if p.list[i].quality >= quality && sameQuad(p.list[i].quad, q, limit) {
					return i
				}
			}
		}
	}
	return -1
}

func newPlaceSet() *placeSet { return &placeSet{cells: map[[2]int][]int{}} }

// put adds a candidate, or lets it replace the one at a place if it is better.
func (p *placeSet) put(at int, c candidate) {
	if at >= 0 {
		if c.quality > p.list[at].quality {
			// The cell stays that of the first: the centre moves little.
			if c.outlines == nil {
				c.outlines = p.list[at].outlines
			}
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
