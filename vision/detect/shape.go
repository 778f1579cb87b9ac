package detect

import (
	"math"

	"tabletop/board"
)

// The corners of playing cards are cut with a radius of 2.5 to 4.5 mm; a printed
// frame, a label, a box have sharp ones. radii are what is tried, millimetres.
var cornerRadii = [...]float64{2.4, 3.1, 3.9, 4.8}

// minRadiusPx is the least radius, pixels, at which an arc differs enough from
// a sharp corner to be told.
const minRadiusPx = 2.8

// shapeTrust is how far the shape of corners can be told at a scale, [0,1].
func shapeTrust(pxPerMM float64) float64 {
	const none, full = 1.0, 1.9 // pixels per millimetre: a radius of 3 and of 6 pixels
	return max(0, min(1, (pxPerMM-none)/(full-none)))
}

// cornerShape is what the edge map says of one corner of an outline.
type cornerShape struct {
	// through says how far the edges of the two sides go straight on beyond
	// the corner, [0,1]: at a card's corner they end, at a crossing of one
	// card's edge with another's frame they do not.
	through float64
	// round says for each radius whether the corner is rounded (1) or sharp
	// (-1); 0 when it can't be told.
	round [len(cornerRadii)]float64
}

// roundness sums up four corners for the radius that suits them best, [-1,1].
// The sharpest counts as much as the mean: a mixture of a card's edge and its
// frame has both kinds.
func roundness(c *[4]cornerShape) float64 {
	best := math.Inf(-1)
	for r := range cornerRadii {
		mean, least := 0.0, math.Inf(1)
		for i := range c {
			mean += c[i].round[r] / 4
			least = min(least, c[i].round[r])
		}
		best = max(best, (mean+least)/2)
	}
	return best
}

// corner looks at the corner at tip. u and v are vectors of one millimetre in
// pixels along its two sides, away from it; strongU and strongV the mean steps
// of those sides; side is their mean length in pixels.
func (m *edgeMap) corner(tip, u, v board.Point, strongU, strongV, side float64) cornerShape {
	var c cornerShape
	reach := side * throughTo
	skip := max(1.5, side*throughFrom)
	c.through = max(m.beyond(tip, u, skip, reach, throughStep*strongU), m.beyond(tip, v, skip, reach, throughStep*strongV))
	pxPerMM := (norm(u) + norm(v)) / 2
	for i, r := range cornerRadii {
		if r*pxPerMM >= minRadiusPx {
			c.round[i] = m.arcOrTip(tip, u, v, r, r*pxPerMM)
		}
	}
	return c
}

// How far beyond a corner its sides are followed, share of the mean side. Only
// edges about as strong as the side's own count: the grain of a cloth has faint
// ones everywhere.
const (
	throughFrom = 0.015
	throughTo   = 0.1
	throughStep = 0.4 // of the side's mean step
)

// beyond is the share of the way from tip straight on against dir, from skip to
// reach pixels, along which an edge of at least minStep runs.
func (m *edgeMap) beyond(tip, dir board.Point, skip, reach, minStep float64) float64 {
	d := unit(dir).Scale(-1)
	across := directionOf(board.Point{X: -d.Y, Y: d.X})
	ox, oy := 1, 0
	if math.Abs(d.X) > math.Abs(d.Y) {
		ox, oy = 0, 1
	}
	n, hits := 0, 0
	for t := skip; t <= reach; t += max(1, (reach-skip)/10) {
		n++
		x, y := nearest(tip.X+d.X*t), nearest(tip.Y+d.Y*t)
		for k := -1; k <= 1; k++ {
			if x, y := x+k*ox, y+k*oy; m.has(x, y, across, alignTurn) && magnitudes[m.mag[y*m.w+x]] >= minStep {
				hits++
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(hits) / float64(n)
}

// minArc and maxArc are at how few and how many places an arc is looked at.
const minArc, maxArc = 4, 10

// The middle two thirds of the arc are looked at, for its ends lie on the sides.
const arcFrom, arcShare = 0.16, 0.68

// arcs are sine and cosine of those places.
var arcs = func() (table [maxArc - minArc + 1][maxArc][2]float64) {
	for i := range table {
		n := i + minArc
		for k := range n {
			t := (float64(k) + 0.5) / float64(n)
			table[i][k][0], table[i][k][1] = math.Sincos((arcFrom + arcShare*t) * math.Pi / 2)
		}
	}
	return table
}()

// arcOrTip compares the edges along the arc of a rounded corner of r mm (radius
// rPx in pixels) with those along the tip that it lacks.
func (m *edgeMap) arcOrTip(tip, u, v board.Point, r, rPx float64) float64 {
	centre := tip.Add(u.Add(v).Scale(r))
	dirU, dirV := directionOf(unit(u)), directionOf(unit(v))
	// The arc's own direction turns from the one to the other.
	turn := float64(int8(dirV - dirU))
	n := int(max(minArc, min(maxArc, rPx)))
	var arc, sharp float64
	for k := range n {
		t := (float64(k) + 0.5) / float64(n)
		sin, cos := arcs[n-minArc][k][0], arcs[n-minArc][k][1]
		out := u.Scale(-cos).Add(v.Scale(-sin))
		if m.edgeAcross(centre.Add(out.Scale(r)), out, dirU+uint8(int8(turn*(arcFrom+arcShare*t)))) {
			arc++
		}
		d := (0.08 + 0.5*t) * r
		along, across, dir := u, v, dirV
		if k%2 == 1 {
			along, across, dir = v, u, dirU
		}
		if m.edgeAcross(tip.Add(along.Scale(d)), across, dir) {
			sharp++
		}
	}
	return (arc - sharp) / float64(n)
}

// acrossTurn is how far an edge may turn from an arc's or a tip's, 256ths of a
// turn.
const acrossTurn = 23

// edgeAcross says whether an edge lies within a pixel of a place, its gradient
// along the given vector, either way; dir is the vector's direction.
func (m *edgeMap) edgeAcross(p, d board.Point, dir uint8) bool {
	x, y := nearest(p.X), nearest(p.Y)
	ox, oy := 1, 0
	if math.Abs(d.Y) > math.Abs(d.X) {
		ox, oy = 0, 1
	}
	for k := -1; k <= 1; k++ {
		if m.has(x+k*ox, y+k*oy, dir, acrossTurn) {
			return true
		}
	}
	return false
}
