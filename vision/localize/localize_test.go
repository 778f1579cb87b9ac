package localize_test

import (
	"context"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision/localize"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

var (
	simDeck  = sync.OnceValue(deck.New)
	fullDeck = sync.OnceValues(func() (*catalog.Catalog, error) {
		d := simDeck()
		var entries []catalog.Entry
		for _, c := range d.Cards() {
			entries = append(entries, catalog.Entry{Card: c, Face: d.Face(c.ID)})
		}
		var backs []catalog.Back
		for _, id := range d.Backs() {
			backs = append(backs, catalog.Back{ID: id, Image: d.Back(id)})
		}
		return catalog.New(entries, backs)
	})
)

func newFinder(tb testing.TB) *localize.Finder {
	tb.Helper()
	cat, err := fullDeck()
	must(tb, err)
	f, err := localize.New(cat, board.Size{})
	must(tb, err)
	tb.Cleanup(func() { must(tb, f.Close()) })
	return f
}

// flatPlane is a plane seen without a lens.
type flatPlane board.Homography

func (p flatPlane) Flat() board.Homography { return board.Homography(p) }

func (p flatPlane) Table(at board.Point) board.Point { return p.Flat().Apply(at) }

func (p flatPlane) Pixel(at board.Point) board.Point {
	inverse, err := p.Flat().Inverse()
	if err != nil {
		return board.Point{}
	}
	return inverse.Apply(at)
}

// scene is a simulated table, the outlines of its cards, and its plane as the
// middle one's size gives it.
func scene(tb testing.TB, seed uint64) (gocv.Mat, []board.Quad, flatPlane) {
	tb.Helper()
	level, err := tablesim.LevelByName("easy")
	must(tb, err)
	still, err := tablesim.NewStill(simDeck(), level, 1920, 1080, seed)
	must(tb, err)
	img, err := gocv.ImageToMatRGB(still.Image)
	must(tb, err)
	tb.Cleanup(func() { img.Close() })
	var quads []board.Quad
	var heights []float64
	for _, t := range still.Truths {
		if t.Visible < 0.85 {
			continue
		}
		w, h := t.Corners.Edges()
		quads = append(quads, t.Corners)
		heights = append(heights, max(w, h))
	}
	slices.Sort(heights)
	k := board.StandardCard().Height / heights[len(heights)/2]
	return img, quads, flatPlane{k, 0, 0, 0, k, 0, 0, 0, 1}
}

func bounds(img gocv.Mat) image.Rectangle { return image.Rect(0, 0, img.Cols(), img.Rows()) }

func holds(places []localize.Place, q board.Quad, overlap float64) bool {
	return slices.ContainsFunc(places, func(p localize.Place) bool { return p.Quad.Overlap(q) > overlap })
}

// Dark cloth, neoprene, wood, light cloth and a playmat with a picture.
var tables = map[string]uint64{"dark cloth": 505, "neoprene": 516, "wood": 508, "light cloth": 510, "playmat": 715}

func TestFindsCardsOnEveryTable(t *testing.T) {
	f := newFinder(t)
	for name, seed := range tables {
		t.Run(name, func(t *testing.T) {
			img, cards, plane := scene(t, seed)
			places, err := f.Find(context.Background(), img, plane, nil, bounds(img))
			must(t, err)
			missed := 0
			for _, q := range cards {
				if !holds(places, q, 0.7) {
					missed++
				}
			}
			if missed > 0 {
				t.Errorf("missed %d of %d cards", missed, len(cards))
			}
			if len(places) > 6*len(cards) {
				t.Errorf("%d places to verify for %d cards", len(places), len(cards))
			}
			if !slices.IsSortedFunc(places, func(a, b localize.Place) int { return b.Votes - a.Votes }) {
				t.Error("places do not come most votes first")
			}
		})
	}
}

func TestLeavesTheExplainedAlone(t *testing.T) {
	f := newFinder(t)
	img, cards, plane := scene(t, 505)
	places, err := f.Find(context.Background(), img, plane, cards[1:], bounds(img))
	must(t, err)
	if !holds(places, cards[0], 0.7) {
		t.Error("the one card left is not found")
	}
	for _, q := range cards[1:] {
		if holds(places, q, 0.7) {
			t.Errorf("a card is found at %v, where one is known", q)
		}
	}
}

func TestLooksOnlyIntoTheRegion(t *testing.T) {
	f := newFinder(t)
	img, cards, plane := scene(t, 505)
	region := image.Rect(0, 0, 960, 1080)
	places, err := f.Find(context.Background(), img, plane, nil, region)
	must(t, err)
	for _, q := range cards {
		left, right := min(q[0].X, q[1].X, q[2].X, q[3].X), max(q[0].X, q[1].X, q[2].X, q[3].X)
		switch found := holds(places, q, 0.7); {
		case right < 960 && !found:
			t.Errorf("the card at %v, within the region, is not found", q)
		case left > 960 && found:
			t.Errorf("the card at %v, outside the region, is found", q)
		}
	}
}

// A plane whose horizon lies in the picture has no bounded picture of its own.
func TestHorizonInThePicture(t *testing.T) {
	f := newFinder(t)
	img, _, plane := scene(t, 505)
	plane[7] = -1.0 / 300
	if _, err := f.Find(context.Background(), img, plane, nil, bounds(img)); err != nil {
		t.Error(err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	f := newFinder(t)
	img, _, plane := scene(t, 505)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Find(ctx, img, plane, nil, bounds(img)); err == nil {
		t.Error("no error, though the context has ended")
	}
}

func TestRefuses(t *testing.T) {
	f := newFinder(t)
	cat, err := fullDeck()
	must(t, err)
	plane := flatPlane{1, 0, 0, 0, 1, 0, 0, 0, 1}
	colour := gocv.NewMatWithSize(100, 100, gocv.MatTypeCV8UC3)
	defer colour.Close()
	grey := gocv.NewMatWithSize(100, 100, gocv.MatTypeCV8UC1)
	defer grey.Close()
	none := gocv.NewMat()
	defer none.Close()
	find := func(img gocv.Mat, plane flatPlane) error {
		_, err := f.Find(context.Background(), img, plane, nil, image.Rect(0, 0, 100, 100))
		return err
	}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"an empty frame":     {find(none, plane), "empty"},
		"a grey frame":       {find(grey, plane), "BGR"},
		"a plane of no area": {find(colour, flatPlane{1, 0, 0, 1, 0, 0, 0, 0, 1}), "calibrate"},
		"no catalogue":       {func() error { _, err := localize.New(nil, board.Size{}); return err }(), "catalogue"},
		"a card of no size":  {func() error { _, err := localize.New(cat, board.Size{Width: 63, Height: -1}); return err }(), "millimetres"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
				t.Errorf("got %v, want an error about %q", c.err, c.says)
			}
		})
	}
}
