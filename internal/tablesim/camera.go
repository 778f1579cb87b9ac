package tablesim

import (
	"fmt"
	"math"

	"tabletop/board"
)

// Camera is where the camera is and how its lens draws.
//
// It is a pinhole camera with the radial distortion of OpenCV's model
// (x' = x·(1 + K1·r² + K2·r⁴) in normalised image coordinates), square pixels
// and its principal point in the middle of the picture. It looks at the middle
// of Area. The focal length follows from DistanceMM and Area: seen straight
// down without distortion, Area just fits into the picture.
type Camera struct {
	Width, Height int // of the picture, px

	// Area is the play area in millimetres, with its origin at the top-left
	// corner as the camera sees it. The table goes on beyond it.
	Area board.Size

	// DistanceMM is the distance from the camera to the middle of Area.
	DistanceMM float64

	// TiltDeg is the angle between the optical axis and the vertical, and
	// TiltTowardsDeg the side of the table the camera stands away at, clockwise
	// from up: 180 is a camera that stands nearer to the bottom edge and looks
	// up the table.
	TiltDeg, TiltTowardsDeg float64

	// RollDeg turns the picture around the optical axis, clockwise.
	RollDeg float64

	// K1 and K2 are the lens's radial distortion.
	K1, K2 float64
}

// Overhead is a camera of the given picture size straight above an area, with
// a perfect lens.
func Overhead(width, height int, area board.Size) Camera {
	return Camera{Width: width, Height: height, Area: area, DistanceMM: 1.3 * max(area.Width, area.Height)}
}

type vec3 struct{ X, Y, Z float64 }

func (a vec3) add(b vec3, f float64) vec3 { return vec3{a.X + f*b.X, a.Y + f*b.Y, a.Z + f*b.Z} }
func (a vec3) dot(b vec3) float64         { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

// Projection maps the table onto the picture. Heights are millimetres above
// the table. Pixel coordinates are OpenCV's: (0,0) is the middle of the
// top-left pixel.
type Projection struct {
	eye                  vec3 // z up from the table
	right, down, forward vec3
	focal, cx, cy        float64
	k1, k2               float64
}

// Projection returns the camera's map, or an error for a camera that can't be.
func (c Camera) Projection() (Projection, error) {
	switch {
	case c.Width < 16 || c.Height < 16:
		return Projection{}, fmt.Errorf("tablesim: a camera of %d×%d pixels is too small; give it a picture of at least 16×16", c.Width, c.Height)
	case c.Area.Width <= 0 || c.Area.Height <= 0:
		return Projection{}, fmt.Errorf("tablesim: the camera's area is %g×%g mm; give it a play area", c.Area.Width, c.Area.Height)
	case c.DistanceMM <= 0:
		return Projection{}, fmt.Errorf("tablesim: the camera's distance is %g mm; it must stand above the table", c.DistanceMM)
	case math.Abs(c.TiltDeg) > 45:
		return Projection{}, fmt.Errorf("tablesim: a tilt of %g° is more than the 45° that this camera goes to", c.TiltDeg)
	}
	sinT, cosT := math.Sincos(c.TiltDeg * math.Pi / 180)
	sinD, cosD := math.Sincos(c.TiltTowardsDeg * math.Pi / 180)
	dx, dy := sinD, -cosD // horizontal direction in which the camera stands away
	p := Projection{
		eye:     vec3{c.Area.Width/2 + c.DistanceMM*sinT*dx, c.Area.Height/2 + c.DistanceMM*sinT*dy, c.DistanceMM * cosT},
		forward: vec3{-sinT * dx, -sinT * dy, -cosT},
		focal:   min(float64(c.Width)/c.Area.Width, float64(c.Height)/c.Area.Height) * c.DistanceMM,
		cx:      float64(c.Width-1) / 2, cy: float64(c.Height-1) / 2,
		k1: c.K1, k2: c.K2,
	}
	// Tilting turns the direction (dx,dy,0) and leaves its horizontal
	// perpendicular as it is.
	tilted := vec3{dx * cosT, dy * cosT, -sinT}
	lean := func(x, y float64) vec3 {
		along := x*dx + y*dy
		return vec3{x - along*dx, y - along*dy, 0}.add(tilted, along)
	}
	r, d := lean(1, 0), lean(0, 1)
	sinR, cosR := math.Sincos(c.RollDeg * math.Pi / 180)
	p.right = vec3{}.add(r, cosR).add(d, -sinR)
	p.down = vec3{}.add(r, sinR).add(d, cosR)
	return p, nil
}

// ToImage maps a place on or above the table to pixels.
func (p Projection) ToImage(at board.Point, height float64) board.Point {
	v := vec3{at.X - p.eye.X, at.Y - p.eye.Y, height - p.eye.Z}
	depth := p.forward.dot(v)
	x, y := p.right.dot(v)/depth, p.down.dot(v)/depth
	r2 := x*x + y*y
	f := 1 + p.k1*r2 + p.k2*r2*r2
	return board.Point{X: p.cx + p.focal*x*f, Y: p.cy + p.focal*y*f}
}

// ToTable maps a pixel to the place of the plane at the given height that is
// seen there.
func (p Projection) ToTable(px board.Point, height float64) board.Point {
	xd, yd := (px.X-p.cx)/p.focal, (px.Y-p.cy)/p.focal
	// The radius is found by Newton's method on r·(1 + k1·r² + k2·r⁴) = rd.
	rd := math.Hypot(xd, yd)
	r := rd
	if p.k1 != 0 || p.k2 != 0 {
		for range 12 {
			r2 := r * r
			d := (r*(1+p.k1*r2+p.k2*r2*r2) - rd) / max(0.05, 1+3*p.k1*r2+5*p.k2*r2*r2)
			r -= d
			if math.Abs(d) < 1e-10 {
				break
			}
		}
	}
	s := 1.0
	if rd > 0 {
		s = r / rd
	}
	ray := p.forward.add(p.right, xd*s).add(p.down, yd*s)
	t := (height - p.eye.Z) / min(-1e-3, ray.Z)
	return board.Point{X: p.eye.X + t*ray.X, Y: p.eye.Y + t*ray.Y}
}
