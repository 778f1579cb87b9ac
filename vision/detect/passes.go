package detect

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"tabletop/board"
)

// A card is looked for at the scale at which it is this high, pixels: large
// enough that its edge and its printed frame stay apart, small enough that a
// bent card's edge is straight. Smaller cards are looked for on level 0 too, but
// later, for there the many short edges of print come in.
const (
	levelMinHeight = 90
	levelMaxHeight = 240
)

// pass is one look for cards of some sizes, on one level.
type pass struct {
	level      int
	minSegment float64 // shortest piece of a side that counts, pixels
	minSide    float64 // pixels
	maxSide    float64
	// The heights that this pass is there for, pixels of level 0; what it finds
	// beyond is welcome.
	low, high float64
}

// passes lists the looks in the order in which they are taken.
func (s *search) passes() []pass {
	const shortSide = 0.55 // of the height: a card's short side, seen at a slant
	normal := pass{minSegment: 18, minSide: shortSide * levelMinHeight, maxSide: 1.15 * levelMaxHeight, low: levelMinHeight, high: levelMaxHeight}
	out := []pass{normal}
	if least := s.minHeight(); least < levelMinHeight {
		out = append(out, pass{minSegment: minSegment, minSide: shortSide * least, maxSide: 1.15 * levelMinHeight, high: levelMinHeight})
	}
	for i := 1; i < len(s.d.levels); i++ {
		p := normal
		p.level, p.low, p.high = i, normal.high, 2*normal.high
		normal.high *= 2
		out = append(out, p)
	}
	last := &out[len(out)-1]
	last.maxSide, last.high = 2*s.longest, math.Inf(1)
	return out
}

// minSegment is the shortest piece of a side that counts, pixels.
const minSegment = 9

// minHeight is the least height of a card, pixels of level 0.
func (s *search) minHeight() float64 {
	if s.d.o.MinHeight > 0 {
		return s.d.o.MinHeight / s.d.levels[0].scale
	}
	return max(40, 0.025*s.longest)
}

// places returns the places that may hold a card, best first.
func (s *search) places() ([]candidate, error) {
	k := &looking{s: s, found: newPlaceSet(), accept: s.anyCard, next: consensusCards}
	if s.known != nil {
		k.know(*s.known, 1)
	}
	for _, p := range s.passes() {
		if k.needed(p) {
			if _, err := s.d.edgesOf(p.level); err != nil {
				return nil, err
			}
			if _, err := s.d.lookOf(p.level); err != nil {
				return nil, err
			}
			if err := k.look(p); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(k.found.list, func(a, b candidate) int { return cmp.Compare(b.quality, a.quality) })
	return k.found.list, nil
}

// looking is the state of the search for places.
type looking struct {
	s      *search
	found  *placeSet
	sure   []candidate           // outlines that are cards without doubt, one for each place
	cards  []board.Quad          // good outlines of the known size: no other is looked for there
	next   int                   // how many of them are to settle the plane
	accept func(board.Quad) bool // whether a hypothesis is worth a check

	// Once the plane and the size are known:
	rect    board.Homography
	size    float64   // on the plane, units per millimetre; 0 while unknown
	heights []float64 // least and largest a card may look, pixels of level 0
}

// needed says whether a pass may find cards of the size known so far.
func (k *looking) needed(p pass) bool {
	if k.size == 0 {
		return true
	}
	return k.heights[1] > p.low && k.heights[0] < p.high
}

// look adds the places that one pass finds.
func (k *looking) look(p pass) error {
	s := k.s
	l := s.d.levels[p.level]
	b := bounds{w: float64(l.size.X), h: float64(l.size.Y), aspect: s.card.Width / s.card.Height, minSide: p.minSide, maxSide: p.maxSide}
	l.segs = l.segs[:0]
	for _, g := range s.d.segmentsOf(p.level) {
		if g.length >= p.minSegment {
			l.segs = append(l.segs, g)
		}
	}
	l.segs = append(l.segs, joinCollinear(&s.d.graph.grid, l.segs, l.size.X, l.size.Y)...)
	s.d.graph.connect(l.segs, l.size.X, l.size.Y)
	hyps := s.d.hypotheses(b)
	tried := newPlaceSet()
	checked := 0
	worth := func(q board.Quad) bool {
		return k.found.near(q, nestedSlack, goodPlace) < 0 && k.accept(q) && !cuts(q, k.sure) && !k.taken(q)
	}
	var batch []trial
	for next := 0; next < len(hyps); {
		batch = batch[:0]
		size := trialBatch
		if k.size == 0 {
			size = earlyBatch
		}
		for ; next < len(hyps) && len(batch) < size; next++ {
			q := hyps[next].quad.Map(s.fromLevel(p.level))
			if tried.near(q, triedSlack, 0) >= 0 || !worth(q) {
				continue
			}
			tried.put(-1, candidate{quad: q})
			batch = append(batch, trial{quad: hyps[next].quad})
		}
		checked += len(batch)
		s.checkAll(batch, p.level)
		kept := slices.DeleteFunc(batch, func(t trial) bool { return !t.ok || !worth(t.found.quad) })
		if err := k.outlineAll(kept); err != nil {
			return err
		}
		for i := range kept {
			k.add(kept[i].found)
		}
	}
	s.note("level %d, sides %.0f to %.0f: %d edgels, %d segments, %d hypotheses, %d checked, %d places, %d sure", p.level, p.minSide, p.maxSide,
		l.edges.count, len(l.segs), len(hyps), checked, len(k.found.list), len(k.sure))
	return nil
}

// outlined says whether the outlines around a place that overlaps the quad were
// looked for already.
func (k *looking) outlined(q board.Quad) bool {
	return slices.ContainsFunc(k.found.list, func(o candidate) bool {
		return o.outlines != nil && covers(o.quad, q) > 0.5 && o.quad.Overlap(q) > samePlace
	})
}

// trial is one hypothesis being checked.
type trial struct {
	quad  board.Quad // pixels of the level
	found candidate
	ok    bool
}

// trialBatch is how many hypotheses are checked at a time, shared by two
// goroutines, and earlyBatch how many before the cards' size is known: what
// comes after it is looked at with less work. They are fixed so that the result
// does not hang on the machine.
const (
	trialBatch = 24
	earlyBatch = 12
)

func (s *search) checkAll(batch []trial, level int) {
	onBothCores(len(batch), func(i int) {
		batch[i].found, batch[i].ok = s.check(batch[i].quad, level)
	})
}

// onBothCores calls do for 0 to n-1 on two goroutines, each taking the next one
// when it is done with its last: some take much longer than others.
func onBothCores(n int, do func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	if n < 2 {
		work()
		return
	}
	var wg sync.WaitGroup
	wg.Go(work)
	work()
	wg.Wait()
}

// outlineAll looks for the nested outlines around the good ones among the quads
// found, on two goroutines: they may tell that it is a card without doubt.
func (k *looking) outlineAll(kept []trial) error {
	var todo []*candidate
	for i := range kept {
		c := &kept[i].found
		if c.quality < goodPlace || k.outlined(c.quad) || slices.ContainsFunc(todo, func(o *candidate) bool { return o.quad.Overlap(c.quad) > samePlace }) {
			continue
		}
		todo = append(todo, c)
	}
	return k.s.forPlaces(todo, func(c *candidate) error {
		h, f := k.rect, filter{aspect: knownAspect, size: k.size}
		if k.size == 0 {
			_, v := bestOwnFit(c.quad, k.s.centre, k.s.longest, k.s.card)
			h, f = v.rectifier(), filter{aspect: openAspect}
		}
		return k.s.outline(c, &h, f)
	})
}

// forPlaces does something for each place, on two goroutines.
func (s *search) forPlaces(places []*candidate, do func(*candidate) error) error {
	errs := make([]error, len(places))
	onBothCores(len(places), func(i int) { errs[i] = do(places[i]) })
	return errors.Join(errs...)
}

// add puts a quad that edges support among the places.
func (k *looking) add(c candidate) {
	if c.quality >= goodPlace && slices.ContainsFunc(k.sure, func(o candidate) bool { return o.quad.Overlap(c.quad) > samePlace }) {
		return
	}
	k.found.put(k.found.near(c.quad, placeSlack, 0), c)
	if k.size > 0 {
		k.settle(&c)
	}
	if len(c.outlines) > 0 && c.outlines[0].quality > sureQuality {
		k.sure = append(k.sure, c.outlines[0])
		if s := k.s; s.known == nil && len(k.sure) >= k.next {
			k.next *= 2
			if v, size, ok := s.consensus(k.sure); ok {
				s.agreed = &v
				k.know(v.rectifier(), size)
			}
		}
	}
}

// settle takes a place that has a good outline of the known size for a card.
func (k *looking) settle(c *candidate) {
	for i := range c.outlines {
		o := &c.outlines[i]
		if o.quality < completeBelow {
			return
		}
		if f := fitCard(o.quad, &k.rect, k.s.card); f.residual < 2*fitSigma && ratio(f.size, k.size) < 1+sizeSigma {
			k.cards = append(k.cards, o.quad)
			return
		}
	}
}

// taken says whether a quad lies for the most part on a card found already.
func (k *looking) taken(q board.Quad) bool {
	return slices.ContainsFunc(k.cards, func(c board.Quad) bool { return covers(c, q) > takenShare })
}

// takenShare is the share of a quad that lies on a card, or the other way round,
// from which on it is no other card.
const takenShare = 0.6

// know restricts the search to cards of one size on one plane.
func (k *looking) know(rect board.Homography, size float64) {
	k.rect, k.size = rect, size
	k.heights = k.s.heightsInView(&rect, size)
	k.cards = k.cards[:0]
	for i := range k.found.list {
		k.settle(&k.found.list[i])
	}
	k.accept = func(q board.Quad) bool {
		f := fitCard(q, &rect, k.s.card)
		return f.residual < 0.08 && ratio(f.size, size) < 1.2
	}
}

// heightsInView returns how high a card looks at least and at most anywhere in
// the picture, pixels of level 0, with some room for the slant.
func (s *search) heightsInView(rect *board.Homography, size float64) []float64 {
	l := s.d.levels[0]
	h := []float64{math.Inf(1), 0}
	for _, p := range board.RectQuad(board.Point{X: float64(l.size.X) / 2, Y: float64(l.size.Y) / 2},
		board.Size{Width: float64(l.size.X), Height: float64(l.size.Y)}, 0) {
		for _, d := range [2]board.Point{{X: 1}, {Y: 1}} {
			unit := rect.Apply(p.Add(d)).Distance(rect.Apply(p))
			px := s.card.Height * size / unit
			h[0], h[1] = min(h[0], 0.9*px), max(h[1], 1.1*px)
		}
	}
	return h
}

// anyCard says whether a quad could be a card on a plane of its own.
func (s *search) anyCard(q board.Quad) bool {
	f, _ := bestOwnFit(q, s.centre, s.longest, s.card)
	return f.residual < 0.08
}

// Cards found without doubt settle the plane and the size for the rest of the
// search: so many are needed, of such quality (only rounded corners reach it).
const (
	consensusCards = 4
	sureQuality    = 1.06
)

// consensus returns the plane of the cards found so far and their size on it, if
// they agree.
func (s *search) consensus(sure []candidate) (v view, size float64, ok bool) {
	groups := make([][]weighted, len(sure))
	for i, c := range sure {
		groups[i] = []weighted{{c.quad, c.quality}}
	}
	v = estimateView(groups, s.centre, s.longest, s.card)
	rect := v.rectifier()
	var sizes []float64
	for _, c := range sure {
		if f := fitCard(c.quad, &rect, s.card); f.residual < 3*fitSigma {
			sizes = append(sizes, f.size)
		}
	}
	if len(sizes) < consensusCards {
		return v, 0, false
	}
	slices.Sort(sizes)
	size = sizes[len(sizes)/2]
	if sizes[len(sizes)/4] < 0.9*size || sizes[len(sizes)*3/4] > 1.1*size {
		return v, 0, false
	}
	s.note("consensus of %d cards: %.2f px/mm", len(sizes), size)
	return v, size, true
}

// cuts says whether a quad holds some corners of a good outline but not all: it
// runs through a card.
func cuts(q board.Quad, good []candidate) bool {
	c := q.Centre()
	reach := max(q[0].Distance(q[2]), q[1].Distance(q[3]))
	for i := range good {
		g := &good[i].quad
		if math.Abs(g[0].X-c.X) > 2*reach || math.Abs(g[0].Y-c.Y) > 2*reach {
			continue
		}
		n := 0
		gc := g.Centre()
		for _, p := range g {
			// A little inward: a frame may touch the edge.
			if q.Contains(p.Add(gc.Sub(p).Scale(0.08))) {
				n++
			}
		}
		if n > 0 && n < 4 {
			return true
		}
	}
	return false
}
