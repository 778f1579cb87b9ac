package calibration

import (
	"errors"
	"fmt"
	"math"

	"tabletop/board"
)

// ImageSize is the width and height of the camera's picture in pixels.
type ImageSize struct{ Width, Height int }

func (s ImageSize) String() string { return fmt.Sprintf("%d×%d", s.Width, s.Height) }

func (s ImageSize) centre() board.Point {
	return board.Point{X: float64(s.Width-1) / 2, Y: float64(s.Height-1) / 2}
}

// corners are the outer corners of the picture, clockwise from the top left.
func (s ImageSize) corners() board.Quad {
	right, bottom := float64(s.Width)-0.5, float64(s.Height)-0.5
	return board.Quad{{X: -0.5, Y: -0.5}, {X: right, Y: -0.5}, {X: right, Y: bottom}, {X: -0.5, Y: bottom}}
}

// Plane takes places in the picture to places on the table and back.
type Plane struct {
	toTable board.Homography // ideal pixels → mm, positive scale on the visible side
	toImage board.Homography // mm → ideal pixels
	lens    *Lens
}

// ErrCorners says that four places can't be the corners of a play area.
var ErrCorners = errors.New("calibration: not the corners of a play area")

// NewPlane returns the plane of a table whose play area has the given corners
// in the picture (top-left, top-right, bottom-right, bottom-left as the camera
// sees them, in pixels) and the given size in millimetres. Lens may be nil.
// The error wraps ErrCorners when the corners are not a clockwise convex quad.
func NewPlane(corners board.Quad, playArea board.Size, lens *Lens) (*Plane, error) {
	if !(playArea.Width > 0 && playArea.Height > 0) || math.IsInf(playArea.Width+playArea.Height, 0) {
		return nil, fmt.Errorf("calibration: the play area's width and height must be greater than 0 mm, not %g × %g", playArea.Width, playArea.Height)
	}
	if err := checkCorners(corners); err != nil {
		return nil, err
	}
	ideal := corners
	if lens != nil {
		ideal = corners.Map(lens.Undistort)
		if err := checkCorners(ideal); err != nil {
			return nil, fmt.Errorf("%w (once the lens is taken out)", err)
		}
	}
	w, h := playArea.Width, playArea.Height
	toTable, err := board.HomographyFromQuads(ideal, board.Quad{{X: 0, Y: 0}, {X: w, Y: 0}, {X: w, Y: h}, {X: 0, Y: h}})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorners, err)
	}
	return newPlane(toTable, ideal.Centre(), lens)
}

// newPlane makes a plane of a map from ideal pixels to mm; seen is an ideal
// pixel that shows the table.
func newPlane(toTable board.Homography, seen board.Point, lens *Lens) (*Plane, error) {
	if w := denominator(toTable, seen); w < 0 {
		for i := range toTable {
			toTable[i] = -toTable[i]
		}
	}
	toImage, err := inverse(toTable)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorners, err)
	}
	return &Plane{toTable: toTable, toImage: toImage, lens: lens}, nil
}

// inverse is Homography.Inverse for maps of any scale: its test for a
// determinant of 0 is an absolute one.
func inverse(h board.Homography) (board.Homography, error) {
	var largest float64
	for _, v := range h {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return board.Homography{}, board.ErrDegenerate
	}
	inv := board.Homography{
		h[4]*h[8] - h[5]*h[7], h[2]*h[7] - h[1]*h[8], h[1]*h[5] - h[2]*h[4],
		h[5]*h[6] - h[3]*h[8], h[0]*h[8] - h[2]*h[6], h[2]*h[3] - h[0]*h[5],
		h[3]*h[7] - h[4]*h[6], h[1]*h[6] - h[0]*h[7], h[0]*h[4] - h[1]*h[3],
	}
	det := h[0]*inv[0] + h[1]*inv[3] + h[2]*inv[6]
	if det == 0 || math.IsNaN(det) {
		return board.Homography{}, board.ErrDegenerate
	}
	for i := range inv {
		inv[i] /= det
	}
	return inv, nil
}

func denominator(h board.Homography, p board.Point) float64 { return h[6]*p.X + h[7]*p.Y + h[8] }

// checkCorners returns an error that says which way four corners are wrong.
func checkCorners(q board.Quad) error {
	for i, p := range q {
		if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
			return fmt.Errorf("%w: corner %d is no place in the picture", ErrCorners, i+1)
		}
		for j := range i {
			if q[j].Distance(p) < 1 {
				return fmt.Errorf("%w: corners %d and %d are the same place", ErrCorners, j+1, i+1)
			}
		}
	}
	if q.IsConvex() {
		// Nearly on a line is as bad as on it: the plane then hangs on the
		// last digit of a click.
		for i := range q {
			a, b, c := q[(i+3)%4], q[i], q[(i+1)%4]
			if math.Abs(b.Sub(a).Cross(c.Sub(b))) < 0.02*b.Distance(a)*c.Distance(b) {
				return fmt.Errorf("%w: corners %d, %d and %d lie almost on one line", ErrCorners, (i+3)%4+1, i+1, (i+1)%4+1)
			}
		}
		return nil
	}
	const order = "give them as the camera sees them: top-left, top-right, bottom-right, bottom-left"
	if (board.Quad{q[0], q[3], q[2], q[1]}).IsConvex() {
		return fmt.Errorf("%w: they go round anticlockwise; %s", ErrCorners, order)
	}
	if segmentsCross(q[0], q[1], q[2], q[3]) || segmentsCross(q[1], q[2], q[3], q[0]) {
		return fmt.Errorf("%w: their outline crosses itself; %s", ErrCorners, order)
	}
	return fmt.Errorf("%w: three lie on one line, or one lies inside the triangle of the others; %s", ErrCorners, order)
}

// MM takes a pixel to the table. Beyond the horizon of the table's plane the
// result is NaN.
func (p *Plane) MM(pixel board.Point) board.Point {
	if p.lens != nil {
		pixel = p.lens.Undistort(pixel)
	}
	return project(p.toTable, pixel)
}

// Pixel takes a place on the table, in mm, to the picture. The result is NaN
// for a place behind the camera.
func (p *Plane) Pixel(mm board.Point) board.Point {
	ideal := project(p.toImage, mm)
	if p.lens != nil {
		ideal = p.lens.Distort(ideal)
	}
	return ideal
}

func project(h board.Homography, p board.Point) board.Point {
	if !(denominator(h, p) > 0) {
		return board.Point{X: math.NaN(), Y: math.NaN()}
	}
	return h.Apply(p)
}

// MMPerPixel is how many millimetres of the table one pixel spans at a place
// in the picture: the square root of the area it covers. NaN beyond the
// horizon.
func (p *Plane) MMPerPixel(pixel board.Point) float64 {
	const d = 0.5
	dx := p.MM(pixel.Add(board.Point{X: d})).Sub(p.MM(pixel.Sub(board.Point{X: d})))
	dy := p.MM(pixel.Add(board.Point{Y: d})).Sub(p.MM(pixel.Sub(board.Point{Y: d})))
	return math.Sqrt(math.Abs(dx.Cross(dy)))
}

// ToTable takes what a frame shows from pixels to millimetres: corners and
// obscured places are mapped, and the angles follow from the mapped corners,
// since a tilted camera shows no angle as it is. Rotations that were known
// become the quarter turn nearest to the new angle. A card or an obscured
// place of which a part lies beyond the table's horizon is left out: it can't
// lie on the table. The given view is not changed.
func (p *Plane) ToTable(view board.View) board.View {
	out := board.View{Frame: view.Frame, At: view.At}
	for _, o := range view.Cards {
		corners := o.Corners.Map(p.MM)
		if !finite(corners[:]) {
			continue
		}
		o.Corners = corners
		o.AngleDeg = corners.AngleDeg()
		if o.Rotation.Known() {
			o.Rotation = board.NearestTurn(o.AngleDeg)
		}
		out.Cards = append(out.Cards, o)
	}
	for _, polygon := range view.Obscured {
		mapped := make(board.Polygon, len(polygon))
		for i, q := range polygon {
			mapped[i] = p.MM(q)
		}
		if finite(mapped) {
			out.Obscured = append(out.Obscured, mapped)
		}
	}
	return out
}

func finite(points []board.Point) bool {
	for _, p := range points {
		if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
			return false
		}
	}
	return true
}

// segmentsCross says whether the segments ab and cd meet, ends included.
func segmentsCross(a, b, c, d board.Point) bool {
	ab, cd := b.Sub(a), d.Sub(c)
	s1, s2 := ab.Cross(c.Sub(a)), ab.Cross(d.Sub(a))
	s3, s4 := cd.Cross(a.Sub(c)), cd.Cross(b.Sub(c))
	if s1 == 0 && s2 == 0 && s3 == 0 && s4 == 0 { // on one line
		return overlap(a.X, b.X, c.X, d.X) && overlap(a.Y, b.Y, c.Y, d.Y)
	}
	return s1*s2 <= 0 && s3*s4 <= 0
}

func overlap(a, b, c, d float64) bool {
	return math.Max(math.Min(a, b), math.Min(c, d)) <= math.Min(math.Max(a, b), math.Max(c, d))
}
