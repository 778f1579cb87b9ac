package calibration

import (
	"errors"
	"fmt"
	"math"

	"tabletop/board"
)

// Lens is a pinhole camera with radial distortion, in pixels of the picture
// the calibration was made at. A point at the ideal radius r from the optical
// axis (in units of the focal length) is seen at r·(1 + K1·r² + K2·r⁴): the
// first two radial terms of Brown's model, as OpenCV has them (calib3d).
// K1 is negative for the barrel distortion of a wide lens.
type Lens struct {
	FX, FY float64 // focal lengths
	CX, CY float64 // where the optical axis meets the picture
	K1, K2 float64
}

// ErrLens says that a lens can't be: see Lens.Check.
var ErrLens = errors.New("calibration: impossible lens")

// Check returns an error when the lens has no focal length, or bends so much
// that two places of the table would be seen at the same pixel of a picture of
// that size.
func (l Lens) Check(image ImageSize) error {
	for _, v := range []float64{l.FX, l.FY, l.CX, l.CY, l.K1, l.K2} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: a value is no number", ErrLens)
		}
	}
	if l.FX <= 0 || l.FY <= 0 {
		return fmt.Errorf("%w: the focal lengths fx=%g and fy=%g must be greater than 0 (pixels)", ErrLens, l.FX, l.FY)
	}
	for _, corner := range image.corners() {
		seen := l.normalised(corner).Norm()
		if r := l.idealRadius(seen); math.IsNaN(r) {
			return fmt.Errorf("%w: with k1=%g and k2=%g nothing on the table is seen at the picture's corner (%g, %g); fx and fy may be too small for a picture of %s", ErrLens, l.K1, l.K2, corner.X, corner.Y, image)
		}
	}
	return nil
}

// Undistort takes a pixel of the picture to where a lens without distortion
// would show it. The result is NaN for a pixel that no point of the table is
// seen at, which Check rules out inside the picture.
func (l Lens) Undistort(p board.Point) board.Point {
	n := l.normalised(p)
	seen := n.Norm()
	if seen == 0 {
		return p
	}
	return l.pixel(n.Scale(l.idealRadius(seen) / seen))
}

// Distort is the inverse of Undistort.
func (l Lens) Distort(p board.Point) board.Point {
	n := l.normalised(p)
	return l.pixel(n.Scale(l.factor(n.Norm())))
}

func (l Lens) factor(r float64) float64 { return 1 + r*r*(l.K1+r*r*l.K2) }

// slope is the derivative of the seen radius by the ideal one.
func (l Lens) slope(r float64) float64 { return 1 + r*r*(3*l.K1+5*r*r*l.K2) }

// idealRadius solves seen = r·factor(r) for the r on the branch that begins at
// 0: it walks outwards until the solution lies between two steps, then bisects.
// NaN: the branch turns back before it reaches seen.
func (l Lens) idealRadius(seen float64) float64 {
	const steps, furthest = 32, 32 // of the way to seen; times seen
	step := seen / steps
	low, high := 0.0, step
	for high*l.factor(high) < seen {
		if l.slope(high) <= 0 || high > furthest*seen {
			return math.NaN()
		}
		low, high = high, high+step
	}
	for {
		r := (low + high) / 2
		if r == low || r == high {
			return r
		}
		if r*l.factor(r) < seen {
			low = r
		} else {
			high = r
		}
	}
}

func (l Lens) normalised(p board.Point) board.Point {
	return board.Point{X: (p.X - l.CX) / l.FX, Y: (p.Y - l.CY) / l.FY}
}

func (l Lens) pixel(n board.Point) board.Point {
	return board.Point{X: n.X*l.FX + l.CX, Y: n.Y*l.FY + l.CY}
}

// scaled is the same lens in a picture sx and sy times as large.
func (l Lens) scaled(sx, sy float64) Lens {
	l.FX *= sx
	l.FY *= sy
	l.CX = scalePixel(l.CX, sx)
	l.CY = scalePixel(l.CY, sy)
	return l
}

// scalePixel takes a place in a picture to the same place in one s times as
// large. Pixels are counted by their centres, so the picture begins at -½.
func scalePixel(v, s float64) float64 { return (v+0.5)*s - 0.5 }
