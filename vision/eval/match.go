package eval

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

// minOverlap is the intersection over union from which an answer counts as
// found: the usual figure of object detection (PASCAL VOC).
const minOverlap = 0.5

// matchUp pairs labels and answers one to one: the pair with the greatest
// overlap first, then the next among those left, down to minOverlap. It returns
// for each label the index of its answer, or -1.
//
// Cards are of one size, so a card that hides most of another overlaps its own
// label more than the hidden one's; greedy is then as good as an optimal
// assignment and can be followed by eye.
func matchUp(truth []Card, seen []board.Observation) []int {
	type pair struct {
		t, s    int
		overlap float64
	}
	var pairs []pair
	for t, card := range truth {
		for s, o := range seen {
			if v := overlap(card, o); v >= minOverlap {
				pairs = append(pairs, pair{t, s, v})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.overlap, a.overlap) })
	found := make([]int, len(truth))
	for i := range found {
		found[i] = -1
	}
	taken := make([]bool, len(seen))
	for _, p := range pairs {
		if found[p.t] < 0 && !taken[p.s] {
			found[p.t], taken[p.s] = p.s, true
		}
	}
	for t, card := range truth {
		s := -1
		switch {
		case found[t] >= 0 || card.Corners != nil:
		case card.Box != nil:
			s = matchPart(*card.Box, seen, taken)
		default:
			s = matchPlaceless(card, seen, taken)
		}
		if s >= 0 {
			found[t], taken[s] = s, true
		}
	}
	return found
}

const (
	// boxHeld is the share of a box that a whole card holds of which the box is
	// the part in view, and fullSide the share of the card's extent that it
	// reaches in one direction or the other.
	boxHeld  = 0.9
	fullSide = 0.85
)

// matchPart answers for a box that no answer fits: boxes are drawn around what
// can be seen of a card, and answers give all of it. Of the free answers that
// hold the box, which has to run along one of their sides, the one that it fills
// best fits.
func matchPart(box Box, seen []board.Observation, taken []bool) int {
	best, fills := -1, 0.0
	for i, o := range seen {
		whole := bounds(o.Corners)
		held := box.common(whole)
		long := held.X1-held.X0 >= fullSide*(whole.X1-whole.X0) || held.Y1-held.Y0 >= fullSide*(whole.Y1-whole.Y0)
		if taken[i] || !long || held.area() < boxHeld*box.area() {
			continue
		}
		if share := held.area() / whole.area(); share > fills {
			best, fills = i, share
		}
	}
	return best
}

// matchPlaceless answers for a label that says only which card is in the
// picture: the free answer that names it, else the surest one.
func matchPlaceless(card Card, seen []board.Observation, taken []bool) int {
	best := -1
	named := func(i int) bool { return seen[i].Card != nil && seen[i].Card.ID == card.ID }
	for i := range seen {
		switch {
		case taken[i]:
		case best < 0, named(i) && !named(best), named(i) == named(best) && seen[i].Confidence > seen[best].Confidence:
			best = i
		}
	}
	return best
}

func overlap(card Card, o board.Observation) float64 {
	switch {
	case card.Corners != nil && card.Outline != nil:
		return max(card.Corners.Overlap(o.Corners), card.Outline.Overlap(o.Corners))
	case card.Corners != nil:
		return card.Corners.Overlap(o.Corners)
	case card.Box != nil:
		return card.Box.overlap(bounds(o.Corners))
	}
	return 0
}

func bounds(q board.Quad) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range q {
		b.X0, b.X1 = min(b.X0, p.X), max(b.X1, p.X)
		b.Y0, b.Y1 = min(b.Y0, p.Y), max(b.Y1, p.Y)
	}
	return b
}

func (b Box) area() float64 { return max(0, b.X1-b.X0) * max(0, b.Y1-b.Y0) }

// common is what two boxes share; its area is 0 when that is nothing.
func (b Box) common(c Box) Box {
	return Box{max(b.X0, c.X0), max(b.Y0, c.Y0), min(b.X1, c.X1), min(b.Y1, c.Y1)}
}

func (b Box) overlap(c Box) float64 {
	inter := b.common(c).area()
	union := b.area() + c.area() - inter
	if union <= 0 {
		return 0
	}
	return inter / union
}

// cornerError is the mean distance of the four corners, in pixels, under the
// turn that fits best: it measures the outline. A wrong turn is counted as
// such, not once more as corners a card's length away.
func cornerError(truth, seen board.Quad) float64 {
	best := math.Inf(1)
	for k := range 4 {
		var sum float64
		for i, p := range seen.Turned(k) {
			sum += p.Distance(truth[i])
		}
		best = min(best, sum/4)
	}
	return best
}

// angleError is the turn between both angles in degrees, no finer than either
// side claims to tell it.
func angleError(card Card, o board.Observation) float64 {
	d := math.Abs(board.AngleDiff(o.AngleDeg, card.AngleDeg))
	for _, modulo := range []float64{card.AngleModulo, o.AngleModulo} {
		if modulo > 0 && modulo < 360 {
			d = math.Mod(d, modulo)
			d = min(d, modulo-d)
		}
	}
	return d
}
