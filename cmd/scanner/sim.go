package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/internal/tablesim/script"
)

// simOptions describe a simulated camera over a scripted game.
type simOptions struct {
	Script        string // file, or one of builtinScripts; empty: the demo game
	Level         string
	Seed          uint64
	Width, Height int
	FPS           float64
}

func defaultSim() simOptions {
	return simOptions{Level: "easy", Seed: 1, Width: 1920, Height: 1080, FPS: 10}
}

// check says which option is off and what is allowed.
func (o simOptions) check() error {
	if _, err := tablesim.LevelByName(o.Level); err != nil {
		return fmt.Errorf("there is no level %q; the levels are %s", o.Level, strings.Join(levelNames(), ", "))
	}
	for name, n := range map[string]int{"width": o.Width, "height": o.Height} {
		if n < 160 || n > 8192 {
			return fmt.Errorf("%s is %d; give a whole number of pixels from 160 to 8192", name, n)
		}
	}
	if !(o.FPS > 0 && o.FPS <= 120) {
		return fmt.Errorf("fps is %g; give frames a second, above 0 and up to 120", o.FPS)
	}
	return nil
}

// parseSim reads "sim:[SCRIPT][?level=…&seed=…&width=…&height=…&fps=…]".
func parseSim(a camera.Address) (simOptions, error) {
	o := defaultSim()
	o.Script = a.Path
	for name, values := range a.Options {
		value := values[0]
		n, err := strconv.ParseFloat(value, 64)
		whole := err == nil && n == math.Trunc(n)
		switch name {
		case "level":
			o.Level = value
		case "seed":
			if !whole || n < 0 {
				return o, fmt.Errorf("%s: seed=%s: give a whole number from 0", a, value)
			}
			o.Seed = uint64(n)
		case "width", "height":
			if !whole {
				return o, fmt.Errorf("%s: %s=%s: give a whole number of pixels", a, name, value)
			}
			if name == "width" {
				o.Width = int(n)
			} else {
				o.Height = int(n)
			}
		case "fps":
			if err != nil {
				return o, fmt.Errorf("%s: fps=%s: give frames a second", a, value)
			}
			o.FPS = n
		default:
			return o, fmt.Errorf("%s: the simulated table has no option %q; it has level, seed, width, height and fps", a, name)
		}
	}
	if err := o.check(); err != nil {
		return o, fmt.Errorf("%s: %w", a, err)
	}
	return o, nil
}

// builtinScripts are the games that need no file.
func builtinScripts() map[string]func(*deck.Deck) (*script.Game, error) {
	return map[string]func(*deck.Deck) (*script.Game, error){"demo": script.DemoGame, "judge": script.JudgeGame}
}

// simTable is a scripted game under a simulated camera.
type simTable struct {
	deck   *deck.Deck
	game   *script.Game
	level  tablesim.Level
	camera tablesim.Camera
	seed   uint64
	fps    float64
}

func newSimTable(o simOptions) (*simTable, error) {
	t := &simTable{deck: deck.New(), seed: o.Seed, fps: o.FPS}
	var err error
	if t.level, err = tablesim.LevelByName(o.Level); err != nil {
		return nil, err
	}
	if builtin, ok := builtinScripts()[cmp.Or(o.Script, "demo")]; ok {
		if t.game, err = builtin(t.deck); err != nil {
			return nil, err
		}
	} else {
		text, err := os.ReadFile(o.Script)
		if err != nil {
			return nil, fmt.Errorf("the game script can't be read: %w", err)
		}
		if t.game, err = script.Parse(filepath.Base(o.Script), string(text), t.deck); err != nil {
			return nil, err
		}
	}
	t.camera = tablesim.Overhead(o.Width, o.Height, t.game.Layout.Size)
	// Nobody hangs a camera quite straight.
	t.camera.TiltDeg = (t.level.TiltDeg.Min + t.level.TiltDeg.Max) / 2
	t.camera.TiltTowardsDeg, t.camera.RollDeg = 200, 0.8
	t.camera.K1 = t.level.K1.Min / 2
	return t, nil
}

// calibration is the table's, known exactly.
func (t *simTable) calibration() (*calibration.Calibration, error) {
	p, err := t.camera.Projection()
	if err != nil {
		return nil, err
	}
	c, area := t.camera, t.camera.Area
	focal := min(float64(c.Width)/area.Width, float64(c.Height)/area.Height) * c.DistanceMM
	corners := board.Quad{{}, {X: area.Width}, {X: area.Width, Y: area.Height}, {Y: area.Height}}
	return &calibration.Calibration{
		Image:    calibration.ImageSize{Width: c.Width, Height: c.Height},
		Corners:  corners.Map(func(mm board.Point) board.Point { return p.ToImage(mm, 0) }),
		PlayArea: area,
		Lens: &calibration.Lens{
			FX: focal, FY: focal, CX: float64(c.Width-1) / 2, CY: float64(c.Height-1) / 2, K1: c.K1, K2: c.K2,
		},
		Seats: t.game.Layout.Seats,
		Zones: t.game.Layout.Zones,
	}, nil
}

// open films the game with a clock.
func (t *simTable) open(pacer tablesim.Pacer, address string) (camera.Source, error) {
	renderer, err := tablesim.NewRenderer(t.deck, t.level, t.camera, t.seed)
	if err != nil {
		return nil, err
	}
	source, err := tablesim.NewSource(renderer, t.game.Scene, t.fps, pacer)
	if err != nil {
		return nil, err
	}
	closed, cancel := context.WithCancel(context.Background())
	return &simSource{table: t, source: source, address: address, closed: closed, cancel: cancel}, nil
}

// openSim opens the simulated table as a camera.
func openSim(_ context.Context, a camera.Address, _ camera.Options) (camera.Source, error) {
	o, err := parseSim(a)
	if err != nil {
		return nil, err
	}
	t, err := newSimTable(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	return t.open(tablesim.SystemPacer{}, a.String())
}

// simSource is the simulated table as a camera.
type simSource struct {
	table   *simTable
	source  *tablesim.Source
	address string
	closed  context.Context
	cancel  context.CancelFunc

	mu    sync.Mutex
	stats camera.Stats
}

// Next renders the next frame; a table that is slower than its frame rate leaves
// frames out, as a camera does.
func (s *simSource) Next(ctx context.Context) (camera.Frame, error) {
	if s.closed.Err() != nil {
		return camera.Frame{}, camera.ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closed, cancel)()
	img, number, at, err := s.source.Next(ctx)
	if err != nil {
		if s.closed.Err() != nil {
			err = camera.ErrClosed
		}
		return camera.Frame{}, err
	}
	mat, err := matOfRGBA(img)
	if err != nil {
		return camera.Frame{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seq := number + 1
	s.stats = camera.Stats{
		Connected: true, Received: seq, Delivered: s.stats.Delivered + 1, Dropped: seq - s.stats.Delivered - 1,
		LastFrame: at, Width: mat.Cols(), Height: mat.Rows(),
	}
	return camera.Frame{Image: mat, Seq: seq, At: at.UTC()}, nil
}

func (s *simSource) Stats() camera.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *simSource) Close() error { s.cancel(); return nil }

func (s *simSource) String() string { return s.address }
