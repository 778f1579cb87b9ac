package watch

import (
	"image"

	"tabletop/board"
)

// outlines are the outer borders of a set of cells, in pixels, one for each
// connected part that is large enough to count: the borders run along the
// cells' edges, clockwise.
func (w *Watcher) outlines(cells []int32) []board.Polygon {
	filled := w.grown // all zero between uses
	for _, c := range cells {
		filled[c] = 1
	}
	in := func(x, y int) bool { return x >= 0 && y >= 0 && x < w.w && y < w.h && filled[y*w.w+x] != 0 }
	seen := make(map[image.Point]bool) // cells whose upper edge is part of an outline already
	var all []board.Polygon
	for _, c := range cells {
		start := image.Pt(int(c)%w.w, int(c)/w.w)
		if in(start.X, start.Y-1) || seen[start] {
			continue
		}
		outline := w.trace(start, in, seen)
		// The border of a hole runs the other way: its area is negative.
		if outline.Area() >= minCells*float64(w.sampler.cell*w.sampler.cell) {
			all = append(all, outline)
		}
	}
	for _, c := range cells {
		filled[c] = 0
	}
	return all
}

// trace follows a border from the upper left corner of a cell, with the filled
// cells on its right hand.
func (w *Watcher) trace(start image.Point, in func(x, y int) bool, seen map[image.Point]bool) (outline board.Polygon) {
	// Directions: right, down, left, up. Of the border point p, ahead[d] are the
	// cells to the left and right of the next edge, relative to p.
	step := [4]image.Point{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}}
	left := [4]image.Point{{X: 0, Y: -1}, {X: 0, Y: 0}, {X: -1, Y: 0}, {X: -1, Y: -1}}
	right := [4]image.Point{{X: 0, Y: 0}, {X: -1, Y: 0}, {X: -1, Y: -1}, {X: 0, Y: -1}}
	cell := float64(w.sampler.cell)
	p, d := start, 0
	for {
		if d == 0 {
			seen[p] = true
		}
		p = p.Add(step[d])
		next := d
		switch l, r := p.Add(left[d]), p.Add(right[d]); {
		case in(l.X, l.Y): // a cell lies ahead on the left: turn left
			next = (d + 3) % 4
		case !in(r.X, r.Y): // nothing ahead: turn right
			next = (d + 1) % 4
		}
		if next != d {
			outline = append(outline, board.Point{X: float64(p.X) * cell, Y: float64(p.Y) * cell})
		}
		d = next
		if p == start && d == 0 {
			return outline
		}
	}
}
