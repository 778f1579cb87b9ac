package identify

import (
	"math"
	"slices"
)

// reference is one picture of the catalogue on the grid, print turned so that
// the long edge stands. luma is gridW×gridH; blocks holds what the comparison
// of blocks needs of it; colour the means of both colour differences per block.
type reference struct {
	luma   []uint8
	colour [2][numBlocks]float32
}

// profile is the likeness of a patch and a reference block by block, in the
// order of the patch.
type profile struct {
	zncc    [numBlocks]float32 // in [-1,1]
	texture [numBlocks]float32 // how much there is to compare in the reference, [0,1]
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

// likeness is the weighted mean of the blocks' ZNCC. distinct says where the
// cards of the catalogue differ, in the order of the reference's grid, which
// stands on its head when turned.
func (p *profile) likeness(distinct *[numBlocks]float32, turned bool) float64 {
	var weights [numBlocks]float32
	for i, t := range p.texture {
		k := i
		if turned {
			k = numBlocks - 1 - i
		}
		weights[i] = t * distinct[k]
	}
	return float64(trimmedMean(p.zncc[:], weights[:], keptShare))
}

// keptShare is the part of a card that must show for it to be recognised with
// full likeness.
const keptShare = 0.85

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

// minSpread is the spread of grey levels within a block below which there is
// nothing to compare: print noise and compression are as strong.
const minSpread = 3

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
			const floor = minSpread * minSpread
			out[by*blocksX+bx] = cov / float32(math.Sqrt(float64((va+floor)*(vb+floor))))
		}
	}
}

// trimmedMean is the weighted mean of the better part of the values: share is
// the part of the weight that is kept. A die or a reflection spoils only what
// is cut off.
func trimmedMean(values, weights []float32, share float32) float32 {
	type pair struct{ v, w float32 }
	var pairs [numBlocks]pair
	n := 0
	var total float32
	for i, w := range weights {
		if w > 0 {
			pairs[n] = pair{values[i], w}
			total += w
			n++
		}
	}
	if total == 0 {
		return 0
	}
	slices.SortFunc(pairs[:n], func(a, b pair) int { return compare(float64(b.v), float64(a.v)) })
	left := total * share
	var sum, kept float32
	for _, p := range pairs[:n] {
		w := min(p.w, left)
		sum += p.v * w
		kept += w
		left -= w
		if left <= 0 {
			break
		}
	}
	return sum / kept
}
