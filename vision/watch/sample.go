package watch

import (
	"errors"
	"fmt"
	"image"

	"gocv.io/x/gocv"
)

// gridMax is the greatest width or height of the low-resolution grid, in cells.
// Of a card 100 px wide in a 1920 px frame it leaves 12 × 17 cells: enough to
// tell it from a hand or from the table, and few enough to compare in a
// fraction of a millisecond.
const gridMax = 320

// sampler averages a frame over square cells. Cells are a power of two wide,
// for OpenCV halves a picture far faster than it reduces it by other factors.
type sampler struct {
	frame  image.Point // pixels
	cell   int         // pixels
	w, h   int         // cells; up to cell-1 pixels at the right and bottom fall away
	halves []gocv.Mat
}

func newSampler(frame gocv.Mat) (*sampler, error) {
	s := &sampler{frame: image.Pt(frame.Cols(), frame.Rows()), cell: 1}
	for max(s.frame.X, s.frame.Y)/s.cell > gridMax {
		s.cell *= 2
	}
	s.w, s.h = s.frame.X/s.cell, s.frame.Y/s.cell
	if s.w < 8 || s.h < 8 {
		return nil, fmt.Errorf("watch: a frame of %d×%d pixels is too small to show a card", s.frame.X, s.frame.Y)
	}
	for c := 1; c < s.cell; c *= 2 {
		s.halves = append(s.halves, gocv.NewMat())
	}
	return s, nil
}

func (s *sampler) Close() error {
	var errs []error
	for i := range s.halves {
		errs = append(errs, s.halves[i].Close())
	}
	return errors.Join(errs...)
}

// checkFrame says whether a frame can be sampled.
func checkFrame(frame gocv.Mat) error {
	if frame.Empty() {
		return errors.New("watch: the frame is empty")
	}
	if frame.Type() != gocv.MatTypeCV8UC3 {
		return fmt.Errorf("watch: a frame must be 8-bit BGR, not OpenCV type %v", frame.Type())
	}
	return nil
}

// sample writes the mean blue, green and red of every cell to dst.
func (s *sampler) sample(frame gocv.Mat, dst []uint8) error {
	crop := frame.Region(image.Rect(0, 0, s.w*s.cell, s.h*s.cell))
	defer crop.Close()
	last := crop
	for i := range s.halves {
		size := image.Pt(last.Cols()/2, last.Rows()/2)
		if err := gocv.Resize(last, &s.halves[i], size, 0, 0, gocv.InterpolationArea); err != nil {
			return fmt.Errorf("watch: shrinking the frame: %w", err)
		}
		last = s.halves[i]
	}
	if !last.IsContinuous() {
		last = last.Clone()
		defer last.Close()
	}
	data, err := last.DataPtrUint8()
	if err != nil {
		return fmt.Errorf("watch: reading the frame: %w", err)
	}
	if copy(dst, data) != len(dst) {
		return fmt.Errorf("watch: the frame gave %d bytes, not %d", len(data), len(dst))
	}
	return nil
}
