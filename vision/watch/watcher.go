package watch

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Scanner finds cards in a picture. Corners are in pixels of img. regions
// limits where it looks; nil is the whole picture. A card that lies only partly
// in the regions may be reported or not.
type Scanner interface {
	Scan(ctx context.Context, img gocv.Mat, regions []image.Rectangle) ([]board.Observation, error)
}

const (
	startNoise  = 1.0 // grey levels, of a cell not watched yet
	globalShare = 0.6 // of the frame: so much change is no card but the light or the camera
)

// Watcher follows the cards of one camera. It is not safe for concurrent use,
// starts no goroutine and keeps no frame. Close frees its memory.
type Watcher struct {
	scanner Scanner
	pixels  pixels // of the frame that Look was given, while it looks
	opt     Options
	sampler *sampler
	w, h    int // cells

	started  bool
	first    time.Time
	lastSeq  uint64
	lastAt   time.Time
	repeats  int
	scanned  time.Time // the whole frame, last
	lastView board.View
	audited  int // the card last compared with its look
	frames   int // compared so far

	cur, prev          []uint8 // blue, green, red of each cell
	light, lightBefore light
	rest               []float32 // each cell's look at rest
	noise              []float32 // mean difference from it, grey levels
	changed, moved     mask
	movedBefore        mask
	movedAt            []float32 // seconds since the first frame
	lookedAt           []float32 // the same: when it was last scanned, but not with the whole frame
	class              []class
	ground             []float32
	groundKnown        []bool

	cards     []*card
	things    []thing
	vacated   []board.Quad // places that cards have left and in which something moves still
	usualArea float64

	// Room that is used again from frame to frame.
	grown, scratch, place mask
	owner                 []int16
	stack                 []int32
	same, shaded          []bool
	ratios                []float32
}

// New returns a watcher that asks s for cards.
func New(s Scanner, o Options) (*Watcher, error) {
	if s == nil {
		return nil, fmt.Errorf("watch: a scanner is needed")
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Watcher{scanner: s, opt: o}, nil
}

// Close frees the watcher. It may be called more than once.
func (w *Watcher) Close() error {
	if w.sampler == nil {
		return nil
	}
	s := w.sampler
	w.sampler, w.started = nil, false
	return s.Close()
}

func (w *Watcher) allocate(frame gocv.Mat) error {
	s, err := newSampler(frame)
	if err != nil {
		return err
	}
	w.sampler, w.w, w.h = s, s.w, s.h
	n := s.w * s.h
	w.cur, w.prev = make([]uint8, 3*n), make([]uint8, 3*n)
	w.rest, w.ground = make([]float32, 3*n), make([]float32, 3*n)
	w.noise, w.movedAt, w.lookedAt = make([]float32, n), make([]float32, n), make([]float32, n)
	for _, m := range []*mask{&w.changed, &w.moved, &w.movedBefore, &w.grown, &w.scratch, &w.place} {
		*m = make(mask, n)
	}
	w.class, w.groundKnown, w.owner = make([]class, n), make([]bool, n), make([]int16, n)
	return nil
}

// Look takes the next frame, 8-bit BGR, and returns what it shows: cards and
// obscured places in pixels of the frame. The frame is not kept. seq numbers
// the camera's frames, with gaps where some were dropped; a number given again
// is the same frame again. at is when it was taken.
//
// An error of the scanner leaves the watcher as it was, and the next frame
// tries again. A frame of another size than the first is an error: the camera
// was set anew, so start a new watcher.
func (w *Watcher) Look(ctx context.Context, frame gocv.Mat, seq uint64, at time.Time) (board.View, Stats, error) {
	start := w.opt.Clock.Now()
	var stats Stats
	if err := checkFrame(frame); err != nil {
		return board.View{}, stats, err
	}
	if w.sampler == nil {
		if err := w.allocate(frame); err != nil {
			return board.View{}, stats, err
		}
	}
	if size := image.Pt(frame.Cols(), frame.Rows()); size != w.sampler.frame {
		return board.View{}, stats, fmt.Errorf("watch: the frame is %d×%d pixels but the first was %d×%d; start a new watcher when the camera's size changes",
			size.X, size.Y, w.sampler.frame.X, w.sampler.frame.Y)
	}
	w.pixels = pixelsOf(frame)
	err := w.look(ctx, frame, seq, at, &stats)
	w.pixels = pixels{}
	stats.Gate = w.opt.Clock.Now().Sub(start) - stats.Scan
	if err != nil {
		return board.View{}, stats, err
	}
	for ch := range 3 {
		stats.Gain[ch] = float64(w.light.gain[ch])
	}
	for _, k := range w.cards {
		if k.covered {
			stats.Covered++
		}
	}
	view := w.lastView
	view.Frame, view.At = seq, at
	view.Cards, view.Obscured = slices.Clone(view.Cards), slices.Clone(view.Obscured)
	return view, stats, nil
}

func (w *Watcher) look(ctx context.Context, frame gocv.Mat, seq uint64, at time.Time, stats *Stats) error {
	if !w.started {
		return w.begin(ctx, frame, seq, at, stats)
	}
	if seq == w.lastSeq {
		stats.Repeat = true
		return nil
	}
	if at.Before(w.lastAt) { // a clock that was set back
		at = w.lastAt
	}
	w.cur, w.prev = w.prev, w.cur
	if err := w.sampler.sample(frame, w.cur); err != nil {
		w.cur, w.prev = w.prev, w.cur
		return err
	}
	w.lastSeq, w.lastAt = seq, at
	for _, k := range w.cards {
		k.busy = false
	}
	// A camera never gives the same noise twice: a frame that is equal in every
	// cell is the last one delivered again, and says nothing of stillness. Only
	// a picture without noise stays equal for longer.
	if bytes.Equal(w.cur, w.prev) {
		if w.repeats++; w.repeats == 1 {
			stats.Repeat = true
			return nil
		}
	} else {
		w.repeats = 0
	}
	w.lightBefore = w.light
	w.light = fitLight(w.cur, w.rest, w.light)
	changed, moved := w.compare()
	if changed+moved == 0 && len(w.things) == 0 {
		clear(w.movedBefore)
		return w.quiet(ctx, frame, at, stats)
	}
	return w.active(ctx, frame, at, stats)
}

// begin scans the first frame. Whatever is no card is taken for the table.
func (w *Watcher) begin(ctx context.Context, frame gocv.Mat, seq uint64, at time.Time, stats *Stats) error {
	if err := w.sampler.sample(frame, w.cur); err != nil {
		return err
	}
	found, err := w.scan(ctx, frame, nil, stats)
	if err != nil {
		return err
	}
	w.light, w.lightBefore = sameLight(), sameLight()
	w.cards, w.things, w.vacated = nil, nil, nil
	w.restart()
	w.merge(found, nil, nil)
	w.classify()
	w.started, w.first, w.lastSeq, w.lastAt, w.scanned = true, at, seq, at, at
	w.report(nil)
	return nil
}

// restart forgets how the table looked and takes the current frame for it.
func (w *Watcher) restart() {
	for c := range w.class {
		w.class[c], w.groundKnown[c], w.noise[c] = unseenCell, false, startNoise
		w.take(int32(c))
	}
}

// classify calls every cell of which nothing is known a card's or the table's.
func (w *Watcher) classify() {
	for _, k := range w.cards {
		for _, c := range k.cells {
			w.class[c] = cardCell
		}
	}
	for c, v := range w.class {
		if v == unseenCell {
			w.class[c] = tableCell
		}
	}
}

// quiet handles a frame in which nothing differs: it looks at one known card
// after the other for what crept in slowly, and now and then at everything.
func (w *Watcher) quiet(ctx context.Context, frame gocv.Mat, at time.Time, stats *Stats) error {
	for _, k := range w.cards {
		k.tentative = false
	}
	if w.frames%rebaseEvery == 0 {
		w.rebase()
	}
	suspect := w.audit()
	if suspect != nil {
		if err := w.scanCells(ctx, frame, suspect, at, stats); err != nil {
			return err
		}
	} else if w.opt.Refresh > 0 && at.Sub(w.scanned) >= w.opt.Refresh {
		found, err := w.scan(ctx, frame, nil, stats)
		if err != nil {
			return err
		}
		w.scanned = at
		for _, k := range w.cards {
			k.covered = !w.check(k)
		}
		fresh, left := w.merge(found, nil, nil)
		w.settle(fresh, left, true, at)
	}
	w.report(nil)
	return nil
}

// audit compares one card with how it looked, another in each frame. It returns
// the cells of one that does not look the same although no change was noticed:
// something crept over it. A card that was thought covered is dropped once its
// place, at rest, shows the table.
func (w *Watcher) audit() (suspect []int32) {
	if len(w.cards) == 0 {
		return nil
	}
	w.audited = (w.audited + 1) % len(w.cards)
	k := w.cards[w.audited]
	before := k.share
	switch seen := w.check(k); {
	case seen:
		k.covered = false
		if k.share < before-0.15 {
			return k.cells
		}
	case !k.covered:
		return k.cells
	case w.gone(k, w.seenOutlines(), nil):
		w.cards = slices.Delete(w.cards, w.audited, w.audited+1)
		w.settle(k.cells, []board.Quad{k.obs.Corners}, true, w.lastAt)
	}
	return nil
}

// seenOutlines are the outlines of the cards that are seen.
func (w *Watcher) seenOutlines() (outlines []board.Quad) {
	for _, k := range w.cards {
		if !k.covered {
			outlines = append(outlines, k.obs.Corners)
		}
	}
	return outlines
}

// scanCells scans a part of the frame that is at rest and judges it.
func (w *Watcher) scanCells(ctx context.Context, frame gocv.Mat, cells []int32, at time.Time, stats *Stats) error {
	regions := w.regions([][]int32{cells}, nil, nil)
	found, err := w.scan(ctx, frame, regions, stats)
	if err != nil {
		return err
	}
	w.judge(found, regions, cells, nil, at)
	return nil
}

// active handles a frame in which something differs or lies about.
func (w *Watcher) active(ctx context.Context, frame gocv.Mat, at time.Time, stats *Stats) error {
	total := float64(w.w * w.h)
	moved := clean(w.moved, w.scratch, w.w, w.h)
	copy(w.moved, w.scratch)
	changed := clean(w.changed, w.scratch, w.w, w.h)
	copy(w.changed, w.scratch)
	stats.Changed, stats.Moving = float64(changed)/total, float64(moved)/total

	now := w.seconds(at)
	dilate(w.moved, w.scratch, w.w, w.h)
	for c, m := range w.scratch {
		if m != 0 {
			w.movedAt[c] = now
		}
	}
	var restless []component
	union := w.place
	switch {
	case changed+moved == 0:
	case float64(changed) >= globalShare*total || float64(moved) >= globalShare*total:
		restless = []component{w.everything(moved)}
	default:
		for c := range union {
			union[c] = w.moved[c] | w.changed[c]
		}
		restless = w.components(union)
	}
	var busy []component
	var onset, settled [][]int32
	for _, part := range restless {
		switch {
		case part.moved == 0:
			settled = append(settled, part.cells)
			continue
		case !part.again && w.mayHoldCard(part.box):
			onset = append(onset, part.cells)
		}
		busy = append(busy, part)
	}
	look := looks{onset: onset, resting: w.rested(busy, now), settled: settled, due: w.dueThings(at)}
	if !look.none() {
		if err := w.scanActive(ctx, frame, look, busy, at, stats); err != nil {
			return err
		}
	} else {
		w.recheck(busy, nil)
	}
	w.movedBefore, w.moved = w.moved, w.movedBefore
	dilate(w.movedBefore, w.scratch, w.w, w.h)
	copy(w.movedBefore, w.scratch)
	if len(busy) == 0 && len(settled) == 0 && look.due == nil {
		return w.quiet(ctx, frame, at, stats)
	}
	w.report(busy)
	return nil
}

// looks are the parts of a frame to be scanned, each a set of cells.
type looks struct {
	onset   [][]int32 // just began to move
	resting [][]int32 // keep still while what they are connected with moves on
	settled [][]int32 // came to rest
	due     [][]int32 // things that may be recognised by now
}

func (l looks) none() bool { return len(l.onset)+len(l.resting)+len(l.settled)+len(l.due) == 0 }

// scanActive scans what came to rest, what just began to move, and what is due
// for another look, all at once.
//
// A part that just began to move is scanned because of cameras that give only
// stills: the first picture of a card may be the last but one before it goes.
// What is found there, or in the resting part of what moves on, is reported,
// but nothing is concluded from what is not.
func (w *Watcher) scanActive(ctx context.Context, frame gocv.Mat, look looks, busy []component, at time.Time, stats *Stats) error {
	regions := w.regions(slices.Concat(look.onset, look.settled), look.resting, look.due)
	found, err := w.scan(ctx, frame, regions, stats)
	if err != nil {
		return err
	}
	now := w.seconds(at)
	for _, parts := range [][][]int32{look.onset, look.resting, look.settled, look.due} {
		for _, cells := range parts {
			for _, c := range cells {
				w.lookedAt[c] = now
			}
		}
	}
	w.recheck(busy, look.settled)
	if len(look.settled) == 1 && len(look.settled[0]) == w.w*w.h {
		w.judgeAnew(found, at)
		return nil
	}
	cells := slices.Concat(look.settled...)
	w.judge(found, regions, cells, busy, at)
	if look.due != nil {
		w.settle(slices.Concat(look.due...), nil, false, at)
	}
	return nil
}

// recheck compares the cards that something touches with how they looked. One
// that is not seen while something moves there is covered, unless the table is
// seen in its place: then it was taken away, and what moves is the rest of that.
func (w *Watcher) recheck(busy []component, settled [][]int32) {
	touched := w.scratch
	clear(touched)
	for _, cells := range settled {
		for _, c := range cells {
			touched[c] = 1
		}
	}
	for _, part := range busy {
		for _, c := range part.cells {
			touched[c] = 2
		}
	}
	for _, k := range w.cards {
		k.busy = slices.ContainsFunc(k.cells, func(c int32) bool { return touched[c] == 2 })
		if k.busy || slices.ContainsFunc(k.cells, func(c int32) bool { return touched[c] != 0 }) {
			k.covered = !w.check(k)
		}
	}
	var gone []*card
	w.cards = slices.DeleteFunc(w.cards, func(k *card) bool {
		if k.tentative && k.busy && (k.covered || k.share < settledShare) {
			return true // whatever it is, it will be found again where it comes to rest
		}
		k.tentative = k.tentative && k.busy
		if !k.busy || !k.covered || !w.laidBare(k) {
			return false
		}
		gone = append(gone, k)
		return true
	})
	for _, k := range gone {
		w.vacate(k)
		w.vacated = append(w.vacated, k.obs.Corners)
	}
}

// rested are those cells of moving components that differ from the table and
// keep still: a card put down, and the hand that leaves it or the finger still on
// it. They are scanned at once, and as long as the rest moves on once more in a
// while.
func (w *Watcher) rested(busy []component, now float32) (parts [][]int32) {
	if len(busy) == 0 {
		return nil
	}
	again := float32(w.opt.LookAgain.Seconds())
	clear(w.place)
	for _, part := range busy {
		for _, c := range part.cells {
			if w.changed[c] != 0 && w.moved[c] == 0 && w.movedAt[c] < now && (w.lookedAt[c] < w.movedAt[c] || now-w.lookedAt[c] >= again) && w.varies(c) {
				w.place[c] = 1
			}
		}
	}
	least := int(restingShare * w.cardArea() / float64(w.sampler.cell*w.sampler.cell))
	for _, part := range w.components(w.place) {
		var marks int
		for _, c := range part.cells {
			marks += int(w.place[c])
		}
		if marks >= least && w.mayHoldCard(part.box) {
			parts = append(parts, part.cells)
		}
	}
	return parts
}

// restingShare is the least area of what keeps still, in cards, for it to be
// scanned as a card at rest.
const restingShare = 0.15

// varies says whether the picture is another two cells away: where it is not, as
// on a sleeve, nothing shows whether it moves.
func (w *Watcher) varies(c int32) bool {
	x, y := int(c)%w.w, int(c)/w.w
	for _, d := range [4]image.Point{{X: -2}, {X: 2}, {Y: -2}, {Y: 2}} {
		if p := image.Pt(x, y).Add(d); p.In(image.Rect(0, 0, w.w, w.h)) {
			n := p.Y*w.w + p.X
			for ch := range 3 {
				v := int(w.cur[3*int(c)+ch])
				if diff := v - int(w.cur[3*n+ch]); max(diff, -diff) > sameTolerance+v/8 {
					return true
				}
			}
		}
	}
	return false
}

// seconds is a time as movedAt and lookedAt tell it.
func (w *Watcher) seconds(at time.Time) float32 { return float32(at.Sub(w.first).Seconds()) }

// everything is the whole frame as one component.
func (w *Watcher) everything(moved int) component {
	part := component{box: image.Rect(0, 0, w.w, w.h), cells: make([]int32, w.w*w.h)}
	for c := range part.cells {
		part.cells[c] = int32(c)
	}
	// A few cells that move do not hold up the rest.
	if float64(moved) > 0.02*float64(len(part.cells)) {
		part.moved = moved
	}
	var before int
	for _, m := range w.movedBefore {
		before += int(m)
	}
	part.again = float64(before) >= 0.3*float64(len(part.cells))
	return part
}

// mayHoldCard says whether a box of cells is large enough to show most of a
// card.
func (w *Watcher) mayHoldCard(box image.Rectangle) bool {
	side := 0.5 * math.Sqrt(w.cardArea()) / float64(w.sampler.cell)
	return float64(min(box.Dx(), box.Dy())) >= side
}

// regions are the boxes, in pixels, to be scanned for the parts: each with the
// whole of the cards it touches and room for a border that looks like the
// table. Parts that rest have room for what of a card something still covers, and
// those that are due for another look for a whole card. nil is the whole frame.
func (w *Watcher) regions(parts, resting, due [][]int32) []image.Rectangle {
	frame := image.Rectangle{Max: w.sampler.frame}
	var boxes []image.Rectangle
	for i, cells := range slices.Concat(parts, resting) {
		box := w.pixelBoxOf(cells)
		margin := int(0.2 * math.Sqrt(w.cardArea()))
		if i >= len(parts) {
			margin *= 2
		}
		cell := w.sampler.cell
		if w.usualArea == 0 { // how large a card is, is not known yet
			margin = max(margin, max(box.Dx(), box.Dy())/5)
		}
		touched := w.scratch
		clear(touched)
		for _, c := range cells {
			touched[c] = 1
		}
		whole := box
		for _, k := range w.cards {
			if slices.ContainsFunc(k.cells, func(c int32) bool { return touched[c] != 0 }) {
				whole = whole.Union(pixelBox(k.obs.Corners))
			}
		}
		// What lies there and was not recognised may be the rest of a card that
		// comes into view by and by.
		for _, t := range w.things {
			if slices.ContainsFunc(t.cells, func(c int32) bool {
				return image.Pt(int(c)%w.w*cell, int(c)/w.w*cell).In(box.Inset(-2 * cell))
			}) {
				whole = whole.Union(w.pixelBoxOf(t.cells))
			}
		}
		boxes = append(boxes, whole.Inset(-margin).Intersect(frame))
	}
	for _, cells := range due {
		boxes = append(boxes, w.pixelBoxOf(cells).Inset(-int(1.2*math.Sqrt(w.cardArea()))).Intersect(frame))
	}
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(boxes) && !merged; i++ {
			for j := i + 1; j < len(boxes); j++ {
				if boxes[i].Overlaps(boxes[j]) {
					boxes[i] = boxes[i].Union(boxes[j])
					boxes = slices.Delete(boxes, j, j+1)
					merged = true
					break
				}
			}
		}
	}
	if area(boxes) >= 0.7*float64(frame.Dx()*frame.Dy()) {
		return nil
	}
	return boxes
}

// pixelBoxOf is the box of a set of cells, in pixels.
func (w *Watcher) pixelBoxOf(cells []int32) (box image.Rectangle) {
	cell := w.sampler.cell
	for _, c := range cells {
		p := image.Pt(int(c)%w.w, int(c)/w.w).Mul(cell)
		box = box.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(cell, cell))})
	}
	return box
}

func area(boxes []image.Rectangle) (sum float64) {
	for _, b := range boxes {
		sum += float64(b.Dx() * b.Dy())
	}
	return sum
}

// scan asks the scanner and leaves out what it can't mean: outlines that are
// none, and cards of which a good part lies outside the regions, for what is
// cut off there makes their outline unsure.
func (w *Watcher) scan(ctx context.Context, frame gocv.Mat, regions []image.Rectangle, stats *Stats) ([]board.Observation, error) {
	start := w.opt.Clock.Now()
	found, err := w.scanner.Scan(ctx, frame, regions)
	stats.Scan += w.opt.Clock.Now().Sub(start)
	if err != nil {
		return nil, fmt.Errorf("watch: scanning: %w", err)
	}
	if regions == nil {
		stats.Whole, stats.Regions, stats.Scanned = true, 1, 1
	} else {
		stats.Regions += len(regions)
		stats.Scanned += area(regions) / float64(w.sampler.frame.X*w.sampler.frame.Y)
	}
	return slices.DeleteFunc(slices.Clone(found), func(o board.Observation) bool {
		if !o.Corners.IsConvex() {
			return true
		}
		if regions == nil {
			return false
		}
		var inside float64
		for _, r := range regions {
			inside += board.Polygon(o.Corners[:]).Clip(rectPolygon(r)).Area()
		}
		frame := rectPolygon(image.Rectangle{Max: w.sampler.frame})
		return inside < 0.85*board.Polygon(o.Corners[:]).Clip(frame).Area()
	}), nil
}

func rectPolygon(r image.Rectangle) board.Polygon {
	x0, y0, x1, y1 := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)
	return board.Polygon{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// report builds the view that Look returns.
func (w *Watcher) report(busy []component) {
	var view board.View
	for _, k := range w.cards {
		if k.covered {
			view.Obscured = append(view.Obscured, slices.Clone(board.Polygon(k.obs.Corners[:])))
			continue
		}
		o := k.obs
		if k.share < 0.97 { // the rest is noise at the edges
			o.Visible *= k.share
		}
		view.Cards = append(view.Cards, o)
	}
	for _, part := range busy {
		w.stack = w.stack[:0]
		for _, c := range part.cells {
			if !w.showsTable(c) {
				w.stack = append(w.stack, c)
			}
		}
		view.Obscured = append(view.Obscured, w.outlines(w.stack)...)
	}
	for _, t := range w.things {
		view.Obscured = append(view.Obscured, w.outlines(t.cells)...)
	}
	// What lies on a card and came to rest there.
	for _, k := range w.cards {
		if !k.covered && k.masked() {
			w.maskedCells(k)
			view.Obscured = append(view.Obscured, w.outlines(w.stack)...)
		}
	}
	w.lastView = view
}

// maskedCells puts the cells of a card that something other than a card lies on
// into w.stack.
func (w *Watcher) maskedCells(k *card) {
	w.stack = w.stack[:0]
	for i, c := range k.cells {
		p := w.centre(int(c)%w.w, int(c)/w.w)
		if !k.agree[i] && !slices.ContainsFunc(w.cards, func(o *card) bool { return o != k && !o.covered && o.obs.Corners.Contains(p) }) {
			w.stack = append(w.stack, c)
		}
	}
}
