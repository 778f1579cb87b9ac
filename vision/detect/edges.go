package detect

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"

	"gocv.io/x/gocv"
)

// edgel is one point of an edge: a local maximum of the gradient across it.
type edgel struct {
	x, y   float32 // position in pixels of its level, to a fraction of a pixel
	nx, ny float32 // unit gradient, towards the brighter side
	mag    float32 // height of the step, grey levels per pixel
	pix    int32   // y*w+x of the pixel it was found in
}

// edgeMap is the thinned gradient of one pyramid level. A pixel holds at most
// one edgel, which makes "is there an edge here, going this way?" one look-up.
type edgeMap struct {
	w, h int
	at   []int32 // index into list plus one; 0 where there is no edge
	list []edgel
	// strips are the edgels of some rows each, of which the list is made.
	strips [][]edgel
	// floor is the least step kept, grey levels per pixel.
	floor float32
}

// sobelUnit turns the sums of the 3×3 Sobel kernel into grey levels per pixel.
const sobelUnit = 1.0 / 8

// gradients holds the Mats one level needs, so that a stream of frames of one
// size allocates nothing.
type gradients struct{ lifted, smooth, gx, gy, lift gocv.Mat }

func newGradients() (gradients, error) {
	lift, err := shadowLift()
	if err != nil {
		return gradients{}, err
	}
	return gradients{gocv.NewMat(), gocv.NewMat(), gocv.NewMat(), gocv.NewMat(), lift}, nil
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
	for _, m := range []*gocv.Mat{&g.lifted, &g.smooth, &g.gx, &g.gy, &g.lift} {
		if err := m.Close(); err != nil {
			return err
		}
	}
	return nil
}

// edges thins the gradient of a BGR picture. Of the three channels the one with
// the steepest step counts at each pixel, so that a red card on a green cloth
// of the same grey has an edge. Steps below minStep (grey levels per pixel), or
// below what the picture's noise and grain make everywhere, are dropped.
//
// Thinning follows Devernay (INRIA RR-2724, 1995): a local maximum along the
// axis nearest the gradient, placed by a parabola through three samples.
func (g *gradients) edges(bgr gocv.Mat, minStep float32, reuse *edgeMap) error {
	w, h := bgr.Cols(), bgr.Rows()
	if err := gocv.LUT(bgr, g.lift, &g.lifted); err != nil {
		return fmt.Errorf("lift shadows: %w", err)
	}
	if err := gocv.GaussianBlur(g.lifted, &g.smooth, image.Pt(3, 3), 0, 0, gocv.BorderReplicate); err != nil {
		return fmt.Errorf("smooth: %w", err)
	}
	if err := gocv.Sobel(g.smooth, &g.gx, gocv.MatTypeCV16S, 1, 0, 3, 1, 0, gocv.BorderReplicate); err != nil {
		return fmt.Errorf("gradient across: %w", err)
	}
	if err := gocv.Sobel(g.smooth, &g.gy, gocv.MatTypeCV16S, 0, 1, 3, 1, 0, gocv.BorderReplicate); err != nil {
		return fmt.Errorf("gradient down: %w", err)
	}
	gx, err := g.gx.DataPtrInt16()
	if err != nil {
		return fmt.Errorf("gradient across: %w", err)
	}
	gy, err := g.gy.DataPtrInt16()
	if err != nil {
		return fmt.Errorf("gradient down: %w", err)
	}
	reuse.resize(w, h)
	minStep = max(minStep, min(maxNoiseStep, noiseFactor*quietStep(gx, gy, w, h)))
	reuse.floor = minStep
	parts := strips(h)
	for len(reuse.strips) < len(parts) {
		reuse.strips = append(reuse.strips, nil)
	}
	lists := reuse.strips[:len(parts)]
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() { lists[i] = thin(lists[i][:0], gx, gy, w, h, part[0], part[1], minStep) })
	}
	wg.Wait()
	for _, l := range lists {
		reuse.list = append(reuse.list, l...)
	}
	for i := range reuse.list {
		reuse.at[reuse.list[i].pix] = int32(i + 1)
	}
	return nil
}

func (m *edgeMap) resize(w, h int) {
	m.w, m.h = w, h
	if cap(m.at) < w*h {
		m.at = make([]int32, w*h)
	} else {
		m.at = m.at[:w*h]
		clear(m.at)
	}
	m.list = m.list[:0]
}

// strips cuts h rows into one part a core.
func strips(h int) [][2]int {
	n := max(1, min(runtime.GOMAXPROCS(0), h/64))
	parts := make([][2]int, n)
	for i := range parts {
		parts[i] = [2]int{h * i / n, h * (i + 1) / n}
	}
	return parts
}

// The noise of a picture is taken from the gradient where it is quiet: so many
// times the step that a quarter of the places stay below is the least that may
// be an edge, but never more than maxNoiseStep.
const (
	noiseFactor  = 1.8
	maxNoiseStep = 2.6
	quietShare   = 0.25
)

// quietStep returns the step, grey levels per pixel, below which the quiet share
// of the picture lies. It looks at one pixel in some fifty.
func quietStep(gx, gy []int16, w, h int) float32 {
	const bins, perLevel, stride = 256, 16, 7
	var count [bins]int
	total := 0
	for y := 3; y < h; y += stride {
		for x := 3; x < w; x += stride {
			m, _, _ := strongest(gx, gy, 3*(y*w+x))
			step := math.Sqrt(float64(m)) * sobelUnit
			count[min(bins-1, int(step*perLevel))]++
			total++
		}
	}
	below := 0
	for b, n := range count {
		if below += n; float64(below) >= quietShare*float64(total) {
			return (float32(b) + 0.5) / perLevel
		}
	}
	return 0
}

// strongest returns the squared gradient of the channel with the steepest step
// at a pixel, and that gradient.
func strongest(gx, gy []int16, i int) (square, dx, dy int32) {
	dx, dy = int32(gx[i]), int32(gy[i])
	square = dx*dx + dy*dy
	for c := i + 1; c < i+3; c++ {
		cx, cy := int32(gx[c]), int32(gy[c])
		if m := cx*cx + cy*cy; m > square {
			square, dx, dy = m, cx, cy
		}
	}
	return square, dx, dy
}

// gradientRow holds one row of the strongest channel's gradient.
type gradientRow struct{ square, dx, dy []int32 }

func newGradientRow(w int) gradientRow {
	return gradientRow{make([]int32, w), make([]int32, w), make([]int32, w)}
}

// thin appends the edgels of rows [y0,y1), away from the picture's border, to a
// list.
func thin(list []edgel, gx, gy []int16, w, h, y0, y1 int, minStep float32) []edgel {
	threshold := int32(square(float64(minStep) / sobelUnit))
	y0, y1 = max(y0, 1), min(y1, h-1)
	above, here, below := newGradientRow(w), newGradientRow(w), newGradientRow(w)
	fill := func(r *gradientRow, y int) {
		row := 3 * w * y
		gx, gy := gx[row:row+3*w], gy[row:row+3*w]
		for x := range w {
			r.square[x], r.dx[x], r.dy[x] = strongest(gx, gy, 3*x)
		}
	}
	fill(&above, y0-1)
	fill(&here, y0)
	for y := y0; y < y1; y++ {
		fill(&below, y+1)
		for x := 1; x < w-1; x++ {
			m := here.square[x]
			if m < threshold {
				continue
			}
			dx, dy := here.dx[x], here.dy[x]
			var before, after int32
			across := dx*dx >= dy*dy
			if across {
				before, after = here.square[x-1], here.square[x+1]
			} else {
				before, after = above.square[x], below.square[x]
			}
			if m < before || m <= after {
				continue
			}
			mid, b, a := sqrt32(m), sqrt32(before), sqrt32(after)
			shift := (b - a) / (2 * (b - 2*mid + a))
			e := edgel{x: float32(x), y: float32(y), nx: float32(dx) / mid, ny: float32(dy) / mid, mag: mid * sobelUnit, pix: int32(y*w + x)}
			if across {
				e.x += shift
			} else {
				e.y += shift
			}
			list = append(list, e)
		}
		above, here, below = here, below, above
	}
	return list
}

func sqrt32(v int32) float32 { return float32(math.Sqrt(float64(v))) }

// near returns the edgel at the pixel, or nil.
func (m *edgeMap) near(x, y int) *edgel {
	if x < 0 || y < 0 || x >= m.w || y >= m.h {
		return nil
	}
	if i := m.at[y*m.w+x]; i > 0 {
		return &m.list[i-1]
	}
	return nil
}
