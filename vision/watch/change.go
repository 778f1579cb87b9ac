package watch

import "image"

// mask marks cells of the grid: 0 or 1.
type mask []uint8

// sizes of a difference that are taken for noise
const (
	noiseFactor        = 4      // a difference this many times the mean noise is no noise
	minNoise, maxNoise = 0.5, 5 // grey levels
	noiseRate          = 0.05
	restRate           = 0.02 // share of a small difference that the look at rest takes over
	minCells           = 4    // smallest change that counts, in cells
)

// compare marks the cells that differ from the table at rest (changed) and from
// the frame before (moved), and learns the noise and the slow drift of the
// others. It returns how many cells it marked.
func (w *Watcher) compare() (changed, moved int) {
	base := float32(w.opt.Sensitivity)
	var before [3][256]float32 // the frame before, in the light of this one
	for ch := range 3 {
		for v := range 256 {
			before[ch][v] = w.light.predict(ch, w.lightBefore.atRest(ch, float32(v)))
		}
	}
	g, o := w.light.gain, w.light.offset
	inv := [3]float32{restRate / g[0], restRate / g[1], restRate / g[2]}
	cur, prev, rest := w.cur, w.prev, w.rest
	for c := range w.noise {
		i := 3 * c
		px, pp, rr := cur[i:i+3:i+3], prev[i:i+3:i+3], rest[i:i+3:i+3]
		v0, v1, v2 := float32(px[0]), float32(px[1]), float32(px[2])
		d0 := v0 - min(max(g[0]*rr[0]+o[0], 0), 255)
		d1 := v1 - min(max(g[1]*rr[1]+o[1], 0), 255)
		d2 := v2 - min(max(g[2]*rr[2]+o[2], 0), 255)
		d := max(abs32(d0), abs32(d1), abs32(d2))
		m := max(abs32(v0-before[0][pp[0]]), abs32(v1-before[1][pp[1]]), abs32(v2-before[2][pp[2]]))
		limit := base + noiseFactor*w.noise[c]
		w.moved[c], w.changed[c] = 0, 0
		if m > limit {
			w.moved[c] = 1
			moved++
		}
		if d > limit {
			w.changed[c] = 1
			changed++
			continue
		}
		w.noise[c] = min(maxNoise, max(minNoise, w.noise[c]+noiseRate*(d-w.noise[c])))
		if m <= limit {
			rr[0] += inv[0] * d0
			rr[1] += inv[1] * d1
			rr[2] += inv[2] * d2
		}
	}
	return changed, moved
}

// clean takes out marks that too few of their neighbours share: sensor noise,
// sparkles, the edge of something that trembles. It writes to out and returns
// how many marks are left.
func clean(in, out mask, w, h int) int {
	clear(out)
	var left int
	for y := range h {
		for x := range w {
			c := y*w + x
			if in[c] == 0 {
				continue
			}
			var n uint8
			for yy := max(0, y-1); yy <= min(h-1, y+1); yy++ {
				for xx := max(0, x-1); xx <= min(w-1, x+1); xx++ {
					n += in[yy*w+xx]
				}
			}
			if n >= 3 {
				out[c] = 1
				left++
			}
		}
	}
	return left
}

// dilate marks the neighbours of every mark of in, in out.
func dilate(in, out mask, w, h int) {
	clear(out)
	for y := range h {
		for x := range w {
			if in[y*w+x] == 0 {
				continue
			}
			for yy := max(0, y-1); yy <= min(h-1, y+1); yy++ {
				for xx := max(0, x-1); xx <= min(w-1, x+1); xx++ {
					out[yy*w+xx] = 1
				}
			}
		}
	}
}

// component is a connected part of a mask.
type component struct {
	cells []int32
	box   image.Rectangle // in cells
	moved int             // cells that moved
	again bool            // something moved here in the frame before, too
}

// components splits the marks of in into parts that touch when each mark is
// grown by one cell: a card's picture and its border are one thing even where
// the border looks like the table. grown is overwritten; after the call it
// holds nothing.
func (w *Watcher) components(in mask) []component {
	dilate(in, w.grown, w.w, w.h)
	var parts []component
	for start := range w.grown {
		if w.grown[start] == 0 {
			continue
		}
		part := component{box: image.Rectangle{}}
		marked := 0
		w.stack = append(w.stack[:0], int32(start))
		w.grown[start] = 0
		for len(w.stack) > 0 {
			c := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			part.cells = append(part.cells, c)
			marked += int(in[c])
			part.moved += int(w.moved[c])
			part.again = part.again || w.movedBefore[c] != 0
			x, y := int(c)%w.w, int(c)/w.w
			part.box = part.box.Union(image.Rect(x, y, x+1, y+1))
			for yy := max(0, y-1); yy <= min(w.h-1, y+1); yy++ {
				for xx := max(0, x-1); xx <= min(w.w-1, x+1); xx++ {
					if n := yy*w.w + xx; w.grown[n] != 0 {
						w.grown[n] = 0
						w.stack = append(w.stack, int32(n))
					}
				}
			}
		}
		if marked >= minCells {
			parts = append(parts, part)
		}
	}
	return parts
}
