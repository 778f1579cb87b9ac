package deck

import (
	"image"
	"math"
	"math/rand/v2"

	"tabletop/internal/tablesim/valuenoise"
)

// motif names what a picture shows.
type motif string

const (
	mountains motif = "mountains"
	sea       motif = "sea"
	tower     motif = "tower"
	gate      motif = "gate"
	warrior   motif = "warrior"
	courtier  motif = "courtier"
	monk      motif = "monk"
	serpent   motif = "serpent"
	bird      motif = "bird"
	fish      motif = "fish"
	mask      motif = "mask"
	blossom   motif = "blossom"
	bamboo    motif = "bamboo"
	blade     motif = "blade"
	fan       motif = "fan"
	scroll    motif = "scroll"
	army      motif = "army"
	fire      motif = "fire"
	storm     motif = "storm"
	breaker   motif = "breaker"
	lantern   motif = "lantern"
	bridge    motif = "bridge"
	fields    motif = "fields"
	moth      motif = "moth"
	jar       motif = "jar"
	duel      motif = "duel"
)

// palette is the handful of colours a picture is painted in.
type palette struct {
	skyTop, skyLow rgb // background, top to bottom
	dark, mid      rgb // the subject
	light, accent  rgb
	accent2        rgb
}

func newPalette(rng *rand.Rand) palette {
	h := rng.Float64() * 360
	away := 110 + rng.Float64()*140
	night := rng.Float64() < 0.35
	sat := 0.25 + rng.Float64()*0.6
	p := palette{
		skyTop: hsv(h, sat, 0.35+rng.Float64()*0.55),
		skyLow: hsv(h+20+rng.Float64()*50, sat*0.6, 0.75+rng.Float64()*0.25),
		dark:   hsv(h+away*0.5, 0.4+rng.Float64()*0.4, 0.1+rng.Float64()*0.14),
		mid:    hsv(h+away, 0.35+rng.Float64()*0.5, 0.35+rng.Float64()*0.3),
		light:  hsv(h+away*0.8, 0.1+rng.Float64()*0.25, 0.85+rng.Float64()*0.15),
		accent: hsv(h+away, 0.75+rng.Float64()*0.25, 0.7+rng.Float64()*0.3),
	}
	p.accent2 = hsv(h+away+60+rng.Float64()*80, 0.6+rng.Float64()*0.3, 0.6+rng.Float64()*0.35)
	if night {
		p.skyTop, p.skyLow = p.skyTop.scale(0.35), p.skyLow.scale(0.55)
	}
	return p
}

// artist paints one picture.
type artist struct {
	*canvas
	rng  *rand.Rand
	pal  palette
	seed uint32
	u    float64 // a hundredth of the shorter side
}

// between draws a number from an interval.
func (a *artist) between(lo, hi float64) float64 { return lo + (hi-lo)*a.rng.Float64() }

// Painting is a picture in the deck's manner, for playmats and backs. The same
// seed and size give the same pixels.
func Painting(seed uint64, w, h int) *image.RGBA {
	rng := rand.New(rand.NewPCG(seed, 0x6d617473))
	wide := []motif{mountains, sea, serpent, army, storm, breaker, fields, bridge, blossom, fish, tower, moth}
	return paintMotif(wide[rng.IntN(len(wide))], seed, w, h).img
}

func paintMotif(m motif, seed uint64, w, h int) *canvas {
	rng := rand.New(rand.NewPCG(seed, seed^0x617274))
	a := &artist{canvas: newCanvas(w, h), rng: rng, pal: newPalette(rng), seed: uint32(seed ^ seed>>32)}
	a.u = min(a.W, a.H) / 100
	a.backdrop()
	painters[m](a)
	out := a.canvas.warped(a.seed+5, 9*a.u, 1.1*a.u).warped(a.seed+9, 2.5*a.u, 0.35*a.u)
	out.finish(a.seed, a.u)
	return out
}

// finish lays paint grain and a darker rim over the picture.
func (c *canvas) finish(seed uint32, u float64) {
	stroke := coarse(c.W, c.H, func(x, y float64) float64 { return valuenoise.Fractal(seed+40, x/(6*u), y/(3*u), 3) })
	c.tint(func(x, y float64, v rgb) rgb {
		n := stroke(x, y)
		g := valuenoise.Smooth(seed+41, x/1.7, y/1.7)
		dx, dy := x/c.W-0.5, y/c.H-0.5
		d := dx*dx + dy*dy
		f := 1.06 + 0.2*n + 0.05*g - 0.8*d*math.Sqrt(math.Sqrt(d))
		return v.scale(f)
	})
}

func (a *artist) backdrop() {
	p := a.pal
	kind := a.rng.IntN(4)
	sun := pt{a.W * a.between(0.15, 0.85), a.H * a.between(0.12, 0.45)}
	cloud := coarse(a.W, a.H, func(x, y float64) float64 { return valuenoise.Fractal(a.seed, x/(28*a.u), y/(12*a.u), 4) })
	a.each(func(x, y float64) rgb {
		v := p.skyTop.mix(p.skyLow, smooth(0, 0.75, y/a.H))
		n := cloud(x, y)
		switch kind {
		case 0:
			v = v.mix(p.light, clamp01(n*1.6))
		case 1:
			v = v.mix(p.mid, clamp01(0.3+n))
		case 2:
			ang := math.Atan2(y-sun.Y, x-sun.X)
			v = v.mix(p.light, 0.35*smooth(0.1, 0.6, math.Sin(ang*14+n*1.5)))
		case 3:
			v = v.mix(p.accent2, clamp01(n*1.1)).mix(p.skyTop, clamp01(-n))
		}
		return v
	})
	if a.rng.Float64() < 0.6 {
		r := a.between(7, 17) * a.u
		a.glow(sun, r*3.2, p.light, 0.5)
		a.fill(radial(sun, r, p.light, p.accent.mix(p.light, 0.4)), 0.9, circle(sun.X, sun.Y, r))
	}
}

// ridge is a broken line across the picture around a height.
func (a *artist) ridge(y, rough, freq float64, seed uint32) []pt {
	o := []pt{{-2, a.H + 2}}
	for x := -2.0; x <= a.W+2; x += 2 {
		o = append(o, pt{x, y - rough*(0.6+valuenoise.Fractal(seed, x/a.H*freq, 3.3, 5)*1.7)})
	}
	return append(o, pt{a.W + 2, a.H + 2})
}

func (a *artist) ground(y float64) {
	for i := range 3 {
		f := float64(i) / 2
		c := a.pal.skyLow.mix(a.pal.dark, 0.35+0.5*f)
		a.fill(vertical(y, a.H, c.mix(a.pal.mid, 0.3), c.scale(0.7)), 1, a.ridge(y+f*(a.H-y)*0.5, 6*a.u, 3, a.seed+uint32(i)*31+3))
	}
}

func (a *artist) hills(n int, from, to float64) {
	for i := range n {
		f := float64(i) / float64(n)
		base := a.H * (from + (to-from)*f)
		c := a.pal.skyLow.mix(a.pal.dark, 0.2+0.75*f).mix(a.pal.mid, 0.25)
		rough := a.between(9, 26) * a.u * (1 - 0.5*f)
		o := a.ridge(base, rough, a.between(1.6, 4), a.seed+uint32(i)*97)
		a.fill(vertical(base-rough*1.4, base+20*a.u, c.mix(a.pal.light, 0.25), c.scale(0.8)), 1, o)
		// Snow on the sunny side, mist at the foot.
		if f < 0.5 {
			snow := make([]pt, 0, len(o))
			for k, q := range o {
				if k > 0 && k < len(o)-1 {
					snow = append(snow, q)
				}
			}
			for k := len(snow) - 1; k >= 0; k-- {
				q := snow[k]
				snow = append(snow, pt{q.X + 1.5*a.u, q.Y + (3+3*valuenoise.Smooth(a.seed, q.X/(2*a.u), f*9))*a.u})
			}
			a.fill(solid(a.pal.light), 0.55, snow)
		}
	}
}

func (a *artist) tree(x, y, h float64) {
	lean := a.between(-0.15, 0.15) * h
	top := pt{x + lean, y - h}
	a.stroke(solid(a.pal.dark), 1, h*0.1, h*0.03, spline([]pt{{x, y}, {x + lean*0.2, y - h*0.5}, top}, 6))
	leaf := a.pal.mid.mix(a.pal.accent, a.rng.Float64()*0.6)
	for range 14 {
		cx, cy := top.X+a.between(-0.4, 0.4)*h, top.Y+a.between(-0.15, 0.45)*h
		r := a.between(0.08, 0.2) * h
		a.fill(vertical(cy-r, cy+r, leaf.mix(a.pal.light, 0.3), leaf.scale(0.55)), 0.85, ellipse(cx, cy, r*1.5, r*0.7, a.between(-15, 15)))
	}
}

// roofed is a storey with a curved roof; it returns the roof's top.
func (a *artist) roofed(cx, base, w, h float64, wall, roof rgb) float64 {
	a.fill(diagonal(pt{cx - w/2, 0}, pt{cx + w/2, 0}, wall.mix(a.pal.light, 0.25), wall.scale(0.6)), 1, rect(cx-w/2, base-h, cx+w/2, base))
	n := 3 + int(w/(9*a.u))
	for i := range n {
		x := cx - w/2 + w*(float64(i)+0.5)/float64(n)
		a.fill(solid(a.pal.dark), 0.9, rect(x-w*0.22/float64(n), base-h*0.75, x+w*0.22/float64(n), base-h*0.1))
		if a.rng.Float64() < 0.4 {
			a.fill(solid(a.pal.accent.mix(a.pal.light, 0.6)), 0.9, rect(x-w*0.15/float64(n), base-h*0.65, x+w*0.15/float64(n), base-h*0.2))
		}
	}
	y, over := base-h, w*0.26
	up := h * 0.75
	left := spline([]pt{{cx - w/2 - over, y - h*0.12}, {cx - w/2, y + h*0.05}, {cx - w*0.25, y - up*0.5}, {cx - w*0.1, y - up}}, 8)
	var o []pt
	o = append(o, left...)
	for i := len(left) - 1; i >= 0; i-- {
		o = append(o, pt{2*cx - left[i].X, left[i].Y})
	}
	a.fill(vertical(y-up, y+h*0.1, roof.mix(a.pal.light, 0.3), roof.scale(0.5)), 1, o)
	a.stroke(solid(a.pal.light), 0.5, 0.8*a.u, 0.8*a.u, left)
	return y - up
}

func (a *artist) petals(n int) {
	for range n {
		x, y := a.between(0, a.W), a.between(0, a.H)
		a.fill(solid(a.pal.light.mix(a.pal.accent, a.rng.Float64()*0.6)), 0.9, ellipse(x, y, a.between(0.7, 1.7)*a.u, a.between(0.4, 0.9)*a.u, a.between(0, 180)))
	}
}

func inside(o []pt, x, y float64) bool {
	in := false
	for i, j := 0, len(o)-1; i < len(o); j, i = i, i+1 {
		p, q := o[i], o[j]
		if (p.Y > y) != (q.Y > y) && x < (q.X-p.X)*(y-p.Y)/(q.Y-p.Y)+p.X {
			in = !in
		}
	}
	return in
}

// bust is head and shoulders; how it is dressed, the seed says.
func (a *artist) bust(armoured, hat bool) {
	p, u := a.pal, a.u
	cx := a.W * a.between(0.4, 0.6)
	s := a.between(0.85, 1.2) * min(a.H/a.W*1.05, 1.15)
	hy := a.H * a.between(0.3, 0.38)
	r := 13 * u * s
	skin := hsv(a.between(18, 34), a.between(0.25, 0.5), a.between(0.6, 0.95))
	cloth, trim := p.mid.mix(p.accent, a.rng.Float64()), p.accent2
	// Weapon or banner behind the shoulder.
	lean := a.between(-1, 1)
	a.stroke(solid(p.dark), 1, 1.8*u, 1.4*u, []pt{{cx - lean*40*u, a.H}, {cx + lean*52*u, 0}})
	if a.rng.Float64() < 0.6 {
		bx, by := cx+lean*44*u, a.H*0.06
		flag := spline([]pt{{bx, by}, {bx + 15*u, by + 3*u}, {bx + 27*u, by}, {bx + 26*u, by + 34*u}, {bx + 14*u, by + 38*u}, {bx, by + 35*u}}, 6)
		a.fill(vertical(by, by+38*u, p.accent, p.accent.scale(0.5)), 1, flag)
		a.fill(solid(p.light), 0.9, circle(bx+13*u, by+18*u, 7*u), reversed(circle(bx+13*u, by+18*u, a.between(2, 5.5)*u)))
	}
	// Body.
	body := spline([]pt{{cx - 12*u*s, hy + r}, {cx - 34*u*s, hy + 2*r}, {cx - 47*u*s, hy + 4.4*r}, {cx - 50*u*s, a.H + 5},
		{cx + 50*u*s, a.H + 5}, {cx + 47*u*s, hy + 4.4*r}, {cx + 34*u*s, hy + 2*r}, {cx + 12*u*s, hy + r}}, 8)
	a.fill(diagonal(pt{cx - 45*u*s, hy}, pt{cx + 45*u*s, a.H}, cloth.mix(p.light, 0.35), cloth.scale(0.35)), 1, body)
	if a.rng.Float64() < 0.5 { // a woven pattern
		step := a.between(5, 10) * u
		for y := hy + 1.5*r; y < a.H; y += step {
			for x := cx - 50*u*s; x < cx+50*u*s; x += step {
				if inside(body, x, y) {
					a.fill(solid(trim), 0.55, circle(x+step*0.3*valuenoise.Smooth(a.seed, x, y), y, step*0.25))
				}
			}
		}
	}
	for _, side := range []float64{-1, 1} { // collar
		a.stroke(vertical(hy+r, a.H, p.light, trim), 1, 5*u*s, 6*u*s, spline([]pt{{cx + side*12*u*s, hy + r*0.9}, {cx + side*5*u*s, hy + 2.2*r}, {cx - side*14*u*s, hy + 4.5*r}, {cx - side*22*u*s, a.H + 9}}, 8))
	}
	if armoured {
		for _, side := range []float64{-1, 1} {
			for k := range 5 {
				y := hy + 1.9*r + float64(k)*7.5*u*s
				x := cx + side*(36+float64(k)*2.5)*u*s
				a.fill(vertical(y, y+8*u, p.accent2.mix(p.light, 0.3), p.dark), 1, roundRect(x-14*u*s, y, x+14*u*s, y+7*u*s, 2*u))
				a.stroke(solid(p.light), 0.6, 0.8*u, 0.8*u, []pt{{x - 12*u*s, y + 6*u*s}, {x + 12*u*s, y + 6*u*s}})
			}
		}
		for k := range 4 {
			y := hy + 3.1*r + float64(k)*9*u*s
			a.fill(vertical(y, y+9*u, p.dark.mix(p.mid, 0.7), p.dark), 1, roundRect(cx-23*u*s, y, cx+23*u*s, y+8*u*s, 2*u))
			for j := -4; j <= 4; j++ {
				x := cx + float64(j)*5*u*s
				a.stroke(solid(p.accent), 0.9, 1.2*u, 1.2*u, []pt{{x, y}, {x + 1.6*u, y + 8*u*s}})
			}
		}
	}
	// Neck, face.
	a.fill(solid(skin.scale(0.65)), 1, rect(cx-5*u*s, hy+r*0.5, cx+5*u*s, hy+r*1.6))
	face := ellipse(cx, hy+r*0.15, r*0.82, r*1.12, 0)
	a.fill(diagonal(pt{cx - r, hy - r}, pt{cx + r, hy + r}, skin.mix(rgb{1, 1, 1}, 0.15), skin.scale(0.6)), 1, face)
	hair := p.dark.mix(rgb{}, 0.5)
	if a.rng.Float64() < 0.3 {
		hair = p.light
	}
	if !hat || a.rng.Float64() < 0.5 {
		a.fill(vertical(hy-r*1.4, hy, hair.mix(p.light, 0.2), hair), 1, spline([]pt{{cx - r*0.95, hy + r*0.5}, {cx - r*1.02, hy - r*0.5}, {cx - r*0.4, hy - r*1.25}, {cx + r*0.5, hy - r*1.2}, {cx + r*1.02, hy - r*0.4}, {cx + r*0.95, hy + r*0.5}, {cx + r*0.7, hy - r*0.3}, {cx + a.between(-0.3, 0.3)*r, hy - r*0.55}, {cx - r*0.7, hy - r*0.25}}, 8))
		if a.rng.Float64() < 0.6 {
			a.fill(solid(hair), 1, ellipse(cx, hy-r*1.35, r*0.3, r*0.42, 0))
		}
	}
	look := a.between(-0.12, 0.12) * r
	for _, side := range []float64{-1, 1} {
		x, y := cx+side*r*0.36+look, hy+r*0.05
		a.fill(solid(rgb{0.95, 0.93, 0.88}), 1, ellipse(x, y, r*0.19, r*0.08, side*8))
		a.fill(solid(rgb{0.05, 0.04, 0.05}), 1, circle(x+look*0.4, y, r*0.08))
		a.stroke(solid(hair), 1, r*0.07, r*0.12, []pt{{x - r*0.22, y - r*0.2 + side*r*0.06}, {x + r*0.22, y - r*0.2 - side*r*0.06}})
	}
	a.stroke(solid(skin.scale(0.5)), 0.8, r*0.05, r*0.1, spline([]pt{{cx + look, hy + r*0.05}, {cx + look + r*0.1, hy + r*0.42}, {cx + look - r*0.06, hy + r*0.46}}, 5))
	a.stroke(solid(rgb{0.5, 0.15, 0.13}), 0.9, r*0.07, r*0.09, spline([]pt{{cx + look - r*0.25, hy + r*0.74}, {cx + look, hy + r*0.7}, {cx + look + r*0.25, hy + r*0.75}}, 5))
	if a.rng.Float64() < 0.35 { // beard or war paint
		a.fill(solid(hair), 0.85, spline([]pt{{cx - r*0.35, hy + r*0.85}, {cx, hy + r*1.0}, {cx + r*0.35, hy + r*0.85}, {cx + r*0.1, hy + r*1.7}, {cx - r*0.1, hy + r*1.7}}, 6))
	}
	if hat {
		switch a.rng.IntN(3) {
		case 0: // a wide straw hat
			a.fill(vertical(hy-r*1.7, hy-r*0.2, hsv(45, 0.4, 0.9), hsv(35, 0.6, 0.4)), 1, []pt{{cx - r*2.1, hy - r*0.15}, {cx - r*0.1, hy - r*1.7}, {cx + r*0.1, hy - r*1.7}, {cx + r*2.1, hy - r*0.15}, {cx, hy - r*0.4}})
		case 1: // a helmet with a crest
			a.fill(radial(pt{cx - r*0.4, hy - r}, r*1.8, p.accent2.mix(p.light, 0.4), p.dark), 1, spline([]pt{{cx - r*1.5, hy + r*0.6}, {cx - r*1.1, hy - r*0.4}, {cx - r*0.7, hy - r*1.2}, {cx, hy - r*1.45}, {cx + r*0.7, hy - r*1.2}, {cx + r*1.1, hy - r*0.4}, {cx + r*1.5, hy + r*0.6}, {cx + r*0.9, hy - r*0.2}, {cx, hy - r*0.42}, {cx - r*0.9, hy - r*0.2}}, 8))
			for _, side := range []float64{-1, 1} {
				a.stroke(solid(hsv(46, 0.7, 0.95)), 1, r*0.3, r*0.06, spline([]pt{{cx + side*r*0.15, hy - r*0.7}, {cx + side*r*0.9, hy - r*1.2}, {cx + side*r*a.between(0.9, 1.5), hy - r*2.2}}, 8))
			}
			a.fill(solid(hsv(46, 0.7, 0.95)), 1, circle(cx, hy-r*0.75, r*0.24))
		case 2: // a court cap
			a.fill(vertical(hy-r*2, hy-r*0.6, hair.mix(p.light, 0.25), rgb{0.04, 0.04, 0.05}), 1, []pt{{cx - r*0.75, hy - r*0.6}, {cx - r*0.5, hy - r*1.5}, {cx + r*0.1, hy - r*2.0}, {cx + r*0.55, hy - r*1.5}, {cx + r*0.75, hy - r*0.6}})
		}
	}
}

// silhouette is a small standing fighter.
func (a *artist) silhouette(x, y, h, dir float64, c rgb) {
	a.fill(vertical(y-h, y, c.mix(a.pal.mid, 0.4), c), 1,
		ellipse(x, y-h*0.88, h*0.09, h*0.11, 0),
		[]pt{{x - h*0.14, y - h*0.78}, {x + h*0.14, y - h*0.78}, {x + h*0.2, y - h*0.3}, {x + h*0.26, y}, {x + h*0.06, y}, {x, y - h*0.25}, {x - h*0.1, y}, {x - h*0.3, y}, {x - h*0.2, y - h*0.35}})
	a.stroke(solid(c), 1, h*0.07, h*0.05, []pt{{x, y - h*0.7}, {x + dir*h*0.25, y - h*0.6}, {x + dir*h*0.33, y - h*0.75}})
	a.stroke(solid(a.pal.light), 1, h*0.025, h*0.01, []pt{{x + dir*h*0.28, y - h*0.6}, {x + dir*h*0.6, y - h*1.2}})
}

var painters = map[motif]func(*artist){
	mountains: func(a *artist) {
		a.hills(6, 0.4, 1)
		for range 4 {
			a.tree(a.between(0, a.W), a.H*a.between(0.85, 1.02), a.between(18, 40)*a.u)
		}
	},
	sea: func(a *artist) {
		y0 := a.H * a.between(0.4, 0.55)
		a.hills(2, 0.42, 0.5)
		for i := range 16 {
			y := y0 + (a.H-y0)*float64(i)/16
			var o []pt
			o = append(o, pt{0, a.H})
			for x := 0.0; x <= a.W+3; x += 3 {
				o = append(o, pt{x, y + math.Sin(x/(4*a.u)+float64(i)*1.7)*1.4*a.u + valuenoise.Smooth(a.seed, x/(9*a.u), float64(i))*2*a.u})
			}
			o = append(o, pt{a.W, a.H})
			c := a.pal.mid.mix(a.pal.skyTop, 0.5).mix(a.pal.dark, float64(i)/22)
			a.fill(vertical(y-2*a.u, y+7*a.u, c.mix(a.pal.light, 0.7), c), 0.95, o)
		}
		x, y, s := a.W*a.between(0.3, 0.7), a.H*0.72, a.between(0.8, 1.3)*a.u
		a.fill(vertical(y, y+12*s, a.pal.accent2, a.pal.dark), 1, spline([]pt{{x - 26*s, y - 4*s}, {x, y}, {x + 26*s, y - 7*s}, {x + 17*s, y + 9*s}, {x - 16*s, y + 9*s}}, 6))
		a.stroke(solid(a.pal.dark), 1, 1.5*s, 1*s, []pt{{x, y}, {x + 2*s, y - 46*s}})
		for k := range 5 {
			yy := y - 42*s + float64(k)*8*s
			a.fill(diagonal(pt{x - 16*s, 0}, pt{x + 22*s, 0}, a.pal.light, a.pal.accent), 1, spline([]pt{{x - 15*s, yy}, {x + 16*s, yy - 2*s}, {x + 20*s, yy + 6*s}, {x - 13*s, yy + 7.4*s}}, 4))
		}
	},
	tower: func(a *artist) {
		a.hills(2, 0.5, 0.7)
		a.ground(a.H * 0.8)
		cx, y := a.W*a.between(0.4, 0.6), a.H*0.86
		n := 3 + a.rng.IntN(3)
		w := a.between(50, 70) * a.u
		h := (a.H*0.72 - 8*a.u) / (float64(n) * 1.35)
		wall, roof := a.pal.light.mix(a.pal.accent2, a.rng.Float64()*0.7), a.pal.mid.mix(a.pal.accent, a.rng.Float64())
		a.fill(vertical(y, y+14*a.u, a.pal.mid, a.pal.dark), 1, []pt{{cx - w*0.6, y}, {cx + w*0.6, y}, {cx + w*0.8, y + 20*a.u}, {cx - w*0.8, y + 20*a.u}})
		for range n {
			y = a.roofed(cx, y, w, h, wall, roof) + h*0.12
			w *= 0.76
			h *= 0.95
		}
		a.stroke(solid(hsv(46, 0.7, 0.9)), 1, 1.5*a.u, 0.5*a.u, []pt{{cx, y}, {cx, y - 9*a.u}})
		for range 3 {
			a.tree(a.between(0, a.W), a.H*a.between(0.88, 1), a.between(18, 32)*a.u)
		}
	},
	gate: func(a *artist) {
		a.hills(3, 0.45, 0.7)
		a.ground(a.H * 0.68)
		cx := a.W / 2
		for k := range 4 {
			s := (0.35 + 0.28*float64(k)) * a.u * a.between(0.95, 1.05)
			y := a.H * (0.66 + 0.09*float64(k))
			c := a.pal.accent.scale(0.6 + 0.13*float64(k))
			for _, d := range []float64{-1, 1} {
				a.fill(diagonal(pt{cx + d*38*s - 4*s, 0}, pt{cx + d*38*s + 4*s, 0}, c.mix(a.pal.light, 0.3), c.scale(0.5)), 1, []pt{{cx + d*36*s - 3*s, y - 62*s}, {cx + d*36*s + 3*s, y - 62*s}, {cx + d*40*s + 4*s, y}, {cx + d*40*s - 4*s, y}})
			}
			a.fill(vertical(y-52*s, y-45*s, c, c.scale(0.6)), 1, rect(cx-46*s, y-52*s, cx+46*s, y-46*s))
			a.fill(vertical(y-70*s, y-60*s, c.scale(0.4), c), 1, spline([]pt{{cx - 60*s, y - 74*s}, {cx, y - 68*s}, {cx + 60*s, y - 74*s}, {cx + 56*s, y - 64*s}, {cx, y - 60*s}, {cx - 56*s, y - 64*s}}, 6))
		}
	},
	warrior:  func(a *artist) { a.bust(true, a.rng.Float64() < 0.7) },
	courtier: func(a *artist) { a.bust(false, a.rng.Float64() < 0.4) },
	monk: func(a *artist) {
		a.bust(false, a.rng.Float64() < 0.3)
		cx, y := a.W*0.5, a.H*0.78
		for i := range 22 {
			t := float64(i) / 21 * math.Pi
			x, yy := cx-math.Cos(t)*30*a.u, y-8*a.u+math.Sin(t)*16*a.u
			a.fill(radial(pt{x - a.u, yy - a.u}, 4*a.u, a.pal.light, a.pal.accent.scale(0.4)), 1, circle(x, yy, 2.9*a.u))
		}
	},
	serpent: func(a *artist) {
		if a.rng.Float64() < 0.5 {
			a.hills(2, 0.6, 0.85)
		}
		var line []pt
		n := 7 + a.rng.IntN(4)
		ph, amp := a.between(0, 6), a.between(0.2, 0.33)
		for i := range n {
			t := float64(i) / float64(n-1)
			line = append(line, pt{a.W * (0.05 + 0.85*t), a.H * (0.5 + amp*math.Sin(ph+t*a.between(6.5, 7.5)))})
		}
		body := spline(line, 24)
		m := len(body)
		c := a.pal.accent.mix(a.pal.mid, a.rng.Float64()*0.5)
		for i, q := range body {
			t := float64(i) / float64(m)
			r := (2 + 11*math.Sin(min(1, t*1.3)*math.Pi*0.62)) * a.u
			a.fill(radial(pt{q.X - r*0.4, q.Y - r*0.5}, r*1.5, c.mix(a.pal.light, 0.45), c.scale(0.3)), 1, circle(q.X, q.Y, r))
			if i%4 == 0 {
				prev := body[max(0, i-3)]
				ang := math.Atan2(q.Y-prev.Y, q.X-prev.X)
				nx, ny := math.Sin(ang), -math.Cos(ang)
				a.fill(solid(a.pal.accent2), 0.95, []pt{{q.X + nx*r*0.7 - ny*r*0.4, q.Y + ny*r*0.7 + nx*r*0.4}, {q.X + nx*r*1.5 - math.Cos(ang)*r*0.4, q.Y + ny*r*1.5 - math.Sin(ang)*r*0.4}, {q.X + nx*r*0.7 + ny*r*0.4, q.Y + ny*r*0.7 - nx*r*0.4}})
				a.stroke(solid(a.pal.light), 0.35, r*0.2, r*0.1, []pt{{q.X - nx*r*0.1, q.Y - ny*r*0.1}, {q.X - nx*r*0.8, q.Y - ny*r*0.8}})
			}
		}
		h := body[m-1]
		u := a.u
		a.fill(radial(pt{h.X - 5*u, h.Y - 6*u}, 24*u, c.mix(a.pal.light, 0.5), c.scale(0.35)), 1, spline([]pt{{h.X - 12*u, h.Y - 10*u}, {h.X + 4*u, h.Y - 13*u}, {h.X + 19*u, h.Y - 4*u}, {h.X + 20*u, h.Y + 2*u}, {h.X + 4*u, h.Y + 4*u}, {h.X + 16*u, h.Y + 9*u}, {h.X + 2*u, h.Y + 13*u}, {h.X - 11*u, h.Y + 10*u}}, 6))
		a.fill(solid(a.pal.light), 1, circle(h.X+3*u, h.Y-5*u, 3*u))
		a.fill(solid(rgb{0.02, 0.02, 0.02}), 1, ellipse(h.X+3.6*u, h.Y-5*u, 1*u, 2.4*u, 0))
		for _, d := range []float64{-1, 1} {
			a.stroke(solid(a.pal.light), 1, 3*u, 0.6*u, spline([]pt{{h.X - 4*u, h.Y - 9*u}, {h.X - 14*u, h.Y - 17*u - d*2*u}, {h.X - 24*u, h.Y - 16*u - d*7*u}}, 8))
			a.stroke(solid(a.pal.accent2), 1, 1.4*u, 0.4*u, spline([]pt{{h.X + 18*u, h.Y}, {h.X + 28*u, h.Y + d*10*u}, {h.X + 19*u, h.Y + d*22*u}}, 8))
		}
	},
	bird: func(a *artist) {
		if a.rng.Float64() < 0.6 {
			a.hills(3, 0.6, 0.95)
		}
		for k := range 1 + a.rng.IntN(3) {
			s := a.u * a.between(0.8, 1.15) / (1 + 0.35*float64(k))
			cx, cy := a.W*a.between(0.4, 0.6), a.H*a.between(0.4, 0.6)
			if k > 0 {
				cx, cy = a.W*a.between(0.1, 0.9), a.H*a.between(0.1, 0.9)
			}
			up := a.between(15, 38)
			c := a.pal.light
			for _, d := range []float64{-1, 1} {
				for f := range 11 {
					t := float64(f) / 10
					tip := pt{cx + d*(60-t*34)*s, cy - up*s*(1-t*1.4) + t*9*s}
					a.stroke(vertical(cy-up*s, cy+15*s, c, c.mix(a.pal.dark, 0.25+0.5*(1-t))), 1, 7*s, 3*s, spline([]pt{{cx + d*4*s, cy}, {cx + d*25*s, cy - up*s*0.75 + t*12*s}, tip}, 8))
				}
			}
			a.fill(vertical(cy-9*s, cy+9*s, c, c.mix(a.pal.mid, 0.6)), 1, ellipse(cx, cy+3*s, 19*s, 8*s, 20))
			a.stroke(solid(c), 1, 7*s, 3.4*s, spline([]pt{{cx - 14*s, cy}, {cx - 27*s, cy - 4*s}, {cx - 35*s, cy - 17*s}, {cx - 44*s, cy - 15*s}}, 8))
			a.fill(solid(a.pal.accent), 1, circle(cx-43*s, cy-17*s, 3.3*s))
			a.stroke(solid(hsv(40, 0.8, 0.7)), 1, 2.8*s, 0.4*s, []pt{{cx - 45*s, cy - 15*s}, {cx - 58*s, cy - 11*s}})
			a.stroke(solid(a.pal.dark), 1, 1.8*s, 1*s, []pt{{cx + 12*s, cy + 7*s}, {cx + 40*s, cy + 21*s}})
		}
	},
	fish: func(a *artist) {
		a.each(func(x, y float64) rgb {
			n := valuenoise.Fractal(a.seed, x/(22*a.u), y/(22*a.u), 4)
			w := math.Abs(math.Sin(x/(13*a.u)+n*5) * math.Sin(y/(11*a.u)+n*4))
			return a.pal.skyTop.mix(a.pal.dark, 0.35).mix(a.pal.light, 0.35*math.Pow(1-w, 4))
		})
		for range 2 + a.rng.IntN(3) {
			cx, cy, ang := a.W*a.between(0.2, 0.8), a.H*a.between(0.2, 0.8), a.between(0, 2*math.Pi)
			s := a.u * a.between(0.6, 1.1)
			bend := a.between(-0.5, 0.5)
			var line []pt
			for i := range 7 {
				t := float64(i)/6 - 0.5
				x, y := t*86*s, bend*50*s*(t*t-0.1)
				line = append(line, pt{cx + x*math.Cos(ang) - y*math.Sin(ang), cy + x*math.Sin(ang) + y*math.Cos(ang)})
			}
			body := spline(line, 12)
			c := hsv(a.between(0, 40), a.between(0, 0.9), a.between(0.75, 1))
			n := len(body)
			tail := body[0]
			tx, ty := body[0].X-body[6].X, body[0].Y-body[6].Y
			l := math.Hypot(tx, ty)
			tx, ty = tx/l, ty/l
			a.fill(solid(c.mix(a.pal.light, 0.4)), 0.85, spline([]pt{{tail.X, tail.Y}, {tail.X + (tx*22-ty*14)*s, tail.Y + (ty*22+tx*14)*s}, {tail.X + tx*12*s, tail.Y + ty*12*s}, {tail.X + (tx*22+ty*14)*s, tail.Y + (ty*22-tx*14)*s}, {tail.X, tail.Y}}, 6))
			for i, q := range body {
				t := float64(i) / float64(n)
				r := 13 * math.Pow(math.Sin(math.Pi*math.Pow(t*0.92+0.04, 0.75)), 0.8) * s
				spot := c
				if valuenoise.Smooth(a.seed+uint32(i/9), t*7, cx) > 0 {
					spot = a.pal.light
				}
				a.fill(radial(pt{q.X, q.Y}, r*1.1, spot.mix(rgb{1, 1, 1}, 0.2), spot.scale(0.55)), 1, circle(q.X, q.Y, r))
			}
			hd := body[n-6]
			for _, d := range []float64{-1, 1} {
				a.fill(solid(rgb{0.03, 0.03, 0.04}), 1, circle(hd.X+ty*d*8*s, hd.Y-tx*d*8*s, 2*s))
				fin := body[n*2/3]
				a.fill(solid(c.mix(a.pal.light, 0.3)), 0.8, spline([]pt{{fin.X, fin.Y}, {fin.X + (ty*d*22+tx*8)*s, fin.Y + (-tx*d*22+ty*8)*s}, {fin.X + (ty*d*14+tx*20)*s, fin.Y + (-tx*d*14+ty*20)*s}, {fin.X, fin.Y}}, 5))
			}
		}
		for range a.rng.IntN(4) {
			x, y, r := a.between(0, a.W), a.between(0, a.H), a.between(8, 16)*a.u
			a.fill(radial(pt{x, y}, r, a.pal.mid.mix(a.pal.light, 0.3), a.pal.mid.scale(0.6)), 0.95, append(ellipse(x, y, r, r*0.9, 0), pt{x, y}))
		}
	},
	mask: func(a *artist) {
		cx, cy, u := a.W*0.5, a.H*0.52, a.u*a.between(0.9, 1.15)
		c := hsv(a.between(-15, 25)+float64(a.rng.IntN(2))*190, a.between(0.5, 0.9), a.between(0.55, 0.85))
		for _, d := range []float64{-1, 1} {
			a.stroke(vertical(cy-52*u, cy-20*u, a.pal.light, a.pal.dark), 1, 11*u, 1*u, spline([]pt{{cx + d*18*u, cy - 22*u}, {cx + d*30*u, cy - 37*u}, {cx + d*a.between(18, 30)*u, cy - 55*u}}, 10))
			a.stroke(solid(a.pal.accent2), 1, 1.5*u, 2*u, spline([]pt{{cx + d*29*u, cy}, {cx + d*45*u, cy + 12*u}, {cx + d*41*u, cy + 50*u}}, 8))
		}
		o := spline([]pt{{cx, cy - 34*u}, {cx + 25*u, cy - 28*u}, {cx + 32*u, cy}, {cx + 24*u, cy + 26*u}, {cx, cy + 38*u}, {cx - 24*u, cy + 26*u}, {cx - 32*u, cy}, {cx - 25*u, cy - 28*u}, {cx, cy - 34*u}}, 8)
		a.fill(radial(pt{cx - 10*u, cy - 14*u}, 56*u, c.mix(rgb{1, 1, 1}, 0.3), c.scale(0.25)), 1, o)
		for _, d := range []float64{-1, 1} {
			a.fill(solid(hsv(48, 0.6, 0.95)), 1, spline([]pt{{cx + d*6*u, cy - 3*u}, {cx + d*16*u, cy - 12*u}, {cx + d*24*u, cy - 9*u}, {cx + d*15*u, cy - 1*u}, {cx + d*6*u, cy - 3*u}}, 6))
			a.fill(solid(rgb{0.03, 0.02, 0.02}), 1, circle(cx+d*14*u, cy-6*u, 3*u))
			a.stroke(solid(rgb{0.06, 0.04, 0.04}), 1, 3*u, 6*u, spline([]pt{{cx + d*4*u, cy - 9*u}, {cx + d*15*u, cy - 19*u}, {cx + d*27*u, cy - 19*u}}, 6))
			a.stroke(solid(c.scale(0.4)), 0.8, 1.5*u, 2.5*u, spline([]pt{{cx + d*6*u, cy + 8*u}, {cx + d*18*u, cy + 12*u}, {cx + d*21*u, cy + 25*u}}, 6))
		}
		a.fill(vertical(cy-6*u, cy+10*u, c, c.mix(rgb{1, 1, 1}, 0.4)), 1, spline([]pt{{cx - 3*u, cy - 8*u}, {cx + 3*u, cy - 8*u}, {cx + 9*u, cy + 9*u}, {cx, cy + 13*u}, {cx - 9*u, cy + 9*u}}, 6))
		a.fill(solid(rgb{0.12, 0.02, 0.03}), 1, spline([]pt{{cx - 19*u, cy + 17*u}, {cx, cy + 19*u}, {cx + 19*u, cy + 17*u}, {cx + 13*u, cy + 29*u}, {cx, cy + 31*u}, {cx - 13*u, cy + 29*u}, {cx - 19*u, cy + 17*u}}, 6))
		for k := -3; k <= 3; k++ {
			x := cx + float64(k)*4.6*u
			l := 4.5
			if k == -2 || k == 2 {
				l = 12
			}
			a.fill(solid(rgb{0.96, 0.92, 0.8}), 1, []pt{{x - 2*u, cy + 18*u}, {x + 2*u, cy + 18*u}, {x, cy + (18+l)*u}})
		}
	},
	blossom: func(a *artist) {
		if a.rng.Float64() < 0.5 {
			a.hills(2, 0.65, 0.95)
		}
		for range 2 + a.rng.IntN(2) {
			y := a.H * a.between(0.1, 0.9)
			d := float64(a.rng.IntN(2))
			x := a.W * d
			dir := 1 - 2*d
			pts := []pt{{x - dir*5, y}}
			for k := range 5 {
				pts = append(pts, pt{x + dir*a.W*(0.17*float64(k+1)), y - a.between(-10, 14)*a.u*float64(k+1)*0.6})
			}
			branch := spline(pts, 10)
			a.stroke(vertical(0, a.H, a.pal.dark.mix(a.pal.mid, 0.4), a.pal.dark), 1, 7*a.u, 1*a.u, branch)
			for i, q := range branch {
				if i%3 != 0 {
					continue
				}
				fx, fy := q.X+a.between(-9, 9)*a.u, q.Y+a.between(-9, 9)*a.u
				a.stroke(solid(a.pal.dark), 1, 1.3*a.u, 0.7*a.u, []pt{q, {fx, fy}})
				r := a.between(2.2, 4.2) * a.u
				c := a.pal.accent.mix(a.pal.light, a.between(0.3, 0.9))
				rot := a.between(0, 2)
				for p := range 5 {
					s, k := math.Sincos(rot + float64(p)*2*math.Pi/5)
					a.fill(radial(pt{fx, fy}, 2*r, c.scale(0.8), c), 1, circle(fx+k*r, fy+s*r, r*0.85))
				}
				a.fill(solid(hsv(48, 0.7, 0.9)), 1, circle(fx, fy, r*0.45))
			}
		}
		a.petals(30)
	},
	bamboo: func(a *artist) {
		for k := range 11 {
			f := float64(k) / 10
			x := a.between(0, a.W)
			w := (2 + 5*f) * a.u
			c := hsv(a.between(70, 140), 0.5, 0.3+0.5*f).mix(a.pal.skyLow, 0.6*(1-f))
			lean := a.between(-8, 8) * a.u
			for y := a.H; y > -20*a.u; {
				l := a.between(14, 24) * a.u
				x0, x1 := x+lean*(1-y/a.H), x+lean*(1-(y-l)/a.H)
				a.fill(diagonal(pt{x - w, 0}, pt{x + w, 0}, c.mix(rgb{1, 1, 0.9}, 0.35), c.scale(0.4)), 1, []pt{{x0 - w/2, y}, {x1 - w/2, y - l + a.u}, {x1 + w/2, y - l + a.u}, {x0 + w/2, y}})
				for range 2 {
					d := a.between(-1, 1)
					a.stroke(solid(c.scale(0.8)), 1, 3*a.u*f+0.5, 0.3, spline([]pt{{x1, y - l}, {x1 + d*12*a.u, y - l - 4*a.u}, {x1 + d*22*a.u, y - l + 7*a.u}}, 6))
				}
				y -= l
			}
		}
		if a.rng.Float64() < 0.5 {
			a.silhouette(a.W*a.between(0.3, 0.7), a.H*0.98, 52*a.u, 1, a.pal.dark)
		}
	},
	blade: func(a *artist) {
		c := pt{a.W / 2, a.H / 2}
		a.glow(c, 60*a.u, a.pal.light, 0.6)
		ang := a.between(0.5, 1.1)
		if a.rng.Float64() < 0.5 {
			ang = -ang
		}
		curve := a.between(-12, 12)
		s, k := math.Sincos(ang)
		at := func(t, off float64) pt {
			off += curve * a.u * (t*t - 0.25)
			return pt{c.X + t*100*a.u*k - off*s, c.Y - t*100*a.u*s - off*k}
		}
		var line []pt
		for i := range 12 {
			line = append(line, at(-0.2+0.75*float64(i)/11, 0))
		}
		a.stroke(diagonal(pt{c.X - 6*a.u, c.Y - 6*a.u}, pt{c.X + 6*a.u, c.Y + 6*a.u}, rgb{0.97, 0.98, 1}, rgb{0.45, 0.5, 0.58}), 1, 8*a.u, 3*a.u, spline(line, 6))
		a.stroke(solid(rgb{1, 1, 1}), 0.8, 1.5*a.u, 0.5*a.u, spline(line, 6))
		a.stroke(solid(a.pal.dark), 1, 9*a.u, 8*a.u, []pt{at(-0.22, 0), at(-0.52, 0)})
		for i := range 6 {
			q := at(-0.26-0.045*float64(i), 0)
			a.fill(solid(a.pal.accent), 1, ellipse(q.X, q.Y, 3.2*a.u, 1.8*a.u, ang*57))
		}
		g := at(-0.2, 0)
		a.fill(radial(g, 10*a.u, hsv(46, 0.5, 1), hsv(40, 0.8, 0.4)), 1, ellipse(g.X, g.Y, 3*a.u, 10*a.u, -ang*57.3))
		a.petals(18)
	},
	fan: func(a *artist) {
		c := pt{a.W / 2, a.H * 0.85}
		r := a.H * a.between(0.6, 0.72)
		from, to := math.Pi*a.between(1.05, 1.15), math.Pi*a.between(1.85, 1.95)
		n := 18
		col, col2 := a.pal.accent, a.pal.light
		for i := range n {
			t0 := from + (to-from)*float64(i)/float64(n)
			t1 := from + (to-from)*float64(i+1)/float64(n)
			shade := 0.75 + 0.25*float64(i%2)
			o := []pt{{c.X + r*0.3*math.Cos(t0), c.Y + r*0.3*math.Sin(t0)}, {c.X + r*math.Cos(t0), c.Y + r*math.Sin(t0)}, {c.X + r*math.Cos(t1), c.Y + r*math.Sin(t1)}, {c.X + r*0.3*math.Cos(t1), c.Y + r*0.3*math.Sin(t1)}}
			a.fill(func(x, y float64) rgb {
				d := math.Hypot(x-c.X, y-c.Y) / r
				v := col.mix(col2, smooth(0.4, 0.95, d+0.2*valuenoise.Smooth(a.seed, x/(9*a.u), y/(9*a.u))))
				return v.scale(shade)
			}, 1, o)
			a.stroke(solid(hsv(30, 0.5, 0.35)), 1, 2*a.u, 1*a.u, []pt{c, {c.X + r*math.Cos(t0), c.Y + r*math.Sin(t0)}})
		}
		q := pt{c.X + r*0.65*math.Cos((from+to)/2), c.Y + r*0.65*math.Sin((from+to)/2)}
		a.fill(solid(a.pal.accent2), 0.95, circle(q.X, q.Y, r*0.17))
		a.fill(solid(hsv(46, 0.6, 0.8)), 1, circle(c.X, c.Y, 3*a.u))
	},
	scroll: func(a *artist) {
		x0, x1 := a.W*0.2, a.W*0.8
		y0, y1 := a.H*0.14, a.H*0.86
		paper := hsv(42, 0.25, 0.93)
		a.fill(diagonal(pt{x0, y0}, pt{x1, y1}, paper, paper.scale(0.75)), 1, rect(x0, y0, x1, y1))
		for col := range 4 + a.rng.IntN(3) {
			x := x1 - (float64(col)+0.8)*(x1-x0)/7.2
			for y := y0 + 9*a.u; y < y1-14*a.u; y += 8 * a.u {
				for range 3 {
					a.stroke(solid(rgb{0.1, 0.08, 0.1}), 0.9, 1.4*a.u, 0.5*a.u, []pt{{x + a.between(-3, 3)*a.u, y + a.between(-3, 3)*a.u}, {x + a.between(-3, 3)*a.u, y + a.between(-3, 3)*a.u}})
				}
			}
		}
		a.fill(solid(hsv(5, 0.8, 0.7)), 0.9, rect(x0+6*a.u, y1-18*a.u, x0+16*a.u, y1-8*a.u))
		for _, y := range []float64{y0, y1} {
			a.fill(vertical(y-5*a.u, y+5*a.u, a.pal.mid.mix(a.pal.light, 0.4), a.pal.dark), 1, roundRect(x0-6*a.u, y-5*a.u, x1+6*a.u, y+5*a.u, 4*a.u))
			for _, x := range []float64{x0 - 9*a.u, x1 + 9*a.u} {
				a.fill(radial(pt{x, y}, 6*a.u, hsv(46, 0.5, 1), hsv(35, 0.8, 0.4)), 1, circle(x, y, 4.5*a.u))
			}
		}
	},
	army: func(a *artist) {
		a.hills(3, 0.4, 0.65)
		for row := range 5 {
			f := float64(row) / 4
			y := a.H * (0.6 + 0.4*f)
			h := (14 + 26*f) * a.u
			n := int(a.W / (h * 0.42))
			for i := range n {
				x := (float64(i) + a.between(0.2, 0.8)) * a.W / float64(n)
				c := a.pal.dark.mix(a.pal.skyLow, 0.5*(1-f))
				if a.rng.Float64() < 0.2 {
					a.stroke(solid(c), 1, h*0.03, h*0.03, []pt{{x, y}, {x, y - h*1.9}})
					a.fill(vertical(y-h*1.9, y-h, a.pal.accent, a.pal.accent2), 0.95, rect(x, y-h*1.9, x+h*0.34, y-h*0.95))
					a.fill(solid(a.pal.light), 0.9, circle(x+h*0.17, y-h*1.6, h*0.1))
				}
				a.silhouette(x, y, h*a.between(0.9, 1.1), 1, c)
			}
		}
	},
	fire: func(a *artist) {
		a.hills(2, 0.6, 0.8)
		for layer := range 4 {
			f := float64(layer) / 3
			c := hsv(8+38*f, 0.95-0.45*f, 0.75+0.25*f)
			n := 9 - layer
			for i := range n {
				x := a.W * (float64(i) + a.between(0.1, 0.9)) / float64(n)
				w := a.between(9, 17) * a.u * (1 - 0.25*f)
				h := a.H * a.between(0.35, 0.85) * (1 - 0.35*f)
				sway := a.between(-12, 12) * a.u
				o := spline([]pt{{x - w, a.H + 4}, {x - w*0.9, a.H - h*0.35}, {x - w*0.1 + sway*0.4, a.H - h*0.6}, {x + sway, a.H - h}, {x + w*0.5 + sway*0.2, a.H - h*0.55}, {x + w, a.H - h*0.25}, {x + w, a.H + 4}}, 8)
				a.fill(vertical(a.H-h, a.H, c.scale(0.75), c.mix(rgb{1, 1, 0.7}, 0.3)), 0.8, o)
			}
		}
		for range 60 {
			x, y := a.between(0, a.W), a.between(0, a.H)
			a.fill(solid(hsv(a.between(20, 50), 0.6, 1)), 0.9, circle(x, y, a.between(0.3, 1)*a.u))
		}
	},
	storm: func(a *artist) {
		a.tint(func(x, y float64, v rgb) rgb {
			return v.scale(0.45 + 0.5*valuenoise.Fractal(a.seed+8, x/(24*a.u), y/(10*a.u), 5))
		})
		a.hills(2, 0.75, 0.9)
		for range 2 + a.rng.IntN(3) {
			x, y := a.W*a.between(0.15, 0.85), 0.0
			line := []pt{{x, y}}
			for y < a.H*0.85 {
				x += a.between(-13, 13) * a.u
				y += a.between(4, 13) * a.u
				line = append(line, pt{x, y})
				if a.rng.Float64() < 0.25 {
					a.stroke(solid(a.pal.light), 0.8, 1.2*a.u, 0.2*a.u, []pt{{x, y}, {x + a.between(-16, 16)*a.u, y + 9*a.u}, {x + a.between(-26, 26)*a.u, y + 19*a.u}})
				}
			}
			a.glow(line[len(line)-1], 34*a.u, a.pal.light, 0.7)
			a.stroke(solid(a.pal.accent.mix(a.pal.light, 0.5)), 0.35, 7*a.u, 3*a.u, line)
			a.stroke(solid(rgb{1, 1, 1}), 0.95, 2.2*a.u, 0.6*a.u, line)
		}
	},
	breaker: func(a *artist) {
		dir := float64(a.rng.IntN(2))*2 - 1
		mx := func(x float64) float64 {
			if dir < 0 {
				return a.W - x
			}
			return x
		}
		a.hills(1, 0.6, 0.7)
		for k := range 3 {
			f := float64(k) / 2
			h := a.H * (0.75 - 0.2*f) * a.between(0.9, 1.1)
			x0 := a.W * (0.75 - 0.4*f) * a.between(0.9, 1.1)
			base := a.H * (0.86 + 0.12*f)
			o := spline([]pt{{mx(-10), base}, {mx(x0 * 0.35), base - h*0.45}, {mx(x0 * 0.8), base - h*0.92}, {mx(x0 + 16*a.u), base - h*0.95}, {mx(x0 + 34*a.u), base - h*0.6}, {mx(x0 + 20*a.u), base - h*0.68}, {mx(x0 + 6*a.u), base - h*0.55}, {mx(x0 + 14*a.u), base - h*0.1}, {mx(a.W + 10), base}, {mx(a.W + 10), a.H + 9}, {mx(-10), a.H + 9}}, 10)
			c := a.pal.skyTop.mix(a.pal.mid, 0.5).mix(a.pal.dark, 0.2*f)
			a.fill(vertical(base-h, base, c.mix(a.pal.light, 0.4), c.scale(0.5)), 1, o)
			for line := range 7 {
				t := 0.2 + 0.1*float64(line)
				a.stroke(solid(a.pal.light), 0.4, 0.6*a.u, 2*a.u, spline([]pt{{mx(0), base + 12*a.u*t}, {mx(x0 * 0.4), base - h*0.4*t}, {mx(x0 * 0.82), base - h*0.86*t}, {mx(x0 + 8*a.u*t), base - h*(0.5+0.4*t)}}, 8))
			}
			for range 42 {
				t := a.rng.Float64()
				q := o[int(float64(len(o))*(0.2+0.25*t))%len(o)]
				a.fill(solid(rgb{0.97, 0.98, 1}), 0.9, circle(q.X+a.between(-5, 5)*a.u, q.Y+a.between(-6, 5)*a.u, a.between(0.5, 2.6)*a.u))
			}
		}
	},
	lantern: func(a *artist) {
		a.tint(func(_, _ float64, v rgb) rgb { return v.scale(0.45) })
		for k := range 3 + a.rng.IntN(4) {
			s := a.u * a.between(0.5, 1)
			if k == 0 {
				s = a.u * 1.3
			}
			x, y := a.W*a.between(0.15, 0.85), a.H*a.between(0.2, 0.75)
			c := hsv(a.between(0, 50), a.between(0.5, 0.9), 1)
			a.glow(pt{x, y}, 50*s, c, 0.8)
			a.stroke(solid(a.pal.dark), 1, 1*s, 1*s, []pt{{x, 0}, {x, y}})
			a.fill(radial(pt{x, y}, 26*s, c.mix(rgb{1, 1, 0.85}, 0.7), c.scale(0.6)), 1, ellipse(x, y, 17*s, 23*s, 0))
			for j := -4; j <= 4; j++ {
				yy := y + float64(j)*5*s
				hw := 17 * s * math.Sqrt(max(0, 1-math.Pow(float64(j)*5/23, 2)))
				a.stroke(solid(c.scale(0.45)), 0.7, 0.7*s, 0.7*s, spline([]pt{{x - hw, yy}, {x, yy + 2*s}, {x + hw, yy}}, 5))
			}
			for _, d := range []float64{-1, 1} {
				a.fill(solid(a.pal.dark), 1, rect(x-8*s, y+d*23*s-2*s, x+8*s, y+d*23*s+2*s))
			}
		}
	},
	bridge: func(a *artist) {
		a.hills(4, 0.35, 0.7)
		y := a.H * 0.62
		a.fill(func(x, yy float64) rgb {
			n := valuenoise.Smooth(a.seed, x/(11*a.u), yy/(2*a.u))
			return a.pal.skyTop.mix(a.pal.light, 0.4+0.3*n)
		}, 1, rect(0, y+9*a.u, a.W, a.H))
		var top, low []pt
		for i := range 25 {
			t := float64(i)/24*2 - 1
			h := (1 - t*t) * 24 * a.u
			top = append(top, pt{a.W/2 + t*a.W*0.52, y + 10*a.u - h})
			low = append(low, pt{a.W/2 + t*a.W*0.52, y + 20*a.u - h*0.9})
		}
		a.fill(vertical(y-14*a.u, y+20*a.u, a.pal.accent, a.pal.accent.scale(0.4)), 1, append(append([]pt{}, top...), reversed(low)...))
		for i, q := range top {
			a.stroke(solid(a.pal.accent.scale(0.7)), 1, 1.6*a.u, 1.6*a.u, []pt{q, {q.X, q.Y - 9*a.u}})
			if i%6 == 3 {
				a.stroke(solid(a.pal.dark), 1, 3*a.u, 3*a.u, []pt{low[i], {low[i].X, y + 26*a.u}})
			}
		}
		rail := make([]pt, len(top))
		for i, q := range top {
			rail[i] = pt{q.X, q.Y - 9*a.u}
		}
		a.stroke(solid(a.pal.accent.mix(a.pal.light, 0.3)), 1, 2*a.u, 2*a.u, rail)
		a.silhouette(a.W*a.between(0.4, 0.6), y-13*a.u, 20*a.u, -1, a.pal.dark)
		a.tree(a.W*0.08, a.H, 48*a.u)
	},
	fields: func(a *artist) {
		a.hills(3, 0.35, 0.55)
		y0 := a.H * 0.52
		a.fill(func(x, y float64) rgb {
			d := 1 / (y - y0 + 6*a.u) * 100 * a.u
			u, v := (x-a.W/2)*d/(30*a.u), d
			cell := math.Floor(u) + 7*math.Floor(v*2.5)
			c := a.pal.mid.mix(a.pal.accent, 0.5+0.5*valuenoise.Smooth(a.seed, cell, 0.5)).mix(hsv(95, 0.5, 0.6), 0.4)
			fu, fv := u-math.Floor(u), v*2.5-math.Floor(v*2.5)
			if fu < 0.06 || fv < 0.08 {
				return a.pal.dark
			}
			return c.scale(0.75 + 0.25*math.Sin(fu*40))
		}, 1, rect(0, y0, a.W, a.H))
		for range 5 {
			x, y := a.between(0, a.W), a.H*a.between(0.5, 0.7)
			a.roofed(x, y, 15*a.u, 6*a.u, a.pal.light.scale(0.8), a.pal.dark.mix(a.pal.mid, 0.5))
		}
		a.tree(a.W*a.between(0.7, 0.9), a.H*0.98, 50*a.u)
	},
	moth: func(a *artist) {
		a.tint(func(_, _ float64, v rgb) rgb { return v.scale(0.6) })
		for k := range 1 + a.rng.IntN(4) {
			s := a.u * a.between(0.95, 1.2)
			cx, cy := a.W*0.5, a.H*0.5
			if k > 0 {
				s *= a.between(0.25, 0.45)
				cx, cy = a.W*a.between(0.1, 0.9), a.H*a.between(0.1, 0.9)
			}
			a.glow(pt{cx, cy}, 52*s, a.pal.light, 0.4)
			for _, d := range []float64{-1, 1} {
				for w := range 2 {
					wy, wl := cy-6*s, 1.0
					if w == 0 {
						wy, wl = cy+10*s, 0.72
					}
					up := 26 - 40*(1-float64(w))
					o := spline([]pt{{cx, wy}, {cx + d*18*s, wy - up*s}, {cx + d*46*wl*s, wy - up*1.1*s}, {cx + d*42*wl*s, wy - up*0.1*s}, {cx + d*16*s, wy + 9*s}, {cx, wy + 4*s}}, 8)
					c := a.pal.accent.mix(a.pal.accent2, float64(w))
					a.fill(radial(pt{cx, cy}, 50*s, c.mix(a.pal.light, 0.5), c.scale(0.45)), 0.97, o)
					ex, ey := cx+d*29*wl*s, wy-up*0.65*s
					a.fill(solid(a.pal.dark), 1, circle(ex, ey, 7*wl*s))
					a.fill(solid(hsv(48, 0.6, 0.95)), 1, circle(ex, ey, 4.6*wl*s))
					a.fill(solid(rgb{0.05, 0.03, 0.08}), 1, circle(ex, ey, 2.4*wl*s))
				}
				a.stroke(solid(a.pal.light), 1, 1.6*s, 0.5*s, spline([]pt{{cx + d*2*s, cy - 15*s}, {cx + d*9*s, cy - 30*s}, {cx + d*20*s, cy - 34*s}}, 8))
			}
			a.fill(vertical(cy-17*s, cy+26*s, a.pal.light, a.pal.dark), 1, ellipse(cx, cy+4*s, 5*s, 22*s, 0))
		}
	},
	jar: func(a *artist) {
		cx, u := a.W*0.5, a.u*a.between(0.9, 1.1)
		cy := a.H * 0.55
		a.glow(pt{cx, cy}, 60*u, a.pal.light, 0.5)
		a.fill(vertical(a.H*0.8, a.H, a.pal.mid, a.pal.dark), 1, rect(0, a.H*0.82, a.W, a.H))
		bulge := a.between(24, 36)
		prof := spline([]pt{{9, -38}, {10, -32}, {bulge * 0.8, -18}, {bulge, 0}, {bulge * 0.75, 20}, {14, 31}, {16, 34}}, 8)
		var o []pt
		for _, q := range prof {
			o = append(o, pt{cx + q.X*u, cy + q.Y*u})
		}
		for i := len(prof) - 1; i >= 0; i-- {
			o = append(o, pt{cx - prof[i].X*u, cy + prof[i].Y*u})
		}
		bands := a.between(3, 7)
		a.fill(func(x, y float64) rgb {
			t := (x - cx) / (bulge * u)
			v := a.pal.accent
			if math.Sin((y-cy)/(bands*u)+0.6*valuenoise.Smooth(a.seed, x/(8*u), y/(8*u))) > 0.35 {
				v = a.pal.light
			}
			if math.Abs(y-cy) < 8*u {
				v = a.pal.accent2.mix(a.pal.light, clamp01(math.Sin(x/(3*u))*2))
			}
			return v.scale(0.35 + 0.85*math.Exp(-math.Pow(t+0.35, 2)*2.2))
		}, 1, o)
		a.fill(solid(rgb{1, 1, 1}), 0.55, ellipse(cx-bulge*0.45*u, cy-12*u, 3*u, 10*u, 12))
	},
	duel: func(a *artist) {
		a.hills(2, 0.55, 0.75)
		a.ground(a.H * 0.78)
		h := a.H * a.between(0.45, 0.58)
		a.silhouette(a.W*0.27, a.H*0.93, h, 1, a.pal.dark)
		a.silhouette(a.W*0.74, a.H*0.93, h, -1, a.pal.dark.mix(a.pal.accent, 0.25))
		a.glow(pt{a.W * 0.5, a.H * 0.45}, 24*a.u, a.pal.light, 0.8)
		a.petals(26)
	},
}
