package tablesim

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
	"tabletop/internal/tablesim/valuenoise"
)

// ground gives the table's colour at a place in millimetres; mmPerPx is how
// much of it a pixel takes in, so that finer detail can be left out.
type ground func(p board.Point, mmPerPx float64) lin

func newGround(kind TableKind, rng *rand.Rand, area board.Size) (ground, error) {
	seed := rng.Uint32()
	switch kind {
	case TableDarkCloth:
		base := fromHSV(rng.Float64()*360, rng.Float64()*0.5, 0.1+0.16*rng.Float64())
		return cloth(seed, base, 0.5+rng.Float64()*1.2, 0.9+0.8*rng.Float64(), rng), nil
	case TableLightCloth:
		base := fromHSV(25+rng.Float64()*40+180*float64(rng.IntN(2)), 0.03+rng.Float64()*0.16, 0.62+0.3*rng.Float64())
		return cloth(seed, base, 0.3+rng.Float64()*0.9, 0.8+1.2*rng.Float64(), rng), nil
	case TableWood:
		return wood(seed, rng), nil
	case TablePlaymat:
		return playmats(seed, rng, area), nil
	case TableNeoprene:
		return neoprene(seed, rng, area), nil
	}
	return nil, fmt.Errorf("tablesim: there is no table %q; the tables are %s, %s, %s, %s, %s", kind, TableDarkCloth, TableLightCloth, TableWood, TablePlaymat, TableNeoprene)
}

// cloth is woven fabric with folds, lint and a few hairs.
func cloth(seed uint32, base lin, folds, thread float64, rng *rand.Rand) ground {
	ang := rng.Float64() * math.Pi
	sin, cos := math.Sincos(ang)
	tint := fromHSV(rng.Float64()*360, 0.3, 0.8)
	return func(p board.Point, px float64) lin {
		u, v := p.X*cos+p.Y*sin, -p.X*sin+p.Y*cos
		// Large soft folds, sharper creases where a slow noise crosses zero.
		f := valuenoise.Fractal(seed, u/210, v/90, 3)
		c := valuenoise.Fractal(seed+1, u/160+0.4*f, v/130, 2)
		crease := math.Exp(-math.Abs(c)*22) * (0.5 + 0.5*valuenoise.Smooth(seed+2, u/80, v/80))
		shade := 1 + folds*(0.34*f+0.17*valuenoise.Fractal(seed+5, u/34, v/26, 3)+0.22*crease)
		// The weave: two sets of threads of uneven brightness.
		w := valuenoise.Smooth(seed+3, p.X/thread, p.Y/(6*thread)) + valuenoise.Smooth(seed+4, p.X/(6*thread), p.Y/thread)
		g := valuenoise.Smooth(seed+6, p.X/(0.8*thread), p.Y/(0.8*thread))
		fade := clamp01(1.6 - px/thread)
		shade *= 1 + (0.16*w+0.12*g)*(0.35+0.65*fade)
		out := base.scale(float32(max(0.3, shade)))
		// Lint.
		lx, ly := math.Floor(p.X/23), math.Floor(p.Y/23)
		if h := valuenoise.White(seed+9, int32(lx), int32(ly)); h > 0.86 {
			cx := (lx + 0.5 + 0.4*valuenoise.White(seed+10, int32(lx), int32(ly))) * 23
			cy := (ly + 0.5 + 0.4*valuenoise.White(seed+11, int32(lx), int32(ly))) * 23
			d := math.Hypot(p.X-cx, (p.Y-cy)*(1+h))
			if r := 0.5 + 2.2*(h-0.86); d < r+0.5 {
				out = out.mix(tint.scale(0.6), float32(0.5*clamp01(r+0.5-d)))
			}
		}
		return out
	}
}

// wood is a table top of glued boards.
func wood(seed uint32, rng *rand.Rand) ground {
	var light, dark lin
	switch rng.IntN(4) {
	case 0: // oak
		light, dark = fromSRGB(0.80, 0.64, 0.44), fromSRGB(0.55, 0.38, 0.21)
	case 1: // walnut
		light, dark = fromSRGB(0.45, 0.30, 0.19), fromSRGB(0.22, 0.13, 0.08)
	case 2: // pine
		light, dark = fromSRGB(0.88, 0.74, 0.52), fromSRGB(0.70, 0.50, 0.28)
	default: // grey
		light, dark = fromSRGB(0.62, 0.57, 0.51), fromSRGB(0.38, 0.33, 0.28)
	}
	plank := 70 + 90*rng.Float64()
	across := rng.IntN(2) == 0
	contrast := 0.7 + 0.5*rng.Float64()
	return func(p board.Point, px float64) lin {
		u, v := p.X, p.Y
		if across {
			u, v = v, u
		}
		row := math.Floor(v / plank)
		shift := valuenoise.White(seed+3, int32(row), 7) * 400
		length := 700 + 300*valuenoise.White(seed+4, int32(row), 3)
		col := math.Floor((u + shift) / length)
		id := seed + uint32(int32(row))*7919 + uint32(int32(col))*104729
		tone := valuenoise.White(id, 1, 1)
		// Growth rings: a distorted distance along v, cut at a shallow angle.
		warp := valuenoise.Fractal(id+1, u/260, v/55, 3) * 34
		rings := (v+warp)/(5.5+2*tone) + valuenoise.White(id, 2, 2)*50
		fr := rings - math.Floor(rings)
		ring := math.Pow(fr, 2.2) * smooth(1, 0.86, fr)
		grain := valuenoise.Smooth(id+2, u/38, v/0.9)*0.6 + valuenoise.Smooth(id+3, u/11, v/0.45)*0.4*clamp01(1.5-px)
		t := clamp01(0.34 + 0.14*tone + contrast*(0.42*ring+0.18*grain) + 0.24*valuenoise.Fractal(id+4, u/150, v/70, 3))
		// A knot now and then.
		kx, ky := math.Floor(u/330), math.Floor(v/plank)
		if h := valuenoise.White(id+9, int32(kx), int32(ky)); h > 0.45 {
			cx, cy := (kx+0.5+0.3*h)*330, (ky+0.5)*plank
			d := math.Hypot((u-cx)/2.4, v-cy) + 2.5*valuenoise.Smooth(id+6, u/9, v/9)
			t = max(t, smooth(13, 4, d)*(0.75+0.25*math.Sin(d*1.9)))
		}
		out := light.mix(dark, float32(t))
		pores := valuenoise.Smooth(seed+8, u/7, v/0.6)
		if pores > 0.55 {
			out = out.scale(float32(1 - 0.35*smooth(0.55, 0.9, pores)))
		}
		// Joints.
		jv := math.Abs(v-(row)*plank) - 0.35
		ju := math.Abs(u+shift-col*length) - 0.35
		j := min(min(jv, plank*(row+1)-v-0.35), ju)
		out = out.scale(float32(1 - 0.62*smooth(px*0.6+0.2, -0.3, j)))
		return out.scale(float32(1 + 0.05*valuenoise.Smooth(seed+20, u/300, v/300)))
	}
}

// printedMat is a rectangle of mat on whatever the table is.
type printedMat struct {
	centre board.Point
	size   board.Size
	sin    float64
	cos    float64
	corner float64
	look   func(x, y float64) lin // in the mat's own millimetres from its middle
	edge   lin
}

// local gives a place in the mat's own coordinates and the signed distance to
// its edge (negative inside).
func (m *printedMat) local(p board.Point) (x, y, dist float64) {
	d := p.Sub(m.centre)
	x, y = d.X*m.cos+d.Y*m.sin, -d.X*m.sin+d.Y*m.cos
	return x, y, roundedDistance(x, y, m.size.Width/2, m.size.Height/2, m.corner)
}

// roundedDistance is the signed distance to a rectangle with rounded corners.
func roundedDistance(x, y, hw, hh, r float64) float64 {
	dx, dy := math.Abs(x)-hw+r, math.Abs(y)-hh+r
	if dx <= 0 && dy <= 0 {
		return max(dx, dy) - r
	}
	return math.Hypot(max(dx, 0), max(dy, 0)) - r
}

func mats(seed uint32, rng *rand.Rand, area board.Size, look func(i int, size board.Size) (func(x, y float64) lin, lin)) ground {
	var under ground
	if rng.IntN(2) == 0 {
		under = wood(seed+100, rng)
	} else {
		under = cloth(seed+100, fromHSV(rng.Float64()*360, 0.15, 0.15+0.5*rng.Float64()), 0.4, 1.2, rng)
	}
	size := board.Size{Width: area.Width * (0.9 + 0.06*rng.Float64()), Height: area.Height * (0.455 + 0.02*rng.Float64())}
	var ms []printedMat
	for i := range 2 {
		turn := (rng.Float64() - 0.5) * 0.02
		m := printedMat{
			centre: board.Point{X: area.Width * (0.5 + 0.015*(rng.Float64()-0.5)), Y: area.Height * (0.25 + 0.5*float64(i))},
			size:   size, sin: math.Sin(turn), cos: math.Cos(turn), corner: 6 + 14*rng.Float64(),
		}
		m.look, m.edge = look(i, size)
		ms = append(ms, m)
	}
	stitched := rng.IntN(2) == 0
	return func(p board.Point, px float64) lin {
		out := lin{-1, 0, 0}
		for i := range ms {
			m := &ms[i]
			x, y, d := m.local(p)
			if d > 6 {
				continue
			}
			if out.R < 0 {
				out = under(p, px)
			}
			out = out.scale(float32(1 - 0.5*smooth(4, -0.5, d))) // the mat's shadow
			cover := clamp01(0.5 - d/px)
			if cover == 0 {
				continue
			}
			v := m.look(x, y)
			weave := valuenoise.Smooth(seed+50, p.X/0.9, p.Y/0.9)*clamp01(2-px) + valuenoise.Smooth(seed+51, p.X/1.7, p.Y/1.7)
			wave := valuenoise.Fractal(seed+52, p.X/180, p.Y/120, 3)
			v = v.scale(float32(1 + 0.045*weave + 0.10*wave))
			if stitched && d > -3.2 {
				ang := math.Sin((x + y) * 2.4)
				v = m.edge.scale(float32(0.8 + 0.25*ang*clamp01(1.4-px) + 0.25*smooth(-3.2, -1.5, d)*smooth(0.2, -1.5, d)))
			}
			out = out.mix(v, float32(cover))
		}
		if out.R < 0 {
			return under(p, px)
		}
		return out
	}
}

// sampleImage reads a picture at fractional pixels, in linear light.
func sampleImage(img *image.RGBA, table *[256]float32, x, y float64) lin {
	b := img.Bounds()
	x, y = max(0, min(float64(b.Dx())-1.001, x-0.5)), max(0, min(float64(b.Dy())-1.001, y-0.5))
	ix, iy := int(x), int(y)
	fx, fy := float32(x-float64(ix)), float32(y-float64(iy))
	at := func(x, y int) lin {
		o := img.Pix[y*img.Stride+4*x:]
		return lin{table[o[0]], table[o[1]], table[o[2]]}
	}
	return at(ix, iy).mix(at(ix+1, iy), fx).mix(at(ix, iy+1).mix(at(ix+1, iy+1), fx), fy)
}

func decodeTable() *[256]float32 {
	var t [256]float32
	for i := range t {
		t[i] = float32(srgbToLinear(float64(i) / 255))
	}
	return &t
}

// playmats are two mats with pictures of their own, some with printed zones.
func playmats(seed uint32, rng *rand.Rand, area board.Size) ground {
	table := decodeTable()
	return mats(seed, rng, area, func(i int, size board.Size) (func(x, y float64) lin, lin) {
		const scale = 1.2 // px per mm
		img := deck.Painting(uint64(seed)*2+uint64(i), int(size.Width*scale), int(size.Height*scale))
		turned := i == 0
		zones := rng.Float64() < 0.45
		dim := float32(0.6 + 0.4*rng.Float64())
		edge := fromHSV(rng.Float64()*360, 0.3*rng.Float64(), 0.1+0.2*rng.Float64())
		cols := 4 + rng.IntN(4)
		panels := rng.IntN(2) == 0 // zones printed as dark panels, not only outlines
		return func(x, y float64) lin {
			if turned {
				x, y = -x, -y
			}
			v := sampleImage(img, table, (x+size.Width/2)*scale, (y+size.Height/2)*scale).scale(dim)
			if zones {
				// Printed outlines the size of cards.
				pitch := size.Width / float64(cols)
				cx := (math.Floor(x/pitch) + 0.5) * pitch
				d := roundedDistance(x-cx, y-size.Height*0.18, 33, 46, 4)
				if panels {
					v = v.mix(lin{0.01, 0.01, 0.015}, float32(0.55*clamp01(0.5-d)))
				}
				v = v.mix(lin{0.8, 0.8, 0.75}, float32(0.7*clamp01(0.5-(math.Abs(d)-0.7))))
			}
			return v
		}, edge
	})
}

// neoprene are plain mats with printed lines.
func neoprene(seed uint32, rng *rand.Rand, area board.Size) ground {
	base := fromHSV(rng.Float64()*360, 0.15+0.5*rng.Float64(), 0.12+0.35*rng.Float64())
	line := lin{0.62, 0.6, 0.55}
	if rng.IntN(3) == 0 {
		line = fromHSV(rng.Float64()*360, 0.6, 0.8)
	}
	cols := 5 + rng.IntN(3)
	return mats(seed, rng, area, func(i int, size board.Size) (func(x, y float64) lin, lin) {
		flip := 1.0
		if i == 0 {
			flip = -1
		}
		fleck := uint32(i) + seed + 300
		return func(x, y float64) lin {
			x, y = x*flip, y*flip
			v := base.scale(float32(1 + 0.05*valuenoise.Fractal(fleck, x/70, y/70, 3)))
			d := math.Abs(roundedDistance(x, y, size.Width/2-14, size.Height/2-14, 8)) - 0.7
			pitch := (size.Width - 60) / float64(cols)
			cx := (math.Floor(x/pitch) + 0.5) * pitch
			if math.Abs(cx) < size.Width/2-40 {
				d = min(d, math.Abs(roundedDistance(x-cx, y-size.Height*0.22, 36, 49, 5))-0.6)
			}
			d = min(d, math.Abs(math.Hypot(x, y+size.Height*0.12)-size.Height*0.2)-0.7)
			return v.mix(line, float32(0.75*clamp01(0.5-d)))
		}, base.scale(0.5)
	})
}
