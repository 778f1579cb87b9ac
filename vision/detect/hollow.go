package detect

import (
	"math"
	"slices"

	"tabletop/board"
)

// A playmat has zones printed on it: thin outlines of a card's size. Such an
// outline is a line, with the same ground on both sides, or the same ground in a
// darker or lighter tint within; a card's edge is a step. And within it the
// ground goes on, while a card shows something else. Either sign alone is common
// among cards: a white card on a white cloth shows only the line of its shadow,
// and a card's picture may have the table's colours. Both together are not.
const (
	// groundStep is the difference in grey levels, in each of blue, green and
	// red, up to which two places are of one ground: light falls off, and cloth
	// has a weave. Within an outline it may be up to maxGroundStep on a rough ground.
	groundStep    = 12
	maxGroundStep = 24
	// hollowSide is the share of a side along which the ground must go on across
	// it, and hollowLines on how many sides this must hold: on one of them
	// something may lie.
	hollowSide  = 0.7
	hollowLines = 3
	// hollowInside is the share of the places inside that have to be of the
	// ground around: a zone may bear a word or a sign.
	hollowInside = 0.75
	// How far from the outline its two sides are compared, share of its height,
	// and at least in pixels: clear of the line itself. The ground around is
	// looked at there and twice as far out.
	hollowReach    = 0.06
	hollowReachMin = 3.0
	// sideSamples is at how many places a side is looked at.
	sideSamples = 14
)

// colour is the mean of a small patch, blue, green, red.
type colour [3]int32

// apart is the largest difference of the three.
func (c colour) apart(o colour) int32 {
	return max(c[0]-o[0], o[0]-c[0], c[1]-o[1], o[1]-c[1], c[2]-o[2], o[2]-c[2])
}

// raster is a BGR picture in memory, blurred so that a pixel is the mean of 3×3.
type raster struct {
	w, h int
	pix  []byte
}

// patch returns the mean colour of the 3×3 pixels at a place; false when they
// are not all within the picture.
func (r *raster) patch(p board.Point) (c colour, ok bool) {
	x, y := int(p.X+0.5), int(p.Y+0.5)
	if x < 1 || y < 1 || x >= r.w-1 || y >= r.h-1 {
		return c, false
	}
	i := 3 * (y*r.w + x)
	pix := r.pix[i : i+3 : i+3]
	return colour{int32(pix[0]), int32(pix[1]), int32(pix[2])}, true
}

// crossing is the ground on both sides of one place of an outline, and what
// lies there between them.
type crossing struct {
	in, out, line colour
	near          colour // a little inward, where a thin line has ended
	ok            bool
}

// tint is how many times brighter the ground is within an outline than around
// it, for each of blue, green and red; nil for the same.
type tint *[3]float64

// hollow says whether an outline, in pixels of the raster, is but a line on the
// ground.
func (r *raster) hollow(q board.Quad) bool {
	var sides [4][sideSamples]crossing
	reach := hollowReachOf(q)
	ground := r.crossings(q, reach, &sides)
	step := stepOf(ground)
	if linesOn(&sides, nil, step) >= hollowLines {
		return r.inside(q, reach, ground, nil, step)
	}
	if !lined(&sides) {
		return false
	}
	t := tintOf(&sides)
	return t != nil && (linesOn(&sides, t, step) >= hollowLines || goesOn(&sides)) && r.inside(q, reach, ground, t, step)
}

// mayBeHollow says whether one of the outlines nested about a quad may be but a
// line on the ground: what they have within them in common looks like what is
// around.
func (r *raster) mayBeHollow(q board.Quad) bool {
	var sides [4][sideSamples]crossing
	reach := hollowReachOf(q)
	ground := r.crossings(q, reach, &sides)
	step := stepOf(ground)
	if r.inside(q, reach, ground, nil, step) {
		return true
	}
	t := tintOf(&sides)
	return t != nil && r.inside(q, reach, ground, t, step)
}

// hollowReachOf is how far to either side of an outline the ground is looked at,
// pixels.
func hollowReachOf(q board.Quad) float64 {
	w, h := q.Edges()
	return max(hollowReachMin, hollowReach*max(w, h))
}

// lined says whether at least the share of an outline that hollow asks for at
// the least stands out as a line.
func lined(sides *[4][sideSamples]crossing) bool {
	seen, lines := 0, 0
	for i := range sides {
		for k := range sides[i] {
			if c := &sides[i][k]; c.ok {
				seen++
				if c.stands() {
					lines++
				}
			}
		}
	}
	return float64(lines) > hollowSide*hollowLines/5*float64(seen)
}

// crossings looks at an outline's two sides, and returns the ground around it.
func (r *raster) crossings(q board.Quad, reach float64, sides *[4][sideSamples]crossing) []colour {
	ground := make([]colour, 0, 6*sideSamples)
	near := max(hollowReachMin/reach, thinLine/hollowReach)
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		dir := unit(b.Sub(a))
		outward := board.Point{X: dir.Y, Y: -dir.X}.Scale(reach)
		for k := range sideSamples {
			p := a.Add(b.Sub(a).Scale(sidePlace(k)))
			c := &sides[i][k]
			var in, out, on bool
			c.out, out = r.patch(p.Add(outward))
			c.in, in = r.patch(p.Sub(outward))
			c.line, on = r.patch(p)
			c.near, _ = r.patch(p.Sub(outward.Scale(near)))
			c.ok = in && out && on
			if out {
				ground = append(ground, c.out)
			}
			if far, ok := r.patch(p.Add(outward.Scale(2))); ok && k%2 == 0 {
				ground = append(ground, far)
			}
		}
	}
	return ground
}

// sidePlace is where along a side one of its samples lies, share of its length.
func sidePlace(k int) float64 { return 0.1 + 0.8*(float64(k)+0.5)/sideSamples }

// stepOf is the difference up to which two places of a ground are alike: the
// rougher it is, the larger.
func stepOf(ground []colour) int32 {
	if len(ground) < 2 {
		return groundStep
	}
	rough := make([]int32, len(ground)-1)
	for i := range rough {
		rough[i] = ground[i].apart(ground[i+1])
	}
	slices.Sort(rough)
	return min(maxGroundStep, groundStep+rough[len(rough)/2])
}

// linesOn is the number of sides across which the ground goes on.
func linesOn(sides *[4][sideSamples]crossing, t tint, step int32) int {
	n := 0
	for i := range sides {
		side := &sides[i]
		alike, seen := 0, 0
		for k := range side {
			c := &side[k]
			if !c.ok {
				continue
			}
			seen++
			// What is drawn on the ground may cross the line at a slant of 45°.
			for _, o := range side[max(0, k-2):min(len(side), k+3)] {
				if o.ok && c.in.apart(tinted(t, o.out)) <= step && (t == nil || c.stands()) {
					alike++
					break
				}
			}
		}
		if seen > 0 && float64(alike) >= hollowSide*float64(seen) {
			n++
		}
	}
	return n
}

// goesOn says whether the brightness within an outline follows that around it
// all the way along a line, in whatever tint: of a ground that is itself a
// picture.
func goesOn(sides *[4][sideSamples]crossing) bool {
	var n, x, y, xx, xy, yy, lines float64
	for i := range sides {
		side := &sides[i]
		for k := 1; k+1 < len(side); k++ {
			if !side[k-1].ok || !side[k].ok || !side[k+1].ok {
				continue
			}
			in := float64(side[k-1].in.sum() + side[k].in.sum() + side[k+1].in.sum())
			out := float64(side[k-1].out.sum() + side[k].out.sum() + side[k+1].out.sum())
			n++
			x, y, xx, xy, yy = x+in, y+out, xx+in*in, xy+in*out, yy+out*out
			if side[k].stands() {
				lines++
			}
		}
	}
	if n < 2*sideSamples || lines < hollowStanding*n {
		return false
	}
	cov, vx, vy := xy/n-x/n*y/n, xx/n-x/n*x/n, yy/n-y/n*y/n
	return cov > hollowFollows*math.Sqrt(vx*vy)
}

const (
	// hollowStanding is the share of the outline that must be a line for a ground
	// that changes across it to go on, and hollowFollows the least correlation of
	// the brightness on both sides.
	hollowStanding = 0.6
	hollowFollows  = 0.75
)

func (c colour) sum() int32 { return c[0] + c[1] + c[2] }

// stands says whether what lies on the outline differs from both its sides the
// same way: it is a thin line, and not a step.
func (c *crossing) stands() bool {
	in, out := c.in.sum(), c.out.sum()
	over, under := c.line.sum()-max(in, out), min(in, out)-c.line.sum()
	if max(over, under) <= lineStep {
		return false
	}
	// The white border of a card's back has ground on one side and a plain print
	// on the other as well, but it is wider.
	return over > under && 2*(c.near.sum()-in) < c.line.sum()-in || under > over && 2*(in-c.near.sum()) < in-c.line.sum()
}

const (
	// lineStep is by how much a line stands out, in the sum of the three colours.
	lineStep = 18
	// thinLine is how far inward from the outline a printed line has ended, share
	// of the height: 2.8 mm; a card's border is wider.
	thinLine = 0.032
	// maxHue is how far the tint within an outline may be from grey.
	maxHue = 1.3
)

// tintOf is the tint that suits most of the places; nil when it is not a tint of
// grey, as a print of another colour is not.
func tintOf(sides *[4][sideSamples]crossing) tint {
	var room [3][4 * sideSamples]float64
	ratios := [3][]float64{room[0][:0], room[1][:0], room[2][:0]}
	for i := range sides {
		for k := range sides[i] {
			if c := &sides[i][k]; c.ok {
				for ch := range c.in {
					ratios[ch] = append(ratios[ch], float64(c.in[ch]+1)/float64(c.out[ch]+1))
				}
			}
		}
	}
	if len(ratios[0]) == 0 {
		return nil
	}
	var t [3]float64
	for ch := range ratios {
		slices.Sort(ratios[ch])
		t[ch] = ratios[ch][len(ratios[ch])/2]
	}
	if max(t[0], t[1], t[2]) > maxHue*min(t[0], t[1], t[2]) {
		return nil
	}
	return &t
}

func tinted(t tint, c colour) colour {
	if t == nil {
		return c
	}
	for k := range c {
		c[k] = int32(float64(c[k])*t[k] + 0.5)
	}
	return c
}

// inside says whether the ground goes on within an outline.
func (r *raster) inside(q board.Quad, reach float64, ground []colour, t tint, step int32) bool {
	w, h := q.Edges()
	inset := reach / min(w, h)
	if t != nil {
		ground = slices.Clone(ground)
		for i := range ground {
			ground[i] = tinted(t, ground[i])
		}
	}
	const across, down = 6, 6
	same, all := 0, 0
	for i := range across {
		for j := range down {
			u := inset + (1-2*inset)*(float64(i)+0.5)/across
			v := inset + (1-2*inset)*(float64(j)+0.5)/down
			top, bottom := q[0].Add(q[1].Sub(q[0]).Scale(u)), q[3].Add(q[2].Sub(q[3]).Scale(u))
			c, ok := r.patch(top.Add(bottom.Sub(top).Scale(v)))
			if !ok {
				continue
			}
			all++
			if slices.ContainsFunc(ground, func(g colour) bool { return c.apart(g) <= step }) {
				same++
			}
		}
	}
	return float64(same) >= max(1, hollowInside*float64(all))
}
