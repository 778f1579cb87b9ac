package watch

import (
	"image"
	"math"
	"slices"
	"time"

	"tabletop/board"
)

// judge brings what was found in the regions together with the cards known,
// and decides of each card that lay in the settled cells and is not seen any
// more whether it is gone or covered. The settled cells are then at rest, and
// so are those of new cards, but for what still moves: it is scanned again when
// it stops.
func (w *Watcher) judge(found []board.Observation, regions []image.Rectangle, settled []int32, busy []component, at time.Time) {
	touched := make(mask, len(w.class))
	for _, c := range settled {
		touched[c] = 1
	}
	var freed []board.Quad
	claimed, left := w.merge(found, regions, func(k *card, over []board.Quad, fresh []board.Observation) bool {
		if !slices.ContainsFunc(k.cells, func(c int32) bool { return touched[c] != 0 }) || !w.gone(k, over, fresh) {
			return false
		}
		freed = append(freed, k.obs.Corners)
		return true
	})
	freed = append(freed, left...)
	freed = append(freed, w.vacated...)
	w.vacated = nil
	for _, q := range freed {
		claimed = append(claimed, w.cellsIn(q, touched)...)
	}
	for _, part := range busy {
		for _, c := range part.cells {
			touched[c] = 2
		}
	}
	claimed = slices.DeleteFunc(claimed, func(c int32) bool { return touched[c] == 2 })
	for _, q := range freed {
		if slices.ContainsFunc(w.cellsIn(q, nil), func(c int32) bool { return touched[c] == 2 }) {
			w.vacated = append(w.vacated, q) // for when this comes to rest
		}
	}
	for _, k := range w.cards {
		k.tentative = k.tentative || k.learnt == w.frames && slices.ContainsFunc(k.cells, func(c int32) bool { return touched[c] == 2 })
	}
	w.settle(slices.Concat(settled, claimed), freed, true, at)
}

// judgeAnew judges the whole frame after the light or the camera changed so
// much that the table is not known any more. If most cards lie where they were,
// the camera was not moved, and what is not seen may still be covered.
func (w *Watcher) judgeAnew(found []board.Observation, at time.Time) {
	for _, k := range w.cards {
		k.covered = !w.check(k)
	}
	var stayed int
	for _, k := range w.cards {
		if !k.covered || slices.ContainsFunc(found, func(o board.Observation) bool { return samePlaceAs(k.obs.Corners, o.Corners) }) {
			stayed++
		}
	}
	moved := 2*stayed < len(w.cards)
	// From here on, what the frame shows is the look at rest.
	for _, k := range w.cards {
		for i := range k.look {
			k.look[i] = w.light.predict(i%3, k.look[i])
		}
	}
	w.things, w.vacated = nil, nil
	w.light, w.lightBefore = sameLight(), sameLight()
	w.restart()
	w.merge(found, nil, func(k *card, over []board.Quad, fresh []board.Observation) bool {
		return moved || w.gone(k, over, fresh)
	})
	w.classify()
	w.scanned = at
}

// merge brings found cards together with those known. unseen decides of a known
// card that is neither found nor seen whether it is gone; nil: none is. It
// returns the cells of cards that are new or lie otherwise, and the places that
// cards have left for others close by.
//
// Cards must have been checked against the current frame where it matters: in
// the regions, merge does it itself.
func (w *Watcher) merge(found []board.Observation, regions []image.Rectangle, unseen func(k *card, over []board.Quad, fresh []board.Observation) bool) (claimed []int32, left []board.Quad) {
	for _, k := range w.cards {
		if slices.ContainsFunc(regions, func(r image.Rectangle) bool { return r.Overlaps(pixelBox(k.obs.Corners)) }) {
			k.covered = !w.check(k)
		}
	}
	matched := make([]bool, len(w.cards))
	var fresh []board.Observation
	var over []board.Quad // outlines of the cards that are seen
	replaced := make([]bool, len(w.cards))
	known := map[int]*card{} // of the fresh, those that lie as they were known and seen
	for _, o := range found {
		i := slices.IndexFunc(w.cards, func(k *card) bool { return samePlaceAs(k.obs.Corners, o.Corners) })
		if i >= 0 && matched[i] {
			continue // a second answer for one place
		}
		if j := slices.IndexFunc(w.cards, func(k *card) bool { return k.shiftedTo(o) }); i < 0 && j >= 0 {
			matched[j], replaced[j] = true, true
			left = append(left, w.cards[j].obs.Corners)
		}
		if i >= 0 {
			matched[i] = true
			k := w.cards[i]
			if !k.covered && k.obs.Card == nil && o.Card != nil && k.masked() {
				k.name(o)
				continue
			}
			if !better(k, o) {
				continue
			}
			replaced[i] = true
			if !k.covered {
				known[len(fresh)] = k
			}
		} else if slices.ContainsFunc(w.cards, func(k *card) bool { return !k.covered && !k.shiftedTo(o) && k.ownLook(w, o.Corners) }) {
			continue
		}
		fresh = append(fresh, o)
		over = append(over, o.Corners)
	}
	for i, k := range w.cards {
		if !k.covered && !replaced[i] {
			over = append(over, k.obs.Corners)
		}
	}
	var kept []*card
	for i, k := range w.cards {
		switch {
		case replaced[i]:
		case !matched[i] && k.covered && unseen != nil && unseen(k, over, fresh):
		default:
			kept = append(kept, k)
		}
	}
	w.cards = kept
	for i, o := range fresh {
		var over []board.Quad
		for _, k := range kept {
			if !k.covered && k.obs.Visible > o.Visible+0.05 {
				over = append(over, k.obs.Corners)
			}
		}
		for _, other := range fresh {
			if other.Visible > o.Visible+0.05 {
				over = append(over, other.Corners)
			}
		}
		k := w.newCard(o, over)
		if before := known[i]; before != nil {
			k.learnt, k.tentative = before.learnt, before.tentative
			if before.obs.StillSince.Before(k.obs.StillSince) {
				k.obs.StillSince = before.obs.StillSince
			}
		}
		claimed = append(claimed, k.cells...)
		w.cards = append(w.cards, k)
	}
	w.learnArea()
	return claimed, left
}

// shiftedTo says whether an answer is the card a little off the place where it
// was known and no longer looks the same: it was moved, or found while it moved.
func (k *card) shiftedTo(o board.Observation) bool {
	return k.obs.Card != nil && o.Card != nil && k.obs.Card.ID == o.Card.ID && k.share < shiftedShare && k.obs.Corners.Overlap(o.Corners) > 0.5
}

// masked says whether something hides a part of the card.
func (k *card) masked() bool { return k.share < partlyMasked }

// better says whether a new answer for a card's place is to replace the one
// known. A card that looks the same is the same card: then the surer answer
// stays, and a place that something partly masks keeps the outline it had.
func better(k *card, o board.Observation) bool {
	switch {
	case k.covered:
		return true
	case k.masked():
		// What came to rest there may belong to the card now (a token), or the
		// card was first seen under a hand that has left.
		return !k.busy && o.Visible >= min(partlyMasked, k.obs.Visible)
	case k.obs.Card == nil && o.Card != nil:
		return true
	case k.obs.Card != nil && o.Card == nil:
		return false
	}
	return o.Confidence >= k.obs.Confidence-0.02 || o.Visible > k.obs.Visible+0.1
}

// name gives a card that is partly masked the answer's name, face and turn and
// leaves its outline where it is.
func (k *card) name(o board.Observation) {
	var turns int
	best := math.Inf(1)
	for t := range 4 {
		var sum float64
		for i, p := range k.obs.Corners.Turned(t) {
			sum += p.Distance(o.Corners[i])
		}
		if sum < best {
			turns, best = t, sum
		}
	}
	outline, visible := k.obs.Corners.Turned(turns), k.obs.Visible
	since := k.obs.StillSince
	k.obs = o
	k.obs.StillSince = since
	k.obs.Corners, k.obs.AngleDeg, k.obs.Visible = outline, outline.AngleDeg(), visible
}

// learnArea keeps the usual size of a card.
func (w *Watcher) learnArea() {
	var areas []float64
	for _, k := range w.cards {
		areas = append(areas, k.obs.Corners.Area())
	}
	if len(areas) > 0 {
		slices.Sort(areas)
		w.usualArea = areas[len(areas)/2]
	}
}

// cellsIn are the cells of a place that are not marked yet, if there are any
// marks, with its edge.
func (w *Watcher) cellsIn(q board.Quad, marked mask) (cells []int32) {
	q = w.grownByCells(q, 1)
	box := w.gridBox(q)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if c := int32(y*w.w + x); (marked == nil || marked[c] == 0) && q.Contains(w.centre(x, y)) {
				cells = append(cells, c)
			}
		}
	}
	return cells
}
