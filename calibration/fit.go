package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tabletop/board"
)

// Limits of FitCards.
const (
	// MinCards is how few cards may carry a plane. Each card alone fixes all
	// five unknowns of it, but only near itself.
	MinCards = 3
	// MaxResidualMM is how far, in the root mean square, the corners may lie
	// from where rigid cards on one plane have theirs. A detector's corners are
	// good to about 0.5 mm; a lens that bends, which no plane can follow, or
	// cards of another size come out above it.
	MaxResidualMM = 1.5
	// rejectMM is the error of one card's corners (root mean square) beyond
	// which it is taken for no card of that size lying flat on the table.
	rejectMM = 2.5
	// MaxLengthError is how uncertain (standard error, as a share) lengths at
	// the picture's corners may be: cards that lie close together tell little
	// about the far side of the table.
	MaxLengthError = 0.03
	// acrossMM is what it costs to take a card's first edge for a long one.
	acrossMM = 2
)

// The reasons why cards give no plane.
var (
	ErrTooFewCards  = errors.New("calibration: too few cards to tell the table's plane")
	ErrInconsistent = errors.New("calibration: the cards do not fit one table plane")
)

// Fit is a table plane found from cards. Its millimetres begin at the middle of
// the picture, with up as the picture has it there.
type Fit struct {
	ResidualMM float64 // root mean square distance of the used cards' corners
	WorstMM    float64 // the largest of them
	Used       []int   // the cards, by their place in the list, that carry the fit
	Rejected   []int   // those that do not lie flat, or are of another size
	// LengthError is the standard error of lengths on the table, as a share of
	// them, at that corner of the picture where they are least known.
	LengthError float64

	image ImageSize
	plane *Plane
}

// FreeCards returns the outlines of the cards that FitCards and Drift may
// trust: in view but for a die or a token.
func FreeCards(cards []board.Observation) []board.Quad {
	var free []board.Quad
	for _, o := range cards {
		if o.Visible >= 0.9 {
			free = append(free, o.Corners)
		}
	}
	return free
}

// FitCards finds the table's plane from cards lying flat on it, given by their
// corners in pixels: clockwise from the printed top left, or, where the top is
// not known, along a short edge first. Some may be printed in landscape; were
// they the most, and all parallel, they would be taken for a squeezed picture of
// upright ones. All cards have the size card, in mm; lens may be nil.
//
// It minimises the distances between the corners seen and those of rigid
// rectangles on one plane, over the plane and each card's place and angle
// together (bundle adjustment with a Cauchy loss per card, by
// Levenberg–Marquardt), from the plane of the single card that suits the others
// best. Cards that do not suit are set aside; when more than half are, or the
// rest fits worse than MaxResidualMM, the error wraps ErrInconsistent. With
// fewer than MinCards, or when they leave lengths somewhere in the picture more
// uncertain than MaxLengthError, it wraps ErrTooFewCards.
//
// A wrong card size of the right proportions can't be noticed: everything then
// measures wrong by that factor.
func FitCards(image ImageSize, cards []board.Quad, card board.Size, lens *Lens) (*Fit, error) {
	if len(cards) < MinCards {
		return nil, fmt.Errorf("%w: there are %d and at least %d are needed; lay more cards flat, apart from one another and spread over the table", ErrTooFewCards, len(cards), MinCards)
	}
	if !(card.Width > 0 && card.Height > 0) || image.Width <= 0 || image.Height <= 0 {
		return nil, fmt.Errorf("calibration: a card of %g × %g mm in a picture of %s can't be", card.Width, card.Height, image)
	}
	b := newBundle(image, cards, card, lens)
	if len(b.cards) < MinCards {
		return nil, fmt.Errorf("%w: of %d outlines only %d can be a card lying flat", ErrTooFewCards, len(cards), len(b.cards))
	}
	best, ok := b.solve()
	if !ok {
		return nil, fmt.Errorf("%w: no plane takes them to cards of %g × %g mm; check the card size", ErrInconsistent, card.Width, card.Height)
	}
	fit, err := b.result(best, lens)
	if err != nil {
		return nil, err
	}
	fit.Rejected = append(fit.Rejected, b.unusable...)
	slices.Sort(fit.Rejected)
	switch {
	case len(fit.Used) < MinCards || 2*len(fit.Used) < len(cards):
		return nil, fmt.Errorf("%w: only %d of %d lie as cards of %g × %g mm would; check the card size, and that the cards lie flat and uncovered", ErrInconsistent, len(fit.Used), len(cards), card.Width, card.Height)
	case fit.ResidualMM > MaxResidualMM:
		return nil, fmt.Errorf("%w: their corners are off by %.1f mm and may be by %.1f; a wide lens may bend the picture: give its distortion, or move the camera up", ErrInconsistent, fit.ResidualMM, MaxResidualMM)
	case fit.LengthError > MaxLengthError:
		return nil, fmt.Errorf("%w: from the %d there, lengths at the picture's corners are known to %.0f %% only; spread the cards over the table, or lay more", ErrTooFewCards, len(fit.Used), 100*fit.LengthError)
	}
	return fit, nil
}

// Plane is the plane found, with its origin at the middle of the picture.
func (f *Fit) Plane() *Plane { return f.plane }

// Corners returns the corners, in pixels, of a play area of the given size (mm)
// in the middle of the picture, for a Calibration. They may lie outside it.
func (f *Fit) Corners(playArea board.Size) (board.Quad, error) {
	q := board.RectQuad(board.Point{}, playArea, 0).Map(f.plane.Pixel)
	if !finite(q[:]) {
		return board.Quad{}, fmt.Errorf("calibration: a play area of %g × %g mm reaches behind the camera", playArea.Width, playArea.Height)
	}
	return q, nil
}

// Visible is the size in mm of an upright play area in the middle of the
// picture that lies wholly in it.
func (f *Fit) Visible() (board.Size, error) {
	q := f.image.corners().Map(f.plane.MM)
	if !finite(q[:]) {
		return board.Size{}, errors.New("calibration: the picture reaches beyond the table's horizon; point the camera more steeply down")
	}
	return board.Size{
		Width:  2 * min(-q[0].X, -q[3].X, q[1].X, q[2].X),
		Height: 2 * min(-q[0].Y, -q[1].Y, q[2].Y, q[3].Y),
	}, nil
}

// bundle is the problem in units in which its numbers are about 1: lengths on
// the table in unitMM, places in the picture in half its width from its middle.
type bundle struct {
	image    ImageSize
	middle   board.Point
	scale    float64 // pixels in a unit of the picture
	size     board.Size
	cards    []bundleCard
	unusable []int
}

const unitMM = 100

type bundleCard struct {
	index  int // in the caller's list
	seen   board.Quad
	weight float64 // mm on the table for a unit of the picture, here
}

func newBundle(image ImageSize, cards []board.Quad, card board.Size, lens *Lens) *bundle {
	b := &bundle{
		image: image, middle: image.centre(), scale: float64(image.Width) / 2,
		size: board.Size{Width: card.Width / unitMM, Height: card.Height / unitMM},
	}
	for i, q := range cards {
		if lens != nil {
			q = q.Map(lens.Undistort)
		}
		q = q.Map(b.normalise)
		if !finite(q[:]) || !q.IsConvex() || q.Area() < 1e-8 {
			b.unusable = append(b.unusable, i)
			continue
		}
		weight := unitMM * math.Sqrt(b.size.Width*b.size.Height/q.Area())
		b.cards = append(b.cards, bundleCard{i, q, weight})
	}
	return b
}

func (b *bundle) normalise(p board.Point) board.Point {
	return p.Sub(b.middle).Scale(1 / b.scale)
}

// solution is a plane (table → picture, last number 1) and the cards on it.
type solution struct {
	plane board.Homography
	poses []pose
	cost  float64
}

// pose is where a card lies; across says that the edge from the first corner
// to the second is the long one.
type pose struct {
	centre board.Point
	angle  float64 // radians
	across bool
}

// across is the number of cards that lie with a long edge first.
func (s solution) across() int {
	n := 0
	for _, p := range s.poses {
		if p.across {
			n++
		}
	}
	return n
}

func (b *bundle) rectangle(across bool) board.Size {
	if across {
		return board.Size{Width: b.size.Height, Height: b.size.Width}
	}
	return b.size
}

// solve refines the most promising first guesses and returns the best outcome.
// Both readings of the cards, short or long edge first, are followed to the
// end: before that, noise may make the wrong one look better.
func (b *bundle) solve() (solution, bool) {
	const refined = 3 // of each reading
	var guesses []solution
	for _, across := range []bool{false, true} {
		reading := b.guesses(across)
		slices.SortStableFunc(reading, func(x, y solution) int { return cmp.Compare(x.cost, y.cost) })
		guesses = append(guesses, reading[:min(refined, len(reading))]...)
	}
	best, found := solution{cost: math.Inf(1)}, false
	for _, s := range guesses {
		// A wide loss first: a guess from one card is far off at the others.
		for _, width := range []float64{30, 8, 2, 1} {
			if laid, ok := b.place(s.plane); ok {
				s = b.refine(laid, width)
			}
		}
		s.cost += float64(s.across()) * math.Log1p(acrossMM*acrossMM)
		if s.cost < best.cost {
			best, found = s, true
		}
	}
	return best, found
}

// guesses are the planes that single cards tell, read with a short or a long
// edge first: with the perspective their four corners show, which noise spoils
// for a small card, and without any, which suits a camera that looks straight
// down. The cost of each is the median misfit of all cards, and something for
// those that lie across.
func (b *bundle) guesses(across bool) []solution {
	var guesses []solution
	flat := board.RectQuad(board.Point{}, b.rectangle(across), 0)
	for _, c := range b.cards {
		for _, q := range []board.Quad{c.seen, parallelogram(c.seen)} {
			plane, err := board.HomographyFromQuads(flat, q)
			if err != nil {
				continue
			}
			if s, ok := b.place(plane); ok {
				guesses = append(guesses, s)
			}
		}
	}
	return guesses
}

// parallelogram is the one nearest to a quad.
func parallelogram(q board.Quad) board.Quad {
	centre := q.Centre()
	right := q[1].Add(q[2]).Sub(q[0]).Sub(q[3]).Scale(0.25)
	down := q[2].Add(q[3]).Sub(q[0]).Sub(q[1]).Scale(0.25)
	return board.Quad{
		centre.Sub(right).Sub(down), centre.Add(right).Sub(down),
		centre.Add(right).Add(down), centre.Sub(right).Add(down),
	}
}

// place lays the cards onto a plane. It fails when half of them lie beyond its
// horizon.
func (b *bundle) place(plane board.Homography) (solution, bool) {
	back, err := inverse(plane)
	if err != nil {
		return solution{}, false
	}
	if denominator(back, b.cards[0].seen.Centre()) < 0 {
		for i := range back {
			back[i] = -back[i]
		}
	}
	s := solution{plane: plane, poses: make([]pose, len(b.cards))}
	misfits := make([]float64, len(b.cards))
	for i, c := range b.cards {
		on := c.seen.Map(func(p board.Point) board.Point { return project(back, p) })
		if !finite(on[:]) {
			misfits[i] = math.Inf(1)
			continue
		}
		upright, misfit := b.lay(on, false)
		across, misfitAcross := b.lay(on, true)
		s.poses[i], misfits[i] = upright, misfit
		if misfitAcross+acrossMM/unitMM < misfit {
			s.poses[i], misfits[i] = across, misfitAcross
		}
	}
	s.cost = median(misfits) + acrossMM/unitMM*float64(s.across())/float64(len(b.cards))
	return s, !math.IsInf(s.cost, 1)
}

// lay returns the pose of the rectangle nearest to a quad on the table and the
// root mean square distance of their corners.
func (b *bundle) lay(on board.Quad, across bool) (pose, float64) {
	angle, misfit := fitRectangle(on, b.rectangle(across))
	return pose{on.Centre(), angle, across}, misfit
}

// fitRectangle returns the angle (radians, clockwise) of the rectangle that is
// nearest to a quad in the least squares sense (orthogonal Procrustes in the
// plane), and the root mean square distance of the corners.
func fitRectangle(q board.Quad, size board.Size) (angle, misfit float64) {
	centre := q.Centre()
	flat := board.RectQuad(board.Point{}, size, 0)
	var dot, cross float64
	for i := range q {
		d := q[i].Sub(centre)
		dot += flat[i].Dot(d)
		cross += flat[i].Cross(d)
	}
	angle = math.Atan2(cross, dot)
	fitted := board.RectQuad(centre, size, angle*180/math.Pi)
	var sum float64
	for i := range q {
		d := q[i].Distance(fitted[i])
		sum += d * d
	}
	return angle, math.Sqrt(sum / 4)
}

// refine minimises the cards' Cauchy loss of the given width (mm) by
// Levenberg–Marquardt; the loss enters as weights (iteratively reweighted least
// squares). A rigid motion of table and cards together changes nothing; the
// damping keeps the normal equations solvable all the same.
func (b *bundle) refine(s solution, width float64) solution {
	const rounds = 40
	damping := 1e-3
	s.cost = b.cost(s, width)
	for range rounds {
		equations := b.normalEquations(s, width)
		improved := false
		for range 8 {
			step, ok := equations.solve(damping)
			if ok {
				next := s.moved(step)
				next.cost = b.cost(next, width)
				if next.cost < s.cost {
					improved = s.cost-next.cost > 1e-10*s.cost
					s = next
					damping = math.Max(damping/5, 1e-12)
					break
				}
			}
			damping *= 5
		}
		if !improved {
			return s
		}
	}
	return s
}

// moved is the solution after a step.
func (s solution) moved(step bundleStep) solution {
	next := solution{plane: s.plane, poses: slices.Clone(s.poses)}
	for i, d := range step.plane {
		next.plane[i] += d
	}
	for i, d := range step.poses {
		next.poses[i].centre = next.poses[i].centre.Add(board.Point{X: d[0], Y: d[1]})
		next.poses[i].angle += d[2]
	}
	return next
}

// cost is the sum of the cards' losses: log(1 + (e/width)²) with e the root
// mean square corner error in mm.
func (b *bundle) cost(s solution, width float64) float64 {
	var sum float64
	for i := range b.cards {
		e := b.cardError(s, i)
		sum += math.Log1p(e * e / (width * width))
	}
	return sum
}

// cardError is the root mean square error of a card's corners in mm.
func (b *bundle) cardError(s solution, i int) float64 {
	predicted := b.predict(s, i)
	var sum float64
	for k, p := range predicted {
		d := p.Sub(b.cards[i].seen[k]).Scale(b.cards[i].weight)
		sum += d.Dot(d)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return math.Sqrt(sum / 4)
}

func (b *bundle) predict(s solution, i int) board.Quad {
	pose := s.poses[i]
	return board.RectQuad(pose.centre, b.rectangle(pose.across), pose.angle*180/math.Pi).
		Map(func(p board.Point) board.Point { return project(s.plane, p) })
}

func (b *bundle) normalEquations(s solution, width float64) normalEquations {
	e := normalEquations{cards: make([]cardEquations, len(b.cards))}
	h := s.plane
	for i, c := range b.cards {
		misfit := b.cardError(s, i)
		if math.IsInf(misfit, 1) {
			continue
		}
		pose := s.poses[i]
		// The derivative of the Cauchy loss by the squared error, in pixels.
		weight := c.weight * c.weight / (width*width + misfit*misfit)
		for k, p := range board.RectQuad(pose.centre, b.rectangle(pose.across), pose.angle*180/math.Pi) {
			w := denominator(h, p)
			u := (h[0]*p.X + h[1]*p.Y + h[2]) / w
			v := (h[3]*p.X + h[4]*p.Y + h[5]) / w
			// By the corner's place on the table; turning the card moves the
			// corner at right angles to its arm.
			du := board.Point{X: (h[0] - u*h[6]) / w, Y: (h[1] - u*h[7]) / w}
			dv := board.Point{X: (h[3] - v*h[6]) / w, Y: (h[4] - v*h[7]) / w}
			arm := p.Sub(pose.centre)
			turn := board.Point{X: -arm.Y, Y: arm.X}
			e.add(i, weight, c.seen[k].X-u,
				[8]float64{p.X / w, p.Y / w, 1 / w, 0, 0, 0, -u * p.X / w, -u * p.Y / w},
				[3]float64{du.X, du.Y, du.Dot(turn)})
			e.add(i, weight, c.seen[k].Y-v,
				[8]float64{0, 0, 0, p.X / w, p.Y / w, 1 / w, -v * p.X / w, -v * p.Y / w},
				[3]float64{dv.X, dv.Y, dv.Dot(turn)})
		}
	}
	return e
}

// result turns a solution into a fit in pixels and millimetres.
func (b *bundle) result(s solution, lens *Lens) (*Fit, error) {
	fit := &Fit{image: b.image}
	var sum float64
	for i, c := range b.cards {
		e := b.cardError(s, i)
		if e > rejectMM {
			fit.Rejected = append(fit.Rejected, c.index)
			continue
		}
		fit.Used = append(fit.Used, c.index)
		sum += e * e
		for k, p := range b.predict(s, i) {
			fit.WorstMM = max(fit.WorstMM, c.weight*p.Distance(c.seen[k]))
		}
	}
	if len(fit.Used) == 0 {
		return fit, nil
	}
	fit.ResidualMM = math.Sqrt(sum / float64(len(fit.Used)))
	if len(fit.Used) >= MinCards {
		used, placed := b.only(s, fit.Used)
		fit.LengthError = used.lengthError(placed, sum)
	}

	back, err := inverse(s.plane)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInconsistent, err)
	}
	toUnits := board.Homography{1 / b.scale, 0, -b.middle.X / b.scale, 0, 1 / b.scale, -b.middle.Y / b.scale, 0, 0, 1}
	toMM := board.Homography{unitMM, 0, 0, 0, unitMM, 0, 0, 0, 1}
	toTable := toMM.Mul(back).Mul(toUnits)
	seen := b.cards[0].seen.Centre().Scale(b.scale).Add(b.middle)
	loose, err := newPlane(toTable, seen, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInconsistent, err)
	}
	origin := loose.MM(b.middle)
	up := loose.MM(b.middle.Sub(board.Point{Y: 1})).Sub(origin)
	if !finite([]board.Point{origin, up}) || up.Norm() == 0 {
		return nil, fmt.Errorf("%w: the middle of the picture would not show the table", ErrInconsistent)
	}
	up = up.Scale(1 / up.Norm())
	// Turn up into (0, -1) about the origin.
	turn := board.Homography{-up.Y, up.X, 0, -up.X, -up.Y, 0, 0, 0, 1}
	shift := board.Homography{1, 0, -origin.X, 0, 1, -origin.Y, 0, 0, 1}
	fit.plane, err = newPlane(turn.Mul(shift).Mul(loose.toTable), seen, lens)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInconsistent, err)
	}
	return fit, nil
}

// only is the problem and its solution reduced to the cards with these indices.
func (b *bundle) only(s solution, indices []int) (*bundle, solution) {
	reduced, placed := *b, solution{plane: s.plane}
	reduced.cards = nil
	for i, c := range b.cards {
		if slices.Contains(indices, c.index) {
			reduced.cards = append(reduced.cards, c)
			placed.poses = append(placed.poses, s.poses[i])
		}
	}
	return &reduced, placed
}

// lengthError is the standard error of lengths at the picture's corners, as a
// share: that of the logarithm of the millimetres in a pixel, to first order.
// squares is the sum of the cards' squared errors.
func (b *bundle) lengthError(s solution, squares float64) float64 {
	const width = 1e3 // so wide a loss weighs all cards alike, by 1/width²
	equations := b.normalEquations(s, width)
	// Eight residuals a card, three unknowns of its pose, five of the plane.
	n := float64(len(b.cards))
	sigma2 := 4 * squares / (8*n - 3*n - 5) / (width * width)
	worst := 0.0
	for _, corner := range b.image.corners() {
		p := b.normalise(corner)
		var derivatives [8]float64
		for i := range derivatives {
			const h = 1e-6
			up, down := s.plane, s.plane
			up[i] += h
			down[i] -= h
			derivatives[i] = (logScale(up, p) - logScale(down, p)) / (2 * h)
		}
		worst = max(worst, equations.variance(derivatives)*sigma2)
	}
	if math.IsNaN(worst) {
		return math.Inf(1) // beyond the horizon
	}
	return math.Sqrt(worst)
}

// logScale is the logarithm of the length on the table that a unit of the
// picture spans at p, up to a constant; NaN beyond the horizon. The area that a
// plane map magnifies by is its determinant over the cube of its denominator.
func logScale(plane board.Homography, p board.Point) float64 {
	back, err := inverse(plane)
	if err != nil {
		return math.NaN()
	}
	on := back.Apply(p)
	det := plane[0]*(plane[4]*plane[8]-plane[5]*plane[7]) - plane[1]*(plane[3]*plane[8]-plane[5]*plane[6]) + plane[2]*(plane[3]*plane[7]-plane[4]*plane[6])
	return -0.5 * math.Log(det/math.Pow(denominator(plane, on), 3))
}
