package identify_test

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision/identify"
)

// shot says how a card is photographed for a test.
type shot struct {
	height   float64 // of the card, pixels
	angle    float64 // of its print, degrees
	blur     float64 // standard deviation, pixels
	noise    float64 // standard deviation, grey levels
	gain     [3]float64
	gradient float64 // loss of light from the left edge to the right
	err      float64 // of each corner of the outline, share of the height
	tilt     float64 // shortening of the far edge, share
}

func randomShot(rng *rand.Rand, height float64) shot {
	s := shot{
		height: height, angle: rng.Float64() * 360,
		blur: 0.5 + 0.3*rng.Float64(), noise: 1 + 2*rng.Float64(),
		gradient: 0.3 * rng.Float64(), err: 0.02, tilt: 0.05 * rng.Float64(),
	}
	for i := range s.gain {
		s.gain[i] = 0.7 + 0.35*rng.Float64()
	}
	return s
}

// take photographs a picture of a card on a plain ground and returns the frame,
// the true printed corners and the outline that a detector might give. cover
// is drawn over it when not nil. The frame is closed with the test.
func (s shot) take(tb testing.TB, rng *rand.Rand, face image.Image, cover func(frame *gocv.Mat, corners board.Quad)) (gocv.Mat, board.Quad, board.Quad) {
	tb.Helper()
	size := board.Size{Width: s.height * 63 / 88, Height: s.height}
	wide := face.Bounds().Dx() > face.Bounds().Dy()
	if wide {
		size.Width, size.Height = size.Height, size.Width
	}
	side := int(s.height * 1.6)
	centre := board.Point{X: float64(side)/2 + rng.Float64(), Y: float64(side)/2 + rng.Float64()}
	corners := board.RectQuad(centre, size, s.angle)
	corners = corners.Map(func(p board.Point) board.Point {
		f := 1 - s.tilt*(1-p.Y/float64(side))
		return board.Point{X: centre.X + (p.X-centre.X)*f, Y: p.Y}
	})

	src, err := gocv.ImageToMatRGB(face)
	must(tb, err)
	defer src.Close()
	must(tb, gocv.Resize(src, &src, image.Pt(int(size.Width*2), int(size.Height*2)), 0, 0, gocv.InterpolationArea))
	w, h := float64(src.Cols()), float64(src.Rows())
	from := board.Quad{{X: -0.5, Y: -0.5}, {X: w - 0.5, Y: -0.5}, {X: w - 0.5, Y: h - 0.5}, {X: -0.5, Y: h - 0.5}}
	// Drawn twice as large and averaged down, as a lens would.
	twice := corners.Map(func(p board.Point) board.Point { return board.Point{X: 2*p.X + 0.5, Y: 2*p.Y + 0.5} })
	hom, err := board.HomographyFromQuads(from, twice)
	must(tb, err)
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range hom {
		m.SetDoubleAt(i/3, i%3, v)
	}
	ground := float64(60 + rng.IntN(130))
	large := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(ground, ground, ground*0.9, 0), 2*side, 2*side, gocv.MatTypeCV8UC3)
	defer large.Close()
	must(tb, gocv.WarpPerspectiveWithParams(src, &large, m, image.Pt(2*side, 2*side), gocv.InterpolationLinear, gocv.BorderTransparent, color.RGBA{}))
	frame := gocv.NewMat()
	tb.Cleanup(func() { frame.Close() })
	must(tb, gocv.Resize(large, &frame, image.Pt(side, side), 0, 0, gocv.InterpolationArea))
	if cover != nil {
		cover(&frame, corners)
	}
	if s.blur > 0 {
		must(tb, gocv.GaussianBlur(frame, &frame, image.Pt(0, 0), s.blur, s.blur, gocv.BorderReplicate))
	}
	data, err := frame.DataPtrUint8()
	must(tb, err)
	for i := range data {
		x := float64(i/3%side) / float64(side)
		gain := (1 - s.gradient*x)
		if s.gain[i%3] > 0 {
			gain *= s.gain[i%3]
		}
		data[i] = uint8(min(max(float64(data[i])*gain+rng.NormFloat64()*s.noise, 0), 255))
	}

	outline := corners
	if wide {
		outline = outline.Turned(-1)
	}
	outline = outline.Turned(2 * rng.IntN(2)).Map(func(p board.Point) board.Point {
		e := s.err * s.height
		return board.Point{X: p.X + e*(2*rng.Float64()-1), Y: p.Y + e*(2*rng.Float64()-1)}
	})
	return frame, corners, outline
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// simDeck is the deck of the simulated table, drawn once for all tests.
var simDeck = sync.OnceValue(deck.New)

// fullDeck is the catalogue of all its cards and backs.
var fullDeck = sync.OnceValues(func() (*catalog.Catalog, error) { return deckCatalog(nil) })

// deckCatalog makes a catalogue of the cards of the simulated deck that keep
// says yes to, and of all its backs.
func deckCatalog(keep func(i int, c board.Card) bool) (*catalog.Catalog, error) {
	d := simDeck()
	var entries []catalog.Entry
	for i, c := range d.Cards() {
		if keep == nil || keep(i, c) {
			entries = append(entries, catalog.Entry{Card: c, Face: d.Face(c.ID)})
		}
	}
	var backs []catalog.Back
	for _, id := range d.Backs() {
		backs = append(backs, catalog.Back{ID: id, Image: d.Back(id)})
	}
	return catalog.New(entries, backs)
}

// fullIndex is an index of the whole deck.
func fullIndex(tb testing.TB) *identify.Index {
	tb.Helper()
	cat, err := fullDeck()
	must(tb, err)
	return newIndex(tb, cat)
}

func newIndex(tb testing.TB, cat *catalog.Catalog) *identify.Index {
	tb.Helper()
	ix, err := identify.NewIndex(cat, identify.Options{})
	must(tb, err)
	tb.Cleanup(func() { must(tb, ix.Close()) })
	return ix
}

// label is a card of a labelled photograph.
type label struct {
	Corners  board.Quad   `json:"corners"`
	AngleDeg float64      `json:"angle_deg"`
	ID       board.CardID `json:"id"`
	Name     string       `json:"name"`
}

// photosDir is the folder of labelled photographs: $SCANNER_PHOTOS, or
// shared/photos beside the checkout. The test is skipped without it.
func photosDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("SCANNER_PHOTOS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "photos")
	}
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("no labelled photographs at %s: set SCANNER_PHOTOS to their folder to run this test", dir)
	}
	return dir
}

func photo(tb testing.TB, name string) (gocv.Mat, []label) {
	tb.Helper()
	dir := filepath.Join(photosDir(tb), "tm")
	img := gocv.IMRead(filepath.Join(dir, name+".jpg"), gocv.IMReadColor)
	tb.Cleanup(func() { img.Close() })
	if img.Empty() {
		tb.Fatalf("%s/%s.jpg can't be read", dir, name)
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	must(tb, err)
	var doc struct{ Cards []label }
	must(tb, json.Unmarshal(data, &doc))
	return img, doc.Cards
}

// cut rectifies a card out of a photograph, as a reference picture.
func cut(tb testing.TB, img gocv.Mat, q board.Quad) image.Image {
	tb.Helper()
	width, height := q.Edges()
	w, h := math.Round(width), math.Round(height)
	hom, err := board.HomographyFromQuads(q, board.Quad{{X: -0.5, Y: -0.5}, {X: w - 0.5, Y: -0.5}, {X: w - 0.5, Y: h - 0.5}, {X: -0.5, Y: h - 0.5}})
	must(tb, err)
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range hom {
		m.SetDoubleAt(i/3, i%3, v)
	}
	out := gocv.NewMat()
	defer out.Close()
	must(tb, gocv.WarpPerspective(img, &out, m, image.Pt(int(w), int(h))))
	face, err := out.ToImage()
	must(tb, err)
	return face
}

// alphaCatalog has one reference of each card in alpha_deck, cut from its first
// copy there; used tells which copies those are.
func alphaCatalog(tb testing.TB, img gocv.Mat, labels []label) (cat *catalog.Catalog, used map[int]bool) {
	tb.Helper()
	seen := map[board.CardID]bool{}
	used = map[int]bool{}
	var entries []catalog.Entry
	for i, l := range labels {
		if !seen[l.ID] {
			seen[l.ID], used[i] = true, true
			entries = append(entries, catalog.Entry{Card: board.Card{ID: l.ID, Name: l.Name}, Face: cut(tb, img, l.Corners)})
		}
	}
	cat, err := catalog.New(entries, nil)
	must(tb, err)
	return cat, used
}

// turned turns a photograph and its labels clockwise about its centre, the
// picture growing so that nothing is lost.
func turned(tb testing.TB, img gocv.Mat, labels []label, deg float64) (gocv.Mat, []label) {
	tb.Helper()
	sin, cos := math.Sincos(deg * math.Pi / 180)
	w, h := float64(img.Cols()), float64(img.Rows())
	nw, nh := math.Abs(w*cos)+math.Abs(h*sin), math.Abs(w*sin)+math.Abs(h*cos)
	turn := board.Homography{
		cos, -sin, nw/2 - cos*w/2 + sin*h/2,
		sin, cos, nh/2 - sin*w/2 - cos*h/2,
		0, 0, 1,
	}
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range turn {
		m.SetDoubleAt(i/3, i%3, v)
	}
	out := gocv.NewMat()
	tb.Cleanup(func() { out.Close() })
	must(tb, gocv.WarpPerspective(img, &out, m, image.Pt(int(math.Round(nw)), int(math.Round(nh)))))
	moved := make([]label, len(labels))
	for i, l := range labels {
		l.Corners = l.Corners.Map(turn.Apply)
		l.AngleDeg = board.NormalizeDeg(l.AngleDeg + deg)
		moved[i] = l
	}
	return out, moved
}
