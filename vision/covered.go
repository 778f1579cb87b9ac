package vision

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"

	"gocv.io/x/gocv"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/vision/identify"
	"tabletop/vision/localize"
)

// table is what is known of the cards that lie there while those that others
// cover are looked for.
type table struct {
	s       *Scanner
	img     gocv.Mat
	regions []image.Rectangle
	plane   *tablePlane
	around  *localize.Surroundings
	cards   []placed
}

// placed is a card of a known place.
type placed struct {
	seen sighting
	// quad is its outline, the first edge a short one.
	quad board.Quad
	// grown is the outline with sleeve and shadow: what lies there says nothing
	// of a card below.
	grown board.Quad
	// ref is its picture's number, or -1.
	ref int
	// above are the cards that lie on it, as far as they are known.
	above []int
	// free says that (nearly) nothing lies on it, as far as one can tell of a card
	// that is named: other outlines may be wrong ones.
	free bool
}

const (
	// coverMM is how far a card's sleeve and shadow reach beyond its edge.
	coverMM = 2.0

	// freeShare is the share of a card in view from which on it is taken to lie
	// on top.
	freeShare = 0.85

	// offBeside and offPlace are how far places found beside a card and by
	// features may be off, mm.
	offBeside, offPlace = 2, 4

	// maxRounds bounds how deep cards are searched under each other.
	maxRounds = 10
)

// findCovered adds the cards that lie under others: beside each card that is
// known, strips of others are looked for, then beside those. The places are of
// cards that may lie anywhere.
func (s *Scanner) findCovered(ctx context.Context, img gocv.Mat, regions []image.Rectangle, plane *tablePlane, seen []sighting, places []localize.Place) ([]sighting, error) {
	t := &table{s: s, img: img, regions: regions, plane: plane}
	var scale float64
	n := 0
	for _, v := range seen {
		if v.named {
			_, h := upright(v.Corners).Edges()
			scale += h / s.opts.CardSize.Height
			n++
		}
	}
	if n == 0 {
		return seen, nil
	}
	var err error
	if t.around, err = s.finder.Surroundings(img, scale/float64(n)); err != nil {
		return nil, err
	}
	defer t.around.Close()
	for _, v := range seen {
		t.put(v, s.verifier.Number(v.Card, v.Back), nil, v.named && v.Visible >= freeShare)
	}
	fresh := make([]int, len(t.cards))
	for i := range fresh {
		fresh[i] = i
	}
	for range maxRounds {
		hyps, err := t.propose(ctx, fresh)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			hyps = append(hyps, hypothesis{quad: p.Quad, card: p.Card, anchor: -1, side: -1, off: offPlace})
		}
		places = nil
		looked, err := t.look(ctx, hyps)
		if err != nil {
			return nil, err
		}
		before := len(t.cards)
		t.accept(looked)
		t.replane()
		fresh = fresh[:0]
		for i := before; i < len(t.cards); i++ {
			fresh = append(fresh, i)
		}
		if len(fresh) == 0 {
			break
		}
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	out := make([]sighting, len(t.cards))
	for i, c := range t.cards {
		out[i] = c.seen
	}
	return out, nil
}

// replane works the plane out anew from all cards that are named now.
func (t *table) replane() {
	if t.s.opts.Plane != nil || t.s.opts.PxPerMM > 0 {
		return
	}
	var quads []board.Quad
	for _, c := range t.cards {
		if c.seen.named {
			quads = append(quads, c.quad)
		}
	}
	if plane, ok := planeOf(quads, t.s.opts.CardSize, image.Pt(t.img.Cols(), t.img.Rows())); ok {
		t.plane = &plane
	}
}

func (t *table) put(v sighting, ref int, above []int, free bool) {
	q := upright(v.Corners)
	t.cards = append(t.cards, placed{seen: v, quad: q, grown: grow(q, coverMM, t.s.opts.CardSize), ref: ref, above: above, free: free})
}

// grow widens an outline whose first edge is a short one by so many millimetres.
func grow(q board.Quad, mm float64, size board.Size) board.Quad {
	var out board.Quad
	for i := range q {
		before, after := q[(i+3)%4], q[(i+1)%4]
		// Edges 0 and 2 are short.
		toBefore, toAfter := size.Width, size.Height
		if i%2 == 0 {
			toBefore, toAfter = size.Height, size.Width
		}
		out[i] = q[i].Add(q[i].Sub(before).Scale(mm / toBefore)).Add(q[i].Sub(after).Scale(mm / toAfter))
	}
	return out
}

// hypothesis is a card that may lie somewhere.
type hypothesis struct {
	quad   board.Quad // Quad[0] the top-left of its picture standing in portrait
	card   int
	anchor int // the card that it sticks out from under, or -1
	side   int
	off    float64 // how far the outline may be off, mm
}

// propose looks beside cards.
func (t *table) propose(ctx context.Context, anchors []int) ([]hypothesis, error) {
	found := make([][]hypothesis, len(anchors))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, a := range anchors {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			toFrame, err := around(t.plane, t.cards[a].quad)
			if err != nil {
				return fmt.Errorf("surroundings of a card: %w", err)
			}
			n := localize.Neighbourhood{ToFrame: toFrame}
			for k := range t.cards {
				if k != a && t.near(k, a) && (t.cards[k].free || slices.Contains(t.cards[a].above, k)) {
					n.Known = append(n.Known, t.cards[k].grown)
				}
			}
			for _, b := range t.s.finder.Beside(t.around, n) {
				if t.inRegions(b.Quad) {
					found[i] = append(found[i], hypothesis{b.Quad, b.Card, a, b.Side, offBeside})
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// near says whether two cards lie near enough for one to lie on what sticks out
// from under the other.
func (t *table) near(a, b int) bool {
	p, q := t.cards[a].quad, t.cards[b].quad
	return p.Centre().Distance(q.Centre()) < 2.2*q[0].Distance(q[2])
}

func (t *table) inRegions(q board.Quad) bool {
	return slices.ContainsFunc(t.regions, func(r image.Rectangle) bool { return within(q, r, t.img) })
}

// looked is a hypothesis that was looked at.
type looked struct {
	hypothesis
	above []int
	sight identify.Sight
	score float64
}

// look compares hypotheses with what is in view of them. Beside one side of a card
// the rest is left out once one convinces.
func (t *table) look(ctx context.Context, hyps []hypothesis) ([]looked, error) {
	type place struct{ anchor, side int }
	var order []place
	groups := make(map[place][]hypothesis)
	for i, h := range hyps {
		if !h.quad.IsConvex() || t.known(h) {
			continue
		}
		at := place{h.anchor, h.side}
		if h.anchor < 0 {
			at.side = -i - 1 // on its own
		}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], h)
	}
	out := make([][]looked, len(order))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, at := range order {
		group.Go(func() error {
			for _, h := range groups[at] {
				if err := ctx.Err(); err != nil {
					return err
				}
				var covers []board.Quad
				above := t.over(h)
				for _, k := range above {
					covers = append(covers, t.cards[k].grown)
				}
				sight, fits, err := t.s.verifier.Look(t.img, h.quad, covers, h.card, h.off)
				if err != nil {
					return fmt.Errorf("look at a card: %w", err)
				}
				if !fits {
					continue
				}
				score := presence(&sight)
				out[i] = append(out[i], looked{h, above, sight, score})
				if score > convincing {
					break
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(out...), nil
}

// convincing is the presence from which on nothing else is looked for at a side.
const convincing = 0.98

// known says that a hypothesis is of a card that is there already.
func (t *table) known(h hypothesis) bool {
	return t.taken(h.quad)
}

// taken says whether a named card has a place.
func (t *table) taken(q board.Quad) bool {
	return slices.ContainsFunc(t.cards, func(c placed) bool { return c.seen.named && c.quad.Overlap(q) > samePlace })
}

// fitsAllOver is the share of windows that fit from which on nothing lies on a
// card.
const fitsAllOver = 0.8

// samePlace is the overlap from which on two cards would lie one on the other.
const samePlace = 0.85

// over lists the cards that lie over a hypothesis if it is true: the one it
// sticks out from, what lies on that, and what nothing lies on.
func (t *table) over(h hypothesis) []int {
	var above []int
	for k := range t.cards {
		if k == h.anchor || t.cards[k].free || h.anchor >= 0 && slices.Contains(t.cards[h.anchor].above, k) {
			// An outline without a name may be a rough one of this very card.
			rough := !t.cards[k].seen.named && t.cards[k].quad.Overlap(h.quad) > sameOutline
			if !rough && touches(t.cards[k].grown, h.quad) {
				above = append(above, k)
			}
		}
	}
	return above
}

func touches(a, b board.Quad) bool {
	return len(board.Polygon(a[:]).Clip(board.Polygon(b[:]))) > 2
}

// presence is how sure a card lies there, this one or one that looks like it: a
// logistic regression on looks at simulated tables, of which docs/vision.md
// tells. How much better it fits than all others counts only so far: a pool may
// hold nothing that is alike.
func presence(s *identify.Sight) float64 {
	if s.Local < leastLocal || s.Global < leastGlobal || s.Fitting < leastFitting {
		return 0
	}
	const mostLead, mostGlobalLead = 0.3, 0.1
	lead, globalLead := mostLead, mostGlobalLead
	if s.Rival >= 0 {
		lead = min(max(s.Lead/math.Sqrt(s.Differ+differNoise), -mostLead), mostLead)
		globalLead = min(max(s.GlobalLead, -mostGlobalLead), mostGlobalLead)
	}
	return logistic(-4 + 0.8*(s.Local-0.6) + 10.9*lead + 15.7*(s.Global-0.8) + 15.9*globalLead +
		1.2*math.Log(max(s.Seen, 0.3)/4) + 1.7*(s.Fitting-0.7))
}

const (
	// leastLocal, leastGlobal and leastFitting are what every card in view has.
	// Strangers of the same game fit in frame and text box.
	leastLocal, leastGlobal, leastFitting = 0.55, 0.6, 0.5
)

// naming is how sure it is this one rather than one that looks like it.
func naming(s *identify.Sight) float64 {
	if s.Twin < 0 {
		return 1
	}
	return logistic(90 * (s.TwinLead/math.Sqrt(s.TwinDiffer+differNoise) - 0.03))
}

// alike lowers the confidence in what fits no better than a card of the same kind
// might that the pool doesn't hold: they share frames and text boxes. On simulated
// tables strangers reach 1.47 of 2, and most cards exceed 1.6.
func alike(s *identify.Sight) float64 {
	const asStranger = 0.84
	return asStranger + (1-asStranger)*logistic(40*(s.Local+s.Global-1.57))
}

// differNoise is how much two cards differ, in windows, by no more than chance.
const differNoise = 0.1

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

const (
	// leastPresence is that of a card, and leastBackPresence that of a back, whose
	// pattern repeats.
	leastPresence, leastBackPresence = 0.66, 0.95

	// leastNaming is how sure it must be for a name that the card lies there, and
	// that it is no other.
	leastNaming = 0.8
)

// accept places what was seen, the surest first. What shows of a card can't show
// another.
func (t *table) accept(found []looked) {
	slices.SortStableFunc(found, func(a, b looked) int {
		return cmp.Compare(b.score*naming(&b.sight)*b.sight.Local, a.score*naming(&a.sight)*a.sight.Local)
	})
	type claim struct {
		quad  board.Quad
		above []int
	}
	var claims []claim
	for _, f := range found {
		least := leastPresence
		if t.s.verifier.Picture(f.sight.Card).Card == nil {
			least = leastBackPresence
		}
		if f.score < least {
			continue
		}
		if t.taken(f.sight.Quad) {
			continue
		}
		// Places in view of this one that another claims.
		var mine, taken int
		t.inView(f.sight.Quad, f.above, func(p board.Point) {
			mine++
			for _, c := range claims {
				if c.quad.Contains(p) && !slices.ContainsFunc(c.above, func(k int) bool { return t.cards[k].grown.Contains(p) }) {
					taken++
					return
				}
			}
		})
		if mine == 0 || taken*10 > mine*4 {
			continue
		}
		claims = append(claims, claim{f.sight.Quad, f.above})
		visible := float64(mine) / (samplesAcross * samplesDown)
		t.put(t.observe(&f, visible), f.sight.Card, f.above, visible >= freeShare && f.sight.Fitting >= fitsAllOver)
	}
}

const samplesAcross, samplesDown = 16, 22

// inView calls f with places spread over a card, in pixels, that are not covered
// and lie within the picture.
func (t *table) inView(q board.Quad, above []int, f func(board.Point)) {
	for i := range samplesAcross {
		for j := range samplesDown {
			u, v := (float64(i)+0.5)/samplesAcross, (float64(j)+0.5)/samplesDown
			top, bottom := q[0].Scale(1-u).Add(q[1].Scale(u)), q[3].Scale(1-u).Add(q[2].Scale(u))
			p := top.Scale(1 - v).Add(bottom.Scale(v))
			if p.X < 0 || p.Y < 0 || p.X > float64(t.img.Cols()-1) || p.Y > float64(t.img.Rows()-1) {
				continue
			}
			if slices.ContainsFunc(above, func(k int) bool { return t.cards[k].quad.Contains(p) }) {
				continue
			}
			f(p)
		}
	}
}

func (t *table) observe(f *looked, visible float64) sighting {
	v := sighting{score: f.score, named: true}
	s := &f.sight
	v.Corners = s.Quad
	v.Visible = visible
	v.Face = board.FaceUp
	p := t.s.verifier.Picture(s.Card)
	if p.Wide {
		v.Corners = v.Corners.Turned(1)
	}
	name := naming(s)
	v.Confidence = f.score * name * alike(s)
	topKnown := true
	if p.Card == nil {
		v.Face, v.Back = board.FaceDown, p.Back
		topKnown = !p.Symmetric
	}
	if name < leastNaming || f.score < leastNaming {
		if p.Card != nil {
			v.Alternatives = append(v.Alternatives, board.Candidate{Card: *p.Card, Confidence: f.score * name})
		}
		if r := t.s.verifier.Picture(max(s.Twin, 0)); s.Twin >= 0 && r.Card != nil {
			v.Alternatives = append(v.Alternatives, board.Candidate{Card: *r.Card, Confidence: f.score * (1 - name)})
		}
		v.Back = ""
		v.Confidence = f.score
	} else {
		v.Card = p.Card
	}
	v.setAngle(topKnown)
	return v
}
