package detect

import (
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
	growTurn  = 16  // 256ths of a turn
	growAside = 1.1 // pixels
	growGap   = 2   // pixels
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

func (s *lineSums) add(x, y, mag float64) {
	s.n++
	s.x += x
	s.y += y
	s.xx += x * x
	s.xy += x * y
	s.yy += y * y
	s.mag += mag
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
	m *edgeMap
	// free is m.dir without the edgels that belong to a segment.
	free  []uint8
	parts [2]grower
}

// grower works on the rows top to bottom of the picture.
type grower struct {
	*segmentFinder
	top, bottom int
	order       []int32 // pixels of the edgels at which a segment may begin, by falling step
	trail       []int32 // pixels of the segment being grown
	sums        lineSums
	course
	out []segment
}

// course is the line that a segment follows, as far as it is known.
type course struct {
	centre, dir, normal board.Point
	flat                bool    // nearer to a row than to a column
	slope               float64 // rows per column of a flat course, else columns per row
	towards             uint8   // direction of the normal
}

func (c *course) set(centre, dir board.Point) {
	c.centre, c.dir = centre, dir
	c.normal = board.Point{X: dir.Y, Y: -dir.X}
	c.towards = directionOf(c.normal)
	if c.flat = math.Abs(dir.X) >= math.Abs(dir.Y); c.flat {
		c.slope = dir.Y / dir.X
	} else {
		c.slope = dir.X / dir.Y
	}
}

// courses are the ways that an edge runs whose gradient has a direction.
var courses = func() (table [256]board.Point) {
	for i := range table {
		sin, cos := math.Sincos(float64(i) * (2 * math.Pi / 256))
		table[i] = board.Point{X: -sin, Y: cos}
	}
	return table
}()

// find appends the segments at least minLength pixels long to a list.
func (f *segmentFinder) find(m *edgeMap, minLength float64, list []segment) []segment {
	f.m = m
	f.free = append(f.free[:0], m.dir...)
	cut := [3]int{0, m.h / 2, m.h}
	var wg sync.WaitGroup
	for i := range f.parts {
		g := &f.parts[i]
		g.segmentFinder, g.top, g.bottom = f, cut[i], cut[i+1]
		wg.Go(func() { g.find(minLength) })
	}
	wg.Wait()
	return append(append(list, f.parts[0].out...), f.parts[1].out...)
}

func (f *grower) find(minLength float64) {
	f.out = f.out[:0]
	f.sortSeeds(max(seedStep, seedFactor*float64(f.m.floor)))
	for _, i := range f.order {
		if f.free[i] == 0 {
			continue
		}
		s, ok := f.grow(int(i)%f.m.w, int(i)/f.m.w, minLength)
		f.free[i] = 0
		if ok {
			f.out = append(f.out, s)
		}
		if ok || len(f.trail) <= strayEdgels {
			for _, j := range f.trail {
				f.free[j] = 0
			}
		}
	}
}

// sortSeeds orders the edgels of at least a step by falling step, with a
// counting sort.
func (f *grower) sortSeeds(least float64) {
	var start [257]int32
	first, last := f.top*f.m.w, f.bottom*f.m.w
	mag, dir := f.m.mag[first:last], f.m.dir[first:last]
	from := uint8(1)
	for magnitudes[from] < least {
		from++
	}
	n := 0
	for i, d := range dir {
		if d != 0 && mag[i] >= from {
			start[256-int(mag[i])]++
			n++
		}
	}
	for b := range 256 {
		start[b+1] += start[b]
	}
	f.order = slices.Grow(f.order[:0], n)[:n]
	for i, d := range dir {
		if d != 0 && mag[i] >= from {
			b := 255 - int(mag[i])
			f.order[start[b]] = int32(first + i)
			start[b]++
		}
	}
}

// grow follows the edge through a pixel both ways.
func (f *grower) grow(x, y int, minLength float64) (segment, bool) {
	seed := y*f.m.w + x
	f.trail = append(f.trail[:0], int32(seed))
	f.sums = lineSums{}
	px, py := f.m.place(x, y)
	f.sums.add(px, py, magnitudes[f.m.mag[seed]])
	at := board.Point{X: px, Y: py}
	f.set(at, courses[f.m.dir[seed]])
	ends := [2]board.Point{at, at}
	for k, sign := range [2]int{1, -1} {
		ends[k] = f.follow(at, sign)
	}
	if float64(len(f.trail)) < 0.6*minLength {
		return segment{}, false
	}
	f.refit()
	lo, hi := ends[1].Sub(f.centre).Dot(f.dir), ends[0].Sub(f.centre).Dot(f.dir)
	if hi-lo < minLength {
		return segment{}, false
	}
	return newSegment(f.centre.Add(f.dir.Scale(lo)), f.centre.Add(f.dir.Scale(hi)), f.sums.mag/f.sums.n), true
}

// refit lays the course through the edgels found so far.
func (f *grower) refit() {
	c, d := f.sums.line()
	if d.Dot(f.dir) < 0 {
		d = d.Scale(-1)
	}
	f.set(c, d)
}

// follow adds the edgels that lie along the course from a place on, forwards or
// back, and returns the last.
func (f *grower) follow(at board.Point, sign int) board.Point {
	last := at
	for gap := 0; gap == 0 || gap <= growGap && len(f.trail) >= youngTrail; {
		var x, y, across int
		if f.flat {
			x = nearest(at.X) + toward(f.dir.X, sign)
			at = board.Point{X: float64(x), Y: f.centre.Y + (float64(x)-f.centre.X)*f.slope}
			y, across = nearest(at.Y), f.m.w
		} else {
			y = nearest(at.Y) + toward(f.dir.Y, sign)
			at = board.Point{X: f.centre.X + (float64(y)-f.centre.Y)*f.slope, Y: float64(y)}
			x, across = nearest(at.X), 1
		}
		// The border of the picture has no edgels.
		if x < 1 || x >= f.m.w-1 || y < max(1, f.top) || y >= min(f.m.h-1, f.bottom) {
			gap++
			continue
		}
		i := y*f.m.w + x
		best, bestAside := -1, growAside
		var bestAt board.Point
		for k := -1; k <= 1; k++ {
			if f.flat && (y+k < f.top || y+k >= f.bottom) {
				continue // another grower's
			}
			j := i + k*across
			d := f.free[j]
			if d == 0 || d-f.towards+growTurn > 2*growTurn {
				continue
			}
			var p board.Point
			if f.flat {
				p.X, p.Y = f.m.place(x, y+k)
			} else {
				p.X, p.Y = f.m.place(x+k, y)
			}
			if aside := math.Abs(p.Sub(f.centre).Dot(f.normal)); aside < bestAside {
				best, bestAside, bestAt = j, aside, p
			}
		}
		if best < 0 {
			gap++
			continue
		}
		gap, last = 0, bestAt
		f.sums.add(bestAt.X, bestAt.Y, magnitudes[f.m.mag[best]])
		f.trail = append(f.trail, int32(best))
		if n := len(f.trail); n == 6 || n == 9 || n%8 == 0 {
			f.refit()
		}
	}
	return last
}

// toward is a step of one pixel the way of a component of a direction.
func toward(d float64, sign int) int {
	if d < 0 {
		return -sign
	}
	return sign
}

// joinCollinear returns the segments that arise by joining pieces of one line
// across a gap no longer than the longer piece: a die, a finger or a stretch of
// ground with the card's own brightness breaks an edge. The pieces are kept by
// the caller; a joined one is only a further suggestion.
func joinCollinear(grid *endGrid, segs []segment, w, h int) []segment {
	grid.fill(segs, w, h)
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
					for _, code := range grid.at(c) {
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
	w, h  int     // cells
	ends  []int32 // 2*segment + end, cell by cell
	first []int32 // where a cell begins in ends
}

// gridCell is the side of a cell, pixels.
const gridCell = 24

// fill sorts in the ends of segments anew.
func (g *endGrid) fill(segs []segment, w, h int) {
	g.w, g.h = w/gridCell+1, h/gridCell+1
	cells := g.w * g.h
	g.first = slices.Grow(g.first[:0], cells+1)[:cells+1]
	clear(g.first)
	g.ends = slices.Grow(g.ends[:0], 2*len(segs))[:2*len(segs)]
	for i := range segs {
		for e := range 2 {
			g.first[g.cell(segs[i].end(e))+1]++
		}
	}
	for c := range cells {
		g.first[c+1] += g.first[c]
	}
	// Each cell's start moves to its end while it is filled, from behind.
	for i := len(segs) - 1; i >= 0; i-- {
		for e := 1; e >= 0; e-- {
			c := g.cell(segs[i].end(e)) + 1
			g.first[c]--
			g.ends[g.first[c]] = int32(2*i + e)
		}
	}
	copy(g.first, g.first[1:])
	g.first[cells] = int32(len(g.ends))
}

// at lists the ends in a cell.
func (g *endGrid) at(cell int) []int32 { return g.ends[g.first[cell]:g.first[cell+1]] }

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
