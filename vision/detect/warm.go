package detect

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// The picture that a new detector looks at: its size, and how many cards it
// shows across and down.
const (
	warmWidth, warmHeight = 1200, 900
	warmAcross, warmDown  = 6, 3
)

// warm has a new detector look at a drawn picture of some cards, so that the
// first real one doesn't wait for memory, for OpenCV's threads and for code to
// be loaded: that is a fifth of the time it takes otherwise.
func (d *Detector) warm() error {
	img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(60, 90, 70, 0), warmHeight, warmWidth, gocv.MatTypeCV8UC3)
	defer img.Close()
	fill := func(q board.Quad, c color.RGBA) error {
		points := make([]image.Point, len(q))
		for i, p := range q {
			points[i] = image.Pt(int(math.Round(p.X)), int(math.Round(p.Y)))
		}
		v := gocv.NewPointsVectorFromPoints([][]image.Point{points})
		defer v.Close()
		return gocv.FillPoly(&img, v, c)
	}
	for i := range warmAcross * warmDown {
		x, y := i%warmAcross, i/warmAcross
		centre := board.Point{X: (float64(x) + 0.5) * warmWidth / warmAcross, Y: (float64(y) + 0.5) * warmHeight / warmDown}
		const height = 0.6 * warmHeight / warmDown
		// The card, its frame, its picture and lines of text.
		parts := []struct{ width, height, down float64 }{{0.72, 1, 0}, {0.64, 0.92, 0}, {0.52, 0.4, -0.22}}
		for line := range 6 {
			parts = append(parts, struct{ width, height, down float64 }{0.5, 0.025, 0.1 + 0.05*float64(line)})
		}
		for k, part := range parts {
			size := board.Size{Width: part.width * height, Height: part.height * height}
			deg := float64(25 * i)
			sin, cos := math.Sincos(deg * math.Pi / 180)
			at := centre.Add(board.Point{X: -sin, Y: cos}.Scale(part.down * height))
			shade := uint8(20 + 210*(min(k, 3)%2))
			if err := fill(board.RectQuad(at, size, deg), color.RGBA{R: shade, G: shade, B: shade, A: 255}); err != nil {
				return fmt.Errorf("detect: draw a picture to warm up with: %w", err)
			}
		}
	}
	_, err := d.Detect(img, image.Rectangle{})
	return err
}
