package detect

import (
	"math"

	"tabletop/board"
)

// The corners of playing cards are cut with a radius of 2.5 to 4.5 mm; a printed
// frame, a label, a box have sharp ones. radii are what is tried, millimetres.
var cornerRadii = [4]float64{2.4, 3.1, 3.9, 4.8}

// minRadiusPx is the least radius, pixels, at which an arc differs enough from
// a sharp corner to be told.
const minRadiusPx = 2.8

// rounded says whether the corners of a card's outline are rounded (towards 1)
// or sharp (towards -1); 0 when it can't be told. The quad is given in pixels of
// the edge map; height is the card's in millimetres.
func (m *edgeMap) rounded(q board.Quad, card board.Size) float64 {
	w, h := q.Edges()
	if w > h {
		q = q.Turned(1)
		w, h = h, w
	}
	frame := board.Quad{{}, {X: card.Width}, {X: card.Width, Y: card.Height}, {Y: card.Height}}
	toPx, err := board.HomographyFromQuads(frame, q)
	if err != nil {
		return 0
	}
	pxPerMM := math.Sqrt(w / card.Width * h / card.Height)
	best := math.Inf(-1)
	for _, r := range cornerRadii {
		if r*pxPerMM < minRadiusPx {
			continue
		}
		var sum float64
		for i := range frame {
			sum += m.roundedCorner(&toPx, frame[i], frame[(i+3)%4], frame[(i+1)%4], r, pxPerMM)
		}
		best = max(best, sum/4)
	}
	if math.IsInf(best, -1) {
		return 0
	}
	return best
}

// roundedCorner compares the edges along the arc of a corner with those along
// its sharp tip. All places are millimetres on the card.
func (m *edgeMap) roundedCorner(toPx *board.Homography, tip, before, after board.Point, r, pxPerMM float64) float64 {
	u := before.Sub(tip).Scale(1 / before.Distance(tip))
	v := after.Sub(tip).Scale(1 / after.Distance(tip))
	centre := tip.Add(u.Add(v).Scale(r))
	n := int(max(4, min(10, r*pxPerMM)))
	var arc, sharp float64
	for k := range n {
		t := (float64(k) + 0.5) / float64(n)
		// The middle two thirds of the arc; its ends lie on the sides.
		sin, cos := math.Sincos((0.16 + 0.68*t) * math.Pi / 2)
		out := u.Scale(-cos).Add(v.Scale(-sin))
		if m.edgeAcross(toPx, centre.Add(out.Scale(r)), out) {
			arc++
		}
		// The part of both sides that a rounded corner lacks.
		d := 0.08 + 0.5*t
		along, across := u, v
		if k%2 == 1 {
			along, across = v, u
		}
		if m.edgeAcross(toPx, tip.Add(along.Scale(d*r)), across) {
			sharp++
		}
	}
	return (arc - sharp) / float64(n)
}

// edgeAcross says whether an edge lies within a pixel of a place on the card,
// its gradient along the given direction, either way.
func (m *edgeMap) edgeAcross(toPx *board.Homography, at, dir board.Point) bool {
	p := toPx.Apply(at)
	d := toPx.Apply(at.Add(dir.Scale(0.5))).Sub(p)
	d = d.Scale(1 / d.Norm())
	x, y := int(math.Round(p.X)), int(math.Round(p.Y))
	ox, oy := 1, 0
	if math.Abs(d.Y) > math.Abs(d.X) {
		ox, oy = 0, 1
	}
	for k := -1; k <= 1; k++ {
		if e := m.near(x+k*ox, y+k*oy); e != nil && math.Abs(float64(e.nx)*d.X+float64(e.ny)*d.Y) > 0.85 {
			return true
		}
	}
	return false
}
