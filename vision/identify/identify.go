package identify

import (
	"math"
	"slices"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Result is what an outline shows.
type Result struct {
	// Quad is the outline, aligned to the reference when something was
	// recognised: its corners are then the printed top-left, top-right,
	// bottom-right, bottom-left, given TopKnown. Otherwise it is the outline
	// that was asked about, or that turned by half a turn.
	Quad board.Quad

	// TopKnown says that the printed top could be told. Without it the quad
	// may stand on its head, for example on a back that is the same both ways.
	TopKnown bool

	Face board.Face   // up for a card, down for a back, else unknown
	Card *board.Card  // nil when not sure enough
	Back board.BackID // of a card face down, "" when not sure enough

	// Confidence in what is recognised, in [0,1]: the expected share of such
	// answers that are right. When nothing is named it is that of the best
	// alternative.
	Confidence float64

	// Likeness of the patch and the best reference: 1 when all blocks
	// correlate, below 0 when what does not fit outweighs the rest.
	Likeness float64

	// Alternatives are the cards it may be instead, likeliest first. When no
	// card is named, the likeliest of all comes first.
	Alternatives []board.Candidate
}

// match is a reference laid onto the patch.
type match struct {
	ref      int
	turned   bool // the reference's grid stands on its head in the patch
	softness int  // passes of softening that the reference had
	scale    int  // where its alignment began
	warp     warp
	prof     profile
	score    float64
}

// queryScales are the sizes of the quad that are searched: outlines found at
// a printed frame are too small, those found at a sleeve too large.
var queryScales = [...]float64{1, 0.95, 1.05}

const (
	// maxAligned is how many candidates are aligned at each scale when none
	// convinces, and maxRivals how many others are compared with the best.
	maxAligned = 3
	maxRivals  = 8

	// nearRival is the lead in likeness that alignment alone may give.
	nearRival = 0.4

	// convincing is the likeness from which on no further candidate needs
	// aligning: others are compared through this one's alignment.
	convincing = 0.6

	maxAlternatives = 4
)

// softenings are the numbers of passes of soften that are tried; n passes blur
// with a standard deviation of √(n/2) grid units.
var softenings = [...]int{1, 2, 4, 7}

// Identify tells what the quad of an 8-bit BGR frame shows. The quad is
// clockwise and its edge from Quad[0] to Quad[1] is a short one of the card;
// which of the two short edges it is does not matter. It may be wrong by a few
// percent of the card's height. The frame is only read.
//
// An error means that the question makes no sense (empty frame, quad not
// convex); that nothing is recognised is a result.
func (ix *Index) Identify(frame gocv.Mat, quad board.Quad) (Result, error) {
	s := ix.scratch.Get().(*scratch)
	defer ix.scratch.Put(s)
	if err := s.patch.cutOut(frame, quad); err != nil {
		return Result{}, err
	}
	s.looks = s.looks[:0]
	s.patchPyramid.build(s.patch.y, patchW, patchH, &s.buf)
	best, rivals := ix.closest(s)
	return ix.decide(s, quad, best, rivals)
}

// closest aligns the likeliest candidates and compares the others through the
// best alignment found: the warp belongs to the patch, so that it is the same
// for every reference. Rivals come best first.
func (ix *Index) closest(s *scratch) (match, []match) {
	s.hits = s.hits[:0]
	s.softness = 0
	s.aligned = s.aligned[:0]
	for scale := range queryScales {
		ix.findCandidates(s, scale)
		if ix.alignCandidates(s) {
			break // other sizes need no search
		}
	}
	best := slices.MaxFunc(s.aligned, func(a, b match) int { return compare(a.score, b.score) })
	best = ix.matchBlur(s, best)

	s.see(&best.warp)
	var rivals []match
	for _, h := range s.hits[:min(maxRivals, len(s.hits))] {
		if h.card != best.ref || h.turned != best.turned {
			rivals = append(rivals, ix.measure(s, match{ref: h.card, turned: h.turned, warp: best.warp, softness: s.softness}))
		}
	}
	if !slices.ContainsFunc(rivals, func(m match) bool { return m.ref == best.ref }) {
		rivals = append(rivals, ix.measure(s, match{ref: best.ref, turned: !best.turned, warp: best.warp, softness: s.softness}))
	}
	slices.SortStableFunc(rivals, func(a, b match) int { return compare(b.score, a.score) })

	// A near rival gets an alignment of its own, lest the best one win by
	// alignment alone.
	if len(rivals) > 0 && rivals[0].score > best.score-nearRival {
		if own := ix.lay(s, rivals[0].ref, rivals[0].turned, best.warp); own.score > rivals[0].score {
			rivals[0] = own
		}
		if rivals[0].score > best.score {
			best, rivals[0] = rivals[0], best
		}
	}
	return best, rivals
}

// findCandidates adds the cards that resemble the patch, its outline scaled,
// to s.hits.
func (ix *Index) findCandidates(s *scratch, scale int) {
	w := scaled(queryScales[scale])
	sample(s.patch.y, &w, 1, s.y)
	sample(s.patch.cb, &w, chromaStride, s.cb)
	sample(s.patch.cr, &w, chromaStride, s.cr)
	ix.layout.describe(s.y, s.cb, s.cr, &s.query)
	s.hits = ix.search.search(&s.query, scale, ix.candidates, s.hits)
}

// alignCandidates lays the best hits onto the patch that have not been laid on
// it before at that scale. It ends, and says so, when one convinces.
func (ix *Index) alignCandidates(s *scratch) bool {
	for _, h := range s.hits[:min(maxAligned, len(s.hits))] {
		if slices.ContainsFunc(s.aligned, func(m match) bool {
			return m.ref == h.card && m.turned == h.turned && m.scale == h.scale
		}) {
			continue
		}
		m := ix.lay(s, h.card, h.turned, scaled(queryScales[h.scale]))
		m.scale = h.scale
		s.aligned = append(s.aligned, m)
		if m.score >= convincing {
			return true
		}
	}
	return false
}

// matchBlur finds how soft the patch is, by which softening of the reference
// fits it best. Print that the camera can't resolve then neither counts for
// nor against a card. A reference is not made softer than the patch is, lest
// a stranger pass for a blurred picture of it.
func (ix *Index) matchBlur(s *scratch, best match) match {
	s.see(&best.warp)
	patchDetail := detail(s.y, s.cb, s.buf[0])
	for _, passes := range softenings {
		if detail(ix.oriented(s, &best), s.cb, s.buf[0]) <= patchDetail {
			break
		}
		s.softness = passes
		m := ix.measure(s, match{ref: best.ref, turned: best.turned, warp: best.warp, softness: passes})
		if m.score <= best.score {
			break
		}
		best = m
	}
	s.softness = best.softness
	return best
}

// lay aligns a reference with the patch, beginning at w, and compares them.
func (ix *Index) lay(s *scratch, ref int, turned bool, w warp) match {
	m := match{ref: ref, turned: turned, warp: w, softness: s.softness}
	s.refPyramid.build(ix.oriented(s, &m), gridW, gridH, &s.buf)
	s.aligner.align(&s.patchPyramid, &s.refPyramid, &m.warp)
	s.see(&m.warp)
	return ix.measure(s, m)
}

// see reads the patch through a warp.
func (s *scratch) see(w *warp) {
	sample(s.patch.y, w, 1, s.y)
	s.colours.read(&s.patch, w)
}

// measure compares a reference with what see read.
func (ix *Index) measure(s *scratch, m match) match {
	m.prof.compare(s.y, ix.oriented(s, &m), &s.patch.inside)
	m.prof.colour = s.colours.correlation(&ix.refs[m.ref].colour, m.turned)
	m.score = m.prof.likeness(ix.distinct(m.ref), m.turned, ix.refs[m.ref].colourful)
	return m
}

// decide weighs the best match against its rivals.
func (ix *Index) decide(s *scratch, quad board.Quad, best match, rivals []match) (Result, error) {
	outline, err := refined(quad, &best.warp)
	if err != nil {
		return Result{}, err
	}
	sure := likenessConfidence(best.score)
	topSure := 1.0
	res := Result{Face: board.FaceUnknown, Likeness: best.score}

	seen := map[int]bool{best.ref: true}
	total := 1.0
	for _, r := range rivals {
		odds := ix.rivalOdds(s, &best, &r)
		if r.ref == best.ref {
			topSure = 1 / (1 + odds)
			continue
		}
		if seen[r.ref] {
			continue
		}
		seen[r.ref] = true
		total += odds
		if !ix.isBack(r.ref) && len(res.Alternatives) < maxAlternatives {
			res.Alternatives = append(res.Alternatives, board.Candidate{Card: *ix.card(r.ref).Ref(), Confidence: sure * odds})
		}
	}
	for i := range res.Alternatives {
		res.Alternatives[i].Confidence /= total
	}
	res.Confidence = sure / total
	res.Alternatives = slices.DeleteFunc(res.Alternatives, func(c board.Candidate) bool { return c.Confidence < minAlternative })

	if res.Confidence < ix.minConfidence {
		res.Quad = quad
		if !ix.isBack(best.ref) && res.Confidence >= minAlternative {
			first := board.Candidate{Card: *ix.card(best.ref).Ref(), Confidence: res.Confidence}
			res.Alternatives = append([]board.Candidate{first}, res.Alternatives...)
		}
		return res, nil
	}
	res.Quad = ix.printed(outline, best.ref, best.turned)
	res.TopKnown = topSure >= minTopConfidence && !ix.symmetric(best.ref)
	if ix.isBack(best.ref) {
		res.Face, res.Back = board.FaceDown, ix.back(best.ref).id
	} else {
		card := ix.card(best.ref)
		res.Face, res.Card = board.FaceUp, &card
	}
	return res, nil
}

// printed reorders an outline whose first edge is the grid's top so that it
// begins at the printed top-left corner. A landscape picture stands on the
// grid turned clockwise by a quarter.
func (ix *Index) printed(outline board.Quad, ref int, turned bool) board.Quad {
	k := 0
	if turned {
		k += 2
	}
	if ix.landscape(ref) {
		k++
	}
	return outline.Turned(k)
}

const (
	// minAlternative is the confidence below which an alternative is noise.
	minAlternative = 0.02

	// minTopConfidence is the confidence below which the top is not told.
	minTopConfidence = 0.9
)

// likenessConfidence is the share of patches of a likeness that show a card of
// the catalogue at all. On simulated tables and on photographs strangers, those
// of the same game included, stay below 0.54, nine in ten below 0.43; cards of
// the catalogue lie above 0.6, nine in ten above 0.75.
func likenessConfidence(likeness float64) float64 {
	const half, slope = 0.55, 40
	return logistic(slope * (likeness - half))
}

// rivalOdds is how many times likelier the rival is than the best match, from
// 0 to 1. It looks only where the two references differ: of cards with the
// same picture and other text that is the text. There the better one's lead,
// times the root of the number of blocks that differ, is compared with the
// spread that leads have by chance.
func (ix *Index) rivalOdds(s *scratch, best, rival *match) float64 {
	var alike [numBlocks]float32
	zncc(ix.oriented(s, best), ix.oriented(s, rival), &alike)
	var lead, differ float64
	for i, z := range alike {
		d := float64(1-max(z, 0)) * float64(max(best.prof.texture[i], rival.prof.texture[i]))
		lead += d * float64(best.prof.zncc[i]-rival.prof.zncc[i])
		differ += d
	}
	// Colours count as a few blocks more.
	const colourBlocks = 8
	cd := colourBlocks * max(0, 1-ix.refs[best.ref].colour.correlation(&ix.refs[rival.ref].colour, best.turned != rival.turned))
	lead += cd * (best.prof.colour - rival.prof.colour)
	differ += cd
	if differ < 0.5 {
		return 1 // nothing to tell them by
	}
	// A likelihood ratio: leads are about 0.35 per root of a block whichever is
	// right, with a spread of 0.3 by chance.
	const slope = 8.0
	return min(1, math.Exp(-slope*lead/math.Sqrt(differ)))
}

// look is a reference as it lies in the patch and as soft.
type look struct {
	ref      int
	turned   bool
	softness int
	plane    []float32
}

// oriented is a match's reference as it lies in the patch and as soft. It must
// not be changed, and holds for this patch only: a few references are compared
// with it again and again.
func (ix *Index) oriented(s *scratch, m *match) []float32 {
	var from *look // the same, but sharper
	for i := range s.looks {
		l := &s.looks[i]
		if l.ref != m.ref || l.turned != m.turned || l.softness > m.softness {
			continue
		}
		if l.softness == m.softness {
			return l.plane
		}
		if from == nil || l.softness > from.softness {
			from = l
		}
	}
	plane := s.nextLook(look{ref: m.ref, turned: m.turned, softness: m.softness})
	passes := m.softness
	if from != nil {
		copy(plane, from.plane)
		passes -= from.softness
	} else {
		ix.luma(m.ref, plane)
		if m.turned {
			slices.Reverse(plane)
		}
	}
	for range passes {
		soften(plane, s.buf[0])
	}
	return plane
}

// nextLook appends a look, with memory of an earlier patch if there is some.
func (s *scratch) nextLook(l look) []float32 {
	if n := len(s.looks); n < cap(s.looks) {
		l.plane = s.looks[:n+1][n].plane
	}
	if l.plane == nil {
		l.plane = make([]float32, gridW*gridH)
	}
	s.looks = append(s.looks, l)
	return l.plane
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// scratch is the memory of one identification.
type scratch struct {
	patch        patch
	patchPyramid pyramid
	softness     int // of the patch, in passes of soften
	colours      colours
	y, cb, cr    []float32 // the patch on the warped grid
	looks        []look    // references compared with the patch
	refPyramid   pyramid
	buf          [4][]float32
	query        descriptor
	aligned      []match
	hits         []hit
	aligner      aligner
}

func newScratch() *scratch {
	plane := func() []float32 { return make([]float32, patchW*patchH) }
	grid := func() []float32 { return make([]float32, gridW*gridH) }
	s := &scratch{
		patch: patch{y: plane(), cb: plane(), cr: plane()},
		y:     grid(), cb: grid(), cr: grid(),
		patchPyramid: pyramid{plane(), plane()},
		refPyramid:   pyramid{grid(), grid()},
		aligner:      aligner{grid()},
	}
	for i := range s.buf {
		s.buf[i] = plane()
	}
	return s
}
