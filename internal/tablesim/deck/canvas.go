package deck

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/vector"

	"tabletop/internal/tablesim/valuenoise"
)

// rgb is a colour with parts in [0,1], as a picture file encodes them.
type rgb struct{ R, G, B float64 }

func (c rgb) mix(d rgb, t float64) rgb {
	return rgb{c.R + (d.R-c.R)*t, c.G + (d.G-c.G)*t, c.B + (d.B-c.B)*t}
}

func (c rgb) scale(f float64) rgb { return rgb{c.R * f, c.G * f, c.B * f} }

func (c rgb) rgba() color.RGBA {
	return color.RGBA{to8(c.R), to8(c.G), to8(c.B), 255}
}

func to8(v float64) uint8 {
	switch {
	case v <= 0:
		return 0
	case v >= 1:
		return 255
	}
	return uint8(v*255 + 0.5)
}

// hsv makes a colour of a hue in degrees, a saturation and a value in [0,1].
func hsv(h, s, v float64) rgb {
	f := func(n float64) float64 {
		k := math.Mod(n+math.Mod(h+720, 360)/60, 6)
		return v - v*s*max(0, min(1, min(k, 4-k)))
	}
	return rgb{f(5), f(3), f(1)}
}

type pt struct{ X, Y float64 }

// paint gives the colour of a place; a solid colour is solid(c).
type paint func(x, y float64) rgb

func solid(c rgb) paint { return func(_, _ float64) rgb { return c } }

// vertical runs from one colour at y0 to another at y1.
func vertical(y0, y1 float64, top, bottom rgb) paint {
	return func(_, y float64) rgb { return top.mix(bottom, clamp01((y-y0)/(y1-y0))) }
}

// diagonal runs from a at p to b at q.
func diagonal(p, q pt, a, b rgb) paint {
	dx, dy := q.X-p.X, q.Y-p.Y
	n := dx*dx + dy*dy
	return func(x, y float64) rgb { return a.mix(b, clamp01(((x-p.X)*dx+(y-p.Y)*dy)/n)) }
}

func radial(c pt, r float64, inner, outer rgb) paint {
	return func(x, y float64) rgb { return inner.mix(outer, clamp01(math.Hypot(x-c.X, y-c.Y)/r)) }
}

func clamp01(v float64) float64 { return max(0, min(1, v)) }

func smooth(a, b, x float64) float64 {
	t := clamp01((x - a) / (b - a))
	return t * t * (3 - 2*t)
}

// canvas is an opaque picture that is drawn on with antialiased shapes.
type canvas struct {
	img  *image.RGBA
	W, H float64
	ras  vector.Rasterizer
	mask image.Alpha
}

func newCanvas(w, h int) *canvas {
	return &canvas{img: image.NewRGBA(image.Rect(0, 0, w, h)), W: float64(w), H: float64(h)}
}

// each sets every pixel.
func (c *canvas) each(p paint) {
	b := c.img.Bounds()
	for y := range b.Dy() {
		row := c.img.Pix[y*c.img.Stride:]
		for x := range b.Dx() {
			v := p(float64(x)+0.5, float64(y)+0.5)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = to8(v.R), to8(v.G), to8(v.B), 255
		}
	}
}

// fill paints the inside of closed outlines (non-zero rule) at an opacity.
func (c *canvas) fill(p paint, opacity float64, outlines ...[]pt) {
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, o := range outlines {
		for _, q := range o {
			minX, maxX = min(minX, q.X), max(maxX, q.X)
			minY, maxY = min(minY, q.Y), max(maxY, q.Y)
		}
	}
	x0, y0 := int(max(0, math.Floor(minX))), int(max(0, math.Floor(minY)))
	x1, y1 := int(min(c.W, math.Ceil(maxX))), int(min(c.H, math.Ceil(maxY)))
	if x1 <= x0 || y1 <= y0 {
		return
	}
	w, h := x1-x0, y1-y0
	c.ras.Reset(w, h)
	for _, o := range outlines {
		for i, q := range o {
			// The rasterizer wants shapes that are not far outside its bounds.
			x := float32(max(-4, min(float64(w)+4, q.X-float64(x0))))
			y := float32(max(-4, min(float64(h)+4, q.Y-float64(y0))))
			if i == 0 {
				c.ras.MoveTo(x, y)
			} else {
				c.ras.LineTo(x, y)
			}
		}
		c.ras.ClosePath()
	}
	if cap(c.mask.Pix) < w*h {
		c.mask.Pix = make([]uint8, w*h)
	}
	c.mask.Pix, c.mask.Stride, c.mask.Rect = c.mask.Pix[:w*h], w, image.Rect(0, 0, w, h)
	clear(c.mask.Pix)
	c.ras.Draw(&c.mask, c.mask.Rect, image.Opaque, image.Point{})
	for y := range h {
		row := c.img.Pix[(y+y0)*c.img.Stride+4*x0:]
		for x := range w {
			a := c.mask.Pix[y*w+x]
			if a == 0 {
				continue
			}
			c.blend(row[4*x:4*x+3], p(float64(x+x0)+0.5, float64(y+y0)+0.5), float64(a)/255*opacity)
		}
	}
}

func (c *canvas) blend(px []uint8, v rgb, a float64) {
	px[0] = to8(float64(px[0])/255*(1-a) + v.R*a)
	px[1] = to8(float64(px[1])/255*(1-a) + v.G*a)
	px[2] = to8(float64(px[2])/255*(1-a) + v.B*a)
}

// stroke paints a line of a width that goes from w0 to w1 along the points.
func (c *canvas) stroke(p paint, opacity, w0, w1 float64, line []pt) {
	if len(line) < 2 {
		return
	}
	n := len(line)
	left, right := make([]pt, n), make([]pt, n)
	for i, q := range line {
		a, b := line[max(i-1, 0)], line[min(i+1, n-1)]
		dx, dy := b.X-a.X, b.Y-a.Y
		l := math.Hypot(dx, dy)
		if l == 0 {
			l = 1
		}
		w := (w0 + (w1-w0)*float64(i)/float64(n-1)) / 2
		left[i] = pt{q.X - dy/l*w, q.Y + dx/l*w}
		right[n-1-i] = pt{q.X + dy/l*w, q.Y - dx/l*w}
	}
	c.fill(p, opacity, append(left, right...))
}

// glow lightens a round place softly.
func (c *canvas) glow(at pt, r float64, col rgb, strength float64) {
	b := c.img.Bounds()
	for y := max(0, int(at.Y-r)); y < min(b.Dy(), int(at.Y+r)+1); y++ {
		row := c.img.Pix[y*c.img.Stride:]
		for x := max(0, int(at.X-r)); x < min(b.Dx(), int(at.X+r)+1); x++ {
			d := math.Hypot(float64(x)+0.5-at.X, float64(y)+0.5-at.Y) / r
			if d >= 1 {
				continue
			}
			f := (1 - d) * (1 - d) * strength
			px := row[4*x : 4*x+3]
			px[0] = to8(float64(px[0])/255 + col.R*f)
			px[1] = to8(float64(px[1])/255 + col.G*f)
			px[2] = to8(float64(px[2])/255 + col.B*f)
		}
	}
}

// ellipse is the outline of a turned ellipse.
func ellipse(cx, cy, rx, ry, deg float64) []pt {
	n := 12 + int(max(rx, ry)/3)
	s, k := math.Sincos(deg * math.Pi / 180)
	o := make([]pt, n)
	for i := range o {
		a, b := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		o[i] = pt{cx + b*rx*k - a*ry*s, cy + b*rx*s + a*ry*k}
	}
	return o
}

func circle(cx, cy, r float64) []pt { return ellipse(cx, cy, r, r, 0) }

func rect(x0, y0, x1, y1 float64) []pt {
	return []pt{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// reversed turns an outline round, which makes it a hole in another.
func reversed(o []pt) []pt {
	r := make([]pt, len(o))
	for i, p := range o {
		r[len(o)-1-i] = p
	}
	return r
}

func roundRect(x0, y0, x1, y1, r float64) []pt {
	var o []pt
	for i, c := range []pt{{x1 - r, y0 + r}, {x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}} {
		for k := range 9 {
			a := (float64(i)-1)*math.Pi/2 + float64(k)/8*math.Pi/2
			o = append(o, pt{c.X + r*math.Cos(a), c.Y + r*math.Sin(a)})
		}
	}
	return o
}

// spline runs a Catmull–Rom curve through the points.
func spline(points []pt, steps int) []pt {
	var o []pt
	n := len(points)
	at := func(i int) pt { return points[max(0, min(n-1, i))] }
	for i := range n - 1 {
		a, b, c, d := at(i-1), at(i), at(i+1), at(i+2)
		for k := range steps {
			t := float64(k) / float64(steps)
			f := func(a, b, c, d float64) float64 {
				return 0.5 * (2*b + (c-a)*t + (2*a-5*b+4*c-d)*t*t + (3*b-a-3*c+d)*t*t*t)
			}
			o = append(o, pt{f(a.X, b.X, c.X, d.X), f(a.Y, b.Y, c.Y, d.Y)})
		}
	}
	return append(o, points[n-1])
}

// coarse works a smooth function out on every third pixel only, when first
// asked there, and runs straight in between. It serves places within w×h.
func coarse(w, h float64, f func(x, y float64) float64) func(x, y float64) float64 {
	const step = 3
	gw, gh := int(w/step)+3, int(h/step)+3
	known := make([]bool, gw*gh)
	value := make([]float64, gw*gh)
	at := func(i, gx, gy int) float64 {
		if !known[i] {
			value[i], known[i] = f(float64(gx*step), float64(gy*step)), true
		}
		return value[i]
	}
	return func(x, y float64) float64 {
		x, y = max(0, min(w, x))/step, max(0, min(h, y))/step
		gx, gy := int(x), int(y)
		fx, fy := x-float64(gx), y-float64(gy)
		i := gy*gw + gx
		top := at(i, gx, gy)*(1-fx) + at(i+1, gx+1, gy)*fx
		return top*(1-fy) + (at(i+gw, gx, gy+1)*(1-fx)+at(i+gw+1, gx+1, gy+1)*fx)*fy
	}
}

// warped returns the picture with every place shifted by smooth noise, which
// takes the ruler out of drawn edges.
func (c *canvas) warped(seed uint32, scale, by float64) *canvas {
	out := newCanvas(int(c.W), int(c.H))
	w, h := int(c.W), int(c.H)
	// The shift is smooth: it is worked out on every few pixels only.
	const step = 4
	gw := w/step + 2
	shift := make([]pt, gw*(h/step+2))
	for gy := range h/step + 2 {
		for gx := range gw {
			fx, fy := float64(gx*step)/scale, float64(gy*step)/scale
			shift[gy*gw+gx] = pt{2 * by * valuenoise.Fractal(seed, fx, fy, 2), 2 * by * valuenoise.Fractal(seed+77, fx, fy, 2)}
		}
	}
	for y := range h {
		for x := range w {
			i := y/step*gw + x/step
			kx, ky := float64(x%step)/step, float64(y%step)/step
			p, q, r, s := shift[i], shift[i+1], shift[i+gw], shift[i+gw+1]
			sx := float64(x) + (p.X*(1-kx)+q.X*kx)*(1-ky) + (r.X*(1-kx)+s.X*kx)*ky
			sy := float64(y) + (p.Y*(1-kx)+q.Y*kx)*(1-ky) + (r.Y*(1-kx)+s.Y*kx)*ky
			sx, sy = max(0, min(c.W-1.001, sx)), max(0, min(c.H-1.001, sy))
			ix, iy := int(sx), int(sy)
			tx, ty := sx-float64(ix), sy-float64(iy)
			ix1, iy1 := min(ix+1, w-1), min(iy+1, h-1)
			p00, p10 := c.img.Pix[iy*c.img.Stride+4*ix:], c.img.Pix[iy*c.img.Stride+4*ix1:]
			p01, p11 := c.img.Pix[iy1*c.img.Stride+4*ix:], c.img.Pix[iy1*c.img.Stride+4*ix1:]
			o := out.img.Pix[y*out.img.Stride+4*x:]
			for k := range 3 {
				top := float64(p00[k])*(1-tx) + float64(p10[k])*tx
				bot := float64(p01[k])*(1-tx) + float64(p11[k])*tx
				o[k] = uint8(top*(1-ty) + bot*ty + 0.5)
			}
			o[3] = 255
		}
	}
	return out
}

// tint changes every pixel by a function of its place and colour.
func (c *canvas) tint(f func(x, y float64, v rgb) rgb) {
	w, h := int(c.W), int(c.H)
	for y := range h {
		row := c.img.Pix[y*c.img.Stride:]
		for x := range w {
			px := row[4*x : 4*x+3]
			v := f(float64(x)+0.5, float64(y)+0.5, rgb{float64(px[0]) / 255, float64(px[1]) / 255, float64(px[2]) / 255})
			px[0], px[1], px[2] = to8(v.R), to8(v.G), to8(v.B)
		}
	}
}
