package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim/script"
	"tabletop/journal"
	"tabletop/web"
)

// leapingPacer is a clock that jumps to wherever somebody sleeps to, so that a
// game of a minute is played as fast as its frames can be looked at.
type leapingPacer struct {
	mu  sync.Mutex
	now time.Time
}

func (p *leapingPacer) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *leapingPacer) Sleep(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > 0 {
		p.now = p.now.Add(d)
	}
	return ctx.Err()
}

// finite ends a source after a length of film.
type finite struct {
	camera.Source
	until time.Time
}

func (f finite) Next(ctx context.Context) (camera.Frame, error) {
	frame, err := f.Source.Next(ctx)
	if err == nil && frame.At.After(f.until) {
		frame.Image.Close()
		return camera.Frame{}, io.EOF
	}
	return frame, err
}

// TestDemoGameLive plays the built-in game through the whole program. What a
// judge's client was sent, and what the journal holds, must be exactly what the
// script says.
func TestDemoGameLive(t *testing.T) {
	game, sent, kept := playBuiltin(t, "demo")
	if game.Acts < 30 {
		t.Fatalf("the demo game has %d acts, not 30", game.Acts)
	}
	if err := script.Compare(game.Expected(), sent); err != nil {
		t.Errorf("websocket: %v", err)
	}
	if err := script.Compare(game.Expected(), kept); err != nil {
		t.Errorf("journal: %v", err)
	}
	cited := map[board.RuleID]bool{}
	for _, e := range kept {
		if e.Kind == board.EventFindingOpened {
			if e.Finding.Citation.Passage == "" || e.Finding.Text == "" {
				t.Errorf("finding %s cites nothing", e.Finding.Rule)
			}
			cited[e.Finding.Rule] = true
		}
	}
	if !cited["honor.personality"] || !cited["bow.counter"] {
		t.Errorf("findings of rules %v; the game's two wrong acts breach honor.personality and bow.counter", cited)
	}
}

// playBuiltin plays a built-in game through the whole program: simulated camera,
// vision, tracker, rules, journal, websocket. It returns the game, what a judge's
// client was sent and what the journal holds.
func playBuiltin(t *testing.T, name string) (game *script.Game, sent, kept []board.Event) {
	t.Helper()
	if testing.Short() {
		t.Skip("plays a whole game: some minutes")
	}
	sim := defaultSim()
	sim.Script, sim.Width, sim.Height, sim.FPS = name, 1280, 720, 8
	table, err := newSimTable(sim)
	if err != nil {
		t.Fatal(err)
	}
	want := len(table.game.Expected())
	pacer := &leapingPacer{now: gameStart()}

	cfg := DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	cfg.Journal = filepath.Join(t.TempDir(), "live.db")
	cfg.Tokens = map[web.Role][]string{web.RoleJudge: {"a-judge"}}
	opt, err := liveFromConfig(cfg, testWriter{t})
	if err != nil {
		t.Fatal(err)
	}
	opt.Log = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := useSim(&opt, sim, pacer); err != nil {
		t.Fatal(err)
	}
	opened := opt.Openers["sim"]
	opt.Openers["sim"] = func(ctx context.Context, a camera.Address, o camera.Options) (camera.Source, error) {
		s, err := opened(ctx, a, o)
		// The last act (everything is gathered up) is over by then.
		return finite{s, gameStart().Add(table.game.Length - 100*time.Millisecond)}, err
	}

	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	l, err := openLive(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	stopped, stop := context.WithCancel(ctx)
	go func() { done <- l.Run(stopped) }()

	read := make(chan []board.Event, 1)
	go func() { read <- judgeReads(t, "ws://"+hostFor(l.server.Addr())+"/ws", l.match.Info().Epoch, want) }()
	select {
	case sent = <-read:
	case <-ctx.Done():
		t.Fatal("the game did not end in time")
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	match := l.match.Info().ID
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return table.game, sent, keptIn(t, cfg.Journal, match)
}

// keptIn are the events of a match in a journal.
func keptIn(t *testing.T, file string, match string) []board.Event {
	t.Helper()
	j, err := journal.Open(t.Context(), file, board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var kept []board.Event
	for e, err := range j.Events(t.Context(), match, 0) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, e)
	}
	return kept
}

// gameStart is when simulated games begin.
func gameStart() time.Time { return time.Date(2026, 5, 1, 18, 0, 0, 0, time.UTC) }

// judgeReads subscribes as a judge, from the match's first event on, and reads until n events have come and for
// as long after that as a further one would take.
func judgeReads(t *testing.T, url, epoch string, n int) []board.Event {
	dialer := websocket.Dialer{Subprotocols: []string{web.Subprotocol}}
	conn, _, err := dialer.Dial(url, http.Header{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer conn.Close()
	if err := conn.WriteJSON(web.Subscribe{Type: "subscribe", View: web.ViewLog, Token: "a-judge", Since: &web.Position{Epoch: epoch}}); err != nil {
		t.Error(err)
		return nil
	}
	var events []board.Event
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			if len(events) < n {
				t.Errorf("after %d events: %v", len(events), err)
			}
			return events
		}
		var message struct{ Type string }
		if err := json.Unmarshal(data, &message); err != nil {
			t.Error(err)
			return events
		}
		switch message.Type {
		case "event":
			var e board.Event
			if err := json.Unmarshal(data, &e); err != nil {
				t.Error(err)
				return events
			}
			events = append(events, e)
			patience := time.Minute // heartbeats don't count
			if len(events) >= n {
				patience = 3 * time.Second
			}
			conn.SetReadDeadline(time.Now().Add(patience))
		case "error":
			t.Errorf("the server says %s", data)
		}
	}
}

// testWriter logs to the test.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
