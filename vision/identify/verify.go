package identify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
)

// Verifier tells what a place in a frame shows from the part of it that is in
// view. Where the cards above are known, an outline and a name can be told from
// a strip.
type Verifier struct {
	pictures []Pictured
	refs     []print
	scratch  sync.Pool
}

// print is a reference on the grid: luma and both colour differences (plus
// 128), as sharp as a camera over a table sees them.
type print struct {
	planes [channels][]uint8
}

const channels = 3

// chromaGain lifts the colour differences, which vary less than luma does and
// are what strips are told apart by.
const chromaGain = 1.6

// NewVerifier prepares a catalogue's pictures.
func NewVerifier(cat *catalog.Catalog) (*Verifier, error) {
	if cat == nil {
		return nil, errors.New("identify: no catalogue given; load one first")
	}
	v := &Verifier{}
	cards, backs := cat.Cards(), cat.Backs()
	v.scratch.New = func() any { return newViewScratch() }
	for i, p := range cat.Pictures() {
		img, err := p.Read()
		if err != nil {
			return nil, fmt.Errorf("identify: %w", err)
		}
		grid := gridPlanes(img)
		v.refs = append(v.refs, newPrint(grid.y, grid.cb, grid.cr))
		shown := Pictured{Wide: p.Wide}
		if i < len(cards) {
			shown.Card = cards[i].Ref()
		} else {
			shown.Back = backs[i-len(cards)]
			shown.Symmetric, _ = cat.Symmetric(shown.Back)
		}
		v.pictures = append(v.pictures, shown)
	}
	return v, nil
}

// Pictured is what a picture of the catalogue is of.
type Pictured struct {
	Card *board.CardRef // nil for a back
	Back board.BackID
	// Wide: printed in landscape. Symmetric: a back that looks the same both ways.
	Wide, Symmetric bool
}

// Picture says what a picture of the catalogue is of: the cards come first, in
// their order, then the backs.
func (v *Verifier) Picture(number int) Pictured { return v.pictures[number] }

func newPrint(y, cb, cr []float32) print {
	var p print
	tmp := make([]float32, gridW*gridH)
	for c, plane := range [channels][]float32{y, cb, cr} {
		soften(plane, tmp)
		p.planes[c] = make([]uint8, gridW*gridH)
		for i, v := range plane {
			if c > 0 {
				v += 128
			}
			p.planes[c][i] = uint8(min(max(v+0.5, 0), 255))
		}
	}
	return p
}

// viewScratch is the memory of one look.
type viewScratch struct {
	patch   patch
	hidden  []bool // patchW×patchH: something lies on it
	pixels  []pixelAt
	seen    [channels][]float32
	windows []window
	packed  []float32 // the patch, its channels side by side
	tmpl    template
}

func newViewScratch() *viewScratch {
	plane := func() []float32 { return make([]float32, patchW*patchH) }
	return &viewScratch{patch: patch{y: plane(), cb: plane(), cr: plane()}, hidden: make([]bool, patchW*patchH), packed: make([]float32, channels*patchW*patchH+6)}
}

// pixelAt is a grid pixel in view.
type pixelAt struct{ x, y int16 }

// rigid is a small move of the grid about its middle: dx, dy in grid units, a in
// radians, s a growth as a share, all relative to the quad that was cut out.
type rigid struct{ dx, dy, a, s float64 }

// turn is the move's rotation and growth.
func (m *rigid) turn() (sin, cos float32) {
	sn, cs := math.Sincos(m.a)
	return float32(sn * (1 + m.s)), float32(cs * (1 + m.s))
}

// at is where in the patch the middle of a grid pixel lies.
func (m *rigid) at(x, y float32, sin, cos float32) (float32, float32) {
	u, v := x+0.5-gridW/2, y+0.5-gridH/2
	return cos*u - sin*v + gridW/2 + margin - 0.5 + float32(m.dx),
		sin*u + cos*v + gridH/2 + margin - 0.5 + float32(m.dy)
}

// cover marks what lies on the place: outlines in pixels of the frame, and what
// lies outside it.
func (s *viewScratch) cover(quad board.Quad, covers []board.Quad, frameW, frameH int) error {
	grid := board.Quad{{X: 0, Y: 0}, {X: gridW, Y: 0}, {X: gridW, Y: gridH}, {X: 0, Y: gridH}}
	toGrid, err := board.HomographyFromQuads(quad, grid)
	if err != nil {
		return err
	}
	clear(s.hidden)
	for _, c := range covers {
		s.hide(c.Map(toGrid.Apply))
	}
	w, h := float64(frameW), float64(frameH)
	toFrame, err := toGrid.Inverse()
	if err != nil {
		return err
	}
	all := true
	for _, p := range [4]board.Point{{X: -margin, Y: -margin}, {X: gridW + margin, Y: -margin}, {X: gridW + margin, Y: gridH + margin}, {X: -margin, Y: gridH + margin}} {
		q := toFrame.Apply(p)
		all = all && q.X >= 0 && q.Y >= 0 && q.X < w-1 && q.Y < h-1
	}
	if all {
		return nil
	}
	for y := range patchH {
		for x := range patchW {
			q := toFrame.Apply(board.Point{X: float64(x) + 0.5 - margin, Y: float64(y) + 0.5 - margin})
			if q.X < 1 || q.Y < 1 || q.X >= w-2 || q.Y >= h-2 {
				s.hidden[y*patchW+x] = true
			}
		}
	}
	return nil
}

// hide marks the pixels of the patch within a convex quad given in grid units.
func (s *viewScratch) hide(q board.Quad) {
	lo, hi := q[0], q[0]
	for _, p := range q {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, p.X), min(lo.Y, p.Y), max(hi.X, p.X), max(hi.Y, p.Y)
	}
	x0, x1 := max(int(lo.X)+margin-1, 0), min(int(hi.X)+margin+2, patchW)
	y0, y1 := max(int(lo.Y)+margin-1, 0), min(int(hi.Y)+margin+2, patchH)
	// The quad is clockwise: inside is to the right of each edge.
	var nx, ny, nc [4]float64
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		nx[i], ny[i] = a.Y-b.Y, b.X-a.X
		nc[i] = -(nx[i]*a.X + ny[i]*a.Y)
	}
	for y := y0; y < y1; y++ {
		v := float64(y) + 0.5 - margin
		for x := x0; x < x1; x++ {
			u := float64(x) + 0.5 - margin
			if nx[0]*u+ny[0]*v+nc[0] >= 0 && nx[1]*u+ny[1]*v+nc[1] >= 0 && nx[2]*u+ny[2]*v+nc[2] >= 0 && nx[3]*u+ny[3]*v+nc[3] >= 0 {
				s.hidden[y*patchW+x] = true
			}
		}
	}
}

// choosePixels lists the grid pixels that are in view under a move, every step-th
// both ways. The card's very edge is left out: corners are round, and what lies
// beside shines in.
func (s *viewScratch) choosePixels(m *rigid, step int) {
	s.pixels = s.pixels[:0]
	sin, cos := m.turn()
	const edge = 1
	for y := edge; y < gridH-edge; y += step {
		for x := edge; x < gridW-edge; x += step {
			px, py := m.at(float32(x), float32(y), sin, cos)
			ix, iy := int(px+0.5), int(py+0.5)
			if ix < 1 || iy < 1 || ix >= patchW-2 || iy >= patchH-2 || s.hidden[iy*patchW+ix] {
				continue
			}
			i := iy*patchW + ix
			if s.patch.y[i] > bleached { // glare tells nothing, and white says little
				continue
			}
			s.pixels = append(s.pixels, pixelAt{int16(x), int16(y)})
		}
	}
}

// bleached is the luma from which on a pixel is taken for glare.
const bleached = 252

// read takes the chosen pixels of the patch through a move.
func (s *viewScratch) read(m *rigid) {
	sin, cos := m.turn()
	for c := range channels {
		if cap(s.seen[c]) < len(s.pixels) {
			s.seen[c] = make([]float32, gridW*gridH)
		}
		s.seen[c] = s.seen[c][:len(s.pixels)]
	}
	for i, p := range s.pixels {
		x, y := m.at(float32(p.x), float32(p.y), sin, cos)
		x, y = min(max(x, 0), patchW-2), min(max(y, 0), patchH-2)
		s.seen[0][i] = bilinear(s.patch.y, x, y)
		s.seen[1][i] = bilinear(s.patch.cb, x, y) * chromaGain
		s.seen[2][i] = bilinear(s.patch.cr, x, y) * chromaGain
	}
}

// index is a grid pixel's in a plane, which stands on its head when turned.
func (p *print) index(at pixelAt, turned bool) int {
	i := int(at.y)*gridW + int(at.x)
	if turned {
		return gridW*gridH - 1 - i
	}
	return i
}

// window is a square of pixels that are compared on their own.
type window struct {
	pixels []int32 // of viewScratch.pixels
}

const (
	windowSize   = 8
	windowStep   = 4
	windowPixels = 28 // least in view
)

// chooseWindows cuts what is in view into overlapping squares.
func (s *viewScratch) chooseWindows() {
	s.windows = s.windows[:0]
	const nx, ny = (gridW-windowSize)/windowStep + 1, (gridH-windowSize)/windowStep + 1
	var cells [nx * ny][]int32
	for i, p := range s.pixels {
		x, y := int(p.x), int(p.y)
		for wy := max(0, (y-windowSize)/windowStep+1); wy <= min(y/windowStep, ny-1); wy++ {
			for wx := max(0, (x-windowSize)/windowStep+1); wx <= min(x/windowStep, nx-1); wx++ {
				cells[wy*nx+wx] = append(cells[wy*nx+wx], int32(i))
			}
		}
	}
	for _, c := range cells {
		if len(c) >= windowPixels {
			s.windows = append(s.windows, window{c})
		}
	}
}

// floorVar is the variance in grey levels squared that noise may have.
const floorVar = 25

// global is the ZNCC of all that is in view, the channels taken together.
func (s *viewScratch) global(p *print, turned bool) float64 {
	n := float64(len(s.pixels))
	if n == 0 {
		return 0
	}
	var cov, va, vb float64
	for c := range channels {
		g := float32(1)
		if c > 0 {
			g = chromaGain
		}
		plane := p.planes[c]
		var sa, sb, saa, sbb, sab float32
		seen := s.seen[c]
		for i, at := range s.pixels {
			a := seen[i]
			b := float32(plane[p.index(at, turned)]) * g
			sa += a
			sb += b
			saa += a * a
			sbb += b * b
			sab += a * b
		}
		fa, fb := float64(sa), float64(sb)
		cov += float64(sab) - fa*fb/n
		va += float64(saa) - fa*fa/n
		vb += float64(sbb) - fb*fb/n
	}
	return cov / math.Sqrt((max(va, 0)+floorVar*n)*(max(vb, 0)+floorVar*n))
}

// local compares window by window: the mean of their ZNCC, weighed by how much
// there is to see, and the share of them that fit.
func (s *viewScratch) local(p *print, c *contender) {
	c.z = make([]float32, len(s.windows))
	var sum, total, fitting float64
	for i, w := range s.windows {
		n := float32(len(w.pixels))
		var cov, va, vb float32
		for ch := range channels {
			g := float32(1)
			if ch > 0 {
				g = chromaGain
			}
			plane := p.planes[ch]
			var sa, sb, saa, sbb, sab float32
			seen := s.seen[ch]
			for _, k := range w.pixels {
				a := seen[k]
				b := float32(plane[p.index(s.pixels[k], c.turned)]) * g
				sa += a
				sb += b
				saa += a * a
				sbb += b * b
				sab += a * b
			}
			cov += sab - sa*sb/n
			va += saa - sa*sa/n
			vb += sbb - sb*sb/n
		}
		va, vb = max(va, 0)/n, max(vb, 0)/n
		z := float64(cov/n) / math.Sqrt(float64((va+floorVar)*(vb+floorVar)))
		c.z[i] = float32(z)
		// What is flat in the card must be flat in the picture too.
		weight := float64(n) / (windowSize * windowSize) * windowShare * float64(max(va/(va+100), vb/(vb+100)))
		sum += weight * z
		total += weight
		if z > windowFits {
			fitting += weight
		}
	}
	if total > 0 {
		c.local, c.weight, c.fitting = sum/total, total, fitting/total
	}
}

// windowFits is the ZNCC from which on a window fits.
const windowFits = 0.6

// template is a reference at the chosen pixels, ready to be compared with the
// picture through many moves.
type template struct {
	values []float32 // the channels of each pixel
	sum    [channels]float32
	power  float32 // variance times the number of pixels
}

// pack lays the patch's channels side by side.
func (s *viewScratch) pack() {
	for i, y := range s.patch.y {
		s.packed[3*i], s.packed[3*i+1], s.packed[3*i+2] = y, s.patch.cb[i]*chromaGain, s.patch.cr[i]*chromaGain
	}
}

// template takes the reference at the chosen pixels.
func (s *viewScratch) template(p *print, turned bool) *template {
	t := &s.tmpl
	t.values = t.values[:0]
	t.sum, t.power = [channels]float32{}, 0
	for _, at := range s.pixels {
		i := p.index(at, turned)
		for c := range channels {
			v := float32(p.planes[c][i])
			if c > 0 {
				v = (v - 128) * chromaGain
			}
			t.values = append(t.values, v)
			t.sum[c] += v
			t.power += v * v
		}
	}
	for _, sum := range t.sum {
		t.power -= sum * sum / float32(len(s.pixels))
	}
	return t
}

// fit is what alignment maximises: the ZNCC of the chosen pixels, taken from the
// nearest pixels of the patch when it need not be exact.
func (s *viewScratch) fit(t *template, m *rigid, exact bool) float64 {
	sin, cos := m.turn()
	n := float32(len(s.pixels))
	var sum [channels]float32
	var power, cov float32
	for i, p := range s.pixels {
		x, y := m.at(float32(p.x), float32(p.y), sin, cos)
		x, y = min(max(x, 0), patchW-2), min(max(y, 0), patchH-2)
		b := t.values[3*i : 3*i+3]
		var a0, a1, a2 float32
		if exact {
			ix, iy := int(x), int(y)
			ax, ay := x-float32(ix), y-float32(iy)
			q := s.packed[3*(iy*patchW+ix):]
			r := q[3*patchW:]
			w00, w01, w10, w11 := (1-ax)*(1-ay), ax*(1-ay), (1-ax)*ay, ax*ay
			a0 = w00*q[0] + w01*q[3] + w10*r[0] + w11*r[3]
			a1 = w00*q[1] + w01*q[4] + w10*r[1] + w11*r[4]
			a2 = w00*q[2] + w01*q[5] + w10*r[2] + w11*r[5]
		} else {
			q := s.packed[3*(int(y+0.5)*patchW+int(x+0.5)):]
			a0, a1, a2 = q[0], q[1], q[2]
		}
		sum[0] += a0
		sum[1] += a1
		sum[2] += a2
		power += a0*a0 + a1*a1 + a2*a2
		cov += a0*b[0] + a1*b[1] + a2*b[2]
	}
	for c, v := range sum {
		power -= v * v / n
		cov -= v * t.sum[c] / n
	}
	noise := floorVar * n
	return float64(cov) / math.Sqrt(float64((max(power, 0)+noise)*(max(t.power, 0)+noise)))
}

// search tries moves on a coarse lattice about one: a place that was found by its
// rough look is off by some millimetres and degrees.
func (s *viewScratch) search(t *template, about rigid, off float64) (rigid, float64) {
	const move, turn = 2.0, 0.045
	reach := int(off / move)
	best := about
	fit := s.fit(t, &best, false)
	for a := -1; a <= 1; a++ {
		for y := -reach; y <= reach; y++ {
			for x := -reach; x <= reach; x++ {
				m := rigid{about.dx + move*float64(x), about.dy + move*float64(y), about.a + turn*float64(a), about.s}
				if f := s.fit(t, &m, false); f > fit {
					best, fit = m, f
				}
			}
		}
	}
	return best, fit
}

// mostGrowth is how far the scale of a place may be off: far from the cards that
// tell the plane it is not known exactly.
const mostGrowth = 0.12

// climb goes from a move to the best one nearby, in ever smaller steps. Only with
// grow may the scale change.
func (s *viewScratch) climb(t *template, m rigid, grow bool, steps ...float64) (rigid, float64) {
	best := s.fit(t, &m, true)
	for _, step := range steps {
		ends := step / 40 // moves the card's ends by as much
		moves := []rigid{{dx: step}, {dx: -step}, {dy: step}, {dy: -step}, {a: ends}, {a: -ends}, {s: ends}, {s: -ends}}
		if !grow {
			moves = moves[:6]
		}
		for improved, rounds := true, 0; improved && rounds < 5; rounds++ {
			improved = false
			for _, d := range moves {
				moved := rigid{m.dx + d.dx, m.dy + d.dy, m.a + d.a, m.s + d.s}
				if math.Abs(moved.s) > mostGrowth {
					continue
				}
				if f := s.fit(t, &moved, true); f > best {
					best, m, improved = f, moved, true
				}
			}
		}
	}
	return m, best
}

// Sight is what a place shows, as far as it is in view.
type Sight struct {
	// Card is the number of the card that fits best, or the number of cards plus
	// that of a back.
	Card int
	// Quad is its outline in pixels, Quad[0] the top-left of its picture standing
	// in portrait.
	Quad board.Quad
	// Global is the correlation of all that is in view, Local the mean of that of
	// small windows, and Seen how many windows there are to compare, in whole
	// windows of full contrast.
	Global, Local, Seen float64
	// Lead says how much better it fits than the next card, Rival, in the windows
	// where the two differ, summed up, and Differ how much they do. Both numbers
	// are -1 where there is none.
	Rival                    int
	Lead, Differ, GlobalLead float64
	// Twin is the next of the cards that look like it all over, but for a name or
	// some text.
	Twin                 int
	TwinLead, TwinDiffer float64
	// Fitting is the share of the windows that fit.
	Fitting float64
	Pixels  int
}

const (
	roughPixels = 250
	finePixels  = 400
	// farOff is the correlation below which a place is not looked at further.
	farOff = 0.56
	// leastRough is that, before any climbing, below which a place of a known scale is
	// left at once. Of 214 cards that were found so none had less than 0.5, of what
	// the grain of a wooden table proposes all but a tenth has less than this.
	leastRough = 0.43
	// convincingFit is that from which on no other scale is tried, and scaleKnown
	// how far off a place may be at most for its scale to be taken as known.
	convincingFit = 0.8
	scaleKnown    = 2.0
	maxClose      = 10
)

// stepFor thins the pixels out to about so many.
func (s *viewScratch) thin(m *rigid, most int) bool {
	s.choosePixels(m, 4)
	n := len(s.pixels) * 16
	step := max(int(math.Sqrt(float64(n)/float64(most))), 1)
	if step != 4 {
		s.choosePixels(m, step)
	}
	return len(s.pixels) >= 40
}

// Look compares a place with a card, lays the card onto it and compares it with
// all others there. The quad is in pixels, Quad[0] the top-left of the card's
// picture standing in portrait; it may be off by so many millimetres and a few
// degrees.
// What the covers hold, outlines in pixels, lies on top.
func (v *Verifier) Look(frame gocv.Mat, quad board.Quad, covers []board.Quad, card int, off float64) (Sight, bool, error) {
	s := v.scratch.Get().(*viewScratch)
	defer v.scratch.Put(s)
	if err := s.patch.cutOut(frame, quad); err != nil {
		return Sight{}, false, err
	}
	if err := s.cover(quad, covers, frame.Cols(), frame.Rows()); err != nil {
		return Sight{}, false, err
	}
	s.pack()
	var m rigid
	if !s.thin(&m, roughPixels) {
		return Sight{}, false, nil
	}
	grow := off > scaleKnown
	tmpl := s.template(&v.refs[card], false)
	m, fit := s.search(tmpl, m, off)
	if !grow && fit < leastRough {
		return Sight{}, false, nil
	}
	m, fit = s.climb(tmpl, m, grow, 1)
	if grow && fit < convincingFit {
		for _, growth := range [...]float64{-mostGrowth / 2, mostGrowth / 2} {
			n, _ := s.search(tmpl, rigid{s: growth}, off)
			if n, f := s.climb(tmpl, n, grow, 1); f > fit {
				m, fit = n, f
			}
		}
	}
	if fit < farOff {
		return Sight{}, false, nil
	}
	if !s.thin(&m, 2*roughPixels) {
		return Sight{}, false, nil
	}
	m, _ = s.climb(s.template(&v.refs[card], false), m, grow, 0.5, 0.25)
	best, rivals := v.rank(s, card, m)
	if len(s.windows) == 0 {
		return Sight{}, false, nil
	}
	if best.ref != card || best.turned {
		// Another fits better even through this one's alignment.
		s.thin(&m, 2*roughPixels)
		m, _ = s.climb(s.template(&v.refs[best.ref], best.turned), m, grow, 1, 0.5, 0.25)
		best, rivals = v.rank(s, best.ref, m)
	}
	out := Sight{Card: best.ref, Global: best.global, Local: best.local, Seen: best.weight, Fitting: best.fitting, Pixels: len(s.pixels), Rival: -1, Twin: -1}
	for _, r := range rivals {
		same := r.ref == best.ref && v.pictures[r.ref].Symmetric
		switch {
		case same || out.Rival >= 0 && out.Twin >= 0:
		case r.ref != best.ref && v.twins(best, r):
			if out.Twin < 0 {
				out.Twin = r.ref
				out.TwinLead, out.TwinDiffer = s.lead(v, best, r)
			}
		case out.Rival < 0:
			out.Rival = r.ref
			out.GlobalLead = best.global - r.global
			out.Lead, out.Differ = s.lead(v, best, r)
		}
	}
	var err error
	out.Quad, err = moved(quad, &m)
	if best.turned {
		out.Quad = out.Quad.Turned(2)
	}
	return out, err == nil, err
}

// Likeness is the correlation of a card with what shows of it within another
// outline; false when too little of it lies there. Both outlines are in pixels,
// the card's with Quad[0] the top-left of its picture standing in portrait.
func (v *Verifier) Likeness(frame gocv.Mat, quad board.Quad, card int, within board.Quad) (float64, bool, error) {
	s := v.scratch.Get().(*viewScratch)
	defer v.scratch.Put(s)
	if err := s.patch.cutOut(frame, quad); err != nil {
		return 0, false, err
	}
	if err := s.cover(quad, []board.Quad{within}, frame.Cols(), frame.Rows()); err != nil {
		return 0, false, err
	}
	for i, hidden := range s.hidden {
		s.hidden[i] = !hidden
	}
	s.pack()
	var m rigid
	if !s.thin(&m, 2*roughPixels) {
		return 0, false, nil
	}
	return s.fit(s.template(&v.refs[card], false), &m, true), true, nil
}

// Number is that of a card's or a back's picture, -1 when there is none.
func (v *Verifier) Number(card *board.CardRef, back board.BackID) int {
	return slices.IndexFunc(v.pictures, func(p Pictured) bool {
		if card != nil {
			return p.Card != nil && p.Card.ID == card.ID
		}
		return back != "" && p.Back == back
	})
}

// contender is a card compared with what is in view.
type contender struct {
	ref                   int
	turned                bool
	global, local, weight float64
	fitting               float64
	z                     []float32
}

// rank compares all cards with what is in view under a move. The windows stay
// in s.
func (v *Verifier) rank(s *viewScratch, first int, m rigid) (best contender, rivals []contender) {
	s.thin(&m, finePixels)
	s.read(&m)
	var all []contender
	for ref := range v.refs {
		for _, turned := range [...]bool{false, true} {
			all = append(all, contender{ref: ref, turned: turned, global: s.global(&v.refs[ref], turned)})
		}
	}
	slices.SortStableFunc(all, func(a, b contender) int { return cmp.Compare(b.global, a.global) })
	s.choosePixels(&m, 1)
	s.read(&m)
	s.chooseWindows()
	if len(s.windows) == 0 {
		return best, nil
	}
	near := all[:min(maxClose, len(all))]
	if !slices.ContainsFunc(near, func(c contender) bool { return c.ref == first && !c.turned }) {
		near = append(near, contender{ref: first})
	}
	for i := range near {
		c := &near[i]
		c.global = s.global(&v.refs[c.ref], c.turned)
		s.local(&v.refs[c.ref], c)
	}
	slices.SortStableFunc(near, func(a, b contender) int { return cmp.Compare(b.global+b.local, a.global+a.local) })
	return near[0], near[1:]
}

// twins says whether two cards look alike all over, the same way up.
func (v *Verifier) twins(a, b contender) bool {
	if a.turned != b.turned {
		return false
	}
	const step, alike = 3, 0.85
	var n, cov, va, vb float64
	for c := range channels {
		p, q := v.refs[a.ref].planes[c], v.refs[b.ref].planes[c]
		var k, sa, sb, saa, sbb, sab float64
		for y := step / 2; y < gridH; y += step {
			for x := step / 2; x < gridW; x += step {
				x, y := float64(p[y*gridW+x]), float64(q[y*gridW+x])
				k++
				sa += x
				sb += y
				saa += x * x
				sbb += y * y
				sab += x * y
			}
		}
		n = k
		cov += sab - sa*sb/k
		va += saa - sa*sa/k
		vb += sbb - sb*sb/k
	}
	return cov > alike*math.Sqrt((va+n)*(vb+n))
}

// lead is how much better the best fits than a rival in the windows where the two
// differ, summed up, and how much they differ.
func (s *viewScratch) lead(v *Verifier, best, rival contender) (lead, differ float64) {
	a, b := &v.refs[best.ref], &v.refs[rival.ref]
	for i, w := range s.windows {
		n := float32(len(w.pixels))
		var cov, va, vb float32
		for c := range channels {
			g := float32(1)
			if c > 0 {
				g = chromaGain
			}
			var sa, sb, saa, sbb, sab float32
			for _, k := range w.pixels {
				x := float32(a.planes[c][a.index(s.pixels[k], best.turned)]) * g
				y := float32(b.planes[c][b.index(s.pixels[k], rival.turned)]) * g
				sa += x
				sb += y
				saa += x * x
				sbb += y * y
				sab += x * y
			}
			cov += sab - sa*sb/n
			va += saa - sa*sa/n
			vb += sbb - sb*sb/n
		}
		va, vb = max(va, 0)/n, max(vb, 0)/n
		alike := float64(cov/n) / math.Sqrt(float64((va+floorVar)*(vb+floorVar)))
		texture := float64(max(va/(va+100), vb/(vb+100)))
		d := (1 - max(alike, 0)) * texture * float64(n) / (windowSize * windowSize) * windowShare
		lead += d * float64(best.z[i]-rival.z[i])
		differ += d
	}
	return lead, differ
}

// windowShare is what a window counts: they overlap.
const windowShare = float64(windowStep*windowStep) / (windowSize * windowSize)

// moved is the outline that a move of the grid makes of a quad.
func moved(quad board.Quad, m *rigid) (board.Quad, error) {
	grid := board.Quad{{X: 0, Y: 0}, {X: gridW, Y: 0}, {X: gridW, Y: gridH}, {X: 0, Y: gridH}}
	toFrame, err := board.HomographyFromQuads(grid, quad)
	if err != nil {
		return quad, err
	}
	sin, cos := math.Sincos(m.a)
	sin, cos = sin*(1+m.s), cos*(1+m.s)
	return grid.Map(func(p board.Point) board.Point {
		u, v := p.X-gridW/2, p.Y-gridH/2
		return toFrame.Apply(board.Point{X: cos*u - sin*v + gridW/2 + m.dx, Y: sin*u + cos*v + gridH/2 + m.dy})
	}), nil
}
