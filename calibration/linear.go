package calibration

import "math"

// symmetric is a symmetric matrix, of which the lower triangle is kept.
type symmetric struct {
	n    int
	data []float64
}

func newSymmetric(n int) symmetric { return symmetric{n, make([]float64, n*(n+1)/2)} }

func (m symmetric) at(row, column int) float64 { return m.data[index(row, column)] }

func (m symmetric) add(row, column int, v float64) { m.data[index(row, column)] += v }

func index(row, column int) int {
	if column > row {
		row, column = column, row
	}
	return row*(row+1)/2 + column
}

func (m symmetric) clone() symmetric {
	return symmetric{m.n, append([]float64(nil), m.data...)}
}

// solve returns x with m·x = b by Cholesky's factorisation, which overwrites
// m. It fails when m is not positive definite.
func (m symmetric) solve(b []float64) ([]float64, bool) {
	for j := range m.n {
		rowJ := m.data[index(j, 0) : index(j, 0)+j+1]
		d := rowJ[j]
		for _, v := range rowJ[:j] {
			d -= v * v
		}
		if !(d > 0) {
			return nil, false
		}
		rowJ[j] = math.Sqrt(d)
		for i := j + 1; i < m.n; i++ {
			rowI := m.data[index(i, 0) : index(i, 0)+j+1]
			v := rowI[j]
			for k, l := range rowJ[:j] {
				v -= rowI[k] * l
			}
			rowI[j] = v / rowJ[j]
		}
	}
	x := append([]float64(nil), b...)
	for i := range m.n { // forwards
		for k := range i {
			x[i] -= m.at(i, k) * x[k]
		}
		x[i] /= m.at(i, i)
	}
	for i := m.n - 1; i >= 0; i-- { // backwards
		for k := i + 1; k < m.n; k++ {
			x[i] -= m.at(k, i) * x[k]
		}
		x[i] /= m.at(i, i)
	}
	return x, true
}
