package detect

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

// bounds is what a quad must satisfy to be looked at at all.
type bounds struct {
	minSide, maxSide float64 // pixels
	w, h             float64 // of the level
	aspect           float64 // card width over height
}

// Loose limits of what perspective does to a card seen from a camera tilted by
// at most some 55°: sides across from each other keep within this ratio, and
// the mean width over mean height within this factor of the card's own.
const (
	maxSideRatio   = 1.7
	maxAspectShift = 1.75
	// minLongSide is the least mean of the longer sides, in units of the least
	// side: a card of the least height that is seen at a slant.
	minLongSide = 1.5
	// minCoverage is the least share of a side that its segment must cover.
	minCoverage = 0.3
)

// plausible says whether a clockwise quad could be a card.
func (b bounds) plausible(q board.Quad) bool {
	margin := 0.01*max(b.w, b.h) + 1
	var side [4]float64
	for i := range q {
		p := q[i]
		if p.X < -margin || p.Y < -margin || p.X > b.w+margin || p.Y > b.h+margin {
			return false
		}
		side[i] = p.Distance(q[(i+1)%4])
		if side[i] < b.minSide || side[i] > b.maxSide {
			return false
		}
	}
	if ratio(side[0], side[2]) > maxSideRatio || ratio(side[1], side[3]) > maxSideRatio {
		return false
	}
	if max(side[0]+side[2], side[1]+side[3])/2 < minLongSide*b.minSide {
		return false
	}
	a := (side[0] + side[2]) / (side[1] + side[3])
	return (ratio(a, b.aspect) < maxAspectShift || ratio(1/a, b.aspect) < maxAspectShift) && q.IsConvex()
}

func ratio(a, b float64) float64 { return max(a, b) / min(a, b) }

// hypothesis is a quad that the corners suggest. The less its sides leave open
// at the corners, the lower its cost.
type hypothesis struct {
	quad board.Quad
	cost float64
}

// openCost is the cost of a quad of which one side was not seen.
const openCost = 0.3

// maxCost is the most a hypothesis may cost. A card's rounded corners cost some
// 0.3 together.
const maxCost = 0.85

// hypotheses walks the corner graph and returns the quads that three corners
// fix: a base segment, a segment at either end of it on the same side, and one
// across. Where nothing closes the shape, the card's proportions close it: the
// side that shows no edge (a black border on a black cloth) is looked for later
// where it should be.
//
// The quads are good until the next call, those with the least cost first.
func (d *Detector) hypotheses(b bounds) []*hypothesis {
	// Two halves at the same time; what both suggest is sorted out when tried.
	half := len(d.graph.segs) / 2
	parts := [2][2]int{{0, half}, {half, len(d.graph.segs)}}
	onBothCores(2, func(k int) { d.walks[k].from(&d.graph, b, parts[k][0], parts[k][1]) })
	one, two := d.walks[0].order, d.walks[1].order
	d.hyps = d.hyps[:0]
	for len(one) > 0 && len(two) > 0 {
		if one[0].compare(two[0]) <= 0 {
			d.hyps, one = append(d.hyps, one[0]), one[1:]
		} else {
			d.hyps, two = append(d.hyps, two[0]), two[1:]
		}
	}
	d.hyps = append(append(d.hyps, one...), two...)
	return d.hyps
}

func (h *hypothesis) compare(o *hypothesis) int {
	switch {
	case h.cost != o.cost:
		return cmp.Compare(h.cost, o.cost)
	default:
		return cmp.Compare(h.quad[0].X, o.quad[0].X)
	}
}

// walk is a walk over a part of the corner graph, with its memory.
type walk struct {
	out   []hypothesis
	seen  quadSet
	order []*hypothesis // by cost
}

// from finds the quads with a base among the segments first to last.
func (w *walk) from(g *cornerGraph, b bounds, first, last int) {
	w.out = w.out[:0]
	w.seen.clear()
	add := func(cost float64, x0, x1, x2, x3 board.Point) {
		q := board.Quad{x0, x1, x2, x3}
		if q.Area() < 0 {
			q = board.Quad{x1, x0, x3, x2}
		}
		if !b.plausible(q) {
			return
		}
		if i, dup := w.seen.find(quadKey(q), len(w.out)); dup {
			w.out[i].cost = min(w.out[i].cost, cost)
			return
		}
		w.out = append(w.out, hypothesis{q, cost})
	}
	for i := first; i < last; i++ {
		s := &g.segs[i]
		begin, end := g.ends[i][0].all(), g.ends[i][1].all()
		for ai := range begin {
			ca := &begin[ai]
			for bi := range end {
				cb := &end[bi]
				side := s.dir.Cross(ca.away)
				if ca.cost+cb.cost > maxCost || side*s.dir.Cross(cb.away) <= 0 || ca.other == cb.other {
					continue
				}
				base := ca.at.Distance(cb.at)
				if base < b.minSide || base > b.maxSide || s.length < minCoverage*base || ca.away.Dot(cb.away) < 0.8 {
					continue
				}
				g.close(i, ca, cb, b, base, add)
			}
		}
	}
	w.order = w.order[:0]
	for i := range w.out {
		w.order = append(w.order, &w.out[i])
	}
	slices.SortFunc(w.order, (*hypothesis).compare)
}

// close finds the fourth side of a base and the two sides at its ends.
func (g *cornerGraph) close(i int, ca, cb *corner, b bounds, base float64, add func(cost float64, x0, x1, x2, x3 board.Point)) {
	sa, sb := &g.segs[ca.other], &g.segs[cb.other]
	far := func(c *corner) []corner { return g.ends[c.other][1-c.end].all() }
	// A chain of four segments has two in the middle; it is followed from the
	// first of them.
	for _, c := range far(ca) {
		if i > ca.other || ca.cost+cb.cost+c.cost > maxCost || c.other == i || c.other == cb.other || c.away.Dot(cb.at.Sub(ca.at)) <= 0 {
			continue
		}
		if x, ok := cross(c.at, c.away, cb.at, cb.away); ok && sa.length > minCoverage*ca.at.Distance(c.at) && sb.length > minCoverage*cb.at.Distance(x) {
			add(ca.cost+cb.cost+c.cost, ca.at, cb.at, x, c.at)
		}
	}
	for _, c := range far(cb) {
		if i > cb.other || ca.cost+cb.cost+c.cost > maxCost || c.other == i || c.other == ca.other || c.away.Dot(ca.at.Sub(cb.at)) <= 0 {
			continue
		}
		if x, ok := cross(c.at, c.away, ca.at, ca.away); ok && sb.length > minCoverage*cb.at.Distance(c.at) && sa.length > minCoverage*ca.at.Distance(x) {
			add(ca.cost+cb.cost+c.cost, ca.at, cb.at, c.at, x)
		}
	}
	if ca.cost+cb.cost+openCost > maxCost {
		return
	}
	for _, l := range [2]float64{base * b.aspect, base / b.aspect} {
		if sa.length > 0.5*l && sb.length > minCoverage*l || sb.length > 0.5*l && sa.length > minCoverage*l {
			if sa.length < 1.15*l && sb.length < 1.15*l {
				add(ca.cost+cb.cost+openCost, ca.at, cb.at, cb.at.Add(cb.away.Scale(l)), ca.at.Add(ca.away.Scale(l)))
			}
		}
	}
}

// cross returns where two lines, each a point and a direction, cross.
func cross(p, u, q, v board.Point) (board.Point, bool) {
	d := u.Cross(v)
	if math.Abs(d) < 0.3*u.Norm()*v.Norm() {
		return board.Point{}, false
	}
	return p.Add(u.Scale(q.Sub(p).Cross(v) / d)), true
}

// quadKey is the same for quads whose corners agree within about three pixels,
// whichever corner comes first.
func quadKey(q board.Quad) [8]int16 {
	first := 0
	for i := range q {
		if q[i].X+1.3*q[i].Y < q[first].X+1.3*q[first].Y {
			first = i
		}
	}
	var k [8]int16
	for i := range q {
		p := q[(first+i)%4]
		k[2*i], k[2*i+1] = int16(math.Round(p.X/2.5)), int16(math.Round(p.Y/2.5))
	}
	return k
}

// quadSet numbers the keys of quads: a hash table with linear probing.
type quadSet struct {
	keys  [][8]int16
	at    []int32 // number plus one
	count int
}

func (s *quadSet) clear() {
	clear(s.at)
	s.count = 0
}

// find returns the number of a key that was given before, or gives it one.
func (s *quadSet) find(k [8]int16, number int) (int, bool) {
	if 2*s.count >= len(s.at) {
		s.grow()
	}
	for i := s.slot(k); ; i = (i + 1) & (len(s.at) - 1) {
		switch {
		case s.at[i] == 0:
			s.keys[i], s.at[i] = k, int32(number+1)
			s.count++
			return number, false
		case s.keys[i] == k:
			return int(s.at[i] - 1), true
		}
	}
}

func (s *quadSet) slot(k [8]int16) int {
	h := uint64(0)
	for _, v := range k {
		h = (h ^ uint64(uint16(v))) * 0x9e3779b97f4a7c15 // of Fibonacci hashing
	}
	return int(h>>32) & (len(s.at) - 1)
}

func (s *quadSet) grow() {
	keys, at := s.keys, s.at
	n := max(1<<12, 2*len(at))
	s.keys, s.at = make([][8]int16, n), make([]int32, n)
	for i, number := range at {
		if number == 0 {
			continue
		}
		j := s.slot(keys[i])
		for s.at[j] != 0 {
			j = (j + 1) & (n - 1)
		}
		s.keys[j], s.at[j] = keys[i], number
	}
}
