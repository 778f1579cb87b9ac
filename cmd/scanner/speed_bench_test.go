package main

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"gocv.io/x/gocv"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision"
	"tabletop/vision/identify"
	"tabletop/vision/watch"
)

// frameOf gives a film's frame the number and time it has in an endless one.
func frameOf(img gocv.Mat, number int) camera.Frame {
	start := time.Date(2026, 5, 1, 18, 0, 0, 0, time.UTC)
	return camera.Frame{Image: img, Seq: uint64(number) + 1, At: start.Add(filmTime(number))}
}

func (p *pipeline) mustTake(b *testing.B, f camera.Frame) look {
	b.Helper()
	l, err := p.frame(b.Context(), f)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// BenchmarkNothingMoved is a frame at 1920×1080 in which nothing moved, 40 cards
// on the table, from the decoded picture to the (absent) events. ns/op is the
// mean over all frames, the scan of the whole table every ten seconds included;
// median-ms is the usual frame.
func BenchmarkNothingMoved(b *testing.B) {
	f := mustFilm(b)
	pipe := openFilmed(b, f, &projector{film: f}).pipe
	stills := f.mats(b, 16) // of the two seconds before the first act
	for n := range 2 * len(stills) {
		pipe.mustTake(b, frameOf(stills[n%len(stills)], n))
	}
	if n := len(pipe.tracker.Board().Copies); n != 40 {
		b.Errorf("%d cards on the table, not 40", n)
	}
	var took []time.Duration
	scans := 0
	n := 2 * len(stills)
	used := cpuTime(b)
	for b.Loop() {
		l := pipe.mustTake(b, frameOf(stills[n%len(stills)], n))
		n++
		took = append(took, l.took)
		if l.stats.Scan > 0 {
			scans++
		}
	}
	reportCPU(b, used)
	b.ReportMetric(quantile(0.5, took), "median-ms")
	b.ReportMetric(quantile(0.99, took), "p99-ms")
	b.ReportMetric(float64(scans)/float64(len(took)), "scans/frame")
}

// BenchmarkOneCardMoved is a film in which a hand turns one card after the other,
// 40 on the table. One op is the whole film of 12 movements.
//
//   - look-ms: a frame in which a part of the table is looked at again, median
//   - worst-ms: the dearest frame of a movement, median over the movements
//   - mean-ms: mean over all frames, from the hand that comes to the event
//   - looks: frames with a look, a movement
func BenchmarkOneCardMoved(b *testing.B) {
	f := mustFilm(b)
	frames := f.mats(b, len(f.frames))
	var looks, worst []time.Duration
	var total time.Duration
	seen := 0
	for b.Loop() {
		b.StopTimer()
		l := openFilmed(b, f, &projector{film: f})
		l.pipe.watcher = newWatcher(b, l)
		for n := range stillFrames {
			l.pipe.mustTake(b, frameOf(frames[n], n))
		}
		b.StartTimer()
		var dearest time.Duration
		for n := stillFrames; n < len(frames); n++ {
			look := l.pipe.mustTake(b, frameOf(frames[n], n))
			total += look.took
			seen++
			if look.stats.Scan > 0 {
				looks = append(looks, look.took)
			}
			dearest = max(dearest, look.took)
			if len(look.events) > 0 {
				worst, dearest = append(worst, dearest), 0
			}
		}
	}
	if want := filmedActs * b.N; len(worst) != want {
		b.Errorf("%d frames with events, want %d", len(worst), want)
	}
	b.ReportMetric(0, "ns/op") // says nothing beside the figures of a frame
	b.ReportMetric(quantile(0.5, looks), "look-ms")
	b.ReportMetric(quantile(0.5, worst), "worst-ms")
	b.ReportMetric(float64(total.Microseconds())/1000/float64(seen), "mean-ms")
	b.ReportMetric(float64(len(looks))/float64(len(worst)), "looks")
}

// newWatcher is a watcher for a live program that scans the whole table at the
// first frame and never again by itself.
func newWatcher(b *testing.B, l *live) *watch.Watcher {
	b.Helper()
	if err := l.pipe.watcher.Close(); err != nil {
		b.Fatal(err)
	}
	w, err := watch.New(l.scanner, watch.Options{Refresh: -1})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkWholeFrame is the first frame of a program that knows nothing of the
// table: 1920×1080, 40 cards, a pool of 120, the plane calibrated.
func BenchmarkWholeFrame(b *testing.B) {
	f := mustFilm(b)
	stills := f.mats(b, 4)
	l := openFilmed(b, f, &projector{film: f})
	var found, named int
	n := 0
	used := cpuTime(b)
	for b.Loop() {
		b.StopTimer()
		l.pipe.watcher = newWatcher(b, l)
		b.StartTimer()
		look := l.pipe.mustTake(b, frameOf(stills[n%len(stills)], n))
		n++
		found, named = len(look.view.Cards), 0
		for _, o := range look.view.Cards {
			if o.Card != nil {
				named++
			}
		}
	}
	reportCPU(b, used)
	b.ReportMetric(float64(found), "cards")
	b.ReportMetric(float64(named), "named")
}

// crowd is a catalogue of 20,000 different pictures, painted in the manner of
// the simulated deck at a size near that of the recogniser's grid, and its index.
var crowd = sync.OnceValues(func() (*identify.Index, error) {
	entries := make([]catalog.Entry, 20_000)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		group.Go(func() error {
			entries[i] = catalog.Entry{
				Card: board.Card{ID: board.CardID(fmt.Sprintf("painting-%d", i))},
				Face: deck.Painting(uint64(i), 80, 112),
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	cat, err := catalog.New(entries, nil)
	if err != nil {
		return nil, err
	}
	return identify.NewIndex(cat, identify.Options{})
})

// BenchmarkIdentifyAmong20000 names one of 20,000 cards, 110 pixels tall and
// turned by 20°, where its outline is known. named is the share that got their
// name, wrong that got another.
func BenchmarkIdentifyAmong20000(b *testing.B) {
	index, err := crowd()
	if err != nil {
		b.Fatal(err)
	}
	const cards = 32
	quad := board.RectQuad(board.Point{X: 120, Y: 120}, board.Size{Width: 78.6, Height: 110}, 20)
	var frames []gocv.Mat
	for i := range cards {
		frames = append(frames, lay(b, deck.Painting(wantedPainting(i), 80, 112), quad, image.Pt(240, 240)))
	}
	named, wrong, n := 0, 0, 0
	used := cpuTime(b)
	for b.Loop() {
		i := n % cards
		result, err := index.Identify(frames[i], quad)
		if err != nil {
			b.Fatal(err)
		}
		switch {
		case result.Card == nil:
		case result.Card.ID == board.CardID(fmt.Sprintf("painting-%d", wantedPainting(i))):
			named++
		default:
			wrong++
		}
		n++
	}
	reportCPU(b, used)
	if named == 0 {
		b.Errorf("none of %d cards was named", n)
	}
	b.ReportMetric(float64(named)/float64(n), "named")
	b.ReportMetric(float64(wrong)/float64(n), "wrong")
}

// wantedPainting spreads the cards that are asked for over the catalogue.
func wantedPainting(i int) uint64 { return uint64(i*617 + 11) }

// lay draws a picture into a quad of a grey frame, until the benchmark ends.
func lay(b *testing.B, picture *image.RGBA, quad board.Quad, size image.Point) gocv.Mat {
	b.Helper()
	card, err := matOfRGBA(picture)
	if err != nil {
		b.Fatal(err)
	}
	defer card.Close()
	w, h := float32(card.Cols()), float32(card.Rows())
	from := gocv.NewPoint2fVectorFromPoints([]gocv.Point2f{{}, {X: w}, {X: w, Y: h}, {Y: h}})
	defer from.Close()
	var corners []gocv.Point2f
	for _, p := range quad {
		corners = append(corners, gocv.Point2f{X: float32(p.X), Y: float32(p.Y)})
	}
	to := gocv.NewPoint2fVectorFromPoints(corners)
	defer to.Close()
	h3 := gocv.GetPerspectiveTransform2f(from, to)
	defer h3.Close()
	frame := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(90, 100, 95, 0), size.Y, size.X, gocv.MatTypeCV8UC3)
	b.Cleanup(func() { frame.Close() })
	if err := gocv.WarpPerspectiveWithParams(card, &frame, h3, size, gocv.InterpolationArea, gocv.BorderTransparent, color.RGBA{}); err != nil {
		b.Fatal(err)
	}
	return frame
}

// BenchmarkPhotograph finds the 40 cards of a photograph of 1000 pixels width,
// of which nothing is known, and names none.
func BenchmarkPhotograph(b *testing.B) {
	dir := os.Getenv("SCANNER_PHOTOS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "photos")
	}
	photo, err := readImage(filepath.Join(dir, "tm", "alpha_deck.jpg"))
	if err != nil {
		b.Skipf("the photographs are not here (set SCANNER_PHOTOS): %v", err)
	}
	defer photo.Close()
	img := gocv.NewMat()
	defer img.Close()
	if err := gocv.Resize(photo, &img, image.Pt(1000, photo.Rows()*1000/photo.Cols()), 0, 0, gocv.InterpolationArea); err != nil {
		b.Fatal(err)
	}
	scanner, err := vision.New(vision.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer scanner.Close()
	found := 0
	used := cpuTime(b)
	for b.Loop() {
		cards, err := scanner.Scan(b.Context(), img, nil)
		if err != nil {
			b.Fatal(err)
		}
		found = len(cards)
	}
	reportCPU(b, used)
	b.ReportMetric(float64(found), "cards")
}
