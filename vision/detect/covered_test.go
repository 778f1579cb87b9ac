package detect_test

import (
	"image"
	"image/color"
	"testing"

	"tabletop/board"
	"tabletop/vision/detect"
)

// Cards that lie partly under others are found whole, from the sides that show
// and the size that the others tell.
func TestCoveredCards(t *testing.T) {
	const pxPerMM = 1.6
	cloth := color.RGBA{52, 92, 60, 255}
	type place struct {
		x, y, deg float64
		paint     paint
	}
	for name, c := range map[string]struct{ cards []place }{
		"two, turned":    {[]place{{300, 300, 0, blackCard}, {360, 330, 25, whiteCard}, {760, 300, 10, blackCard}}},
		"half under":     {[]place{{300, 280, 0, whiteCard}, {345, 310, 0, blackCard}, {760, 300, 0, blackCard}}},
		"fan of three":   {[]place{{280, 300, 350, whiteCard}, {325, 295, 3, blackCard}, {370, 300, 16, whiteCard}, {760, 300, 95, blackCard}}},
		"bowed under it": {[]place{{400, 330, 90, blackCard}, {440, 300, 0, whiteCard}}},
	} {
		t.Run(name, func(t *testing.T) {
			cv := newCanvas(t, 960, 640, cloth)
			var labels []board.Quad
			for _, p := range c.cards {
				labels = append(labels, cv.card(t, standard, upright(board.Point{X: p.x, Y: p.y}, pxPerMM, p.deg, standard), p.paint))
			}
			img := cv.finish(t, 2, 17)
			found := detectIn(t, detect.Options{Covered: true}, img, image.Rectangle{})
			annotate(t, "covered_"+name, img, found)
			errs, missed, extra := match(found, labels)
			if missed > 0 || extra > 0 || median(errs) > 0.01 {
				t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
			}
		})
	}
}

// A card laid over the edge of a printed zone does not make a card of the zone.
func TestCardOverZone(t *testing.T) {
	mat, line := color.RGBA{30, 60, 56, 255}, color.RGBA{190, 186, 178, 255}
	const pxPerMM = 1.6
	cv := newCanvas(t, 960, 640, mat)
	cv.zone(t, upright(board.Point{X: 300, Y: 300}, pxPerMM, 0, standard), standard, line, func(poly []board.Point) { cv.fill(t, poly, mat) })
	labels := []board.Quad{
		cv.card(t, standard, upright(board.Point{X: 340, Y: 340}, pxPerMM, 4, standard), blackCard),
		cv.card(t, standard, upright(board.Point{X: 700, Y: 320}, pxPerMM, 80, standard), whiteCard),
	}
	img := cv.finish(t, 2, 18)
	found := detectIn(t, detect.Options{Covered: true}, img, image.Rectangle{})
	annotate(t, "covered_zone", img, found)
	if errs, missed, extra := match(found, labels); missed > 0 || extra > 0 || median(errs) > 0.01 {
		t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
	}
}
