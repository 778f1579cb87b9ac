package vision

import (
	"math"

	"tabletop/board"
)

// upright turns a named card's outline so that its first edge is a short one.
func upright(q board.Quad) board.Quad {
	if w, h := q.Edges(); w > h {
		return q.Turned(1)
	}
	return q
}

// planeOf is the map from pixels to millimetres of the table's plane that gives
// all these cards, named and therefore exact, the size they have. Turn and place
// on the plane are arbitrary; what remains is scale, aspect, shear and the two
// numbers of perspective. They follow by least squares (Gauss-Newton) from the
// edges and diagonals of each card, with a prior of a camera that looks down
// straight, so that one card is enough and many tell the tilt.
func planeOf(cards []board.Quad, size board.Size) (board.Homography, bool) {
	if len(cards) == 0 {
		return board.Homography{}, false
	}
	// Around the cards' middle and in units of their extent the five numbers
	// are of like magnitude.
	var middle board.Point
	var height float64
	for i, q := range cards {
		cards[i] = upright(q)
		_, h := cards[i].Edges()
		height += h / float64(len(cards))
		middle = middle.Add(q.Centre().Scale(1 / float64(len(cards))))
	}
	if height <= 0 {
		return board.Homography{}, false
	}
	scale := size.Height / height
	const extent = 10.0 // card heights
	toUnit := board.Homography{1, 0, -middle.X, 0, 1, -middle.Y, 0, 0, 1}
	plane := func(p [5]float64) board.Homography {
		f := 1 / (extent * height)
		return board.Homography{scale * (1 + p[0]), scale * p[1], 0, 0, scale * (1 + p[2]), 0, p[3] * f, p[4] * f, 1}.Mul(toUnit)
	}
	const (
		noise = 0.01 // of an edge, share of the card's height
		prior = 0.15 // of each of the five numbers
	)
	residuals := func(p [5]float64) []float64 {
		h := plane(p)
		var r []float64
		for _, c := range cards {
			q := c.Map(h.Apply)
			diagonal := math.Hypot(size.Width, size.Height)
			for i, want := range [6]float64{size.Width, size.Height, size.Width, size.Height, diagonal, diagonal} {
				d := q[i%4].Distance(q[(i+1)%4])
				if i >= 4 {
					d = q[i-4].Distance(q[i-2])
				}
				r = append(r, (d-want)/size.Height/noise)
			}
		}
		for _, v := range p {
			r = append(r, v/prior)
		}
		return r
	}
	var p [5]float64
	for range 6 {
		step, ok := gaussNewton(residuals, p)
		if !ok {
			break
		}
		for i := range p {
			p[i] += step[i]
		}
	}
	return plane(p), true
}

// gaussNewton is one step towards the least squares of the residuals.
func gaussNewton(residuals func([5]float64) []float64, p [5]float64) ([5]float64, bool) {
	const n, eps = 5, 1e-5
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
	var step [n]float64
	for i := range n {
		step[i] = a[i][n] / a[i][i]
	}
	return step, true
}
