package script

import (
	"fmt"
	"math"
	"slices"

	"tabletop/board"
)

// DefaultSize is the play area without a table line, in millimetres.
func DefaultSize() board.Size { return board.Size{Width: 900, Height: 600} }

// Layout is a table of the given size for the players of the given seats, of
// which there are south (at the picture's bottom edge) and north.
//
// From the middle outwards a player has a row with, as that player sees it from
// the left, the dynasty discard pile, the dynasty deck, four provinces, the fate
// deck and the fate discard pile, and the home behind it. The battlefield in
// the middle is shared. Zone ids are "south.home" and the like.
func Layout(size board.Size, seats ...board.SeatID) (board.Layout, error) {
	l := board.Layout{Size: size}
	l.Zones = append(l.Zones, board.Zone{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: box(0.01, 0.41, 0.99, 0.59)})
	for _, id := range seats {
		seat, ok := map[board.SeatID]board.Seat{
			"south": {ID: "south", Name: "South", UpDeg: 0},
			"north": {ID: "north", Name: "North", UpDeg: 180},
		}[id]
		if !ok {
			return board.Layout{}, fmt.Errorf("there is no seat %q; a table has south and north", id)
		}
		if _, twice := l.Seat(id); twice {
			return board.Layout{}, fmt.Errorf("seat %s is given twice", id)
		}
		l.Seats = append(l.Seats, seat)
		l.Zones = append(l.Zones, zonesOf(seat)...)
	}
	return l, nil
}

func zonesOf(seat board.Seat) []board.Zone {
	const top, bottom = 0.60, 0.77
	zones := []board.Zone{
		{ID: "home", Kind: board.ZoneHome, Outline: box(0.01, 0.775, 0.99, 0.995)},
		{ID: "dynasty-discard", Kind: board.ZoneDynastyDiscard, Outline: box(0.01, top, 0.12, bottom)},
		{ID: "dynasty-deck", Kind: board.ZoneDynastyDeck, Outline: box(0.125, top, 0.235, bottom)},
		{ID: "fate-deck", Kind: board.ZoneFateDeck, Outline: box(0.765, top, 0.875, bottom)},
		{ID: "fate-discard", Kind: board.ZoneFateDiscard, Outline: box(0.88, top, 0.99, bottom)},
	}
	for i, left := range []float64{0.245, 0.375, 0.505, 0.635} {
		zones = append(zones, board.Zone{
			ID: board.ZoneID(fmt.Sprintf("province%d", i+1)), Kind: board.ZoneProvince, Outline: box(left, top, left+0.125, bottom),
		})
	}
	for i := range zones {
		zones[i].ID = board.ZoneID(seat.ID) + "." + zones[i].ID
		zones[i].Seat = seat.ID
		if seat.UpDeg == 180 {
			for j, p := range zones[i].Outline {
				zones[i].Outline[j] = board.Point{X: math.Round((1-p.X)*1e6) / 1e6, Y: math.Round((1-p.Y)*1e6) / 1e6}
			}
		}
	}
	return zones
}

func box(left, top, right, bottom float64) board.Polygon {
	return board.Polygon{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}
}

// slotMM is the distance between the middles of two slots.
const slotMM = 97

// slots are the middles of a zone's slots in millimetres, from the left as seen
// from upDeg.
func slots(l board.Layout, z board.Zone, upDeg float64) []board.Point {
	lo, hi := z.Outline[0], z.Outline[0]
	for _, p := range z.Outline {
		lo = board.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
		hi = board.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
	}
	width := (hi.X - lo.X) * l.Size.Width
	n := max(int(width/slotMM), 1)
	y := (lo.Y + hi.Y) / 2 * l.Size.Height
	var out []board.Point
	for i := range n {
		out = append(out, board.Point{X: lo.X*l.Size.Width + width*(float64(i)+0.5)/float64(n), Y: y})
	}
	if upDeg == 180 {
		slices.Reverse(out)
	}
	return out
}

// towards is the direction from the table to a seat.
func towards(s board.Seat) board.Point {
	sin, cos := math.Sincos(s.UpDeg * math.Pi / 180)
	return board.Point{X: -sin, Y: cos}
}
