package vision

import (
	"math"

	"tabletop/board"
)

// around maps millimetres from a card's middle, x along its first edge, a short
// one, to pixels. Place and turn are the card's, size and slant the plane's, so
// that the map holds well beyond the card.
func around(plane *tablePlane, q board.Quad) (board.Homography, error) {
	q = upright(q)
	m := q.Map(plane.Table)
	middle := m.Centre()
	x := m[1].Sub(m[0]).Add(m[2].Sub(m[3]))
	y := m[3].Sub(m[0]).Add(m[2].Sub(m[1]))
	// Both pairs of edges tell the turn.
	sin, cos := math.Sincos(math.Atan2(x.Y-y.X, x.X+y.Y))
	const reach = 100.0 // mm
	square := board.Quad{{X: -reach, Y: -reach}, {X: reach, Y: -reach}, {X: reach, Y: reach}, {X: -reach, Y: reach}}
	return board.HomographyFromQuads(square, square.Map(func(p board.Point) board.Point {
		return plane.Pixel(board.Point{X: middle.X + cos*p.X - sin*p.Y, Y: middle.Y + sin*p.X + cos*p.Y})
	}))
}
