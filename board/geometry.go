package board

import (
	"encoding/json"
	"fmt"
	"math"
)

// Point is a place in pixels or millimetres; which one, the owner says.
// In JSON it is the pair [x, y].
type Point struct{ X, Y float64 }

// MarshalJSON writes [x, y], rounded to a hundredth: finer is below what any
// camera resolves and only makes streams longer.
func (p Point) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]float64{round2(p.X), round2(p.Y)})
}

// UnmarshalJSON reads [x, y].
func (p *Point) UnmarshalJSON(data []byte) error {
	var xy []float64
	if err := json.Unmarshal(data, &xy); err != nil {
		return fmt.Errorf("a point is a pair [x, y]: %w", err)
	}
	if len(xy) != 2 {
		return fmt.Errorf("a point is a pair [x, y], not %d numbers", len(xy))
	}
	p.X, p.Y = xy[0], xy[1]
	return nil
}

// Add returns p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub returns the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Scale returns p times f.
func (p Point) Scale(f float64) Point { return Point{p.X * f, p.Y * f} }

// Dot is the scalar product.
func (p Point) Dot(q Point) float64 { return p.X*q.X + p.Y*q.Y }

// Cross is the z component of the vector product; positive when q lies
// clockwise of p (y points down).
func (p Point) Cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }

// Norm is the vector's length.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Distance is the distance from p to q.
func (p Point) Distance(q Point) float64 { return p.Sub(q).Norm() }

// Size is a width and a height, in millimetres unless said otherwise.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// StandardCard is the size of an unsleeved playing card of the games this
// program knows, in millimetres.
func StandardCard() Size { return Size{Width: 63, Height: 88} }

// Quad is a card's outline: printed top-left, top-right, bottom-right and
// bottom-left corner. Clockwise as the camera sees it.
type Quad [4]Point

// RectQuad is the outline of a rectangle of the given size around a centre,
// its printed top pointing to angleDeg.
func RectQuad(centre Point, size Size, angleDeg float64) Quad {
	sin, cos := math.Sincos(angleDeg * math.Pi / 180)
	w, h := size.Width/2, size.Height/2
	var q Quad
	for i, c := range [4]Point{{-w, -h}, {w, -h}, {w, h}, {-w, h}} {
		q[i] = Point{centre.X + c.X*cos - c.Y*sin, centre.Y + c.X*sin + c.Y*cos}
	}
	return q
}

// Centre is the mean of the four corners.
func (q Quad) Centre() Point {
	var c Point
	for _, p := range q {
		c = c.Add(p)
	}
	return c.Scale(0.25)
}

// Area is the signed area: positive for a clockwise quad (y down).
func (q Quad) Area() float64 { return Polygon(q[:]).Area() }

// IsConvex says whether the quad is convex and clockwise, as every view of a
// card that lies on a table is.
func (q Quad) IsConvex() bool {
	for i := range q {
		a, b, c := q[i], q[(i+1)%4], q[(i+2)%4]
		if b.Sub(a).Cross(c.Sub(b)) <= 0 {
			return false
		}
	}
	return true
}

// Turned returns the same outline with its printed top k quarter turns
// further clockwise: Turned(1) of an upright card is that card with its top
// to the right.
func (q Quad) Turned(k int) Quad {
	k = (k%4 + 4) % 4
	var r Quad
	for i := range r {
		r[i] = q[(i+k)%4]
	}
	return r
}

// AngleDeg is the direction of the printed top: from the middle of the bottom
// edge to the middle of the top edge, clockwise from up, in [0,360).
func (q Quad) AngleDeg() float64 {
	top, bottom := q[0].Add(q[1]), q[3].Add(q[2])
	d := top.Sub(bottom)
	return NormalizeDeg(math.Atan2(d.X, -d.Y) * 180 / math.Pi)
}

// Edges returns the mean lengths of the printed width and height.
func (q Quad) Edges() (width, height float64) {
	return (q[0].Distance(q[1]) + q[3].Distance(q[2])) / 2,
		(q[0].Distance(q[3]) + q[1].Distance(q[2])) / 2
}

// Contains says whether p lies inside the quad.
func (q Quad) Contains(p Point) bool { return Polygon(q[:]).Contains(p) }

// Map applies f to each corner.
func (q Quad) Map(f func(Point) Point) Quad {
	for i := range q {
		q[i] = f(q[i])
	}
	return q
}

// Polygon is a closed outline; the last point is joined to the first.
type Polygon []Point

// Area is the signed area: positive when clockwise (y down).
func (p Polygon) Area() float64 {
	var a float64
	for i := range p {
		a += p[i].Cross(p[(i+1)%len(p)])
	}
	return a / 2
}

// Contains says whether pt lies inside, by the even-odd rule.
func (p Polygon) Contains(pt Point) bool {
	in := false
	for i, j := 0, len(p)-1; i < len(p); j, i = i, i+1 {
		a, b := p[i], p[j]
		if (a.Y > pt.Y) != (b.Y > pt.Y) && pt.X < (b.X-a.X)*(pt.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

// Clip returns the part of p inside the convex clockwise polygon window
// (Sutherland–Hodgman). The result is empty when they do not meet.
func (p Polygon) Clip(window Polygon) Polygon {
	out := append(Polygon(nil), p...)
	for i := range window {
		a, b := window[i], window[(i+1)%len(window)]
		edge := b.Sub(a)
		side := func(q Point) float64 { return edge.Cross(q.Sub(a)) }
		in := out
		out = nil
		for j := range in {
			cur, prev := in[j], in[(j+len(in)-1)%len(in)]
			sc, sp := side(cur), side(prev)
			if (sc >= 0) != (sp >= 0) {
				out = append(out, prev.Add(cur.Sub(prev).Scale(sp/(sp-sc))))
			}
			if sc >= 0 {
				out = append(out, cur)
			}
		}
	}
	return out
}

// Overlap is the intersection over union of two convex clockwise quads, in [0,1].
func (q Quad) Overlap(r Quad) float64 {
	inter := q.Intersection(r)
	union := q.Area() + r.Area() - inter
	if union <= 0 {
		return 0
	}
	return inter / union
}

// Intersection is the area that two convex clockwise quads have in common. It
// allocates nothing, unlike Clip.
func (q Quad) Intersection(r Quad) float64 {
	// Each side of the window adds at most one corner.
	var room [2][8]Point
	n := copy(room[0][:], q[:])
	for i := range r {
		in, out := &room[i%2], &room[(i+1)%2]
		a := r[i]
		edge := r[(i+1)%4].Sub(a)
		count := 0
		for j := range n {
			cur, prev := in[j], in[(j+n-1)%n]
			sc, sp := edge.Cross(cur.Sub(a)), edge.Cross(prev.Sub(a))
			if (sc >= 0) != (sp >= 0) && count < len(out) {
				out[count] = prev.Add(cur.Sub(prev).Scale(sp / (sp - sc)))
				count++
			}
			if sc >= 0 && count < len(out) {
				out[count] = cur
				count++
			}
		}
		if n = count; n == 0 {
			return 0
		}
	}
	return Polygon(room[0][:n]).Area()
}

// NormalizeDeg brings an angle into [0,360).
func NormalizeDeg(a float64) float64 {
	a = math.Mod(a, 360)
	if a < 0 {
		a += 360
	}
	if a >= 360 { // -tiny + 360 rounds to 360
		a = 0
	}
	return a
}

// AngleDiff is the smallest signed turn from b to a, in (-180,180].
func AngleDiff(a, b float64) float64 {
	d := NormalizeDeg(a - b)
	if d > 180 {
		d -= 360
	}
	return d
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }
