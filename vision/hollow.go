package vision

import (
	"slices"

	"tabletop/board"
)

const (
	// hollowContrast is the difference in grey levels, of each of blue, green
	// and red, up to which two places are of one ground: light falls off, and
	// cloth has a weave.
	hollowContrast = 12

	// hollowShare is the share of the places within an outline that have to be
	// of that ground.
	hollowShare = 0.85
)

// hollow says whether an outline is only a line on the table: a zone printed on
// a mat, of a card's size and with nothing in it but the mat. A plain sleeve is
// not hollow, since its colour is not that of the table around it.
func hollow(img picture, outline board.Quad) bool {
	const across, down = 8, 11
	unit := board.Quad{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}
	h, err := board.HomographyFromQuads(unit, outline)
	if err != nil {
		return false
	}
	colour := func(u, v float64) ([3]int, bool) {
		p := pixel(h.Apply(board.Point{X: u, Y: v}))
		if p.X < 0 || p.Y < 0 || p.X >= img.cols || p.Y >= img.rows {
			return [3]int{}, false
		}
		return img.bgr(p.X, p.Y), true
	}
	var around [3][]int
	add := func(u, v float64) {
		if c, ok := colour(u, v); ok {
			for k := range c {
				around[k] = append(around[k], c[k])
			}
		}
	}
	const out = 0.1
	for i := range down {
		t := (float64(i) + 0.5) / down
		add(t, -out)
		add(t, 1+out)
		add(-out, t)
		add(1+out, t)
	}
	if len(around[0]) == 0 {
		return false
	}
	var ground [3]int
	for k := range around {
		slices.Sort(around[k])
		ground[k] = around[k][len(around[k])/2]
	}
	same, all := 0, 0
	const inset = 0.12 // stay clear of the line itself
	for i := range across {
		for j := range down {
			u := inset + (1-2*inset)*(float64(i)+0.5)/across
			v := inset + (1-2*inset)*(float64(j)+0.5)/down
			c, ok := colour(u, v)
			if !ok {
				continue
			}
			all++
			if max(abs(c[0]-ground[0]), abs(c[1]-ground[1]), abs(c[2]-ground[2])) <= hollowContrast {
				same++
			}
		}
	}
	return all > 0 && float64(same) >= hollowShare*float64(all)
}

func abs(v int) int { return max(v, -v) }
