package detect_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/detect"
)

// photosDir finds the labelled photographs: $SCANNER_PHOTOS, or shared/photos
// beside the checkout.
func photosDir(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("SCANNER_PHOTOS"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no go.mod above the test")
		}
		dir = parent
	}
	photos := filepath.Join(filepath.Dir(dir), "shared", "photos")
	if _, err := os.Stat(photos); err != nil {
		tb.Skipf("the labelled photographs are not here (%s): set SCANNER_PHOTOS to their folder to run this test", photos)
	}
	return photos
}

type label struct {
	Corners board.Quad `json:"corners"`
	Name    string     `json:"name"`
}

func readLabels(tb testing.TB, path string) []board.Quad {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var l struct{ Cards []label }
	if err := json.Unmarshal(data, &l); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	var quads []board.Quad
	for _, c := range l.Cards {
		quads = append(quads, c.Corners)
	}
	return quads
}

func readImage(tb testing.TB, path string) gocv.Mat {
	tb.Helper()
	img := gocv.IMRead(path, gocv.IMReadColor)
	if img.Empty() {
		tb.Fatalf("%s is not a picture", path)
	}
	tb.Cleanup(func() { img.Close() })
	return img
}

// cornerErrors are the distances of the corners from a label's, share of the
// label's height, whichever way round the card was found.
func cornerErrors(got, want board.Quad) [4]float64 {
	_, height := want.Edges()
	var best [4]float64
	least := math.Inf(1)
	for _, turn := range []int{0, 2} {
		var e [4]float64
		var sum float64
		g := got.Turned(turn)
		for i := range e {
			e[i] = g[i].Distance(want[i]) / height
			sum += e[i]
		}
		if sum < least {
			best, least = e, sum
		}
	}
	return best
}

// match pairs detections with labels by overlap; it returns the corner errors
// of the pairs and how many of either side were left over.
func match(found []detect.Detection, labels []board.Quad) (errs []float64, missed, extra int) {
	used := make([]bool, len(found))
	for _, l := range labels {
		best, bestOverlap := -1, 0.5
		for i := range found {
			if o := found[i].Quad.Overlap(l); !used[i] && o > bestOverlap {
				best, bestOverlap = i, o
			}
		}
		if best < 0 {
			missed++
			continue
		}
		used[best] = true
		e := cornerErrors(found[best].Quad, l)
		errs = append(errs, e[:]...)
	}
	for _, u := range used {
		if !u {
			extra++
		}
	}
	return errs, missed, extra
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// annotate writes the picture with quads drawn in to $DETECT_ANNOTATE, when
// that is set: to look at.
func annotate(tb testing.TB, name string, img gocv.Mat, found []detect.Detection) {
	tb.Helper()
	dir := os.Getenv("DETECT_ANNOTATE")
	if dir == "" {
		return
	}
	out := img.Clone()
	defer out.Close()
	k := max(1, max(out.Cols(), out.Rows())/900)
	draw := func(q board.Quad, c color.RGBA) {
		for i := range q {
			a, b := q[i], q[(i+1)%4]
			gocv.Line(&out, image.Pt(int(math.Round(a.X)), int(math.Round(a.Y))), image.Pt(int(math.Round(b.X)), int(math.Round(b.Y))), c, k)
		}
	}
	for _, d := range found {
		draw(d.Quad, color.RGBA{G: 255, A: 255})
		c := d.Quad.Centre()
		gocv.PutText(&out, fmt.Sprintf("%.2f", d.Score), image.Pt(int(c.X), int(c.Y)), gocv.FontHersheySimplex, 0.5*float64(k), color.RGBA{R: 255, A: 255}, k)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	if !gocv.IMWrite(filepath.Join(dir, name+".jpg"), out) {
		tb.Fatalf("can't write to %s", dir)
	}
}

func newDetector(tb testing.TB, o detect.Options) *detect.Detector {
	tb.Helper()
	d, err := detect.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	return d
}

// The six photographs of cards on tables: each card, nothing else, its edge and
// not its frame.
func TestTabletopPhotos(t *testing.T) {
	dir := filepath.Join(photosDir(t), "tm")
	for _, name := range []string{"lands_and_fatties", "geyser_twister_fireball", "black", "alpha_deck", "instill_energy", "counterspell_bgs"} {
		t.Run(name, func(t *testing.T) {
			img := readImage(t, filepath.Join(dir, name+".jpg"))
			labels := readLabels(t, filepath.Join(dir, name+".json"))
			found := detectIn(t, detect.Options{Covered: true}, img, image.Rectangle{})
			annotate(t, name, img, found)
			errs, missed, extra := match(found, labels)
			worst := 0.0
			if len(errs) > 0 {
				worst = slices.Max(errs)
			}
			t.Logf("%d of %d, %d extra, corner error median %.2f%%, worst %.2f%%", len(labels)-missed, len(labels), extra, 100*median(errs), 100*worst)
			if missed > 0 || extra > 0 || median(errs) > 0.015 {
				t.Errorf("missed %d, extra %d, median corner error %.2f %% of the height", missed, extra, 100*median(errs))
			}
			for _, d := range found {
				if d.Score < 0.6 {
					t.Errorf("score %.2f at %.0f: a user who takes what is more likely a card than not would lose it", d.Score, d.Quad.Centre())
				}
			}
		})
	}
}

// The deck shrunk to 1000 pixels, as it is and turned about the picture's middle.
func TestTurnedDeck(t *testing.T) {
	dir := filepath.Join(photosDir(t), "tm")
	img := shrunk(t, filepath.Join(dir, "alpha_deck.jpg"), 1000)
	labels := readLabels(t, filepath.Join(dir, "alpha_deck.json"))
	const scale = 1000.0 / 5669
	for _, deg := range []float64{0, 17, 90, 180} {
		t.Run(fmt.Sprint(deg), func(t *testing.T) {
			const side = 1320
			m := gocv.GetRotationMatrix2D(image.Pt(img.Cols()/2, img.Rows()/2), -deg, 1)
			defer m.Close()
			m.SetDoubleAt(0, 2, m.GetDoubleAt(0, 2)+side/2-float64(img.Cols()/2))
			m.SetDoubleAt(1, 2, m.GetDoubleAt(1, 2)+side/2-float64(img.Rows()/2))
			turned := gocv.NewMat()
			defer turned.Close()
			if err := gocv.WarpAffineWithParams(img, &turned, m, image.Pt(side, side), gocv.InterpolationLinear, gocv.BorderConstant, color.RGBA{R: 225, G: 225, B: 225, A: 255}); err != nil {
				t.Fatal(err)
			}
			want := make([]board.Quad, len(labels))
			for i, l := range labels {
				want[i] = l.Map(func(p board.Point) board.Point {
					x, y := (p.X+0.5)*scale-0.5, (p.Y+0.5)*scale-0.5
					return board.Point{X: m.GetDoubleAt(0, 0)*x + m.GetDoubleAt(0, 1)*y + m.GetDoubleAt(0, 2),
						Y: m.GetDoubleAt(1, 0)*x + m.GetDoubleAt(1, 1)*y + m.GetDoubleAt(1, 2)}
				})
			}
			found := detectIn(t, detect.Options{Covered: true}, turned, image.Rectangle{})
			annotate(t, fmt.Sprintf("turned_%g", deg), turned, found)
			errs, missed, extra := match(found, want)
			if missed > 0 || extra > 0 || median(errs) > 0.015 {
				t.Errorf("missed %d, extra %d, median corner error %.2f %%", missed, extra, 100*median(errs))
			}
		})
	}
}

// However a photograph was made smaller, no free card is lost: of a deck that
// settles the plane well, and of three cards in loose sleeves that hardly do.
func TestShrunkPhotos(t *testing.T) {
	dir := filepath.Join(photosDir(t), "tm")
	ways := map[string]func(small *gocv.Mat) error{
		"averaged": func(*gocv.Mat) error { return nil },
		"softened": func(m *gocv.Mat) error {
			return gocv.GaussianBlur(*m, m, image.Pt(0, 0), 0.6, 0, gocv.BorderReplicate)
		},
		"sharpened": func(m *gocv.Mat) error {
			soft := gocv.NewMat()
			defer soft.Close()
			if err := gocv.GaussianBlur(*m, &soft, image.Pt(0, 0), 1, 0, gocv.BorderReplicate); err != nil {
				return err
			}
			return gocv.AddWeighted(*m, 1.5, soft, -0.5, 0, m)
		},
	}
	for _, name := range []string{"alpha_deck", "geyser_twister_fireball"} {
		img := readImage(t, filepath.Join(dir, name+".jpg"))
		labels := readLabels(t, filepath.Join(dir, name+".json"))
		for _, width := range []int{1000, 1500, 1600} {
			scale := float64(width) / float64(img.Cols())
			want := make([]board.Quad, len(labels))
			for i, l := range labels {
				want[i] = l.Map(func(p board.Point) board.Point {
					return board.Point{X: (p.X+0.5)*scale - 0.5, Y: (p.Y+0.5)*scale - 0.5}
				})
			}
			for way, alter := range ways {
				t.Run(fmt.Sprintf("%s of %d pixels, %s", name, width, way), func(t *testing.T) {
					small := gocv.NewMat()
					defer small.Close()
					if err := gocv.Resize(img, &small, image.Point{}, scale, scale, gocv.InterpolationArea); err != nil {
						t.Fatal(err)
					}
					if err := alter(&small); err != nil {
						t.Fatal(err)
					}
					_, missed, extra := match(detectIn(t, detect.Options{}, small, image.Rectangle{}), want)
					if missed > 0 || extra > 0 {
						t.Errorf("missed %d of %d, extra %d", missed, len(want), extra)
					}
				})
			}
		}
	}
}

func shrunk(tb testing.TB, path string, width int) gocv.Mat {
	img := readImage(tb, path)
	small := gocv.NewMat()
	tb.Cleanup(func() { small.Close() })
	if err := gocv.Resize(img, &small, image.Pt(width, img.Rows()*width/img.Cols()), 0, 0, gocv.InterpolationArea); err != nil {
		tb.Fatal(err)
	}
	return small
}

// BenchmarkAlphaDeck1000 is the photograph of 40 cards shrunk to 1000 pixels.
func BenchmarkAlphaDeck1000(b *testing.B) {
	img := shrunk(b, filepath.Join(photosDir(b), "tm", "alpha_deck.jpg"), 1000)
	benchmark(b, img)
}

// benchmark reports the processor time as well: other programs leave it alone.
func benchmark(b *testing.B, img gocv.Mat) {
	d := newDetector(b, detect.Options{})
	cards := 0
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found, err := d.Detect(img, image.Rectangle{})
		if err != nil {
			b.Fatal(err)
		}
		cards = len(found)
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(cards), "cards")
	b.ReportMetric(float64(used)/1e6/float64(b.N), "cpu-ms/op")
}

// Stills of a webcam over a dark mat: the cards at rest, nothing for hands, the
// two panels of the mat and the drifting exposure.
func TestMatCamera(t *testing.T) {
	dir := filepath.Join(photosDir(t), "cardspotter_auto")
	data, err := os.ReadFile(filepath.Join(dir, "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Frames []struct {
			Image string
			State string
			Hand  bool
			Cards []struct {
				Corners board.Quad
				Visible float64
			}
		}
	}
	if err := json.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	d := newDetector(t, detect.Options{})
	var errs []float64
	rest, found, extra := 0, 0, 0
	for _, f := range set.Frames {
		img := readImage(t, filepath.Join(dir, f.Image))
		got, err := d.Detect(img, image.Rectangle{})
		if err != nil {
			t.Fatal(err)
		}
		annotate(t, "mat_"+f.Image, img, got)
		var labels []board.Quad
		for _, c := range f.Cards {
			if c.Visible > 0.9 {
				labels = append(labels, c.Corners)
			}
		}
		e, missed, more := match(got, labels)
		if len(labels) == 0 && len(f.Cards) > 0 || f.State == "moving" {
			more = 0 // a covered or a moving card may be found or not
		}
		if missed+more > 0 {
			t.Logf("%s (%s, hand %v): %d missed, %d extra", f.Image, f.State, f.Hand, missed, more)
		}
		rest, found, extra = rest+len(labels), found+len(labels)-missed, extra+more
		errs = append(errs, e...)
	}
	t.Logf("%d of %d cards at rest, %d extra, corner error median %.2f%%", found, rest, extra, 100*median(errs))
	// Two of a card's sides show no edge at all here, black on black out of
	// focus, so that a side may settle on the printed frame.
	if found < rest || extra > 0 || median(errs) > 0.04 {
		t.Errorf("%d of %d cards at rest, %d extra, median corner error %.2f %%", found, rest, extra, 100*median(errs))
	}
}

// Playing cards on all kinds of ground, labelled with boxes.
func TestPlayingCards(t *testing.T) {
	dir := filepath.Join(photosDir(t), "edje")
	data, err := os.ReadFile(filepath.Join(dir, "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	var set []struct {
		Image string
		Boxes []struct{ Box [4]float64 }
	}
	if err := json.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	d := newDetector(t, detect.Options{Covered: true})
	total, found, extra := 0, 0, 0
	for _, f := range set {
		img := readImage(t, filepath.Join(dir, f.Image))
		got, err := d.Detect(img, image.Rectangle{})
		if err != nil {
			t.Fatal(err)
		}
		annotate(t, "edje_"+f.Image, img, got)
		used := make([]bool, len(got))
		hit := 0
		for _, fits := range []func(box, whole board.Quad) bool{sameBox, partOf} {
			for _, b := range f.Boxes {
				box := board.Quad{{X: b.Box[0], Y: b.Box[1]}, {X: b.Box[2], Y: b.Box[1]}, {X: b.Box[2], Y: b.Box[3]}, {X: b.Box[0], Y: b.Box[3]}}
				for i := range got {
					if !used[i] && fits(box, bounding(got[i].Quad)) {
						used[i] = true
						hit++
						break
					}
				}
			}
		}
		more := 0
		for _, u := range used {
			if !u {
				more++
			}
		}
		if hit < len(f.Boxes) || more > 0 {
			t.Logf("%s: %d of %d, %d extra", f.Image, hit, len(f.Boxes), more)
		}
		total, found, extra = total+len(f.Boxes), found+hit, extra+more
	}
	t.Logf("%d of %d, %d extra", found, total, extra)
	// A third of the cards lie partly under others, or under things that are none.
	if found < 50 || extra > 3 {
		t.Errorf("%d of %d cards, %d extra", found, total, extra)
	}
}

// sameBox says whether a box is that of an answer.
func sameBox(box, whole board.Quad) bool { return whole.Overlap(box) > 0.7 }

// partOf says whether a box is that of a part in view of the card answered: it
// lies within and reaches all along it in one direction.
func partOf(box, whole board.Quad) bool {
	if box.Intersection(whole) < 0.9*box.Area() || box.Overlap(whole) > 0.7 {
		return false
	}
	w, h := box.Edges()
	x, y := whole.Edges()
	return w > 0.85*x || h > 0.85*y
}

func bounding(q board.Quad) board.Quad {
	lo, hi := q[0], q[0]
	for _, p := range q {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, p.X), min(lo.Y, p.Y), max(hi.X, p.X), max(hi.Y, p.Y)
	}
	return board.Quad{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}}
}

// Small crops around a card of some 78 pixels, in sleeves, often among others.
func TestCrops(t *testing.T) {
	dir := filepath.Join(photosDir(t), "magic-card-zoom")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := newDetector(t, detect.Options{})
	n, found, total := 0, 0, 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		img := readImage(t, filepath.Join(dir, e.Name(), "input.png"))
		got, err := d.Detect(img, image.Rectangle{})
		if err != nil {
			t.Fatal(err)
		}
		annotate(t, "zoom_"+e.Name(), img, got)
		n++
		total += len(got)
		for _, g := range got {
			if g.Quad.Contains(board.Point{X: 100, Y: 100}) {
				found++
			}
		}
	}
	t.Logf("%d of %d middle cards, %d in all", found, n, total)
	if found < 52 {
		t.Errorf("%d of %d middle cards", found, n)
	}
}
