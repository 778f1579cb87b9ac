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
	nestedOut = 0.14
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
	offset float64 // of its middle, outward from the quad's side, in its rectified frame, pixels
	slope  float64 // how much more at the side's end than at its start
	weight float64 // how well it is supported, [0,1]
}

// outlinesAround returns the outlines nested around a quad, best first. While
// none of them is a card without doubt it goes on outward from the largest: a
// card may have more frames inside its border than one look reaches over.
func (s *search) outlinesAround(c candidate, h *board.Homography, f filter) ([]candidate, error) {
	var all []candidate
	for range outwardSteps {
		o, err := s.nested(c, h, f)
		if err != nil {
			return nil, err
		}
		all = append(all, o...)
		if len(o) == 0 || o[0].quality > sureQuality || f.size > 0 && o[0].quality > completeBelow {
			break
		}
		largest := c
		for i := range o {
			if o[i].quality > outwardQuality*o[0].quality && o[i].quad.Area() > largest.quad.Area() {
				largest = o[i]
			}
		}
		if largest.quad.Area() < outwardGain*c.quad.Area() {
			break
		}
		c = largest
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.quality, a.quality) })
	return all, nil
}

// Going outward: how often, from outlines how good relative to the best, and how
// much larger than the last.
const (
	outwardSteps   = 3
	outwardQuality = 0.8
	outwardGain    = 1.05
)

// nested returns the outlines that the edges around a quad allow, best first:
// for each side the edges that run along it, in all combinations that have a
// card's proportions on the plane.
func (s *search) nested(c candidate, h *board.Homography, f filter) ([]candidate, error) {
	level := s.levelFor(c.quad)
	m, err := s.d.edgesOf(level)
	if err != nil {
		return nil, err
	}
	quad := c.quad.Map(s.intoLevel(level))
	w, ht := quad.Edges()
	frame := board.Quad{{}, {X: w}, {X: w, Y: ht}, {Y: ht}}
	toPx, err := board.HomographyFromQuads(frame, quad)
	if err != nil {
		return nil, nil // three corners on a line: no card
	}
	toFrame, err := toPx.Inverse()
	if err != nil {
		return nil, nil // three corners on a line: no card
	}
	long := max(w, ht)
	segs := around(s.d.levels[level].segs, quad, 1.5*(nestedOut+nestedIn)*long)
	var sides [4][]sideLine
	for i := range sides {
		sides[i] = sideLines(m, segs, &frame, &toPx, &toFrame, i, nestedOut*long, nestedIn*long)
	}
	// The frame's own scale on the plane, so that most combinations can be
	// dismissed by their proportions alone.
	own := fitCard(c.quad, h, s.card)
	rect := c.quad.Map(h.Apply)
	rw, rh := rect.Edges()
	aspect := s.card.Width / s.card.Height
	mm := [4]float64{s.card.Width, s.card.Height, s.card.Width, s.card.Height}
	if own.turn == 1 {
		aspect = 1 / aspect
		mm = [4]float64{s.card.Height, s.card.Width, s.card.Height, s.card.Width}
	}
	if f.size > 0 {
		s.predict(&sides, m, &frame, &toPx, f.size*math.Sqrt(w*ht/(rw*rh)), own.turn)
	}
	corners := cornerCache{m: m, sides: &sides, side: (w + ht) / 2}
	for i := range mm {
		corners.pxPerMM[i] = quad[i].Distance(quad[(i+1)%4]) / mm[i]
	}
	area := square(f.size) * s.card.Width * s.card.Height
	within := func(v, ideal, tolerance float64) bool { return v < ideal*tolerance && v*tolerance > ideal }
	aspectTolerance, areaTolerance := math.Exp(f.aspect), math.Exp(2*sizeTolerance)
	var combos topCombos
	for t := range sides[0] {
		for b := range sides[2] {
			fh := rh * (1 + (sides[0][t].offset+sides[2][b].offset)/ht)
			for r := range sides[1] {
				for l := range sides[3] {
					fw := rw * (1 + (sides[1][r].offset+sides[3][l].offset)/w)
					if !within(fw, fh*aspect, aspectTolerance) || f.size > 0 && !within(fw*fh, area, areaTolerance) {
						continue
					}
					i := [4]int{t, r, b, l}
					if corners.atMost(i) > combos.least() {
						combos.add(combo{i, corners.quality(i)})
					}
				}
			}
		}
	}
	if len(combos.list) == 0 {
		return nil, nil
	}
	look, err := s.d.lookOf(level)
	if err != nil {
		return nil, err
	}
	mayBeHollow := look.mayBeHollow(quad)
	shape := shapeTrust((corners.pxPerMM[0] + corners.pxPerMM[1]) / 2)
	var out []candidate
	for _, k := range combos.list {
		if k.quality < comboShare*combos.list[0].quality || len(out) >= nestedOutlines {
			break
		}
		var lines [4]lineFit
		for i := range lines {
			lines[i] = sides[i][k.i[i]].line
		}
		q, ok := fromLines(lines)
		if !ok || mayBeHollow && look.hollow(q) {
			continue
		}
		out = append(out, candidate{quad: q.Map(s.fromLevel(level)), level: level, support: corners.support(k.i), quality: k.quality, shape: shape})
	}
	return out, nil
}

// predict adds, across from each line of a side, the line that a card of known
// size has there, when an edge too faint to be found by itself runs along it.
// pxPerMM is the size in the frame's pixels per millimetre.
func (s *search) predict(sides *[4][]sideLine, m *edgeMap, frame *board.Quad, toPx *board.Homography, pxPerMM float64, turn int) {
	across := [2]float64{s.card.Height, s.card.Width} // of sides 0 and 2, of 1 and 3
	if turn == 1 {
		across[0], across[1] = across[1], across[0]
	}
	var added [4][]sideLine
	for i := range sides {
		a, b := frame[i], frame[(i+1)%4]
		d := b.Sub(a)
		outward := board.Point{X: d.Y, Y: -d.X}.Scale(1 / d.Norm())
		between := frame[(i+1)%4].Distance(frame[(i+2)%4])
		for _, o := range sides[(i+2)%4] {
			offset := across[i%2]*pxPerMM - between - o.offset
			if slices.ContainsFunc(sides[i], func(l sideLine) bool { return math.Abs(l.offset-offset) < 2 }) {
				continue
			}
			pa, pb := toPx.Apply(a.Add(outward.Scale(offset))), toPx.Apply(b.Add(outward.Scale(offset)))
			sup := m.measureSide(pa, pb, 2)
			if sup.hit < predictedMinHit {
				continue
			}
			dir := pb.Sub(pa)
			line := lineFit{at: pa, dir: unit(dir)}
			added[i] = append(added[i], sideLine{line: line, sup: sup, weight: sup.weight(), offset: offset})
		}
	}
	for i := range sides {
		room := linesPerSide - min(linesPerSide, len(sides[i]))
		sides[i] = append(sides[i], added[i][:min(room, len(added[i]))]...)
	}
}

// predictedMinHit is the least share of a predicted side along which an edge
// must run.
const predictedMinHit = 0.25

// nestedOutlines bounds the outlines kept for one place.
const nestedOutlines = 16

// filter says which outlines are wanted.
type filter struct {
	aspect float64 // how far the logarithm of the aspect may be off a card's
	size   float64 // size on the plane, units per millimetre; 0: any
}

// How far the logarithm of an outline's aspect may be off a card's: on the
// plane found, and while the plane is only that on which the place's own quad
// looks most like a card; and that of its size, when the size is known.
const (
	knownAspect   = 0.1
	openAspect    = 0.25
	sizeTolerance = 0.06
)

// combo is one line for each side.
type combo struct {
	i       [4]int
	quality float64
}

// topCombos keeps the best combinations, best first.
type topCombos struct{ list []combo }

const (
	// mostCombos is somewhat more than the outlines kept, for some turn out not
	// to close.
	mostCombos = nestedOutlines + 8
	// comboShare is the least quality of an outline, share of the best one's at
	// the same place.
	comboShare = 0.5
)

// least is the quality that a combination must exceed to be kept.
func (t *topCombos) least() float64 {
	switch n := len(t.list); n {
	case 0:
		return 0
	case mostCombos:
		return max(t.list[n-1].quality, comboShare*t.list[0].quality)
	default:
		return comboShare * t.list[0].quality
	}
}

func (t *topCombos) add(c combo) {
	if c.quality <= t.least() {
		return
	}
	if t.list == nil {
		t.list = make([]combo, 0, mostCombos)
	}
	at := len(t.list)
	for at > 0 && t.list[at-1].quality < c.quality {
		at--
	}
	if len(t.list) == mostCombos {
		t.list = t.list[:mostCombos-1]
	}
	t.list = slices.Insert(t.list, at, c)
}

// cornerCache rates combinations of lines; each corner of two lines is looked
// at once.
type cornerCache struct {
	m       *edgeMap
	sides   *[4][]sideLine
	pxPerMM [4]float64 // along each side
	side    float64    // mean length, pixels
	known   [4][linesPerSide][linesPerSide]bool
	corner  [4][linesPerSide][linesPerSide]cornerShape
}

// at returns the corner between line a of side i-1 and line b of side i.
func (c *cornerCache) at(i, a, b int) cornerShape {
	if c.known[i][a][b] {
		return c.corner[i][a][b]
	}
	before := (i + 3) % 4
	p, q := &c.sides[before][a], &c.sides[i][b]
	shape := cornerShape{through: 1}
	if tip, ok := cross(p.line.at, p.line.dir, q.line.at, q.line.dir); ok {
		shape = c.m.corner(tip, p.line.dir.Scale(-c.pxPerMM[before]), q.line.dir.Scale(c.pxPerMM[i]), p.sup.mag, q.sup.mag, c.side)
	}
	c.known[i][a][b], c.corner[i][a][b] = true, shape
	return shape
}

// support is the evidence for a combination.
func (c *cornerCache) support(i [4]int) support {
	var s support
	for k := range i {
		s.side[k] = c.sides[k][i[k]].sup
		s.corner[k] = c.at(k, i[(k+3)%4], i[k])
	}
	return s
}

// atMost is more than the quality can be, whatever the corners look like.
func (c *cornerCache) atMost(i [4]int) float64 {
	return (1 + roundBonus) * sidesQuality(c.sides[0][i[0]].weight, c.sides[1][i[1]].weight, c.sides[2][i[2]].weight, c.sides[3][i[3]].weight)
}

func (c *cornerCache) quality(i [4]int) float64 {
	s0, s1, s2, s3 := &c.sides[0][i[0]], &c.sides[1][i[1]], &c.sides[2][i[2]], &c.sides[3][i[3]]
	shapes := [4]cornerShape{c.at(0, i[3], i[0]), c.at(1, i[0], i[1]), c.at(2, i[1], i[2]), c.at(3, i[2], i[3])}
	polar := (s0.sup.polar + s1.sup.polar + s2.sup.polar + s3.sup.polar) / 4
	return outlineQuality(sidesQuality(s0.weight, s1.weight, s2.weight, s3.weight), polar, &shapes)
}

// levelFor is the finest level at which a quad is not too large.
func (s *search) levelFor(q board.Quad) int {
	w, h := q.Edges()
	i := 0
	for i < len(s.d.levels)-1 && max(w, h)*s.d.levels[0].scale > levelMaxHeight*s.d.levels[i].scale {
		i++
	}
	return i
}

// around returns the segments of which a part may lie along a quad's sides, at
// most the margin outward.
func around(segs []segment, q board.Quad, margin float64) []*segment {
	lo, hi := q[0], q[0]
	for _, p := range q {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, p.X), min(lo.Y, p.Y), max(hi.X, p.X), max(hi.Y, p.Y)
	}
	lo.X, lo.Y, hi.X, hi.Y = lo.X-margin, lo.Y-margin, hi.X+margin, hi.Y+margin
	least := nestedSegment * min(q[0].Distance(q[1]), q[1].Distance(q[2]), q[2].Distance(q[3]), q[3].Distance(q[0]))
	var out []*segment
	for i := range segs {
		s := &segs[i]
		if s.length >= least && min(s.a.X, s.b.X) < hi.X && max(s.a.X, s.b.X) > lo.X && min(s.a.Y, s.b.Y) < hi.Y && max(s.a.Y, s.b.Y) > lo.Y {
			out = append(out, s)
		}
	}
	return out
}

// sideLines finds the edges that run along side i of a quad, also where segments
// do. The frame is the quad's rectangle with pixels as its unit; out and in are
// how far to look.
func sideLines(m *edgeMap, segs []*segment, frame *board.Quad, toPx, toFrame *board.Homography, i int, out, in float64) []sideLine {
	a, b := frame[i], frame[(i+1)%4]
	d := b.Sub(a)
	length := norm(d)
	along := d.Scale(1 / length)
	outward := board.Point{X: along.Y, Y: -along.X}
	var lines []sideLine
	add := func(pa, pb board.Point, tolerance int) {
		sup := m.measureSide(pa, pb, tolerance)
		if !sup.line.ok {
			return
		}
		pa, pb = sup.line.project(pa), sup.line.project(pb)
		sup = m.measureSide(pa, pb, 1)
		if sup.hit < lineMinHit || !sup.line.ok {
			return
		}
		fa, fb := toFrame.Apply(sup.line.project(pa)), toFrame.Apply(sup.line.project(pb))
		oa, ob := fa.Sub(a).Dot(outward), fb.Sub(a).Dot(outward)
		n := sideLine{line: sup.line, sup: sup, weight: sup.weight(), offset: (oa + ob) / 2, slope: ob - oa}
		for j := range lines {
			if math.Abs(lines[j].offset-n.offset) < 0.8 && math.Abs(lines[j].slope-n.slope) < 1.6 {
				if n.weight > lines[j].weight {
					lines[j] = n
				}
				return
			}
		}
		lines = append(lines, n)
	}

	// Faint or broken edges show as a peak of the share of the way that has one.
	lo, hi := -int(in), int(out)
	hits := make([]float64, hi-lo+1)
	for k := range hits {
		o := outward.Scale(float64(lo + k))
		hits[k] = m.scan(toPx.Apply(a.Add(o)), toPx.Apply(b.Add(o)))
	}
	for k, v := range hits {
		if v < 0.7*lineMinHit || k > 0 && hits[k-1] > v || k+1 < len(hits) && hits[k+1] >= v {
			continue
		}
		o := outward.Scale(float64(lo + k))
		add(toPx.Apply(a.Add(o)), toPx.Apply(b.Add(o)), 1)
	}
	// Edges that do not quite run as the quad's side does were grown as segments.
	pa, pb := toPx.Apply(a), toPx.Apply(b)
	dir := pb.Sub(pa).Scale(1 / pa.Distance(pb))
	reach := 1.5*(out+in) + length
	mid := pa.Add(pb).Scale(0.5)
	for _, s := range segs {
		if math.Abs(s.dir.Cross(dir)) > nestedTilt || math.Abs(s.a.X-mid.X) > reach || math.Abs(s.a.Y-mid.Y) > reach || s.length < nestedSegment*length {
			continue
		}
		fa, fb := toFrame.Apply(s.a).Sub(a), toFrame.Apply(s.b).Sub(a)
		ta, tb := fa.Dot(along), fb.Dot(along)
		if max(ta, tb) < nestedSegment*length || min(ta, tb) > (1-nestedSegment)*length || ta == tb {
			continue
		}
		oa, ob := fa.Dot(outward), fb.Dot(outward)
		at := func(t float64) float64 { return oa + (ob-oa)*(t-ta)/(tb-ta) }
		o0, o1 := at(0), at(length)
		if min(o0, o1) < -in || max(o0, o1) > out {
			continue
		}
		if slices.ContainsFunc(lines, func(n sideLine) bool {
			return math.Abs(n.offset-n.slope/2-o0) < sameLine && math.Abs(n.offset+n.slope/2-o1) < sameLine
		}) {
			continue
		}
		add(toPx.Apply(a.Add(outward.Scale(o0))), toPx.Apply(b.Add(outward.Scale(o1))), 1)
	}
	slices.SortStableFunc(lines, func(a, b sideLine) int { return cmp.Compare(b.weight, a.weight) })
	if len(lines) > linesPerSide {
		lines = lines[:linesPerSide]
	}
	return lines
}

// sameLine is how far apart, in pixels at both ends of a side, two lines are one.
const sameLine = 0.6

// A segment counts as along a side when it is turned by no more than this (sine)
// and at least this long, share of the side.
const (
	nestedTilt    = 0.08
	nestedSegment = 0.2
)

// scan returns the share of the way from a to b along which an edge runs, at
// most a pixel aside.
func (m *edgeMap) scan(a, b board.Point) float64 {
	d := b.Sub(a)
	length := norm(d)
	across := directionOf(board.Point{X: -d.Y / length, Y: d.X / length})
	n := int(max(8, min(32, length/2.5)))
	hits := 0
	for k := range n {
		t := cornerMargin + (1-2*cornerMargin)*(float64(k)+0.5)/float64(n)
		if m.has(int(a.X+d.X*t+0.5), int(a.Y+d.Y*t+0.5), across, alignTurn) {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

func (l lineFit) project(p board.Point) board.Point {
	return l.at.Add(l.dir.Scale(p.Sub(l.at).Dot(l.dir)))
}
