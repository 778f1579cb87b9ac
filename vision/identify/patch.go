package identify

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// patch is a card cut out of a frame, rectified onto the grid with a margin
// around it: luma and the two colour differences, each patchW×patchH, 0 to 255
// (the colour differences -128 to 127).
type patch struct {
	y, cb, cr []float32
	inside    [numBlocks]bool // the block lies within the frame
}

// maxOversample bounds how much finer than the grid a large card is cut out
// before it is averaged down.
const maxOversample = 6

// cutOut rectifies the quad into p.
func (p *patch) cutOut(frame gocv.Mat, quad board.Quad) error {
	if frame.Empty() {
		return errors.New("identify: the frame is empty; read the picture again")
	}
	if frame.Type() != gocv.MatTypeCV8UC3 {
		return fmt.Errorf("identify: the frame is of type %v; convert it to 8-bit BGR first", frame.Type())
	}
	if !quad.IsConvex() {
		return fmt.Errorf("identify: the quad %v is not convex and clockwise; it is no view of a card", quad)
	}
	grid := board.Quad{{X: 0, Y: 0}, {X: gridW, Y: 0}, {X: gridW, Y: gridH}, {X: 0, Y: gridH}}
	toFrame, err := board.HomographyFromQuads(grid, quad)
	if err != nil {
		return fmt.Errorf("identify: the quad %v: %w", quad, err)
	}
	_, height := quad.Edges()
	k := min(max(int(math.Round(height/gridH)), 1), maxOversample)

	// From pixels of the oversampled patch to pixels of the frame, whose
	// centres have whole coordinates as everywhere in OpenCV.
	f := 1 / float64(k)
	h := toFrame.Mul(board.Homography{f, 0, f/2 - margin, 0, f, f/2 - margin, 0, 0, 1})
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range h {
		m.SetDoubleAt(i/3, i%3, v)
	}
	fine := gocv.NewMat()
	defer fine.Close()
	if err := gocv.WarpPerspectiveWithParams(frame, &fine, m, image.Pt(patchW*k, patchH*k),
		gocv.InterpolationLinear|gocv.WarpInverseMap, gocv.BorderReplicate, color.RGBA{}); err != nil {
		return fmt.Errorf("identify: rectify: %w", err)
	}
	out := fine
	if k > 1 {
		out = gocv.NewMat()
		defer out.Close()
		if err := gocv.Resize(fine, &out, image.Pt(patchW, patchH), 0, 0, gocv.InterpolationArea); err != nil {
			return fmt.Errorf("identify: rectify: %w", err)
		}
	}
	bgr, err := out.DataPtrUint8()
	if err != nil {
		return fmt.Errorf("identify: rectify: %w", err)
	}
	for i := range p.y {
		b, g, r := float32(bgr[3*i]), float32(bgr[3*i+1]), float32(bgr[3*i+2])
		p.y[i], p.cb[i], p.cr[i] = lumaChroma(r, g, b)
	}

	rows, cols := float64(frame.Rows()), float64(frame.Cols())
	for i := range p.inside {
		x := (float64(i%blocksX) + 0.5) * blockSize
		y := (float64(i/blocksX) + 0.5) * blockSize
		q := toFrame.Apply(board.Point{X: x, Y: y})
		p.inside[i] = q.X >= 0 && q.Y >= 0 && q.X <= cols && q.Y <= rows
	}
	return nil
}

// lumaChroma is the full-range Y'CbCr of ITU-T T.871 (JPEG), its colour
// differences around 0.
func lumaChroma(r, g, b float32) (y, cb, cr float32) {
	return 0.299*r + 0.587*g + 0.114*b,
		-0.168736*r - 0.331264*g + 0.5*b,
		0.5*r - 0.418688*g - 0.081312*b
}

// refined is the quad whose grid is the warped grid of the given quad.
func refined(quad board.Quad, w *warp) (board.Quad, error) {
	grid := board.Quad{{X: 0, Y: 0}, {X: gridW, Y: 0}, {X: gridW, Y: gridH}, {X: 0, Y: gridH}}
	toFrame, err := board.HomographyFromQuads(grid, quad)
	if err != nil {
		return quad, err
	}
	return grid.Map(func(p board.Point) board.Point {
		x, y := w.at(p.X, p.Y)
		return toFrame.Apply(board.Point{X: x, Y: y})
	}), nil
}
