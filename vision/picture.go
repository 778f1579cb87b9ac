package vision

import (
	"fmt"

	"gocv.io/x/gocv"
)

// picture gives the pixels of an 8-bit BGR picture to Go: asking OpenCV for one
// at a time costs more than all that is done with them.
type picture struct {
	data       []uint8
	cols, rows int
}

// newPicture lends the picture's own pixels, so it is good as long as the Mat
// is. A part of a larger Mat has gaps between its rows and is copied.
func newPicture(img gocv.Mat) (picture, error) {
	p := picture{cols: img.Cols(), rows: img.Rows()}
	var err error
	if img.IsContinuous() {
		p.data, err = img.DataPtrUint8()
	} else {
		whole := img.Clone()
		defer whole.Close()
		p.data = whole.ToBytes()
	}
	if err == nil && len(p.data) < 3*p.cols*p.rows {
		err = fmt.Errorf("%d bytes for %d×%d pixels of three channels", len(p.data), p.cols, p.rows)
	}
	if err != nil {
		return picture{}, fmt.Errorf("read the picture's pixels: %w", err)
	}
	return p, nil
}

// green is a pixel's green, which of the three is nearest to luma.
func (p picture) green(x, y int) float64 { return float64(p.data[3*(y*p.cols+x)+1]) }

// bgr is a pixel's blue, green and red.
func (p picture) bgr(x, y int) [3]int {
	i := 3 * (y*p.cols + x)
	return [3]int{int(p.data[i]), int(p.data[i+1]), int(p.data[i+2])}
}
