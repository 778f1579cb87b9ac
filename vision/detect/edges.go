package detect

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// edgeMap is the thinned gradient of one pyramid level, one byte a pixel for
// each thing told of it, so that "is there an edge here, going this way?" is one
// look-up. A pixel holds at most one edgel: a local maximum of the gradient
// across the edge.
type edgeMap struct {
	w, h int
	// dir is the gradient's direction, towards the brighter side, in 256ths of a
	// turn clockwise from the right; 0 where there is no edge.
	dir []uint8
	// aside is where the edgel lies from the pixel's centre: steps of asideStep
	// pixels above the lowest bit, which is set when they are down, not right.
	aside []int8
	// mag is the height of the step: an index into magnitudes.
	mag []uint8
	// floor is the least step kept, grey levels per pixel.
	floor float32
	count int // of edgels
}

// asideStep is the resolution of an edgel's place, pixels.
const asideStep = 1.0 / 126

// place is where an edgel lies, given the pixel that holds it.
func (m *edgeMap) place(x, y int) (px, py float64) {
	px, py = float64(x), float64(y)
	a := m.aside[y*m.w+x]
	if a&1 == 0 {
		return px + float64(a>>1)*asideStep, py
	}
	return px, py + float64(a>>1)*asideStep
}

// A step's height is kept as exponent and leading bits of the gradient's square,
// which are half a logarithm: 3 % are told apart.
const (
	magShift = 19
	magBase  = 127<<4 + 6<<4 - 1 // a square of 2⁶, 1 grey level per pixel, is 1
)

func magIndex(square int32) uint8 {
	return uint8(min(255, max(1, int32(math.Float32bits(float32(square))>>magShift)-magBase)))
}

// magnitudes are the steps, grey levels per pixel, of the indices.
var magnitudes = func() (table [256]float64) {
	for i := range table {
		square := math.Float32frombits(uint32(i+magBase)<<magShift + 1<<(magShift-1))
		table[i] = math.Sqrt(float64(square)) * sobelUnit
	}
	return table
}()

// directions holds the direction of each gradient of signed 8 bits.
var directions = func() *[256 * 256]uint8 {
	var table [256 * 256]uint8
	for i := range table {
		d := math.Atan2(float64(int8(i>>8)), float64(int8(i))) / (2 * math.Pi)
		table[i] = max(1, uint8(int(math.Round(d*256))))
	}
	return &table
}()

// direction is that of a vector in the picture, as edgeMap.dir has it.
func direction(dx, dy int32) uint8 {
	// Brought to 7 bits and a sign.
	shift := bits.Len32(uint32(max(dx, -dx, dy, -dy)))
	dx, dy = dx<<16>>(shift+9), dy<<16>>(shift+9)
	return directions[int(uint8(dy))<<8|int(uint8(dx))]
}

// directionOf is the same for a unit vector.
func directionOf(v board.Point) uint8 {
	return direction(int32(v.X*(1<<12)), int32(v.Y*(1<<12)))
}

// along says whether a direction is, within the tolerance, the other or its
// opposite. There must be an edge.
func along(dir, other, tolerance uint8) bool {
	return (dir-other+tolerance)&127 <= 2*tolerance
}

// sobelUnit turns the sums of the 3×3 Sobel kernel into grey levels per pixel.
const sobelUnit = 1.0 / 8

// bandRows is how many rows are worked on at a time: few enough to stay in the
// processor's cache.
const bandRows = 64

// gradients finds the edges of pictures. A picture is worked on in bands, on as
// many goroutines as there are cores, so that the memory needed is small.
type gradients struct {
	lift    gocv.Mat
	workers []*gradientBand
}

// gradientBand is the memory of one goroutine.
type gradientBand struct {
	lifted, smooth, gx, gy gocv.Mat
	rows                   [3][]int32
}

func newGradients() (gradients, error) {
	lift, err := shadowLift()
	if err != nil {
		return gradients{}, err
	}
	g := gradients{lift: lift}
	for range max(1, runtime.GOMAXPROCS(0)) {
		g.workers = append(g.workers, &gradientBand{lifted: gocv.NewMat(), smooth: gocv.NewMat(), gx: gocv.NewMat(), gy: gocv.NewMat()})
	}
	return g, nil
}

// How much, and below which grey level, shadows are lifted.
const (
	liftHeight = 60.0
	liftScale  = 25.0
)

// shadowLift is a tone curve that is steep in the dark and nearly straight
// elsewhere: a black border on a black cloth is a step of a few grey levels, but
// a large one for the eye.
func shadowLift() (gocv.Mat, error) {
	var curve [256]byte
	for v := range curve {
		x := float64(v)
		curve[v] = byte(math.Round((x + liftHeight*(1-math.Exp(-x/liftScale))) * 255 / (255 + liftHeight)))
	}
	return gocv.NewMatFromBytes(1, 256, gocv.MatTypeCV8U, curve[:])
}

func (g *gradients) close() error {
	err := g.lift.Close()
	for _, w := range g.workers {
		for _, m := range []*gocv.Mat{&w.lifted, &w.smooth, &w.gx, &w.gy} {
			if e := m.Close(); err == nil {
				err = e
			}
		}
	}
	return err
}

// edges thins the gradient of a BGR picture. Of the three channels the one with
// the steepest step counts at each pixel, so that a red card on a green cloth
// of the same grey has an edge. Steps below minStep (grey levels per pixel), or
// below what the picture's noise and grain make everywhere, are dropped.
//
// Thinning follows Devernay (INRIA RR-2724, 1995): a local maximum along the
// axis nearest the gradient, placed by a parabola through three samples.
func (g *gradients) edges(bgr gocv.Mat, minStep float32, m *edgeMap) error {
	m.resize(bgr.Cols(), bgr.Rows())
	quiet, err := g.quietStep(bgr)
	if err != nil {
		return err
	}
	m.floor = max(minStep, min(maxNoiseStep, noiseFactor*quiet))
	bands := (m.h + bandRows - 1) / bandRows
	var next, count atomic.Int64
	errs := make([]error, min(bands, len(g.workers)))
	var wg sync.WaitGroup
	for k := range errs {
		wg.Go(func() {
			w := g.workers[k]
			for i := int(next.Add(1) - 1); i < bands && errs[k] == nil; i = int(next.Add(1) - 1) {
				y0, y1 := i*bandRows, min(m.h, (i+1)*bandRows)
				var n int
				n, errs[k] = w.thin(bgr, g.lift, m, y0, y1)
				count.Add(int64(n))
			}
		})
	}
	wg.Wait()
	m.count = int(count.Load())
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *edgeMap) resize(w, h int) {
	m.w, m.h = w, h
	n := w * h
	if cap(m.dir) < n {
		m.dir, m.aside, m.mag = make([]uint8, n), make([]int8, n), make([]uint8, n)
		return
	}
	m.dir, m.aside, m.mag = m.dir[:n], m.aside[:n], m.mag[:n]
	clear(m.dir)
}

// gradient computes the gradient of rows [y0,y1) of a picture and returns it,
// three channels a pixel.
func (w *gradientBand) gradient(bgr, lift gocv.Mat, y0, y1 int) (gx, gy []int16, err error) {
	// Each of the two filters looks a row further.
	above, below := max(0, y0-2), min(bgr.Rows(), y1+2)
	part := bgr.Region(image.Rect(0, above, bgr.Cols(), below))
	defer part.Close()
	if err := gocv.LUT(part, lift, &w.lifted); err != nil {
		return nil, nil, fmt.Errorf("lift shadows: %w", err)
	}
	if err := gocv.GaussianBlur(w.lifted, &w.smooth, image.Pt(3, 3), 0, 0, gocv.BorderReplicate); err != nil {
		return nil, nil, fmt.Errorf("smooth: %w", err)
	}
	if err := gocv.Sobel(w.smooth, &w.gx, gocv.MatTypeCV16S, 1, 0, 3, 1, 0, gocv.BorderReplicate); err != nil {
		return nil, nil, fmt.Errorf("gradient across: %w", err)
	}
	if err := gocv.Sobel(w.smooth, &w.gy, gocv.MatTypeCV16S, 0, 1, 3, 1, 0, gocv.BorderReplicate); err != nil {
		return nil, nil, fmt.Errorf("gradient down: %w", err)
	}
	if gx, err = w.gx.DataPtrInt16(); err != nil {
		return nil, nil, fmt.Errorf("gradient across: %w", err)
	}
	if gy, err = w.gy.DataPtrInt16(); err != nil {
		return nil, nil, fmt.Errorf("gradient down: %w", err)
	}
	first, last := 3*bgr.Cols()*(y0-above), 3*bgr.Cols()*(y1-above)
	return gx[first:last], gy[first:last], nil
}

// The noise of a picture is taken from the gradient where it is quiet: so many
// times the step that a quarter of the places stay below is the least that may
// be an edge, but never more than maxNoiseStep. It is looked at in some rows.
const (
	noiseFactor  = 1.8
	maxNoiseStep = 2.6
	quietShare   = 0.25
	quietRows    = 24
)

// quietStep returns the step, grey levels per pixel, below which the quiet share
// of the picture lies.
func (g *gradients) quietStep(bgr gocv.Mat) (float32, error) {
	const bins, perLevel, stride = 256, 16, 3
	var count [bins]int
	w, h := bgr.Cols(), bgr.Rows()
	total := 0
	row := make([]int32, w)
	for k := range quietRows {
		y := (2*k + 1) * h / (2 * quietRows)
		gx, gy, err := g.workers[0].gradient(bgr, g.lift, y, y+1)
		if err != nil {
			return 0, err
		}
		strongest(row, gx, gy)
		for x := 1; x < w-1; x += stride {
			step := math.Sqrt(float64(row[x]>>2)) * sobelUnit
			count[min(bins-1, int(step*perLevel))]++
			total++
		}
	}
	below := 0
	for b, n := range count {
		if below += n; float64(below) >= quietShare*float64(total) {
			return (float32(b) + 0.5) / perLevel, nil
		}
	}
	return 0, nil
}

// strongest fills in for each pixel of a row the square of the gradient of the
// channel in which it is steepest, times four, plus the number of that channel.
func strongest(row []int32, gx, gy []int16) {
	for x := range row {
		if len(gx) < 3 || len(gy) < 3 {
			return
		}
		bx, by, rx, ry, ox, oy := int32(gx[0]), int32(gy[0]), int32(gx[1]), int32(gy[1]), int32(gx[2]), int32(gy[2])
		row[x] = max((bx*bx+by*by)<<2, (rx*rx+ry*ry)<<2|1, (ox*ox+oy*oy)<<2|2)
		gx, gy = gx[3:], gy[3:]
	}
}

// thin finds the edgels of rows [y0,y1), away from the picture's border, and
// returns how many there are.
func (w *gradientBand) thin(bgr, lift gocv.Mat, m *edgeMap, y0, y1 int) (count int, err error) {
	y0, y1 = max(y0, 1), min(y1, m.h-1)
	if y1 <= y0 {
		return 0, nil
	}
	gx, gy, err := w.gradient(bgr, lift, y0-1, y1+1)
	if err != nil {
		return 0, err
	}
	threshold := int32(square(float64(m.floor)/sobelUnit)) << 2
	for i := range w.rows {
		w.rows[i] = slices.Grow(w.rows[i][:0], m.w)[:m.w]
	}
	above, here, below := w.rows[0], w.rows[1], w.rows[2]
	stride := 3 * m.w
	strongest(above, gx[:stride], gy[:stride])
	strongest(here, gx[stride:2*stride], gy[stride:2*stride])
	for y := y0; y < y1; y++ {
		gx, gy = gx[stride:], gy[stride:] // of this row
		strongest(below, gx[stride:2*stride], gy[stride:2*stride])
		row := y * m.w
		dir, aside, mag := m.dir[row:row+m.w], m.aside[row:row+m.w], m.mag[row:row+m.w]
		for x := 1; x < len(dir)-1; x++ {
			key := here[x]
			if key < threshold {
				continue
			}
			i := 3*x + int(key&3)
			dx, dy := int32(gx[i]), int32(gy[i])
			var before, after, down int32
			if dx*dx >= dy*dy {
				before, after = here[x-1]>>2, here[x+1]>>2
			} else {
				before, after, down = above[x]>>2, below[x]>>2, 1
			}
			top := key >> 2
			if top < before || top <= after {
				continue
			}
			mid, b, a := sqrt32(top), sqrt32(before), sqrt32(after)
			// A parabola's top lies within half a pixel of its largest sample.
			shift := (b - a) / (2 * (b - 2*mid + a))
			aside[x] = int8(int32(shift*(1/asideStep)+64.5)-64)<<1 | int8(down)
			dir[x] = direction(dx, dy)
			mag[x] = magIndex(top)
			count++
		}
		above, here, below = here, below, above
	}
	return count, nil
}

func sqrt32(v int32) float32 { return float32(math.Sqrt(float64(v))) }

// has says whether an edge along a direction or against it goes through a pixel.
func (m *edgeMap) has(x, y int, dir, tolerance uint8) bool {
	if uint(x) >= uint(m.w) || uint(y) >= uint(m.h) {
		return false
	}
	d := m.dir[y*m.w+x]
	return d != 0 && along(d, dir, tolerance)
}
