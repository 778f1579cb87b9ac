package main

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/internal/tablesim"
	"tabletop/rules"
	"tabletop/tracker"
	"tabletop/vision/watch"
)

// accident is what may happen at a table beside the game, filmed.
type accident struct {
	length time.Duration
	scene  func(t time.Duration, cards []tablesim.Item) tablesim.Scene
	frame  func(t time.Duration, img *gocv.Mat) // what befalls the picture; nil: nothing
	want   []string                             // kinds of events and cards, after those of the start
	or     []string                             // allowed as well
}

const accidentFPS = 10

// TestAccidents plays what happens beside the game: nothing may be invented.
func TestAccidents(t *testing.T) {
	if testing.Short() {
		t.Skip("draws some hundred frames")
	}
	table := newAccidentTable(t)
	still := func(_ time.Duration, cards []tablesim.Item) tablesim.Scene { return tablesim.Scene{Items: cards} }
	second := time.Second
	for name, a := range map[string]accident{
		"a hand stays on a card for twenty seconds": {length: 26 * second, scene: func(at time.Duration, cards []tablesim.Item) tablesim.Scene {
			// In within a second from the south's edge, a tremble, out again.
			in := min(ramp(at, 2*second, 3*second), 1-ramp(at, 23*second, 24*second))
			hand := tablesim.Hand{FromDeg: 180, Pose: tablesim.HandFlat, Look: 1, Tip: board.Point{
				X: cards[1].Centre.X + 0.4*math.Sin(at.Seconds()*7), Y: 760 + (cards[1].Centre.Y-30-760)*in,
			}}
			return tablesim.Scene{Items: cards, Hands: handsIf(in > 0, hand)}
		}},
		"two cards are exchanged": {length: 7 * second, scene: func(at time.Duration, cards []tablesim.Item) tablesim.Scene {
			carry := ramp(at, 2*second, 3500*time.Millisecond)
			a, b := cards[0].Centre, cards[1].Centre
			up := board.Point{Y: -60 * math.Sin(math.Pi*carry)}
			cards[0].Centre, cards[1].Centre = blend(a, b, carry).Add(up), blend(b, a, carry).Sub(up)
			return tablesim.Scene{Items: cards}
		}, want: []string{"card.moved 0", "card.moved 1"}},
		"a card is slid slowly": {length: 12 * second, scene: func(at time.Duration, cards []tablesim.Item) tablesim.Scene {
			cards[4].Centre.X += 90 * ramp(at, 2*second, 8*second) // 15 mm a second
			return tablesim.Scene{Items: cards}
		}, want: []string{"card.moved 4"}},
		"a card is turned and put back within a second": {length: 6 * second, scene: func(at time.Duration, cards []tablesim.Item) tablesim.Scene {
			cards[2].AngleDeg += 90 * (ramp(at, 2*second, 2300*time.Millisecond) - ramp(at, 2600*time.Millisecond, 2900*time.Millisecond))
			return tablesim.Scene{Items: cards}
		}, or: []string{"card.bowed 2", "card.straightened 2"}},
		"a card is lifted, looked at and put back": {length: 8 * second, scene: func(at time.Duration, cards []tablesim.Item) tablesim.Scene {
			up := min(ramp(at, 2*second, 2500*time.Millisecond), 1-ramp(at, 4*second, 4500*time.Millisecond))
			// Nobody holds a card quite still.
			sway := board.Point{X: 9 * math.Sin(at.Seconds()*9), Y: 5 * math.Cos(at.Seconds()*7)}
			cards[2].Centre = cards[2].Centre.Add(board.Point{Y: 170 * up}).Add(sway.Scale(up))
			if up > 0 {
				cards[2].InHand, cards[2].Lift = true, 40*up
			}
			// The hand stays over the table, with the card.
			hand := tablesim.Hand{FromDeg: 180, Look: 1, Tip: cards[2].Centre.Add(board.Point{Y: 32})}
			return tablesim.Scene{Items: cards, Hands: handsIf(up > 0, hand)}
		}},
		"the lamps are switched": {length: 9 * second, scene: still, frame: func(at time.Duration, img *gocv.Mat) {
			switch {
			case at > 2*second && at < 4*second:
				img.ConvertToWithParams(img, gocv.MatTypeCV8UC3, 0.55, 0)
			case at > 6*second:
				img.ConvertToWithParams(img, gocv.MatTypeCV8UC3, 1.25, 4)
			}
		}},
		"the camera is bumped by 5 mm": {length: 8 * second, scene: still, frame: func(at time.Duration, img *gocv.Mat) {
			if at < 2*second {
				return
			}
			by := 6 // pixels, 5 mm
			if at < 2500*time.Millisecond {
				by *= 1 + int(at/(100*time.Millisecond))%2 // it swings
			}
			shift(img, by)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := table.play(t, a)
			slices.Sort(got) // what happens at once has no order
			if !slices.Equal(got, a.want) && (len(a.or) == 0 || !slices.Equal(got, a.or)) {
				t.Errorf("events %q, want %q", got, a.want)
			}
		})
	}
}

// handsIf is a hand, if it is there.
func handsIf(there bool, h tablesim.Hand) []tablesim.Hand {
	if !there {
		return nil
	}
	return []tablesim.Hand{h}
}

// ramp goes from 0 to 1 between two moments.
func ramp(at, from, to time.Duration) float64 {
	return math.Max(0, math.Min(1, float64(at-from)/float64(to-from)))
}

func blend(a, b board.Point, u float64) board.Point { return a.Add(b.Sub(a).Scale(u)) }

// shift moves a picture to the right; what comes in is grey.
func shift(img *gocv.Mat, by int) {
	moved := gocv.NewMat()
	defer moved.Close()
	part := img.Region(image.Rect(0, 0, img.Cols()-by, img.Rows()))
	defer part.Close()
	gocv.CopyMakeBorder(part, &moved, 0, 0, by, 0, gocv.BorderReplicate, color.RGBA{})
	moved.CopyTo(img)
}

// accidentTable is a table of six cards, and what looks at it.
type accidentTable struct {
	sim   *simTable
	cards []tablesim.Item
	live  *live
}

func newAccidentTable(t *testing.T) *accidentTable {
	t.Helper()
	sim := defaultSim()
	sim.Level, sim.Seed, sim.Width, sim.Height, sim.FPS = "easy", 4, 1280, 720, accidentFPS
	table, err := newSimTable(sim)
	if err != nil {
		t.Fatal(err)
	}
	a := &accidentTable{sim: table}
	for _, c := range table.deck.Cards() {
		if n := len(a.cards); !c.Landscape && n < 6 {
			a.cards = append(a.cards, tablesim.Item{ID: board.CopyID(fmt.Sprint(n)), Card: c.ID, Face: board.FaceUp,
				Centre: board.Point{X: 200 + 250*float64(n%3), Y: 330 + 203*float64(n/3)}})
		}
	}
	cfg := DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	cfg.Journal = filepath.Join(t.TempDir(), "accident.db")
	opt, err := liveFromConfig(cfg, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	opt.Log = slog.New(slog.DiscardHandler)
	if err := useSim(&opt, sim, &leapingPacer{now: gameStart()}); err != nil {
		t.Fatal(err)
	}
	if a.live, err = openLive(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.live.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// play films an accident and returns the events after those of the start, each
// with the number of its card.
func (a *accidentTable) play(t *testing.T, what accident) (got []string) {
	t.Helper()
	renderer, err := tablesim.NewRenderer(a.sim.deck, a.sim.level, a.sim.camera, a.sim.seed)
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := watch.New(a.live.scanner, watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	engine, err := rules.New(a.live.opt.Pack, rules.Options{Layout: a.sim.game.Layout, Card: a.sim.deck.Card})
	if err != nil {
		t.Fatal(err)
	}
	pipe := pipeline{
		watcher: watcher, surface: a.live.pipe.surface, calibrated: true, engine: engine,
		tracker: tracker.New(tracker.Options{Layout: a.sim.game.Layout}),
	}
	for i := 0; ; i++ {
		at := time.Duration(i) * time.Second / accidentFPS
		if at >= what.length {
			return got
		}
		picture, err := renderer.Render(what.scene(at, slices.Clone(a.cards)), uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		mat, err := matOfRGBA(picture)
		if err != nil {
			t.Fatal(err)
		}
		if what.frame != nil {
			what.frame(at, &mat)
		}
		look, err := pipe.frame(t.Context(), camera.Frame{Image: mat, Seq: uint64(i) + 1, At: gameStart().Add(at)})
		mat.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range onlyCards(look.events, func(e board.Event) board.EventKind { return e.Kind }) {
			if at < 1500*time.Millisecond && e.Kind == board.EventPlaced {
				continue
			}
			c := e.After
			if c == nil {
				c = e.Before
			}
			n := slices.IndexFunc(a.cards, func(it tablesim.Item) bool { return c.Card != nil && c.Card.ID == it.Card })
			got = append(got, fmt.Sprintf("%s %d", e.Kind, n))
		}
	}
}
