package detect

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"tabletop/board"
)

// segment is a straight piece of an edge.
type segment struct {
	a, b   board.Point // ends, pixels
	dir    board.Point // unit vector from a to b
	length float64     // pixels
	mag    float64     // mean step, grey levels per pixel
}

func newSegment(a, b board.Point, mag float64) segment {
	d := b.Sub(a)
	l := norm(d)
	return segment{a: a, b: b, dir: d.Scale(1 / l), length: l, mag: mag}
}

// Growing a segment: how far an edgel may turn from the line and lie beside
// it, and how many pixels in a row may hold none.
const (
	growCos   = 0.92 // 23°
	growAside = 1.1  // pixels
	growGap   = 2    // pixels
	// youngTrail is how many edgels must be together before a gap is allowed.
	youngTrail = 4
	// seedStep is the least step at which a segment may begin, grey levels per
	// pixel; it goes on over fainter ones.
	seedStep = 2
	// seedFactor is the same, in units of the least step of the edge map.
	seedFactor = 1.25
	// A few edgels that lead nowhere are not tried again from another of them.
	strayEdgels = 4
)

// lineSums accumulates points for a total-least-squares line.
type lineSums struct{ n, x, y, xx, xy, yy, mag float64 }

func (s *lineSums) add(e *edgel) {
	x, y := float64(e.x), float64(e.y)
	s.n++
	s.x += x
	s.y += y
	s.xx += x * x
	s.xy += x * y
	s.yy += y * y
	s.mag += float64(e.mag)
}

// line returns the centroid and the direction of the largest spread.
func (s *lineSums) line() (centre, dir board.Point) {
	cx, cy := s.x/s.n, s.y/s.n
	xx, xy, yy := s.xx/s.n-cx*cx, s.xy/s.n-cx*cy, s.yy/s.n-cy*cy
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2)
	return board.Point{X: cx, Y: cy}, board.Point{X: cos, Y: sin}
}

// segmentFinder grows segments over an edge map, strongest edgels first, in
// the manner of LSD (von Gioi et al., IPOL 2012) but over thinned edges. The
// picture is cut into two halves that are grown at the same time; pieces of a
// line that crosses the cut are joined later like any others.
type segmentFinder struct {
	m     *edgeMap
	used  []bool
	parts [2]grower
}

// grower works on the edgels first to last of the list, which are those of some
// rows of the picture.
type grower struct {
	*segmentFinder
	first, last int32
	order       []int32
	trail       []int32
	out         []segment
}

// find returns the segments at least minLength pixels long.
func (f *segmentFinder) find(m *edgeMap, minLength float64) []segment {
	f.m = m
	f.used = slices.Grow(f.used[:0], len(m.list))[:len(m.list)]
	clear(f.used)
	middle, _ := slices.BinarySearchFunc(m.list, int32(m.h/2*m.w), func(e edgel, pix int32) int { return cmp.Compare(e.pix, pix) })
	cut := [3]int32{0, int32(middle), int32(len(m.list))}
	var wg sync.WaitGroup
	for i := range f.parts {
		g := &f.parts[i]
		g.segmentFinder, g.first, g.last = f, cut[i], cut[i+1]
		wg.Go(func() { g.find(minLength) })
	}
	wg.Wait()
	return append(slices.Clone(f.parts[0].out), f.parts[1].out...)
}

func (f *grower) find(minLength float64) {
	f.out = f.out[:0]
	f.sortByStrength()
	seed := max(seedStep, seedFactor*f.m.floor)
	for _, i := range f.order {
		if f.m.list[i].mag < seed {
			break
		}
		if f.used[i] {
			continue
		}
		f.used[i] = true
		s, ok := f.grow(i, minLength)
		if ok {
			f.out = append(f.out, s)
		}
		if ok || len(f.trail) <= strayEdgels {
			for _, j := range f.trail {
				f.used[j] = true
			}
		}
	}
}

// sortByStrength orders the edgels by falling step with a counting sort; the
// order within half a grey level does not matter.
func (f *grower) sortByStrength() {
	const buckets = 96
	var start [buckets + 1]int32
	bucket := func(e *edgel) int { return buckets - 1 - min(buckets-1, int(2*e.mag)) }
	for i := f.first; i < f.last; i++ {
		start[bucket(&f.m.list[i])+1]++
	}
	for b := range buckets {
		start[b+1] += start[b]
	}
	n := int(f.last - f.first)
	f.order = slices.Grow(f.order[:0], n)[:n]
	for i := f.first; i < f.last; i++ {
		b := bucket(&f.m.list[i])
		f.order[start[b]] = i
		start[b]++
	}
}

func (f *grower) grow(seed int32, minLength float64) (segment, bool) {
	e := &f.m.list[seed]
	f.trail = append(f.trail[:0], seed)
	var sums lineSums
	sums.add(e)
	centre := board.Point{X: float64(e.x), Y: float64(e.y)}
	dir := board.Point{X: -float64(e.ny), Y: float64(e.nx)}
	normal := board.Point{X: float64(e.nx), Y: float64(e.ny)}
	refit := func() {
		c, d := sums.line()
		if d.Dot(dir) < 0 {
			d = d.Scale(-1)
		}
		centre, dir, normal = c, d, board.Point{X: d.Y, Y: -d.X}
	}
	for _, sign := range [2]float64{1, -1} {
		at := board.Point{X: float64(e.x), Y: float64(e.y)}
		for gap := 0; gap == 0 || gap <= growGap && len(f.trail) >= youngTrail; {
			at = step(at, centre, dir, sign)
			j := f.pick(at, centre, normal)
			if j < 0 {
				gap++
				continue
			}
			gap = 0
			sums.add(&f.m.list[j])
			f.trail = append(f.trail, j)
			if n := len(f.trail); n == 6 || n == 9 || n%8 == 0 {
				refit()
			}
		}
	}
	if float64(len(f.trail)) < 0.6*minLength {
		return segment{}, false
	}
	refit()
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, j := range f.trail {
		t := board.Point{X: float64(f.m.list[j].x), Y: float64(f.m.list[j].y)}.Sub(centre).Dot(dir)
		lo, hi = min(lo, t), max(hi, t)
	}
	if hi-lo < minLength {
		return segment{}, false
	}
	return newSegment(centre.Add(dir.Scale(lo)), centre.Add(dir.Scale(hi)), sums.mag/sums.n), true
}

// step moves one pixel along the line on the axis nearest to it.
func step(at, centre, dir board.Point, sign float64) board.Point {
	if math.Abs(dir.X) >= math.Abs(dir.Y) {
		x := float64(nearest(at.X)) + math.Copysign(1, dir.X*sign)
		return board.Point{X: x, Y: centre.Y + (x-centre.X)*dir.Y/dir.X}
	}
	y := float64(nearest(at.Y)) + math.Copysign(1, dir.Y*sign)
	return board.Point{X: centre.X + (y-centre.Y)*dir.X/dir.Y, Y: y}
}

// pick returns the free edgel nearest the line at a place on it, or -1.
func (f *grower) pick(at, centre, normal board.Point) int32 {
	x, y := nearest(at.X), nearest(at.Y)
	ox, oy := 1, 0
	if math.Abs(normal.Y) > math.Abs(normal.X) {
		ox, oy = 0, 1
	}
	best, bestAside := int32(-1), growAside
	for k := -1; k <= 1; k++ {
		px, py := x+k*ox, y+k*oy
		if px < 0 || py < 0 || px >= f.m.w || py >= f.m.h {
			continue
		}
		j := f.m.at[py*f.m.w+px] - 1
		if j < f.first || j >= f.last || f.used[j] {
			continue
		}
		e := &f.m.list[j]
		if float64(e.nx)*normal.X+float64(e.ny)*normal.Y < growCos {
			continue
		}
		aside := math.Abs((float64(e.x)-centre.X)*normal.X + (float64(e.y)-centre.Y)*normal.Y)
		if aside < bestAside {
			best, bestAside = j, aside
		}
	}
	return best
}

// joinCollinear returns the segments that arise by joining pieces of one line
// across a gap no longer than the longer piece: a die, a finger or a stretch of
// ground with the card's own brightness breaks an edge. The pieces are kept by
// the caller; a joined one is only a further suggestion.
func joinCollinear(segs []segment, w, h int) []segment {
	grid := newEndGrid(segs, w, h)
	var out []segment
	var seen []int32
	for i := range segs {
		s := &segs[i]
		seen = seen[:0]
		for e := range 2 {
			// Walk on from the end and look at what begins near the way.
			from, dir := s.end(e), s.outward(e)
			aside := board.Point{X: -dir.Y, Y: dir.X}.Scale(maxJoinAside)
			last := [2]int{-1, -1}
			for t := 0.0; t <= min(s.length, maxJoinGap); t += gridCell / 2 {
				p := from.Add(dir.Scale(t))
				for k, at := range [2]board.Point{p.Add(aside), p.Sub(aside)} {
					c := grid.cell(at)
					if c == last[k] || k == 1 && c == last[0] {
						continue
					}
					last[k] = c
					for _, code := range grid.ends[c] {
						j := code / 2
						t := &segs[j]
						if int(j) == i || t.length > s.length || t.length == s.length && int(j) < i || slices.Contains(seen, j) {
							continue
						}
						seen = append(seen, j)
						if joined, ok := join(s, t); ok {
							out = append(out, joined)
						}
					}
				}
			}
		}
	}
	return out
}

// maxJoinGap is the longest gap that is bridged, pixels.
const maxJoinGap = 160

// endGrid finds the ends of segments near a place.
type endGrid struct {
	w, h int       // cells
	ends [][]int32 // 2*segment + end, by cell
}

// gridCell is the side of a cell, pixels.
const gridCell = 24

func newEndGrid(segs []segment, w, h int) *endGrid {
	g := &endGrid{w: w/gridCell + 1, h: h/gridCell + 1}
	g.ends = make([][]int32, g.w*g.h)
	for i := range segs {
		for e := range 2 {
			c := g.cell(segs[i].end(e))
			g.ends[c] = append(g.ends[c], int32(2*i+e))
		}
	}
	return g
}

func (g *endGrid) column(x float64) int { return min(g.w-1, max(0, int(x)/gridCell)) }
func (g *endGrid) row(y float64) int    { return min(g.h-1, max(0, int(y)/gridCell)) }

// cell is the cell of a place, or the nearest one.
func (g *endGrid) cell(p board.Point) int { return g.row(p.Y)*g.w + g.column(p.X) }

// maxJoinAside is the most a piece may lie beside the line it is joined to, pixels.
const maxJoinAside = 4

func join(s, t *segment) (segment, bool) {
	// Along s, measured from its start.
	ta, tb := t.a.Sub(s.a), t.b.Sub(s.a)
	if math.Abs(s.dir.Cross(ta)) > maxJoinAside {
		return segment{}, false
	}
	u, v := ta.Dot(s.dir), tb.Dot(s.dir)
	lo, hi := min(u, v), max(u, v)
	gap := max(lo-s.length, -hi)
	if gap < -2 || gap > s.length {
		return segment{}, false
	}
	if t.length < 0.25*gap {
		return segment{}, false
	}
	// The shorter piece must lie on the longer one's line, whose direction is
	// uncertain by about half a pixel over its length.
	slack := 1.2 + 0.6*(gap+t.length)/s.length
	if math.Abs(s.dir.Cross(ta)) > slack || math.Abs(s.dir.Cross(tb)) > slack {
		return segment{}, false
	}
	p, q := t.a, t.b
	if u > v {
		p, q = q, p
	}
	a, b := s.a, q
	if lo < 0 {
		a, b = p, s.b
	}
	return newSegment(a, b, (s.mag*s.length+t.mag*t.length)/(s.length+t.length)), true
}

// nearest rounds a pixel coordinate, which must not be far below 0. It is a good
// deal faster than math.Round, whose care for large numbers pixels don't need.
func nearest(v float64) int { return int(v+(1<<20)+0.5) - 1<<20 }

// norm is the length of a vector. It is a good deal faster than math.Hypot,
// whose care for overflow pixels don't need.
func norm(p board.Point) float64 { return math.Sqrt(p.X*p.X + p.Y*p.Y) }

func unit(p board.Point) board.Point { return p.Scale(1 / norm(p)) }
