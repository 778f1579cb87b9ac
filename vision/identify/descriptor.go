package identify

import (
	"math"
	"slices"
)

// A descriptor is what a card looks like from afar: low frequencies of the
// discrete cosine transform of luma and of both colour differences. Turning a
// card by half a turn changes the sign of every coefficient whose two indices
// sum to an odd number, so one product of the even part and one of the odd
// part score both ways up: even + odd, and even - odd.
//
// The coefficients are ordered from low to high frequency, even ones and odd
// ones apart, and cut into a head and a tail, so that most cards of a large
// catalogue are ruled out after the head: by Cauchy and Schwarz the tails'
// product is at most the product of their norms. The search is exact.
const (
	lumaW, lumaH     = 16, 22 // cells of the luma that is transformed
	chromaW, chromaH = 8, 11

	lumaTerms   = 104 // coefficients kept of the luma
	chromaTerms = 20  // and of each colour difference
	headTerms   = 40

	descriptorLen = lumaTerms + 2*chromaTerms
	tailTerms     = descriptorLen - headTerms

	// chromaWeight lifts the colour differences, which vary less than luma
	// does and tell cards apart better than their energy says.
	chromaWeight = 1.6
)

type descriptor [descriptorLen]float32

// term is one coefficient of a descriptor.
type term struct {
	plane  int // 0 luma, 1 and 2 the colour differences
	u, v   int
	weight float32
}

// layout is the order of the coefficients: head even, head odd, tail even,
// tail odd.
type layout struct {
	terms                        []term
	headEven, headOdd, tailEven  int // where each part ends
	lumaX, lumaY, chromX, chromY [][]float32
}

func newLayout() *layout {
	var all []term
	for plane := range 3 {
		w, h, keep := lumaW, lumaH, lumaTerms
		gain := float32(1)
		if plane > 0 {
			w, h, keep = chromaW, chromaH, chromaTerms
			gain = chromaWeight * lumaW / chromaW // the finer grid has more cells to sum
		}
		var terms []term
		for v := range h {
			for u := range w {
				if u+v == 0 {
					continue // the mean is light, not print
				}
				// Pictures have less energy the finer the detail; the weight
				// gives part of it back, so that detail counts.
				f := frequency(u, v)
				terms = append(terms, term{plane, u, v, gain * float32(math.Sqrt(f))})
			}
		}
		slices.SortStableFunc(terms, func(a, b term) int {
			return compare(frequency(a.u, a.v), frequency(b.u, b.v))
		})
		all = append(all, terms[:keep]...)
	}
	slices.SortStableFunc(all, func(a, b term) int {
		return compare(frequency(a.u, a.v), frequency(b.u, b.v))
	})
	l := &layout{}
	part := func(terms []term, odd bool) int {
		for _, t := range terms {
			if ((t.u+t.v)%2 == 1) == odd {
				l.terms = append(l.terms, t)
			}
		}
		return len(l.terms)
	}
	l.headEven = part(all[:headTerms], false)
	l.headOdd = part(all[:headTerms], true)
	l.tailEven = part(all[headTerms:], false)
	part(all[headTerms:], true)
	l.lumaX, l.lumaY = cosines(lumaW), cosines(lumaH)
	l.chromX, l.chromY = cosines(chromaW), cosines(chromaH)
	return l
}

// frequency in cycles per card height, both axes alike.
func frequency(u, v int) float64 {
	return math.Hypot(float64(u)*gridH/gridW, float64(v))
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// cosines is the orthonormal DCT-II basis of n samples: [frequency][sample].
func cosines(n int) [][]float32 {
	c := make([][]float32, n)
	for k := range c {
		c[k] = make([]float32, n)
		norm := math.Sqrt(2 / float64(n))
		if k == 0 {
			norm = math.Sqrt(1 / float64(n))
		}
		for i := range c[k] {
			c[k][i] = float32(norm * math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/float64(n)))
		}
	}
	return c
}

// chromaStride is which pixels of the colour differences a descriptor looks at:
// every second one both ways, since they vary slowly.
const chromaStride = 2

// describe makes the unit-length descriptor of three gridW×gridH planes.
func (l *layout) describe(y, cb, cr []float32, out *descriptor) {
	var luma [lumaW * lumaH]float32
	var chroma [2][chromaW * chromaH]float32
	cells(y, lumaW, lumaH, 1, luma[:])
	cells(cb, chromaW, chromaH, chromaStride, chroma[0][:])
	cells(cr, chromaW, chromaH, chromaStride, chroma[1][:])
	var ty [lumaH * lumaW]float32
	var tc [2][chromaH * chromaW]float32
	dct(luma[:], lumaW, lumaH, l.lumaX, l.lumaY, ty[:])
	dct(chroma[0][:], chromaW, chromaH, l.chromX, l.chromY, tc[0][:])
	dct(chroma[1][:], chromaW, chromaH, l.chromX, l.chromY, tc[1][:])
	var norm float64
	for i, t := range l.terms {
		var c float32
		if t.plane == 0 {
			c = ty[t.v*lumaW+t.u]
		} else {
			c = tc[t.plane-1][t.v*chromaW+t.u]
		}
		c *= t.weight
		out[i] = c
		norm += float64(c) * float64(c)
	}
	if norm > 0 {
		f := float32(1 / math.Sqrt(norm))
		for i := range out {
			out[i] *= f
		}
	}
}

// cells averages every stride-th pixel of a gridW×gridH plane down to w×h.
func cells(plane []float32, w, h, stride int, out []float32) {
	cw, ch := gridW/w, gridH/h
	f := float32(stride*stride) / float32(cw*ch)
	for y := range h {
		for x := range w {
			var sum float32
			for j := y * ch; j < (y+1)*ch; j += stride {
				cell := plane[j*gridW+x*cw : j*gridW+(x+1)*cw]
				for i := 0; i < len(cell); i += stride {
					sum += cell[i]
				}
			}
			out[y*w+x] = sum * f
		}
	}
}

// dct transforms w×h cells; out has the frequencies in the same order.
func dct(in []float32, w, h int, bx, by [][]float32, out []float32) {
	var tmp [lumaW * lumaH]float32
	for y := range h {
		row := in[y*w : (y+1)*w]
		for u := range w {
			var s float32
			for x, c := range bx[u] {
				s += c * row[x]
			}
			tmp[y*w+u] = s
		}
	}
	for v := range h {
		dst := out[v*w : (v+1)*w]
		clear(dst)
		for y, c := range by[v] {
			for u, t := range tmp[y*w : (y+1)*w] {
				dst[u] += c * t
			}
		}
	}
}

// hit is a card that resembles a patch, and the way up in which it does.
type hit struct {
	card   int
	turned bool // the patch shows it with its grid's top down
	scale  int  // which of the queries found it
	score  float32
}

// descriptors are those of all cards, heads and tails apart in memory.
type descriptors struct {
	layout   *layout
	heads    []float32 // headTerms each
	tails    []float32
	tailNorm []float32
}

func newDescriptors(l *layout, n int) descriptors {
	return descriptors{layout: l, heads: make([]float32, n*headTerms), tails: make([]float32, n*tailTerms), tailNorm: make([]float32, n)}
}

func (d *descriptors) set(card int, v *descriptor) {
	copy(d.heads[card*headTerms:], v[:headTerms])
	copy(d.tails[card*tailTerms:], v[headTerms:])
	d.tailNorm[card] = norm(v[headTerms:])
}

// at returns the descriptor of a card.
func (d *descriptors) at(card int) descriptor {
	var v descriptor
	copy(v[:headTerms], d.heads[card*headTerms:])
	copy(v[headTerms:], d.tails[card*tailTerms:(card+1)*tailTerms])
	return v
}

func norm(v []float32) float32 {
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	return float32(math.Sqrt(s))
}

// search adds what resembles a query to the sorted best few hits and returns
// them, best first. A card's way up is there at most once, with its best query,
// whose number is scale.
func (d *descriptors) search(query *descriptor, scale, keep int, hits []hit) []hit {
	l := d.layout
	tailEven := l.tailEven - headTerms
	qHead, qTail := query[:headTerms], query[headTerms:]
	qTailNorm := norm(qTail)
	for i, tailNorm := range d.tailNorm {
		head := d.heads[i*headTerms : (i+1)*headTerms]
		even := dot(qHead[:l.headEven], head[:l.headEven])
		odd := dot(qHead[l.headEven:], head[l.headEven:])
		if len(hits) >= keep && even+abs(odd)+qTailNorm*tailNorm <= hits[len(hits)-1].score {
			continue
		}
		tail := d.tails[i*tailTerms : (i+1)*tailTerms]
		even += dot(qTail[:tailEven], tail[:tailEven])
		odd += dot(qTail[tailEven:], tail[tailEven:])
		hits = insert(hits, keep, hit{card: i, scale: scale, score: even + odd})
		hits = insert(hits, keep, hit{card: i, scale: scale, score: even - odd, turned: true})
	}
	return hits
}

// insert puts a hit into the sorted best ones.
func insert(hits []hit, keep int, h hit) []hit {
	if len(hits) >= keep && h.score <= hits[len(hits)-1].score {
		return hits
	}
	for i, other := range hits {
		if other.card == h.card && other.turned == h.turned {
			if other.score >= h.score {
				return hits
			}
			hits = slices.Delete(hits, i, i+1)
			break
		}
	}
	if len(hits) >= keep {
		hits = hits[:keep-1]
	}
	at, _ := slices.BinarySearchFunc(hits, h, func(a, b hit) int { return compare(float64(b.score), float64(a.score)) })
	return slices.Insert(hits, at, h)
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

func abs(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}
