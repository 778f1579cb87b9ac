package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/journal"
)

// grey writes a plain picture.
func grey(t *testing.T, path string, width, height int) {
	t.Helper()
	m := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(90, 100, 95, 0), height, width, gocv.MatTypeCV8UC3)
	defer m.Close()
	if !gocv.IMWrite(path, m) {
		t.Fatalf("can't write %s", path)
	}
}

func TestCameraThatChangesItsPictureSize(t *testing.T) {
	for name, c := range map[string]struct {
		width, height int
		usable        bool
	}{
		"smaller, same view": {640, 360, true},
		"another shape":      {640, 480, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			grey(t, filepath.Join(dir, "1.png"), 1280, 720)
			grey(t, filepath.Join(dir, "2.png"), c.width, c.height)
			cfg := DefaultConfig()
			cfg.Camera, cfg.Listen, cfg.Journal = "dir:"+dir, "127.0.0.1:0", filepath.Join(t.TempDir(), "j.db")
			opt, err := liveFromConfig(cfg, testWriter{t})
			if err != nil {
				t.Fatal(err)
			}
			opt.StopAtNoMore = true
			l, err := openLive(t.Context(), opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Run(t.Context()); err != nil {
				t.Errorf("the program ended: %v", err)
			}
			l.state.ended = false // as it is while pictures come
			problem, misfit := l.state.problem(time.Now()), l.state.misfit
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if (misfit == nil) != c.usable || (problem == "") != c.usable {
				t.Errorf("misfit %v, people are told %q", misfit, problem)
			}
		})
	}
}

func TestFailedStartLeavesNoMatch(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	pictures := t.TempDir()
	grey(t, filepath.Join(pictures, "1.png"), 640, 360)
	path := filepath.Join(t.TempDir(), "j.db")
	var out bytes.Buffer
	if status := Main(t.Context(), []string{"run", "--camera", "dir:" + pictures, "--listen", busy.Addr().String(), "--journal", path}, &out, &out); status != exitFailed {
		t.Fatalf("status %d: %s", status, out.String())
	}
	if _, err := os.Stat(path); err == nil {
		j, err := journal.Open(t.Context(), path, board.SystemClock{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if matches, err := j.Matches(t.Context()); err != nil || len(matches) > 0 {
			t.Errorf("matches %v, error %v", matches, err)
		}
	}
}

func TestAnnotateWritesOverNoPicture(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
		grey(t, filepath.Join(dir, sub, "t.png"), 320, 240)
	}
	var out bytes.Buffer
	first := filepath.Join(dir, "a", "t.png")
	if status := Main(context.Background(), []string{"scan", "--annotate", filepath.Join(dir, "a"), first}, &out, &out); status != exitFailed ||
		!strings.Contains(out.String(), "write over") {
		t.Errorf("status %d: %s", status, out.String())
	}
	to := filepath.Join(dir, "out")
	if status := Main(context.Background(), []string{"scan", "--annotate", to, first, filepath.Join(dir, "b", "t.png")}, &out, &out); status != exitOK {
		t.Fatalf("status %d: %s", status, out.String())
	}
	if files, _ := os.ReadDir(to); len(files) != 2 {
		t.Errorf("%d annotated pictures of two that share a name", len(files))
	}
}

func TestCardSized(t *testing.T) {
	card := board.StandardCard()
	for name, c := range map[string]struct {
		size board.Size
		want bool
	}{
		"a card":            {card, true},
		"sleeved":           {board.Size{Width: 66, Height: 91}, true},
		"across":            {board.Size{Width: 88, Height: 63}, true},
		"its printed frame": {board.Size{Width: 35.7, Height: 49.7}, false},
		"two side by side":  {board.Size{Width: 126, Height: 88}, false},
	} {
		if got := cardSized(board.RectQuad(board.Point{X: 100, Y: 100}, c.size, 20), card); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
