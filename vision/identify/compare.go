package identify

import "math"

// reference is one picture of the catalogue on the grid, print turned so that
// the long edge stands. luma is gridW×gridH; blocks holds what the comparison
// of blocks needs of it; colour the means of both colour differences per block.
type reference struct {
	luma      []uint8
	colour    colours
	colourful float64 // strength of the colours
}

// profile is the likeness of a patch and a reference block by block, in the
// order of the patch.
type profile struct {
	zncc    [numBlocks]float32 // in [-1,1]
	texture [numBlocks]float32 // how much there is to compare in the reference, [0,1]
	colour  float64            // likeness of the spread of colours, [-1,1]
}

// compare fills the profile. ref is the reference as it lies in the patch.
func (p *profile) compare(y, ref []float32, inside *[numBlocks]bool) {
	zncc(y, ref, &p.zncc)
	spread(ref, &p.texture)
	for i, in := range inside {
		if !in {
			p.texture[i] = 0
		}
	}
}

// likeness is the weighted mean of the blocks' ZNCC, less what the colours
// and blocks that don't fit speak against it. distinct says where the reference
// differs from others, in the order of its grid, which stands on its head when
// turned; colourful how much its colours vary, in [0,1].
//
// No block is left out of the mean, however badly it fits: strangers of the
// same kind share frame and text box with a card and differ in the picture,
// which looks just like a card with something on its picture. So what is
// covered costs likeness, and a card covered by more than a third is not
// named. What does not fit here and there, rather than in one place where
// something may lie, is a sign of a stranger and costs more.
func (p *profile) likeness(distinct *[numBlocks]float32, turned bool, colourful float64) float64 {
	var misfit [numBlocks]float64
	var sum, total float64
	for i, t := range p.texture {
		k := i
		if turned {
			k = numBlocks - 1 - i
		}
		w, z := float64(t*distinct[k]), float64(p.zncc[i])
		sum += w * z
		total += w
		misfit[i] = w * min(max((fits-z)/(fits-misfits), 0), 1)
	}
	if total == 0 {
		return 0
	}
	return sum/total -
		misfitCost*scattered(&misfit)/total -
		colourCost*colourful*max(0, expectedColour-p.colour)
}

const (
	// A block fits from a ZNCC of fits on, and does not at all below misfits.
	fits, misfits = 0.6, 0.2

	// misfitCost is what a card loses of which every block is a misfit.
	misfitCost = 2

	// expectedColour is the likeness of colours from which on they don't speak
	// against a match, and colourCost what opposite ones take away.
	expectedColour = 0.4
	colourCost     = 0.2
)

// scattered sums up the misfits outside of the place that holds most of them: a
// fifth of the card, as much as a large die and its shadow or a finger.
func scattered(misfit *[numBlocks]float64) float64 {
	const w, h = 4, 5
	var all, most float64
	for _, m := range misfit {
		all += m
	}
	for y := 0; y+h <= blocksY; y++ {
		for x := 0; x+w <= blocksX; x++ {
			var here float64
			for j := y; j < y+h; j++ {
				for i := x; i < x+w; i++ {
					here += misfit[j*blocksX+i]
				}
			}
			most = max(most, here)
		}
	}
	return all - most
}

// spread is how much there is to see in each block: near 0 for a flat one,
// towards 1 where grey levels vary by much more than textureScale.
func spread(a []float32, out *[numBlocks]float32) {
	const n = blockSize * blockSize
	const textureScale = 8
	for i := range out {
		bx, by := i%blocksX, i/blocksX
		var sum, sq float32
		for y := by * blockSize; y < (by+1)*blockSize; y++ {
			for _, v := range a[y*gridW+bx*blockSize : y*gridW+(bx+1)*blockSize] {
				sum += v
				sq += v * v
			}
		}
		v := max(sq-sum*sum/n, 0) / n
		out[i] = v / (v + textureScale*textureScale)
	}
}

// zncc compares block by block: the zero-mean normalised cross-correlation,
// which light, exposure and colour cast do not change. Where either is flat it
// tends to 0.
func zncc(a []float32, b []float32, out *[numBlocks]float32) {
	const n = blockSize * blockSize
	for by := range blocksY {
		for bx := range blocksX {
			var sa, sb, saa, sbb, sab float32
			for y := by * blockSize; y < (by+1)*blockSize; y++ {
				ra := a[y*gridW+bx*blockSize : y*gridW+(bx+1)*blockSize]
				rb := b[y*gridW+bx*blockSize : y*gridW+(bx+1)*blockSize]
				for x, va := range ra {
					vb := rb[x]
					sa += va
					sb += vb
					saa += va * va
					sbb += vb * vb
					sab += va * vb
				}
			}
			va := max(saa-sa*sa/n, 0) / n
			vb := max(sbb-sb*sb/n, 0) / n
			cov := (sab - sa*sb/n) / n
			out[by*blocksX+bx] = cov / float32(math.Sqrt(float64((va+colourFloor)*(vb+colourFloor))))
		}
	}
}

// colours are the means of the two colour differences in each block.
type colours [2][numBlocks]float32

// read takes the colours of a patch through a warp: four places a block.
func (c *colours) read(p *patch, w *warp) {
	for i := range numBlocks {
		var cb, cr float32
		for _, d := range [4][2]float64{{0.25, 0.25}, {0.75, 0.25}, {0.25, 0.75}, {0.75, 0.75}} {
			x, y := w.at((float64(i%blocksX)+d[0])*blockSize, (float64(i/blocksX)+d[1])*blockSize)
			fx := min(max(float32(x)+margin-0.5, 0), patchW-2)
			fy := min(max(float32(y)+margin-0.5, 0), patchH-2)
			cb += bilinear(p.cb, fx, fy)
			cr += bilinear(p.cr, fx, fy)
		}
		c[0][i], c[1][i] = cb/4, cr/4
	}
}

// colourFloor is the variance of the colour differences, both together, at
// which colour begins to say something.
const colourFloor = 16

// strength is how much the colours vary: 0 for grey, towards 1 for bright ones.
func (c *colours) strength() float64 {
	var v float64
	for k := range c {
		var s, ss float64
		for _, x := range c[k] {
			s += float64(x)
			ss += float64(x) * float64(x)
		}
		v += ss/numBlocks - s*s/(numBlocks*numBlocks)
	}
	return v / (v + 4*colourFloor)
}

// correlation says how alike two spreads of colour are. A cast, which adds to
// all of one, changes nothing. Colours that hardly vary tend to 0.
func (c *colours) correlation(d *colours, turned bool) float64 {
	var cov, va, vb float64
	for k := range c {
		var sa, sb, saa, sbb, sab float64
		for i := range c[k] {
			j := i
			if turned {
				j = numBlocks - 1 - i
			}
			a, b := float64(c[k][i]), float64(d[k][j])
			sa += a
			sb += b
			saa += a * a
			sbb += b * b
			sab += a * b
		}
		const n = numBlocks
		cov += sab/n - sa*sb/(n*n)
		va += saa/n - sa*sa/(n*n)
		vb += sbb/n - sb*sb/(n*n)
	}
	return cov / math.Sqrt((va+colourFloor)*(vb+colourFloor))
}
