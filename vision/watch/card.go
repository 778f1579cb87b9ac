package watch

import (
	"image"
	"math"
	"slices"
	"time"

	"tabletop/board"
)

// How alike things must be. All are shares unless said otherwise.
const (
	sameTolerance = 10   // grey levels, besides noise, a cell may differ from what it was
	sameContrast  = 0.12 // and this share of its value: shadows of a hand are soft
	seenEvidence  = 0.08 // least part of a card's telling cells that must still look the same
	seenCells     = 6    // and this many of them
	samePlace     = 0.12 // of the card's height: corners this close are one place
	shiftedShare  = 0.75 // of a card's cells that look the same, below which it may have been shifted
	settledShare  = 0.5  // the same, below which a card that was found in motion has moved on
	partlyMasked  = 0.9  // below it, a place is partly masked by something
	groundShare   = 0.5  // of a place, uncovered: it looks like the table
	quietRing     = 0.75 // of the cells around a place: nothing reaches over its edge
	outlineStep   = 14   // grey levels across a card's outline that are no edge yet
)

// card is a card known to lie on the table, and how it looked when scanned.
type card struct {
	obs   board.Observation
	cells []int32   // of the grid, inside the outline and not under another card
	look  []float32 // blue, green, red of each, at rest
	told  []bool    // cells that differ from the table and from the card's other parts near by
	tells int       // how many
	box   image.Rectangle
	at    []int16 // position in cells of each cell of box, or -1
	ring  []int32 // cells just outside the outline

	share   float64 // of the cells, those that still look the same
	agree   []bool  // which
	covered bool    // none of it is seen; it may be under something
	busy    bool    // something moves over it in this frame
	// tentative says that something has moved at it ever since it was found: it
	// may be on its way itself.
	tentative bool
	learnt    int // frame in which it was found
	seenAt    int // frame in which it was last compared and seen
}

// newCard learns the look of a card from the current frame. over are the
// outlines of cards that lie on it.
func (w *Watcher) newCard(obs board.Observation, over []board.Quad) *card {
	k := &card{obs: obs, share: 1, learnt: w.frames, seenAt: w.frames}
	k.box = w.gridBox(obs.Corners)
	k.at = make([]int16, k.box.Dx()*k.box.Dy())
	outer, inner := scaled(obs.Corners, 1.3), scaled(obs.Corners, 1.06)
	for y := k.box.Min.Y; y < k.box.Max.Y; y++ {
		for x := k.box.Min.X; x < k.box.Max.X; x++ {
			p := w.centre(x, y)
			pos := &k.at[(y-k.box.Min.Y)*k.box.Dx()+x-k.box.Min.X]
			*pos = -1
			if !obs.Corners.Contains(p) || slices.ContainsFunc(over, func(q board.Quad) bool { return q.Contains(p) }) {
				continue
			}
			*pos = int16(len(k.cells))
			k.cells = append(k.cells, int32(y*w.w+x))
		}
	}
	around := w.gridBox(outer)
	for y := around.Min.Y; y < around.Max.Y; y++ {
		for x := around.Min.X; x < around.Max.X; x++ {
			if p := w.centre(x, y); outer.Contains(p) && !inner.Contains(p) {
				k.ring = append(k.ring, int32(y*w.w+x))
			}
		}
	}
	k.agree = make([]bool, len(k.cells))
	k.told = make([]bool, len(k.cells))
	w.relook(k)
	k.obs.StillSince = w.stillSince(k)
	return k
}

// stillShare is the share of a card's telling cells that must have kept still
// for the card to have kept still: a card that is moved moves in all of them, and
// the hand that leaves it may move in front of many.
const stillShare = 1.0 / 3

// stillSince is since when a card has lain as it does. Cells that look the same
// as those near by show no movement and have no say.
func (w *Watcher) stillSince(k *card) time.Time {
	var times []float32
	for i, c := range k.cells {
		if k.told[i] {
			times = append(times, w.movedAt[c])
		}
	}
	if len(times) < seenCells {
		return w.lastAt
	}
	slices.Sort(times)
	return w.first.Add(time.Duration(float64(times[int(stillShare*float64(len(times)))]) * float64(time.Second)))
}

// relook takes the card's look from the current frame.
func (w *Watcher) relook(k *card) {
	k.look = k.look[:0]
	for _, c := range k.cells {
		for ch := range 3 {
			k.look = append(k.look, w.light.atRest(ch, float32(w.cur[3*int(c)+ch])))
		}
	}
	k.share, k.covered, k.tells = 1, false, 0
	around := w.ringLook(k)
	for y := k.box.Min.Y; y < k.box.Max.Y; y++ {
		for x := k.box.Min.X; x < k.box.Max.X; x++ {
			i := k.pos(x, y)
			if i < 0 {
				continue
			}
			table := around[:]
			if ground, known := w.groundAt(k.cells[i]); known {
				table = ground
			}
			k.agree[i] = true
			k.told[i] = unlike(k.lookAt(i), table) && k.varies(x, y)
			if k.told[i] {
				k.tells++
			}
		}
	}
}

func (k *card) lookAt(i int) []float32 { return k.look[3*i : 3*i+3] }

// varies says whether the card looks different two cells away: only there does
// it show that it has been shifted.
func (k *card) varies(x, y int) bool {
	i := k.pos(x, y)
	for _, d := range [4]image.Point{{X: -2}, {X: 2}, {Y: -2}, {Y: 2}} {
		if j := k.pos(x+d.X, y+d.Y); j >= 0 && unlike(k.lookAt(i), k.lookAt(j)) {
			return true
		}
	}
	return false
}

func unlike(a, b []float32) bool {
	for ch := range 3 {
		if abs32(a[ch]-b[ch]) > sameTolerance+sameContrast*a[ch] {
			return true
		}
	}
	return false
}

// ringLook is the median look, at rest, of the cells around a card.
func (w *Watcher) ringLook(k *card) (look [3]float32) {
	values := make([]float32, 0, len(k.ring))
	for ch := range 3 {
		values = values[:0]
		for _, c := range k.ring {
			values = append(values, w.light.atRest(ch, float32(w.cur[3*int(c)+ch])))
		}
		if len(values) > 0 {
			slices.Sort(values)
			look[ch] = values[len(values)/2]
		}
	}
	return look
}

// check compares the card's place with how the card looked. It sets share and
// agree, and says whether enough of what tells the card from the table is still
// there.
func (w *Watcher) check(k *card) (seen bool) {
	if len(k.cells) == 0 {
		return false
	}
	defer func() {
		if seen {
			k.seenAt = w.frames
		}
	}()
	same := w.alike(k, 1, w.same[:0])
	// A hand near a card shades it. The shade is looked for only when the card
	// does not look the same as it is, and only on all of it at once.
	if n := countTrue(same); n < len(same)*8/10 {
		if shade, ok := w.shade(k); ok {
			if shaded := w.alike(k, shade, w.shaded[:0]); countTrue(shaded) > n {
				same, w.same, w.shaded = shaded, shaded, same
			}
		}
	}
	w.same = same
	var agree, evidence int
	for y := k.box.Min.Y; y < k.box.Max.Y; y++ {
		for x := k.box.Min.X; x < k.box.Max.X; x++ {
			i := k.pos(x, y)
			if i < 0 {
				continue
			}
			// The neighbours have their say, so that stray noise hides nothing.
			k.agree[i] = k.alikeAround(same, x, y, 1) > 0.5
			if !k.agree[i] {
				continue
			}
			agree++
			// Here and there a hand or the table looks like the card by chance,
			// but not over a whole neighbourhood.
			if same[i] && k.told[i] && k.alikeAround(same, x, y, 2) >= 0.85 {
				evidence++
			}
		}
	}
	k.share = float64(agree) / float64(len(k.cells))
	if k.tells < len(k.cells)*15/100 {
		// It looks like the table: only what covers it can be told, not whether
		// it is there.
		return k.share >= 0.5
	}
	return evidence >= max(seenCells, int(seenEvidence*float64(k.tells)))
}

// alikeAround is the share of the card's cells no further than reach that look
// the same.
func (k *card) alikeAround(same []bool, x, y, reach int) float64 {
	var like, of int
	for yy := y - reach; yy <= y+reach; yy++ {
		for xx := x - reach; xx <= x+reach; xx++ {
			if j := k.pos(xx, yy); j >= 0 {
				of++
				if same[j] {
					like++
				}
			}
		}
	}
	return float64(like) / float64(of)
}

func (k *card) pos(x, y int) int {
	if !image.Pt(x, y).In(k.box) {
		return -1
	}
	return int(k.at[(y-k.box.Min.Y)*k.box.Dx()+x-k.box.Min.X])
}

// alike says for each cell of the card whether it looks as it did, given that
// it is darker or brighter than the frame's light tells by the factor shade.
func (w *Watcher) alike(k *card, shade float32, out []bool) []bool {
	for i, c := range k.cells {
		ok := true
		for ch := 0; ok && ch < 3; ch++ {
			want := min(255, shade*w.light.predict(ch, k.look[3*i+ch]))
			ok = abs32(float32(w.cur[3*int(c)+ch])-want) <= sameTolerance+sameContrast*want+2*w.noise[c]
		}
		out = append(out, ok)
	}
	return out
}

// shade is the median factor by which a card's cells are darker or brighter
// than expected; ok only where a believable one is found.
func (w *Watcher) shade(k *card) (factor float32, ok bool) {
	w.ratios = w.ratios[:0]
	for i, c := range k.cells {
		want := w.light.predict(0, k.look[3*i]) + w.light.predict(1, k.look[3*i+1]) + w.light.predict(2, k.look[3*i+2])
		is := float32(w.cur[3*int(c)]) + float32(w.cur[3*int(c)+1]) + float32(w.cur[3*int(c)+2])
		if want > 45 {
			w.ratios = append(w.ratios, is/want)
		}
	}
	if len(w.ratios) < seenCells {
		return 1, false
	}
	slices.Sort(w.ratios)
	factor = w.ratios[len(w.ratios)/2]
	return factor, factor > 0.5 && factor < 1.7
}

// samePlaceAs says whether two outlines are one place, whichever corner comes
// first.
func samePlaceAs(a, b board.Quad) bool {
	width, height := a.Edges()
	best := math.Inf(1)
	for k := range 4 {
		var worst float64
		for i, p := range b.Turned(k) {
			worst = max(worst, p.Distance(a[i]))
		}
		best = min(best, worst)
	}
	return best <= samePlace*max(width, height)
}

// ownLook says whether what lies inside the outline is still the card k itself:
// an answer there is a part of k taken for a card.
func (k *card) ownLook(w *Watcher, outline board.Quad) bool {
	var inside, agree int
	for i, c := range k.cells {
		if outline.Contains(w.centre(int(c)%w.w, int(c)/w.w)) {
			inside++
			if k.agree[i] {
				agree++
			}
		}
	}
	cell := float64(w.sampler.cell * w.sampler.cell)
	return float64(inside)*cell >= 0.5*outline.Area() && agree*10 >= inside*7
}

// gone says whether the place of a card that is not seen shows the table. over
// are the outlines of cards that are seen and may lie on it now, fresh the cards
// just found that were not known before.
func (w *Watcher) gone(k *card, over []board.Quad, fresh []board.Observation) bool {
	around, aroundKnown := w.tableAround(k)
	var bare, table, guessed int
	for _, c := range k.cells {
		if w.within(c, over) {
			continue
		}
		bare++
		ground, known := w.groundAt(c)
		switch {
		case known && w.looksLike(c, ground):
			table++
		case !known && aroundKnown && w.looksLike(c, around):
			guessed++
		}
	}
	if bare*10 <= len(k.cells) { // another card took its place
		return true
	}
	if float64(table) >= groundShare*float64(bare) {
		return true
	}
	if !w.ringQuiet(k, over) {
		return false // an arm may have the table's colour
	}
	if float64(table+guessed) >= groundShare*float64(bare) {
		return true
	}
	// The table below may never have been seen. But what hides a whole card
	// reaches over its edge, and what does not is a card itself: it would have
	// been found, or shows its own edge, unless the card that lay here has been
	// seen to lie elsewhere now.
	return w.elsewhere(k, fresh) || w.outlineFaded(k, over) || w.edges(k.obs.Corners) <= strayEdges
}

// elsewhere says whether a card that shows the same face has come to rest in
// another place since this one was last seen.
func (w *Watcher) elsewhere(k *card, fresh []board.Observation) bool {
	if k.obs.Card == nil {
		return false
	}
	same := func(o board.Observation) bool { return o.Card != nil && o.Card.ID == k.obs.Card.ID }
	return slices.ContainsFunc(fresh, same) || slices.ContainsFunc(w.cards, func(o *card) bool {
		return o != k && !o.covered && o.learnt > k.seenAt && same(o.obs)
	})
}

// laidBareShare is how much of a card's place must show the table for the card
// to be gone although something still moves there. It is high, for a sleeve that
// passes over may look like the table here and there.
const laidBareShare = 0.9

// laidBare says whether the place of a card shows the table as it looked before
// the card came.
func (w *Watcher) laidBare(k *card) bool {
	table := 0
	for _, c := range k.cells {
		if w.showsTable(c) {
			table++
		}
	}
	return float64(table) >= laidBareShare*float64(len(k.cells))
}

// showsTable says whether a cell looks like the table was seen to look there.
func (w *Watcher) showsTable(c int32) bool {
	ground, known := w.groundAt(c)
	return known && w.looksLike(c, ground)
}

// vacate gives the place of a card that is gone, with its edge, back to the
// table, but for what other cards have of it.
func (w *Watcher) vacate(k *card) {
	place := w.grownByCells(k.obs.Corners, edgeCells)
	var others []board.Quad
	for _, o := range w.cards {
		others = append(others, w.grownByCells(o.obs.Corners, edgeCells))
	}
	box := w.gridBox(place)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := int32(y*w.w + x)
			if (w.class[c] == cardCell || w.class[c] == edgeCell) && w.groundKnown[c] && place.Contains(w.centre(x, y)) && !w.within(c, others) {
				w.class[c] = tableCell
				copy(w.rest[3*c:3*c+3], w.ground[3*c:3*c+3])
			}
		}
	}
}

func (w *Watcher) within(c int32, outlines []board.Quad) bool {
	p := w.centre(int(c)%w.w, int(c)/w.w)
	return slices.ContainsFunc(outlines, func(q board.Quad) bool { return q.Contains(p) })
}

// tableAround is the median look at rest of the table close to a card.
func (w *Watcher) tableAround(k *card) (look []float32, known bool) {
	var values [3][]float32
	for _, c := range k.ring {
		if w.class[c] == tableCell {
			for ch := range values {
				values[ch] = append(values[ch], w.rest[3*int(c)+ch])
			}
		}
	}
	if len(values[0]) < minCells {
		return nil, false
	}
	for ch := range values {
		slices.Sort(values[ch])
		look = append(look, values[ch][len(values[ch])/2])
	}
	return look, true
}

// looksLike says whether a cell shows the given look at rest.
func (w *Watcher) looksLike(c int32, look []float32) bool {
	for ch := range 3 {
		want := w.light.predict(ch, look[ch])
		if abs32(float32(w.cur[3*int(c)+ch])-want) > sameTolerance+0.08*want+2*w.noise[c] {
			return false
		}
	}
	return true
}

// ringQuiet says whether nothing but cards lies or moves across the edge of the
// place.
func (w *Watcher) ringQuiet(k *card, over []board.Quad) bool {
	var quiet, of int
	for _, c := range k.ring {
		if w.within(c, over) {
			continue
		}
		of++
		ground, known := w.groundAt(c)
		if known && w.looksLike(c, ground) || w.class[c] == cardCell && w.looksLike(c, w.rest[3*c:3*c+3]) {
			quiet++
		}
	}
	return of >= minCells && float64(quiet) >= quietRing*float64(of)
}

// outlineFaded says whether no edge is left along most of the outline.
func (w *Watcher) outlineFaded(k *card, over []board.Quad) bool {
	centre := k.obs.Corners.Centre()
	reach := 1.5 * float64(w.sampler.cell)
	var faded, of int
	for i := range 4 {
		a, b := k.obs.Corners[i], k.obs.Corners[(i+1)%4]
		steps := max(2, int(a.Distance(b)/float64(w.sampler.cell)))
		for s := 1; s < steps; s++ {
			p := a.Add(b.Sub(a).Scale(float64(s) / float64(steps)))
			in := centre.Sub(p)
			in = in.Scale(reach / max(in.Norm(), 1e-9))
			if slices.ContainsFunc(over, func(q board.Quad) bool { return q.Contains(p.Add(in)) || q.Contains(p.Sub(in)) }) {
				continue
			}
			ci, oki := w.cellAt(p.Add(in))
			co, oko := w.cellAt(p.Sub(in))
			if !oki || !oko {
				continue
			}
			of++
			var step float32
			for ch := range 3 {
				step = max(step, abs32(float32(w.cur[3*int(ci)+ch])-float32(w.cur[3*int(co)+ch])))
			}
			if step <= outlineStep+4*w.noise[co] {
				faded++
			}
		}
	}
	return of > 0 && faded*10 >= of*7
}

func (w *Watcher) centre(x, y int) board.Point {
	c := float64(w.sampler.cell)
	return board.Point{X: (float64(x) + 0.5) * c, Y: (float64(y) + 0.5) * c}
}

func (w *Watcher) cellAt(p board.Point) (int32, bool) {
	x, y := int(math.Floor(p.X/float64(w.sampler.cell))), int(math.Floor(p.Y/float64(w.sampler.cell)))
	return int32(y*w.w + x), x >= 0 && y >= 0 && x < w.w && y < w.h
}

// gridBox is the box of cells that holds a quad, cut to the grid.
func (w *Watcher) gridBox(q board.Quad) image.Rectangle {
	return toGrid(pixelBox(q), w.sampler.cell).Intersect(image.Rect(0, 0, w.w, w.h))
}

func pixelBox(q board.Quad) image.Rectangle {
	lo, hi := q[0], q[0]
	for _, p := range q[1:] {
		lo = board.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = board.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	return image.Rect(int(math.Floor(lo.X)), int(math.Floor(lo.Y)), int(math.Ceil(hi.X)), int(math.Ceil(hi.Y)))
}

func toGrid(r image.Rectangle, cell int) image.Rectangle {
	floor := func(v int) int { return int(math.Floor(float64(v) / float64(cell))) }
	return image.Rect(floor(r.Min.X), floor(r.Min.Y), floor(r.Max.X+cell-1), floor(r.Max.Y+cell-1))
}

func scaled(q board.Quad, f float64) board.Quad {
	c := q.Centre()
	return q.Map(func(p board.Point) board.Point { return c.Add(p.Sub(c).Scale(f)) })
}

func countTrue(list []bool) (n int) {
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}
