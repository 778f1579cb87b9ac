package vision

import (
	"math"
	"slices"

	"tabletop/board"
)

const (
	// lineContrast is by how many grey levels a printed line stands out from
	// what lies to either side of it, and lineShare the share of an outline along
	// which it has to.
	lineContrast = 10
	lineShare    = 0.7

	// printDetail is how much more detailed than the table beside it, as a
	// ratio of mean gradients, what lies within a line has to be for a card. On
	// simulated tables zones have 0.4 to 1.1 and cards 1.9 to 6.
	printDetail = 1.4

	// leastTable is at how many of the places of outlineView.detail the table
	// has to show around an outline for its detail to be known: half of what
	// shows beside one side that is free.
	leastTable = 90
)

// zone says whether an outline is a frame printed on a mat, of a card's size,
// with the mat's picture going on within, tinted perhaps: a light line around
// what shows no more detail than the table beside it. A plain sleeve is no
// zone, since it has an edge and no line. Places where one of the others lies,
// the outlines of what else was seen, say nothing of the table: the light gap
// between two dark cards is no line. Where they leave too little of the table to
// judge by, an outline is no zone.
func zone(img picture, outline board.Quad, others []board.Quad) bool {
	outline = upright(outline)
	unit := board.Quad{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}
	h, err := board.HomographyFromQuads(unit, outline)
	if err != nil {
		return false
	}
	v := outlineView{img, h}
	free := func(x, y float64) bool {
		at := h.Apply(board.Point{X: x, Y: y})
		return !slices.ContainsFunc(others, func(q board.Quad) bool { return q.Contains(at) })
	}
	if !v.lined(free) {
		return false
	}
	table, n := v.detail(func(x, y float64) bool { return besides(x, y) && free(x, y) })
	if n < leastTable {
		return false
	}
	inside, _ := v.detail(insideOf)
	return inside < printDetail*table
}

// outlineView reads the green of a picture, which is nearest to luma, at places
// given in units of an outline's width and height.
type outlineView struct {
	img    picture
	toView board.Homography
}

// at is the mean of the 3×3 pixels at a place.
func (o outlineView) at(u, v float64) (float64, bool) {
	p := pixel(o.toView.Apply(board.Point{X: u, Y: v}))
	if p.X < 1 || p.Y < 1 || p.X >= o.img.cols-1 || p.Y >= o.img.rows-1 {
		return 0, false
	}
	var sum float64
	for y := p.Y - 1; y <= p.Y+1; y++ {
		for x := p.X - 1; x <= p.X+1; x++ {
			sum += o.img.green(x, y)
		}
	}
	return sum / 9, true
}

// lined says whether along most of the outline, where the table outside it is
// free, a line lies that is lighter than what is to either side of it.
func (o outlineView) lined(free func(u, v float64) bool) bool {
	const (
		steps = 14
		// From inside to outside, in heights of the card: 4 mm and 3 mm.
		in, out = 0.045, 0.035
		wide    = 88.0 / 63
	)
	lines, all := 0, 0
	look := func(u0, v0, u1, v1 float64) {
		a, inside := o.at(u0, v0)
		b, outside := o.at(u1, v1)
		if !inside || !outside || !free(u1, v1) {
			return
		}
		all++
		const across = 9
		for i := range across {
			f := (float64(i) + 0.5) / across
			p := pixel(o.toView.Apply(board.Point{X: u0 + f*(u1-u0), Y: v0 + f*(v1-v0)}))
			if o.img.green(p.X, p.Y) > max(a, b)+lineContrast {
				lines++
				return
			}
		}
	}
	for i := range steps {
		t := 0.1 + 0.8*(float64(i)+0.5)/steps // clear of round corners
		look(t, in, t, -out)
		look(t, 1-in, t, 1+out)
		look(in*wide, t, -out*wide, t)
		look(1-in*wide, t, 1+out*wide, t)
		// Most outlines have no line, which shows soon.
		if float64(all-lines) > (1-lineShare)*4*steps {
			return false
		}
	}
	return all > 0 && float64(lines) >= lineShare*float64(all)
}

// detail is the mean gradient, in grey levels over about 2 mm, over the places
// of a fine grid that belong. It is taken over a share of the card and not over
// a pixel, for what is a line in a small picture is a soft slope in a large one.
// It also returns how many places there were.
func (o outlineView) detail(belongs func(u, v float64) bool) (mean float64, n int) {
	const nu, nv = 30, 42
	top, bottom := o.toView.Apply(board.Point{X: 0.5, Y: 0}), o.toView.Apply(board.Point{X: 0.5, Y: 1})
	step := max(1, int(math.Round(top.Distance(bottom)/100)))
	var sum float64
	for i := range nu {
		for j := range nv {
			u, v := -0.3+1.6*(float64(i)+0.5)/nu, -0.25+1.5*(float64(j)+0.5)/nv
			if !belongs(u, v) {
				continue
			}
			p := pixel(o.toView.Apply(board.Point{X: u, Y: v}))
			if p.X < step || p.Y < step || p.X >= o.img.cols-step || p.Y >= o.img.rows-step {
				continue
			}
			g := func(x, y int) float64 { return o.img.green(x, y) }
			sum += math.Abs(g(p.X+step, p.Y)-g(p.X-step, p.Y)) + math.Abs(g(p.X, p.Y+step)-g(p.X, p.Y-step))
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return sum / float64(n), n
}

// insideOf and besides are the places within an outline and around it, clear of
// the line.
func insideOf(u, v float64) bool { return u > 0.12 && u < 0.88 && v > 0.09 && v < 0.91 }

func besides(u, v float64) bool { return u < -0.06 || u > 1.06 || v < -0.05 || v > 1.05 }
