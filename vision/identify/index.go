// Package identify tells which card of a catalogue an outline in a frame
// shows, and which of its ends is the printed top.
//
// It answers in two stages. A search over compact descriptors finds the few
// cards that look alike from afar; then each is laid onto the patch to a
// fraction of a pixel and compared block by block, so that a die, a finger or
// a reflection spoils only its blocks. A card is named only when it resembles
// the patch, and clearly more so than any other card does in those places
// where the two differ. Otherwise the answer is "unsure" with the alternatives
// or "unknown": a wrong name is the worst this package could say.
//
// It does not look for cards in a frame, which is package detect's task.
//
// # The stored index
//
// What it computes of a catalogue's pictures can be stored from one run to the next
// (Keeping), in a file that may be deleted at any time. Numbers are little endian,
// floats IEEE 754 of 32 bits.
//
//	8 bytes   "tabindex"
//	uint32    version of the form
//	uint32    recipe: a check sum of what this program computes of a known
//	          picture, so that a program that computes otherwise starts anew
//	records, until 4 bytes before the end:
//	  uint16  length of the name
//	  bytes   name of the picture's file, "backs/" before it for a back
//	  int64   its size in bytes
//	  int64   when it was last written, nanoseconds since 1970
//	  uint8   1 when it is wider than tall
//	  144 floats   descriptor, in the order of the layout
//	  176 floats   means of both colour differences, block by block
//	  5632 bytes   luma on the grid, row by row
//	uint32    check sum (CRC-32C) of all that comes before it
//
// It is written under another name and then renamed, so that it is whole or not
// there, whoever else writes it at the same time.
package identify

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"sync/atomic"

	"golang.org/x/image/draw"

	"tabletop/board"
	"tabletop/catalog"
)

// Options of an index. The zero value is right for almost everyone.
type Options struct {
	// Candidates is how many cards of the search are compared closely.
	// 0 means 12.
	Candidates int

	// MinConfidence is the confidence below which a card is not named, in
	// (0,1). 0 means 0.8.
	MinConfidence float64
}

const (
	defaultCandidates    = 12
	defaultMinConfidence = 0.8
)

// Index answers which card a patch shows. It is safe for concurrent use. Of the
// catalogue's pictures it keeps no more than it compares with: some 7 kB each.
type Index struct {
	cards         []board.Card
	backs         []back
	wide          []bool // of each reference: the picture is wider than tall
	layout        *layout
	search        descriptors
	refs          []reference                          // the cards, then the backs
	weights       []atomic.Pointer[[numBlocks]float32] // of the blocks of each reference
	candidates    int
	minConfidence float64
	scratch       sync.Pool
}

type back struct {
	id        board.BackID
	symmetric bool
}

// NewIndex prepares a catalogue for recognition.
func NewIndex(cat *catalog.Catalog, opts Options) (*Index, error) {
	return Open(context.Background(), cat, opts, Keeping{})
}

// newIndex is an index of a catalogue that has room for its pictures.
func newIndex(cat *catalog.Catalog, opts Options) (*Index, error) {
	if cat == nil {
		return nil, errors.New("identify: no catalogue given; load one first")
	}
	if opts.Candidates < 0 {
		return nil, fmt.Errorf("identify: %d candidates; give a positive number, or 0 for the default", opts.Candidates)
	}
	if opts.MinConfidence < 0 || opts.MinConfidence >= 1 {
		return nil, fmt.Errorf("identify: a minimum confidence of %v; give one in (0,1), or 0 for the default", opts.MinConfidence)
	}
	ix := &Index{cards: cat.Cards(), layout: newLayout(), candidates: opts.Candidates, minConfidence: opts.MinConfidence}
	if ix.candidates == 0 {
		ix.candidates = defaultCandidates
	}
	if ix.minConfidence == 0 {
		ix.minConfidence = defaultMinConfidence
	}
	for _, id := range cat.Backs() {
		symmetric, _ := cat.Symmetric(id)
		ix.backs = append(ix.backs, back{id, symmetric})
	}
	ix.scratch.New = func() any { return newScratch() }
	ix.allocate(len(ix.cards) + len(ix.backs))
	return ix, nil
}

// allocate makes room for n references.
func (ix *Index) allocate(n int) {
	ix.search = newDescriptors(ix.layout, n)
	ix.weights = make([]atomic.Pointer[[numBlocks]float32], n)
	ix.wide = make([]bool, n)
	ix.refs = make([]reference, n)
	lumas := make([]uint8, n*gridW*gridH) // one piece: the collector sees no pointers in it
	for i := range ix.refs {
		ix.refs[i].luma = lumas[i*gridW*gridH:][: gridW*gridH : gridW*gridH]
	}
}

// Close frees what the index holds.
func (ix *Index) Close() error {
	*ix = Index{}
	return nil
}

// Len is the number of cards and backs in the index.
func (ix *Index) Len() int { return len(ix.refs) }

// put takes one picture into the index. Pictures of different numbers may be put
// at the same time.
func (ix *Index) put(ref int, img image.Image) {
	ix.putPlanes(ref, img.Bounds().Dx() > img.Bounds().Dy(), gridPlanes(img))
}

// putPlanes takes one picture on the grid into the index.
func (ix *Index) putPlanes(ref int, wide bool, p planes) {
	var d descriptor
	ix.layout.describe(p.y, p.cb, p.cr, &d)
	ix.search.set(ref, &d)
	ix.wide[ref] = wide
	r := &ix.refs[ref]
	for i, v := range p.y {
		r.luma[i] = uint8(min(max(v+0.5, 0), 255))
	}
	cells(p.cb, blocksX, blocksY, 1, r.colour[0][:])
	cells(p.cr, blocksX, blocksY, 1, r.colour[1][:])
	r.colourful = r.colour.strength()
}

// planes are a picture on the grid: luma and both colour differences.
type planes struct{ y, cb, cr []float32 }

// gridPlanes brings a picture onto the grid: a landscape one is turned
// clockwise by a quarter first.
func gridPlanes(img image.Image) planes {
	w, h := gridW, gridH
	wide := img.Bounds().Dx() > img.Bounds().Dy()
	if wide {
		w, h = gridH, gridW
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	// The kernel's scaler averages over all that falls onto a pixel.
	draw.BiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	p := planes{make([]float32, gridW*gridH), make([]float32, gridW*gridH), make([]float32, gridW*gridH)}
	for gy := range gridH {
		for gx := range gridW {
			px, py := gx, gy
			if wide {
				px, py = gy, gridW-1-gx
			}
			c := small.RGBAAt(px, py)
			i := gy*gridW + gx
			p.y[i], p.cb[i], p.cr[i] = lumaChroma(float32(c.R), float32(c.G), float32(c.B))
		}
	}
	return p
}

// distinct says where a card differs from its nearest relatives in the
// catalogue, block by block, in the order of its own grid. Cards of one kind
// share frame, border and text box; likeness there says only that the patch
// shows a card of that kind, perhaps one that is not in the catalogue. It is
// computed when first asked for.
func (ix *Index) distinct(ref int) *[numBlocks]float32 {
	if d := ix.weights[ref].Load(); d != nil {
		return d
	}
	const (
		relatives = 3
		// shared is how far likeness to relatives takes weight away, and
		// prior how many relatives the assumption that a stranger would
		// share nothing is worth.
		shared = 0.9
		prior  = 0.5
	)
	own := ix.search.at(ref)
	var common [numBlocks]float32
	n := 0
	a, b := make([]float32, gridW*gridH), make([]float32, gridW*gridH)
	ix.luma(ref, a)
	var z [numBlocks]float32
	for _, h := range ix.search.search(&own, 0, 2*relatives+2, nil) {
		if h.card == ref || h.turned || n == relatives {
			continue
		}
		ix.luma(h.card, b)
		zncc(a, b, &z)
		for k, v := range z {
			common[k] += max(v, 0)
		}
		n++
	}
	d := new([numBlocks]float32)
	for k := range d {
		d[k] = 1 - shared*common[k]/(float32(n)+prior)
	}
	ix.weights[ref].Store(d) // a second goroutine computes the same
	return d
}

// luma writes a reference's luma as numbers.
func (ix *Index) luma(ref int, out []float32) {
	for i, v := range ix.refs[ref].luma {
		out[i] = float32(v)
	}
}

// What a reference number stands for.
func (ix *Index) isBack(ref int) bool     { return ref >= len(ix.cards) }
func (ix *Index) landscape(ref int) bool  { return ix.wide[ref] }
func (ix *Index) symmetric(ref int) bool  { return ix.isBack(ref) && ix.back(ref).symmetric }
func (ix *Index) card(ref int) board.Card { return ix.cards[ref] }
func (ix *Index) back(ref int) back       { return ix.backs[ref-len(ix.cards)] }
