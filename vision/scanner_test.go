package vision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func newScanner(tb testing.TB, opts vision.Options) *vision.Scanner {
	tb.Helper()
	s, err := vision.New(opts)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

// simDeck is the deck of the simulated table and fullDeck the catalogue of it,
// drawn once for all tests.
var (
	simDeck  = sync.OnceValue(deck.New)
	fullDeck = sync.OnceValues(deckCatalog)
)

func deckCatalog() (*catalog.Catalog, error) {
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
}

// deckScanner knows the whole deck.
func deckScanner(tb testing.TB) *vision.Scanner {
	tb.Helper()
	cat, err := fullDeck()
	must(tb, err)
	return newScanner(tb, vision.Options{Catalog: cat})
}

// scene renders a random scene of a level and returns it with the truth about
// the cards that lie wholly in the picture.
func scene(tb testing.TB, level string, seed uint64) (gocv.Mat, []tablesim.Truth) {
	tb.Helper()
	d := simDeck()
	l, err := tablesim.LevelByName(level)
	must(tb, err)
	cam := l.Camera(1920, 1080, seed)
	r, err := tablesim.NewRenderer(d, l, cam, seed)
	must(tb, err)
	s := tablesim.RandomScene(d, l, cam, seed)
	picture, err := r.Render(s, 1)
	must(tb, err)
	img, err := gocv.ImageToMatRGB(picture)
	must(tb, err)
	tb.Cleanup(func() { img.Close() })
	return img, slices.DeleteFunc(r.Truth(s), func(t tablesim.Truth) bool { return t.Visible < 0.85 })
}

func TestScanSimulatedTables(t *testing.T) {
	scanner := deckScanner(t)
	var cards, named, wrong, turnWrong int
	for seed := range uint64(3) {
		img, truth := scene(t, "easy", 100+seed)
		obs, err := scanner.Scan(context.Background(), img, nil)
		must(t, err)
		for _, tr := range truth {
			cards++
			i := slices.IndexFunc(obs, func(o board.Observation) bool { return o.Corners.Overlap(tr.Corners) > 0.5 })
			if i < 0 {
				continue
			}
			o := obs[i]
			if o.Face == board.FaceUnknown {
				continue
			}
			if o.Face != tr.Face || (o.Card == nil) != (tr.Card == nil) || o.Card != nil && o.Card.ID != tr.Card.ID || o.Back != tr.Back {
				wrong++
				t.Errorf("seed %d: %v, back %q, was taken for %v, back %q, with confidence %.3f", seed, tr.Card, tr.Back, o.Card, o.Back, o.Confidence)
				continue
			}
			named++
			off := math.Abs(board.AngleDiff(o.AngleDeg, tr.AngleDeg))
			if tr.AngleModulo == 180 {
				off = min(off, 180-off)
			}
			if off > 2 || tr.Rotation.Known() && o.Rotation.Known() && o.Rotation != tr.Rotation {
				turnWrong++
				t.Errorf("seed %d: %v, back %q: angle %.1f and turn %d, want %.1f and %d", seed, tr.Card, tr.Back, o.AngleDeg, o.Rotation, tr.AngleDeg, tr.Rotation)
			}
		}
	}
	t.Logf("%d cards, %d named, %d wrong, %d with a wrong turn", cards, named, wrong, turnWrong)
	if float64(named) < 0.95*float64(cards) {
		t.Errorf("named %d of %d cards", named, cards)
	}
}

// On these tables outlines hardly show: dark borderless cards on neoprene with
// printed zones, and playmats with a picture and tinted zones.
func TestFindsCardsWhoseOutlineHardlyShows(t *testing.T) {
	scanner := deckScanner(t)
	for name, seed := range map[string]uint64{"neoprene": 516, "playmats": 712} {
		t.Run(name, func(t *testing.T) {
			img, truth := scene(t, "easy", seed)
			obs, err := scanner.Scan(context.Background(), img, nil)
			must(t, err)
			for _, tr := range truth {
				i := slices.IndexFunc(obs, func(o board.Observation) bool { return o.Corners.Overlap(tr.Corners) > 0.8 })
				switch {
				case i < 0:
					t.Errorf("%v, back %q, at %v is not found", tr.Card, tr.Back, tr.Corners.Centre())
				case obs[i].Face != tr.Face || obs[i].Back != tr.Back || tr.Card != nil && (obs[i].Card == nil || obs[i].Card.ID != tr.Card.ID):
					t.Errorf("%v, back %q, was taken for %v, back %q", tr.Card, tr.Back, obs[i].Card, obs[i].Back)
				}
			}
			if len(obs) > len(truth) {
				t.Errorf("%d answers for %d cards", len(obs), len(truth))
			}
		})
	}
}

// photosDir is the folder of labelled photographs: $SCANNER_PHOTOS, or
// shared/photos beside the checkout. The test is skipped without it.
func photosDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("SCANNER_PHOTOS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "photos")
	}
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("no labelled photographs at %s: set SCANNER_PHOTOS to their folder to run this test", dir)
	}
	return dir
}

// photo reads a labelled photograph.
func photo(tb testing.TB, name string) (gocv.Mat, []label) {
	tb.Helper()
	dir := photosDir(tb)
	img := gocv.IMRead(filepath.Join(dir, "tm", name+".jpg"), gocv.IMReadColor)
	tb.Cleanup(func() { img.Close() })
	if img.Empty() {
		tb.Fatalf("%s.jpg in %s can't be read", name, dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, "tm", name+".json"))
	must(tb, err)
	var doc struct{ Cards []label }
	must(tb, json.Unmarshal(data, &doc))
	return img, doc.Cards
}

type label struct {
	Corners board.Quad   `json:"corners"`
	ID      board.CardID `json:"id"`
	Name    string       `json:"name"`
}

func warped(tb testing.TB, img gocv.Mat, h board.Homography, size image.Point) gocv.Mat {
	tb.Helper()
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range h {
		m.SetDoubleAt(i/3, i%3, v)
	}
	out := gocv.NewMat()
	tb.Cleanup(func() { out.Close() })
	// White around a turned photograph, as its sheet is.
	must(tb, gocv.WarpPerspectiveWithParams(img, &out, m, size, gocv.InterpolationLinear, gocv.BorderReplicate, color.RGBA{}))
	return out
}

// firstCopies is a catalogue of the first copy of each card in a photograph.
func firstCopies(tb testing.TB, img gocv.Mat, labels []label) *catalog.Catalog {
	tb.Helper()
	seen := map[board.CardID]bool{}
	var entries []catalog.Entry
	for _, l := range labels {
		if seen[l.ID] {
			continue
		}
		seen[l.ID] = true
		width, height := l.Corners.Edges()
		w, h := math.Round(width), math.Round(height)
		hom, err := board.HomographyFromQuads(l.Corners, board.Quad{{X: -0.5, Y: -0.5}, {X: w - 0.5, Y: -0.5}, {X: w - 0.5, Y: h - 0.5}, {X: -0.5, Y: h - 0.5}})
		must(tb, err)
		face := warped(tb, img, hom, image.Pt(int(w), int(h)))
		picture, err := face.ToImage()
		must(tb, err)
		entries = append(entries, catalog.Entry{Card: board.Card{ID: l.ID, Name: l.Name}, Face: picture})
	}
	cat, err := catalog.New(entries, nil)
	must(tb, err)
	return cat
}

func TestScanPhotographedDeck(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	scanner := newScanner(t, vision.Options{Catalog: firstCopies(t, img, labels)})
	for _, deg := range []float64{0, 90, 180, 270, 17} {
		t.Run(fmt.Sprintf("turned by %.0f", deg), func(t *testing.T) {
			sin, cos := math.Sincos(deg * math.Pi / 180)
			w, h := float64(img.Cols()), float64(img.Rows())
			nw, nh := math.Round(math.Abs(w*cos)+math.Abs(h*sin)), math.Round(math.Abs(w*sin)+math.Abs(h*cos))
			turn := board.Homography{cos, -sin, nw/2 - cos*w/2 + sin*h/2, sin, cos, nh/2 - sin*w/2 - cos*h/2, 0, 0, 1}
			frame := img
			if deg != 0 {
				frame = warped(t, img, turn, image.Pt(int(nw), int(nh)))
			}
			obs, err := scanner.Scan(context.Background(), frame, nil)
			must(t, err)
			var errs []float64
			matched := map[int]bool{}
			for i, l := range labels {
				want := l.Corners.Map(turn.Apply)
				k := slices.IndexFunc(obs, func(o board.Observation) bool { return o.Corners.Overlap(want) > 0.5 })
				if k < 0 {
					t.Errorf("copy %d of %s was not found", i, l.ID)
					continue
				}
				matched[k] = true
				o := obs[k]
				if o.Card == nil || o.Card.ID != l.ID {
					t.Errorf("copy %d of %s was taken for %v with confidence %.3f, alternatives %v", i, l.ID, o.Card, o.Confidence, o.Alternatives)
					continue
				}
				if off := math.Abs(board.AngleDiff(o.AngleDeg, want.AngleDeg())); off > 2 {
					t.Errorf("copy %d of %s: the angle is off by %.1f°", i, l.ID, off)
				}
				_, height := want.Edges()
				for c, p := range o.Corners {
					errs = append(errs, 100*p.Distance(want[c])/height)
				}
			}
			for k, o := range obs {
				if !matched[k] {
					t.Errorf("there is no card at %.0f, %.0f", o.Corners.Centre().X, o.Corners.Centre().Y)
				}
			}
			if len(errs) > 0 {
				slices.Sort(errs)
				median := errs[len(errs)/2]
				t.Logf("corner error: median %.2f %% of the card's height, 90th percentile %.2f %%", median, errs[len(errs)*9/10])
				if median > 1.5 {
					t.Errorf("the median corner error is %.2f %% of the card's height, want at most 1.5 %%", median)
				}
			}
		})
	}
}

func TestScanWithoutCatalogue(t *testing.T) {
	img, truth := scene(t, "easy", 203)
	obs, err := newScanner(t, vision.Options{}).Scan(context.Background(), img, nil)
	must(t, err)
	found := 0
	for _, o := range obs {
		if o.Card != nil || o.Face != board.FaceUnknown || o.Rotation.Known() || o.AngleModulo != 180 {
			t.Errorf("an outline alone gave %+v", o)
		}
		if o.AngleDeg > 90 && o.AngleDeg <= 270 {
			t.Errorf("an angle modulo 180 is given as %.1f", o.AngleDeg)
		}
		if slices.ContainsFunc(truth, func(tr tablesim.Truth) bool { return tr.Corners.Overlap(o.Corners) > 0.8 }) {
			found++
		}
	}
	if float64(found) < 0.9*float64(len(truth)) {
		t.Errorf("found %d of %d cards", found, len(truth))
	}
}

// A deck laid out closely is found whole, however its picture was made smaller.
func TestScanShrunkDeck(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	scanner := newScanner(t, vision.Options{})
	ways := map[string]func(small *gocv.Mat){
		"averaged": func(*gocv.Mat) {},
		"softened": func(m *gocv.Mat) { must(t, gocv.GaussianBlur(*m, m, image.Pt(0, 0), 0.6, 0, gocv.BorderReplicate)) },
		"sharpened": func(m *gocv.Mat) {
			soft := gocv.NewMat()
			defer soft.Close()
			must(t, gocv.GaussianBlur(*m, &soft, image.Pt(0, 0), 1, 0, gocv.BorderReplicate))
			must(t, gocv.AddWeighted(*m, 1.5, soft, -0.5, 0, m))
		},
		"as a JPEG": func(m *gocv.Mat) {
			buf, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, *m, []int{gocv.IMWriteJpegQuality, 85})
			must(t, err)
			defer buf.Close()
			must(t, gocv.IMDecodeIntoMat(buf.GetBytes(), gocv.IMReadColor, m))
		},
	}
	for _, width := range []int{1000, 800} {
		scale := float64(width) / float64(img.Cols())
		for name, way := range ways {
			t.Run(fmt.Sprintf("%d pixels, %s", width, name), func(t *testing.T) {
				small := gocv.NewMat()
				defer small.Close()
				must(t, gocv.Resize(img, &small, image.Point{}, scale, scale, gocv.InterpolationArea))
				way(&small)
				obs, err := scanner.Scan(context.Background(), small, nil)
				must(t, err)
				for _, l := range labels {
					q := l.Corners.Map(func(p board.Point) board.Point { return p.Scale(scale) })
					if !slices.ContainsFunc(obs, func(o board.Observation) bool { return o.Corners.Overlap(q) > 0.8 }) {
						t.Errorf("lost the card at %.0f", q.Centre())
					}
				}
				if len(obs) > len(labels) {
					t.Errorf("%d cards of %d", len(obs), len(labels))
				}
			})
		}
	}
}

func TestScanRegions(t *testing.T) {
	img, _ := scene(t, "easy", 203)
	scanner := deckScanner(t)
	whole, err := scanner.Scan(context.Background(), img, nil)
	must(t, err)
	left := image.Rect(0, 0, 1100, 1080)
	right := image.Rect(820, 0, 1920, 1080)
	parts, err := scanner.Scan(context.Background(), img, []image.Rectangle{left, right})
	must(t, err)
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			if a.Corners.Overlap(b.Corners) > 0.5 {
				t.Errorf("the card at %v is there twice, once from each region", a.Corners.Centre())
			}
		}
	}
	if len(whole) == 0 || len(parts) < len(whole)*9/10 {
		t.Errorf("two regions show %d cards, the whole picture %d", len(parts), len(whole))
	}
	none, err := scanner.Scan(context.Background(), img, []image.Rectangle{})
	must(t, err)
	if len(none) != 0 {
		t.Errorf("no region shows %d cards", len(none))
	}
}

func TestZonesOfAMatAreNoCards(t *testing.T) {
	img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(70, 52, 44, 0), 480, 900, gocv.MatTypeCV8UC3)
	defer img.Close()
	white := color.RGBA{225, 225, 215, 0}
	for i := range 4 {
		at := image.Pt(60+220*i, 140)
		must(t, gocv.Rectangle(&img, image.Rectangle{at, at.Add(image.Pt(126, 176))}, white, 2))
	}
	// A plain sleeve, of another colour than the mat.
	sleeve := image.Rect(60+220*3, 140, 60+220*3+126, 140+176)
	must(t, gocv.Rectangle(&img, sleeve, color.RGBA{150, 40, 40, 0}, -1))
	must(t, gocv.GaussianBlur(img, &img, image.Pt(0, 0), 0.7, 0.7, gocv.BorderReplicate))
	for name, scanner := range map[string]*vision.Scanner{"with a catalogue": deckScanner(t), "without": newScanner(t, vision.Options{})} {
		obs, err := scanner.Scan(context.Background(), img, nil)
		must(t, err)
		if len(obs) != 1 || !obs[0].Corners.Contains(board.Point{X: float64(sleeve.Min.X + 63), Y: 228}) {
			t.Errorf("%s: %d cards, want the sleeve alone", name, len(obs))
		}
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	img := gocv.NewMatWithSize(200, 200, gocv.MatTypeCV8UC3)
	defer img.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newScanner(t, vision.Options{}).Scan(ctx, img, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestNewRefuses(t *testing.T) {
	flat := board.Homography{}
	for name, opts := range map[string]vision.Options{
		"a negative size":  {CardSize: board.Size{Width: -63, Height: 88}},
		"a negative scale": {PxPerMM: -1},
		"no plane":         {Plane: &flat},
	} {
		if s, err := vision.New(opts); err == nil {
			t.Errorf("took %s", name)
			s.Close()
		}
	}
}

func TestAnnotate(t *testing.T) {
	img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(120, 120, 120, 0), 400, 600, gocv.MatTypeCV8UC3)
	defer img.Close()
	quad := board.RectQuad(board.Point{X: 300, Y: 200}, board.Size{Width: 126, Height: 176}, 0)
	must(t, vision.Annotate(&img, []board.Observation{
		{Corners: quad, Face: board.FaceUp, AngleModulo: 360, Card: &board.CardRef{ID: "a", Name: "Ōkami"}, Confidence: 0.97},
		// Partly outside of the picture.
		{Corners: quad.Map(func(p board.Point) board.Point { return p.Add(board.Point{X: 290, Y: 190}) }), AngleModulo: 180, Rotation: board.TurnUnknown, Face: board.FaceUnknown},
	}))
	brightness := func(x, y int) int {
		v := img.GetVecbAt(y, x)
		return int(v[0]) + int(v[1]) + int(v[2])
	}
	if v := img.GetVecbAt(112, 250); v[1] < 180 || v[2] > 100 {
		t.Errorf("the printed top edge is not drawn green: %v", v)
	}
	// Across the top edge there is more colour than across the bottom one.
	count := func(y0 int) (n int) {
		for y := y0 - 8; y <= y0+8; y++ {
			if v := img.GetVecbAt(y, 250); v[1] > 180 && v[2] < 100 {
				n++
			}
		}
		return n
	}
	if top, bottom := count(112), count(288); top <= bottom {
		t.Errorf("the top edge is %d pixels thick, the bottom one %d: the top should stand out", top, bottom)
	}
	white := 0
	for y := 170; y < 230; y++ {
		for x := 240; x < 360; x++ {
			if brightness(x, y) > 700 {
				white++
			}
		}
	}
	if white < 30 {
		t.Errorf("the label's letters have %d white pixels", white)
	}

	grey := gocv.NewMatWithSize(10, 10, gocv.MatTypeCV8UC1)
	defer grey.Close()
	if err := vision.Annotate(&grey, nil); err == nil || !strings.Contains(err.Error(), "BGR") {
		t.Errorf("a grey picture: %v", err)
	}
}
