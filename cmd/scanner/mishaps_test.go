package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// recorded opens a live program on one still picture.
func recorded(t *testing.T, journalPath, match string) (*live, error) {
	t.Helper()
	dir := t.TempDir()
	grey(t, filepath.Join(dir, "1.png"), 640, 360)
	cfg := DefaultConfig()
	cfg.Camera, cfg.Listen, cfg.Journal, cfg.Match = "dir:"+dir, "127.0.0.1:0", journalPath, match
	opt, err := liveFromConfig(cfg, testWriter{t})
	if err != nil {
		t.Fatal(err)
	}
	opt.StopAtNoMore = true
	return openLive(t.Context(), opt)
}

func TestSecondProgramIsRefusedTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	l, err := recorded(t, path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, match := range []string{"latest", ""} {
		second, err := recorded(t, path, match)
		if err == nil {
			second.Close()
			t.Errorf("with match %q a second program writes too", match)
		} else if !errors.Is(err, journal.ErrWriter) {
			t.Errorf("match %q: %v", match, err)
		}
	}
	var out bytes.Buffer
	if status := Main(t.Context(), []string{"end", "--journal", path}, &out, &out); status != exitFailed || !strings.Contains(out.String(), "stop that one first") {
		t.Errorf("end of a match that is written: status %d, %s", status, out.String())
	}
	out.Reset()
	if status := Main(t.Context(), []string{"matches", "--journal", path}, &out, &out); status != exitOK || !strings.Contains(out.String(), "open") {
		t.Errorf("matches: status %d, %s", status, out.String())
	}
	if status := Main(t.Context(), []string{"export", "--journal", path}, &out, &out); status != exitOK {
		t.Errorf("export: status %d, %s", status, out.String())
	}
}

// A match that something else has ended can't be gone on with: the program says
// so and stops, rather than to try for ever.
func TestMatchThatEndedStopsTheProgram(t *testing.T) {
	l, err := recorded(t, filepath.Join(t.TempDir(), "j.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.opt.StopAtNoMore = false
	if err := l.match.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.unwritten = []board.Event{{Kind: board.EventPlaced, Card: "c1"}}
	if err := l.Run(t.Context()); !errors.Is(err, journal.ErrEnded) || !strings.Contains(err.Error(), "1 events are lost") {
		t.Errorf("the program ended with %v", err)
	}
}

func TestRecordingThatIsOver(t *testing.T) {
	l, err := recorded(t, filepath.Join(t.TempDir(), "j.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if problem := l.state.problem(time.Now().Add(time.Hour)); problem != troubleOver {
		t.Errorf("people are told %q", problem)
	}
	for lang, want := range map[string]string{"en": "recording is over", "de": "Aufzeichnung ist zu Ende"} {
		if text := troubleOver.text(lang); !strings.Contains(text, want) {
			t.Errorf("in %s: %s", lang, text)
		}
	}
	if camera := l.health(t.Context())["camera"]; !camera.OK || !strings.Contains(camera.Detail, "over") {
		t.Errorf("health: %+v", camera)
	}
}

// full is an output with room for some bytes only.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, syscall.ENOSPC
	}
	f.room -= len(p)
	return len(p), nil
}

func TestOutputThatCanNotBeWritten(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "1.png")
	grey(t, picture, 320, 240)
	for name, args := range map[string][]string{
		"scan":   {"scan", picture},
		"json":   {"scan", "--json", picture},
		"broken": {"scan", "nowhere.png"},
		"rules":  {"rules", "list"},
		"doctor": {"doctor"},
		"config": {"config"},
		"help":   {"--help"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, room := range []int{0, 10} {
				var errs bytes.Buffer
				if status := Main(t.Context(), args, &full{room}, &errs); status != exitFailed || !strings.Contains(errs.String(), "could not all be written: no space left") {
					t.Errorf("room %d: status %d: %s", room, status, errs.String())
				}
			}
		})
	}
}

func TestInterruptedWhileStarting(t *testing.T) {
	pictures := t.TempDir()
	grey(t, filepath.Join(pictures, "1.png"), 320, 240)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, args := range map[string][]string{
		"run":  {"run", "--camera", "dir:" + pictures, "--listen", "127.0.0.1:0", "--journal", filepath.Join(t.TempDir(), "j.db")},
		"scan": {"scan", filepath.Join(pictures, "1.png")},
	} {
		var out, errs bytes.Buffer
		if status := Main(ctx, args, &out, &errs); status != exitFailed || errs.String() != "scanner: interrupted\n" {
			t.Errorf("%s: status %d: %s", name, status, errs.String())
		}
	}
}

func TestConfigFileOfNotepad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scanner.yaml")
	if err := os.WriteFile(path, []byte("\ufefftable: Table 9\r\nlang: de\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := LoadConfig(path, nil)
	if err != nil || cfg.Table != "Table 9" || cfg.Lang != "de" {
		t.Errorf("table %q, language %q, error %v", cfg.Table, cfg.Lang, err)
	}
}

func TestNoCardIsTurned360Degrees(t *testing.T) {
	line := describe(board.Observation{AngleDeg: 359.96, AngleModulo: 360})
	if strings.Contains(line, "360") || !strings.Contains(line, "(0.0°)") {
		t.Error(line)
	}
}
