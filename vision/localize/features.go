package localize

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"math/bits"
	"slices"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// feature is a corner and its direction, in radians clockwise from right.
type feature struct {
	at    board.Point
	angle float64
}

// code is what a feature's surroundings look like, turned to its direction: a
// rotated BRIEF descriptor.
type code [4]uint64

const (
	// maxCode is the number of differing bits, of 256, up to which two codes
	// may be of one feature. Those of unlike ones differ in 128 ± 8.
	maxCode = 64

	// maxHalf is the number of differing bits in the first half from which on
	// the second is not looked at.
	maxHalf = 44
)

// distance is the number of differing bits, or more than maxCode where that is
// clear early.
func (c *code) distance(d *code) int {
	n := bits.OnesCount64(c[0]^d[0]) + bits.OnesCount64(c[1]^d[1])
	if n > maxHalf {
		return maxCode + 1
	}
	return n + bits.OnesCount64(c[2]^d[2]) + bits.OnesCount64(c[3]^d[3])
}

// reference computes the features of a picture. A landscape one is turned
// clockwise by a quarter first.
func (f *Finder) reference(picture image.Image) (reference, error) {
	img, err := gocv.ImageToMatRGB(picture)
	if err != nil {
		return reference{}, err
	}
	defer img.Close()
	if img.Cols() > img.Rows() {
		if err := gocv.Rotate(img, &img, gocv.Rotate90Clockwise); err != nil {
			return reference{}, err
		}
	}
	if err := gocv.CvtColor(img, &img, gocv.ColorBGRToGray); err != nil {
		return reference{}, err
	}
	w, h := int(math.Round(f.size.Width*pxPerMM)), int(math.Round(f.size.Height*pxPerMM))
	if err := gocv.Resize(img, &img, image.Pt(w, h), 0, 0, gocv.InterpolationArea); err != nil {
		return reference{}, err
	}
	// A camera that sees a whole table is about as sharp.
	const blur = 0.7
	if err := gocv.GaussianBlur(img, &img, image.Pt(3, 3), blur, blur, gocv.BorderReplicate); err != nil {
		return reference{}, err
	}
	const pad = patchSize/2 + 2 // codes look beyond the card's edge
	if err := gocv.CopyMakeBorder(img, &img, pad, pad, pad, pad, gocv.BorderReplicate, color.RGBA{}); err != nil {
		return reference{}, err
	}
	corners := f.orb.Detect(img)
	strongestFirst(corners)
	features, codes, err := f.describe(img, corners[:min(perCard, len(corners))])
	if err != nil {
		return reference{}, err
	}
	middle := board.Point{X: pad + float64(w-1)/2, Y: pad + float64(h-1)/2}
	for i := range features {
		p := &features[i].at
		*p = p.Sub(middle)
		p.X *= f.size.Width / float64(w)
		p.Y *= f.size.Height / float64(h)
	}
	return reference{features, codes}, nil
}

func strongestFirst(corners []gocv.KeyPoint) {
	slices.SortStableFunc(corners, func(a, b gocv.KeyPoint) int { return cmp.Compare(b.Response, a.Response) })
}

// describe computes the codes of corners of a grey picture.
func (f *Finder) describe(img gocv.Mat, corners []gocv.KeyPoint) ([]feature, []code, error) {
	if len(corners) == 0 {
		return nil, nil, nil
	}
	everywhere := gocv.NewMat()
	defer everywhere.Close()
	corners, desc := f.orb.Compute(img, everywhere, corners)
	defer desc.Close()
	if len(corners) == 0 {
		return nil, nil, nil
	}
	data, err := desc.DataPtrUint8()
	if err != nil {
		return nil, nil, err
	}
	features, codes := make([]feature, len(corners)), make([]code, len(corners))
	for i, c := range corners {
		features[i] = feature{board.Point{X: c.X, Y: c.Y}, c.Angle * math.Pi / 180}
		for k := range codes[i] {
			codes[i][k] = binary.LittleEndian.Uint64(data[32*i+8*k:])
		}
	}
	return features, codes, nil
}
