package tracker

import "math"

// infeasible is the cost of a pair that must not be made. It is far above the
// sum of all feasible costs, so as many feasible pairs as possible are made
// before their cost counts.
const infeasible = 1e6

// assign pairs rows with columns at the least total cost and returns, for each
// row, its column or -1. Infeasible pairs are never made. cost(r, c) must be
// small against infeasible.
//
// It is the Hungarian method with potentials, one augmenting path a row (Kuhn
// 1955; Jonker & Volgenant 1987): O(min²·max) for the two counts.
func assign(rows, cols int, cost func(r, c int) float64) []int {
	pair := make([]int, rows)
	for r := range pair {
		pair[r] = -1
	}
	if rows == 0 || cols == 0 {
		return pair
	}
	if rows > cols {
		for c, r := range assign(cols, rows, func(c, r int) float64 { return cost(r, c) }) {
			if r >= 0 {
				pair[r] = c
			}
		}
		return pair
	}
	// Index 0 of every slice is a sentinel, as usual for this method.
	u, v := make([]float64, rows+1), make([]float64, cols+1)
	rowOf, from := make([]int, cols+1), make([]int, cols+1)
	slack, used := make([]float64, cols+1), make([]bool, cols+1)
	for r := 1; r <= rows; r++ {
		rowOf[0] = r
		for c := range slack {
			slack[c], used[c] = math.Inf(1), false
		}
		col := 0
		for rowOf[col] != 0 {
			used[col] = true
			row, next, delta := rowOf[col], 0, math.Inf(1)
			for c := 1; c <= cols; c++ {
				if used[c] {
					continue
				}
				if reduced := cost(row-1, c-1) - u[row] - v[c]; reduced < slack[c] {
					slack[c], from[c] = reduced, col
				}
				if slack[c] < delta {
					delta, next = slack[c], c
				}
			}
			for c := 0; c <= cols; c++ {
				if used[c] {
					u[rowOf[c]] += delta
					v[c] -= delta
				} else {
					slack[c] -= delta
				}
			}
			col = next
		}
		for col != 0 {
			rowOf[col] = rowOf[from[col]]
			col = from[col]
		}
	}
	for c := 1; c <= cols; c++ {
		if r := rowOf[c]; r > 0 && cost(r-1, c-1) < infeasible {
			pair[r-1] = c - 1
		}
	}
	return pair
}
