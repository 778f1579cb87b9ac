package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/web"
)

// The benchmarks look at films of a simulated table that were drawn before the
// clock starts: drawing a frame costs more than looking at it.

const (
	filmFPS     = 15
	filmQuality = 90
	filmedActs  = 12
	stillFrames = 2 * filmFPS // before the first act
	judgeToken  = "a-judge"
)

// rowsMM and columnsMM are where the 40 cards of a film lie.
var (
	tableMM   = image.Pt(1300, 731)
	rowsMM    = []int{88, 275, 457, 644}
	columnsMM = []int{70, 199, 328, 457, 586, 714, 843, 972, 1101, 1230}
)

// inHomes are cards of the first and the last row: those are the players' homes,
// where a turn has a meaning.
var inHomes = []int{2, 34, 7, 38, 4, 31}

// turnScript is a game on a table of 40 cards: some of them are bowed one after
// the other, and straightened again, so that the table is at last as it was.
func turnScript(cards []int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "table %dx%d seats south,north\n", tableMM.X, tableMM.Y)
	n := 0
	for _, c := range deck.New().Cards() {
		if c.Landscape || n == len(rowsMM)*len(columnsMM) {
			continue
		}
		fmt.Fprintf(&s, "lay c%d %s at %d,%d\n", n, c.ID, columnsMM[n%len(columnsMM)], rowsMM[n/len(columnsMM)])
		n++
	}
	s.WriteString("wait 2s\n") // stillFrames
	for _, verb := range []string{"bow", "straighten"} {
		for _, c := range cards {
			fmt.Fprintf(&s, "%s c%d\n", verb, c)
		}
	}
	s.WriteString("wait 1s\n")
	return s.String()
}

// film is a recorded game.
type film struct {
	table  *simTable
	frames [][]byte // JPEG
}

// record draws a whole game at filmFPS.
func record(script string, width, height int) (*film, error) {
	dir, err := os.MkdirTemp("", "scanner-film")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sim := defaultSim()
	sim.Script, sim.Width, sim.Height, sim.FPS = filepath.Join(dir, "film.game"), width, height, filmFPS
	if err := os.WriteFile(sim.Script, []byte(script), 0o600); err != nil {
		return nil, err
	}
	table, err := newSimTable(sim)
	if err != nil {
		return nil, err
	}
	renderer, err := tablesim.NewRenderer(table.deck, table.level, table.camera, table.seed)
	if err != nil {
		return nil, err
	}
	f := &film{table: table}
	for i := range int(table.game.Length.Seconds() * filmFPS) {
		picture, err := renderer.Render(table.game.Scene(filmTime(i)), uint64(i))
		if err != nil {
			return nil, err
		}
		jpeg, err := encode(picture)
		if err != nil {
			return nil, err
		}
		f.frames = append(f.frames, jpeg)
	}
	return f, nil
}

// filmTime is when a frame of a film is taken, from its beginning.
func filmTime(frame int) time.Duration { return time.Duration(frame) * time.Second / filmFPS }

func encode(picture *image.RGBA) ([]byte, error) {
	mat, err := matOfRGBA(picture)
	if err != nil {
		return nil, err
	}
	defer mat.Close()
	buffer, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, mat, []int{gocv.IMWriteJpegQuality, filmQuality})
	if err != nil {
		return nil, err
	}
	defer buffer.Close()
	return slices.Clone(buffer.GetBytes()), nil
}

// at decodes a frame. The caller closes it.
func (f *film) at(frame int) (gocv.Mat, error) {
	return gocv.IMDecode(f.frames[frame], gocv.IMReadColor)
}

// mats are the first n frames, decoded, until the benchmark ends.
func (f *film) mats(b *testing.B, n int) []gocv.Mat {
	b.Helper()
	var mats []gocv.Mat
	for i := range n {
		m, err := f.at(i)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { m.Close() })
		mats = append(mats, m)
	}
	return mats
}

// turnFilm is a film of turned cards at 1920×1080, drawn once for all
// benchmarks and all their runs.
var turnFilm = sync.OnceValues(func() (*film, error) { return record(turnScript(inHomes), 1920, 1080) })

func mustFilm(tb testing.TB) *film {
	tb.Helper()
	f, err := turnFilm()
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// pool120 is the deck of the simulated table and, up to 120 cards, paintings in
// its manner under other names, as the decks of two players are.
func pool120(tb testing.TB, d *deck.Deck) *catalog.Catalog {
	tb.Helper()
	entries, backs := deckPictures(d)
	for i := len(entries); i < 120; i++ {
		entries = append(entries, catalog.Entry{
			Card: board.Card{ID: board.CardID(fmt.Sprintf("painting-%d", i))},
			Face: deck.Painting(uint64(i), 286, 400),
		})
	}
	cat, err := catalog.New(entries, backs)
	if err != nil {
		tb.Fatal(err)
	}
	return cat
}

// filmedOptions set the live program before a film of a table, with a pool of
// 120 cards.
func filmedOptions(tb testing.TB, table *simTable, source camera.Source) liveOptions {
	tb.Helper()
	cfg := DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	cfg.Journal = filepath.Join(tb.TempDir(), "film.db")
	cfg.Tokens = map[web.Role][]string{web.RoleJudge: {judgeToken}}
	cfg.Camera = "film:"
	opt, err := liveFromConfig(cfg, io.Discard)
	if err != nil {
		tb.Fatal(err)
	}
	opt.Log = slog.New(slog.DiscardHandler)
	opt.Catalog = pool120(tb, table.deck)
	if opt.Cal, err = table.calibration(); err != nil {
		tb.Fatal(err)
	}
	opt.Openers["film"] = func(context.Context, camera.Address, camera.Options) (camera.Source, error) { return source, nil }
	return opt
}

// openFilmed opens the live program before a film. It is not running yet.
func openFilmed(b *testing.B, f *film, source camera.Source) *live {
	b.Helper()
	l, err := openLive(b.Context(), filmedOptions(b, f.table, source))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	return l
}

// projector plays a film in real time. Like a camera it drops what nobody
// fetched in time, and like one over MJPEG it costs the decoding of its
// pictures.
type projector struct {
	film *film

	mu    sync.Mutex
	began time.Time
	stats camera.Stats
}

func (p *projector) Next(ctx context.Context) (camera.Frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := int(p.stats.Received)
	if next == 0 {
		p.began = time.Now()
	}
	// The newest frame there is, or else the next one to come.
	newest := int(time.Since(p.began) * filmFPS / time.Second)
	next = max(next, newest)
	if next >= len(p.film.frames) {
		return camera.Frame{}, io.EOF
	}
	at := p.began.Add(filmTime(next))
	if err := (tablesim.SystemPacer{}).Sleep(ctx, time.Until(at)); err != nil {
		return camera.Frame{}, err
	}
	mat, err := p.film.at(next)
	if err != nil {
		return camera.Frame{}, err
	}
	delivered := p.stats.Delivered + 1
	p.stats = camera.Stats{
		Connected: true, Received: uint64(next) + 1, Delivered: delivered, Dropped: uint64(next) + 1 - delivered,
		LastFrame: at, Width: mat.Cols(), Height: mat.Rows(),
	}
	return camera.Frame{Image: mat, Seq: uint64(next) + 1, At: at.UTC()}, nil
}

func (p *projector) Stats() camera.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// start is when the film began, or the zero time.
func (p *projector) start() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began
}

func (p *projector) Close() error   { return nil }
func (p *projector) String() string { return "film:" }

// quantile is the q-quantile of durations in milliseconds, by the nearest rank.
func quantile(q float64, of []time.Duration) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	i := min(int(q*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[i].Microseconds()) / 1000
}

// cpuTime is what the process has used of all cores. Unlike the time on the
// wall it hardly suffers from what else the machine does.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportCPU reports the milliseconds of all cores per op since a cpuTime.
func reportCPU(b *testing.B, since time.Duration) {
	b.Helper()
	b.ReportMetric((cpuTime(b)-since).Seconds()*1000/float64(b.N), "cpu-ms")
}
