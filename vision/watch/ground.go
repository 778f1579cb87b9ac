package watch

import (
	"time"

	"tabletop/board"
)

// class is what a cell showed when it last came to rest.
type class uint8

const (
	unseenCell class = iota
	tableCell        // the table, or what was taken for a part of it
	cardCell         // a card
	thingCell        // neither: a hand at rest, a box, a card that was not recognised
	edgeCell         // the table close to a card, where the card's edge or shadow shows in it
)

// edgeCells is how far around a card, in cells, its edge and its shadow may show.
const edgeCells = 2

// thing is a connected part of the frame that is neither card nor table.
type thing struct {
	cells []int32
	since time.Time
	tries int // scans since then
}

// groundAt is the table's look, at rest, in a cell; known only where it was
// seen since the start.
func (w *Watcher) groundAt(c int32) (look []float32, known bool) {
	switch {
	case w.class[c] == tableCell:
		return w.rest[3*c : 3*c+3], true
	case w.groundKnown[c]:
		return w.ground[3*c : 3*c+3], true
	}
	return nil, false
}

// settle takes the current look of cells that came to rest for their look at
// rest, and tells which of them show a card, the table, or a thing. freed are
// the places of cards that are gone. Things keep their age unless fresh.
func (w *Watcher) settle(cells []int32, freed []board.Quad, fresh bool, at time.Time) {
	const outside, halo, card, free = 0, 1, 2, 3
	place := w.place
	clear(place)
	mark := func(q board.Quad, v uint8) {
		box := w.gridBox(q)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				if q.Contains(w.centre(x, y)) {
					place[y*w.w+x] = v
				}
			}
		}
	}
	for _, q := range freed {
		mark(w.grownByCells(q, edgeCells), free)
	}
	for _, k := range w.cards {
		if !k.covered {
			mark(w.grownByCells(k.obs.Corners, edgeCells), halo)
		}
	}
	for _, k := range w.cards {
		if !k.covered {
			mark(k.obs.Corners, card)
		}
	}
	for _, c := range cells {
		ground, known := w.groundAt(c)
		next := thingCell
		switch {
		case place[c] == card:
			next = cardCell
		case known && w.looksLike(c, ground), place[c] == free:
			next = tableCell
		case place[c] == halo && known:
			next = edgeCell
		case place[c] == halo:
			next = tableCell
		}
		if next != tableCell && w.class[c] == tableCell {
			// What the table looks like here is seen again when this has gone.
			copy(w.ground[3*c:3*c+3], ground)
			w.groundKnown[c] = true
		}
		w.class[c] = next
		w.take(c)
	}
	w.gatherThings(cells, fresh, at)
}

// take makes a cell's current look its look at rest.
func (w *Watcher) take(c int32) {
	for ch := range 3 {
		w.rest[3*int(c)+ch] = w.light.atRest(ch, float32(w.cur[3*int(c)+ch]))
	}
	w.noise[c] = max(w.noise[c], startNoise)
}

// gatherThings finds the things anew after cells came to rest.
func (w *Watcher) gatherThings(cells []int32, fresh bool, at time.Time) {
	old := w.things
	clear(w.owner)
	for i, t := range old {
		for _, c := range t.cells {
			w.owner[c] = int16(i + 1)
		}
	}
	if fresh {
		for _, c := range cells {
			w.owner[c] = 0
		}
	}
	clear(w.scratch)
	for c, v := range w.class {
		if v == thingCell {
			w.scratch[c] = 1
		}
	}
	w.things = nil
	for _, part := range w.components(w.scratch) {
		t := thing{since: at}
		inherits := true
		for _, c := range part.cells {
			if w.class[c] != thingCell {
				continue
			}
			t.cells = append(t.cells, c)
			if o := w.owner[c]; o == 0 {
				inherits = false
			} else if inherits {
				t.since, t.tries = old[o-1].since, old[o-1].tries
			}
		}
		if !inherits {
			t.since, t.tries = at, 0
		}
		if len(t.cells) < w.smallThing() && !w.mayCover(t) {
			w.accept(t)
			continue
		}
		w.things = append(w.things, t)
	}
}

// smallThing is the size in cells below which a thing is a crumb, a coin or the
// edge of a shadow: it hides no card.
func (w *Watcher) smallThing() int {
	return max(2*minCells, int(0.12*w.cardArea()/float64(w.sampler.cell*w.sampler.cell)))
}

// accept takes a thing for a part of the table.
func (w *Watcher) accept(t thing) {
	for _, c := range t.cells {
		w.class[c] = tableCell
		w.groundKnown[c] = false
	}
}

// mayCover says whether a card that is not seen may lie under the thing.
func (w *Watcher) mayCover(t thing) bool {
	for _, k := range w.cards {
		if !k.covered {
			continue
		}
		for _, c := range t.cells {
			if k.obs.Corners.Contains(w.centre(int(c)%w.w, int(c)/w.w)) {
				return true
			}
		}
	}
	return false
}

// dueThings picks the things to be scanned once more, with more room around: it
// may be the part of a card that was uncovered last, or a card that was put down
// in a blurred moment. Those that stay what they are for long enough are
// accepted.
func (w *Watcher) dueThings(at time.Time) (due [][]int32) {
	var left []thing
	for _, t := range w.things {
		age := at.Sub(t.since)
		switch {
		case t.tries == 0, t.tries == 1 && age >= w.opt.AcceptAfter/3, t.tries == 2 && age >= w.opt.AcceptAfter:
			t.tries++
			due = append(due, t.cells)
		case t.tries == 3 && age > w.opt.AcceptAfter && !w.mayCover(t):
			w.accept(t)
			continue
		}
		left = append(left, t)
	}
	w.things = left
	return due
}

// grownByCells moves each corner outwards by about n cells along both edges.
func (w *Watcher) grownByCells(q board.Quad, n float64) board.Quad {
	width, height := q.Edges()
	by := 2 * n * float64(w.sampler.cell)
	c := q.Centre()
	f := 1 + by/max(1, min(width, height))
	return q.Map(func(p board.Point) board.Point { return c.Add(p.Sub(c).Scale(f)) })
}

// cardArea is the usual area of a card in pixels: the median of those known,
// or what it was when there were any, or a guess for a table of many cards.
func (w *Watcher) cardArea() float64 {
	if w.usualArea > 0 {
		return w.usualArea
	}
	return 0.005 * float64(w.sampler.frame.X*w.sampler.frame.Y)
}
