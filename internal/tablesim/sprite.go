package tablesim

import (
	"image"
	"math"

	"tabletop/board"
)

// texel is a place of a sprite: colour (in linear light, not multiplied by
// alpha), opacity, the surface's slope and how much it mirrors.
type texel struct {
	C      lin
	A      float32
	NX, NY float32 // slope of the surface: positive X leans to the right
	Gloss  float32
}

// packed is a texel as a sprite keeps it: an arm of the full length has half a
// million. Colour and gloss are kept up to 2, slopes up to 8, all much finer
// than shows.
type packed struct {
	r, g, b, a, gloss uint16
	nx, ny            int16
}

const (
	packedUnit  = 1 << 15 // of colour, opacity and gloss
	packedSlope = 1 << 12
)

func pack(t texel) packed {
	unit := func(v float32) uint16 { return uint16(max(0, min(v*packedUnit+0.5, math.MaxUint16))) }
	slope := func(v float32) int16 {
		return int16(math.Round(float64(max(math.MinInt16, min(v*packedSlope, math.MaxInt16)))))
	}
	return packed{unit(t.C.R), unit(t.C.G), unit(t.C.B), unit(t.A), unit(t.Gloss), slope(t.NX), slope(t.NY)}
}

// opacity is the packed texel's, from 0 to 1.
func (p *packed) opacity() float32 { return float32(p.a) / packedUnit }

// sprite is a picture of a thing lying flat, with the slope of its surface so
// that it can be lit from any side.
type sprite struct {
	x0, y0 float64 // local mm of its left and top edge
	res    float64 // texels per mm
	w, h   int
	pix    []packed
	// soft and softer are its silhouette, blurred, for shadows near and far
	// below it; they have a texel for every shadowStep mm and stand out by
	// shadowRim.
	soft, softer []float32
	sw, sh       int
}

const (
	shadowStep = 2.0
	shadowRim  = 40.0
)

// newSprite paints a sprite over the local rectangle from (x0,y0) to (x1,y1).
func newSprite(x0, y0, x1, y1, res float64, f func(x, y float64) texel) *sprite {
	s := &sprite{x0: x0, y0: y0, res: res, w: int(math.Ceil((x1 - x0) * res)), h: int(math.Ceil((y1 - y0) * res))}
	s.pix = make([]packed, s.w*s.h)
	for y := range s.h {
		for x := range s.w {
			s.pix[y*s.w+x] = pack(f(x0+(float64(x)+0.5)/res, y0+(float64(y)+0.5)/res))
		}
	}
	s.makeShadow(x1, y1)
	return s
}

func (s *sprite) makeShadow(x1, y1 float64) {
	s.sw = int((x1-s.x0+2*shadowRim)/shadowStep) + 1
	s.sh = int((y1-s.y0+2*shadowRim)/shadowStep) + 1
	mask := make([]float32, s.sw*s.sh)
	count := make([]float32, s.sw*s.sh)
	for y := range s.h {
		for x := range s.w {
			i := int((float64(y)/s.res+shadowRim)/shadowStep)*s.sw + int((float64(x)/s.res+shadowRim)/shadowStep)
			mask[i] += s.pix[y*s.w+x].opacity()
			count[i]++
		}
	}
	for i := range mask {
		if count[i] > 0 {
			mask[i] /= count[i]
		}
	}
	s.soft = boxBlur(mask, s.sw, s.sh, 2, 3)
	s.softer = boxBlur(mask, s.sw, s.sh, 5, 3)
}

// boxBlur is n passes of a box of 2·r+1 texels.
func boxBlur(a []float32, w, h, r, n int) []float32 {
	out := append([]float32(nil), a...)
	tmp := make([]float32, w*h)
	f := 1 / float32(2*r+1)
	for range n {
		for y := range h {
			for x := range w {
				var s float32
				for k := max(0, x-r); k <= min(w-1, x+r); k++ {
					s += out[y*w+k]
				}
				tmp[y*w+x] = s * f
			}
		}
		for x := range w {
			for y := range h {
				var s float32
				for k := max(0, y-r); k <= min(h-1, y+r); k++ {
					s += tmp[k*w+x]
				}
				out[y*w+x] = s * f
			}
		}
	}
	return out
}

// sample reads the sprite at local millimetres.
func (s *sprite) sample(x, y float32) texel {
	fx, fy := (x-float32(s.x0))*float32(s.res)-0.5, (y-float32(s.y0))*float32(s.res)-0.5
	if fx < 0 || fy < 0 || fx >= float32(s.w-1) || fy >= float32(s.h-1) {
		return texel{}
	}
	ix, iy := int(fx), int(fy)
	fx, fy = fx-float32(ix), fy-float32(iy)
	a, b := &s.pix[iy*s.w+ix], &s.pix[iy*s.w+ix+1]
	c, d := &s.pix[(iy+1)*s.w+ix], &s.pix[(iy+1)*s.w+ix+1]
	ka, kb, kc, kd := (1-fx)*(1-fy)*a.opacity(), fx*(1-fy)*b.opacity(), (1-fx)*fy*c.opacity(), fx*fy*d.opacity()
	sum := ka + kb + kc + kd
	if sum <= 0 {
		return texel{}
	}
	k := 1 / (sum * packedUnit)
	ka, kb, kc, kd = ka*k, kb*k, kc*k, kd*k
	mean := func(va, vb, vc, vd uint16) float32 {
		return float32(va)*ka + float32(vb)*kb + float32(vc)*kc + float32(vd)*kd
	}
	const slope = float32(packedUnit) / packedSlope
	return texel{
		C:     lin{mean(a.r, b.r, c.r, d.r), mean(a.g, b.g, c.g, d.g), mean(a.b, b.b, c.b, d.b)},
		A:     sum,
		NX:    slope * (float32(a.nx)*ka + float32(b.nx)*kb + float32(c.nx)*kc + float32(d.nx)*kd),
		NY:    slope * (float32(a.ny)*ka + float32(b.ny)*kb + float32(c.ny)*kc + float32(d.ny)*kd),
		Gloss: mean(a.gloss, b.gloss, c.gloss, d.gloss),
	}
}

// shade reads the blurred silhouette at local millimetres, far 0 close below
// the thing to 1 far below.
func (s *sprite) shade(x, y, far float32) float32 {
	fx := (x-float32(s.x0)+shadowRim)/shadowStep - 0.5
	fy := (y-float32(s.y0)+shadowRim)/shadowStep - 0.5
	if fx < 0 || fy < 0 || fx >= float32(s.sw-1) || fy >= float32(s.sh-1) {
		return 0
	}
	ix, iy := int(fx), int(fy)
	fx, fy = fx-float32(ix), fy-float32(iy)
	i := iy*s.sw + ix
	read := func(a []float32) float32 {
		return (a[i]*(1-fx)+a[i+1]*fx)*(1-fy) + (a[i+s.sw]*(1-fx)+a[i+s.sw+1]*fx)*fy
	}
	n := read(s.soft)
	return n + (read(s.softer)-n)*far
}

// solid is how a sprite stands in the scene.
type solid struct {
	sprite *sprite
	at     plate // of its top side
	base   float64
	// slices is how many copies of the silhouette make its side walls.
	slices int
	wall   lin
	// rise says how high a local place is over the base, for shadows; nil is
	// the top's height everywhere.
	rise   func(y float32) float32
	shadow float32 // strength
	travel board.Point
}

func (r *Renderer) solidDrawable(key any, s solid, maxRise float64) drawable {
	sp := s.sprite
	x0, y0 := sp.x0, sp.y0
	x1, y1 := sp.x0+float64(sp.w)/sp.res, sp.y0+float64(sp.h)/sp.res
	move := s.travel.Norm()
	body := r.bounds(s.at, x0-move, y0-move, x1+move, y1+move)
	if s.slices > 0 {
		body = body.Union(r.bounds(plate{s.at.centre, s.at.angleDeg, s.base}, x0, y0, x1, y1))
	}
	reach := 14 + move
	ground := plate{s.at.centre, s.at.angleDeg, s.base}
	far := ground
	far.centre = far.centre.Add(r.light.slope.Scale(maxRise))
	shade := r.bounds(ground, x0-reach, y0-reach, x1+reach, y1+reach).Union(r.bounds(far, x0-reach, y0-reach, x1+reach, y1+reach))
	all := body.Union(shade)
	return drawable{
		key: key, bounds: all,
		draw: func(p *pass) { p.solid(s, body, all) },
		covers: func(px board.Point) bool {
			if !image.Pt(int(px.X+0.5), int(px.Y+0.5)).In(body) {
				return false
			}
			x, y := r.fromImage(s.at, px)
			return sp.sample(float32(x), float32(y)).A > 0.5
		},
	}
}

func (p *pass) solid(s solid, body, all image.Rectangle) {
	r := p.r
	sp := s.sprite
	sin, cos := math.Sincos(s.at.angleDeg * math.Pi / 180)
	turn := func(v board.Point) (float32, float32) {
		return float32(v.X*cos + v.Y*sin), float32(-v.X*sin + v.Y*cos)
	}
	sx, sy := turn(r.light.slope)
	top := float32(s.at.height - s.base)
	if s.shadow > 0 {
		p.each(all, r.local(plate{s.at.centre, s.at.angleDeg, s.base}), func(i int, x, y float32) {
			h := top
			if s.rise != nil {
				h = s.rise(y)
			}
			far := min(1, h/45)
			m := sp.shade(x-sx*h, y-sy*h, far) * s.shadow * (1 - 0.35*far)
			// The thing itself shuts out the sky right beside it.
			m = max(m, sp.shade(x-sx*h*0.2, y-sy*h*0.2, 0)*s.shadow*0.8*(1-far*0.6))
			if m <= 0.002 {
				return
			}
			v := &p.pix[i]
			v.R *= 1 - m
			v.G *= 1 - 0.985*m
			v.B *= 1 - 0.96*m
		})
	}
	for k := range s.slices {
		h := s.base + (s.at.height-s.base)*float64(k)/float64(s.slices)
		shade := 0.55 + 0.35*float32(k)/float32(s.slices)
		p.each(body, r.local(plate{s.at.centre, s.at.angleDeg, h}), func(i int, x, y float32) {
			if t := sp.sample(x, y); t.A > 0 {
				p.over(i, s.wall.scale(shade), t.A)
			}
		})
	}
	tx, ty := turn(r.light.toward)
	paint := func(buffer image.Rectangle, over blend) {
		r.each(body, buffer, r.local(s.at), func(i int, x, y float32) {
			t := sp.sample(x, y)
			if t.A <= 0 {
				return
			}
			lean := t.NX*tx + t.NY*ty
			n2 := t.NX*t.NX + t.NY*t.NY
			f := (1 + 0.55*lean) / float32(math.Sqrt(float64(1+0.55*n2)))
			c := t.C.scale(max(0.12, f))
			if t.Gloss > 0 {
				// The mirror of a lamp halfway up the sky.
				dx, dy := t.NX-0.5*tx, t.NY-0.5*ty
				g := 1 - (dx*dx+dy*dy)*7
				if g > 0 {
					g = g * g * t.Gloss
					c = lin{c.R + g, c.G + g, c.B + g}
				}
			}
			over(i, c, t.A)
		})
	}
	if s.travel == (board.Point{}) {
		paint(p.rect, p.over)
		return
	}
	dx, dy := r.shift(s.at, s.travel)
	p.smear(body, dx, dy, paint)
}

// spriteRes is the resolution that sprites are made at, in texels per
// millimetre: the same everywhere in the picture, so that a thing that moves
// about needs one sprite only.
func (r *Renderer) spriteRes() float64 { return 1.5 * r.pxPerMM }

// spriteFor returns the sprite kept under a key, making it when first needed.
func (r *Renderer) spriteFor(key any, make func() *sprite) *sprite {
	if s := r.sprites[key]; s != nil {
		return s
	}
	s := make()
	r.sprites[key] = s
	return s
}
