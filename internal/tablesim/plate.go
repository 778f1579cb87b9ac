package tablesim

import (
	"image"
	"math"

	"tabletop/board"
)

// plate is a flat thing parallel to the table: a card, a sleeve, a sprite's
// plane. Local coordinates are millimetres from its middle, y towards its
// printed bottom.
type plate struct {
	centre   board.Point
	angleDeg float64
	height   float64 // above the table, mm
}

// local is the map from the table spot that a pixel sees (at height 0) to the
// plate's coordinates. The eye, the spot and the point on the plate lie on one
// ray, so it is affine.
type local struct{ ax, ay, a0, bx, by, b0 float32 }

func (r *Renderer) local(p plate) local {
	sin, cos := math.Sincos(p.angleDeg * math.Pi / 180)
	k := p.height / r.proj.eye.Z
	ex, ey := r.proj.eye.X*k-p.centre.X, r.proj.eye.Y*k-p.centre.Y
	return local{
		ax: float32(cos * (1 - k)), ay: float32(sin * (1 - k)), a0: float32(cos*ex + sin*ey),
		bx: float32(-sin * (1 - k)), by: float32(cos * (1 - k)), b0: float32(-sin*ex + cos*ey),
	}
}

func (l local) at(q board32) (x, y float32) {
	return l.ax*q.X + l.ay*q.Y + l.a0, l.bx*q.X + l.by*q.Y + l.b0
}

// bounds is the part of the picture that a rectangle of the plate takes up,
// from (x0,y0) to (x1,y1) in local millimetres, with a pixel to spare.
func (r *Renderer) bounds(p plate, x0, y0, x1, y1 float64) image.Rectangle {
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	// A curved lens can bulge an edge beyond its ends: look at its middle too.
	for _, u := range []float64{0, 0.5, 1} {
		for _, v := range []float64{0, 0.5, 1} {
			q := r.proj.ToImage(p.toTable(x0+(x1-x0)*u, y0+(y1-y0)*v), p.height)
			minX, maxX = min(minX, q.X), max(maxX, q.X)
			minY, maxY = min(minY, q.Y), max(maxY, q.Y)
		}
	}
	limit := func(v float64) int { return int(max(-1e6, min(1e6, v))) }
	return image.Rect(limit(math.Floor(minX))-2, limit(math.Floor(minY))-2, limit(math.Ceil(maxX))+3, limit(math.Ceil(maxY))+3)
}

// toTable is the place in the plate's plane of a local coordinate.
func (p plate) toTable(x, y float64) board.Point {
	sin, cos := math.Sincos(p.angleDeg * math.Pi / 180)
	return board.Point{X: p.centre.X + x*cos - y*sin, Y: p.centre.Y + x*sin + y*cos}
}

// fromImage is the local coordinate of what a pixel sees in the plate's plane.
func (r *Renderer) fromImage(p plate, px board.Point) (x, y float64) {
	d := r.proj.ToTable(px, p.height).Sub(p.centre)
	sin, cos := math.Sincos(p.angleDeg * math.Pi / 180)
	return d.X*cos + d.Y*sin, -d.X*sin + d.Y*cos
}

// scaleAt is how many pixels a millimetre of the plate takes at its middle.
func (r *Renderer) scaleAt(p plate) float64 {
	o := r.proj.ToImage(p.centre, p.height)
	x := r.proj.ToImage(p.centre.Add(board.Point{X: 1}), p.height).Sub(o)
	y := r.proj.ToImage(p.centre.Add(board.Point{Y: 1}), p.height).Sub(o)
	return math.Sqrt(math.Abs(x.Cross(y)))
}

// each calls f for every pixel of a rectangle of the picture inside the pass,
// with the place in the plate's coordinates.
func (p *pass) each(b image.Rectangle, l local, f func(i int, x, y float32)) {
	p.r.each(b, p.rect, l, f)
}

// each calls f for every pixel of b that lies in a buffer's rectangle, with its
// index in the buffer and the place in the plate's coordinates.
func (r *Renderer) each(b, buffer image.Rectangle, l local, f func(i int, x, y float32)) {
	b = b.Intersect(buffer)
	w := buffer.Dx()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		place := r.place[y*r.cam.Width+b.Min.X : y*r.cam.Width+b.Max.X]
		i := (y-buffer.Min.Y)*w + b.Min.X - buffer.Min.X
		for _, q := range place {
			lx, ly := l.at(q)
			f(i, lx, ly)
			i++
		}
	}
}

// over lays a colour over a pixel.
func (p *pass) over(i int, c lin, alpha float32) {
	v := &p.pix[i]
	v.R += (c.R - v.R) * alpha
	v.G += (c.G - v.G) * alpha
	v.B += (c.B - v.B) * alpha
}

// blend lays a colour of some opacity over the pixel of that index.
type blend func(i int, c lin, alpha float32)

// smear draws a thing that moves by the given number of pixels while the
// shutter is open: once on a layer of its own, whose mean along the way is then
// laid over the picture. draw gets the layer's rectangle.
func (p *pass) smear(b image.Rectangle, dx, dy float64, draw func(layer image.Rectangle, blend blend)) {
	n := int(min(24, max(2, math.Ceil(math.Hypot(dx, dy)))))
	reach := int(max(math.Abs(dx), math.Abs(dy))/2) + 2
	full := image.Rect(0, 0, p.r.cam.Width, p.r.cam.Height)
	layer := b.Intersect(p.rect.Inset(-reach)).Intersect(full)
	if layer.Empty() {
		return
	}
	w := layer.Dx()
	p.acc = grown(p.acc, w*layer.Dy())
	clear(p.acc)
	draw(layer, func(i int, c lin, alpha float32) {
		a := &p.acc[i]
		k := 1 - alpha
		a.R, a.G, a.B, a.A = a.R*k+c.R*alpha, a.G*k+c.G*alpha, a.B*k+c.B*alpha, a.A*k+alpha
	})
	offsets := make([]image.Point, n)
	for i := range offsets {
		t := (float64(i)+0.5)/float64(n) - 0.5
		offsets[i] = image.Pt(int(math.Round(t*dx)), int(math.Round(t*dy)))
	}
	norm := 1 / float32(n)
	in := b.Intersect(p.rect)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			var s acc
			for _, o := range offsets {
				q := image.Pt(x-o.X, y-o.Y)
				if !q.In(layer) {
					continue
				}
				a := &p.acc[(q.Y-layer.Min.Y)*w+q.X-layer.Min.X]
				s.R, s.G, s.B, s.A = s.R+a.R, s.G+a.G, s.B+a.B, s.A+a.A
			}
			if s.A == 0 {
				continue
			}
			v := &p.pix[(y-p.rect.Min.Y)*p.rect.Dx()+x-p.rect.Min.X]
			k := 1 - s.A*norm
			v.R, v.G, v.B = v.R*k+s.R*norm, v.G*k+s.G*norm, v.B*k+s.B*norm
		}
	}
}

// shift is how many pixels a movement in millimetres is at a plate.
func (r *Renderer) shift(p plate, by board.Point) (dx, dy float64) {
	d := r.proj.ToImage(p.centre.Add(by.Scale(0.5)), p.height).Sub(r.proj.ToImage(p.centre.Sub(by.Scale(0.5)), p.height))
	return d.X, d.Y
}

// shadow darkens what lies under a rectangle that floats above it.
func (p *pass) shadow(b image.Rectangle, l local, hw, hh, corner, soft, strength float32) {
	p.each(b, l, func(i int, x, y float32) {
		d := rounded32(x, y, hw, hh, corner)
		if d >= soft {
			return
		}
		m := strength
		if d > -soft {
			t := (soft - d) / (2 * soft)
			m *= t * t * (3 - 2*t)
		}
		v := &p.pix[i]
		k := 1 - m
		// What light is left comes from all around and is a little cooler.
		v.R *= k
		v.G *= k + 0.01*m
		v.B *= k + 0.03*m
	})
}

// rounded32 is the signed distance to a rectangle with rounded corners.
func rounded32(x, y, hw, hh, r float32) float32 {
	if x < 0 {
		x = -x
	}
	if y < 0 {
		y = -y
	}
	dx, dy := x-hw+r, y-hh+r
	if dx <= 0 || dy <= 0 {
		return max(dx, dy) - r
	}
	return float32(math.Sqrt(float64(dx*dx+dy*dy))) - r
}
