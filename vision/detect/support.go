package detect

import (
	"math"

	"tabletop/board"
)

// sideSupport is what the edge map says of one side of a quad.
type sideSupport struct {
	hit     float64 // share of the side along which an edge runs its way, [0,1]
	run     float64 // longest stretch without such an edge, share of the side
	mag     float64 // mean step along it, grey levels per pixel
	polar   float64 // -1 … 1: the same sign of step along all of it has magnitude 1; > 0 when the inside is brighter
	line    lineFit // through the edges found
	samples int
}

// lineFit is a least-squares line given by a point and a unit direction.
type lineFit struct {
	at, dir board.Point
	rms     float64 // pixels
	ok      bool
}

// support is what the edge map says of a quad.
type support struct {
	side   [4]sideSupport
	corner [4]cornerShape // corner i lies between side i-1 and side i
}

// Where a side is sampled: the ends belong to the rounded corners.
const (
	cornerMargin = 0.08
	alignTurn    = 15 // an edge within 21° of the side, in 256ths of a turn
)

// measureSides looks along the four sides of a quad for edges that run their
// way, at most tolerance pixels aside.
func (m *edgeMap) measureSides(q board.Quad, tolerance int) support {
	var s support
	for i := range q {
		s.side[i] = m.measureSide(q[i], q[(i+1)%4], tolerance)
	}
	return s
}

// glance is a quick estimate of the share of the outline along which edges run.
func (m *edgeMap) glance(q board.Quad) float64 {
	const samples, tolerance = 9, 2
	hits := 0
	for i := range q {
		a, d := q[i], q[(i+1)%4].Sub(q[i])
		l := norm(d)
		across := directionOf(board.Point{X: -d.Y / l, Y: d.X / l})
		ox, oy := 1, 0
		if math.Abs(d.X) > math.Abs(d.Y) {
			ox, oy = 0, 1
		}
		for k := range samples {
			t := 0.1 + 0.8*(float64(k)+0.5)/samples
			x, y := int(a.X+d.X*t+0.5), int(a.Y+d.Y*t+0.5)
			for o := -tolerance; o <= tolerance; o++ {
				if m.has(x+o*ox, y+o*oy, across, alignTurn) {
					hits++
					break
				}
			}
		}
	}
	return float64(hits) / (4 * samples)
}

// measure looks at the sides of a quad and at its corners.
func (m *edgeMap) measure(q board.Quad, tolerance int, card board.Size) support {
	s := m.measureSides(q, tolerance)
	m.measureCorners(q, card, &s)
	return s
}

func (m *edgeMap) measureCorners(q board.Quad, card board.Size, s *support) {
	w, h := q.Edges()
	even, odd := card.Width, card.Height
	if w > h {
		even, odd = odd, even
	}
	mm := [4]float64{even, odd, even, odd}
	for i := range q {
		before := (i + 3) % 4
		u := q[before].Sub(q[i]).Scale(1 / mm[before])
		v := q[(i+1)%4].Sub(q[i]).Scale(1 / mm[i])
		s.corner[i] = m.corner(q[i], u, v, s.side[before].mag, s.side[i].mag, (w+h)/2)
	}
}

func (m *edgeMap) measureSide(a, b board.Point, tolerance int) sideSupport {
	d := b.Sub(a)
	length := norm(d)
	dir := d.Scale(1 / length)
	inward := board.Point{X: -dir.Y, Y: dir.X} // clockwise quad, y down
	n := int(math.Max(10, math.Min(48, length*(1-2*cornerMargin)/1.5)))
	across := directionOf(inward)
	ox, oy := 1, 0
	if math.Abs(inward.Y) > math.Abs(inward.X) {
		ox, oy = 0, 1
	}
	var s sideSupport
	s.samples = n
	var sums lineSums
	gap, longest := 0, 0
	for k := range n {
		t := cornerMargin + (1-2*cornerMargin)*(float64(k)+0.5)/float64(n)
		p := a.Add(d.Scale(t))
		x, y := nearest(p.X), nearest(p.Y)
		best, bestAside := -1, float64(tolerance)+0.5
		var at board.Point
		for o := -tolerance; o <= tolerance; o++ {
			x, y := x+o*ox, y+o*oy
			if !m.has(x, y, across, alignTurn) {
				continue
			}
			var e board.Point
			e.X, e.Y = m.place(x, y)
			if aside := math.Abs(e.Sub(a).Dot(inward)); aside < bestAside {
				best, bestAside, at = y*m.w+x, aside, e
			}
		}
		if best < 0 {
			gap++
			longest = max(longest, gap)
			continue
		}
		gap = 0
		sums.add(at.X, at.Y, magnitudes[m.mag[best]])
		if int8(m.dir[best]-across+64) >= 0 {
			s.polar++
		} else {
			s.polar--
		}
	}
	s.run = float64(longest) / float64(n)
	if sums.n == 0 {
		return s
	}
	s.hit = sums.n / float64(n)
	s.mag = sums.mag / sums.n
	s.polar /= sums.n
	if sums.n >= 5 {
		c, l := sums.line()
		if l.Dot(dir) < 0 {
			l = l.Scale(-1)
		}
		cx, cy := sums.x/sums.n, sums.y/sums.n
		n := board.Point{X: -l.Y, Y: l.X}
		v := (sums.xx/sums.n-cx*cx)*n.X*n.X + 2*(sums.xy/sums.n-cx*cy)*n.X*n.Y + (sums.yy/sums.n-cy*cy)*n.Y*n.Y
		s.line = lineFit{at: c, dir: l, rms: math.Sqrt(math.Max(0, v)), ok: s.hit >= 0.35 && l.Dot(dir) > 0.99}
	}
	return s
}

// moved returns the quad whose sides are the fitted lines, where they could be
// fitted.
func (s support) moved(q board.Quad) (board.Quad, bool) {
	var lines [4]lineFit
	for i := range q {
		lines[i] = s.side[i].line
		if !lines[i].ok {
			d := q[(i+1)%4].Sub(q[i])
			lines[i] = lineFit{at: q[i], dir: unit(d)}
		}
	}
	return fromLines(lines)
}

// fromLines joins four sides to a quad; side i runs from corner i to i+1.
func fromLines(lines [4]lineFit) (board.Quad, bool) {
	var q board.Quad
	for i := range q {
		before := lines[(i+3)%4]
		x, ok := cross(before.at, before.dir, lines[i].at, lines[i].dir)
		if !ok {
			return q, false
		}
		q[i] = x
	}
	return q, q.IsConvex()
}

// visible estimates how much of the outline is in view: edges are lost to blur
// and to the ground's own brightness as well, so that a side along most of which
// an edge runs counts as seen.
func (s *support) visible() float64 {
	const seen = 0.85
	var v float64
	for i := range s.side {
		v += min(1, s.side[i].hit/seen) / 4
	}
	return v
}

// mean is the share of the whole outline along which edges run.
func (s support) mean() float64 {
	var m float64
	for i := range s.side {
		m += s.side[i].hit / 4
	}
	return m
}

// weight is how well an edge supports the side, [0,1]: an edge all along it,
// the same side of it bright all along.
func (s sideSupport) weight() float64 { return s.hit * (0.7 + 0.3*math.Abs(s.polar)) }

// sidesQuality sums up the weights of four sides: the worst counts as much as
// the mean, for a card has four sides.
func sidesQuality(a, b, c, d float64) float64 {
	return 0.6*(a+b+c+d)/4 + 0.4*min(a, b, c, d)
}

// What the parts of the evidence add to, or take from, the quality that the
// edges along the four sides give.
const (
	// throughPenalty is what a side that goes straight on beyond a corner
	// costs. Cards laid edge to edge do that too, so it is mild.
	throughPenalty = 0.3
	// polarBonus is for all four sides having the bright side out, or all in: a
	// card's edge on an even ground has, a mixture of its edge and its frame
	// often has not.
	polarBonus = 0.12
	// roundBonus is for rounded corners, and against sharp ones.
	roundBonus = 0.3
)

// outlineQuality weighs the evidence for an outline; about [0,1.25].
func outlineQuality(sides float64, polar float64, corners *[4]cornerShape) float64 {
	q := sides * (1 - polarBonus + polarBonus*math.Abs(polar)) * (1 + roundBonus*roundness(corners))
	for i := range corners {
		q *= 1 - throughPenalty*corners[i].through
	}
	return q
}

func (s *support) quality() float64 {
	sides := sidesQuality(s.side[0].weight(), s.side[1].weight(), s.side[2].weight(), s.side[3].weight())
	polar := (s.side[0].polar + s.side[1].polar + s.side[2].polar + s.side[3].polar) / 4
	return outlineQuality(sides, polar, &s.corner)
}
