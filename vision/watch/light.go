package watch

import "math"

// light is how the frame's exposure and white balance differ from the table at
// rest: value = gain*rest + offset, for blue, green and red. Both act on linear
// light; under a camera's power-law curve a gain stays a gain.
type light struct{ gain, offset [3]float32 }

func sameLight() light { return light{gain: [3]float32{1, 1, 1}} }

// predict is what a value at rest looks like in this light.
func (l light) predict(ch int, rest float32) float32 {
	return min(max(l.gain[ch]*rest+l.offset[ch], 0), 255)
}

// atRest is the value at rest of what looks like v in this light.
func (l light) atRest(ch int, v float32) float32 { return (v - l.offset[ch]) / l.gain[ch] }

// Bounds of a believable light: beyond them the table is not the same any more.
const (
	minGain, maxGain = 0.3, 3.5
	maxOffset        = 25
)

// fitLight finds the light of a frame by least squares over a sample of cells,
// trimmed repeatedly to those that fit: the cards and hands that came or went
// are the outliers. It starts from the light of the frame before.
func fitLight(cur []uint8, rest []float32, start light) light {
	const samples, rounds = 2000, 4
	// An odd stride, so that the sample does not fall into columns.
	stride := max(1, len(cur)/3/samples) | 1
	l := start
	for ch := range 3 {
		gain, offset := l.gain[ch], l.offset[ch]
		for range rounds {
			var histogram [256]int
			var n int
			for i := ch; i < len(cur); i += 3 * stride {
				if usable(cur[i], rest[i]) {
					histogram[int(min(255, abs32(float32(cur[i])-gain*rest[i]-offset)))]++
					n++
				}
			}
			if n < 20 {
				break
			}
			limit := 2.5 * 1.4826 * float32(max(1, medianOf(histogram[:], n)))
			var count, sx, sy, sxx, sxy float64
			for i := ch; i < len(cur); i += 3 * stride {
				x, y := float64(rest[i]), float64(cur[i])
				if !usable(cur[i], rest[i]) || abs32(float32(y)-gain*rest[i]-offset) > limit {
					continue
				}
				count++
				sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
			}
			// A ridge pulls towards the light before, where a flat dark table
			// leaves gain and offset undetermined.
			ridge := 25 * count
			g0, o0 := float64(start.gain[ch]), float64(start.offset[ch])
			a11, a12, a22 := sxx+ridge, sx, count*1.02
			b1, b2 := sxy+ridge*g0, sy+0.02*count*o0
			det := a11*a22 - a12*a12
			if det <= 0 {
				break
			}
			gain = float32(math.Min(maxGain, math.Max(minGain, (b1*a22-b2*a12)/det)))
			offset = float32(math.Min(maxOffset, math.Max(-maxOffset, (a11*b2-a12*b1)/det)))
		}
		l.gain[ch], l.offset[ch] = gain, offset
	}
	return l
}

// usable says whether a pair of values tells of the light: neither is clipped.
func usable(cur uint8, rest float32) bool { return cur > 2 && cur < 250 && rest > 2 }

func medianOf(histogram []int, n int) int {
	half := (n + 1) / 2
	for v, c := range histogram {
		if half -= c; half <= 0 {
			return v
		}
	}
	return len(histogram) - 1
}

func abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}
