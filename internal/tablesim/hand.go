package tablesim

import (
	"math"
	"math/rand/v2"

	"tabletop/board"
	"tabletop/internal/tablesim/valuenoise"
)

// bone is a tapered limb of a hand: from a to b with a radius at each end and
// a height of its middle line, all in millimetres of the hand's own plane. The
// hand's fingers point up (to -y), its tip is the origin.
type bone struct {
	a, b   board.Point
	ra, rb float64
	ha, hb float64
}

// rightHand lists the bones of a right hand seen from above: the thumb is on
// the left.
func rightHand(pose HandPose) []bone {
	pt := func(x, y float64) board.Point { return board.Point{X: x, Y: y} }
	finger := func(r0, r1 float64, pts [4]board.Point, h [4]float64) []bone {
		var out []bone
		for i := range 3 {
			f0, f1 := float64(i)/3, float64(i+1)/3
			out = append(out, bone{pts[i], pts[i+1], r0 + (r1-r0)*f0, r0 + (r1-r0)*f1, h[i], h[i+1]})
		}
		return out
	}
	var bones []bone
	wrist := pt(10, 186)
	knuckles := [4]board.Point{pt(-22, 86), pt(1, 80), pt(22, 86), pt(40, 99)}
	switch pose {
	case HandFlat:
		bones = append(bones, finger(9.6, 7.4, [4]board.Point{knuckles[0], pt(-29, 46), pt(-32, 25), pt(-34, 12)}, [4]float64{14, 12, 9, 7})...)
		bones = append(bones, finger(9.8, 7.6, [4]board.Point{knuckles[1], pt(0, 36), pt(0, 14), pt(0, 4)}, [4]float64{15, 13, 9, 7})...)
		bones = append(bones, finger(9.4, 7.2, [4]board.Point{knuckles[2], pt(28, 44), pt(31, 24), pt(32, 13)}, [4]float64{14, 12, 9, 7})...)
		bones = append(bones, finger(8.2, 6.3, [4]board.Point{knuckles[3], pt(53, 68), pt(60, 52), pt(64, 42)}, [4]float64{12, 10, 8, 6})...)
		bones = append(bones, finger(13, 9, [4]board.Point{pt(-20, 150), pt(-46, 118), pt(-62, 93), pt(-70, 76)}, [4]float64{16, 13, 10, 8})...)
	case HandPoint:
		bones = append(bones, finger(9.6, 7.2, [4]board.Point{pt(-6, 92), pt(-3, 50), pt(-1, 24), pt(0, 6)}, [4]float64{20, 20, 13, 8})...)
		knuckles = [4]board.Point{pt(-6, 92), pt(17, 88), pt(37, 94), pt(53, 106)}
		for i, l := range []float64{36, 33, 26} {
			k := knuckles[i+1]
			bones = append(bones, finger(10.4-float64(i)*0.5, 8.6-float64(i)*0.6, [4]board.Point{k, pt(k.X+1, k.Y-l*0.75), pt(k.X-1, k.Y-l), pt(k.X-4, k.Y-l*0.55)}, [4]float64{22, 22, 15, 8})...)
		}
		bones = append(bones, finger(13, 9, [4]board.Point{pt(-8, 152), pt(-28, 118), pt(-26, 88), pt(-12, 70)}, [4]float64{20, 18, 14, 13})...)
		wrist = pt(24, 190)
	default: // HandPinch
		knuckles = [4]board.Point{pt(-4, 84), pt(20, 82), pt(41, 90), pt(56, 104)}
		bones = append(bones, finger(8.4, 6.6, [4]board.Point{knuckles[3], pt(64, 76), pt(62, 62), pt(55, 50)}, [4]float64{24, 26, 18, 10})...)
		bones = append(bones, finger(9.4, 7.4, [4]board.Point{knuckles[2], pt(50, 55), pt(45, 38), pt(36, 26)}, [4]float64{27, 29, 20, 10})...)
		bones = append(bones, finger(13, 8.8, [4]board.Point{pt(0, 152), pt(-24, 108), pt(-26, 62), pt(-7, 11)}, [4]float64{22, 18, 11, 6})...)
		bones = append(bones, finger(9.8, 7.6, [4]board.Point{knuckles[1], pt(28, 44), pt(24, 26), pt(15, 13)}, [4]float64{28, 30, 20, 9})...)
		bones = append(bones, finger(9.6, 7.4, [4]board.Point{knuckles[0], pt(4, 42), pt(6, 22), pt(3, 8)}, [4]float64{28, 30, 20, 9})...)
		wrist = pt(28, 192)
	}
	for i, k := range knuckles {
		r := []float64{12.5, 13, 12.5, 11}[i]
		w := pt(wrist.X+(float64(i)-1.5)*8.5, wrist.Y-6)
		bones = append(bones, bone{w, k, 16.5, r, 20, 20})
	}
	// The forearm starts thin and deep inside the palm, so that no joint shows.
	palm := pt((knuckles[1].X+wrist.X)/2, 128)
	elbow := pt(wrist.X+14, wrist.Y+245)
	mid := pt((wrist.X+elbow.X)/2, (wrist.Y+elbow.Y)/2)
	bones = append(bones, bone{palm, wrist, 19, 27, 12, 17}, bone{wrist, mid, 27, 37, 17, 20}, bone{mid, elbow, 37, 43, 20, 22})
	return bones
}

// height is how high the limb's skin is over the table at a place, and the
// signed distance to its outline.
func (b bone) height(p board.Point) (h, dist float64) {
	d := b.b.Sub(b.a)
	t := max(0, min(1, p.Sub(b.a).Dot(d)/max(1e-9, d.Dot(d))))
	r := b.ra + (b.rb-b.ra)*t
	q := p.Distance(b.a.Add(d.Scale(t)))
	mid := b.ha + (b.hb-b.ha)*t
	if q < r {
		return mid + math.Sqrt(r*r-q*q)*0.85, q - r
	}
	return mid - (q-r)*2.5, q - r
}

type handLook struct {
	pose   HandPose
	left   bool
	look   uint64
	length float64 // of the arm, mm
	res    float64
}

const (
	handTop   = -12.0 // the sprite's upper edge over the tip, mm
	armStep   = 400.0 // arms come in these lengths, mm
	armSteps  = 5
	skinReach = 15.0 // how far a limb bends the skin of the next, mm
	handHalf  = 110.0
	cuffAt    = 250.0 // where the sleeve begins at the earliest
)

// person is what a Look means.
type person struct {
	skin, blush lin
	cloth       lin
	cuff        float64 // mm from the tip; how long the sleeve is
	stripes     bool
	ring        bool
	size        float64
	seed        uint32
}

func personOf(look uint64) person {
	rng := rand.New(rand.NewPCG(look, 0x68616e64))
	tone := rng.Float64()
	light, dark := fromSRGB(0.93, 0.74, 0.62), fromSRGB(0.36, 0.22, 0.15)
	p := person{seed: rng.Uint32(), size: 0.92 + 0.16*rng.Float64()}
	p.skin = light.mix(dark, float32(tone*tone))
	p.blush = p.skin.mul(lin{1.02, 0.72, 0.68})
	p.cloth = fromHSV(rng.Float64()*360, 0.15+0.6*rng.Float64(), 0.12+0.55*rng.Float64())
	p.cuff = cuffAt + 130*rng.Float64()
	p.stripes = rng.Float64() < 0.3
	p.ring = rng.Float64() < 0.3
	return p
}

func newHandSprite(k handLook) *sprite {
	who := personOf(k.look)
	bones := rightHand(k.pose)
	mirror := 1.0
	if k.left {
		mirror = -1
	}
	type cell struct {
		h, dist float64
		cloth   bool
	}
	x0, x1, y0, y1 := -handHalf, handHalf+40, handTop, k.length
	if k.left {
		x0, x1 = -x1, -x0
	}
	res := k.res
	w, h := int(math.Ceil((x1-x0)*res)), int(math.Ceil((y1-y0)*res))
	cells := make([]cell, w*h)
	elbow := bones[len(bones)-1].b
	cuffX := elbow.X - 10
	for y := range h {
		py := y0 + (float64(y)+0.5)/res
		for x := range w {
			p := board.Point{X: (x0 + (float64(x)+0.5)/res) * mirror, Y: py}
			p = p.Scale(1 / who.size)
			c := cell{h: -1e3, dist: 1e3}
			if p.Y < elbow.Y+60 {
				for i := range bones {
					b := &bones[i]
					if p.X < min(b.a.X-b.ra, b.b.X-b.rb)-skinReach || p.X > max(b.a.X+b.ra, b.b.X+b.rb)+skinReach ||
						p.Y < min(b.a.Y-b.ra, b.b.Y-b.rb)-skinReach || p.Y > max(b.a.Y+b.ra, b.b.Y+b.rb)+skinReach {
						continue
					}
					bh, bd := b.height(p)
					// Joined smoothly: skin spans the gaps between knuckles. Fingers
					// stay apart near their tips.
					k := (6*smooth(30, 105, p.Y) + 8*smooth(110, 160, p.Y)) * smooth(235, 195, p.Y)
					if k > 0.1 {
						t := max(0, k-math.Abs(c.h-bh)) / k
						c.h = max(c.h, bh) + t*t*k/4
						t = max(0, k-math.Abs(c.dist-bd)) / k
						c.dist = min(c.dist, bd) - t*t*k/4
					} else {
						c.h, c.dist = max(c.h, bh), min(c.dist, bd)
					}
				}
			}
			if p.Y > who.cuff-8 {
				// The sleeve: a tube of cloth that is wider than the arm and wrinkled.
				t := p.Y - who.cuff
				mid := cuffX - 6 + t*0.03 + 6*valuenoise.Smooth(who.seed+3, t/190, 1)
				r := 47 + 0.045*t + 2.6*valuenoise.Smooth(who.seed+4, t/26, 0.5) + 1.5*valuenoise.Smooth(who.seed+5, t/9, 0.5)
				q := math.Abs(p.X - mid)
				wave := 2.2 * valuenoise.Smooth(who.seed+6, p.X/30, t/16)
				edge := who.cuff + wave + 3*math.Pow(q/r, 2)
				if q < r && p.Y > edge {
					fold := 5*valuenoise.Fractal(who.seed+7, (p.X+t*0.5)/34, t/30, 3) + 3*math.Abs(valuenoise.Smooth(who.seed+8, (p.X-t*0.7)/26, t/60))
					c.h = 24 + math.Sqrt(r*r-q*q)*0.8 + fold*smooth(0, 10, r-q)
					c.dist = max(q-r, edge-p.Y)
					c.cloth = true
				}
			}
			cells[y*w+x] = c
		}
	}
	at := func(x, y int) float64 { return cells[max(0, min(h-1, y))*w+max(0, min(w-1, x))].h }
	nails := fingertips(k.pose)
	s := newSprite(x0, y0, x1, y1, res, func(px, py float64) texel {
		x, y := int((px-x0)*res), int((py-y0)*res)
		x, y = min(x, w-1), min(y, h-1)
		c := cells[y*w+x]
		a := clamp01(0.5 - c.dist*res*who.size)
		if a == 0 {
			return texel{}
		}
		gx := (at(x+1, y) - at(x-1, y)) * res / 2
		gy := (at(x, y+1) - at(x, y-1)) * res / 2
		lim := 1.7 / max(1.7, math.Hypot(gx, gy))
		t := texel{A: float32(a), NX: float32(-gx * lim), NY: float32(-gy * lim)}
		p := board.Point{X: px * mirror, Y: py}.Scale(1 / who.size)
		if c.cloth {
			weave := valuenoise.Smooth(who.seed+11, px/0.9, py/0.9)
			t.C = who.cloth.scale(float32(1 + 0.14*weave + 0.12*valuenoise.Smooth(who.seed+12, px/14, py/14)))
			if who.stripes && math.Mod(math.Abs(p.X)+200, 17) < 4 {
				t.C = t.C.mix(lin{0.6, 0.6, 0.58}, 0.5)
			}
			if d := p.Y - who.cuff; d < 9 { // the hem
				t.C = t.C.scale(0.82)
			}
			return t
		}
		// Skin: redder where it is stretched over bone and at the tips, mottled.
		m := 0.5 + 0.6*valuenoise.Fractal(who.seed+20, px/15, py/15, 4)
		red := clamp01(0.25*m + 0.45*smooth(26, 4, p.Y))
		t.C = who.skin.mix(who.blush, float32(red))
		t.C = t.C.scale(float32(1 + 0.05*valuenoise.Smooth(who.seed+21, px/1.6, py/1.6) + 0.06*valuenoise.Smooth(who.seed+22, px/5, py/5)))
		// Creases across the joints.
		for i := range bones {
			b := &bones[i]
			if b.ra > 11 || p.Distance(b.a) > 11 || i >= 15 {
				continue
			}
			d := b.b.Sub(b.a)
			along := p.Sub(b.a).Dot(d) / max(1e-6, d.Norm())
			for _, off := range []float64{-2.4, 0, 2.2} {
				e := math.Abs(along - off + 0.8*valuenoise.Smooth(who.seed+30, px/4, py/4))
				t.C = t.C.scale(float32(1 - 0.2*math.Exp(-e*e*2.2)*smooth(10, 5, p.Distance(b.a))))
			}
			t.C = t.C.mix(who.blush, float32(0.3*smooth(10, 2, p.Distance(b.a))))
		}
		t.Gloss = 0.07
		// The outline is in its own shade.
		t.C = t.C.scale(float32(0.72 + 0.28*smooth(0, 3.2, -c.dist)))
		for _, n := range nails {
			d := n.b.Sub(n.a)
			l := d.Norm()
			u, v := p.Sub(n.a).Dot(d)/l, p.Sub(n.a).Cross(d)/l
			e := math.Hypot((u-l*0.62)/7.2, v/(n.rb*0.66))
			if k.pose == HandPoint && n.ra > 8.5 {
				continue
			}
			if e < 1 {
				t.C = t.C.mix(who.skin.mix(lin{0.9, 0.72, 0.68}, 0.22), float32(smooth(1, 0.8, e)))
				t.Gloss = 0.18
				if u > l*0.62+5.2 {
					t.C = t.C.mix(lin{0.85, 0.8, 0.72}, 0.6)
				}
			} else if e < 1.22 {
				t.C = t.C.scale(0.86)
			}
		}
		if who.ring {
			b := ringFinger(k.pose, bones)
			d := b.b.Sub(b.a)
			u := p.Sub(b.a).Dot(d) / d.Norm()
			v := math.Abs(p.Sub(b.a).Cross(d)) / d.Norm()
			if u > 15 && u < 18.5 && v < b.ra {
				t.C, t.Gloss = lin{0.7, 0.5, 0.18}, 0.5
			}
		}
		return t
	})
	return s
}

// fingertips are the last bones of the fingers whose nails are seen.
func fingertips(pose HandPose) []bone {
	b := rightHand(pose)
	switch pose {
	case HandFlat:
		return []bone{b[2], b[5], b[8], b[11], b[14]}
	case HandPoint:
		return []bone{b[2], b[14]}
	}
	return []bone{b[8], b[11], b[14]}
}

// ringFinger is the finger's bone next to its knuckle.
func ringFinger(pose HandPose, b []bone) bone {
	if pose == HandPinch {
		return b[3]
	}
	return b[6]
}

// armLength is how long an arm must be to leave the picture.
func (r *Renderer) armLength(at plate) float64 {
	const aside = 90 // half the width of a sleeve and to spare, mm
	outside := func(p board.Point) bool {
		return p.X < -aside*r.pxPerMM || p.Y < -aside*r.pxPerMM || p.X > float64(r.cam.Width)+aside*r.pxPerMM || p.Y > float64(r.cam.Height)+aside*r.pxPerMM
	}
	for n := 1; n < armSteps; n++ {
		if l := armStep * float64(n); outside(r.proj.ToImage(at.toTable(0, l), at.height)) {
			return l
		}
	}
	return armStep * armSteps
}

type handKey struct{ hand Hand }

func (r *Renderer) handDrawable(h Hand) drawable {
	if h.Pose == "" {
		h.Pose = HandPinch
	}
	lift := h.Lift
	if lift <= 0 {
		lift = 6
	}
	at := plate{centre: h.Tip, angleDeg: h.FromDeg + 180, height: lift + 8}
	look := handLook{pose: h.Pose, left: h.Left, look: h.Look, length: r.armLength(at), res: r.spriteRes()}
	sp := r.spriteFor(look, func() *sprite { return newHandSprite(look) })
	flat := h.Pose == HandFlat
	s := solid{
		sprite: sp, at: at, shadow: 0.6, travel: h.Travel,
		rise: func(y float32) float32 {
			up := min(max(y, 0)*0.2, 52)
			if flat {
				up = min(max(y-140, 0)*0.18, 40)
			}
			return float32(lift) + up
		},
	}
	return r.solidDrawable(handKey{h}, s, lift+52)
}
