package tracker

import (
	"math"
	"time"

	"tabletop/board"
)

// samples is how many points across and down a card stand for it when it is
// asked how much of it something covers: 10 × 15 mm apart, less than a finger.
const samples = 7

// share is how much of the quad f is true of, in [0,1], by samples.
func share(q board.Quad, f func(board.Point) bool) float64 {
	n := 0
	for i := range samples {
		v := float64(i) / (samples - 1)
		left := q[0].Scale(1 - v).Add(q[3].Scale(v))
		right := q[1].Scale(1 - v).Add(q[2].Scale(v))
		for j := range samples {
			u := float64(j) / (samples - 1)
			if f(left.Scale(1 - u).Add(right.Scale(u))) {
				n++
			}
		}
	}
	return float64(n) / (samples * samples)
}

// veil is an obscured place with its bounding box.
type veil struct {
	poly     board.Polygon
	min, max board.Point
	since    time.Duration // it has been there, as it is
}

// like says whether two veils are of one thing that has not moved.
func (v veil) like(w veil) bool {
	return v.min.Distance(w.min) < placeMM && v.max.Distance(w.max) < placeMM
}

// isPlaceOf says whether the veil is the place of the card itself.
func (v veil) isPlaceOf(k *track) bool {
	return len(v.poly) == 4 && (v.like(newVeil(k.outl[:])) || v.like(newVeil(k.copy.Pose.Corners[:])))
}

func newVeil(p board.Polygon) veil {
	v := veil{poly: p, min: board.Point{X: math.Inf(1), Y: math.Inf(1)}, max: board.Point{X: math.Inf(-1), Y: math.Inf(-1)}}
	for _, q := range p {
		v.min = board.Point{X: math.Min(v.min.X, q.X), Y: math.Min(v.min.Y, q.Y)}
		v.max = board.Point{X: math.Max(v.max.X, q.X), Y: math.Max(v.max.Y, q.Y)}
	}
	return v
}

func (v veil) contains(p board.Point) bool {
	return p.X >= v.min.X && p.X <= v.max.X && p.Y >= v.min.Y && p.Y <= v.max.Y && v.poly.Contains(p)
}

// veiled is how much of the quad lies in obscured places, in [0,1].
func veiled(veils []veil, q board.Quad) float64 {
	lo, hi := q[0], q[0]
	for _, p := range q[1:] {
		lo = board.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
		hi = board.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
	}
	near := false
	for _, v := range veils {
		near = near || (v.min.X <= hi.X && v.max.X >= lo.X && v.min.Y <= hi.Y && v.max.Y >= lo.Y)
	}
	if !near {
		return 0
	}
	return share(q, func(p board.Point) bool {
		for _, v := range veils {
			if v.contains(p) {
				return true
			}
		}
		return false
	})
}

// halfDiagonal bounds how far a quad reaches from its centre.
func halfDiagonal(q board.Quad) float64 { return q[0].Distance(q[2]) / 2 }
