package detect

import (
	"math"

	"tabletop/board"
)

// view is how the camera sees the table: an ideal pinhole camera with square
// pixels and its axis through the middle of the picture, over a plane.
type view struct {
	centre board.Point // principal point, pixels
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
	return view{centre: centre, f: f, nx: n[0] / n[2], ny: n[1] / n[2]}, true
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
	best := fit{residual: math.Inf(1)}
	for turn := range 2 {
		if f := procrustes(p.Turned(turn), card); f.residual < best.residual {
			f.turn = turn
			best = f
		}
	}
	return best
}

func procrustes(p board.Quad, card board.Size) fit {
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
	s := math.Hypot(re, im)
	f := fit{size: s}
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
	best := view{centre: centre, f: typicalFocal * longest}
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

// refineView takes one damped Gauss–Newton step over nx, ny and log f.
func refineView(v view, groups [][]weighted, longest float64, card board.Size) view {
	at := func(p [3]float64) view {
		return view{centre: v.centre, nx: p[0], ny: p[1], f: math.Exp(p[2])}
	}
	p := [3]float64{v.nx, v.ny, math.Log(v.f)}
	steps := [3]float64{1e-4, 1e-4, 1e-4}
	h := v.rectifier()
	var hp [3]board.Homography
	for k := range p {
		q := p
		q[k] += steps[k]
		hp[k] = at(q).rectifier()
	}
	var a [3][3]float64
	var g [3]float64
	for i := range groups {
		b, f, weight := bestOf(groups[i], &h, card)
		if weight == 0 || f.residual > 4*fitSigma {
			continue
		}
		w := groups[i][b].weight / (1 + square(f.residual/fitSigma)) / square(fitSigma)
		var jac [3][8]float64
		turned := groups[i][b].quad.Turned(f.turn)
		for k := range p {
			fk := procrustes(turned.Map(hp[k].Apply), card)
			for r := range 8 {
				jac[k][r] = (fk.off[r] - f.off[r]) / steps[k]
			}
		}
		for r := range 8 {
			for k := range 3 {
				g[k] -= w * jac[k][r] * f.off[r]
				for l := range 3 {
					a[k][l] += w * jac[k][r] * jac[l][r]
				}
			}
		}
	}
	g[2] -= (p[2] - math.Log(typicalFocal*longest)) / square(focalSpread)
	a[2][2] += 1 / square(focalSpread)
	for k := range 3 {
		a[k][k] *= 1.01
		a[k][k] += 1e-6
	}
	d, ok := solve3(a, g)
	if !ok {
		return v
	}
	d[2] = math.Max(-0.5, math.Min(0.5, d[2]))
	n := at([3]float64{p[0] + d[0], p[1] + d[1], p[2] + d[2]})
	if n.tiltDeg() > maxTiltDeg {
		return v
	}
	return n
}

// solve3 solves a·x = b by Cramer's rule.
func solve3(a [3][3]float64, b [3]float64) (x [3]float64, ok bool) {
	det := func(m [3][3]float64) float64 {
		return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	}
	d := det(a)
	if d == 0 || math.IsNaN(d) {
		return x, false
	}
	for k := range 3 {
		m := a
		for r := range 3 {
			m[r][k] = b[r]
		}
		x[k] = det(m) / d
	}
	return x, true
}
