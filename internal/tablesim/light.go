package tablesim

import (
	"math"
	"math/rand/v2"

	"tabletop/board"
	"tabletop/internal/tablesim/valuenoise"
)

// lin is a colour in linear light.
type lin struct{ R, G, B float32 }

func (a lin) scale(f float32) lin { return lin{a.R * f, a.G * f, a.B * f} }
func (a lin) mul(b lin) lin       { return lin{a.R * b.R, a.G * b.G, a.B * b.B} }
func (a lin) mix(b lin, t float32) lin {
	return lin{a.R + (b.R-a.R)*t, a.G + (b.G-a.G)*t, a.B + (b.B-a.B)*t}
}

func (a lin) atLeast(v float32) lin { return lin{max(a.R, v), max(a.G, v), max(a.B, v)} }

// srgbToLinear is the sRGB transfer function (IEC 61966-2-1).
func srgbToLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func linearToSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

// fromSRGB makes a linear colour of three values as colour pickers show them.
func fromSRGB(r, g, b float64) lin {
	return lin{float32(srgbToLinear(r)), float32(srgbToLinear(g)), float32(srgbToLinear(b))}
}

// fromHSV makes a linear colour of a hue in degrees, a saturation and a value.
func fromHSV(h, s, v float64) lin {
	f := func(n float64) float64 {
		k := math.Mod(n+math.Mod(h+720, 360)/60, 6)
		return v - v*s*max(0, min(1, min(k, 4-k)))
	}
	return fromSRGB(f(5), f(3), f(1))
}

func (r Range) draw(rng *rand.Rand) float64 { return r.Min + (r.Max-r.Min)*rng.Float64() }

func (r Range) drawInt(rng *rand.Rand) int {
	return int(math.Floor(r.Min + (r.Max-r.Min+1)*rng.Float64()*0.999999))
}

// lamp is a light that gloss mirrors: where on the table plane the camera sees
// its mirror image, and how large that is.
type lamp struct {
	at       board.Point
	rx, ry   float64 // half extents of the mirror image, mm
	strength float64
}

// lighting is how the table is lit.
type lighting struct {
	// slope is how far a shadow falls to the side per millimetre of height.
	slope board.Point
	// toward is the unit direction to the main lamp in the table plane.
	toward board.Point
	lamps  []lamp
	// grid holds the light on each gridStep-th pixel, vignette and white balance
	// included.
	grid   []lin
	gw, gh int
}

const gridStep = 16

func newLighting(rng *rand.Rand, level Level, cam Camera, proj Projection) *lighting {
	l := &lighting{}
	uneven := level.Light.draw(rng)
	cast := level.Cast.draw(rng)
	vignette := level.Vignette.draw(rng)
	glare := level.Glare.draw(rng)
	dir := rng.Float64() * 2 * math.Pi
	l.toward = board.Point{X: math.Cos(dir), Y: math.Sin(dir)}
	l.slope = l.toward.Scale(-(0.25 + 0.9*uneven*rng.Float64() + 0.15*rng.Float64()))

	// Warm bulbs to cold tubes, and a tint that automatic white balance leaves.
	warm := (rng.Float64()*2 - 1) * cast
	green := (rng.Float64()*2 - 1) * cast
	balance := lin{float32(1 + 0.22*warm), float32(1 + 0.05*green), float32(1 - 0.26*warm)}

	type blob struct {
		at       board.Point
		r, power float64
		tint     lin
	}
	var blobs []blob
	size := max(cam.Area.Width, cam.Area.Height)
	for range 2 + rng.IntN(2) {
		side := rng.Float64() * 2 * math.Pi
		t := (rng.Float64()*2 - 1) * 0.5 * cast
		blobs = append(blobs, blob{
			at:   board.Point{X: cam.Area.Width/2 + math.Cos(side)*size*(0.2+0.5*rng.Float64()), Y: cam.Area.Height/2 + math.Sin(side)*size*(0.2+0.4*rng.Float64())},
			r:    size * (0.25 + 0.4*rng.Float64()),
			tint: lin{float32(1 + 0.2*t), 1, float32(1 - 0.25*t)}, power: (0.3 + 0.7*rng.Float64()) * uneven,
		})
	}
	base := 1.02 - 0.45*uneven
	l.gw, l.gh = (cam.Width+gridStep-1)/gridStep+1, (cam.Height+gridStep-1)/gridStep+1
	l.grid = make([]lin, l.gw*l.gh)
	half := math.Hypot(float64(cam.Width), float64(cam.Height)) / 2
	for gy := range l.gh {
		for gx := range l.gw {
			px := board.Point{X: float64(gx * gridStep), Y: float64(gy * gridStep)}
			q := proj.ToTable(px, 0)
			along := q.Sub(board.Point{X: cam.Area.Width / 2, Y: cam.Area.Height / 2}).Dot(l.toward) / size
			v := lin{}.mix(lin{1, 1, 1}, float32(max(0.15, base+uneven*0.55*along)))
			for _, b := range blobs {
				d := q.Distance(b.at) / b.r
				f := float32(b.power * math.Exp(-d*d))
				v = lin{v.R + b.tint.R*f, v.G + b.tint.G*f, v.B + b.tint.B*f}
			}
			rr := px.Distance(board.Point{X: proj.cx, Y: proj.cy}) / half
			fall := float32(1 - vignette*rr*rr*(0.6+0.4*rr*rr))
			l.grid[gy*l.gw+gx] = v.mul(balance).scale(fall)
		}
	}
	if uneven > 0.35 && rng.Float64() < 0.6 {
		l.shade(rng, cam, proj, uneven)
	}
	// Mirror images of lamps: long tubes or round bulbs, each in a haze.
	for range 2 + rng.IntN(3) {
		lp := lamp{
			at:       board.Point{X: cam.Area.Width * (rng.Float64()*1.1 - 0.05), Y: cam.Area.Height * (rng.Float64()*1.1 - 0.05)},
			strength: glare * (0.5 + 0.7*rng.Float64()),
		}
		lp.rx = 35 + 80*rng.Float64()
		lp.ry = lp.rx * (0.6 + 0.6*rng.Float64())
		if rng.Float64() < 0.4 {
			lp.rx, lp.ry = 180+160*rng.Float64(), 26+24*rng.Float64()
			if rng.Float64() < 0.5 {
				lp.rx, lp.ry = lp.ry, lp.rx
			}
		}
		l.lamps = append(l.lamps, lp)
		haze := lp
		haze.rx, haze.ry, haze.strength = 2.2*lp.rx+40, 2.2*lp.ry+40, 0.16*lp.strength
		l.lamps = append(l.lamps, haze)
	}
	return l
}

// shade lays the shadow of somebody who stands in the light over the table: a
// blurred edge, straight or round.
func (l *lighting) shade(rng *rand.Rand, cam Camera, proj Projection, uneven float64) {
	size := max(cam.Area.Width, cam.Area.Height)
	sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
	at := board.Point{X: cam.Area.Width * (0.1 + 0.8*rng.Float64()), Y: cam.Area.Height * (0.1 + 0.8*rng.Float64())}
	penumbra := size * (0.012 + 0.05*rng.Float64())
	depth := float32((0.2 + 0.4*rng.Float64()) * uneven)
	round := rng.Float64() < 0.5
	radius := size * (0.15 + 0.25*rng.Float64())
	wobble := rng.Uint32()
	for gy := range l.gh {
		for gx := range l.gw {
			q := proj.ToTable(board.Point{X: float64(gx * gridStep), Y: float64(gy * gridStep)}, 0).Sub(at)
			d := q.X*cos + q.Y*sin
			if round {
				d = math.Hypot(q.X, q.Y*1.3) - radius
			}
			d += size * 0.04 * valuenoise.Smooth(wobble, q.X/size*7, q.Y/size*7)
			f := 1 - depth*float32(smooth(penumbra, -penumbra, d))
			l.grid[gy*l.gw+gx] = l.grid[gy*l.gw+gx].scale(f)
		}
	}
}

// lampReach is how many half extents from its middle a lamp's mirror image ends.
const lampReach = 2.1

// mirrored is how much lamp light a mirror at p throws into the camera.
func (l *lighting) mirrored(p board.Point) float64 {
	var s float64
	for _, lp := range l.lamps {
		dx, dy := (p.X-lp.at.X)/lp.rx, (p.Y-lp.at.Y)/lp.ry
		d := dx*dx + dy*dy
		if d < lampReach*lampReach {
			s += lp.strength * math.Exp(-d*1.1)
		}
	}
	return s
}

// row writes the light of pixels [x0,x1) of a picture row.
func (l *lighting) row(y, x0, x1 int, out []lin) {
	gy := y / gridStep
	fy := float32(y%gridStep) / gridStep
	a, b := l.grid[gy*l.gw:], l.grid[min(gy+1, l.gh-1)*l.gw:]
	for x := x0; x < x1; {
		gx := x / gridStep
		p := a[gx].mix(b[gx], fy)
		gn := min(gx+1, l.gw-1)
		q := a[gn].mix(b[gn], fy)
		end := min(x1, (gx+1)*gridStep)
		for ; x < end; x++ {
			out[x-x0] = p.mix(q, float32(x-gx*gridStep)/gridStep)
		}
	}
}

func clamp01(v float64) float64 { return max(0, min(1, v)) }

func smooth(a, b, x float64) float64 {
	t := clamp01((x - a) / (b - a))
	return t * t * (3 - 2*t)
}
