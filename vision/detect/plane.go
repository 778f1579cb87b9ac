package detect

import (
	"math"

	"tabletop/board"
)

// view is how the camera sees the table: an ideal pinhole camera with square
// pixels and its axis through the middle of the picture, over a plane.
type view struct {
	centre board.Point // principal point, pixels
	middle board.Point // of the picture, near which the principal point lies
	f      float64     // focal length, pixels
	nx, ny float64     // the plane's normal is (nx, ny, 1) in camera axes
}

// tiltDeg is the angle between the camera's axis and the plane's normal.
func (v view) tiltDeg() float64 { return math.Atan(math.Hypot(v.nx, v.ny)) * 180 / math.Pi }

// rectifier returns the map from pixels to the plane, in units that are one
// pixel at the principal point (seen across the tilt).
func (v view) rectifier() board.Homography {
	norm := math.Sqrt(1 + v.nx*v.nx + v.ny*v.ny)
	n := [3]float64{v.nx / norm, v.ny / norm, 1 / norm}
	l := math.Hypot(1, v.nx)
	e1 := [3]float64{1 / l, 0, -v.nx / l}
	e2 := [3]float64{n[1]*e1[2] - n[2]*e1[1], n[2]*e1[0] - n[0]*e1[2], n[0]*e1[1] - n[1]*e1[0]}
	// (x-cx)/f, (y-cy)/f, 1 is the ray of a pixel.
	row := func(e [3]float64, k float64) [3]float64 {
		return [3]float64{k * e[0] / v.f, k * e[1] / v.f, k * (e[2] - (e[0]*v.centre.X+e[1]*v.centre.Y)/v.f)}
	}
	a, b, c := row(e1, v.f), row(e2, v.f), row([3]float64{v.nx, v.ny, 1}, 1)
	return board.Homography{a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]}
}

// viewOfQuad returns the plane that a rectangle seen as q lies on, for a given
// focal length: its sides' vanishing points give the plane's horizon.
func viewOfQuad(q board.Quad, centre board.Point, f float64) (view, bool) {
	line := func(a, b board.Point) [3]float64 {
		a, b = a.Sub(centre).Scale(1/f), b.Sub(centre).Scale(1/f)
		return [3]float64{a.Y - b.Y, b.X - a.X, a.Cross(b)}
	}
	x := func(a, b [3]float64) [3]float64 {
		return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	v1 := x(line(q[0], q[1]), line(q[3], q[2]))
	v2 := x(line(q[1], q[2]), line(q[0], q[3]))
	n := x(v1, v2)
	if math.Abs(n[2]) < 1e-12 {
		return view{}, false
	}
	return view{centre: centre, middle: centre, f: f, nx: n[0] / n[2], ny: n[1] / n[2]}, true
}

// fit is how a quad, brought to the plane, compares with a card.
type fit struct {
	size     float64    // plane units per millimetre, from the card's size
	residual float64    // rms distance of the corners from the ideal card's, share of its height
	turn     int        // quarter turns after which corner 0 → 1 is a short side
	off      [8]float64 // the single deviations, share of the card's height
	aspect   float64    // width over height, measured on the plane
}

// fitCard brings a quad to the plane and lays the ideal card on it (a
// similarity by least squares, as Procrustes; Umeyama, PAMI 1991).
func fitCard(q board.Quad, h *board.Homography, card board.Size) fit {
	p := q.Map(h.Apply)
	turn := 0
	if w, h := p.Edges(); w > h {
		turn = 1
	}
	f := procrustes(p.Turned(turn), card, 0)
	f.turn = turn
	return f
}

// procrustes lays the ideal card on p: turned, moved and, unless its size is
// given (units per millimetre), scaled to fit.
func procrustes(p board.Quad, card board.Size, size float64) fit {
	ideal := board.RectQuad(board.Point{}, card, 0)
	c := p.Centre()
	var re, im, norm float64
	for i := range p {
		d := p[i].Sub(c)
		re += ideal[i].Dot(d)
		im += ideal[i].Cross(d)
		norm += ideal[i].Dot(ideal[i])
	}
	re, im = re/norm, im/norm
	s := math.Sqrt(re*re + im*im)
	f := fit{size: s}
	if size > 0 {
		re, im, s = re*size/s, im*size/s, size
	}
	if s == 0 || math.IsNaN(s) || math.IsInf(s, 0) {
		f.residual = math.Inf(1)
		return f
	}
	var sum float64
	for i := range p {
		r := ideal[i]
		e := p[i].Sub(c).Sub(board.Point{X: re*r.X - im*r.Y, Y: im*r.X + re*r.Y}).Scale(1 / (s * card.Height))
		f.off[2*i], f.off[2*i+1] = e.X, e.Y
		sum += e.Dot(e)
	}
	f.residual = math.Sqrt(sum / 4)
	w, h := p.Edges()
	f.aspect = w / h
	return f
}

// The focal lengths of webcams, phones and Pi cameras lie around the longer
// side of the picture; a crop makes them longer. In units of that side.
var focalGrid = []float64{0.65, 0.85, 1.1, 1.5, 2.5}

const (
	typicalFocal = 1.05
	focalSpread  = 0.35 // of the logarithm
	maxTiltDeg   = 62
	fitSigma     = 0.012 // a card's corners leave the ideal by this, share of its height: bent cards, blur, lens
)

// bestOwnFit fits a quad on the plane that suits it best by itself: what a
// single card in the picture can say.
func bestOwnFit(q board.Quad, centre board.Point, longest float64, card board.Size) (fit, view) {
	best, bestView := fit{residual: math.Inf(1)}, view{}
	for _, k := range focalGrid {
		v, ok := viewOfQuad(q, centre, k*longest)
		if !ok || v.tiltDeg() > maxTiltDeg {
			continue
		}
		h := v.rectifier()
		if f := fitCard(q, &h, card); f.residual < best.residual {
			best, bestView = f, v
		}
	}
	return best, bestView
}

// weighted is a quad with the trust put in it.
type weighted struct {
	quad   board.Quad
	weight float64
}

// estimateView finds the plane on which the most, and the best, quads are
// cards. A group holds the quads of one place, of which one may be the card.
// The strongest quads propose planes, the proposals are scored by all groups,
// and the best is refined by Gauss–Newton steps over the quads that agree.
func estimateView(groups [][]weighted, centre board.Point, longest float64, card board.Size) view {
	best := view{centre: centre, middle: centre, f: typicalFocal * longest}
	bestScore := scoreView(best, groups, longest, card)
	for g := range groups[:min(len(groups), viewGroups)] {
		for i := range groups[g][:min(len(groups[g]), viewProposals)] {
			for _, k := range focalGrid {
				v, ok := viewOfQuad(groups[g][i].quad, centre, k*longest)
				if !ok || v.tiltDeg() > maxTiltDeg {
					continue
				}
				if s := scoreView(v, groups, longest, card); s > bestScore {
					best, bestScore = v, s
				}
			}
		}
	}
	for range 6 {
		v := refineView(best, groups, longest, card)
		s := scoreView(v, groups, longest, card)
		if s <= bestScore {
			break
		}
		best, bestScore = v, s
	}
	return best
}

// How many groups, and how many quads of each, propose planes.
const (
	viewGroups    = 12
	viewProposals = 3
)

// bestOf returns the quad of a group that is most a card on a plane, how it
// fits, and its weight there.
func bestOf(group []weighted, h *board.Homography, card board.Size) (best int, bestFit fit, bestWeight float64) {
	for i := range group {
		f := fitCard(group[i].quad, h, card)
		if w := group[i].weight * math.Exp(-0.5*square(f.residual/fitSigma)); w > bestWeight {
			best, bestFit, bestWeight = i, f, w
		}
	}
	return best, bestFit, bestWeight
}

func scoreView(v view, groups [][]weighted, longest float64, card board.Size) float64 {
	h := v.rectifier()
	var s float64
	for i := range groups {
		_, _, w := bestOf(groups[i], &h, card)
		s += w
	}
	// A weak preference for usual lenses and small tilts settles what the
	// quads leave open.
	d := math.Log(v.f/(typicalFocal*longest)) / focalSpread
	return s - 0.02*d*d - 0.05*(square(v.nx)+square(v.ny))
}

func square(x float64) float64 { return x * x }

// refineView takes one Gauss–Newton step over nx, ny and log f, over the quads
// that are cards on the plane as it is.
func refineView(v view, groups [][]weighted, longest float64, card board.Size) view {
	h := v.rectifier()
	var quads []weighted
	for i := range groups {
		b, f, weight := bestOf(groups[i], &h, card)
		if weight == 0 || f.residual > 4*fitSigma {
			continue
		}
		quads = append(quads, weighted{groups[i][b].quad.Turned(f.turn), groups[i][b].weight})
	}
	n, _ := gaussNewton(v, 0, quads, longest, card)
	return n
}

// centreSpread is how far the camera's axis may lie from the middle of the
// picture, share of its longer side: pictures are cropped.
const centreSpread = 0.12

// refineCards fits the plane, the camera and the common size of quads that are
// cards for certain. It returns the plane and the size in its units per
// millimetre.
func refineCards(v view, size float64, quads []weighted, longest float64, card board.Size) (view, float64) {
	for range 8 {
		n, s := gaussNewton(v, size, quads, longest, card)
		moved := math.Hypot(n.nx-v.nx, n.ny-v.ny)
		v, size = n, s
		if moved < 1e-4 {
			break
		}
	}
	return v, size
}

// gaussNewton takes one robust (Cauchy) step. The unknowns are nx, ny and log f
// and, when a common size is given, the principal point and the size as well.
// The quads' first side must be a short one.
func gaussNewton(v view, size float64, quads []weighted, longest float64, card board.Size) (view, float64) {
	const most = 6
	n := 3
	if size > 0 {
		n = most
	}
	p := [most]float64{v.nx, v.ny, math.Log(v.f), v.centre.X / longest, v.centre.Y / longest, math.Log(max(size, 1e-9))}
	at := func(p [most]float64) (board.Homography, float64) {
		w := view{centre: board.Point{X: p[3] * longest, Y: p[4] * longest}, nx: p[0], ny: p[1], f: math.Exp(p[2])}
		if size > 0 {
			return w.rectifier(), math.Exp(p[5])
		}
		return w.rectifier(), 0
	}
	const step = 1e-4
	var hs [most]board.Homography
	var sizes [most]float64
	for k := range n {
		q := p
		q[k] += step
		hs[k], sizes[k] = at(q)
	}
	h0, size0 := at(p)
	var a [most][most + 1]float64
	for i := range quads {
		f := procrustes(quads[i].quad.Map(h0.Apply), card, size0)
		w := quads[i].weight / (1 + square(f.residual/fitSigma)) / square(fitSigma)
		var jac [most][8]float64
		for k := range n {
			fk := procrustes(quads[i].quad.Map(hs[k].Apply), card, sizes[k])
			for r := range 8 {
				jac[k][r] = (fk.off[r] - f.off[r]) / step
			}
		}
		for r := range 8 {
			for k := range n {
				a[k][n] -= w * jac[k][r] * f.off[r]
				for l := range n {
					a[k][l] += w * jac[k][r] * jac[l][r]
				}
			}
		}
	}
	// What is known without the quads: usual lenses, the axis in the middle.
	a[2][n] -= (p[2] - math.Log(typicalFocal*longest)) / square(focalSpread)
	a[2][2] += 1 / square(focalSpread)
	if n == most {
		mid := [2]float64{v.middle.X / longest, v.middle.Y / longest}
		for k := range 2 {
			a[3+k][n] -= (p[3+k] - mid[k]) / square(centreSpread)
			a[3+k][3+k] += 1 / square(centreSpread)
		}
	}
	for k := range n {
		a[k][k] = a[k][k]*1.01 + 1e-6
	}
	d, ok := solve(a, n)
	if !ok {
		return v, size
	}
	d[2] = max(-0.5, min(0.5, d[2]))
	for k := range n {
		p[k] += d[k]
	}
	w := view{centre: board.Point{X: p[3] * longest, Y: p[4] * longest}, middle: v.middle, nx: p[0], ny: p[1], f: math.Exp(p[2])}
	if w.tiltDeg() > maxTiltDeg {
		return v, size
	}
	if size > 0 {
		size = math.Exp(p[5])
	}
	return w, size
}

// solve solves the first n equations of a system, right-hand side in column n,
// by elimination with pivots.
func solve(a [6][7]float64, n int) (x [6]float64, ok bool) {
	for col := range n {
		pivot := col
		for r := col + 1; r < n; r++ {
			if math.Abs(a[r][col]) > math.Abs(a[pivot][col]) {
				pivot = r
			}
		}
		if math.Abs(a[pivot][col]) < 1e-12 || math.IsNaN(a[pivot][col]) {
			return x, false
		}
		a[col], a[pivot] = a[pivot], a[col]
		for r := range n {
			if r == col {
				continue
			}
			f := a[r][col] / a[col][col]
			for c := col; c <= n; c++ {
				a[r][c] -= f * a[col][c]
			}
		}
	}
	for k := range n {
		x[k] = a[k][n] / a[k][k]
	}
	return x, true
}
