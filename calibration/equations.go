package calibration

import "math"

// normalEquations are those of one step of FitCards: eight unknowns of the
// plane, and three of each card, which meet only with the plane's.
type normalEquations struct {
	plane    [8][8]float64
	gradient [8]float64
	cards    []cardEquations
}

type cardEquations struct {
	pose     [3][3]float64
	cross    [8][3]float64 // plane by pose
	gradient [3]float64
}

// bundleStep is a solution of them.
type bundleStep struct {
	plane [8]float64
	poses [][3]float64
}

// add takes in one residual of card i with its derivatives.
func (e *normalEquations) add(i int, weight, residual float64, byPlane [8]float64, byPose [3]float64) {
	c := &e.cards[i]
	for r, a := range byPlane {
		e.gradient[r] += weight * a * residual
		for k, b := range byPlane {
			e.plane[r][k] += weight * a * b
		}
		for k, b := range byPose {
			c.cross[r][k] += weight * a * b
		}
	}
	for r, a := range byPose {
		c.gradient[r] += weight * a * residual
		for k, b := range byPose {
			c.pose[r][k] += weight * a * b
		}
	}
}

// solve returns the step with Marquardt's damping (each diagonal element grows
// by that share). It fails when the equations have no solution.
func (e *normalEquations) solve(damping float64) (bundleStep, bool) {
	plane, gradient, inverses, ok := e.reduced(damping)
	if !ok {
		return bundleStep{}, false
	}
	step := bundleStep{poses: make([][3]float64, len(e.cards))}
	if step.plane, ok = solve8(plane, gradient); !ok {
		return bundleStep{}, false
	}
	for i, c := range e.cards {
		rest := c.gradient
		for r, d := range step.plane {
			for k := range rest {
				rest[k] -= c.cross[r][k] * d
			}
		}
		step.poses[i] = rowTimes(rest, inverses[i]) // the inverse is symmetric
	}
	return step, true
}

// reduced eliminates the poses card by card, which leaves eight equations for
// the plane (Schur complement; Triggs et al., Bundle Adjustment — A Modern
// Synthesis, 6.1), and returns the inverses of the poses' own blocks.
func (e *normalEquations) reduced(damping float64) (plane [8][8]float64, gradient [8]float64, inverses [][3][3]float64, ok bool) {
	damp := func(v float64) float64 { return v + damping*(v+1e-9) }
	plane, gradient = e.plane, e.gradient
	for i := range plane {
		plane[i][i] = damp(plane[i][i])
	}
	inverses = make([][3][3]float64, len(e.cards))
	for i, c := range e.cards {
		for k := range c.pose {
			c.pose[k][k] = damp(c.pose[k][k])
		}
		if inverses[i], ok = invert3(c.pose); !ok {
			return plane, gradient, nil, false
		}
		for r := range plane {
			folded := rowTimes(c.cross[r], inverses[i])
			gradient[r] -= dot3(folded, c.gradient)
			for k := range plane {
				plane[r][k] -= dot3(folded, c.cross[k])
			}
		}
	}
	return plane, gradient, inverses, true
}

// variance is that of a quantity with the given derivatives by the plane's
// numbers, for residuals of variance 1 at weight 1. The quantity must not
// change with a rigid motion of the table, which the equations leave open.
func (e *normalEquations) variance(byPlane [8]float64) float64 {
	const regular = 1e-9 // small beside what the cards tell, enough for what they can't
	plane, _, _, ok := e.reduced(regular)
	if !ok {
		return math.Inf(1)
	}
	x, ok := solve8(plane, byPlane)
	if !ok {
		return math.Inf(1)
	}
	var sum float64
	for i, v := range x {
		sum += v * byPlane[i]
	}
	return sum
}

func dot3(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func rowTimes(row [3]float64, m [3][3]float64) [3]float64 {
	var out [3]float64
	for k := range out {
		out[k] = row[0]*m[0][k] + row[1]*m[1][k] + row[2]*m[2][k]
	}
	return out
}

func invert3(m [3][3]float64) ([3][3]float64, bool) {
	var inv [3][3]float64
	for r := range 3 {
		for c := range 3 { // the cofactor of (c, r), its sign by cyclic indices
			inv[r][c] = m[(c+1)%3][(r+1)%3]*m[(c+2)%3][(r+2)%3] - m[(c+1)%3][(r+2)%3]*m[(c+2)%3][(r+1)%3]
		}
	}
	det := m[0][0]*inv[0][0] + m[0][1]*inv[1][0] + m[0][2]*inv[2][0]
	if !(det > 0) {
		return inv, false
	}
	for r := range inv {
		for c := range inv[r] {
			inv[r][c] /= det
		}
	}
	return inv, true
}

// solve8 solves m·x = b by Cholesky's factorisation. It fails when m is not
// positive definite.
func solve8(m [8][8]float64, b [8]float64) (x [8]float64, ok bool) {
	for j := range m {
		for i := j; i < len(m); i++ {
			v := m[i][j]
			for k := range j {
				v -= m[i][k] * m[j][k]
			}
			if i > j {
				m[i][j] = v / m[j][j]
				continue
			}
			if !(v > 0) {
				return x, false
			}
			m[j][j] = math.Sqrt(v)
		}
	}
	x = b
	for i := range x { // forwards
		for k := range i {
			x[i] -= m[i][k] * x[k]
		}
		x[i] /= m[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- { // backwards
		for k := i + 1; k < len(x); k++ {
			x[i] -= m[k][i] * x[k]
		}
		x[i] /= m[i][i]
	}
	return x, true
}
