package detect

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

// A card that lies partly under others, or beyond the picture's edge, shows some
// of its sides. Once other cards have told the plane and the size, two sides
// that meet in a corner fix where the whole of it lies; what can be seen of its
// outline then has to be an edge, and what can't has to lie under a card found.
const (
	// coveredSide is the least length of a side that shows, millimetres.
	coveredSide = 7
	// coveredSegments bounds the work on busy grounds; the longest stay.
	coveredSegments = 600
	// squareCos is the cosine of the angle between two sides, on the plane.
	squareCos = 0.07
	// overlong is how much longer than the card's side an edge may be.
	overlong = 1.03
	// Of the outline's parts in view the share along which an edge must run, and
	// the least such share of any one side of which a part is in view.
	coveredHit     = 0.82
	coveredSideHit = 0.6
	// coveredVisible is the least share of the outline in view, and coveredHidden
	// the least that is not: a card in full view is found by itself.
	coveredVisible = 0.25
	coveredHidden  = 0.1
	// mostCovered is the share of a card that others may hide. Beyond it frames,
	// sleeves and slabs of another card look just like it, as does what lies
	// between several; a strip that shows is told by its print.
	mostCovered = 0.72
	// coveredGround is the share of what shows within the outline that has to have
	// the ground's colours for it to be but a line on the ground.
	coveredGround = 0.6
	// coverMargin is how near to a card above an outline is hidden by it or by its
	// edge, millimetres.
	coverMargin = 2.5
	// coveredRounds is how often the cards found under others are taken for
	// covers themselves: a fan is many layers deep.
	coveredRounds = 4
)

// covering is the search for covered cards of a size on a plane that are known.
type covering struct {
	s       *search
	level   int
	m       *edgeMap
	look    *raster
	toPlane board.Homography // pixels of the level to millimetres
	toPx    board.Homography
	above   []board.Quad // the cards found, millimetres
}

// withCovered adds to the cards chosen those that lie partly under them, if they
// are asked for.
func (s *search) withCovered(chosen []candidate, h *board.Homography, size float64) ([]candidate, error) {
	if len(chosen) == 0 || !s.d.o.Covered {
		return chosen, nil
	}
	c := covering{s: s, level: s.levelFor(chosen[0].quad)}
	var err error
	if c.m, err = s.d.edgesOf(c.level); err != nil {
		return nil, err
	}
	if c.look, err = s.d.lookOf(c.level); err != nil {
		return nil, err
	}
	k := s.d.levels[c.level].scale / s.d.levels[0].scale
	c.toPlane = board.Homography{1 / size, 0, 0, 0, 1 / size, 0, 0, 0, 1}.Mul(*h).Mul(board.Homography{k, 0, 0.5*k - 0.5, 0, k, 0.5*k - 0.5, 0, 0, 1})
	if c.toPx, err = c.toPlane.Inverse(); err != nil {
		return chosen, nil // the plane is seen edge on
	}
	into := s.intoLevel(c.level)
	for i := range chosen {
		c.above = append(c.above, chosen[i].quad.Map(into).Map(c.toPlane.Apply))
	}
	c.connect()
	for range coveredRounds {
		more := c.round()
		if len(more) == 0 {
			break
		}
		for _, p := range more {
			c.above = append(c.above, p.rect)
			chosen = append(chosen, c.candidate(p, size))
		}
	}
	s.note("%d cards with those covered", len(chosen))
	return chosen, nil
}

// connect builds the corner graph of the segments that lie on no card.
func (c *covering) connect() {
	d := c.s.d
	l := d.levels[c.level]
	l.segs = l.segs[:0]
	for _, g := range d.segmentsOf(c.level) {
		a, b := c.toPlane.Apply(g.a), c.toPlane.Apply(g.b)
		if a.Distance(b) < coveredSide || a.Distance(b) > 1.5*c.s.card.Height || c.hides(a.Add(b).Scale(0.5), coverMargin) {
			continue
		}
		l.segs = append(l.segs, g)
	}
	l.segs = append(l.segs, joinCollinear(&d.graph.grid, l.segs, l.size.X, l.size.Y)...)
	if len(l.segs) > coveredSegments {
		slices.SortStableFunc(l.segs, func(a, b segment) int { return cmp.Compare(b.length, a.length) })
		l.segs = l.segs[:coveredSegments]
	}
	d.graph.connect(l.segs, l.size.X, l.size.Y)
}

// hides says whether a place on the plane lies on a card found, which is made
// larger by a margin.
func (c *covering) hides(p board.Point, margin float64) bool {
	for i := range c.above {
		if inside(&c.above[i], p, margin) {
			return true
		}
	}
	return false
}

// inside says whether a point lies in a clockwise quad made larger by a margin.
func inside(q *board.Quad, p board.Point, margin float64) bool {
	for i := range q {
		d := q[(i+1)%4].Sub(q[i])
		if d.Cross(p.Sub(q[i])) < -margin*norm(d) {
			return false
		}
	}
	return true
}

// part is a card of which a part is in view.
type part struct {
	rect    board.Quad // millimetres
	hit     float64    // share of what is in view of the outline that is an edge
	visible float64    // share of the outline in view
	sides   [4]sideSupport
}

// weight ranks what is found at one place: the more of it shows the better.
func (p *part) weight() float64 { return p.hit * p.hit * p.hit * p.visible }

// round returns the cards, of which no two are at one place, that lie under
// those known so far.
func (c *covering) round() []part {
	var found []part
	g := &c.s.d.graph
	for i := range g.segs {
		for e := range 2 {
			corners := g.ends[i][e].all()
			for k := range corners {
				if corners[k].other < i {
					continue // seen from the other segment
				}
				for _, rect := range c.rects(i, e, &corners[k]) {
					if p, ok := c.part(rect); ok {
						found = append(found, p)
					}
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b part) int { return cmp.Compare(b.weight(), a.weight()) })
	var out []part
	for _, p := range found {
		if !slices.ContainsFunc(out, func(o part) bool { return o.rect.Overlap(p.rect) > coveredApart }) && !c.printed(&p) {
			out = append(out, p)
		}
	}
	return out
}

// coveredApart is the overlap from which on two covered cards are taken for one.
const coveredApart = 0.25

// rects returns where a card may lie of which two sides meet in a corner.
func (c *covering) rects(i, e int, k *corner) []board.Quad {
	g := &c.s.d.graph
	s, t := &g.segs[i], &g.segs[k.other]
	p := c.toPlane.Apply(k.at)
	u, v := c.toPlane.Apply(s.end(1-e)).Sub(p), c.toPlane.Apply(t.end(1-k.end)).Sub(p)
	lu, lv := norm(u), norm(v)
	if lu < coveredSide || lv < coveredSide || math.Abs(u.Dot(v)) > squareCos*lu*lv {
		return nil
	}
	// Both sides tell the turn, the longer one better.
	turned := board.Point{X: v.Y, Y: -v.X}
	if turned.Dot(u) < 0 {
		turned = turned.Scale(-1)
	}
	x := unit(u.Scale(lu).Add(turned.Scale(lv)))
	y := board.Point{X: -x.Y, Y: x.X}
	if y.Dot(v) < 0 {
		y = y.Scale(-1)
	}
	var out []board.Quad
	for _, size := range [2]board.Size{c.s.card, {Width: c.s.card.Height, Height: c.s.card.Width}} {
		if lu > overlong*size.Width || lv > overlong*size.Height {
			continue
		}
		a, b := p.Add(x.Scale(size.Width)), p.Add(y.Scale(size.Height))
		q := board.Quad{p, a, a.Add(y.Scale(size.Height)), b}
		if x.Cross(y) < 0 {
			q = board.Quad{p, b, q[2], a}
		}
		out = append(out, q)
	}
	return out
}

// part measures what is in view of a card's outline, moves the card as a whole
// to where its edges are, and says whether it is one.
func (c *covering) part(rect board.Quad) (part, bool) {
	if c.hidden(&rect) > mostCovered {
		return part{}, false
	}
	p, ok := c.measure(rect, 2)
	if !ok {
		return p, false
	}
	for range 2 {
		rect = c.moved(rect)
	}
	return c.measure(rect, 1)
}

// hidden is the share of a card that lies under those found.
func (c *covering) hidden(rect *board.Quad) float64 {
	const across, down = 8, 8
	n := 0
	for i := range across {
		for k := range down {
			if c.hides(within(rect, (float64(i)+0.5)/across, (float64(k)+0.5)/down), 0) {
				n++
			}
		}
	}
	return float64(n) / (across * down)
}

// within is a place in a rectangle, given by the shares of its sides.
func within(q *board.Quad, u, v float64) board.Point {
	return q[0].Add(q[1].Sub(q[0]).Scale(u)).Add(q[3].Sub(q[0]).Scale(v))
}

// outlineSamples is at how many places each side of a covered card is looked at.
const outlineSamples = 32

// fewSamples is the number of places of a side in view that say nothing by
// themselves.
const fewSamples = 4

// each calls do for the places of a side that are in view.
func (c *covering) each(rect *board.Quad, i, tolerance int, do func(at board.Point, hit bool, edge board.Point, mag float64)) {
	a, b := rect[i], rect[(i+1)%4]
	pa, pb := c.toPx.Apply(a), c.toPx.Apply(b)
	dir := unit(pb.Sub(pa))
	across := directionOf(board.Point{X: -dir.Y, Y: dir.X})
	ox, oy := 1, 0
	if math.Abs(dir.X) > math.Abs(dir.Y) {
		ox, oy = 0, 1
	}
	for k := range outlineSamples {
		t := cornerMargin + (1-2*cornerMargin)*(float64(k)+0.5)/outlineSamples
		at := a.Add(b.Sub(a).Scale(t))
		if c.hides(at, coverMargin) {
			continue
		}
		p := c.toPx.Apply(at)
		x, y := nearest(p.X), nearest(p.Y)
		if x < 3 || y < 3 || x >= c.m.w-3 || y >= c.m.h-3 {
			do(at, false, p, 0)
			continue
		}
		hit, least := false, math.Inf(1)
		var edge board.Point
		var mag float64
		for o := -tolerance; o <= tolerance; o++ {
			x, y := x+o*ox, y+o*oy
			if !c.m.has(x, y, across, alignTurn) {
				continue
			}
			var e board.Point
			e.X, e.Y = c.m.place(x, y)
			if aside := math.Abs(e.Sub(p).Cross(dir)); aside < least {
				hit, least, edge, mag = true, aside, e, magnitudes[c.m.mag[y*c.m.w+x]]
			}
		}
		do(at, hit, edge, mag)
	}
}

func (c *covering) measure(rect board.Quad, tolerance int) (part, bool) {
	p := part{rect: rect}
	hits, seen := 0, 0
	for i := range rect {
		sideHits, sideSeen := 0, 0
		sum := 0.0
		c.each(&rect, i, tolerance, func(_ board.Point, hit bool, _ board.Point, mag float64) {
			sideSeen++
			if hit {
				sideHits++
				sum += mag
			}
		})
		if sideSeen >= fewSamples && float64(sideHits) < coveredSideHit*float64(sideSeen) {
			return p, false
		}
		hits, seen = hits+sideHits, seen+sideSeen
		p.sides[i] = sideSupport{hit: float64(sideHits) / outlineSamples, mag: sum / float64(max(1, sideHits)), samples: outlineSamples}
	}
	p.visible = float64(seen) / (4 * outlineSamples)
	p.hit = float64(hits) / float64(max(1, seen))
	return p, p.hit >= coveredHit && p.visible >= coveredVisible && p.visible <= 1-coveredHidden
}

// moved lays the rigid card through the edges found along its sides: by least
// squares over a shift and a small turn.
func (c *covering) moved(rect board.Quad) board.Quad {
	centre := rect.Centre()
	var a [6][7]float64
	for i := range rect {
		d := unit(rect[(i+1)%4].Sub(rect[i]))
		outward := board.Point{X: d.Y, Y: -d.X}
		c.each(&rect, i, 2, func(at board.Point, hit bool, edge board.Point, _ float64) {
			if !hit {
				return
			}
			off := c.toPlane.Apply(edge).Sub(at).Dot(outward)
			arm := at.Sub(centre)
			row := [3]float64{outward.X, outward.Y, arm.Cross(outward)}
			for k := range row {
				for l := range row {
					a[k][l] += row[k] * row[l]
				}
				a[k][6] += row[k] * off
			}
		})
	}
	// The solver takes the right-hand side from column n.
	for k := range 3 {
		a[k][k] += 1e-6
		a[k][3] = a[k][6]
	}
	x, ok := solve(a, 3)
	if !ok || math.Hypot(x[0], x[1]) > 5 || math.Abs(x[2]) > 0.1 {
		return rect
	}
	sin, cos := math.Sincos(x[2])
	return rect.Map(func(p board.Point) board.Point {
		p = p.Sub(centre)
		return centre.Add(board.Point{X: p.X*cos - p.Y*sin + x[0], Y: p.X*sin + p.Y*cos + x[1]})
	})
}

// printed says whether what is in view is but a line printed on the ground: a
// zone of a playmat with a card laid over its edge.
func (c *covering) printed(p *part) bool {
	q := p.rect.Map(c.toPx.Apply)
	var sides [4][sideSamples]crossing
	reach := hollowReachOf(q)
	c.look.crossings(q, reach, &sides)
	margin := hollowReach*c.s.card.Height + coverMargin
	var ground []colour
	seen := 0
	for i := range sides {
		a, b := p.rect[i], p.rect[(i+1)%4]
		for k := range sides[i] {
			x := &sides[i][k]
			if x.ok = x.ok && !c.hides(a.Add(b.Sub(a).Scale(sidePlace(k))), margin); x.ok {
				ground = append(ground, x.out)
				seen++
			}
		}
	}
	if seen < fewSamples {
		return true // too little to tell
	}
	step := stepOf(ground)
	if c.grounded(p, ground, nil, step) {
		return true
	}
	t := tintOf(&sides)
	return t != nil && c.grounded(p, ground, t, step)
}

// grounded says whether what is in view within a card's outline has the colours
// of the ground around it.
func (c *covering) grounded(p *part, ground []colour, t tint, step int32) bool {
	const across, down = 16, 16
	same, all := 0, 0
	for i := range across {
		for k := range down {
			at := within(&p.rect, 0.1+0.8*(float64(i)+0.5)/across, 0.1+0.8*(float64(k)+0.5)/down)
			if c.hides(at, coverMargin) {
				continue
			}
			x, ok := c.look.patch(c.toPx.Apply(at))
			if !ok {
				continue
			}
			all++
			if slices.ContainsFunc(ground, func(g colour) bool { return x.apart(tinted(t, g)) <= step }) {
				same++
			}
		}
	}
	return float64(same) >= coveredGround*float64(all)
}

// candidate is the card in pixels of level 0.
func (c *covering) candidate(p part, size float64) candidate {
	q := p.rect.Map(c.toPx.Apply)
	turn := 0
	if w, h := p.rect.Edges(); w > h {
		turn = 1
	}
	out := candidate{quad: q.Map(c.s.fromLevel(c.level)), level: c.level, quality: p.hit, fit: fit{size: size, turn: turn}, covered: true, inView: p.visible}
	out.support.side = p.sides
	out.score = coveredScore * p.hit
	return out
}

// coveredScore is the score of a covered card all of whose visible outline is an
// edge.
const coveredScore = 0.6
