package catalog

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"sync"
	"time"
	"weak"

	"golang.org/x/image/draw"
)

const (
	// MaxPictureEdge is the longer edge, in pixels, that a kept picture has at
	// most. A camera over a table shows cards smaller than this.
	MaxPictureEdge = 400

	// minPictureEdge is the shorter edge, in pixels, below which cards can't be
	// told apart.
	minPictureEdge = 40

	// maxProportion is the longest card there is (tarot cards have 1.71), with
	// room to spare. Beyond it the picture is not of one card.
	maxProportion = 2.2
)

// Picture is the picture of a card's face or of a back, the print upright.
type Picture struct {
	// Wide says that it is wider than tall: printed in landscape.
	Wide bool

	// File is the picture's file, Bytes its size and Modified when it was last
	// written: as long as none of them changes, neither does the picture. File is
	// "" for a picture in memory.
	File     string
	Bytes    int64
	Modified time.Time

	inMemory *image.RGBA
	read     *lastRead // of a file
}

// lastRead is the picture that a file was read as, while somebody uses it.
type lastRead struct {
	mu    sync.Mutex
	inUse weak.Pointer[image.RGBA]
}

// Read returns the picture, with no edge longer than MaxPictureEdge. It must not
// be changed. One of a folder is read from its file, unless somebody still has
// it from an earlier time. The error names the file and says what to do.
func (p Picture) Read() (*image.RGBA, error) {
	if p.inMemory != nil {
		return p.inMemory, nil
	}
	p.read.mu.Lock()
	defer p.read.mu.Unlock()
	if img := p.read.inUse.Value(); img != nil {
		return img, nil
	}
	full, err := decode(p.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	img := shrink(full)
	p.read.inUse = weak.Make(img)
	return img, nil
}

// pictureInMemory keeps a copy of a picture.
func pictureInMemory(img image.Image) (Picture, error) {
	if img == nil {
		return Picture{}, errors.New("it has no picture; give it one")
	}
	if err := checkShape(img.Bounds().Dx(), img.Bounds().Dy()); err != nil {
		return Picture{}, err
	}
	return Picture{Wide: isWide(img), inMemory: shrink(img)}, nil
}

// pictureOfFile reads the head of a picture file.
func pictureOfFile(path string) (Picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return Picture{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Picture{}, err
	}
	head, _, err := image.DecodeConfig(f)
	if err != nil {
		return Picture{}, notReadable(err)
	}
	if err := checkShape(head.Width, head.Height); err != nil {
		return Picture{}, err
	}
	return Picture{Wide: head.Width > head.Height, File: path, Bytes: info.Size(), Modified: info.ModTime(), read: &lastRead{}}, nil
}

func decode(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, notReadable(err)
	}
	return img, nil
}

func notReadable(err error) error {
	return fmt.Errorf("it is not a readable PNG or JPEG picture (%w): save it again, or take it out of the folder", err)
}

func checkShape(w, h int) error {
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
