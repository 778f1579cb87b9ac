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
type support struct{ side [4]sideSupport }

// Where a side is sampled: the ends belong to the rounded corners.
const (
	cornerMargin = 0.08
	alignCos     = 0.93 // an edge within 21° of the side
)

// measure looks along the four sides of a quad for edges that run their way,
// at most tolerance pixels aside.
func (m *edgeMap) measure(q board.Quad, tolerance int) support {
	var s support
	for i := range q {
		s.side[i] = m.measureSide(q[i], q[(i+1)%4], tolerance)
	}
	return s
}

func (m *edgeMap) measureSide(a, b board.Point, tolerance int) sideSupport {
	d := b.Sub(a)
	length := d.Norm()
	dir := d.Scale(1 / length)
	inward := board.Point{X: -dir.Y, Y: dir.X} // clockwise quad, y down
	n := int(math.Max(10, math.Min(48, length*(1-2*cornerMargin)/1.5)))
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
		x, y := int(math.Round(p.X)), int(math.Round(p.Y))
		var best *edgel
		bestAside := float64(tolerance) + 0.5
		var bestDot float64
		for o := -tolerance; o <= tolerance; o++ {
			e := m.near(x+o*ox, y+o*oy)
			if e == nil {
				continue
			}
			dot := float64(e.nx)*inward.X + float64(e.ny)*inward.Y
			if math.Abs(dot) < alignCos {
				continue
			}
			aside := math.Abs((float64(e.x)-a.X)*inward.X + (float64(e.y)-a.Y)*inward.Y)
			if aside < bestAside {
				best, bestAside, bestDot = e, aside, dot
			}
		}
		if best == nil {
			gap++
			longest = max(longest, gap)
			continue
		}
		gap = 0
		sums.add(best)
		s.polar += math.Copysign(1, bestDot)
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
			lines[i] = lineFit{at: q[i], dir: d.Scale(1 / d.Norm())}
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

// mean and worst side of the support.
func (s support) mean() float64 {
	var m float64
	for i := range s.side {
		m += s.side[i].hit / 4
	}
	return m
}

func (s support) worst() float64 {
	m := 1.0
	for i := range s.side {
		m = min(m, s.side[i].hit)
	}
	return m
}
