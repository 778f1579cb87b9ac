//go:build matprofile

package detect_test

import (
	"image"
	"image/color"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/detect"
)

func TestNoMatLeaks(t *testing.T) {
	cv := newCanvas(t, 640, 480, color.RGBA{190, 180, 170, 255})
	cv.card(t, standard, upright(board.Point{X: 320, Y: 240}, 3, 20, standard), blackCard)
	img := cv.finish(t, 2, 1)
	before := gocv.MatProfile.Count()
	d, err := detect.New(detect.Options{WorkSize: 500})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, r := range []image.Rectangle{{}, image.Rect(100, 50, 600, 450)} {
			if found, err := d.Detect(img, r); err != nil || len(found) != 1 {
				t.Fatalf("%d cards, error %v", len(found), err)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if after := gocv.MatProfile.Count(); after != before {
		t.Errorf("%d Mats before, %d after", before, after)
	}
}
