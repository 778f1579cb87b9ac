package calibration

import (
	"fmt"

	"tabletop/board"
)

// TableOf is a table for two players to begin with, for a game of which no more
// is known than its areas: 900 × 600 mm, south at the picture's bottom edge and
// north opposite. Each player's first area is the whole row along the edge, the
// others lie side by side in a row before it, from left to right as that player
// sees them; the shared ones lie side by side in the middle. Zones do not
// overlap. It fails for a row in which a card would not find room.
func TableOf(own, shared []board.ZoneKind) (board.Layout, error) {
	layout := board.Layout{
		Size:  board.Size{Width: 900, Height: 600},
		Seats: []board.Seat{{ID: "south", Name: "South", UpDeg: 0}, {ID: "north", Name: "North", UpDeg: 180}},
	}
	card := board.StandardCard()
	for _, row := range []int{len(own) - 1, len(shared)} {
		if float64(row)*card.Width > layout.Size.Width {
			return board.Layout{}, fmt.Errorf("calibration: %d areas of %g mm don't fit side by side on a table %g mm wide; draw the zones by hand", row, card.Width, layout.Size.Width)
		}
	}
	for i, kind := range shared {
		left, right := slot(i, len(shared))
		layout.Zones = append(layout.Zones, board.Zone{ID: board.ZoneID(kind), Kind: kind, Outline: rectangle(left, 0.41, right, 0.59)})
	}
	for _, seat := range layout.Seats {
		for i, kind := range own {
			z := board.Zone{ID: board.ZoneID(string(seat.ID) + "." + string(kind)), Kind: kind, Seat: seat.ID}
			z.Outline = rectangle(0.01, 0.775, 0.99, 0.995)
			if i > 0 {
				left, right := slot(i-1, len(own)-1)
				z.Outline = rectangle(left, 0.60, right, 0.77)
			}
			if seat.UpDeg == 180 {
				for j, p := range z.Outline {
					z.Outline[j] = opposite(p)
				}
			}
			layout.Zones = append(layout.Zones, z)
		}
	}
	return layout, nil
}

// slot is the i-th of n places side by side, with a gap between them.
func slot(i, n int) (left, right float64) {
	const from, to, gap = 0.01, 0.99, 0.004
	width := (to - from + gap) / float64(n)
	left = from + float64(i)*width
	return left, left + width - gap
}
