package identify_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision/identify"
)

func TestNamesTheCardsOfADeck(t *testing.T) {
	d := simDeck()
	ix := fullIndex(t)
	for _, height := range []float64{75, 100, 140} {
		t.Run(fmt.Sprintf("%.0f pixels tall", height), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(height), 1))
			unsure := 0
			for _, c := range d.Cards() {
				frame, corners, outline := randomShot(rng, height).take(t, rng, d.Face(c.ID), nil)
				res, err := ix.Identify(frame, outline)
				must(t, err)
				switch {
				case res.Face == board.FaceUnknown:
					unsure++
					continue
				case res.Card == nil || res.Card.ID != c.ID:
					t.Errorf("%s was taken for %v (back %q) with confidence %.3f", c.ID, res.Card, res.Back, res.Confidence)
					continue
				case !res.TopKnown:
					t.Errorf("%s: the top is not known", c.ID)
				}
				if off := math.Abs(board.AngleDiff(res.Quad.AngleDeg(), corners.AngleDeg())); off > 2 {
					t.Errorf("%s: the angle is off by %.1f°", c.ID, off)
				}
				for i, p := range res.Quad {
					if e := p.Distance(corners[i]); e > 0.03*height {
						t.Errorf("%s: corner %d is off by %.1f pixels", c.ID, i, e)
					}
				}
			}
			if unsure > 2 {
				t.Errorf("unsure of %d of %d cards", unsure, len(d.Cards()))
			}
		})
	}
}

func TestStrangersAreUnknown(t *testing.T) {
	d := simDeck()
	// A stranger that shares its picture with a card of the catalogue looks
	// like that card with something on its title; those pairs stay together.
	together := map[board.CardID]bool{}
	for _, pair := range d.LookAlikes() {
		together[pair[0]], together[pair[1]] = true, true
	}
	known := func(i int, c board.Card) bool { return i%2 == 0 || together[c.ID] }
	cat, err := deckCatalog(known)
	must(t, err)
	ix := newIndex(t, cat)
	rng := rand.New(rand.NewPCG(5, 1))
	for i, c := range d.Cards() {
		if known(i, c) {
			continue
		}
		frame, _, outline := randomShot(rng, 110).take(t, rng, d.Face(c.ID), nil)
		res, err := ix.Identify(frame, outline)
		must(t, err)
		if res.Face != board.FaceUnknown {
			t.Errorf("%s, which is not in the catalogue, was taken for %v (back %q) with confidence %.3f", c.ID, res.Card, res.Back, res.Confidence)
		}
	}
}

func TestTellsBacks(t *testing.T) {
	d := simDeck()
	ix := fullIndex(t)
	rng := rand.New(rand.NewPCG(6, 1))
	for _, id := range d.Backs() {
		for range 5 {
			frame, corners, outline := randomShot(rng, 100).take(t, rng, d.Back(id), nil)
			res, err := ix.Identify(frame, outline)
			must(t, err)
			if res.Face != board.FaceDown || res.Back != id || res.Card != nil {
				t.Errorf("back %s: face %s, back %q, card %v, confidence %.3f", id, res.Face, res.Back, res.Card, res.Confidence)
				continue
			}
			if symmetric := deck.SymmetricBack(id); res.TopKnown == symmetric {
				t.Errorf("back %s: top known is %v", id, res.TopKnown)
			}
			off := math.Abs(board.AngleDiff(res.Quad.AngleDeg(), corners.AngleDeg()))
			if !res.TopKnown {
				off = min(off, 180-off)
			}
			if off > 2 {
				t.Errorf("back %s: the angle is off by %.1f°", id, off)
			}
		}
	}
}

func TestSomethingLiesOnTheCard(t *testing.T) {
	d := simDeck()
	ix := fullIndex(t)
	tests := map[string]struct {
		draw  func(frame *gocv.Mat, at board.Point, height float64) error
		named float64 // at least this share
	}{
		"die": {func(frame *gocv.Mat, at board.Point, height float64) error {
			r := int(height * 0.09) // 16 mm
			return gocv.Rectangle(frame, image.Rect(int(at.X)-r, int(at.Y)-r, int(at.X)+r, int(at.Y)+r), color.RGBA{230, 230, 225, 0}, -1)
		}, 0.95},
		"token": {func(frame *gocv.Mat, at board.Point, height float64) error {
			return gocv.Circle(frame, image.Pt(int(at.X), int(at.Y)), int(height*0.13), color.RGBA{200, 60, 30, 0}, -1)
		}, 0.9},
		"hand": {func(frame *gocv.Mat, at board.Point, height float64) error {
			return gocv.Rectangle(frame, image.Rect(0, int(at.Y), frame.Cols(), frame.Rows()), color.RGBA{210, 160, 130, 0}, -1)
		}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 1))
			named := 0
			for _, c := range d.Cards() {
				s := randomShot(rng, 110)
				frame, _, outline := s.take(t, rng, d.Face(c.ID), func(frame *gocv.Mat, corners board.Quad) {
					u, v := 0.25+0.5*rng.Float64(), 0.25+0.5*rng.Float64()
					at := corners[0].Add(corners[1].Sub(corners[0]).Scale(u)).Add(corners[3].Sub(corners[0]).Scale(v))
					must(t, test.draw(frame, at, s.height))
				})
				res, err := ix.Identify(frame, outline)
				must(t, err)
				switch {
				case res.Face == board.FaceUnknown:
				case res.Card == nil || res.Card.ID != c.ID:
					t.Errorf("%s was taken for %v (back %q) with confidence %.3f", c.ID, res.Card, res.Back, res.Confidence)
				default:
					named++
				}
			}
			if share := float64(named) / float64(len(d.Cards())); share < test.named {
				t.Errorf("named %.0f %%, want at least %.0f %%", 100*share, 100*test.named)
			}
		})
	}
}

func TestLookAlikesAreNotMixedUp(t *testing.T) {
	d := simDeck()
	ix := fullIndex(t)
	rng := rand.New(rand.NewPCG(8, 1))
	for _, pair := range d.LookAlikes() {
		for k, id := range pair {
			other := pair[1-k]
			for _, height := range []float64{45, 60, 90, 140} {
				s := randomShot(rng, height)
				s.blur, s.err = 0.012*height, 0.01 // the text is gone
				frame, _, outline := s.take(t, rng, d.Face(id), nil)
				res, err := ix.Identify(frame, outline)
				must(t, err)
				if res.Card != nil && res.Card.ID != id {
					t.Errorf("%s at %.0f pixels was taken for %s with confidence %.3f", id, height, res.Card.ID, res.Confidence)
				}
				if res.Card == nil && len(res.Alternatives) > 0 {
					first := res.Alternatives[0].Card.ID
					if first != id && first != other {
						t.Errorf("%s at %.0f pixels: the first alternative is %s", id, height, first)
					}
				}
			}
		}
	}
}

func TestTwinsAreAlternatives(t *testing.T) {
	d := simDeck()
	face := d.Face(d.Cards()[0].ID)
	cat, err := catalog.New([]catalog.Entry{
		{Card: board.Card{ID: "first-printing"}, Face: face},
		{Card: board.Card{ID: "second-printing"}, Face: face},
		{Card: board.Card{ID: "another"}, Face: d.Face(d.Cards()[9].ID)},
	}, nil)
	must(t, err)
	rng := rand.New(rand.NewPCG(9, 1))
	frame, _, outline := randomShot(rng, 120).take(t, rng, face, nil)
	res, err := newIndex(t, cat).Identify(frame, outline)
	must(t, err)
	if res.Card != nil {
		t.Fatalf("named %s though another card looks the same", res.Card.ID)
	}
	var ids []string
	for _, a := range res.Alternatives {
		ids = append(ids, string(a.Card.ID))
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"first-printing", "second-printing"}) {
		t.Errorf("the alternatives are %v", ids)
	}
}

func TestPhotographedDeck(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	cat, used := alphaCatalog(t, img, labels)
	ix := newIndex(t, cat)
	rng := rand.New(rand.NewPCG(10, 1))
	for _, deg := range []float64{0, 90, 180, 270, 17} {
		t.Run(fmt.Sprintf("turned by %.0f", deg), func(t *testing.T) {
			frame, moved := img, labels
			if deg != 0 {
				frame, moved = turned(t, img, labels, deg)
			}
			for i, l := range moved {
				if used[i] {
					continue
				}
				_, height := l.Corners.Edges()
				outline := l.Corners.Turned(2 * rng.IntN(2)).Map(func(p board.Point) board.Point {
					return board.Point{X: p.X + height*0.02*(2*rng.Float64()-1), Y: p.Y + height*0.02*(2*rng.Float64()-1)}
				})
				res, err := ix.Identify(frame, outline)
				must(t, err)
				if res.Card == nil || res.Card.ID != l.ID {
					t.Errorf("copy %d of %s: %v, confidence %.3f, alternatives %v", i, l.ID, res.Card, res.Confidence, res.Alternatives)
					continue
				}
				if off := math.Abs(board.AngleDiff(res.Quad.AngleDeg(), l.Corners.AngleDeg())); !res.TopKnown || off > 2 {
					t.Errorf("copy %d of %s: top known %v, angle off by %.1f°", i, l.ID, res.TopKnown, off)
				}
			}
		})
	}
}

func TestPhotographedStrangers(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	cat, _ := alphaCatalog(t, img, labels)
	ix := newIndex(t, cat)
	for _, name := range []string{"black", "geyser_twister_fireball", "lands_and_fatties", "counterspell_bgs", "instill_energy"} {
		frame, cards := photo(t, name)
		for _, l := range cards {
			res, err := ix.Identify(frame, l.Corners)
			must(t, err)
			_, known := cat.Card(l.ID)
			if res.Card != nil && res.Card.ID != l.ID {
				t.Errorf("%s: %s (in the catalogue: %v) was taken for %s with confidence %.3f", name, l.ID, known, res.Card.ID, res.Confidence)
			}
		}
	}
}

func TestQuestionsWithoutSense(t *testing.T) {
	cat, err := deckCatalog(func(i int, _ board.Card) bool { return i < 3 })
	must(t, err)
	ix := newIndex(t, cat)
	frame := gocv.NewMatWithSize(100, 100, gocv.MatTypeCV8UC3)
	defer frame.Close()
	grey := gocv.NewMatWithSize(100, 100, gocv.MatTypeCV8UC1)
	defer grey.Close()
	empty := gocv.NewMat()
	defer empty.Close()
	good := board.RectQuad(board.Point{X: 50, Y: 50}, board.Size{Width: 40, Height: 56}, 10)
	tests := map[string]struct {
		frame gocv.Mat
		quad  board.Quad
		want  string
	}{
		"empty frame":      {empty, good, "empty"},
		"grey frame":       {grey, good, "BGR"},
		"counterclockwise": {frame, board.Quad{good[1], good[0], good[3], good[2]}, "not convex and clockwise"},
		"one point":        {frame, board.Quad{}, "not convex"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := ix.Identify(test.frame, test.quad); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
	res, err := ix.Identify(frame, good)
	if err != nil || res.Face != board.FaceUnknown {
		t.Errorf("a black frame: face %s, error %v; want unknown and none", res.Face, err)
	}
	if _, err := ix.Identify(frame, good.Map(func(p board.Point) board.Point { return p.Add(board.Point{X: 70}) })); err != nil {
		t.Errorf("an outline cut by the picture's edge: %v", err)
	}
}

func TestNewIndexRefuses(t *testing.T) {
	if _, err := identify.NewIndex(nil, identify.Options{}); err == nil {
		t.Error("took no catalogue")
	}
	cat, err := deckCatalog(func(i int, _ board.Card) bool { return i < 1 })
	must(t, err)
	for _, opts := range []identify.Options{{Candidates: -1}, {MinConfidence: -0.1}, {MinConfidence: 1}} {
		if _, err := identify.NewIndex(cat, opts); err == nil {
			t.Errorf("took %+v", opts)
		}
	}
}
