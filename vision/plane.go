package vision

import (
	"fmt"
	"image"
	"math"
	"slices"

	"tabletop/board"
)

// upright turns a named card's outline so that its first edge is a short one.
func upright(q board.Quad) board.Quad {
	if w, h := q.Edges(); w > h {
		return q.Turned(1)
	}
	return q
}

// tablePlane maps pixels to millimetres of the table, through a lens that bends
// straight lines a little.
type tablePlane struct {
	toTable, toImage board.Homography // without the lens
	// middle is the lens's axis in pixels, and bend how much farther from it, as
	// a share, what appears at the distance reach would be without the lens.
	middle board.Point
	reach  float64
	bend   float64
}

// flatPlane is a plane seen through no lens, or through one taken care of.
func flatPlane(toTable board.Homography) (tablePlane, error) {
	toImage, err := toTable.Inverse()
	if err != nil {
		return tablePlane{}, fmt.Errorf("the table plane can't be used, calibrate again: %w", err)
	}
	return tablePlane{toTable: toTable, toImage: toImage, reach: 1}, nil
}

// Table is where on the table a pixel lies.
func (t *tablePlane) Table(p board.Point) board.Point {
	return t.toTable.Apply(straighten(p, t.middle, t.reach, t.bend))
}

func straighten(p, middle board.Point, reach, bend float64) board.Point {
	d := p.Sub(middle)
	return middle.Add(d.Scale(1 + bend*d.Dot(d)/(reach*reach)))
}

// Pixel is where a place on the table is seen.
func (t *tablePlane) Pixel(p board.Point) board.Point {
	q := t.toImage.Apply(p)
	d := q.Sub(t.middle)
	// The bend is slight: the fixed point is reached in a few steps.
	e := d
	for range 5 {
		e = d.Scale(1 / (1 + t.bend*e.Dot(e)/(t.reach*t.reach)))
	}
	return t.middle.Add(e)
}

// Flat is the map from pixels to the table without the lens.
func (t *tablePlane) Flat() board.Homography { return t.toTable }

// planeOf is the table's plane, with its lens, that gives all these cards, named
// and therefore exact, the size they have. Turn and place on the plane are
// arbitrary; what remains is scale, aspect, shear, the two numbers of perspective
// and one of the lens. They follow by least squares (Gauss-Newton) from the edges
// and diagonals of each card, with a prior of a camera that looks down straight,
// so that one card is enough and many tell tilt and lens.
func planeOf(cards []board.Quad, size board.Size, picture image.Point) (tablePlane, bool) {
	if len(cards) == 0 {
		return tablePlane{}, false
	}
	// Around the cards' middle and in units of their extent the numbers are of
	// like magnitude.
	var middle board.Point
	var height float64
	cards = slices.Clone(cards)
	for i, q := range cards {
		cards[i] = upright(q)
		_, h := cards[i].Edges()
		height += h / float64(len(cards))
		middle = middle.Add(q.Centre().Scale(1 / float64(len(cards))))
	}
	if height <= 0 {
		return tablePlane{}, false
	}
	t := tablePlane{
		middle: board.Point{X: float64(picture.X-1) / 2, Y: float64(picture.Y-1) / 2},
		reach:  math.Hypot(float64(picture.X), float64(picture.Y)) / 2,
	}
	scale := size.Height / height
	const extent = 10.0 // card heights
	toUnit := board.Homography{1, 0, -middle.X, 0, 1, -middle.Y, 0, 0, 1}
	plane := func(p planeNumbers) board.Homography {
		f := 1 / (extent * height)
		return board.Homography{scale * (1 + p[0]), scale * p[1], 0, 0, scale * (1 + p[2]), 0, p[3] * f, p[4] * f, 1}.Mul(toUnit)
	}
	const (
		noise     = 0.01 // of an edge, share of the card's height
		prior     = 0.15 // of each of the five numbers
		bendPrior = 0.1
	)
	residuals := func(p planeNumbers) []float64 {
		h := plane(p)
		r := make([]float64, 0, 6*len(cards)+len(p))
		diagonal := math.Hypot(size.Width, size.Height)
		for _, c := range cards {
			q := c.Map(func(x board.Point) board.Point { return h.Apply(straighten(x, t.middle, t.reach, p[5])) })
			for i, want := range [6]float64{size.Width, size.Height, size.Width, size.Height, diagonal, diagonal} {
				d := q[i%4].Distance(q[(i+1)%4])
				if i >= 4 {
					d = q[i-4].Distance(q[i-2])
				}
				r = append(r, robust((d-want)/size.Height/noise))
			}
		}
		for _, v := range p[:5] {
			r = append(r, v/prior)
		}
		return append(r, p[5]/bendPrior)
	}
	var p planeNumbers
	for range 6 {
		step, ok := gaussNewton(residuals, p)
		if !ok {
			break
		}
		for i := range p {
			p[i] += step[i]
		}
	}
	t.toTable, t.bend = plane(p), p[5]
	var err error
	t.toImage, err = t.toTable.Inverse()
	return t, err == nil
}

// robust lets what is far off count less: a card that lies on a deck, or an
// outline that isn't exact.
func robust(r float64) float64 {
	const knee = 2.0
	if m := math.Abs(r); m > knee {
		return math.Copysign(math.Sqrt(2*knee*m-knee*knee), r)
	}
	return r
}

// planeNumbers are the scale along x, the shear, the scale along y, both numbers
// of perspective and the lens's bend.
type planeNumbers [6]float64

// gaussNewton is one step towards the least squares of the residuals.
func gaussNewton(residuals func(planeNumbers) []float64, p planeNumbers) (planeNumbers, bool) {
	const n, eps = 6, 1e-5
	r := residuals(p)
	var jac [n][]float64
	for i := range jac {
		q := p
		q[i] += eps
		jac[i] = residuals(q)
		for k := range r {
			jac[i][k] = (jac[i][k] - r[k]) / eps
		}
	}
	var a [n][n + 1]float64
	for i := range n {
		for k := range r {
			for j := range n {
				a[i][j] += jac[i][k] * jac[j][k]
			}
			a[i][n] -= jac[i][k] * r[k]
		}
	}
	// The prior makes the matrix positive definite: no pivoting is needed.
	for i := range n {
		if !(a[i][i] > 0) {
			return p, false
		}
		for row := range n {
			if row == i {
				continue
			}
			f := a[row][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[row][j] -= f * a[i][j]
			}
		}
	}
	var step planeNumbers
	for i := range n {
		step[i] = a[i][n] / a[i][i]
	}
	return step, true
}
