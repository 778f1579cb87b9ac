package tablesim

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

// Renderer photographs scenes through one camera under one level's conditions.
// It keeps the last picture before noise and redraws only what changed, so it
// is not safe for use by several goroutines at once.
type Renderer struct {
	deck  *deck.Deck
	level Level
	cam   Camera
	proj  Projection
	light *lighting
	table TableKind

	// place is the spot of the bare table that each pixel sees, in mm.
	place []board32
	// bare is the table without anything on it, in linear light, before light
	// falls on it.
	bare []stored
	// settled is the table with everything that rests on it, as bare is.
	settled []stored
	resting []drawable
	// film is what fell on the sensor: settled with what is in the air, lit and
	// blurred. White is filmWhite.
	film   []uint16
	flying []drawable
	drawn  bool // settled and film hold resting and flying

	pxPerMM  float64
	psf      []float32 // one half of the focus blur's kernel, middle first
	encode   []uint16
	noise    []int16
	tone     [filmSize]float32 // linear light of a film value
	contrast float64
	textures map[textureKey]*texture
	sprites  map[any]*sprite
	scratch  pass
	lightRow []lin
	seed     uint64
}

// stored is a colour in linear light as whole pictures of it are kept, up to 2 and
// to half a step of encode.
type stored struct{ r, g, b uint16 }

const storedUnit = 1 << 15

func store(c lin) stored {
	unit := func(v float32) uint16 { return uint16(max(0, min(v*storedUnit+0.5, math.MaxUint16))) }
	return stored{unit(c.R), unit(c.G), unit(c.B)}
}

func (s stored) lin() lin {
	return lin{float32(s.r) / storedUnit, float32(s.g) / storedUnit, float32(s.b) / storedUnit}
}

type board32 struct{ X, Y float32 }

const (
	// filmWhite is the film value of white; the rest is room for overexposure
	// and for noise on both sides.
	filmWhite  = 2560
	filmOffset = 512
	filmSize   = 8192
	filmMax    = 6000
	// encodeSteps is how finely linear light is looked up.
	encodeSteps = 16384
	encodeMax   = 3.0
	// noiseSide is the side of the square of ready-made noise.
	noiseSide = 512
)

// NewRenderer prepares table and light. The seed chooses the table and every
// value that the level gives a range for.
func NewRenderer(d *deck.Deck, level Level, cam Camera, seed uint64) (*Renderer, error) {
	proj, err := cam.Projection()
	if err != nil {
		return nil, err
	}
	if len(level.Tables) == 0 {
		return nil, fmt.Errorf("tablesim: level %q names no table to choose from", level.Name)
	}
	rng := rand.New(rand.NewPCG(seed, 0x7461626c65))
	r := &Renderer{
		deck: d, level: level, cam: cam, proj: proj, seed: seed,
		textures: map[textureKey]*texture{}, sprites: map[any]*sprite{},
		pxPerMM:  proj.focal / cam.DistanceMM,
		contrast: 0.15 + 0.35*rng.Float64(),
	}
	r.light = newLighting(rng, level, cam, proj)
	r.table = level.Tables[rng.IntN(len(level.Tables))]
	g, err := newGround(r.table, rng, cam.Area)
	if err != nil {
		return nil, err
	}
	scale := float64(cam.Height) / 1080
	r.setPSF(level.BlurPx.draw(rng) * scale)
	r.makeNoise(rng, level.Noise.draw(rng))
	r.encode = make([]uint16, int(encodeMax*encodeSteps)+1)
	for i := range r.encode {
		r.encode[i] = uint16(min(filmMax, filmOffset+filmWhite*linearToSRGB(float64(i)/encodeSteps)))
	}
	for i := range r.tone {
		r.tone[i] = float32(srgbToLinear(max(0, float64(i-filmOffset)/filmWhite)))
	}
	r.prepareTable(g)
	return r, nil
}

// Table says which ground the seed chose.
func (r *Renderer) Table() TableKind { return r.table }

// Projection is the map from the table to the picture.
func (r *Renderer) Projection() Projection { return r.proj }

func (r *Renderer) prepareTable(g ground) {
	w, h := r.cam.Width, r.cam.Height
	r.place = make([]board32, w*h)
	r.bare = make([]stored, w*h)
	r.settled = make([]stored, w*h)
	r.film = make([]uint16, 3*w*h)
	mm := 1 / r.pxPerMM
	// Rows know nothing of each other: use what cores there are.
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for k := range workers {
		wg.Go(func() {
			for y := k; y < h; y += workers {
				for x := range w {
					q := r.proj.ToTable(board.Point{X: float64(x), Y: float64(y)}, 0)
					r.place[y*w+x] = board32{float32(q.X), float32(q.Y)}
					r.bare[y*w+x] = store(g(q, mm))
				}
			}
		})
	}
	wg.Wait()
}

// setPSF makes the kernel of the focus blur.
func (r *Renderer) setPSF(sigma float64) {
	n := int(math.Ceil(2.6 * sigma))
	k := make([]float32, n+1)
	var sum float64
	for i := range k {
		// The mean of the Gaussian over a pixel, not its value in the middle.
		a := math.Erf((float64(i)+0.5)/(sigma*math.Sqrt2)) - math.Erf((float64(i)-0.5)/(sigma*math.Sqrt2))
		k[i] = float32(a)
		if i == 0 {
			sum += a
		} else {
			sum += 2 * a
		}
	}
	for i := range k {
		k[i] /= float32(sum)
	}
	r.psf = k
}

// makeNoise prepares the sensor's noise. In the encoded picture shot noise has
// about the same spread in dark and light places (the encoding is close to the
// square root that makes a Poisson variable's variance even), so one table
// serves all. Demosaicing leaves it slightly smooth, more so in colour.
func (r *Renderer) makeNoise(rng *rand.Rand, sigma8 float64) {
	const n = noiseSide
	white := func() []float32 {
		a := make([]float32, n*n)
		for i := range a {
			a[i] = float32(rng.NormFloat64())
		}
		return a
	}
	smoothed := func(a []float32, side float32) []float32 {
		out := make([]float32, n*n)
		norm := 1 / float32(1+2*side*side) // keeps the variance at 1 for two passes of [side 1 side]
		tmp := make([]float32, n*n)
		for y := range n {
			for x := range n {
				tmp[y*n+x] = a[y*n+x] + side*(a[y*n+(x+1)%n]+a[y*n+(x+n-1)%n])
			}
		}
		for y := range n {
			for x := range n {
				out[y*n+x] = (tmp[y*n+x] + side*(tmp[(y+1)%n*n+x]+tmp[(y+n-1)%n*n+x])) * norm
			}
		}
		return out
	}
	luma := smoothed(white(), 0.22)
	r.noise = make([]int16, 3*n*n)
	sigma := sigma8 * filmWhite / 255
	for c, gain := range []float64{0.75, 0.45, 0.95} {
		chroma := smoothed(white(), 0.7)
		for i := range luma {
			v := sigma * (0.8*float64(luma[i]) + gain*float64(chroma[i]))
			r.noise[3*i+c] = int16(max(-filmOffset+1, min(filmOffset-1, v)))
		}
	}
}

// Render draws the scene as the camera sees it at the given frame number, which
// moves noise and exposure on. The picture is the caller's to keep.
func (r *Renderer) Render(s Scene, frame uint64) (*image.RGBA, error) {
	img := image.NewRGBA(image.Rect(0, 0, r.cam.Width, r.cam.Height))
	if err := r.renderInto(img, s, frame); err != nil {
		return nil, err
	}
	return img, nil
}

// renderInto draws into a picture of the camera's size, all of it.
func (r *Renderer) renderInto(img *image.RGBA, s Scene, frame uint64) error {
	resting, flying, err := r.drawables(s)
	if err != nil {
		return err
	}
	full := image.Rect(0, 0, r.cam.Width, r.cam.Height)
	moved, flown := []image.Rectangle{full}, []image.Rectangle(nil)
	if r.drawn {
		moved, flown = changes(r.resting, resting), changes(r.flying, flying)
	}
	r.resting, r.flying, r.drawn = resting, flying, true
	for _, rect := range merged(moved, full) {
		for _, band := range bands(rect) {
			r.settle(band)
		}
	}
	for _, rect := range merged(append(moved, flown...), full) {
		for _, band := range bands(rect) {
			r.expose(band)
		}
	}
	r.develop(img, frame)
	return nil
}

// drawable is one thing of a scene, ready to be drawn.
type drawable struct {
	key    any // equal keys draw the same
	bounds image.Rectangle
	draw   func(*pass)
	// covers says whether the thing hides the pixel.
	covers func(px board.Point) bool
}

// changes lists where two scenes differ: the places of things that came, went
// or changed their order.
func changes(old, next []drawable) []image.Rectangle {
	count := func(list []drawable) map[any]int {
		m := make(map[any]int, len(list))
		for i := range list {
			m[list[i].key]++
		}
		return m
	}
	inOld, inNext := count(old), count(next)
	var rects []image.Rectangle
	kept := func(list []drawable, other map[any]int) []drawable {
		var same []drawable
		for i := range list {
			if other[list[i].key] > 0 {
				same = append(same, list[i])
			} else {
				rects = append(rects, list[i].bounds)
			}
		}
		return same
	}
	a, b := kept(old, inNext), kept(next, inOld)
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i].key == b[i].key {
			continue
		}
		if i < len(a) {
			rects = append(rects, a[i].bounds)
		}
		if i < len(b) {
			rects = append(rects, b[i].bounds)
		}
	}
	return rects
}

// merged joins rectangles that overlap, or nearly, within the picture.
func merged(rects []image.Rectangle, full image.Rectangle) []image.Rectangle {
	var out []image.Rectangle
	for _, a := range rects {
		a = a.Intersect(full)
		if a.Empty() {
			continue
		}
		for again := true; again; {
			again = false
			for i, b := range out {
				u := a.Union(b)
				if area(u) <= area(a)+area(b)+4096 || a.Overlaps(b) && area(u) < 3*(area(a)+area(b))/2 {
					a, again = u, true
					out = slices.Delete(out, i, i+1)
					break
				}
			}
		}
		out = append(out, a)
	}
	return out
}

// bands cuts a rectangle into strips of rows, which keeps the buffers of a pass
// small.
func bands(r image.Rectangle) []image.Rectangle {
	const rows = 192
	var out []image.Rectangle
	for y := r.Min.Y; y < r.Max.Y; y += rows {
		out = append(out, image.Rect(r.Min.X, y, r.Max.X, min(y+rows, r.Max.Y)))
	}
	return out
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// pass is a part of the picture being drawn, in linear light.
type pass struct {
	r    *Renderer
	rect image.Rectangle
	pix  []lin
	tmp  []lin
	acc  []acc // for things that move while the shutter is open
}

type acc struct{ R, G, B, A float32 }

// begin starts a pass over a rectangle of the picture with what from holds.
func (r *Renderer) begin(rect image.Rectangle, from []stored) *pass {
	p := &r.scratch
	p.r, p.rect = r, rect
	w := rect.Dx()
	p.pix = grown(p.pix, w*rect.Dy())
	for y := range rect.Dy() {
		row := from[(rect.Min.Y+y)*r.cam.Width+rect.Min.X:]
		for x, c := range row[:w] {
			p.pix[y*w+x] = c.lin()
		}
	}
	return p
}

func (p *pass) draw(things []drawable) {
	for i := range things {
		if things[i].bounds.Overlaps(p.rect) {
			things[i].draw(p)
		}
	}
}

// settle draws what rests in a rectangle of the picture from scratch.
func (r *Renderer) settle(rect image.Rectangle) {
	p := r.begin(rect, r.bare)
	p.draw(r.resting)
	w := rect.Dx()
	for y := range rect.Dy() {
		row := r.settled[(rect.Min.Y+y)*r.cam.Width+rect.Min.X:]
		for x, c := range p.pix[y*w : (y+1)*w] {
			row[x] = store(c)
		}
	}
}

// expose draws what is in the air over a rectangle of the picture and puts the
// whole onto the film.
func (r *Renderer) expose(rect image.Rectangle) {
	margin := len(r.psf) - 1
	p := r.begin(rect.Inset(-margin).Intersect(image.Rect(0, 0, r.cam.Width, r.cam.Height)), r.settled)
	p.draw(r.flying)
	w, h := p.rect.Dx(), p.rect.Dy()
	p.tmp = grown(p.tmp, w*h)
	r.lightRow = grown(r.lightRow, w)
	for y := range h {
		r.light.row(p.rect.Min.Y+y, p.rect.Min.X, p.rect.Max.X, r.lightRow)
		row := p.pix[y*w : (y+1)*w]
		for x, l := range r.lightRow {
			v := &row[x]
			v.R *= l.R
			v.G *= l.G
			v.B *= l.B
		}
	}
	// Focus blur, along rows and then down columns.
	k := r.psf
	for y := range h {
		src, dst := p.pix[y*w:(y+1)*w], p.tmp[y*w:(y+1)*w]
		for x := range dst {
			v := src[x].scale(k[0])
			for i := 1; i < len(k); i++ {
				a, b := &src[max(x-i, 0)], &src[min(x+i, w-1)]
				f := k[i]
				v.R += f * (a.R + b.R)
				v.G += f * (a.G + b.G)
				v.B += f * (a.B + b.B)
			}
			dst[x] = v
		}
	}
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		ly := y - p.rect.Min.Y
		off := rect.Min.X - p.rect.Min.X
		out := r.film[3*(y*r.cam.Width+rect.Min.X) : 3*(y*r.cam.Width+rect.Max.X)]
		row := p.pix[:rect.Dx()]
		mid := p.tmp[ly*w+off:]
		for x := range row {
			row[x] = mid[x].scale(k[0])
		}
		for i := 1; i < len(k); i++ {
			a, b := p.tmp[max(ly-i, 0)*w+off:], p.tmp[min(ly+i, h-1)*w+off:]
			f := k[i]
			for x := range row {
				row[x].R += f * (a[x].R + b[x].R)
				row[x].G += f * (a[x].G + b[x].G)
				row[x].B += f * (a[x].B + b[x].B)
			}
		}
		for x, v := range row {
			out[3*x] = r.encoded(v.R)
			out[3*x+1] = r.encoded(v.G)
			out[3*x+2] = r.encoded(v.B)
		}
	}
}

func (r *Renderer) encoded(v float32) uint16 {
	i := int(v * encodeSteps)
	return r.encode[max(0, min(i, len(r.encode)-1))]
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// develop turns the film into a picture: noise, exposure and tone curve.
func (r *Renderer) develop(img *image.RGBA, frame uint64) {
	rng := rand.New(rand.NewPCG(r.seed, frame))
	t := float64(frame)
	gain := 1 + r.level.Drift*(0.6*math.Sin(t/37+float64(r.seed%7))+0.3*math.Sin(t/11.3)+0.1*rng.Float64())
	var lut [filmSize]uint8
	for i := range lut {
		v := min(1, linearToSRGB(float64(r.tone[i])*gain))
		// The soft S of a camera's picture style.
		v += r.contrast * (v*v*(3-2*v) - v)
		lut[i] = uint8(max(0, min(255, v*255+0.5)))
	}
	w, h := r.cam.Width, r.cam.Height
	ny := rng.IntN(noiseSide)
	nx := rng.IntN(noiseSide)
	for y := range h {
		src := r.film[3*y*w : 3*(y+1)*w]
		dst := img.Pix[y*img.Stride : y*img.Stride+4*w]
		row := r.noise[3*noiseSide*((y+ny)%noiseSide):][:3*noiseSide]
		at := (nx + y/noiseSide*131) % noiseSide
		for x := 0; x < w; {
			n := min(w-x, noiseSide-at)
			s, d, e := src[3*x:3*(x+n)], dst[4*x:4*(x+n)], row[3*at:3*(at+n)]
			for len(s) >= 3 && len(d) >= 4 && len(e) >= 3 {
				d[0] = lut[(int(s[0])+int(e[0]))&(filmSize-1)]
				d[1] = lut[(int(s[1])+int(e[1]))&(filmSize-1)]
				d[2] = lut[(int(s[2])+int(e[2]))&(filmSize-1)]
				d[3] = 255
				s, d, e = s[3:], d[4:], e[3:]
			}
			x += n
			at = 0
		}
	}
}
