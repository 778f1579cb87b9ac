package detect

import (
	"errors"
	"fmt"
	"image"
	"math"
	"sync"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Options say what is known beforehand; the zero value is right for a picture
// of which nothing is known.
type Options struct {
	// CardSize is the outer size in millimetres, of the sleeve where cards wear
	// opaque ones; zero: 63 × 88.
	CardSize board.Size
	// Plane maps pixels of the whole picture to millimetres on the table. Nil:
	// unknown; it is then found from the cards, which are all of one size.
	Plane *board.Homography
	// PxPerMM is the scale of a picture taken straight from above, pixels per
	// millimetre; 0: unknown. It does not count when Plane is given.
	PxPerMM float64
	// WorkSize is the longer side of the picture on which cards are looked for,
	// pixels; larger pictures are shrunk to it. Corners are exact to a fraction
	// of its pixels. 0: 1920.
	WorkSize int
	// MinHeight is the least height of a card, pixels of the whole picture; 0:
	// 40 pixels of the picture as shrunk, or 2.5 % of its longer side.
	MinHeight float64
	// Covered asks for cards that lie partly under others as well, from the sides
	// that show.
	Covered bool
	// Debug, unless nil, is called with what each stage of the search leaves, in
	// pixels of the whole picture.
	Debug func(stage string, quads []board.Quad)
}

// Detection is one card found.
type Detection struct {
	// Quad is the card's outer edge, sharp corners, clockwise, in pixels of the
	// whole picture. Quad[0] to Quad[1] is a short edge; which of the two is the
	// printed top, this package does not know.
	Quad board.Quad
	// Score is how likely it is a card, [0,1]: of those found with 0.8 some eight
	// in ten are. None is below 0.6.
	Score float64
	// Visible is the share of the outline that is in view, [0,1].
	Visible float64
	// Covered is set for a card found from the sides that show of it, the rest
	// lying under other cards: the corners there follow from the cards' size.
	Covered bool
}

// Detector finds cards. It keeps its working memory from frame to frame; one
// detector serves one goroutine at a time.
type Detector struct {
	o      Options
	levels []*level
	grad   gradients
	find   segmentFinder
	graph  cornerGraph
	walks  [2]walk
	hyps   []*hypothesis
	// preparing is held while a level is made ready: goroutines share them.
	preparing sync.Mutex
}

// level is one scale of the picture.
type level struct {
	scale float64  // full-picture pixels per pixel of this level
	bgr   gocv.Mat // of level 0 it is lent by the caller unless it was shrunk
	own   gocv.Mat // the memory for it
	soft  gocv.Mat // bgr blurred
	look  raster   // over soft
	edges edgeMap
	// pieces are the segments grown; segs are those a pass works with, and the
	// joined ones.
	pieces, segs []segment
	size         image.Point
	// What is there of the present picture: bgr, the edges, look, the pieces.
	shrunk, ready, looked, grown bool
}

// New checks the options and returns a detector. Close frees its memory.
func New(o Options) (*Detector, error) {
	if o.CardSize == (board.Size{}) {
		o.CardSize = board.StandardCard()
	}
	if o.CardSize.Width <= 0 || o.CardSize.Height <= 0 {
		return nil, fmt.Errorf("detect: the card size %g×%g mm is not one: give width and height in millimetres, as 63×88", o.CardSize.Width, o.CardSize.Height)
	}
	if o.CardSize.Width > o.CardSize.Height {
		o.CardSize.Width, o.CardSize.Height = o.CardSize.Height, o.CardSize.Width
	}
	if o.PxPerMM < 0 || math.IsNaN(o.PxPerMM) || math.IsInf(o.PxPerMM, 0) {
		return nil, fmt.Errorf("detect: %g pixels per millimetre is not a scale: give a positive number, or 0 when it is not known", o.PxPerMM)
	}
	if o.Plane != nil {
		if _, err := o.Plane.Inverse(); err != nil {
			return nil, fmt.Errorf("detect: the table plane can't be used, calibrate again: %w", err)
		}
	}
	if o.WorkSize < 0 || o.MinHeight < 0 {
		return nil, fmt.Errorf("detect: working size %d and least card height %g are pixels: give positive numbers, or 0 for the usual", o.WorkSize, o.MinHeight)
	}
	if o.WorkSize == 0 {
		o.WorkSize = 1920
	}
	d := &Detector{o: o}
	var err error
	if d.grad, err = newGradients(); err != nil {
		return nil, fmt.Errorf("detect: %w", err)
	}
	for range levelCount {
		d.levels = append(d.levels, &level{own: gocv.NewMat(), soft: gocv.NewMat()})
	}
	if err := d.warm(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close frees the detector's memory.
func (d *Detector) Close() error {
	errs := []error{d.grad.close()}
	for _, l := range d.levels {
		errs = append(errs, l.own.Close(), l.soft.Close())
	}
	return errors.Join(errs...)
}

// minStep is the faintest step that may be an edge, grey levels per pixel.
const minStep = 1.05

// Detect returns the cards in the picture (BGR, 8 bit), those that lie free first,
// the best of them before others. With a region only that part of the picture is looked at; the
// coordinates stay those of the whole picture.
func (d *Detector) Detect(img gocv.Mat, region image.Rectangle) ([]Detection, error) {
	if img.Empty() {
		return nil, errors.New("detect: the picture is empty")
	}
	if img.Type() != gocv.MatTypeCV8UC3 {
		return nil, fmt.Errorf("detect: the picture must have three channels of 8 bits (BGR), this one is of OpenCV type %v", img.Type())
	}
	whole := image.Rect(0, 0, img.Cols(), img.Rows())
	if region.Empty() {
		region = whole
	}
	region = region.Intersect(whole)
	if region.Dx() < 32 || region.Dy() < 32 {
		return nil, nil
	}
	part := img.Region(region)
	defer part.Close()

	if err := d.prepare(part); err != nil {
		return nil, err
	}
	return d.newSearch(img.Cols(), img.Rows(), region).run()
}

// prepare makes the part of the picture to be searched level 0, and works out the
// others' scales.
func (d *Detector) prepare(part gocv.Mat) error {
	longest := max(part.Cols(), part.Rows())
	scale := max(1, float64(longest)/float64(d.o.WorkSize))
	for i, l := range d.levels {
		l.scale = scale * float64(int(1)<<i)
		l.size = image.Pt(int(math.Round(float64(part.Cols())/l.scale)), int(math.Round(float64(part.Rows())/l.scale)))
		l.shrunk, l.ready, l.looked, l.grown = false, false, false, false
		l.segs = l.segs[:0]
	}
	l := d.levels[0]
	l.shrunk = true
	if scale == 1 {
		l.bgr = part
		return nil
	}
	if err := gocv.Resize(part, &l.own, l.size, 0, 0, gocv.InterpolationArea); err != nil {
		return fmt.Errorf("detect: shrink to %v: %w", l.size, err)
	}
	l.bgr = l.own
	return nil
}

// shrink fills in the pixels of a level, once a picture.
func (d *Detector) shrink(i int) error {
	l := d.levels[i]
	if l.shrunk {
		return nil
	}
	if err := gocv.Resize(d.levels[0].bgr, &l.own, l.size, 0, 0, gocv.InterpolationArea); err != nil {
		return fmt.Errorf("detect: shrink to %v: %w", l.size, err)
	}
	l.bgr, l.shrunk = l.own, true
	return nil
}

// edgesOf returns the edges of a level, which it finds once a picture.
func (d *Detector) edgesOf(i int) (*edgeMap, error) {
	d.preparing.Lock()
	defer d.preparing.Unlock()
	l := d.levels[i]
	if l.ready {
		return &l.edges, nil
	}
	if err := d.shrink(i); err != nil {
		return nil, err
	}
	if err := d.grad.edges(l.bgr, minStep, &l.edges); err != nil {
		return nil, fmt.Errorf("detect: %w", err)
	}
	l.ready = true
	return &l.edges, nil
}

// lookOf returns the colours of a level, each the mean of 3×3 pixels, once a
// picture.
func (d *Detector) lookOf(i int) (*raster, error) {
	d.preparing.Lock()
	defer d.preparing.Unlock()
	l := d.levels[i]
	if l.looked {
		return &l.look, nil
	}
	if err := d.shrink(i); err != nil {
		return nil, err
	}
	if err := gocv.Blur(l.bgr, &l.soft, image.Pt(3, 3)); err != nil {
		return nil, fmt.Errorf("detect: blur: %w", err)
	}
	pix, err := l.soft.DataPtrUint8()
	if err != nil {
		return nil, fmt.Errorf("detect: pixels of %v: %w", l.size, err)
	}
	l.look, l.looked = raster{l.soft.Cols(), l.soft.Rows(), pix}, true
	return &l.look, nil
}

// segmentsOf returns the segments of a level whose edges are found, which it
// grows once a picture.
func (d *Detector) segmentsOf(i int) []segment {
	l := d.levels[i]
	if !l.grown {
		l.pieces, l.grown = d.find.find(&l.edges, minSegment, l.pieces[:0]), true
	}
	return l.pieces
}

// search is the work on one picture.
type search struct {
	d       *Detector
	origin  board.Point // of the region in the whole picture
	centre  board.Point // principal point in pixels of level 0
	longest float64     // longer side of the whole picture in pixels of level 0
	card    board.Size
	// known maps pixels of level 0 to millimetres on the table; nil when the
	// plane has to be found from the cards.
	known *board.Homography
	// agreed is the view on which the first cards without doubt agree, if they do.
	agreed *view
}

func (d *Detector) newSearch(width, height int, region image.Rectangle) *search {
	l := d.levels[0]
	s := &search{d: d, card: d.o.CardSize, origin: board.Point{X: float64(region.Min.X), Y: float64(region.Min.Y)}}
	s.longest = float64(max(width, height)) / l.scale
	s.centre = s.toLevel(board.Point{X: float64(width-1) / 2, Y: float64(height-1) / 2})
	s.known = s.knownPlane()
	return s
}

// toLevel and toFull change between pixels of the whole picture and of level 0.
// A pixel's centre has whole coordinates, so that scaling turns about the
// corner of the first pixel, half a pixel before it.
func (s *search) toLevel(p board.Point) board.Point {
	k := s.d.levels[0].scale
	return board.Point{X: (p.X-s.origin.X+0.5)/k - 0.5, Y: (p.Y-s.origin.Y+0.5)/k - 0.5}
}

func (s *search) toFull(p board.Point) board.Point {
	k := s.d.levels[0].scale
	return board.Point{X: (p.X+0.5)*k - 0.5 + s.origin.X, Y: (p.Y+0.5)*k - 0.5 + s.origin.Y}
}

// knownPlane is what the options say of the plane, for pixels of level 0.
func (s *search) knownPlane() *board.Homography {
	k := s.d.levels[0].scale
	full := board.Homography{k, 0, 0.5*k - 0.5 + s.origin.X, 0, k, 0.5*k - 0.5 + s.origin.Y, 0, 0, 1}
	var h board.Homography
	switch {
	case s.d.o.Plane != nil:
		h = s.d.o.Plane.Mul(full)
	case s.d.o.PxPerMM > 0:
		h = board.Homography{1 / s.d.o.PxPerMM, 0, 0, 0, 1 / s.d.o.PxPerMM, 0, 0, 0, 1}.Mul(full)
	default:
		return nil
	}
	return &h
}

// candidate is a quad with edges along its sides, in pixels of level 0.
type candidate struct {
	quad    board.Quad
	level   int // whose edges support it
	support support
	quality float64 // of the edges and corners, about [0,1.3]
	shape   float64 // how far the corners' shape can be told at this size, [0,1]
	// outlines are those found nested around the quad, best first; nil when
	// they were not looked for.
	outlines []candidate
	fit      fit
	score    float64
	covered  bool    // partly in view; the card's size tells the rest
	inView   float64 // share of the outline of a covered card
}

func (s *search) debug(stage string, cands []candidate) {
	if s.d.o.Debug == nil {
		return
	}
	quads := make([]board.Quad, len(cands))
	for i := range cands {
		quads[i] = cands[i].quad.Map(s.toFull)
	}
	s.d.o.Debug(stage, quads)
}

func (s *search) run() ([]Detection, error) {
	places, err := s.places()
	if err != nil {
		return nil, err
	}
	s.debug("places", places)
	cards, err := s.choose(places)
	if err != nil {
		return nil, err
	}
	out := make([]Detection, 0, len(cards))
	for _, c := range cards {
		if c, err = s.sharpen(c); err != nil {
			return nil, err
		}
		d := Detection{Quad: c.quad.Turned(c.fit.turn).Map(s.toFull), Score: likelihood(c.score), Visible: c.support.visible(), Covered: c.covered}
		if c.covered {
			d.Visible = c.inView
		}
		out = append(out, d)
	}
	s.debug("chosen", cards)
	return out, nil
}

// levelCount is how many scales there are, each half the one before: from the
// working size, on which the smallest cards are found, to a card that fills the
// picture.
const levelCount = 4
