package tablesim

import (
	"fmt"
	"image"
	"math"

	"tabletop/board"
	"tabletop/internal/tablesim/valuenoise"
)

const (
	cardCorner  = 3.0  // radius of a card's corners, mm
	cardThick   = 0.32 // mm
	sleeveExtra = 0.25 // what a sleeve adds to that, mm
	spinSamples = 7
)

// sizeOf is the card's size as it lies with its printed top up.
func (r *Renderer) sizeOf(it Item) board.Size {
	size := board.StandardCard()
	if c, ok := r.deck.Card(it.Card); ok && c.Landscape && it.Face != board.FaceDown {
		size.Width, size.Height = size.Height, size.Width
	}
	return size
}

// outer is the size with the sleeve.
func (r *Renderer) outer(it Item) board.Size {
	s := r.sizeOf(it)
	return board.Size{Width: s.Width + 2*it.Sleeve.Border, Height: s.Height + 2*it.Sleeve.Border}
}

func (it Item) thickness() float64 {
	t := cardThick
	if it.Sleeve.Border > 0 {
		t += sleeveExtra
	}
	return t * float64(1+it.Pile)
}

// heights gives each item's height above the table: what lies on something is
// as high as that something's top.
func (r *Renderer) heights(items []Item) []float64 {
	h := make([]float64, len(items))
	quads := make([]board.Quad, len(items))
	for i, it := range items {
		quads[i] = board.RectQuad(it.Centre, r.outer(it), it.AngleDeg)
		if it.Lift > 0 {
			h[i] = it.Lift
			continue
		}
		base := 0.0
		for j := range i {
			if items[j].Lift > 0 || h[j] <= base || it.Centre.Distance(items[j].Centre) > 115 {
				continue
			}
			if len(board.Polygon(quads[i][:]).Clip(quads[j][:])) > 2 {
				base = h[j]
			}
		}
		h[i] = base + it.thickness()
	}
	return h
}

// texture is a card's picture resampled for the size it has in the camera's
// picture, in linear light.
type texture struct {
	w, h int
	pix  []lin
}

type textureKey struct {
	card board.CardID
	back board.BackID
	step int
}

// texelsPerPx is how much finer a texture is than the picture it is drawn in.
const texelsPerPx = 1.6

// texture gives the picture of a card's face, or of its back, for a scale in
// pixels per millimetre. Scales are rounded up to steps of a quarter.
func (r *Renderer) texture(card board.Card, down bool, scale float64) *texture {
	key := textureKey{card: card.ID, step: int(math.Ceil(scale * 4))}
	src := r.deck.Face(card.ID)
	if down {
		key.card, key.back = "", card.Back
	}
	if t := r.textures[key]; t != nil {
		return t
	}
	if down {
		src = r.deck.Back(card.Back)
	}
	mm := board.StandardCard()
	wide := src.Bounds().Dx() > src.Bounds().Dy()
	if wide {
		mm.Width, mm.Height = mm.Height, mm.Width
	}
	step := float64(key.step) / 4 * texelsPerPx
	t := resample(src, int(math.Ceil(mm.Width*step)), int(math.Ceil(mm.Height*step)))
	r.textures[key] = t
	return t
}

// resample shrinks a picture by the mean over each new pixel's area, in linear
// light. A picture that would have to grow keeps its size.
func resample(src *image.RGBA, w, h int) *texture {
	sw, sh := src.Bounds().Dx(), src.Bounds().Dy()
	w, h = max(1, min(w, sw)), max(1, min(h, sh))
	dec := decodeTable()
	rows := make([]lin, w*sh)
	for y := range sh {
		for x := range w {
			rows[y*w+x] = boxMean(float64(x)*float64(sw)/float64(w), float64(x+1)*float64(sw)/float64(w), sw, func(i int) lin {
				o := src.Pix[y*src.Stride+4*i:]
				return lin{dec[o[0]], dec[o[1]], dec[o[2]]}
			})
		}
	}
	t := &texture{w: w, h: h, pix: make([]lin, w*h)}
	for y := range h {
		for x := range w {
			t.pix[y*w+x] = boxMean(float64(y)*float64(sh)/float64(h), float64(y+1)*float64(sh)/float64(h), sh, func(i int) lin {
				return rows[i*w+x]
			})
		}
	}
	return t
}

func boxMean(from, to float64, n int, at func(i int) lin) lin {
	var s lin
	var sum float32
	for i := int(from); i < n && float64(i) < to; i++ {
		f := float32(min(to, float64(i+1)) - max(from, float64(i)))
		v := at(i)
		s.R += v.R * f
		s.G += v.G * f
		s.B += v.B * f
		sum += f
	}
	return s.scale(1 / sum)
}

// sample reads the texture at (u,v) in [0,1].
func (t *texture) sample(u, v float32) lin {
	x, y := u*float32(t.w)-0.5, v*float32(t.h)-0.5
	x, y = max(0, min(x, float32(t.w)-1.001)), max(0, min(y, float32(t.h)-1.001))
	ix, iy := int(x), int(y)
	fx, fy := x-float32(ix), y-float32(iy)
	i := iy*t.w + ix
	dx, dy := 1, t.w
	if ix+1 >= t.w {
		dx = 0
	}
	if iy+1 >= t.h {
		dy = 0
	}
	a, b, c, d := t.pix[i], t.pix[i+dx], t.pix[i+dy], t.pix[i+dx+dy]
	ka, kb, kc, kd := (1-fx)*(1-fy), fx*(1-fy), (1-fx)*fy, fx*fy
	return lin{
		a.R*ka + b.R*kb + c.R*kc + d.R*kd,
		a.G*ka + b.G*kb + c.G*kc + d.G*kd,
		a.B*ka + b.B*kb + c.B*kc + d.B*kd,
	}
}

// hashOf is a number that belongs to a copy, for its small imperfections.
func hashOf(id board.CopyID, salt uint32) uint32 {
	h := uint32(2166136261) ^ salt
	for i := range len(id) {
		h = (h ^ uint32(id[i])) * 16777619
	}
	h ^= h >> 15
	return h * 0x2c1b3c6d
}

type itemKey struct {
	item   Item
	height float64
}

func (r *Renderer) cardDrawable(it Item, height float64) (drawable, error) {
	card, ok := r.deck.Card(it.Card)
	if !ok {
		return drawable{}, fmt.Errorf("tablesim: copy %q is of card %q, which the deck doesn't hold", it.ID, it.Card)
	}
	if it.Face == board.FaceDown && r.deck.Back(card.Back) == nil {
		return drawable{}, fmt.Errorf("tablesim: copy %q has the back %q, which the deck doesn't hold", it.ID, card.Back)
	}
	out := r.outer(it)
	hw, hh := out.Width/2, out.Height/2
	top := plate{it.Centre, it.AngleDeg, height}
	reach := 4 + 1.3*height*(1+r.light.slope.Norm()) + it.Travel.Norm()
	b := r.bounds(top, -hw-reach, -hh-reach, hw+reach, hh+reach)
	b = b.Union(r.bounds(plate{it.Centre, it.AngleDeg, 0}, -hw-reach, -hh-reach, hw+reach, hh+reach))
	corner := cardCorner + it.Sleeve.Border*0.4
	return drawable{
		key: itemKey{it, height}, bounds: b,
		draw: func(p *pass) { p.card(it, card, top, b) },
		covers: func(px board.Point) bool {
			x, y := r.fromImage(top, px)
			return roundedDistance(x, y, hw, hh, corner) < 0
		},
	}, nil
}

// card draws a card with its shadow, the edge of its pile and its gloss.
func (p *pass) card(it Item, card board.Card, top plate, b image.Rectangle) {
	r := p.r
	out := r.outer(it)
	hw, hh := float32(out.Width/2), float32(out.Height/2)
	corner := float32(cardCorner + it.Sleeve.Border*0.4)
	under := top.height - it.thickness() // what it lies on, or over
	if it.Lift > 0 {
		// In the air: a wide soft shadow on the table.
		at := plate{it.Centre.Add(r.light.slope.Scale(it.Lift)), it.AngleDeg, 0}
		soft := float32(2 + 0.32*it.Lift)
		p.shadow(b, r.local(at), hw, hh, corner+soft*0.5, soft, float32(0.62/(1+it.Lift/90)))
	} else {
		n := 1 + min(4, it.Pile/6)
		thick := it.thickness()
		for k := range n {
			h := thick * float64(k+1) / float64(n)
			at := plate{it.Centre.Add(r.light.slope.Scale(h + 0.25)), it.AngleDeg, under}
			soft := float32(1.1 + 0.55*h)
			p.shadow(b, r.local(at), hw, hh, corner+0.4*soft, soft, 0.55/float32(1+0.45*float32(n-1)))
		}
	}
	if it.Pile > 0 {
		p.pile(it, top, b, under)
	}
	if it.Travel == (board.Point{}) && it.Spin == 0 {
		p.cardTop(it, card, top, b, p.rect, p.over)
		return
	}
	dx, dy := r.shift(top, it.Travel)
	p.smear(b, dx, dy, func(layer image.Rectangle, over blend) {
		if it.Spin == 0 {
			p.cardTop(it, card, top, b, layer, over)
			return
		}
		// A turning card has no one direction: lay copies over each other, each
		// as opaque as makes their mean.
		for k := range spinSamples {
			t := (float64(k)+0.5)/spinSamples - 0.5
			at := plate{top.centre, top.angleDeg + it.Spin*t, top.height}
			p.cardTop(it, card, at, b, layer, func(i int, c lin, alpha float32) {
				over(i, c, alpha/float32(k+1))
			})
		}
	})
}

// pile draws the edges of the cards under a deck's top card.
func (p *pass) pile(it Item, top plate, b image.Rectangle, under float64) {
	r := p.r
	out := r.outer(it)
	corner := float32(cardCorner)
	n := min(it.Pile, 24)
	scale := float32(r.scaleAt(top))
	for k := range n {
		h := hashOf(it.ID, uint32(k)+900)
		jx, jy := (float64(h%1000)/1000-0.5)*0.7, (float64(h/1000%1000)/1000-0.5)*0.7
		at := plate{top.toTable(jx, jy), top.angleDeg + (float64(h/7%1000)/1000-0.5)*0.5, under + it.thickness()*float64(k+1)/float64(n+1)}
		shade := 0.42 + 0.3*float32(h%97)/97
		col := lin{0.80, 0.77, 0.70}.scale(shade)
		if it.Sleeve.Border > 0 {
			col = sleeveColour(it.Sleeve).scale(0.6 + 0.5*shade)
		}
		hw, hh := float32(out.Width/2), float32(out.Height/2)
		p.each(b, r.local(at), func(i int, x, y float32) {
			d := rounded32(x, y, hw, hh, corner)
			if d*scale > 0.5 || d < -4 {
				return
			}
			p.over(i, col, min(1, 0.5-d*scale))
		})
	}
}

func sleeveColour(s Sleeve) lin {
	if s.Colour.A == 0 {
		return lin{0.42, 0.43, 0.45}
	}
	return fromSRGB(float64(s.Colour.R)/255, float64(s.Colour.G)/255, float64(s.Colour.B)/255)
}

// cardTop draws the side of a card that lies up.
func (p *pass) cardTop(it Item, card board.Card, at plate, b, buffer image.Rectangle, over blend) {
	r := p.r
	size, out := r.sizeOf(it), r.outer(it)
	cw, ch := float32(size.Width/2), float32(size.Height/2)
	hw, hh := float32(out.Width/2), float32(out.Height/2)
	corner := float32(cardCorner + it.Sleeve.Border*0.4)
	scaleF := r.scaleAt(at)
	scale := float32(scaleF)
	down := it.Face == board.FaceDown
	sleeved := it.Sleeve.Border > 0
	hidden := down && sleeved && it.Sleeve.Opaque
	foil := it.Foil && !down
	var tex *texture
	if !hidden {
		tex = r.texture(card, down, scaleF)
	}
	border := sleeveColour(it.Sleeve)
	clearBorder := sleeved && it.Sleeve.Colour.A == 0

	// No card is quite flat: it takes the light a little unevenly, and its
	// gloss mirrors lamps from somewhat elsewhere.
	h := hashOf(it.ID, 1)
	bendX := (float32(h%1000)/1000 - 0.5) * 0.10 / cw
	bendY := (float32(h/1000%1000)/1000 - 0.5) * 0.14 / ch
	gloss := 0.10
	if sleeved {
		gloss = 0.15 + 0.85*it.Sleeve.Gloss
	}
	warpX, warpY := (float64(h/7%1000)/1000-0.5)*90, (float64(h/13%1000)/1000-0.5)*90
	shine := p.glossNear(at.centre.Add(board.Point{X: warpX, Y: warpY}), gloss)
	sin, cos := math.Sincos(at.angleDeg * math.Pi / 180)
	lx := float32(r.light.toward.X*cos + r.light.toward.Y*sin)
	ly := float32(-r.light.toward.X*sin + r.light.toward.Y*cos)

	r.each(b, buffer, r.local(at), func(i int, x, y float32) {
		d := rounded32(x, y, hw, hh, corner)
		cover := 0.5 - d*scale
		if cover <= 0 {
			return
		}
		cover = min(1, cover)
		var c lin
		switch {
		case hidden:
			c = border.scale(1 + 0.05*float32(valuenoise.Smooth(h, float64(x)*1.3, float64(y)*1.3)))
		case sleeved:
			cd := rounded32(x, y, cw, ch, cardCorner)
			in := max(0, min(1, 0.5-cd*scale))
			if in > 0 {
				c = tex.sample(x/(2*cw)+0.5, y/(2*ch)+0.5).scale(0.93)
				c = lin{c.R + 0.012, c.G + 0.012, c.B + 0.012}
			}
			if in < 1 {
				edge := border
				if clearBorder {
					// Clear plastic shows the table, hazily.
					edge, cover = border.scale(0.8), cover*(0.35+0.65*in)
				}
				// The weld along the rim and the gap beside the card.
				edge = edge.scale(1 - 0.25*max(0, 1-max(-cd, cd)*2.5))
				c = edge.mix(c, in)
			}
		default:
			c = tex.sample(x/(2*cw)+0.5, y/(2*ch)+0.5)
		}
		if foil {
			c = shimmer(c, h, x, y, sin, cos)
		}
		c = c.scale(1 + bendX*x + bendY*y)
		// The rim: cut paper or welded plastic, lit on the lamp's side.
		if d > -0.4 {
			nx, ny := float32(0), float32(0)
			if abs32(x)-hw > abs32(y)-hh {
				nx = sign32(x)
			} else {
				ny = sign32(y)
			}
			f := (0.4 + d) * 2.5
			facing := nx*lx + ny*ly
			if facing > 0 {
				c = c.mix(lin{0.75, 0.74, 0.7}, min(1, f)*0.30*facing)
			} else {
				c = c.scale(1 + min(1, f)*0.12*facing)
			}
		}
		if shine {
			// A sleeve is wavy: bend the mirror image.
			px := float64(x)*cos - float64(y)*sin + at.centre.X + warpX
			py := float64(x)*sin + float64(y)*cos + at.centre.Y + warpY
			nx := valuenoise.Smooth(h+1, float64(x)/26, float64(y)/34)
			ny := valuenoise.Smooth(h+2, float64(x)/31, float64(y)/22)
			if s := r.light.mirrored(board.Point{X: px + 42*nx, Y: py + 42*ny}); s > 0.003 {
				g := float32(s * gloss)
				c = lin{c.R + g, c.G + g, c.B + g*0.97}
			}
		}
		over(i, c, cover)
	})
}

// shimmer bends a colour as foil does: bands of the rainbow that depend on how
// the card lies to the light, stronger where it is bright.
func shimmer(c lin, seed uint32, x, y float32, sin, cos float64) lin {
	u := float64(x)*cos - float64(y)*sin
	v := float64(x)*sin + float64(y)*cos
	phase := u/17 + v/29 + 1.1*valuenoise.Smooth(seed+5, float64(x)/21, float64(y)/21) + 2*cos
	band := 0.5 + 0.5*math.Sin(phase*2.1+2)
	k := float32(0.36 * band)
	s0, s1, s2 := math.Sin(phase*4), math.Sin(phase*4+2.1), math.Sin(phase*4+4.2)
	lum := 0.10 + 0.5*(c.R+c.G+c.B)/3
	return lin{c.R + k*lum*float32(s0), c.G + k*lum*float32(s1), c.B + k*lum*float32(s2)}.atLeast(0.003)
}

// glossNear says whether a lamp's mirror image may touch a card around a place.
func (p *pass) glossNear(at board.Point, gloss float64) bool {
	for _, lp := range p.r.light.lamps {
		reach := lampReach*max(lp.rx, lp.ry) + 55 + 42
		if gloss*lp.strength > 0.004 && at.Distance(lp.at) < reach {
			return true
		}
	}
	return false
}

func abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}

func sign32(v float32) float32 {
	if v < 0 {
		return -1
	}
	return 1
}
