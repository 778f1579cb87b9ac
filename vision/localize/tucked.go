package localize

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// A card that lies half under another shows a strip beside it. It lies parallel
// to the one above or square to it, near enough, so that of its place only two
// numbers are open: how far it sticks out and how far it is shifted along. Just
// outside the upper card's sides the picture is taken row by row and compared
// with rows of every card of the pool.

// Tucked is where a card may lie under another.
type Tucked struct {
	Place
	// Side is the side of the upper card that it sticks out from: that before its
	// first edge, and on clockwise.
	Side int
	// Likeness grows with the correlation and the number of rows compared.
	Likeness float64
}

const (
	// bandFrom is the distance of the first row from the upper card's edge, in
	// millimetres: its sleeve and shadow lie before it. Rows are rowMM apart, and
	// bandRows the most there are.
	bandFrom = 4.0
	rowMM    = 2.0
	bandRows = 8

	// leastOut and mostOut are how far a card sticks out, in millimetres.
	leastOut, mostOut = 8.0, 64.0
	outStep           = 2.0

	// shift is how far a card of the same turn may lie off the middle, and
	// squareShift one that lies square to it, in millimetres.
	shift, squareShift         = 9.0, 24.0
	shiftStep, squareShiftStep = 3.0, 6.0

	// gridMM is the distance of the samples that rows are made of.
	gridMM = 1.5

	// leastLike is the correlation of rows, rough or close, from which on a card is
	// proposed. None of 214 cards that were found so had less, and what the grain of a
	// wooden table proposes often has.
	leastLike = 0.48

	// perClass is how many places are proposed beside one side for each class of
	// how far they stick out, and roughPerClass how many of them are compared
	// closely.
	perClass, roughPerClass = 5, 40

	// rowNoise is the variance of a sample, in grey levels squared, that says
	// nothing.
	rowNoise = 12.0

	// MostCards is the size of a pool up to which cards under others are looked
	// for: the search takes time and memory in proportion to it.
	MostCards = 600
)

// classOf sorts how far a card sticks out: the more rows there are to compare,
// the less a likeness is by chance, so that each class has its own best.
func classOf(out float64) int {
	switch {
	case out < 16:
		return 0
	case out < 28:
		return 1
	}
	return 2
}

const classes = 3

// Surroundings is a frame made ready for Beside.
type Surroundings struct {
	blurred gocv.Mat
	px      pixels
}

// Surroundings prepares an 8-bit BGR frame for looks beside its cards, in which a
// millimetre of the table takes about scale pixels. The caller must close it.
func (f *Finder) Surroundings(frame gocv.Mat, scale float64) (*Surroundings, error) {
	s := &Surroundings{blurred: gocv.NewMat()}
	k := max(int(math.Round(blurMM*scale)), 1) | 1
	err := gocv.Blur(frame, &s.blurred, image.Pt(k, k))
	if err == nil {
		s.px, err = newPixels(s.blurred)
	}
	if err != nil {
		s.blurred.Close()
		return nil, fmt.Errorf("localize: blur the frame: %w", err)
	}
	return s, nil
}

// Close frees the frame's copy.
func (s *Surroundings) Close() error { return s.blurred.Close() }

// Neighbourhood is a card that is known and what surrounds it.
type Neighbourhood struct {
	// ToFrame maps millimetres from the card's middle, x along its first edge, a
	// short one, to pixels.
	ToFrame board.Homography
	// Known are the outlines of the other cards known nearby, in pixels: nothing
	// is looked for on them.
	Known []board.Quad
}

// Beside proposes cards that stick out from under the one given. It may be called
// by several goroutines at a time.
func (f *Finder) Beside(s *Surroundings, n Neighbourhood) []Tucked {
	var out []Tucked
	if len(f.tables) == 0 {
		return nil
	}
	for side := range 4 {
		out = append(out, f.newFlank(s, &n, side).search()...)
	}
	return out
}

// flank is the search beside one side of a card.
type flank struct {
	f      *Finder
	s      *Surroundings
	n      *Neighbourhood
	side   int
	length float64 // of the side, mm
	half   float64 // from the card's middle to the side, mm
	best   [classes][]slot
}

// slot is a card's best place of a class.
type slot struct {
	card, turn     int
	dx, out, slant float64
	likeness       float64
}

func (f *Finder) newFlank(s *Surroundings, n *Neighbourhood, side int) *flank {
	k := &flank{f: f, s: s, n: n, side: side, length: f.size.Width, half: f.size.Height / 2}
	if side%2 == 1 {
		k.length, k.half = f.size.Height, f.size.Width/2
	}
	return k
}

// fromSide is the place of u along the side and v outwards, in millimetres from
// the card's middle.
func (k *flank) fromSide(u, v float64) board.Point {
	p := board.Point{X: u, Y: -k.half - v}
	for range k.side {
		p = board.Point{X: -p.Y, Y: p.X}
	}
	return p
}

// look is the picture at u along the side and v outwards; false where it says
// nothing of a card underneath.
func (k *flank) look(u, v float64) ([3]float32, bool) {
	p := k.n.ToFrame.Apply(k.fromSide(u, v))
	if p.X < 0 || p.Y < 0 || p.X > float64(k.s.px.cols-1) || p.Y > float64(k.s.px.rows-1) {
		return [3]float32{}, false
	}
	for i := range k.n.Known {
		if inside(&k.n.Known[i], p) {
			return [3]float32{}, false
		}
	}
	return k.s.px.at(p.X, p.Y), true
}

// inside says whether a point lies in a convex quad given clockwise.
func inside(q *board.Quad, p board.Point) bool {
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		if (b.X-a.X)*(p.Y-a.Y)-(b.Y-a.Y)*(p.X-a.X) < 0 {
			return false
		}
	}
	return true
}

func (k *flank) search() []Tucked {
	lines := k.lines()
	for _, slant := range slants {
		var outs []float64
		for out := leastOut; out <= mostOut; out += outStep {
			// The line is the card's edge, its sleeve's, or that of its border.
			if slices.ContainsFunc(lines, func(l line) bool { return l.slant == slant && out > l.out-3.5 && out < l.out+5 }) {
				outs = append(outs, out)
			}
		}
		if len(outs) > 0 {
			k.slide(slant, outs)
		}
	}
	var found []Tucked
	for class := range k.best {
		found = append(found, k.closer(k.best[class])...)
	}
	slices.SortStableFunc(found, func(a, b Tucked) int { return cmp.Compare(b.Likeness, a.Likeness) })
	return found
}

// line runs along a side, so many millimetres outwards at its middle, and at a
// slant: farther out by so much for each millimetre along.
type line struct{ out, slant float64 }

// slants are those that are looked for, up to 5°.
var slants = [...]float64{0, -0.028, 0.028, -0.056, 0.056, -0.085, 0.085}

const (
	lineStep = 1.5 // mm

	// lineContrast is the step of a line in grey levels, and lineShare the share
	// of the side's length along which it has to show.
	lineContrast = 5
	lineShare    = 0.6
)

// lines returns the lines beside the side: edges of what sticks out from under
// the card, or of its print. A plain table has none.
func (k *flank) lines() []line {
	const (
		from     = leastOut - 3
		rows     = 42
		columnAt = 4.0
		inset    = 5.0
		most     = 32
	)
	n := min(int((k.length-2*inset)/columnAt)+1, most)
	type sample struct {
		c  [3]float32
		ok bool
	}
	var grid [rows][most]sample
	for i := range rows {
		for j := range n {
			c, ok := k.look(-k.length/2+inset+float64(j)*columnAt, from+float64(i)*lineStep)
			grid[i][j] = sample{c, ok}
		}
	}
	var strength, slant [rows]float64
	for _, sl := range slants {
		var offset [most]int
		for j := range n {
			offset[j] = int(math.Round(sl * (-k.length/2 + inset + float64(j)*columnAt) / lineStep))
		}
		for i := 1; i < rows-1; i++ {
			var up, down [3]int
			for j := range n {
				r := i + offset[j]
				if r < 1 || r >= rows-1 {
					continue
				}
				a, b := &grid[r-1][j], &grid[r+1][j]
				if !a.ok || !b.ok {
					continue
				}
				for c := range 3 {
					switch d := b.c[c] - a.c[c]; {
					case d > lineContrast:
						up[c]++
					case d < -lineContrast:
						down[c]++
					}
				}
			}
			for c := range 3 {
				if v := float64(max(up[c], down[c])) / float64(n); v > strength[i] {
					strength[i], slant[i] = v, sl
				}
			}
		}
	}
	var out []line
	for i := 1; i < rows-1; i++ {
		if strength[i] >= lineShare && strength[i] >= strength[i-1] && strength[i] >= strength[i+1] {
			out = append(out, line{from + float64(i)*lineStep, slant[i]})
		}
	}
	return out
}

// band is the picture beside a side, at a slant.
type band struct {
	mid     int // index of the side's middle
	samples [bandRows][][3]float32
	ok      [bandRows][]bool
}

func (k *flank) band(slant float64) *band {
	reach := k.f.size.Height/2 + squareShift + 3
	b := &band{mid: int(reach / gridMM)}
	for r := range bandRows {
		for i := range 2*b.mid + 1 {
			u := float64(i-b.mid) * gridMM
			c, ok := k.look(u, bandFrom+rowMM*float64(r)+u*slant)
			b.samples[r] = append(b.samples[r], c)
			b.ok[r] = append(b.ok[r], ok)
		}
	}
	return b
}

// seenRows are rows of the picture as waves.
type seenRows struct {
	usable int
	rows   []float32
	rough  [bandRows / 2][roughLen]float32
}

// rows cuts rows for a card of the turn, shifted by dx, out of the band. Where
// something hides part of a row, its mean stands for it.
func (b *band) rows(width float64, waves int, dx float64, basis [][]float32) seenRows {
	var s seenRows
	n := columns(width)
	row := make([][3]float32, n)
	const perColumn = int(columnMM / gridMM)
	first := b.mid + int(math.Round(dx/gridMM)) - (n-1)*perColumn/2
	for r := range bandRows {
		var mean [3]float32
		seen := 0
		for i := range row {
			at := first + i*perColumn
			if at < 0 || at >= len(b.ok[r]) || !b.ok[r][at] {
				continue
			}
			row[i] = b.samples[r][at]
			seen++
			for c := range mean {
				mean[c] += row[i][c]
			}
		}
		if seen*10 < n*6 {
			break
		}
		for c := range mean {
			mean[c] /= float32(seen)
		}
		if seen < n {
			for i := range row {
				at := first + i*perColumn
				if at < 0 || at >= len(b.ok[r]) || !b.ok[r][at] {
					row[i] = mean
				}
			}
		}
		s.rows = appendWaves(s.rows, row, basis)
		s.usable++
	}
	for r := 0; r+1 < s.usable; r += 2 {
		roughRow(s.rows[r*3*waves:], s.rows[(r+1)*3*waves:], waves, &s.rough[r/2])
	}
	return s
}

// slide compares the band beside the side roughly with all cards in all turns.
func (k *flank) slide(slant float64, outs []float64) {
	b := k.band(slant)
	for _, turns := range [2][2]int{{0, 2}, {1, 3}} {
		width, depth := k.f.extent(turns[0])
		basis := cosineBasis(columns(width), waves(turns[0]))
		reach, step := shift, shiftStep
		if width != k.length {
			reach, step = squareShift, squareShiftStep
		}
		for dx := -reach; dx <= reach; dx += step {
			s := b.rows(width, waves(turns[0]), dx, basis)
			if s.usable < 2 {
				continue
			}
			for _, out := range outs {
				// Two rows make one rough row, all of them within the card.
				m := min(s.usable/2, int((out-bandFrom-rowMM-1)/(2*rowMM))+1)
				if m < 1 || out > depth-4 {
					continue
				}
				for _, turn := range turns {
					k.compareRoughly(&s, m, slot{turn: turn, dx: dx, out: out, slant: slant})
				}
			}
		}
	}
}

// compareRoughly compares m rough rows with those of all cards at a place, and
// keeps the best of each class.
func (k *flank) compareRoughly(s *seenRows, m int, at slot) {
	var dc [3]float32
	var power float32
	for r := range m {
		for c := range 3 {
			dc[c] += s.rough[r][c*roughWaves]
		}
		for _, v := range s.rough[r] {
			power += v * v
		}
	}
	width, _ := k.f.extent(at.turn)
	each := 1 / float32(m)
	power -= (dc[0]*dc[0] + dc[1]*dc[1] + dc[2]*dc[2]) * each
	noise := float32(rowNoise/4) * float32(m*columns(width))
	power = max(power, 0) + noise
	first := int(at.out - bandFrom)
	last := first - m*2*roughStep
	class := &k.best[classOf(at.out)]
	gain := math.Sqrt(float64(2 * m))
	for card := range k.f.tables {
		t := &k.f.tables[card][at.turn]
		refDC, refPower := t.roughDC[first], t.roughPower[first]
		if last >= 0 {
			before := &t.roughDC[last]
			for c := range refDC {
				refDC[c] -= before[c]
			}
			refPower -= t.roughPower[last]
		}
		var cov float32
		for r, d := 0, first; r < m; r, d = r+1, d-2*roughStep {
			cov += dotRough(&s.rough[r], (*[roughLen]float32)(t.rough[d*roughLen:]))
		}
		cov -= (dc[0]*refDC[0] + dc[1]*refDC[1] + dc[2]*refDC[2]) * each
		refPower -= (refDC[0]*refDC[0] + refDC[1]*refDC[1] + refDC[2]*refDC[2]) * each
		if cov <= 0 {
			continue
		}
		norm := power * (max(refPower, 0) + noise)
		if cov*cov < leastLike*leastLike*norm {
			continue
		}
		at.card, at.likeness = card, likeness(float64(cov)/math.Sqrt(float64(norm)), gain)
		keep(class, at)
	}
}

// likeness makes correlations of different lengths comparable by Fisher's
// transform: the more rows agree, the less it is by chance.
func likeness(z, gain float64) float64 { return math.Atanh(min(z, 0.99)) * gain }

// keep puts a slot among the best of a class, each card in each turn once.
func keep(best *[]slot, s slot) {
	b := *best
	if len(b) == roughPerClass && s.likeness <= b[len(b)-1].likeness {
		return
	}
	if i := slices.IndexFunc(b, func(o slot) bool { return o.card == s.card && o.turn == s.turn }); i >= 0 {
		if b[i].likeness >= s.likeness {
			return
		}
		b = slices.Delete(b, i, i+1)
	} else if len(b) == roughPerClass {
		b = b[:len(b)-1]
	}
	at, _ := slices.BinarySearchFunc(b, s, func(a, b slot) int { return cmp.Compare(b.likeness, a.likeness) })
	*best = slices.Insert(b, at, s)
}

// closer compares slots with all of their rows, at places nearby too, and returns
// the best.
func (k *flank) closer(slots []slot) []Tucked {
	bands := make(map[float64]*band)
	type key struct {
		slant, dx float64
		turn      int
	}
	seen := make(map[key]seenRows)
	for i := range slots {
		s := &slots[i]
		width, depth := k.f.extent(s.turn)
		rough := *s
		s.likeness = 0
		for dx := rough.dx - gridMM; dx <= rough.dx+gridMM; dx += gridMM {
			at := key{rough.slant, dx, rough.turn % 2}
			rows, ok := seen[at]
			if !ok {
				b := bands[rough.slant]
				if b == nil {
					b = k.band(rough.slant)
					bands[rough.slant] = b
				}
				rows = b.rows(width, waves(s.turn), dx, cosineBasis(columns(width), waves(s.turn)))
				seen[at] = rows
			}
			for out := rough.out - 1; out <= min(rough.out+1, depth-2); out++ {
				if l := k.compare(&rows, rough, out); l > s.likeness {
					s.likeness, s.dx, s.out = l, dx, out
				}
			}
		}
	}
	slots = slices.DeleteFunc(slots, func(s slot) bool { return s.likeness == 0 })
	slices.SortStableFunc(slots, func(a, b slot) int { return cmp.Compare(b.likeness, a.likeness) })
	var out []Tucked
	for _, s := range slots[:min(perClass, len(slots))] {
		_, depth := k.f.extent(s.turn)
		centre := k.fromSide(s.dx, s.out-depth/2)
		angle := float64(90*(k.side+s.turn)) - math.Atan(s.slant)*180/math.Pi
		t := Tucked{Side: k.side, Likeness: s.likeness}
		t.Card = s.card
		t.Quad = board.RectQuad(centre, k.f.size, angle).Map(k.n.ToFrame.Apply)
		out = append(out, t)
	}
	return out
}

// compare is the likeness of all rows within a card that sticks out so far; 0
// when it is none.
func (k *flank) compare(s *seenRows, at slot, out float64) float64 {
	m := min(s.usable, int((out-bandFrom-1)/rowMM)+1)
	if m < 2 {
		return 0
	}
	t := &k.f.tables[at.card][at.turn]
	w := waves(at.turn)
	var cov, power, refPower float32
	var dc, refDC [3]float32
	for r := range m {
		d := int(out - bandFrom - rowMM*float64(r))
		a, b := s.rows[r*3*w:(r+1)*3*w], t.rows[d*3*w:(d+1)*3*w]
		cov += dot(a, b)
		power += dot(a, a)
		refPower += dot(b, b)
		for c := range 3 {
			dc[c] += a[c*w]
			refDC[c] += b[c*w]
		}
	}
	for c := range 3 {
		cov -= dc[c] * refDC[c] / float32(m)
		power -= dc[c] * dc[c] / float32(m)
		refPower -= refDC[c] * refDC[c] / float32(m)
	}
	width, _ := k.f.extent(at.turn)
	noise := float64(rowNoise) * float64(m*columns(width))
	z := float64(cov) / math.Sqrt((max(float64(power), 0)+noise)*(max(float64(refPower), 0)+noise))
	if z < leastLike {
		return 0
	}
	return likeness(z, math.Sqrt(float64(m)))
}
