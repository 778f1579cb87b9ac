package detect_test

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// canvas is a picture drawn at several times its size, so that edges come out
// soft and at fractions of a pixel once it is shrunk.
type canvas struct {
	big   gocv.Mat
	scale float64
	w, h  int
}

const oversample = 4

func newCanvas(tb testing.TB, w, h int, ground color.RGBA) *canvas {
	tb.Helper()
	big := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(float64(ground.B), float64(ground.G), float64(ground.R), 0), h*oversample, w*oversample, gocv.MatTypeCV8UC3)
	tb.Cleanup(func() { big.Close() })
	return &canvas{big: big, scale: oversample, w: w, h: h}
}

// fill paints a polygon given in pixels of the finished picture.
func (c *canvas) fill(tb testing.TB, poly []board.Point, col color.RGBA) {
	tb.Helper()
	pts := make([]image.Point, len(poly))
	for i, p := range poly {
		pts[i] = image.Pt(int(math.Round((p.X+0.5)*c.scale-0.5)), int(math.Round((p.Y+0.5)*c.scale-0.5)))
	}
	v := gocv.NewPointsVectorFromPoints([][]image.Point{pts})
	defer v.Close()
	if err := gocv.FillPoly(&c.big, v, col); err != nil {
		tb.Fatal(err)
	}
}

// paint is how a drawn card looks.
type paint struct{ border, frame, art, text color.RGBA }

var (
	blackCard = paint{color.RGBA{18, 17, 20, 255}, color.RGBA{150, 60, 50, 255}, color.RGBA{70, 120, 180, 255}, color.RGBA{215, 205, 185, 255}}
	whiteCard = paint{color.RGBA{244, 243, 240, 255}, color.RGBA{50, 110, 160, 255}, color.RGBA{190, 150, 60, 255}, color.RGBA{220, 225, 230, 255}}
)

// card draws a card with rounded corners, a frame, a picture and lines of text.
// toPx maps millimetres on the card to pixels.
func (c *canvas) card(tb testing.TB, size board.Size, toPx func(board.Point) board.Point, p paint) board.Quad {
	tb.Helper()
	const radius = 3.0
	w, h := size.Width, size.Height
	var outline []board.Point
	for i, centre := range []board.Point{{X: radius, Y: radius}, {X: w - radius, Y: radius}, {X: w - radius, Y: h - radius}, {X: radius, Y: h - radius}} {
		for k := range 9 {
			a := (180 + 90*float64(i) + 90*float64(k)/8) * math.Pi / 180
			outline = append(outline, toPx(centre.Add(board.Point{X: radius * math.Cos(a), Y: radius * math.Sin(a)})))
		}
	}
	c.fill(tb, outline, p.border)
	box := func(x0, y0, x1, y1 float64, col color.RGBA) {
		c.fill(tb, []board.Point{toPx(board.Point{X: x0, Y: y0}), toPx(board.Point{X: x1, Y: y0}), toPx(board.Point{X: x1, Y: y1}), toPx(board.Point{X: x0, Y: y1})}, col)
	}
	box(3.5, 3.5, w-3.5, h-3.5, p.frame)
	box(7, 9, w-7, 0.52*h, p.art)
	box(7, 0.6*h, w-7, h-9, p.text)
	for y := 0.64 * h; y < h-13; y += 3.5 {
		box(10, y, w-12, y+1.2, p.border)
	}
	return board.Quad{toPx(board.Point{}), toPx(board.Point{X: w}), toPx(board.Point{X: w, Y: h}), toPx(board.Point{Y: h})}
}

// finish shrinks the picture and adds sensor noise (standard deviation in grey
// levels).
func (c *canvas) finish(tb testing.TB, noise float64, seed uint64) gocv.Mat {
	tb.Helper()
	img := gocv.NewMat()
	tb.Cleanup(func() { img.Close() })
	if err := gocv.Resize(c.big, &img, image.Pt(c.w, c.h), 0, 0, gocv.InterpolationArea); err != nil {
		tb.Fatal(err)
	}
	data, err := img.DataPtrUint8()
	if err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range data {
		data[i] = byte(min(255, max(0, math.Round(float64(data[i])+noise*rng.NormFloat64()))))
	}
	return img
}

// upright places a card flat before the camera: its centre and scale in pixels,
// turned clockwise.
func upright(centre board.Point, pxPerMM, deg float64, size board.Size) func(board.Point) board.Point {
	sin, cos := math.Sincos(deg * math.Pi / 180)
	return func(p board.Point) board.Point {
		x, y := (p.X-size.Width/2)*pxPerMM, (p.Y-size.Height/2)*pxPerMM
		return board.Point{X: centre.X + x*cos - y*sin, Y: centre.Y + x*sin + y*cos}
	}
}

// tilted looks at the table from a camera that leans back by tilt degrees about
// the picture's horizontal axis; the table's plane is given as if seen upright.
func tilted(w, h int, tilt float64) func(board.Point) board.Point {
	f := float64(max(w, h))
	sin, cos := math.Sincos(tilt * math.Pi / 180)
	cx, cy := float64(w)/2, float64(h)/2
	return func(p board.Point) board.Point {
		x, y := p.X-cx, p.Y-cy
		z := f - y*sin // nearer at the bottom
		return board.Point{X: cx + f*x/z, Y: cy + f*y*cos/z}
	}
}
