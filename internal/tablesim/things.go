package tablesim

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"tabletop/board"
	"tabletop/internal/tablesim/valuenoise"
)

// drawables turns a scene into what has to be drawn, in order: what rests on
// the table and, over it, what is in the air.
func (r *Renderer) drawables(s Scene) (resting, flying []drawable, err error) {
	heights := r.heights(s.Items)
	for i, it := range s.Items {
		d, err := r.cardDrawable(it, heights[i])
		if err != nil {
			return nil, nil, err
		}
		if it.Lift > 0 {
			flying = append(flying, d)
		} else {
			resting = append(resting, d)
		}
	}
	for _, t := range s.Tokens {
		resting = append(resting, r.tokenDrawable(t, r.floorAt(s.Items, heights, t.Centre)))
	}
	for _, d := range s.Dice {
		resting = append(resting, r.dieDrawable(d, r.floorAt(s.Items, heights, d.Centre)))
	}
	for _, o := range s.Objects {
		resting = append(resting, r.objectDrawable(o))
	}
	for _, h := range s.Hands {
		flying = append(flying, r.handDrawable(h))
	}
	return resting, flying, nil
}

// floorAt is the height of whatever card lies at a place.
func (r *Renderer) floorAt(items []Item, heights []float64, p board.Point) float64 {
	h := 0.0
	for i, it := range items {
		if it.Lift <= 0 && heights[i] > h && board.RectQuad(it.Centre, r.outer(it), it.AngleDeg).Contains(p) {
			h = heights[i]
		}
	}
	return h
}

// glyphs are numbers and words as masks, for dice and tokens.
var boldFont = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic("tablesim: a typeface built into the program doesn't parse: " + err.Error())
	}
	return f
})

// label returns how dark a text is at a place, its middle at the origin and
// its letters about size millimetres high.
func label(text string, size float64) func(x, y float64) float64 {
	const px = 48.0
	f, err := opentype.NewFace(boldFont(), &opentype.FaceOptions{Size: px, DPI: 72})
	if err != nil {
		panic("tablesim: a typeface built into the program has no such size: " + err.Error())
	}
	w := font.MeasureString(f, text).Ceil() + 4
	m := image.NewAlpha(image.Rect(0, 0, w, int(px)+4))
	d := font.Drawer{Dst: m, Src: image.Opaque, Face: f, Dot: fixed.P(2, 41)}
	d.DrawString(text)
	k := px * 0.72 / size
	return func(x, y float64) float64 {
		return float64(m.AlphaAt(int(x*k+float64(w)/2), int(y*k+px*0.5)).A) / 255
	}
}

// fine evaluates a texel as the mean of 3×3 places around it.
func fine(res float64, f func(x, y float64) texel) func(x, y float64) texel {
	return func(x, y float64) texel {
		var s texel
		for i := range 9 {
			t := f(x+(float64(i%3)-1)/(3*res), y+(float64(i/3)-1)/(3*res))
			s.C.R += t.C.R * t.A
			s.C.G += t.C.G * t.A
			s.C.B += t.C.B * t.A
			s.NX += t.NX * t.A
			s.NY += t.NY * t.A
			s.Gloss += t.Gloss * t.A
			s.A += t.A
		}
		if s.A > 0 {
			k := 1 / s.A
			s.C = s.C.scale(k)
			s.NX, s.NY, s.Gloss = s.NX*k, s.NY*k, s.Gloss*k
		}
		s.A /= 9
		return s
	}
}

func colourOf(c color.RGBA, otherwise lin) lin {
	if c.A == 0 {
		return otherwise
	}
	return fromSRGB(float64(c.R)/255, float64(c.G)/255, float64(c.B)/255)
}

// inkOn is a colour that can be read on another.
func inkOn(c lin) lin {
	if 0.3*c.R+0.59*c.G+0.11*c.B > 0.3 {
		return lin{0.03, 0.03, 0.035}
	}
	return lin{0.92, 0.91, 0.88}
}

type thingKey struct {
	thing any
	floor float64
}

type lookKey struct {
	look any
	res  float64
}

func (r *Renderer) tokenDrawable(t Token, floor float64) drawable {
	radius := t.Radius
	if radius <= 0 {
		radius = 10
	}
	rise := 2.2
	if t.Glass {
		rise = 6
	}
	at := plate{centre: t.Centre, height: floor + rise}
	res := r.spriteRes()
	look := t
	look.Centre = board.Point{}
	col := colourOf(t.Colour, fromSRGB(0.75, 0.2, 0.15))
	sp := r.spriteFor(lookKey{look, res}, func() *sprite {
		text, ink := label(t.Label, radius*0.9), inkOn(col)
		return newSprite(-radius-1, -radius-1, radius+1, radius+1, res, fine(res, func(x, y float64) texel {
			d := math.Hypot(x, y) / radius
			if d > 1 {
				return texel{}
			}
			out := texel{C: col, A: 1, Gloss: 0.25}
			if t.Glass {
				// A drop of glass: bright where light leaves it, dark where it enters.
				k := 1.5 * d * d
				out.NX, out.NY = float32(x/radius*k), float32(y/radius*k)
				depth := 0.55 + 0.75*d*d*d
				swirl := valuenoise.Fractal(uint32(radius*100), x/4, y/4, 3)
				out.C = col.scale(float32(depth*(1+0.3*swirl))).mix(lin{1, 1, 1}, float32(0.25*smooth(0.75, 1, d)))
				out.Gloss = 1.1
				return out
			}
			switch {
			case d > 0.86:
				k := (d - 0.86) / 0.14
				out.NX, out.NY = float32(x/radius*k*1.2), float32(y/radius*k*1.2)
			case d > 0.8:
				out.C = col.scale(0.55)
			}
			if t.Label != "" && d < 0.8 {
				out.C = out.C.mix(ink, float32(text(x, y)))
			}
			return out
		}))
	})
	slices := 4
	if t.Glass {
		slices = 0
	}
	return r.solidDrawable(thingKey{t, floor}, solid{sprite: sp, at: at, base: floor, slices: slices, wall: col.scale(0.7), shadow: 0.5}, rise)
}

func (r *Renderer) dieDrawable(d Die, floor float64) drawable {
	size := d.SizeMM
	if size <= 0 {
		size = 16
	}
	sides := d.Sides
	if sides != 10 && sides != 20 {
		sides = 6
	}
	at := plate{centre: d.Centre, angleDeg: d.AngleDeg, height: floor + size*0.95}
	res := r.spriteRes()
	look := d
	look.Centre, look.AngleDeg = board.Point{}, 0
	col := colourOf(d.Colour, fromSRGB(0.85, 0.82, 0.75))
	ink := inkOn(col)
	sp := r.spriteFor(lookKey{look, res}, func() *sprite {
		e := size*0.75 + 1
		return newSprite(-e, -e, e, e, res, fine(res, dieFace(sides, d.Value, size, col, ink)))
	})
	slices := 9
	base := floor
	if sides != 6 {
		// Faceted dice narrow towards the table: only their upper half has walls.
		at.height = floor + size*0.7
		slices = 3
		base = floor + size*0.45
	}
	s := solid{sprite: sp, at: at, base: base, slices: slices, wall: col.scale(0.75), shadow: 0.6}
	if sides != 6 {
		h := float32(size * 0.6)
		s.base = floor
		s.slices = 0
		s.rise = func(float32) float32 { return h }
	}
	return r.solidDrawable(thingKey{d, floor}, s, size)
}

// dieFace paints a die from above.
func dieFace(sides, value int, size float64, col, ink lin) func(x, y float64) texel {
	if sides == 6 {
		return func(x, y float64) texel {
			h := size / 2
			d := roundedDistance(x, y, h, h, size*0.17)
			if d > 0 {
				return texel{}
			}
			t := texel{C: col, A: 1, Gloss: 0.35}
			if d > -size*0.12 {
				k := 1 + d/(size*0.12)
				t.NX, t.NY = float32(clampUnit(x/h)*k*k*1.3), float32(clampUnit(y/h)*k*k*1.3)
				if math.Abs(x) > math.Abs(y)+size*0.1 {
					t.NY = 0
				} else if math.Abs(y) > math.Abs(x)+size*0.1 {
					t.NX = 0
				}
			}
			for _, q := range pips(value) {
				if e := math.Hypot(x-q.X*size*0.27, y-q.Y*size*0.27) / (size * 0.095); e < 1 {
					t.C = ink
					t.Gloss = 0.1
				}
			}
			return t
		}
	}
	text := label(strconv.Itoa(value), size*0.34)
	outline := regular(6, size*0.68, 30)
	inner := regular(3, size*0.5, 0)
	if sides == 10 {
		outline = []board.Point{{X: 0, Y: -size * 0.7}, {X: size * 0.56, Y: -size * 0.22}, {X: size * 0.56, Y: size * 0.22}, {X: 0, Y: size * 0.7}, {X: -size * 0.56, Y: size * 0.22}, {X: -size * 0.56, Y: -size * 0.22}}
		inner = []board.Point{{X: 0, Y: -size * 0.62}, {X: size * 0.36, Y: size * 0.06}, {X: 0, Y: size * 0.34}, {X: -size * 0.36, Y: size * 0.06}}
	}
	return func(x, y float64) texel {
		p := board.Point{X: x, Y: y}
		if !outline.Contains(p) {
			return texel{}
		}
		t := texel{C: col, A: 1, Gloss: 0.4}
		swirl := valuenoise.Fractal(77, x/5, y/5, 3)
		t.C = col.scale(float32(1 + 0.25*swirl))
		if inner.Contains(p) {
			t.NX, t.NY = 0.05, -0.06
			t.C = t.C.mix(ink, float32(text(x, y)))
			return t
		}
		// The facets around lean outwards, each by its own way.
		a := math.Floor((math.Atan2(y, x)+math.Pi)/(math.Pi/3)) + 0.5
		s, c := math.Sincos(a*math.Pi/3 - math.Pi)
		t.NX, t.NY = float32(0.95*c), float32(0.95*s)
		return t
	}
}

func clampUnit(v float64) float64 { return max(-1, min(1, v)) }

func regular(n int, r, deg float64) board.Polygon {
	var out board.Polygon
	for i := range n {
		s, c := math.Sincos((deg-90)*math.Pi/180 + 2*math.Pi*float64(i)/float64(n))
		out = append(out, board.Point{X: r * c, Y: r * s})
	}
	return out
}

func pips(value int) []board.Point {
	at := [][2]float64{}
	if value%2 == 1 {
		at = append(at, [2]float64{0, 0})
	}
	if value >= 2 {
		at = append(at, [2]float64{-1, -1}, [2]float64{1, 1})
	}
	if value >= 4 {
		at = append(at, [2]float64{1, -1}, [2]float64{-1, 1})
	}
	if value >= 6 {
		at = append(at, [2]float64{-1, 0}, [2]float64{1, 0})
	}
	var out []board.Point
	for _, a := range at {
		out = append(out, board.Point{X: a[0], Y: a[1]})
	}
	return out
}

// shape is the size of an object and how to paint it.
type shape struct {
	w, h, tall float64
	round      bool
	wall       lin
	paint      func(x, y float64) texel
}

// objectSize is an object's footprint in millimetres.
func objectSize(k ObjectKind) board.Size {
	switch k {
	case ObjectPhone:
		return board.Size{Width: 72, Height: 148}
	case ObjectBankCard:
		return board.Size{Width: 54, Height: 85.6}
	case ObjectDeckBox:
		return board.Size{Width: 72, Height: 98}
	case ObjectPad:
		return board.Size{Width: 105, Height: 148}
	case ObjectPen:
		return board.Size{Width: 11, Height: 142}
	}
	return board.Size{Width: 86, Height: 86}
}

func newShape(o Object) shape {
	rng := rand.New(rand.NewPCG(o.Seed, 0x6f626a))
	seed := rng.Uint32()
	size := objectSize(o.Kind)
	hw, hh := size.Width/2, size.Height/2
	s := shape{w: size.Width, h: size.Height}
	box := func(corner float64, f func(x, y, d float64) texel) func(x, y float64) texel {
		return func(x, y float64) texel {
			d := roundedDistance(x, y, hw, hh, corner)
			if d > 0 {
				return texel{}
			}
			t := f(x, y, d)
			t.A = 1
			return t
		}
	}
	bevel := func(t *texel, x, y, d, width float64) {
		if d > -width {
			k := float32(1 + d/width)
			if math.Abs(x)-hw > math.Abs(y)-hh {
				t.NX = float32(math.Copysign(1, x)) * k
			} else {
				t.NY = float32(math.Copysign(1, y)) * k
			}
		}
	}
	base := fromHSV(rng.Float64()*360, 0.3+0.6*rng.Float64(), 0.2+0.6*rng.Float64())
	other := fromHSV(rng.Float64()*360, 0.3+0.6*rng.Float64(), 0.5+0.5*rng.Float64())
	switch o.Kind {
	case ObjectPhone:
		s.tall, s.wall = 8.5, lin{0.05, 0.05, 0.055}
		lit := rng.Float64() < 0.4
		frame := lin{0.25, 0.25, 0.26}.scale(float32(0.3 + rng.Float64()))
		s.paint = box(9, func(x, y, d float64) texel {
			t := texel{C: lin{0.008, 0.008, 0.01}, Gloss: 0.3}
			if d > -1.6 {
				t.C, t.Gloss = frame, 0.6
			} else if lit && d < -4 {
				v := valuenoise.Fractal(seed, x/40, y/50, 3)
				t.C = base.mix(other, float32(clamp01(0.5+v))).scale(1.1)
				if row := math.Mod(y+74, 26); row > 6 && row < 20 && math.Mod(x+36, 17) > 3 && y > -20 {
					t.C = fromHSV(float64(int(y+74)/26*67+int(x+36)/17*101), 0.6, 0.9)
				}
			} else {
				// Dark glass mirrors the ceiling.
				t.C = t.C.mix(lin{0.09, 0.1, 0.12}, float32(smooth(-10, 25, x+y*0.5)*0.8))
			}
			bevel(&t, x, y, d, 1.5)
			return t
		})
	case ObjectBankCard:
		s.tall, s.wall = 0.9, lin{0.7, 0.7, 0.7}
		s.paint = box(3.2, func(x, y, d float64) texel {
			v := clamp01(0.5 + (x*0.5+y)/70 + 0.3*valuenoise.Fractal(seed, x/30, y/30, 2))
			t := texel{C: base.mix(other, float32(v)), Gloss: 0.25}
			if w := math.Abs(math.Mod(math.Hypot(x-20, y-30), 7) - 3.5); w < 0.5 {
				t.C = t.C.scale(1.25)
			}
			// Printed across: chip, number, name. The card lies on its side.
			if roundedDistance(x+4, y+24, 5.5, 6.5, 1.5) < 0 {
				t.C = fromSRGB(0.85, 0.72, 0.4)
				if math.Mod(math.Abs(x+4), 3.6) < 0.5 || math.Abs(y+24) < 0.4 {
					t.C = t.C.scale(0.5)
				}
			}
			if math.Abs(x+12-2) < 2 && math.Mod(y+60, 17) < 13 && math.Mod(y+60, 3.3) < 2.2 && y > -34 && y < 34 {
				t.C = t.C.mix(lin{0.9, 0.9, 0.9}, 0.8)
			}
			if math.Abs(x+21) < 1.2 && y < 8 && y > -35 && math.Mod(y+60, 2.6) < 1.8 {
				t.C = t.C.mix(lin{0.9, 0.9, 0.9}, 0.7)
			}
			return t
		})
	case ObjectDeckBox:
		s.tall, s.wall = 28+30*rng.Float64(), base.scale(0.6)
		s.paint = box(2.5, func(x, y, d float64) texel {
			t := texel{C: base.scale(float32(1 + 0.05*valuenoise.Smooth(seed, x/1.2, y/1.2))), Gloss: 0.12}
			if e := math.Abs(roundedDistance(x, y-4, hw-13, hh-22, 6)); e < 1 {
				t.C = other
			}
			if math.Hypot(x, y-4) < 15 && math.Hypot(x-4, y-1) > 11 {
				t.C = other
			}
			if math.Abs(y+hh-22) < 0.6 {
				t.C = t.C.scale(0.35)
			}
			bevel(&t, x, y, d, 2)
			return t
		})
	case ObjectPad:
		s.tall, s.wall = 5, lin{0.8, 0.8, 0.78}
		s.paint = box(1.5, func(x, y, d float64) texel {
			t := texel{C: lin{0.86, 0.86, 0.83}}
			if math.Mod(y+200, 7) < 0.35 {
				t.C = lin{0.45, 0.55, 0.75}
			}
			line := math.Floor((y + 200) / 7)
			if h := valuenoise.White(seed, int32(line), 4); h > -0.2 && x < h*40 && x > -44 && y < 40 {
				wob := math.Mod(y+200, 7) - 4 - 1.6*valuenoise.Smooth(seed+2, x/1.4, line*3.1)
				if math.Abs(wob) < 0.45 && valuenoise.Smooth(seed+3, x/5, line) > -0.3 {
					t.C = lin{0.05, 0.06, 0.2}
				}
			}
			if y < -hh+9 {
				t.C = base
			}
			return t
		})
	case ObjectPen:
		s.tall, s.wall = 9, base.scale(0.5)
		s.paint = func(x, y float64) texel {
			w := hw
			if y < -hh+14 {
				w *= clamp01((y + hh) / 14)
			}
			if math.Abs(x) > w || math.Abs(y) > hh {
				return texel{}
			}
			t := texel{C: base, A: 1, NX: float32(x / hw * 1.3), Gloss: 0.7}
			if y > 20 && y < 24 || y < -hh+14 {
				t.C = lin{0.6, 0.6, 0.62}
			}
			return t
		}
	default: // a mug from above
		s.tall, s.wall = 60, base.scale(0.7)
		s.round = true
		s.paint = func(x, y float64) texel {
			q := math.Hypot(x, y)
			handle := roundedDistance(x-hw*0.95, y, 11, 6, 5)
			if q > hw*0.92 && handle > 0 {
				return texel{}
			}
			t := texel{C: base, A: 1, Gloss: 0.4}
			switch {
			case q < hw*0.8:
				t.C = fromSRGB(0.2, 0.11, 0.05).scale(float32(0.8 + 0.5*smooth(0, hw, x+y)))
				t.Gloss = 0.2
			case q < hw*0.92:
				k := (q/hw - 0.86) / 0.06
				t.NX, t.NY = float32(x/q*k), float32(y/q*k)
			}
			return t
		}
	}
	return s
}

func (r *Renderer) objectDrawable(o Object) drawable {
	sh := newShape(o)
	at := plate{centre: o.Centre, angleDeg: o.AngleDeg, height: sh.tall}
	res := r.spriteRes()
	look := o
	look.Centre, look.AngleDeg = board.Point{}, 0
	sp := r.spriteFor(lookKey{look, res}, func() *sprite {
		m := 2.0
		if sh.round {
			m = 14
		}
		return newSprite(-sh.w/2-m, -sh.h/2-m, sh.w/2+m, sh.h/2+m, res, fine(res, sh.paint))
	})
	return r.solidDrawable(thingKey{o, 0}, solid{sprite: sp, at: at, slices: int(min(24, 2+sh.tall)), wall: sh.wall, shadow: 0.55}, sh.tall)
}
