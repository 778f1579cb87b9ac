package identify

import "math"

// aligner finds the small warp that lays a patch onto a reference. It is a
// Gauss-Newton descent on the difference of two pictures normalised for local
// contrast (Lucas and Kanade's, with the mean of both pictures' gradients as
// in efficient second-order minimisation, Benhimane and Malis 2007), with
// Huber weights so that a die or a reflection does not pull, and a prior that
// keeps the corners where they were unless the picture says otherwise.
//
// It works from coarse to fine: first on blurred pictures, whose slopes reach
// farther, looking at every second pixel, then on the pictures themselves.
type aligner struct {
	warped []float32
}

const (
	coarseSteps = 6
	fineSteps   = 6

	// huber is the difference, in units of local contrast, from which on a
	// pixel counts less.
	huber = 0.6

	// cornerPrior is the spread of the corners' errors expected of the quad,
	// in grid units, and pixelNoise that of one pixel's contrast. Their ratio
	// is the weight of the prior. Neighbouring pixels err together, so that
	// pixelNoise stands for many.
	cornerPrior = 4.0
	pixelNoise  = 4.0

	// maxCornerMove is how far a corner may be moved in all, in grid units:
	// 11 % of the card's height.
	maxCornerMove = 10.0

	// coarseStride is which pixels of the blurred pictures are looked at, both
	// ways.
	coarseStride = 2

	// hopeless is the agreement of the blurred pictures, once aligned, below
	// which a card is not what the patch shows. That of a card is above 0.7, also
	// with a die on it, that of a stranger below 0.4.
	hopeless = 0.3

	// converged is the corner move, in grid units, below which a step ends
	// the descent.
	converged = 0.03
)

// pyramid is a picture with its local contrast normalised, and that blurred.
type pyramid struct {
	fine, coarse []float32
}

// build fills the pyramid from a w×h picture.
func (p *pyramid) build(in []float32, w, h int, buf *[4][]float32) {
	const blur = 2 // radius in grid units, twice over
	localContrast(in, p.fine[:w*h], w, h, buf)
	boxMean(p.fine, buf[0], buf[1], w, h, blur)
	boxMean(buf[0], p.coarse, buf[1], w, h, blur)
}

// align improves w so that the patch read through it looks like the reference.
// Where that is hopeless it leaves the finer half of the work undone.
func (a *aligner) align(patch, ref *pyramid, w *warp) {
	a.descend(patch.coarse, ref.coarse, w, coarseStride, coarseSteps)
	if a.agreement(patch.coarse, ref.coarse, w) < hopeless {
		return
	}
	a.descend(patch.fine, ref.fine, w, 1, fineSteps)
}

// agreement is the correlation of the blurred patch and reference, in [-1,1].
func (a *aligner) agreement(plane, tmpl []float32, w *warp) float64 {
	sample(plane, w, coarseStride, a.warped)
	var sp, st, spp, stt, spt float32
	for y := 0; y < gridH; y += coarseStride {
		for i := y * gridW; i < (y+1)*gridW; i += coarseStride {
			p, t := a.warped[i], tmpl[i]
			sp += p
			st += t
			spp += p * p
			stt += t * t
			spt += p * t
		}
	}
	const n = gridW * gridH / (coarseStride * coarseStride)
	cov, vp, vt := float64(spt-sp*st/n), float64(spp-sp*sp/n), float64(stt-st*st/n)
	return cov / math.Sqrt(max(vp, 0)*max(vt, 0)+1)
}

// descend takes at most the given number of steps, looking at every stride-th
// pixel both ways.
func (a *aligner) descend(plane, tmpl []float32, w *warp, stride, steps int) {
	for range steps {
		sample(plane, w, stride, a.warped)
		h, b := normalEquations(a.warped, tmpl, stride)
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
		if largest < converged*float64(stride) {
			return
		}
	}
}

// normalEquations sums up what each pixel says about the corners' moves.
func normalEquations(warped, tmpl []float32, stride int) (h [8][8]float64, b [8]float64) {
	const cell = 4 // the shape functions are near enough constant over it
	// Gradients are differences over 2·stride, of two pictures; a pixel
	// stands for stride² of them.
	scale := 0.25 / float32(stride)
	count := float64(stride * stride)
	up := stride * gridW
	for cy := 0; cy < gridH; cy += cell {
		for cx := 0; cx < gridW; cx += cell {
			var xx, xy, yy, xe, ye float32
			for y := max(cy, stride); y < min(cy+cell, gridH-stride); y += stride {
				for i := y*gridW + max(cx, stride); i < y*gridW+min(cx+cell, gridW-stride); i += stride {
					e := tmpl[i] - warped[i]
					gx := (tmpl[i+stride] - tmpl[i-stride] + warped[i+stride] - warped[i-stride]) * scale
					gy := (tmpl[i+up] - tmpl[i-up] + warped[i+up] - warped[i-up]) * scale
					weight := float32(1)
					if m := abs(e); m > huber {
						weight = huber / m
					}
					wx, wy := weight*gx, weight*gy
					xx += wx * gx
					xy += wx * gy
					yy += wy * gy
					xe += wx * e
					ye += wy * e
				}
			}
			n := shape(float64(cx)+cell/2, float64(cy)+cell/2)
			for i := range 4 {
				b[2*i] += count * n[i] * float64(xe)
				b[2*i+1] += count * n[i] * float64(ye)
				for j := range 4 {
					nn := count * n[i] * n[j]
					h[2*i][2*j] += nn * float64(xx)
					h[2*i][2*j+1] += nn * float64(xy)
					h[2*i+1][2*j] += nn * float64(xy)
					h[2*i+1][2*j+1] += nn * float64(yy)
				}
			}
		}
	}
	return h, b
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
