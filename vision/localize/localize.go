// Package localize finds cards by what is printed on them, where their outline
// doesn't show: a borderless card with dark art on dark cloth, or any card on a
// mat as busy as itself.
//
// It knows the cards that may lie there and how large they are, since all cards
// of a picture lie on one table. The frame is brought to the table's plane, so
// that only place and turn are open; local features (oriented FAST and rotated
// BRIEF: Rublee et al., ORB, ICCV 2011) are matched with those of every card,
// and matches that agree on a place and a turn make a hypothesis, as in a Hough
// transform (Lowe, IJCV 2004).
//
// Its answers are hypotheses, with false ones among them. It names no card: who
// asks must verify each with package identify. It refuses pictures without a
// scale; guessing one is up to the caller.
package localize

import (
	"errors"
	"fmt"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
)

// Place is where a card may lie.
type Place struct {
	// Quad is its outline in pixels of the frame, Quad[0] the top-left corner of
	// its picture standing in portrait (a landscape one is turned clockwise by a
	// quarter).
	Quad board.Quad

	// Card is the number of the catalogue's picture.
	Card int

	// Votes is the number of features that agree.
	Votes int
}

// Finder holds the features of a catalogue's cards and the working memory to
// find them. It serves one goroutine at a time.
type Finder struct {
	orb    gocv.ORB
	size   board.Size
	refs   []reference
	tables [][quarters]rowTable // of the references, unless there are too many
	grey   gocv.Mat
	plane  gocv.Mat // the frame on the table's plane
}

// reference is what a card's picture has to be recognised by. Places are
// millimetres from the card's centre.
type reference struct {
	features []feature
	codes    []code // of the features, apart for the sake of the cache
}

const (
	// pxPerMM is the scale at which features are taken. Cameras that see a
	// whole table resolve about as much.
	pxPerMM = 1.25

	// patchSize is the width of what a feature's code looks at, in pixels. It
	// is that of the pattern that Rublee et al. learned.
	patchSize = 31

	// fastThreshold is the contrast of a corner in grey levels. Dark art shows
	// little more.
	fastThreshold = 10

	// perCard is how many features of a card are kept. Fewer miss cards under
	// dice and on textured cloth; more only take time.
	perCard = 60
)

// New computes the features of a catalogue's cards. The size is a card's in
// millimetres, the zero value that of board.StandardCard. The caller must close
// the finder.
func New(cat *catalog.Catalog, size board.Size) (*Finder, error) {
	if cat == nil {
		return nil, errors.New("localize: no catalogue given; load one first")
	}
	if size == (board.Size{}) {
		size = board.StandardCard()
	}
	if size.Width <= 0 || size.Height <= 0 {
		return nil, fmt.Errorf("localize: the card size %g×%g mm is not one: give width and height in millimetres, as 63×88", size.Width, size.Height)
	}
	if size.Width > size.Height {
		size.Width, size.Height = size.Height, size.Width
	}
	f := &Finder{size: size, grey: gocv.NewMat(), plane: gocv.NewMat(),
		orb: gocv.NewORBWithParams(maxCorners, 1.2, 1, patchSize/2+1, 0, 2, gocv.ORBScoreTypeHarris, patchSize, fastThreshold)}
	pictures := cat.Pictures()
	for _, p := range pictures {
		img, err := p.Read()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		ref, err := f.reference(img)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("localize: features of picture %s of the catalogue: %w", p.File, err), f.Close())
		}
		f.refs = append(f.refs, ref)
		if len(pictures) <= MostCards {
			tables, err := f.rowTables(img)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("localize: rows of picture %s of the catalogue: %w", p.File, err), f.Close())
			}
			f.tables = append(f.tables, tables)
		}
	}
	return f, nil
}

// Close frees the finder's memory. It must not be used afterwards.
func (f *Finder) Close() error {
	return errors.Join(f.orb.Close(), f.grey.Close(), f.plane.Close())
}
