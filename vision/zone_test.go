package vision

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// What is a zone shows from outside only through whole scenes; the cases that
// matter are told apart here.
func TestZoneIsALineAndNoCard(t *testing.T) {
	place := image.Rect(100, 80, 163, 168)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	line := func(img *gocv.Mat) {
		must(gocv.Rectangle(img, place, color.RGBA{200, 200, 200, 0}, 2))
	}
	scale := func(img *gocv.Mat, f float32) {
		part := img.Region(place)
		defer part.Close()
		part.MultiplyFloat(f)
	}
	fill := func(img *gocv.Mat, c color.RGBA) { must(gocv.Rectangle(img, place, c, -1)) }
	print := func(img *gocv.Mat) {
		rng := rand.New(rand.NewPCG(2, 2))
		for y := place.Min.Y + 6; y < place.Max.Y-6; y += 4 {
			for x := place.Min.X + 6; x < place.Max.X-6; x += 4 {
				g := uint8(rng.IntN(256))
				must(gocv.Rectangle(img, image.Rect(x, y, x+3, y+3), color.RGBA{g, g, g, 0}, -1))
			}
		}
	}
	for name, c := range map[string]struct {
		draw func(*gocv.Mat)
		want bool
	}{
		"a line":                      {line, true},
		"a line around a tint":        {func(m *gocv.Mat) { scale(m, 0.5); line(m) }, true},
		"a tint without a line":       {func(m *gocv.Mat) { scale(m, 0.5) }, false},
		"a plain sleeve":              {func(m *gocv.Mat) { fill(m, color.RGBA{30, 30, 120, 0}) }, false},
		"a light sleeve":              {func(m *gocv.Mat) { fill(m, color.RGBA{220, 220, 220, 0}) }, false},
		"a card with a light border":  {func(m *gocv.Mat) { fill(m, color.RGBA{}); print(m); line(m) }, false},
		"a card printed to its edges": {print, false},
	} {
		t.Run(name, func(t *testing.T) {
			img := ground(t)
			defer img.Close()
			c.draw(&img)
			quad := board.Quad{}
			for i, p := range []image.Point{place.Min, {X: place.Max.X, Y: place.Min.Y}, place.Max, {X: place.Min.X, Y: place.Max.Y}} {
				quad[i] = board.Point{X: float64(p.X), Y: float64(p.Y)}
			}
			pixels, err := newPicture(img)
			if err != nil {
				t.Fatal(err)
			}
			if got := zone(pixels, quad, nil); got != c.want {
				t.Errorf("zone: %v, want %v", got, c.want)
			}
		})
	}
}

// Cards that show little detail, on a rough table of which their neighbours hide
// much.
func TestCardAmongOthersIsNoZone(t *testing.T) {
	size := board.Size{Width: 110, Height: 154}
	black, white, plain := color.RGBA{}, color.RGBA{230, 230, 230, 0}, color.RGBA{120, 120, 120, 0}
	for name, c := range map[string]struct {
		gap    float64 // between the cards, pixels
		border color.RGBA
		rows   int // of three cards, the one in the middle in the second
		want   bool
	}{
		"the table shows below, light gaps beside": {gap: 4, border: black, rows: 2},
		"the table shows in the gaps only":         {gap: 14, border: white, rows: 3},
		"a frame among others":                     {gap: 40, border: white, rows: 3, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(200, 200, 200, 0), 620, 500, gocv.MatTypeCV8UC3)
			defer img.Close()
			fill := func(x0, y0, x1, y1 float64, c color.RGBA) {
				if err := gocv.Rectangle(&img, image.Rect(int(x0), int(y0), int(x1), int(y1)), c, -1); err != nil {
					t.Fatal(err)
				}
			}
			rng := rand.New(rand.NewPCG(3, 3))
			for y := 0.0; y < 620; y += 4 {
				for x := 0.0; x < 500; x += 4 {
					g := uint8(170 + rng.IntN(50))
					fill(x, y, x+3, y+3, color.RGBA{g, g, g, 0})
				}
			}
			var middle board.Quad
			var others []board.Quad
			for i := range 3 * c.rows {
				at := board.Point{X: 250 + float64(i%3-1)*(size.Width+c.gap), Y: 310 + float64(i/3-1)*(size.Height+c.gap)}
				q := board.RectQuad(at, size, 0)
				fill(q[0].X, q[0].Y, q[2].X, q[2].Y, c.border)
				fill(q[0].X+4, q[0].Y+4, q[2].X-4, q[2].Y-4, plain)
				if i == 4 {
					middle = q
				} else {
					others = append(others, board.RectQuad(at, board.Size{Width: 1.06 * size.Width, Height: 1.06 * size.Height}, 0))
				}
			}
			pixels, err := newPicture(img)
			if err != nil {
				t.Fatal(err)
			}
			if got := zone(pixels, middle, others); got != c.want {
				t.Errorf("zone: %v, want %v", got, c.want)
			}
		})
	}
}

// ground is a mat with a soft picture.
func ground(t *testing.T) gocv.Mat {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	coarse := gocv.NewMatWithSize(14, 16, gocv.MatTypeCV8UC3)
	defer coarse.Close()
	data, err := coarse.DataPtrUint8()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = uint8(60 + rng.IntN(80))
	}
	img := gocv.NewMat()
	if err := gocv.Resize(coarse, &img, image.Pt(280, 260), 0, 0, gocv.InterpolationCubic); err != nil {
		t.Fatal(err)
	}
	return img
}
