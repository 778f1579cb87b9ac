package board

import (
	"errors"
	"math"
)

// Homography maps one plane onto another: row-major 3×3, defined up to scale.
// Calibration uses it from pixels to millimetres.
type Homography [9]float64

// ErrDegenerate says that the given points do not fix a plane map: three of
// them lie on one line, or two are the same.
var ErrDegenerate = errors.New("board: the four points do not span a plane (three on one line, or two the same)")

// HomographyFromQuads returns the map that takes each corner of from to the
// same corner of to. It returns ErrDegenerate when either quad has three
// corners on a line.
//
// The eight unknowns are solved from the eight linear equations of the direct
// linear transform (Hartley & Zisserman, Multiple View Geometry, 4.1) with
// h33 = 1.
func HomographyFromQuads(from, to Quad) (Homography, error) {
	var a [8][9]float64
	for i := range from {
		x, y, u, v := from[i].X, from[i].Y, to[i].X, to[i].Y
		a[2*i] = [9]float64{x, y, 1, 0, 0, 0, -u * x, -u * y, u}
		a[2*i+1] = [9]float64{0, 0, 0, x, y, 1, -v * x, -v * y, v}
	}
	for col := range 8 {
		pivot := col
		for r := col + 1; r < 8; r++ {
			if math.Abs(a[r][col]) > math.Abs(a[pivot][col]) {
				pivot = r
			}
		}
		if math.Abs(a[pivot][col]) < 1e-9 {
			return Homography{}, ErrDegenerate
		}
		a[col], a[pivot] = a[pivot], a[col]
		for r := range 8 {
			if r == col {
				continue
			}
			f := a[r][col] / a[col][col]
			for c := col; c < 9; c++ {
				a[r][c] -= f * a[col][c]
			}
		}
	}
	var h Homography
	for i := range 8 {
		h[i] = a[i][8] / a[i][i]
	}
	h[8] = 1
	return h, nil
}

// Apply maps a point. A point on the plane's horizon maps to infinity.
func (h Homography) Apply(p Point) Point {
	w := h[6]*p.X + h[7]*p.Y + h[8]
	return Point{(h[0]*p.X + h[1]*p.Y + h[2]) / w, (h[3]*p.X + h[4]*p.Y + h[5]) / w}
}

// Inverse returns the map back, or ErrDegenerate.
func (h Homography) Inverse() (Homography, error) {
	var inv Homography
	inv[0] = h[4]*h[8] - h[5]*h[7]
	inv[1] = h[2]*h[7] - h[1]*h[8]
	inv[2] = h[1]*h[5] - h[2]*h[4]
	inv[3] = h[5]*h[6] - h[3]*h[8]
	inv[4] = h[0]*h[8] - h[2]*h[6]
	inv[5] = h[2]*h[3] - h[0]*h[5]
	inv[6] = h[3]*h[7] - h[4]*h[6]
	inv[7] = h[1]*h[6] - h[0]*h[7]
	inv[8] = h[0]*h[4] - h[1]*h[3]
	det := h[0]*inv[0] + h[1]*inv[3] + h[2]*inv[6]
	if math.Abs(det) < 1e-15 || math.IsNaN(det) {
		return Homography{}, ErrDegenerate
	}
	for i := range inv {
		inv[i] /= det
	}
	return inv, nil
}

// Mul returns the map that applies g first and h after it.
func (h Homography) Mul(g Homography) Homography {
	var m Homography
	for r := range 3 {
		for c := range 3 {
			for k := range 3 {
				m[3*r+c] += h[3*r+k] * g[3*k+c]
			}
		}
	}
	return m
}
