package identify

import "math"

// The canonical grid onto which every card is rectified: portrait, about one
// cell to the millimetre of a standard card. A camera that watches a whole
// table resolves little more.
const (
	gridW = 64
	gridH = 88

	// margin is the border of the rectified patch around the grid, so that a
	// quad that lies a few percent inside the card can be widened.
	margin = 8
	patchW = gridW + 2*margin
	patchH = gridH + 2*margin

	// blockSize is the edge of the blocks that are compared one by one.
	blockSize = 8
	blocksX   = gridW / blockSize
	blocksY   = gridH / blockSize
	numBlocks = blocksX * blocksY
)

// warp is a small deformation of the grid: how far each corner of the grid
// (top-left, top-right, bottom-right, bottom-left) moves, in grid units, the
// inside following bilinearly. For corrections of a few percent that is a
// homography to a hundredth of a pixel, and it is linear in its eight numbers.
type warp [8]float64 // x0 y0 x1 y1 x2 y2 x3 y3

// shape returns the weights of the four corners at a place of the grid.
func shape(x, y float64) [4]float64 {
	u, v := x/gridW, y/gridH
	return [4]float64{(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v}
}

// at returns where the grid's point (x, y) lies.
func (w *warp) at(x, y float64) (float64, float64) {
	n := shape(x, y)
	return x + n[0]*w[0] + n[1]*w[2] + n[2]*w[4] + n[3]*w[6],
		y + n[0]*w[1] + n[1]*w[3] + n[2]*w[5] + n[3]*w[7]
}

// largest is the greatest move of a corner, in grid units.
func (w *warp) largest() float64 {
	var m float64
	for i := 0; i < 8; i += 2 {
		m = max(m, math.Hypot(w[i], w[i+1]))
	}
	return m
}

// scaled is the warp that scales the grid around its centre.
func scaled(f float64) warp {
	dx, dy := (f-1)*gridW/2, (f-1)*gridH/2
	return warp{-dx, -dy, dx, -dy, dx, dy, -dx, dy}
}

// sample reads every stride-th pixel, both ways, of a plane of the patch at the
// warped grid, bilinearly; out is gridW×gridH. The pixel (x, y) of the grid has
// its centre at x+½, y+½.
func sample(plane []float32, w *warp, stride int, out []float32) {
	for y := 0; y < gridH; y += stride {
		// Within a row the bilinear warp is affine.
		x0, y0 := w.at(0.5, float64(y)+0.5)
		x1, y1 := w.at(gridW-0.5, float64(y)+0.5)
		fx, fy := float32(x0+margin-0.5), float32(y0+margin-0.5)
		ex, ey := float32(x1+margin-0.5), float32(y1+margin-0.5)
		sx, sy := (ex-fx)/(gridW-1)*float32(stride), (ey-fy)/(gridW-1)*float32(stride)
		row := out[y*gridW : (y+1)*gridW]
		if min(fx, ex) < 0 || min(fy, ey) < 0 || max(fx, ex) >= patchW-2 || max(fy, ey) >= patchH-2 {
			for x := 0; x < gridW; x += stride {
				row[x] = bilinear(plane, min(max(fx, 0), patchW-2), min(max(fy, 0), patchH-2))
				fx += sx
				fy += sy
			}
			continue
		}
		for x := 0; x < gridW; x += stride {
			row[x] = bilinear(plane, fx, fy)
			fx += sx
			fy += sy
		}
	}
}

// bilinear reads a plane of the patch; x must lie within [0, patchW-2] and y
// within [0, patchH-2].
func bilinear(plane []float32, x, y float32) float32 {
	ix, iy := int(x), int(y)
	ax, ay := x-float32(ix), y-float32(iy)
	at := iy*patchW + ix
	p := plane[at : at+patchW+2]
	top := p[0] + ax*(p[1]-p[0])
	bottom := p[patchW] + ax*(p[patchW+1]-p[patchW])
	return top + ay*(bottom-top)
}

// boxMean writes the mean over a (2r+1)² window of a w×h plane, the window cut
// at the plane's edges. tmp holds w×h.
func boxMean(in, out, tmp []float32, w, h, r int) {
	for y := range h {
		src, dst := in[y*w:(y+1)*w], tmp[y*w:(y+1)*w]
		var sum float32
		for x := range min(r, w) {
			sum += src[x]
		}
		for x := range w {
			if x+r < w {
				sum += src[x+r]
			}
			if x-r-1 >= 0 {
				sum -= src[x-r-1]
			}
			dst[x] = sum / float32(min(x+r, w-1)-max(x-r, 0)+1)
		}
	}
	var sums [patchW]float32
	acc := sums[:w]
	for y := range min(r, h) {
		for x, v := range tmp[y*w : (y+1)*w] {
			acc[x] += v
		}
	}
	for y := range h {
		if y+r < h {
			for x, v := range tmp[(y+r)*w : (y+r+1)*w] {
				acc[x] += v
			}
		}
		if y-r-1 >= 0 {
			for x, v := range tmp[(y-r-1)*w : (y-r)*w] {
				acc[x] -= v
			}
		}
		f := 1 / float32(min(y+r, h-1)-max(y-r, 0)+1)
		for x, v := range acc {
			out[y*w+x] = v * f
		}
	}
}

// localContrast takes from each pixel the mean of its surroundings and divides
// by their spread, so that light, shade and glare leave edges alone. Where
// there is nothing to see, noise is not blown up.
func localContrast(in, out []float32, w, h int, buf *[4][]float32) {
	const radius, floor = 6, 6 // grid units, grey levels
	n := w * h
	mean, sq, tmp, sqMean := buf[0][:n], buf[1][:n], buf[2][:n], buf[3][:n]
	boxMean(in, mean, tmp, w, h, radius)
	for i, v := range in[:n] {
		d := v - mean[i]
		sq[i] = d * d
	}
	boxMean(sq, sqMean, tmp, w, h, radius)
	for i, v := range in[:n] {
		out[i] = (v - mean[i]) / (float32(math.Sqrt(float64(max(sqMean[i], 0)))) + floor)
	}
}

// soften blurs a gridW×gridH plane with the binomial kernel ¼ ½ ¼ both ways.
func soften(plane, tmp []float32) {
	for y := range gridH {
		src, dst := plane[y*gridW:(y+1)*gridW], tmp[y*gridW:(y+1)*gridW]
		dst[0] = (3*src[0] + src[1]) / 4
		for x := 1; x < gridW-1; x++ {
			dst[x] = (src[x-1] + 2*src[x] + src[x+1]) / 4
		}
		dst[gridW-1] = (3*src[gridW-1] + src[gridW-2]) / 4
	}
	for y := range gridH {
		up := tmp[max(y-1, 0)*gridW:][:gridW]
		mid := tmp[y*gridW:][:gridW]
		down := tmp[min(y+1, gridH-1)*gridW:][:gridW]
		dst := plane[y*gridW : (y+1)*gridW]
		for x := range dst {
			dst[x] = (up[x] + 2*mid[x] + down[x]) / 4
		}
	}
}

// detail is the share of a picture's contrast that one pass of soften takes
// away: little for a blurred picture.
func detail(plane, soft, tmp []float32) float64 {
	copy(soft, plane)
	soften(soft, tmp)
	var lost, sum, sq float64
	for i, v := range plane {
		d := float64(v - soft[i])
		lost += d * d
		sum += float64(v)
		sq += float64(v) * float64(v)
	}
	n := float64(len(plane))
	return lost / (sq - sum*sum/n + n)
}
