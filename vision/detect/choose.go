package detect

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

// choose decides which candidates are the cards: on one plane, of one size, of
// a card's proportions, and not parts of one another.
func (s *search) choose(places []candidate) ([]candidate, error) {
	if len(places) == 0 {
		return nil, nil
	}
	places = separate(places)
	if s.known != nil {
		return s.chooseOn(places)
	}
	if s.agreed != nil {
		return s.chooseFrom(places, *s.agreed)
	}
	open := func(p *candidate) board.Homography {
		_, v := bestOwnFit(p.quad, s.centre, s.longest, s.card)
		return v.rectifier()
	}
	for i := range places[:min(len(places), viewPlaces)] {
		if p := &places[i]; p.outlines == nil {
			h := open(p)
			if err := s.outline(p, &h, filter{aspect: openAspect}); err != nil {
				return nil, err
			}
		}
	}
	return s.chooseFrom(places, s.firstView(places))
}

// chooseFrom chooses the cards on a plane known roughly, which they make exact.
func (s *search) chooseFrom(places []candidate, v view) ([]candidate, error) {
	s.note("view: f %.0f of %.0f, tilt %.1f", v.f, s.longest, v.tiltDeg())
	h := v.rectifier()
	if err := s.outlineRest(places, &h, 0, viewSlack[0]); err != nil {
		return nil, err
	}
	var chosen []candidate
	var size float64
	for i, slack := range viewSlack {
		chosen, size = s.pick(places, &h, 0, slack, viewUnsure(len(chosen)))
		if len(chosen) < 2 || i == len(viewSlack)-1 {
			continue
		}
		cards := make([]weighted, 0, len(chosen))
		for _, c := range chosen {
			cards = append(cards, weighted{c.quad.Turned(c.fit.turn), c.score})
		}
		v, size = refineCards(v, size, cards, s.longest, s.card)
		s.note("size %.2f, %d cards, view: f %.0f of %.0f, tilt %.1f, centre %.0f", size, len(chosen), v.f, s.longest, v.tiltDeg(), v.centre)
		h = v.rectifier()
		if err := s.complete(places, chosen, &h, size); err != nil {
			return nil, err
		}
	}
	return s.withCovered(chosen, &h, size)
}

// chooseOn chooses the cards on the plane that is known beforehand.
func (s *search) chooseOn(places []candidate) ([]candidate, error) {
	if err := s.outlineRest(places, s.known, 1, 1); err != nil {
		return nil, err
	}
	chosen, _ := s.pick(places, s.known, 1, 1, 1)
	if err := s.complete(places, chosen, s.known, 1); err != nil {
		return nil, err
	}
	chosen, _ = s.pick(places, s.known, 1, 1, 1)
	return s.withCovered(chosen, s.known, 1)
}

func (s *search) outline(p *candidate, h *board.Homography, f filter) (err error) {
	p.outlines, err = s.outlinesAround(*p, h, f)
	return err
}

// outlineRest looks for the outlines of the places for which nobody has yet,
// but for those that lie in a card found already.
func (s *search) outlineRest(places []candidate, h *board.Homography, size, slack float64) error {
	first, _ := s.pick(places, h, size, slack, 1)
	var todo []*candidate
	for i := range places {
		p := &places[i]
		if p.outlines == nil && !slices.ContainsFunc(first, func(c candidate) bool { return c.quality > completeBelow && covers(c.quad, p.quad) > 0.2 }) {
			todo = append(todo, p)
		}
	}
	return s.forPlaces(todo, func(p *candidate) error {
		return s.outline(p, h, filter{aspect: knownAspect, size: size})
	})
}

// viewSlack widens what may be a card while the plane is still rough: at first
// an outline's own edges decide, in the end its size and proportions as well.
var viewSlack = [3]float64{2.5, 1.5, 1}

// viewUnsure widens what may be a card on a plane that few cards fix: where one
// of n lies, the plane hangs on the n-1 others, each of which is a card's spread
// off, and in a picture's corner counts more than in its middle.
func viewUnsure(n int) float64 {
	if n < 2 {
		return 1
	}
	return min(1.5, math.Sqrt(1+2/float64(n-1)))
}

// From how many places, and how many outlines of each, the plane is found.
const (
	viewPlaces   = 24
	viewOutlines = 6
)

// firstView finds the plane from the best outlines of the best places.
func (s *search) firstView(places []candidate) view {
	var groups [][]weighted
	var heads []board.Quad
	for _, p := range places[:min(len(places), viewPlaces)] {
		at := slices.IndexFunc(heads, func(q board.Quad) bool { return covers(q, p.quad) > 0.5 })
		if at < 0 {
			at = len(heads)
			heads = append(heads, p.quad)
			groups = append(groups, nil)
		}
		for _, c := range p.outlines[:min(len(p.outlines), viewOutlines)] {
			groups[at] = append(groups[at], weighted{c.quad, square(c.quality)})
		}
	}
	groups = slices.DeleteFunc(groups, func(g []weighted) bool { return len(g) == 0 })
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	}
	return estimateView(groups, s.centre, s.longest, s.card)
}

// samePlace is the overlap above which two quads are outlines of one card: the
// nested outlines of the better one hold the other.
const samePlace = 0.7

// separate drops the places that are the same as a better one.
func separate(places []candidate) []candidate {
	var out []candidate
	for _, p := range places {
		if !slices.ContainsFunc(out, func(o candidate) bool { return covers(o.quad, p.quad) > 0.5 && o.quad.Overlap(p.quad) > samePlace }) {
			out = append(out, p)
		}
	}
	return out
}

// pick scores every outline on a plane, finds the size most places agree on
// unless it is given, and returns the best outline of each place that has it.
// Slack widens what may be a card, and unsure does where all four sides are good.
func (s *search) pick(places []candidate, h *board.Homography, size, slack, unsure float64) ([]candidate, float64) {
	slackOf := func(o *candidate) float64 {
		if o.quality < goodPlace {
			return slack
		}
		return max(slack, unsure)
	}
	for k := range places {
		p := &places[k]
		for i := range p.outlines {
			o := &p.outlines[i]
			o.fit = fitCard(o.quad, h, s.card)
			o.score = o.quality * math.Exp(-0.5*square(o.fit.residual/(slackOf(o)*s.fitSigma(o.quad))))
		}
	}
	if size == 0 {
		size = commonSize(places)
	}
	type scored struct {
		c     *candidate
		score float64
	}
	var all []scored
	for i := range places {
		for k := range places[i].outlines {
			c := &places[i].outlines[k]
			score := c.score * math.Exp(-0.5*square(math.Log(c.fit.size/size)/(slackOf(c)*sizeSigma)))
			if score > minScore {
				all = append(all, scored{c, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []candidate
next:
	for _, a := range all {
		for i := range out {
			if covers(out[i].quad, a.c.quad) > 0.2 {
				continue next
			}
		}
		c := *a.c
		c.score = a.score
		out = append(out, c)
	}
	return out, size
}

const (
	// sizeSigma is the spread of the logarithm of the cards' sizes on the plane.
	sizeSigma = 0.03
	// minScore is what a card must reach.
	minScore = 0.4
)

// likelihood turns the score of an outline into the share of such outlines that
// are cards: a logistic curve through what 500 cards of simulated tables and
// photographs gave, where half of those about 0.33 are cards, and nine in ten of
// those about 0.55.
func likelihood(score float64) float64 {
	const half, scale = 0.33, 0.1
	return 1 / (1 + math.Exp((half-score)/scale))
}

// fitSigma is how far a card's corners may be expected to lie from the ideal,
// share of its height: half a pixel of each edge, and bent cards.
func (s *search) fitSigma(q board.Quad) float64 {
	w, h := q.Edges()
	return math.Hypot(0.01, 0.5/max(w, h))
}

// covers is the share of the smaller quad that the other covers.
func covers(a, b board.Quad) float64 {
	ca, cb := a.Centre(), b.Centre()
	// Half the diagonals reach the corners, and a little is for the slant.
	if norm(ca.Sub(cb)) > 0.6*(norm(a[0].Sub(a[2]))+norm(b[0].Sub(b[2]))) {
		return 0
	}
	return a.Intersection(b) / min(a.Area(), b.Area())
}

// complete looks again for the outlines of the known size around places that
// gave no card of it, among edges too faint to be taken for a card's by
// themselves.
func (s *search) complete(places, chosen []candidate, h *board.Homography, size float64) error {
	var todo []*candidate
	for i := range places {
		p := &places[i]
		if !slices.ContainsFunc(chosen, func(c candidate) bool {
			return covers(c.quad, p.quad) > 0.2 && c.quality > completeBelow && ratio(c.fit.size, size) < 1+sizeSigma
		}) {
			todo = append(todo, p)
		}
	}
	return s.forPlaces(todo, func(p *candidate) error {
		more, err := s.nested(*p, h, filter{aspect: knownAspect, size: size})
		p.outlines = append(p.outlines, more...)
		return err
	})
}

// completeBelow is the quality below which a card's outline is looked for again
// once the size is known.
const completeBelow = 0.9
