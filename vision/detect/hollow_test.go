package detect_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"tabletop/board"
	"tabletop/vision/detect"
)

// zone draws a printed zone: a thin rounded outline, its inside left as it is or
// painted over.
func (c *canvas) zone(tb testing.TB, toPx func(board.Point) board.Point, size board.Size, line color.RGBA, inside func(poly []board.Point)) {
	tb.Helper()
	ring := func(inset float64) []board.Point {
		const radius = 4.0
		w, h := size.Width, size.Height
		var poly []board.Point
		for i, centre := range []board.Point{{X: radius, Y: radius}, {X: w - radius, Y: radius}, {X: w - radius, Y: h - radius}, {X: radius, Y: h - radius}} {
			for k := range 9 {
				sin, cos := math.Sincos((180 + 90*float64(i) + 90*float64(k)/8) * math.Pi / 180)
				poly = append(poly, toPx(centre.Add(board.Point{X: (radius - inset) * cos, Y: (radius - inset) * sin})))
			}
		}
		return poly
	}
	c.fill(tb, ring(0), line)
	inside(ring(1.4))
}

// Zones printed on a mat are no cards, and however many they are, they do not
// settle how large a card is.
func TestPrintedZones(t *testing.T) {
	mat, line := color.RGBA{30, 60, 56, 255}, color.RGBA{190, 186, 178, 255}
	dark := color.RGBA{21, 42, 39, 255}
	for name, c := range map[string]struct {
		zone   color.RGBA // inside
		stripe bool       // the mat has a pattern, which goes on within the zones
	}{
		"plain mat":        {zone: mat},
		"darker zones":     {zone: dark},
		"mat with pattern": {zone: mat, stripe: true},
	} {
		t.Run(name, func(t *testing.T) {
			const w, h, pxPerMM = 1200, 800, 1.3
			cv := newCanvas(t, w, h, mat)
			// A slanted pattern, within the part of the picture given.
			pattern := func(part board.Polygon) {
				for x := -float64(h); c.stripe && x < w; x += 34.0 {
					band := board.Polygon{{X: x, Y: 0}, {X: x + 12, Y: 0}, {X: x + 12 + 0.6*h, Y: h}, {X: x + 0.6*h, Y: h}}
					if cut := band.Clip(part); len(cut) > 2 {
						cv.fill(t, cut, color.RGBA{58, 92, 86, 255})
					}
				}
			}
			pattern(board.Polygon{{X: 0, Y: 0}, {X: w, Y: 0}, {X: w, Y: h}, {X: 0, Y: h}})
			size := board.Size{Width: 72, Height: 98}
			for i := range 10 {
				at := board.Point{X: 130 + 235*float64(i%5), Y: 100 + 600*float64(i/5)}
				cv.zone(t, upright(at, pxPerMM, 0, size), size, line, func(poly []board.Point) {
					cv.fill(t, poly, c.zone)
					pattern(poly)
				})
			}
			var labels []board.Quad
			for i, p := range []paint{blackCard, whiteCard, blackCard, whiteCard} {
				at := board.Point{X: 200 + 260*float64(i), Y: 400}
				labels = append(labels, cv.card(t, standard, upright(at, pxPerMM, 8*float64(i*i), standard), p))
			}
			img := cv.finish(t, 2, 21)
			found := detectIn(t, detect.Options{}, img, image.Rectangle{})
			annotate(t, "zones_"+name, img, found)
			errs, missed, extra := match(found, labels)
			if missed > 0 || extra > 0 || median(errs) > 0.01 {
				t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
			}
		})
	}
}

// What looks a little like a printed zone: a white card on a white cloth, of
// whose edge only the shadow shows, and a plain back with a white border.
func TestNotHollow(t *testing.T) {
	white := color.RGBA{236, 235, 233, 255}
	for name, c := range map[string]struct {
		ground color.RGBA
		draw   func(cv *canvas, place func(board.Point) board.Point) board.Quad
	}{
		"white card, shadow line": {white, func(cv *canvas, place func(board.Point) board.Point) board.Quad {
			wider := board.Size{Width: standard.Width + 1, Height: standard.Height + 1}
			cv.zone(t, func(p board.Point) board.Point { return place(p.Sub(board.Point{X: 0.5, Y: 0.5})) }, wider, color.RGBA{190, 189, 188, 255}, func([]board.Point) {})
			return cv.card(t, standard, place, paint{white, color.RGBA{50, 110, 160, 255}, color.RGBA{190, 150, 60, 255}, color.RGBA{220, 225, 230, 255}})
		}},
		"plain back, white border": {color.RGBA{104, 98, 90, 255}, func(cv *canvas, place func(board.Point) board.Point) board.Quad {
			blue := color.RGBA{38, 48, 130, 255}
			return cv.card(t, standard, place, paint{white, blue, blue, blue})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cv := newCanvas(t, 700, 500, c.ground)
			label := c.draw(cv, upright(board.Point{X: 350, Y: 250}, 2, 7, standard))
			img := cv.finish(t, 1, 5)
			found := detectIn(t, detect.Options{}, img, image.Rectangle{})
			annotate(t, "not_hollow_"+name, img, found)
			errs, missed, extra := match(found, []board.Quad{label})
			if missed > 0 || extra > 0 || median(errs) > 0.02 {
				t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
			}
		})
	}
}
