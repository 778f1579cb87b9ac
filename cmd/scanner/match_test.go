package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/internal/tablesim/script"
)

// What a match must keep to: from a card at rest to its event.
const (
	medianWait = 400 * time.Millisecond
	longWait   = 800 * time.Millisecond // 99 of 100
	matchFPS   = 15
)

// TestMatch plays the first part of a made-up match through the whole program,
// in simulated time: every act is reported once and in order, nothing is
// invented, and the reports come soon after the cards lie at rest. Looking at
// pictures takes no time here, so that a busy machine changes nothing.
func TestMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a part of a match")
	}
	m := newMatch(t, 1, 18*time.Second, 1280, 720)
	waits := m.play(t, false)
	if median, p99 := quantile(0.5, waits), quantile(0.99, waits); median > ms(medianWait) || p99 > ms(longWait) {
		t.Errorf("reports come after %.0f ms (median) and %.0f ms (99 %%); %v and %v are allowed", median, p99, medianWait, longWait)
	}
}

// BenchmarkMatch plays matches of two minutes at 1920×1080 and 15 frames a
// second: two decks of sixty, a pool of 120 cards, hands in view a third of the
// time. Time is simulated, and what the program takes for a frame, on all cores
// together and with the decoding of its JPEG, is charged to it; so frames are
// dropped when it is too slow. One op is a match with a table, a light and acts
// of its own, from the seed SCANNER_MATCH_SEED (default 1) on; it fails if a
// report is missing, out of order or one too many.
func BenchmarkMatch(b *testing.B) {
	seed := uint64(1)
	if s := os.Getenv("SCANNER_MATCH_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			b.Fatalf("SCANNER_MATCH_SEED=%s: give a whole number", s)
		}
	}
	var waits []time.Duration
	var acts int
	var dropped uint64
	for b.Loop() {
		m := newMatch(b, seed, 2*time.Minute, 1920, 1080)
		waits = append(waits, m.play(b, true)...)
		acts += m.table.game.Acts
		dropped += m.film.Stats().Dropped
		seed++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(0.5, waits), "median-ms")
	b.ReportMetric(quantile(0.99, waits), "p99-ms")
	b.ReportMetric(quantile(1, waits), "worst-ms")
	b.ReportMetric(float64(acts)/float64(b.N), "acts")
	b.ReportMetric(float64(dropped)/float64(b.N), "dropped")
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// filmedMatch is a match on a simulated table, and its camera.
type filmedMatch struct {
	table *simTable
	film  *simulatedFilm
}

func newMatch(tb testing.TB, seed uint64, length time.Duration, width, height int) *filmedMatch {
	tb.Helper()
	text, err := script.MatchText(deck.New(), seed, length)
	if err != nil {
		tb.Fatal(err)
	}
	sim := defaultSim()
	sim.Level, sim.Seed, sim.Width, sim.Height, sim.FPS = "table", seed, width, height, matchFPS
	sim.Script = filepath.Join(tb.TempDir(), "match.game")
	if err := os.WriteFile(sim.Script, []byte(text+"wait 2s\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	table, err := newSimTable(sim)
	if err != nil {
		tb.Fatal(err)
	}
	return &filmedMatch{table: table}
}

// play plays the match and returns, for each report of an act, how long it came
// after the act's card lay at rest. charge says whether what the program takes
// for a frame counts.
func (m *filmedMatch) play(tb testing.TB, charge bool) []time.Duration {
	tb.Helper()
	renderer, err := tablesim.NewRenderer(m.table.deck, m.table.level, m.table.camera, m.table.seed)
	if err != nil {
		tb.Fatal(err)
	}
	m.film = &simulatedFilm{tb: tb, table: m.table, renderer: renderer, charge: charge, ended: make(chan struct{}), done: map[int64]time.Duration{}}
	l, err := openLive(tb.Context(), filmedOptions(tb, m.table, m.film))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			tb.Error(err)
		}
	}()
	ctx, stop := context.WithCancel(tb.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()

	conn := subscribe(tb, l)
	defer conn.Close()
	want := onlyCards(m.table.game.Expected(), func(e script.Expected) board.EventKind { return e.Kind })
	got := onlyCards(m.film.watched(follow(conn), len(want)), func(e board.Event) board.EventKind { return e.Kind })
	stop()
	if err := <-ended; err != nil {
		tb.Error(err)
	}
	if err := script.Compare(want, got); err != nil {
		tb.Fatalf("match of seed %d: %v", m.table.seed, err)
	}
	var waits []time.Duration
	for i, w := range want { // they are in the script's order, but for those of the start
		if w.At == 0 {
			continue
		}
		done, known := m.film.done[got[i].At.UnixMilli()]
		if !known {
			tb.Fatalf("event %d is of %v, when no frame was taken", i+1, got[i].At)
		}
		waits = append(waits, done-w.At)
	}
	return waits
}

// onlyCards leaves out findings: which there are, depends on more rules than a
// script knows.
func onlyCards[E any](events []E, kind func(E) board.EventKind) []E {
	return slices.DeleteFunc(events, func(e E) bool { return !strings.HasPrefix(string(kind(e)), "card.") })
}

// simulatedFilm is a camera over a simulated table with a clock of its own. Like
// a camera it drops what nobody fetched in time, and like one over MJPEG it costs
// the decoding of its pictures.
type simulatedFilm struct {
	tb       testing.TB
	table    *simTable
	renderer *tablesim.Renderer
	charge   bool
	ended    chan struct{} // closed when the film is over

	mu    sync.Mutex
	now   time.Duration           // since the game's beginning
	used  time.Duration           // CPU at the end of the last Next
	last  int64                   // when the last frame was taken, Unix time in ms, as events tell it
	done  map[int64]time.Duration // by when a frame was taken, when the program was done with it
	stats camera.Stats
}

func (f *simulatedFilm) Next(ctx context.Context) (camera.Frame, error) {
	if err := ctx.Err(); err != nil {
		return camera.Frame{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.charge && f.stats.Delivered > 0 {
		f.now += cpuTime(f.tb) - f.used
	}
	if f.stats.Delivered > 0 {
		f.done[f.last] = f.now
	}
	// The newest frame there is, or else the next one to come.
	next := max(int(f.stats.Received), int(f.now*matchFPS/time.Second))
	at := filmTime(next)
	if at >= f.table.game.Length {
		close(f.ended)
		return camera.Frame{}, io.EOF
	}
	taken := gameStart().Add(at).Truncate(time.Millisecond)
	f.now, f.last = max(f.now, at), taken.UnixMilli()
	picture, err := f.renderer.Render(f.table.game.Scene(at), uint64(next))
	if err != nil {
		return camera.Frame{}, err
	}
	jpeg, err := encode(picture)
	if err != nil {
		return camera.Frame{}, err
	}
	f.used = cpuTime(f.tb)
	mat, err := gocv.IMDecode(jpeg, gocv.IMReadColor)
	if err != nil {
		return camera.Frame{}, err
	}
	delivered := f.stats.Delivered + 1
	f.stats = camera.Stats{
		Connected: true, Received: uint64(next) + 1, Delivered: delivered, Dropped: uint64(next) + 1 - delivered,
		LastFrame: taken, Width: mat.Cols(), Height: mat.Rows(),
	}
	return camera.Frame{Image: mat, Seq: uint64(next) + 1, At: taken}, nil
}

// watched are the events that arrive until the film is over and, if fewer than n
// have come by then, for a while longer.
func (f *simulatedFilm) watched(arrivals <-chan arrival, n int) (events []board.Event) {
	ended := f.ended
	var patience <-chan time.Time
	for {
		select {
		case a, open := <-arrivals:
			if !open {
				return events
			}
			events = append(events, a.event)
		case <-ended:
			ended = nil
			wait := 500 * time.Millisecond // for one too many
			if len(events) < n {
				wait = 20 * time.Second
			}
			patience = time.After(wait)
		case <-patience:
			return events
		}
	}
}

func (f *simulatedFilm) Stats() camera.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

func (f *simulatedFilm) Close() error   { return nil }
func (f *simulatedFilm) String() string { return "film:" }
