package watch

import "image"

// mask marks cells of the grid: 0 or 1.
type mask []uint8

// What is taken for noise, and how fast it is learnt.
const (
	noiseFactor = 4    // a difference this many times the mean noise is no noise
	minNoise    = 0.5  // grey levels
	maxNoise    = 5    // grey levels
	learnEvery  = 4    // frames; the rates below are for one in so many
	noiseRate   = 0.2  // of the difference between a cell's noise and its mean
	restRate    = 0.08 // of a small difference, taken over into the look at rest
	minCells    = 4    // smallest change that counts
	lightSlack  = 0.4  // of a difference the light makes, by which it may be off
	rebaseEvery = 30   // quiet frames
)

// compare marks the cells that differ from the table at rest (changed) and from
// the frame before (moved), and learns the noise and the slow drift of the
// others. It returns how many cells it marked.
func (w *Watcher) compare() (changed, moved int) {
	w.frames++
	base := float32(w.opt.Sensitivity)
	var before [3][256]float32 // the frame before, in the light of this one
	for ch := range 3 {
		for v := range 256 {
			before[ch][v] = w.light.predict(ch, w.lightBefore.atRest(ch, float32(v)))
		}
	}
	g0, g1, g2 := w.light.gain[0], w.light.gain[1], w.light.gain[2]
	o0, o1, o2 := w.light.offset[0], w.light.offset[1], w.light.offset[2]
	for y := range w.h {
		// A quarter of the rows learns from each frame: drift and noise are slow,
		// and this loop is most of what a quiet frame costs.
		learn := (y+w.frames)%learnEvery == 0
		row := y * w.w
		cur, prev, rest := w.cur[3*row:3*(row+w.w)], w.prev[3*row:3*(row+w.w)], w.rest[3*row:3*(row+w.w)]
		noise, isMoved, isChanged := w.noise[row:row+w.w], w.moved[row:row+w.w], w.changed[row:row+w.w]
		for x := range noise {
			px, pp, rr := cur[3*x:3*x+3:3*x+3], prev[3*x:3*x+3:3*x+3], rest[3*x:3*x+3:3*x+3]
			v0, v1, v2 := float32(px[0]), float32(px[1]), float32(px[2])
			limit := base + noiseFactor*noise[x]
			isMoved[x], isChanged[x] = 0, 0
			m0, m1, m2 := v0-before[0][pp[0]], v1-before[1][pp[1]], v2-before[2][pp[2]]
			if m0 > limit || m0 < -limit || m1 > limit || m1 < -limit || m2 > limit || m2 < -limit {
				isMoved[x] = 1
				moved++
			}
			d0, d1, d2 := v0-(g0*rr[0]+o0), v1-(g1*rr[1]+o1), v2-(g2*rr[2]+o2)
			if d0 > limit || d0 < -limit || d1 > limit || d1 < -limit || d2 > limit || d2 < -limit {
				if w.differs(px, rr, limit) {
					isChanged[x] = 1
					changed++
				}
				continue
			}
			if learn {
				d := max(abs32(d0), abs32(d1), abs32(d2))
				noise[x] = min(maxNoise, max(minNoise, noise[x]+noiseRate*(d-noise[x])))
				if isMoved[x] == 0 {
					rr[0] += restRate / g0 * d0
					rr[1] += restRate / g1 * d1
					rr[2] += restRate / g2 * d2
				}
			}
		}
	}
	return changed, moved
}

// differs compares a cell with its look at rest more carefully. Brighter than
// white is white; and where only some of a cell's pixels reach white, or the
// light has not changed alike everywhere, the light explains a part of the
// difference that it does not predict.
func (w *Watcher) differs(cur []uint8, rest []float32, limit float32) bool {
	for ch := range 3 {
		want := w.light.predict(ch, rest[ch])
		if abs32(float32(cur[ch])-want) > limit+lightSlack*abs32(want-rest[ch]) {
			return true
		}
	}
	return false
}

// rebase makes the light of now the light at rest, so that a slow drift never
// adds up. Cells of which the light explained more than it predicts start from
// what they are.
func (w *Watcher) rebase() {
	l := w.light
	relight := func(look []float32) {
		for i := range look {
			ch := i % 3
			look[i] = l.gain[ch]*look[i] + l.offset[ch]
		}
	}
	relight(w.rest)
	relight(w.ground)
	for _, k := range w.cards {
		relight(k.look)
	}
	w.light = sameLight()
	for c, noise := range w.noise {
		if w.changed[c] == 0 && w.differs(w.cur[3*c:3*c+3], w.rest[3*c:3*c+3], float32(w.opt.Sensitivity)+noiseFactor*noise) {
			w.take(int32(c))
		}
	}
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
