package identify

import "math"

// aligner finds the small warp that lays a patch onto a reference. It is a
// Gauss-Newton descent on the difference of two pictures normalised for local
// contrast (Lucas and Kanade's, with the mean of both pictures' gradients as
// in efficient second-order minimisation, Benhimane and Malis 2007), with
// Huber weights so that a die or a reflection does not pull, and a prior that
// keeps the corners where they were unless the picture says otherwise.
type aligner struct {
	warped, gx, gy []float32
}

const (
	alignSteps = 8

	// huber is the difference, in units of local contrast, from which on a
	// pixel counts less.
	huber = 0.6

	// cornerPrior is the spread of the corners' errors expected of the quad,
	// in grid units, and pixelNoise that of one pixel's contrast. Their ratio
	// is the weight of the prior. Neighbouring pixels err together, so that
	// pixelNoise stands for many.
	cornerPrior = 3.0
	pixelNoise  = 4.0

	// maxCornerMove is how far a corner may be moved in all, in grid units:
	// 8 % of the card's height.
	maxCornerMove = 7.0

	// converged is the corner move, in grid units, below which a step ends
	// the descent.
	converged = 0.03
)

// align improves w. tmpl is the reference on the grid and plane the patch,
// both with local contrast normalised.
func (a *aligner) align(plane, tmpl []float32, w *warp) {
	for range alignSteps {
		sample(plane, w, a.warped)
		var h [8][8]float64
		var b [8]float64
		const cell = 4 // the shape functions are near enough constant over it
		for cy := 0; cy < gridH; cy += cell {
			for cx := 0; cx < gridW; cx += cell {
				var xx, xy, yy, xe, ye float32
				for y := max(cy, 1); y < min(cy+cell, gridH-1); y++ {
					for x := max(cx, 1); x < min(cx+cell, gridW-1); x++ {
						i := y*gridW + x
						e := tmpl[i] - a.warped[i]
						gx := (tmpl[i+1] - tmpl[i-1] + a.warped[i+1] - a.warped[i-1]) * 0.25
						gy := (tmpl[i+gridW] - tmpl[i-gridW] + a.warped[i+gridW] - a.warped[i-gridW]) * 0.25
						weight := float32(1)
						if m := abs(e); m > huber {
							weight = huber / m
						}
						xx += weight * gx * gx
						xy += weight * gx * gy
						yy += weight * gy * gy
						xe += weight * gx * e
						ye += weight * gy * e
					}
				}
				n := shape(float64(cx)+cell/2, float64(cy)+cell/2)
				for i := range 4 {
					b[2*i] += n[i] * float64(xe)
					b[2*i+1] += n[i] * float64(ye)
					for j := range 4 {
						nn := n[i] * n[j]
						h[2*i][2*j] += nn * float64(xx)
						h[2*i][2*j+1] += nn * float64(xy)
						h[2*i+1][2*j] += nn * float64(xy)
						h[2*i+1][2*j+1] += nn * float64(yy)
					}
				}
			}
		}
		const prior = pixelNoise * pixelNoise / (cornerPrior * cornerPrior)
		for i := range 8 {
			h[i][i] += prior
			b[i] -= prior * w[i]
		}
		step, ok := solve(h, b)
		if !ok {
			return
		}
		var largest float64
		for i := range w {
			w[i] += step[i]
			largest = max(largest, math.Abs(step[i]))
		}
		if m := w.largest(); m > maxCornerMove {
			for i := range w {
				w[i] *= maxCornerMove / m
			}
		}
		if largest < converged {
			return
		}
	}
}

// solve solves the symmetric positive definite system h·x = b by Cholesky's
// factorisation; false when h is not.
func solve(h [8][8]float64, b [8]float64) ([8]float64, bool) {
	for i := range 8 {
		for j := range i + 1 {
			s := h[i][j]
			for k := range j {
				s -= h[i][k] * h[j][k]
			}
			if i == j {
				if s <= 0 || math.IsNaN(s) {
					return b, false
				}
				h[i][i] = math.Sqrt(s)
			} else {
				h[i][j] = s / h[j][j]
			}
		}
	}
	for i := range 8 {
		for k := range i {
			b[i] -= h[i][k] * b[k]
		}
		b[i] /= h[i][i]
	}
	for i := 7; i >= 0; i-- {
		for k := i + 1; k < 8; k++ {
			b[i] -= h[k][i] * b[k]
		}
		b[i] /= h[i][i]
	}
	return b, true
}
