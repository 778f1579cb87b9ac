package detect_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/detect"
)

var standard = board.StandardCard()

func detectIn(tb testing.TB, o detect.Options, img gocv.Mat, region image.Rectangle) []detect.Detection {
	tb.Helper()
	found, err := newDetector(tb, o).Detect(img, region)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func TestDrawnCards(t *testing.T) {
	for name, c := range map[string]struct {
		ground  color.RGBA
		paint   paint
		pxPerMM float64
		tilt    float64
		noise   float64
	}{
		"black on light":          {color.RGBA{200, 195, 190, 255}, blackCard, 2, 0, 2},
		"black on dark":           {color.RGBA{42, 42, 46, 255}, blackCard, 2, 0, 1.5},
		"white on light":          {color.RGBA{222, 221, 224, 255}, whiteCard, 2, 0, 1.5},
		"seen from the side":      {color.RGBA{60, 110, 70, 255}, whiteCard, 2, 38, 2},
		"small":                   {color.RGBA{60, 110, 70, 255}, blackCard, 0.95, 0, 2},
		"same grey, other colour": {color.RGBA{0, 90, 25, 255}, paint{color.RGBA{170, 5, 10, 255}, whiteCard.frame, whiteCard.art, whiteCard.text}, 2, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			const w, h = 960, 720
			cv := newCanvas(t, w, h, c.ground)
			look := tilted(w, h, c.tilt)
			var labels []board.Quad
			step := 130 * c.pxPerMM
			for i, deg := range []float64{3, 90, 48, 200, 275, 331} {
				at := board.Point{X: w/2 + step*float64(i%3-1), Y: h/2 + 0.85*step*(float64(i/3)-0.5)}
				place := upright(at, c.pxPerMM, deg, standard)
				labels = append(labels, cv.card(t, standard, func(p board.Point) board.Point { return look(place(p)) }, c.paint))
			}
			img := cv.finish(t, c.noise, 7)
			found := detectIn(t, detect.Options{}, img, image.Rectangle{})
			annotate(t, "drawn_"+name, img, found)
			errs, missed, extra := match(found, labels)
			if missed > 0 || extra > 0 {
				t.Errorf("missed %d, extra %d", missed, extra)
			}
			if m := median(errs); m > 0.006 {
				t.Errorf("median corner error %.2f %% of the height", 100*m)
			}
			for _, d := range found {
				if d.Score <= 0 || d.Score > 1 || d.Visible <= 0 || d.Visible > 1 {
					t.Errorf("score %g, visible %g", d.Score, d.Visible)
				}
				if !d.Quad.IsConvex() {
					t.Errorf("%v is not clockwise", d.Quad)
				}
			}
		})
	}
}

func TestShortEdgeComesFirst(t *testing.T) {
	cv := newCanvas(t, 640, 640, color.RGBA{120, 120, 120, 255})
	cv.card(t, standard, upright(board.Point{X: 320, Y: 320}, 4, 90, standard), blackCard)
	found := detectIn(t, detect.Options{}, cv.finish(t, 1, 1), image.Rectangle{})
	if len(found) != 1 {
		t.Fatalf("%d cards", len(found))
	}
	if w, h := found[0].Quad.Edges(); w > h {
		t.Errorf("the first edge is the long one: %.0f × %.0f", w, h)
	}
}

func TestNothingToFind(t *testing.T) {
	for name, draw := range map[string]func(*canvas){
		"empty": func(*canvas) {},
		"ruled paper": func(c *canvas) {
			for y := 60.0; y < 640; y += 22 {
				c.fill(t, []board.Point{{X: 80, Y: y}, {X: 820, Y: y}, {X: 820, Y: y + 3}, {X: 80, Y: y + 3}}, color.RGBA{60, 60, 60, 255})
			}
		},
		"disc": func(c *canvas) {
			var disc []board.Point
			for k := range 90 {
				sin, cos := math.Sincos(float64(k) * 4 * math.Pi / 180)
				disc = append(disc, board.Point{X: 450 + 200*cos, Y: 350 + 200*sin})
			}
			c.fill(t, disc, color.RGBA{40, 40, 90, 255})
		},
		"business card": func(c *canvas) {
			place := upright(board.Point{X: 450, Y: 350}, 4, 20, board.Size{Width: 50, Height: 92})
			c.fill(t, []board.Point{place(board.Point{}), place(board.Point{X: 50}), place(board.Point{X: 50, Y: 92}), place(board.Point{Y: 92})}, color.RGBA{250, 250, 250, 255})
		},
		"cut off by the picture's edge": func(c *canvas) {
			c.card(t, standard, upright(board.Point{X: 20, Y: 350}, 4, 0, standard), blackCard)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cv := newCanvas(t, 900, 700, color.RGBA{170, 150, 120, 255})
			draw(cv)
			img := cv.finish(t, 3, 3)
			if found := detectIn(t, detect.Options{}, img, image.Rectangle{}); len(found) > 0 {
				annotate(t, "nothing_"+name, img, found)
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestCoinOnAnEdge(t *testing.T) {
	cv := newCanvas(t, 640, 640, color.RGBA{190, 180, 170, 255})
	label := cv.card(t, standard, upright(board.Point{X: 320, Y: 320}, 4, 8, standard), blackCard)
	var coin []board.Point
	at := label[1].Add(label[2]).Scale(0.5)
	for k := range 40 {
		sin, cos := math.Sincos(float64(k) * 9 * math.Pi / 180)
		coin = append(coin, at.Add(board.Point{X: 45 * cos, Y: 45 * sin}))
	}
	cv.fill(t, coin, color.RGBA{200, 30, 30, 255})
	img := cv.finish(t, 2, 5)
	found := detectIn(t, detect.Options{}, img, image.Rectangle{})
	annotate(t, "coin", img, found)
	errs, missed, extra := match(found, []board.Quad{label})
	if missed > 0 || extra > 0 || median(errs) > 0.006 {
		t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
	}
}

func TestRegion(t *testing.T) {
	cv := newCanvas(t, 900, 500, color.RGBA{190, 180, 170, 255})
	cv.card(t, standard, upright(board.Point{X: 200, Y: 250}, 3, 0, standard), blackCard)
	right := cv.card(t, standard, upright(board.Point{X: 650, Y: 250}, 3, 25, standard), blackCard)
	img := cv.finish(t, 2, 9)
	found := detectIn(t, detect.Options{}, img, image.Rect(400, 20, 890, 490))
	errs, missed, extra := match(found, []board.Quad{right})
	if missed > 0 || extra > 0 || median(errs) > 0.006 {
		t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
	}
	if found := detectIn(t, detect.Options{}, img, image.Rect(5000, 5000, 6000, 6000)); len(found) > 0 {
		t.Errorf("outside of the picture: %v", found)
	}
}

// With the plane known, only what has a card's size is one.
func TestKnownPlane(t *testing.T) {
	const pxPerMM = 2.5
	cv := newCanvas(t, 1000, 600, color.RGBA{190, 180, 170, 255})
	label := cv.card(t, standard, upright(board.Point{X: 250, Y: 300}, pxPerMM, 12, standard), blackCard)
	cv.card(t, standard, upright(board.Point{X: 680, Y: 300}, 1.6*pxPerMM, 0, standard), blackCard) // a book
	img := cv.finish(t, 2, 11)
	plane := board.Homography{1 / pxPerMM, 0, -30, 0, 1 / pxPerMM, 12, 0, 0, 1}
	for name, o := range map[string]detect.Options{
		"plane": {Plane: &plane},
		"scale": {PxPerMM: pxPerMM},
	} {
		t.Run(name, func(t *testing.T) {
			for _, region := range []image.Rectangle{{}, image.Rect(50, 40, 990, 590)} {
				errs, missed, extra := match(detectIn(t, o, img, region), []board.Quad{label})
				if missed > 0 || extra > 0 || median(errs) > 0.006 {
					t.Errorf("region %v: missed %d, extra %d, median corner error %.2f %%", region, missed, extra, 100*median(errs))
				}
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	flat := board.Homography{}
	for name, o := range map[string]detect.Options{
		"negative scale":   {PxPerMM: -1},
		"no scale":         {PxPerMM: math.NaN()},
		"negative size":    {CardSize: board.Size{Width: -63, Height: 88}},
		"half a size":      {CardSize: board.Size{Width: 63}},
		"plane of no area": {Plane: &flat},
		"work size":        {WorkSize: -5},
		"least height":     {MinHeight: -5},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := detect.New(o)
			if err == nil {
				d.Close()
				t.Fatal("accepted")
			}
		})
	}
}

func TestBadPictures(t *testing.T) {
	d := newDetector(t, detect.Options{})
	empty := gocv.NewMat()
	defer empty.Close()
	grey := gocv.NewMatWithSize(100, 100, gocv.MatTypeCV8U)
	defer grey.Close()
	for name, img := range map[string]gocv.Mat{"empty": empty, "grey": grey} {
		if _, err := d.Detect(img, image.Rectangle{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// One detector for pictures of several sizes gives what a new one gives.
func TestReuse(t *testing.T) {
	reused := newDetector(t, detect.Options{})
	for i, size := range []image.Point{{900, 700}, {400, 300}, {1000, 500}, {900, 700}} {
		cv := newCanvas(t, size.X, size.Y, color.RGBA{190, 180, 170, 255})
		cv.card(t, standard, upright(board.Point{X: float64(size.X) / 2, Y: float64(size.Y) / 2}, 2, 30*float64(i), standard), whiteCard)
		img := cv.finish(t, 2, uint64(i))
		got, err := reused.Detect(img, image.Rectangle{})
		if err != nil {
			t.Fatal(err)
		}
		if want := detectIn(t, detect.Options{}, img, image.Rectangle{}); fmt.Sprint(got) != fmt.Sprint(want) || len(want) != 1 {
			t.Errorf("picture %d: %v, a new detector %v", i, got, want)
		}
	}
}

// BenchmarkFrame1080p is a camera's frame with 40 cards, 97 pixels high, on a
// cloth with some grain.
func BenchmarkFrame1080p(b *testing.B) {
	cv := newCanvas(b, 1920, 1080, color.RGBA{52, 92, 60, 255})
	for i := range 40 {
		p := blackCard
		if i%3 == 0 {
			p = whiteCard
		}
		at := board.Point{X: 160 + 228*float64(i%8), Y: 130 + 205*float64(i/8)}
		cv.card(b, standard, upright(at, 1.1, float64(i*37%360), standard), p)
	}
	img := cv.finish(b, 4, 1)
	benchmark(b, img)
}
