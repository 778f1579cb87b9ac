package deck

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"tabletop/internal/tablesim/valuenoise"
)

// layout is a card's frame: where picture, title, figures and text stand.
type layout int

const (
	layoutPortrait layout = iota // picture above, parchment below, figures at the left
	layoutBanner                 // full picture, title on a ribbon in the lower third
	layoutSide                   // a coloured column with an upright title at the left
	layoutStrip                  // a wide picture between two bands
	layoutArch                   // a round-headed picture on paper
	layoutHolding                // title under the picture, figures in a disc
	layoutScript                 // a small round picture above much text
	layoutFull                   // nothing but picture, text on a clear panel
	layoutPanorama               // landscape: picture over the width
	layoutCastle                 // landscape: picture left, text right
)

// The size of a face's or back's picture, px.
const (
	faceShort = 500
	faceLong  = 700
)

type border int

const (
	borderBlack border = iota
	borderWhite
	borderClan
	borderNone
)

// fonts are the parsed typefaces; a face of a size is made when needed because
// an opentype face may not be shared between goroutines.
var fonts = sync.OnceValue(func() map[string]*opentype.Font {
	m := map[string]*opentype.Font{}
	for name, ttf := range map[string][]byte{
		"title": gosmallcaps.TTF, "bold": gobold.TTF, "text": goregular.TTF, "italic": goitalic.TTF, "strong": gobolditalic.TTF,
	} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic("deck: a typeface built into the program doesn't parse: " + err.Error())
		}
		m[name] = f
	}
	return m
})

func face(name string, size float64) font.Face {
	f, err := opentype.NewFace(fonts()[name], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("deck: a typeface built into the program has no such size: " + err.Error())
	}
	return f
}

type align int

const (
	left align = iota
	centre
	right
)

// write puts one line of text with its baseline at y; it is made smaller until
// it fits maxW.
func (c *canvas) write(s, fontName string, size float64, col rgb, x, y, maxW float64, a align) {
	f := face(fontName, size)
	w := float64(font.MeasureString(f, s)) / 64
	if maxW > 0 && w > maxW {
		size *= maxW / w
		f = face(fontName, size)
		w = float64(font.MeasureString(f, s)) / 64
	}
	x -= w * float64(a) / 2
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(col.rgba()), Face: f, Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(s)
}

// paragraph sets text into a column from y down and returns where it ended.
func (c *canvas) paragraph(s, fontName string, size, leading float64, col rgb, x, y, w float64, a align) float64 {
	f := face(fontName, size)
	var line string
	flush := func() {
		if line == "" {
			return
		}
		at := x
		if a == centre {
			at = x + w/2
		}
		c.write(line, fontName, size, col, at, y, 0, a)
		y += leading
		line = ""
	}
	for _, word := range strings.Fields(s) {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if float64(font.MeasureString(f, next))/64 > w {
			flush()
			next = word
		}
		line = next
	}
	flush()
	return y
}

// put lays a picture into a place, cropping nothing.
func (c *canvas) put(src *canvas, x, y int) {
	draw.Draw(c.img, src.img.Bounds().Add(image.Pt(x, y)), src.img, image.Point{}, draw.Src)
}

// putInside lays a picture at a place but only inside an outline.
func (c *canvas) putInside(src *canvas, x, y float64, outline []pt) {
	c.fill(func(px, py float64) rgb {
		ix, iy := int(px-x), int(py-y)
		ix, iy = max(0, min(int(src.W)-1, ix)), max(0, min(int(src.H)-1, iy))
		o := src.img.Pix[iy*src.img.Stride+4*ix:]
		return rgb{float64(o[0]) / 255, float64(o[1]) / 255, float64(o[2]) / 255}
	}, 1, outline)
}

var (
	ink    = rgb{0.09, 0.07, 0.07}
	ivory  = rgb{0.95, 0.91, 0.81}
	gilded = rgb{0.83, 0.68, 0.32}
)

func clanColour(clan string) rgb {
	switch clan {
	case "Heron":
		return rgb{0.30, 0.47, 0.66}
	case "Boar":
		return rgb{0.50, 0.22, 0.14}
	case "Carp":
		return rgb{0.10, 0.42, 0.36}
	case "Moth":
		return rgb{0.36, 0.18, 0.44}
	}
	return rgb{0.44, 0.38, 0.26}
}

// stone is a mottled frame material.
func stone(seed uint32, base rgb, grain float64) paint {
	mottle := coarse(faceLong, faceLong, func(x, y float64) float64 { return valuenoise.Fractal(seed, x/60, y/60, 4) })
	vein := coarse(faceLong, faceLong, func(x, y float64) float64 { return valuenoise.Fractal(seed+3, x/90, y/90, 3) })
	return func(x, y float64) rgb {
		v := math.Abs(vein(x, y))
		return base.scale(1+grain*mottle(x, y)).mix(base.mix(rgb{1, 1, 1}, 0.5), grain*smooth(0.06, 0, v))
	}
}

// paper is old paper with stains.
func paper(seed uint32, base rgb) paint {
	stain := coarse(faceLong, faceLong, func(x, y float64) float64 { return valuenoise.Fractal(seed+7, x/45, y/45, 3) })
	return func(x, y float64) rgb {
		n := stain(x, y)
		g := valuenoise.Smooth(seed+8, x/1.3, y/1.3)
		return base.scale(0.97+0.09*n+0.02*g).mix(rgb{0.62, 0.45, 0.25}, clamp01(-n*0.5))
	}
}

// disc is a figure in a round seal.
func (c *canvas) disc(x, y, r float64, fill rgb, text string) {
	c.fill(solid(ink), 0.5, circle(x+2, y+3, r+2))
	c.fill(radial(pt{x - r*0.4, y - r*0.4}, r*2.4, gilded.mix(rgb{1, 1, 1}, 0.4), gilded.scale(0.4)), 1, circle(x, y, r))
	c.fill(radial(pt{x - r*0.3, y - r*0.4}, r*2, fill.mix(rgb{1, 1, 1}, 0.25), fill.scale(0.6)), 1, circle(x, y, r*0.82))
	c.write(text, "bold", r*1.15, rgb{1, 1, 0.96}, x, y+r*0.4, r*1.5, centre)
}

// crest is a clan's badge.
func (c *canvas) crest(clan string, x, y, r float64, on, fill rgb) {
	c.fill(solid(on), 1, circle(x, y, r))
	switch clan {
	case "Heron":
		c.stroke(solid(fill), 1, r*0.22, r*0.1, spline([]pt{{x - r*0.5, y + r*0.6}, {x + r*0.2, y + r*0.1}, {x - r*0.2, y - r*0.4}, {x + r*0.6, y - r*0.5}}, 8))
		c.fill(solid(fill), 1, ellipse(x-r*0.1, y+r*0.35, r*0.5, r*0.22, -25))
	case "Boar":
		for _, d := range []float64{-1, 1} {
			c.stroke(solid(fill), 1, r*0.34, r*0.04, spline([]pt{{x + d*r*0.1, y + r*0.5}, {x + d*r*0.62, y + r*0.2}, {x + d*r*0.4, y - r*0.6}}, 8))
		}
	case "Carp":
		for k := range 3 {
			c.stroke(solid(fill), 1, r*0.1, r*0.16, spline([]pt{{x - r*0.7, y + r*(0.5-0.4*float64(k))}, {x, y + r*(0.1-0.4*float64(k))}, {x + r*0.7, y + r*(0.5-0.4*float64(k))}}, 8))
		}
	case "Moth":
		for _, d := range []float64{-1, 1} {
			c.fill(solid(fill), 1, spline([]pt{{x, y + r*0.4}, {x + d*r*0.75, y - r*0.55}, {x + d*r*0.65, y + r*0.2}, {x, y + r*0.5}}, 6))
		}
	default:
		c.fill(solid(fill), 1, circle(x, y, r*0.6), reversed(circle(x, y, r*0.36)))
	}
}

// drawFace draws a card's face upright.
func drawFace(p printed) *image.RGBA {
	w, h := faceShort, faceLong
	if p.card.Landscape {
		w, h = h, w
	}
	c := newCanvas(w, h)
	seed := uint32(p.seed)
	clan := clanColour(p.clan)
	switch p.border {
	case borderWhite:
		c.each(solid(rgb{0.955, 0.95, 0.935}))
	case borderClan:
		c.each(stone(seed, clan.scale(0.75), 0.25))
	default:
		c.each(solid(rgb{0.055, 0.05, 0.055}))
	}
	m := 24.0
	if p.border == borderNone {
		m = 0
	}
	switch p.layout {
	case layoutPortrait:
		portraitFrame(c, p, m, clan)
	case layoutBanner:
		bannerFrame(c, p, m, clan)
	case layoutSide:
		sideFrame(c, p, m, clan)
	case layoutStrip:
		stripFrame(c, p, m, clan)
	case layoutArch:
		archFrame(c, p, m, clan)
	case layoutHolding:
		holdingFrame(c, p, m, clan)
	case layoutScript:
		scriptFrame(c, p, m, clan)
	case layoutFull:
		fullFrame(c, p, clan)
	case layoutPanorama:
		panoramaFrame(c, p, m, clan)
	case layoutCastle:
		castleFrame(c, p, m, clan)
	}
	foot := rgb{0.75, 0.72, 0.65}
	if p.border == borderWhite {
		foot = rgb{0.3, 0.28, 0.26}
	}
	c.write("Illus. the table's own brush", "italic", 11, foot, m+8, float64(h)-8, 0, left)
	c.write(numberOf(p), "text", 11, foot, float64(w)-m-8, float64(h)-8, 0, right)
	return c.img
}

func numberOf(p printed) string { return fmt.Sprintf("%03d/%03d", p.number, len(entries)) }

func (p printed) attr(key string) string {
	if v, ok := p.card.Attributes[key]; ok {
		return v
	}
	return "–"
}

func (p printed) painting(w, h float64) *canvas { return paintMotif(p.motif, p.art, int(w), int(h)) }

func typeLine(p printed) string {
	if p.clan != "" {
		return strings.ToUpper(p.typ[:1]) + p.typ[1:] + " · House of the " + p.clan
	}
	return strings.ToUpper(p.typ[:1]) + p.typ[1:]
}

// textBox writes rules and flavour text into a column.
func (c *canvas) textBox(p printed, x, y, w, size float64, col rgb) {
	y = c.paragraph(p.text, "text", size, size*1.22, col, x, y, w, left)
	c.paragraph(p.flavor, "italic", size*0.88, size*1.1, col.mix(rgb{0.5, 0.4, 0.3}, 0.35), x, y+size*0.5, w, centre)
}

func portraitFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.fill(stone(seed, clan, 0.5), 1, roundRect(m, m, c.W-m, c.H-30, 10))
	c.put(p.painting(c.W-2*m-70, 365), int(m)+58, int(m)+52)
	c.fill(solid(ink), 0.9, rect(m+56, m+50, c.W-m-10, m+52), rect(m+56, m+417, c.W-m-10, m+420))
	c.fill(vertical(m, m+46, ivory, ivory.scale(0.75)), 1, roundRect(m+8, m+7, c.W-m-8, m+46, 8))
	c.write(p.name, "title", 31, ink, m+58, m+37, c.W-2*m-76, left)
	c.crest(p.clan, m+30, m+27, 21, clan.scale(0.5), ivory)
	for i, k := range []string{"force", "chi", "personal_honor", "gold_cost"} {
		col := []rgb{{0.7, 0.12, 0.1}, {0.12, 0.3, 0.6}, {0.82, 0.8, 0.72}, {0.72, 0.55, 0.12}}[i]
		c.disc(m+29, m+92+float64(i)*76, 25, col.scale(0.85), p.attr(k))
	}
	c.fill(paper(seed, ivory), 1, roundRect(m+10, m+424, c.W-m-10, c.H-38, 9))
	c.write(typeLine(p), "strong", 18, ink, c.W/2, m+449, c.W-2*m-40, centre)
	c.textBox(p, m+26, m+478, c.W-2*m-52, 21, ink)
}

func bannerFrame(c *canvas, p printed, m float64, clan rgb) {
	c.put(p.painting(c.W-2*m, c.H-2*m-6), int(m), int(m))
	y := 440.0
	c.fill(paper(uint32(p.seed), ivory), 0.88, rect(m, y+30, c.W-m, c.H-m-6))
	c.fill(vertical(y-20, y+34, clan.mix(rgb{1, 1, 1}, 0.2), clan.scale(0.45)), 1, []pt{{m - 6, y - 18}, {c.W - m + 6, y - 18}, {c.W - m - 8, y + 8}, {c.W - m + 6, y + 34}, {m - 6, y + 34}, {m + 8, y + 8}})
	c.stroke(solid(gilded), 1, 2.5, 2.5, []pt{{m, y - 12}, {c.W - m, y - 12}})
	c.stroke(solid(gilded), 1, 2.5, 2.5, []pt{{m, y + 28}, {c.W - m, y + 28}})
	c.write(p.name, "title", 32, rgb{1, 0.98, 0.9}, c.W/2, y+18, c.W-2*m-40, centre)
	for i, k := range []string{"force", "chi", "personal_honor"} {
		if p.attr(k) == "–" {
			continue
		}
		c.disc(c.W/2+(float64(i)-1)*62, m+30, 25, []rgb{{0.7, 0.12, 0.1}, {0.12, 0.3, 0.6}, {0.6, 0.58, 0.5}}[i], p.attr(k))
	}
	c.write(typeLine(p), "strong", 17, ink, c.W/2, y+56, c.W-2*m-30, centre)
	c.textBox(p, m+20, y+84, c.W-2*m-40, 20, ink)
	c.disc(c.W-m-28, c.H-m-34, 20, rgb{0.7, 0.54, 0.12}, p.attr("gold_cost"))
}

func sideFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	col := 74.0
	column := stone(seed, clan.mix(ivory, 0.25), 0.45)
	c.fill(column, 1, rect(m, m, m+col, c.H-m-6))
	c.put(p.painting(c.W-2*m-col, 420), int(m+col), int(m))
	c.fill(paper(seed, ivory), 1, rect(m+col, m+420, c.W-m, c.H-m-6))
	c.fill(solid(gilded), 1, rect(m+col-3, m, m+col+2, c.H-m-6), rect(m+col, m+417, c.W-m, m+422))
	// The title runs upwards: written flat, then turned.
	flat := newCanvas(440, int(col))
	flat.each(func(x, y float64) rgb { return column(m+y, c.H-m-20-x) })
	flat.write(p.name, "title", 42, rgb{1, 0.98, 0.9}, 8, 50, 424, left)
	for y := range int(flat.W) {
		for x := range int(flat.H) - 4 {
			c.img.SetRGBA(int(m)+x, int(c.H-m)-24-y, flat.img.RGBAAt(y, x))
		}
	}
	for i, k := range []string{"force", "chi"} {
		c.disc(m+col/2, m+40+float64(i)*68, 29, []rgb{{0.72, 0.14, 0.1}, {0.14, 0.28, 0.55}}[i], p.attr(k))
	}
	c.write(typeLine(p), "strong", 17, ink, m+col+14, m+448, c.W-2*m-col-26, left)
	c.textBox(p, m+col+14, m+476, c.W-2*m-col-28, 19.5, ink)
	c.crest(p.clan, c.W-m-34, m+34, 24, ivory, clan)
}

func stripFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.fill(stone(seed, rgb{0.46, 0.33, 0.22}, 0.5), 1, rect(m, m, c.W-m, c.H-m-6))
	c.fill(solid(clan), 1, rect(m, m+10, c.W-m, m+70))
	c.fill(solid(gilded), 1, rect(m, m+66, c.W-m, m+72), rect(m, m+372, c.W-m, m+378))
	c.write(p.name, "title", 36, rgb{1, 0.98, 0.92}, c.W/2, m+52, c.W-2*m-20, centre)
	c.put(p.painting(c.W-2*m, 300), int(m), int(m)+72)
	c.fill(paper(seed, rgb{0.9, 0.84, 0.68}), 1, []pt{{m + 14, m + 410}, {c.W - m - 12, m + 402}, {c.W - m - 16, c.H - m - 60}, {m + 12, c.H - m - 54}})
	c.write(typeLine(p), "strong", 18, rgb{0.98, 0.94, 0.82}, c.W/2, m+397, 0, centre)
	c.textBox(p, m+32, m+444, c.W-2*m-64, 21, ink)
	c.disc(m+34, c.H-m-36, 27, rgb{0.7, 0.12, 0.1}, "+"+p.attr("force"))
	c.disc(c.W/2, c.H-m-36, 24, rgb{0.7, 0.54, 0.12}, p.attr("gold_cost"))
	c.disc(c.W-m-34, c.H-m-36, 27, rgb{0.2, 0.2, 0.22}, p.attr("focus"))
}

func archFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.fill(paper(seed, rgb{0.86, 0.79, 0.62}), 1, rect(m, m, c.W-m, c.H-m-6))
	for i := range 40 { // a woven edge
		y := m + float64(i)*(c.H-2*m)/40
		c.fill(solid(clan.mix(rgb{0.5, 0.1, 0.1}, float64(i%2)*0.7)), 0.9, []pt{{m, y}, {m + 16, y + 8}, {m, y + 16}}, []pt{{c.W - m, y}, {c.W - m, y + 16}, {c.W - m - 16, y + 8}})
	}
	x0, x1, top, bottom := m+44, c.W-m-44, m+24, m+392
	r := (x1 - x0) / 2
	var o []pt
	for k := range 25 {
		a := math.Pi + float64(k)/24*math.Pi
		o = append(o, pt{c.W/2 + r*math.Cos(a), top + r*0.62 + r*0.62*math.Sin(a)})
	}
	o = append(o, pt{x1, bottom}, pt{x0, bottom})
	grow := make([]pt, len(o))
	for i, q := range o {
		grow[i] = pt{c.W/2 + (q.X-c.W/2)*1.035, (top+bottom)/2 + (q.Y-(top+bottom)/2)*1.035}
	}
	c.fill(diagonal(pt{x0, top}, pt{x1, bottom}, gilded.mix(rgb{1, 1, 1}, 0.4), gilded.scale(0.45)), 1, grow)
	c.putInside(p.painting(x1-x0, bottom-top), x0, top, o)
	c.fill(vertical(m+386, m+440, clan.mix(rgb{1, 1, 1}, 0.15), clan.scale(0.5)), 1, spline([]pt{{m + 18, m + 402}, {c.W / 2, m + 384}, {c.W - m - 18, m + 402}, {c.W - m - 26, m + 446}, {c.W / 2, m + 430}, {m + 26, m + 446}, {m + 18, m + 402}}, 8))
	c.write(p.name, "title", 31, rgb{1, 0.98, 0.9}, c.W/2, m+424, c.W-2*m-80, centre)
	c.write(typeLine(p), "strong", 17, ink, c.W/2, m+468, 0, centre)
	c.textBox(p, m+40, m+498, c.W-2*m-80, 20, ink)
	c.disc(m+40, c.H-m-40, 26, rgb{0.7, 0.12, 0.1}, "+"+p.attr("force"))
	c.disc(c.W-m-40, c.H-m-40, 26, rgb{0.14, 0.28, 0.55}, "+"+p.attr("chi"))
	c.disc(c.W-m-40, m+44, 24, rgb{0.7, 0.54, 0.12}, p.attr("gold_cost"))
}

func holdingFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.fill(stone(seed, rgb{0.62, 0.56, 0.45}, 0.4), 1, roundRect(m, m, c.W-m, c.H-m-6, 12))
	c.put(p.painting(c.W-2*m-24, 330), int(m)+12, int(m)+12)
	c.fill(vertical(m+342, m+398, ivory, ivory.scale(0.7)), 1, rect(m+4, m+344, c.W-m-4, m+396))
	c.fill(solid(clan), 1, rect(m+4, m+342, c.W-m-4, m+347), rect(m+4, m+393, c.W-m-4, m+398))
	c.write(p.name, "title", 33, ink, m+88, m+382, c.W-2*m-110, left)
	c.disc(m+46, m+371, 37, rgb{0.76, 0.58, 0.1}, p.attr("gold_production"))
	c.fill(paper(seed, rgb{0.88, 0.85, 0.76}), 1, rect(m+14, m+410, c.W-m-14, c.H-m-20))
	c.write(typeLine(p), "strong", 18, ink, c.W/2, m+438, 0, centre)
	c.textBox(p, m+32, m+470, c.W-2*m-64, 21, ink)
	c.disc(c.W-m-34, c.H-m-40, 24, rgb{0.5, 0.4, 0.15}, p.attr("gold_cost"))
}

func scriptFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	rng := rand.New(rand.NewPCG(p.seed, 9))
	base := clan.mix(ivory, 0.55)
	c.fill(stone(seed, base, 0.35), 1, rect(m, m, c.W-m, c.H-m-6))
	// A printed ground of overlapping waves.
	r := 16 + rng.Float64()*14
	for row := 0; m+float64(row)*r*0.5 < c.H-m; row++ {
		for x := m + float64(row%2)*r; x < c.W-m; x += 2 * r {
			y := m + float64(row)*r*0.5
			if y+r > c.H-m-6 || x-r < m || x+r > c.W-m {
				continue
			}
			for k := range 3 {
				c.fill(solid(base.scale(0.8+0.16*float64(k%2))), 0.8, ellipse(x, y+r*0.4, r*(1-0.3*float64(k)), r*(1-0.3*float64(k)), 0))
			}
		}
	}
	cr := 150.0
	cy := m + 64 + cr
	c.fill(radial(pt{c.W/2 - 60, cy - 60}, 330, gilded.mix(rgb{1, 1, 1}, 0.4), gilded.scale(0.4)), 1, circle(c.W/2, cy, cr+9))
	c.putInside(p.painting(2*cr, 2*cr), c.W/2-cr, cy-cr, circle(c.W/2, cy, cr))
	c.fill(solid(ink), 0.88, rect(m, m+8, c.W-m, m+56))
	c.write(p.name, "title", 33, rgb{0.98, 0.93, 0.8}, c.W/2, m+44, c.W-2*m-24, centre)
	y := cy + cr + 22
	c.fill(paper(seed, ivory), 1, roundRect(m+12, y, c.W-m-12, c.H-m-18, 16))
	c.write(typeLine(p), "strong", 18, ink, c.W/2, y+27, 0, centre)
	c.textBox(p, m+34, y+58, c.W-2*m-68, 22, ink)
	c.disc(m+36, cy-cr+14, 26, rgb{0.7, 0.54, 0.12}, p.attr("gold_cost"))
	c.disc(c.W-m-36, cy-cr+14, 26, rgb{0.2, 0.2, 0.22}, p.attr("focus"))
}

func fullFrame(c *canvas, p printed, clan rgb) {
	c.put(p.painting(c.W, c.H), 0, 0)
	c.fill(solid(ink), 0.62, rect(0, 34, c.W, 92))
	c.stroke(solid(gilded), 1, 2, 2, []pt{{0, 36}, {c.W, 36}})
	c.stroke(solid(gilded), 1, 2, 2, []pt{{0, 90}, {c.W, 90}})
	c.write(p.name, "title", 34, rgb{1, 0.97, 0.88}, c.W/2, 74, c.W-50, centre)
	y := 500.0
	c.fill(solid(ivory), 0.74, roundRect(34, y, c.W-34, c.H-34, 14))
	c.write(typeLine(p), "strong", 18, ink, c.W/2, y+28, 0, centre)
	c.textBox(p, 54, y+58, c.W-108, 20, ink)
}

func panoramaFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.put(p.painting(c.W-2*m, 330), int(m), int(m))
	y := m + 318
	c.fill(paper(seed, rgb{0.86, 0.8, 0.66}), 1, rect(m, y, c.W-m, c.H-m-4))
	c.fill(vertical(y-24, y+22, rgb{0.3, 0.24, 0.18}, ink), 1, spline([]pt{{m + 90, y - 24}, {c.W / 2, y - 29}, {c.W - m - 90, y - 24}, {c.W - m - 110, y + 20}, {c.W / 2, y + 24}, {m + 110, y + 20}, {m + 90, y - 24}}, 8))
	c.write(p.name, "title", 32, ivory, c.W/2, y+9, c.W-2*m-240, centre)
	c.write(typeLine(p), "strong", 16, ink, m+16, y+38, 0, left)
	c.textBox(p, m+24, y+62, c.W-2*m-48, 18, ink)
}

func castleFrame(c *canvas, p printed, m float64, clan rgb) {
	seed := uint32(p.seed)
	c.fill(stone(seed, clan.scale(0.8), 0.5), 1, rect(m, m, c.W-m, c.H-m-4))
	c.put(p.painting(350, c.H-2*m-76), int(m)+10, int(m)+62)
	c.fill(vertical(m+6, m+54, gilded.mix(ivory, 0.5), gilded.scale(0.55)), 1, roundRect(m+8, m+8, c.W-m-8, m+54, 8))
	c.write(p.name, "title", 35, ink, m+24, m+43, c.W-2*m-120, left)
	c.crest(p.clan, c.W-m-40, m+31, 24, clan.scale(0.5), ivory)
	x := m + 370
	c.fill(paper(seed, ivory), 1, roundRect(x, m+62, c.W-m-10, c.H-m-86, 10))
	c.write(typeLine(p), "strong", 16, ink, x+12, m+88, c.W-m-x-30, left)
	c.textBox(p, x+14, m+118, c.W-m-x-36, 19, ink)
	for i, k := range []string{"province_strength", "gold_production", "starting_honor"} {
		c.disc(x+46+float64(i)*96, c.H-m-46, 33, []rgb{{0.3, 0.3, 0.34}, {0.74, 0.56, 0.1}, {0.6, 0.2, 0.18}}[i], p.attr(k))
	}
}

// drawBack draws a card back upright.
func drawBack(id string) *image.RGBA {
	c := newCanvas(faceShort, faceLong)
	seed := uint32(hash(id))
	u := c.W / 100
	switch id {
	case "dynasty":
		c.each(solid(rgb{0.06, 0.05, 0.05}))
		c.fill(stone(seed, rgb{0.12, 0.3, 0.2}, 0.7), 1, roundRect(22, 22, c.W-22, c.H-22, 12))
		c.put(paintMotif(mountains, 0xd1, 380, 360), 60, 90)
		for _, w := range []float64{0, 8} {
			c.fill(diagonal(pt{0, 0}, pt{c.W, c.H}, gilded.mix(rgb{1, 1, 1}, 0.3), gilded.scale(0.5)), 1, rect(54-w, 84-w, c.W-54+w, 456+w), reversed(rect(58-w, 88-w, c.W-58+w, 452+w)))
		}
		c.write("Four Houses", "title", 56, gilded.mix(ivory, 0.5), c.W/2, 545, 400, centre)
		c.write("dynasty", "strong", 40, ivory, c.W/2, 605, 400, centre)
		for i, cl := range []string{"Heron", "Boar", "Carp", "Moth"} {
			c.crest(cl, 125+float64(i)*83, 645, 24, ivory, clanColour(cl))
		}
	case "fate":
		c.each(solid(rgb{0.06, 0.05, 0.05}))
		c.fill(stone(seed, rgb{0.42, 0.12, 0.1}, 0.7), 1, roundRect(22, 22, c.W-22, c.H-22, 12))
		for k := range 24 {
			a := float64(k) * math.Pi / 12
			c.fill(solid(rgb{0.55, 0.2, 0.14}), 0.6, []pt{{250, 290}, {250 + 400*math.Cos(a), 290 + 400*math.Sin(a)}, {250 + 400*math.Cos(a+0.13), 290 + 400*math.Sin(a+0.13)}})
		}
		c.each(cut(c.img, 22, rgb{0.06, 0.05, 0.05}))
		c.fill(radial(pt{200, 230}, 300, gilded.mix(rgb{1, 1, 1}, 0.4), gilded.scale(0.4)), 1, circle(250, 290, 168))
		art := paintMotif(serpent, 0xfa7e, 312, 312)
		c.putInside(art, 94, 134, circle(250, 290, 156))
		c.write("Four Houses", "title", 56, gilded.mix(ivory, 0.5), c.W/2, 545, 400, centre)
		c.write("fate", "strong", 40, ivory, c.W/2, 605, 400, centre)
	case "castle":
		c.each(stone(seed, rgb{0.24, 0.2, 0.3}, 0.6))
		c.put(paintMotif(tower, 0xca5, 452, 652), 24, 24)
		c.fill(solid(ink), 0.7, rect(24, 30, c.W-24, 104))
		c.write("Four Houses", "title", 52, gilded.mix(ivory, 0.5), c.W/2, 86, 400, centre)
	default: // lotus
		c.each(solid(rgb{0.93, 0.92, 0.89}))
		c.fill(stone(seed, rgb{0.13, 0.2, 0.42}, 0.35), 1, roundRect(26, 26, c.W-26, c.H-26, 14))
		for y := 50.0; y < c.H-30; y += 30 {
			for x := 50.0; x < c.W-30; x += 30 {
				for k := range 4 {
					s, co := math.Sincos(float64(k) * math.Pi / 2)
					c.stroke(solid(rgb{0.5, 0.6, 0.82}), 0.6, 1.5, 3, []pt{{x, y}, {x + 15*co, y + 15*s}})
				}
				c.fill(solid(rgb{0.6, 0.68, 0.86}), 0.5, circle(x, y, 4))
			}
		}
		c.fill(solid(rgb{0.93, 0.92, 0.89}), 1, circle(250, 350, 128))
		c.fill(stone(seed+1, rgb{0.16, 0.24, 0.5}, 0.3), 1, circle(250, 350, 118))
		for ring := range 3 {
			n := 8
			for k := range n {
				a := (float64(k) + float64(ring)*0.5) * 2 * math.Pi / float64(n)
				s, co := math.Sincos(a)
				l := 108 - 30*float64(ring)
				c.fill(radial(pt{250, 350}, l, rgb{0.98, 0.85, 0.88}, rgb{0.8, 0.35, 0.5}.mix(rgb{1, 1, 1}, 0.2*float64(ring))), 0.96, spline([]pt{{250, 350}, {250 + co*l*0.55 - s*l*0.24, 350 + s*l*0.55 + co*l*0.24}, {250 + co*l, 350 + s*l}, {250 + co*l*0.55 + s*l*0.24, 350 + s*l*0.55 - co*l*0.24}, {250, 350}}, 6))
			}
		}
		c.fill(solid(gilded), 1, circle(250, 350, 4*u))
		symmetrize(c.img)
	}
	return c.img
}

// cut keeps the picture within a margin and paints the rest.
func cut(img *image.RGBA, m float64, outside rgb) paint {
	b := img.Bounds()
	return func(x, y float64) rgb {
		if x < m || y < m || x > float64(b.Dx())-m || y > float64(b.Dy())-m {
			return outside
		}
		v := img.RGBAAt(int(x), int(y))
		return rgb{float64(v.R) / 255, float64(v.G) / 255, float64(v.B) / 255}
	}
}

// symmetrize makes the picture the same after half a turn, to the pixel.
func symmetrize(img *image.RGBA) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for y := range h {
		for x := range w {
			if y*w+x >= w*h/2 {
				return
			}
			a, b := img.RGBAAt(x, y), img.RGBAAt(w-1-x, h-1-y)
			v := color.RGBA{uint8((int(a.R) + int(b.R)) / 2), uint8((int(a.G) + int(b.G)) / 2), uint8((int(a.B) + int(b.B)) / 2), 255}
			img.SetRGBA(x, y, v)
			img.SetRGBA(w-1-x, h-1-y, v)
		}
	}
}
