package vision

import (
	"fmt"
	"slices"

	"tabletop/board"
)

// overlapping is the share of a card that another must lie over for their order
// to matter: sleeves and errors of a pixel make neighbours touch.
const overlapping = 0.03

// settle tells which of the cards that overlap lies on top, and from that what
// is in view of each and how deep they lie.
func (t *table) settle() error {
	below := make([][]int, len(t.cards))
	for i := range t.cards {
		for j := range i {
			if !overlap(t.cards[i].quad, t.cards[j].quad) {
				continue
			}
			upper, known, err := t.upper(i, j)
			if err != nil {
				return fmt.Errorf("tell which card lies on top: %w", err)
			}
			if !known {
				continue
			}
			lower := i + j - upper
			below[upper] = append(below[upper], lower)
			if !slices.Contains(t.cards[lower].above, upper) {
				t.cards[lower].above = append(t.cards[lower].above, upper)
			}
		}
	}
	depths := make([]int, len(t.cards))
	for i := range t.cards {
		c := &t.cards[i]
		c.seen.Layer = depth(i, below, depths, make([]bool, len(t.cards)))
		if len(c.above) > 0 && c.seen.named {
			n := 0
			t.inView(c.quad, c.above, func(board.Point) { n++ })
			c.seen.Visible = min(c.seen.Visible, float64(n)/(samplesAcross*samplesDown))
		}
	}
	return nil
}

func overlap(a, b board.Quad) bool {
	return board.Polygon(a[:]).Clip(board.Polygon(b[:])).Area() > overlapping*min(a.Area(), b.Area())
}

// upper is which of two cards that overlap lies on top: as they were found, or
// whose print shows where they do.
func (t *table) upper(i, j int) (int, bool, error) {
	a, b := &t.cards[i], &t.cards[j]
	switch {
	case slices.Contains(a.above, j):
		return j, true, nil
	case slices.Contains(b.above, i):
		return i, true, nil
	case a.free != b.free:
		if a.free {
			return i, true, nil
		}
		return j, true, nil
	case a.ref < 0 || b.ref < 0:
		return 0, false, nil
	}
	likeA, seenA, err := t.s.verifier.Likeness(t.img, t.portrait(a), a.ref, b.quad)
	if err != nil {
		return 0, false, err
	}
	likeB, seenB, err := t.s.verifier.Likeness(t.img, t.portrait(b), b.ref, a.quad)
	if err != nil || !seenA || !seenB {
		return 0, false, err
	}
	if likeA > likeB {
		return i, true, nil
	}
	return j, true, nil
}

// portrait is a card's outline as its picture stands in portrait.
func (t *table) portrait(c *placed) board.Quad {
	if t.s.verifier.Picture(c.ref).Wide {
		return c.seen.Corners.Turned(3)
	}
	return c.seen.Corners
}

// depth is how many cards lie below one, one under the other. Orders that
// contradict each other make a ring, which is cut where it closes.
func depth(i int, below [][]int, depths []int, visiting []bool) int {
	if depths[i] > 0 || visiting[i] {
		return depths[i]
	}
	visiting[i] = true
	for _, j := range below[i] {
		if visiting[j] && depths[j] == 0 {
			continue
		}
		depths[i] = max(depths[i], 1+depth(j, below, depths, visiting))
	}
	visiting[i] = false
	return depths[i]
}
