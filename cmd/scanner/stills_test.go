package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"tabletop/board"
)

// photoDir is a folder of the real photographs, which are not part of the
// project: they lie beside the checkout, or where SCANNER_PHOTOS says.
func photoDir(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("SCANNER_PHOTOS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "photos")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the photographs are not on this machine (%s); set SCANNER_PHOTOS to where they are", dir)
	}
	return dir
}

// TestStillsLive runs the live program over unevenly spaced stills of a mat with
// hands, printed panels and drifting exposure: each card that comes to rest is
// reported once, where it lies, and nothing else is.
func TestStillsLive(t *testing.T) {
	dir := photoDir(t, "cardspotter_auto")
	cfg := DefaultConfig()
	cfg.Camera = "dir:" + dir
	cfg.SettleFrames = 2
	cfg.Listen = "127.0.0.1:0"
	cfg.Journal = filepath.Join(t.TempDir(), "stills.db")
	opt, err := liveFromConfig(cfg, testWriter{t})
	if err != nil {
		t.Fatal(err)
	}
	opt.Log = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	opt.StopAtNoMore = true
	l, err := openLive(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	plane := l.pipe.surface.known
	match := l.match.Info().ID
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	// Middle of each card at rest, pixels (labels.json): Freyalise in the first
	// frames, Priest of Titania from the 43rd, Elvish Skysweeper at the end.
	want := []struct {
		kind   board.EventKind
		centre board.Point
	}{
		{board.EventPlaced, board.Point{X: 478, Y: 386}},
		{board.EventRemoved, board.Point{X: 478, Y: 386}},
		{board.EventPlaced, board.Point{X: 495, Y: 318}},
		{board.EventRemoved, board.Point{X: 495, Y: 318}},
		{board.EventPlaced, board.Point{X: 488, Y: 318}},
	}
	var got []string
	n := 0
	for _, e := range keptIn(t, cfg.Journal, match) {
		c := e.After
		if c == nil {
			c = e.Before
		}
		at := plane.Pixel(c.Pose.Centre)
		got = append(got, fmt.Sprintf("%s %s at %.0f,%.0f", e.Kind, e.Card, at.X, at.Y))
		if n < len(want) && (e.Kind != want[n].kind || at.Distance(want[n].centre) > 25) {
			t.Errorf("event %d: %s; want %s at %v", n+1, got[n], want[n].kind, want[n].centre)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d events, want %d: %q", n, len(want), got)
	}
}
