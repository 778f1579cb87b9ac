package catalog

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

const (
	// MaxPictureEdge is the longer edge, in pixels, that a kept picture has at
	// most. A camera over a table shows cards smaller than this, and 120 of
	// them stay below 60 MB.
	MaxPictureEdge = 400

	// minPictureEdge is the shorter edge, in pixels, below which cards can't be
	// told apart.
	minPictureEdge = 40

	// maxProportion is the longest card there is (tarot cards have 1.71), with
	// room to spare. Beyond it the picture is not of one card.
	maxProportion = 2.2
)

func checkPicture(img image.Image) error {
	if img == nil {
		return errors.New("it has no picture; give it one")
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if min(w, h) < minPictureEdge {
		return fmt.Errorf("its picture is only %d×%d pixels; use one with at least %d pixels on the shorter edge", w, h, minPictureEdge)
	}
	if p := float64(max(w, h)) / float64(min(w, h)); p > maxProportion {
		return fmt.Errorf("its picture is %d×%d pixels, which is no card's shape; cut it to one card, edge to edge", w, h)
	}
	return nil
}

func isWide(img image.Image) bool { return img.Bounds().Dx() > img.Bounds().Dy() }

// shrink copies a picture, not larger than MaxPictureEdge, so that the
// caller's stays theirs. Transparent parts (cut corners) become black.
func shrink(img image.Image) *image.RGBA {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if long := max(w, h); long > MaxPictureEdge {
		f := MaxPictureEdge / float64(long)
		w, h = int(math.Round(float64(w)*f)), int(math.Round(float64(h)*f))
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.Black), image.Point{}, draw.Src)
	draw.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	return out
}

// looksSameTurned says whether a picture looks the same after half a turn. It
// compares means over the cells of a grid, and then the worst neighbourhood,
// so that one emblem with an up and a down is enough for "no" while noise of a
// scan is not. The grid is about what a camera sees of a card 75 pixels tall:
// a finer difference would not be seen on the table either.
func looksSameTurned(img image.Image) bool {
	const (
		long, short = 66, 48
		cell        = 6  // pixels of a neighbourhood's edge
		maxRMS      = 14 // of 255; scans and prints differ by less
	)
	w, h := short, long
	if isWide(img) {
		w, h = long, short
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	for y0 := 0; y0 < h; y0 += cell {
		for x0 := 0; x0 < w; x0 += cell {
			var sum float64
			for y := y0; y < y0+cell; y++ {
				for x := x0; x < x0+cell; x++ {
					p, q := small.RGBAAt(x, y), small.RGBAAt(w-1-x, h-1-y)
					for _, d := range [3]float64{
						float64(p.R) - float64(q.R),
						float64(p.G) - float64(q.G),
						float64(p.B) - float64(q.B),
					} {
						sum += d * d
					}
				}
			}
			if math.Sqrt(sum/(3*cell*cell)) > maxRMS {
				return false
			}
		}
	}
	return true
}
