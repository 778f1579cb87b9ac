package detect

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

// A card shows several rectangles, one inside the other: its edge, the inner
// side of its border, the printed frame. How far from the outline found first
// the others are looked for, share of the card's height.
const (
	nestedOut = 0.17
	nestedIn  = 0.06
	// linesPerSide bounds the combinations.
	linesPerSide = 7
	// lineMinHit is the least share of a side along which an edge must run.
	lineMinHit = 0.35
)

// sideLine is one edge that may be a side of the card.
type sideLine struct {
	line   lineFit
	sup    sideSupport
	offset float64 // outward from the quad's side, in its rectified frame, pixels
	weight float64 // how well it is supported, [0,1]
}

// nested returns the outlines that the edges around a quad allow, best first:
// for each side the edges that run along it, in all combinations that have a
// card's proportions on the plane.
func (s *search) nested(c candidate, h *board.Homography) []candidate {
	m := &s.d.levels[0].edges
	w, ht := c.quad.Edges()
	frame := board.Quad{{}, {X: w}, {X: w, Y: ht}, {Y: ht}}
	toPx, err := board.HomographyFromQuads(frame, c.quad)
	if err != nil {
		return nil
	}
	toFrame, err := toPx.Inverse()
	if err != nil {
		return nil
	}
	long := max(w, ht)
	var sides [4][]sideLine
	for i := range sides {
		sides[i] = sideLines(m, c.quad, &frame, &toPx, &toFrame, i, nestedOut*long, nestedIn*long)
		if len(sides[i]) == 0 {
			return nil
		}
	}
	// The frame's own scale on the plane, so that most combinations can be
	// dismissed by their proportions alone.
	own := fitCard(c.quad, h, s.card)
	rect := c.quad.Map(h.Apply)
	rw, rh := rect.Edges()
	type combo struct {
		i       [4]int
		quality float64
	}
	var combos []combo
	best := 0.0
	aspect := s.card.Width / s.card.Height
	if own.turn == 1 {
		aspect = 1 / aspect
	}
	for t := range sides[0] {
		for b := range sides[2] {
			fh := rh * (1 + (sides[0][t].offset+sides[2][b].offset)/ht)
			for r := range sides[1] {
				for l := range sides[3] {
					fw := rw * (1 + (sides[1][r].offset+sides[3][l].offset)/w)
					if d := math.Log(fw / fh / aspect); math.Abs(d) > 0.1 {
						continue
					}
					a, b2, c2, d := sides[0][t].weight, sides[1][r].weight, sides[2][b].weight, sides[3][l].weight
					q := sidesQuality(a, b2, c2, d)
					best = max(best, q)
					combos = append(combos, combo{[4]int{t, r, b, l}, q})
				}
			}
		}
	}
	slices.SortFunc(combos, func(a, b combo) int { return cmp.Compare(b.quality, a.quality) })
	var out []candidate
	for _, k := range combos {
		if k.quality < 0.6*best || len(out) >= nestedOutlines {
			break
		}
		var lines [4]lineFit
		for i := range lines {
			lines[i] = sides[i][k.i[i]].line
		}
		q, ok := fromLines(lines)
		if !ok {
			continue
		}
		sup := m.measure(q, 1)
		out = append(out, candidate{quad: q, support: sup, quality: sup.quality()})
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.quality, a.quality) })
	return out
}

// nestedOutlines bounds the outlines measured for one place.
const nestedOutlines = 60

// sideLines finds the edges that run along side i of a quad.
func sideLines(m *edgeMap, quad board.Quad, frame *board.Quad, toPx, toFrame *board.Homography, i int, out, in float64) []sideLine {
	a, b := frame[i], frame[(i+1)%4]
	d := b.Sub(a)
	length := d.Norm()
	outward := board.Point{X: d.Y / length, Y: -d.X / length}
	lo, hi := -int(in), int(out)
	hits := make([]float64, hi-lo+1)
	for k := range hits {
		o := outward.Scale(float64(lo + k))
		hits[k] = m.scan(toPx.Apply(a.Add(o)), toPx.Apply(b.Add(o)))
	}
	var lines []sideLine
	for k := range hits {
		v := hits[k]
		if v < lineMinHit*0.7 || k > 0 && hits[k-1] > v || k+1 < len(hits) && hits[k+1] >= v {
			continue
		}
		o := outward.Scale(float64(lo + k))
		pa, pb := toPx.Apply(a.Add(o)), toPx.Apply(b.Add(o))
		sup := m.measureSide(pa, pb, 1)
		if !sup.line.ok {
			continue
		}
		pa, pb = sup.line.project(pa), sup.line.project(pb)
		sup = m.measureSide(pa, pb, 1)
		if sup.hit < lineMinHit || !sup.line.ok {
			continue
		}
		mid := toFrame.Apply(sup.line.project(pa.Add(pb).Scale(0.5)))
		l := sideLine{line: sup.line, sup: sup, weight: sup.weight(), offset: mid.Sub(a).Dot(outward)}
		if n := len(lines); n > 0 && math.Abs(lines[n-1].offset-l.offset) < 0.7 {
			if l.weight > lines[n-1].weight {
				lines[n-1] = l
			}
			continue
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b sideLine) int { return cmp.Compare(b.weight, a.weight) })
	if len(lines) > linesPerSide {
		lines = lines[:linesPerSide]
	}
	return lines
}

// scan returns the share of the way from a to b along which an edge runs, at
// most a pixel aside.
func (m *edgeMap) scan(a, b board.Point) float64 {
	d := b.Sub(a)
	length := d.Norm()
	nx, ny := float32(-d.Y/length), float32(d.X/length)
	n := int(max(8, min(32, length/2.5)))
	hits := 0
	for k := range n {
		t := cornerMargin + (1-2*cornerMargin)*(float64(k)+0.5)/float64(n)
		x, y := int(a.X+d.X*t+0.5), int(a.Y+d.Y*t+0.5)
		e := m.near(x, y)
		if e == nil {
			continue
		}
		if dot := e.nx*nx + e.ny*ny; dot > alignCos || dot < -alignCos {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

func (l lineFit) project(p board.Point) board.Point {
	return l.at.Add(l.dir.Scale(p.Sub(l.at).Dot(l.dir)))
}
