package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tabletop/board"
)

// Games lists the games DefaultLayout knows.
func Games() []string { return []string{"l5r-emperor", "l5r-samurai"} }

// DefaultLayout is a table for two players of a game, to begin with before
// anybody has drawn zones: 900 × 600 mm, south at the picture's bottom edge and
// north opposite. Each player has, from the middle outwards, a row with the
// dynasty discard pile, the dynasty deck, four provinces from left to right,
// the fate deck and the fate discard pile as that player sees them, and the
// home behind it; the battlefield between the rows is shared. Zones do not
// overlap.
//
// The order is the usual one of the game: dynasty deck to the left of the
// provinces, fate deck to the right.
func DefaultLayout(game string) (board.Layout, error) {
	if !slices.Contains(Games(), game) {
		return board.Layout{}, fmt.Errorf("calibration: no table is laid out for the game %q; there are %s", game, strings.Join(Games(), ", "))
	}
	layout := board.Layout{
		Size:  board.Size{Width: 900, Height: 600},
		Seats: []board.Seat{{ID: "south", Name: "South", UpDeg: 0}, {ID: "north", Name: "North", UpDeg: 180}},
		Zones: []board.Zone{{ID: "battlefield", Kind: board.ZoneBattlefield}},
	}
	layout.Zones[0].Outline = rectangle(0.01, 0.41, 0.99, 0.59)
	for _, seat := range layout.Seats {
		for _, z := range southZones() {
			z.ID = board.ZoneID(string(seat.ID) + "." + string(z.ID))
			z.Seat = seat.ID
			if seat.UpDeg == 180 { // the same, seen from across the table
				for i, p := range z.Outline {
					z.Outline[i] = opposite(p)
				}
			}
			layout.Zones = append(layout.Zones, z)
		}
	}
	return layout, nil
}

// southZones are one player's zones, seen from the bottom edge. A row is a card
// high with 7 mm on either side, and as wide as a bowed card with 5 mm.
func southZones() []board.Zone {
	const rowTop, rowBottom = 0.60, 0.77
	zones := []board.Zone{
		{ID: "home", Kind: board.ZoneHome, Outline: rectangle(0.01, 0.775, 0.99, 0.995)},
		{ID: "dynasty-discard", Kind: board.ZoneDynastyDiscard, Outline: rectangle(0.01, rowTop, 0.12, rowBottom)},
		{ID: "dynasty-deck", Kind: board.ZoneDynastyDeck, Outline: rectangle(0.125, rowTop, 0.235, rowBottom)},
		{ID: "fate-deck", Kind: board.ZoneFateDeck, Outline: rectangle(0.765, rowTop, 0.875, rowBottom)},
		{ID: "fate-discard", Kind: board.ZoneFateDiscard, Outline: rectangle(0.88, rowTop, 0.99, rowBottom)},
	}
	for i, left := range []float64{0.245, 0.375, 0.505, 0.635} {
		zones = append(zones, board.Zone{
			ID: board.ZoneID(fmt.Sprintf("province%d", i+1)), Kind: board.ZoneProvince,
			Outline: rectangle(left, rowTop, left+0.125, rowBottom),
		})
	}
	return zones
}

func rectangle(left, top, right, bottom float64) board.Polygon {
	return board.Polygon{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}
}

// opposite is the same place seen from across the table, rounded so that 1-0.6
// stays 0.4.
func opposite(p board.Point) board.Point {
	round := func(v float64) float64 { return math.Round(v*1e6) / 1e6 }
	return board.Point{X: round(1 - p.X), Y: round(1 - p.Y)}
}
