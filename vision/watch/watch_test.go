package watch_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/watch"
)

func TestFirstFrame(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 3, 140, 150)
	tab.look(1)
	tab.expect("first frame")
	if !tab.stats.Whole || len(tab.eye.calls) != 1 || tab.eye.calls[0] != nil {
		t.Errorf("the first frame must be scanned whole, once: %v", tab.eye.calls)
	}
	if tab.view.Frame != tab.seq || !tab.view.At.Equal(tab.now) {
		t.Errorf("view of frame %d at %v", tab.view.Frame, tab.view.At)
	}
}

func TestNothingMovesUnderDriftingLight(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 3, 140, 150)
	first := tab.look(1)
	for i := range 90 {
		s := math.Sin(float64(i) / 12)
		tab.gain = [3]float64{1 + 0.25*s, 1 + 0.2*s, 1 + 0.1*s} // exposure and white balance
		tab.look(1)
		if len(tab.view.Obscured) != 0 || !sameOutlines(first, tab.view) {
			t.Fatalf("frame %d: %d cards, %d places obscured, %+v", i, len(tab.view.Cards), len(tab.view.Obscured), tab.stats)
		}
	}
	if len(tab.eye.calls) != 1 {
		t.Errorf("%d scans though nothing moved", len(tab.eye.calls))
	}
	tab.gain = [3]float64{1.6, 1.5, 1.7} // the camera's exposure jumps
	tab.look(3)
	tab.expect("exposure jumped")
}

func sameOutlines(a, b board.View) bool {
	return slices.EqualFunc(a.Cards, b.Cards, func(x, y board.Observation) bool {
		return x.Corners == y.Corners && math.Abs(x.Visible-y.Visible) < 0.05
	})
}

func TestCardPutDown(t *testing.T) {
	for name, background := range map[string][]lying{"on a full table": grid(4, 3, 140, 150)[:9], "on an empty table": nil} {
		t.Run(name, func(t *testing.T) {
			tab := newTable(t, watch.Options{})
			tab.cards = background
			tab.look(5)
			calls := len(tab.eye.calls)
			tab.cards = append(tab.cards, lying{"new", board.Point{X: 500, Y: 380}, 17})
			tab.look(1)
			tab.expect("in the frame it appears")
			tab.look(1)
			tab.expect("in the next")
			tab.look(3)
			tab.expect("at rest")
			if len(tab.view.Obscured) != 0 {
				t.Errorf("obscured: %v", tab.view.Obscured)
			}
			for _, regions := range tab.eye.calls[calls:] {
				if len(regions) != 1 || regions[0].Dx()*regions[0].Dy() > 640*480/4 {
					t.Errorf("scanned %v for one card", regions)
				}
			}
			if n := len(tab.eye.calls) - calls; n != 2 {
				t.Errorf("%d scans for one card, want one at once and one at rest", n)
			}
		})
	}
}

func TestHandPassesOverCards(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 3, 140, 150)
	first := tab.look(10)
	calls := len(tab.eye.calls)
	var partly, wholly int
	tab.sweep(board.Point{X: 238, Y: 520}, board.Point{X: 238, Y: 40}, func() {
		tab.expectSound(fmt.Sprintf("hand at %.0f", tab.hands[0]))
		for _, l := range tab.cards {
			switch o := tab.seen(l); {
			case o == nil:
				wholly++
			case o.Visible < 0.8:
				partly++
			}
		}
	})
	tab.sweep(board.Point{X: 238, Y: 40}, board.Point{X: 420, Y: 560}, func() { tab.expectSound("hand goes") })
	tab.hands = nil
	tab.look(4)
	tab.expect("after the hand")
	if partly == 0 || wholly == 0 {
		t.Errorf("the hand covered %d cards partly and %d wholly: the test shows nothing", partly, wholly)
	}
	for _, o := range first.Cards {
		if o2 := tab.seen(lying{o.Card.ID, o.Corners.Centre(), o.AngleDeg}); o2 == nil || o2.Corners.Centre().Distance(o.Corners.Centre()) > 1.5 {
			t.Errorf("%s moved", o.Card.ID)
		}
	}
	if n := len(tab.eye.calls) - calls; n > 20 {
		t.Errorf("%d scans while a hand passed", n)
	}
}

func TestVisibleShareUnderARestingHand(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = []lying{{"held", board.Point{X: 300, Y: 240}, 0}, {"free", board.Point{X: 500, Y: 100}, 90}}
	first := tab.look(5)
	tab.sweep(board.Point{X: 300, Y: 520}, board.Point{X: 300, Y: 240}, nil)
	for range 60 {
		tab.look(1)
		o := tab.seen(tab.cards[0])
		if o == nil {
			t.Fatal("a card half under a hand is not reported")
		}
		if want := tab.visible(0); math.Abs(o.Visible-want) > 0.15 {
			t.Fatalf("visible %.2f, is %.2f", o.Visible, want)
		}
		if o.Corners != first.Cards[0].Corners && o.Corners != first.Cards[1].Corners {
			t.Fatal("the outline changed under the hand")
		}
		if !tab.obscured(board.Point{X: 300, Y: 285}) {
			t.Fatal("the hand is not reported as obscuring")
		}
	}
	tab.hands = nil
	tab.look(4)
	tab.expect("hand gone")
	if o := tab.seen(tab.cards[0]); o == nil || o.Visible < 0.97 {
		t.Errorf("visible again, but reported as %+v", o)
	}
}

func TestHandStaysOnACard(t *testing.T) {
	for name, taken := range map[string]bool{"and leaves it": false, "and takes it": true} {
		t.Run(name, func(t *testing.T) {
			tab := newTable(t, watch.Options{})
			tab.cards = []lying{{"held", board.Point{X: 300, Y: 300}, 90}, {"free", board.Point{X: 500, Y: 100}, 90}}
			tab.card = board.Size{Width: 60, Height: 84}
			tab.look(5)
			tab.sweep(board.Point{X: 300, Y: 520}, board.Point{X: 300, Y: 180}, func() { tab.expectSound("hand comes") })
			if tab.visible(0) > 0.02 {
				t.Fatal("the hand does not cover the card")
			}
			for i := range 300 { // ten seconds
				if i%40 == 0 {
					tab.hands[0].X += 3 // it does not keep quite still
				}
				tab.look(1)
				tab.expectSound("hand stays")
			}
			if taken {
				tab.cards = tab.cards[1:]
			}
			tab.sweep(board.Point{X: 300, Y: 180}, board.Point{X: 300, Y: 560}, func() { tab.expectSound("hand goes") })
			tab.hands = nil
			tab.look(4)
			tab.expect("hand gone")
			if tab.obscured(board.Point{X: 300, Y: 300}) {
				t.Error("the place is still obscured")
			}
		})
	}
}

func TestCardTakenFromGroundNeverSeen(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 2, 180, 200)
	tab.look(3)
	tab.cards = slices.Delete(tab.cards, 1, 2)
	tab.look(4)
	tab.expect("taken away")
	if len(tab.view.Obscured) != 0 || tab.stats.Covered != 0 {
		t.Errorf("obscured %v, covered %d", tab.view.Obscured, tab.stats.Covered)
	}
}

// A mat with a picture: what lay below a card looks like nothing around it.
func TestCardTakenFromAPicture(t *testing.T) {
	tab := newTable(t, watch.Options{})
	rng := rand.New(rand.NewPCG(5, 6))
	for range 150 {
		at := image.Pt(rng.IntN(tab.size.X+64), rng.IntN(tab.size.Y+64))
		colour := color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255}
		gocv.Circle(&tab.table, at, 15+rng.IntN(40), colour, -1)
	}
	tab.cards = grid(3, 2, 180, 200)
	tab.look(3)
	for len(tab.cards) > 0 {
		tab.cards = slices.Delete(tab.cards, 0, 1)
		tab.look(8)
		tab.expect("taken away")
		if len(tab.view.Obscured) != 0 || tab.stats.Covered != 0 {
			t.Errorf("%d cards left: obscured %v, covered %d", len(tab.cards), tab.view.Obscured, tab.stats.Covered)
		}
	}
}

func TestHandAtTheStart(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = []lying{{"under", board.Point{X: 300, Y: 300}, 0}, {"free", board.Point{X: 500, Y: 100}, 90}}
	tab.hands = []board.Point{{X: 300, Y: 260}}
	tab.look(10)
	if tab.seen(tab.cards[1]) == nil || len(tab.view.Cards) != 1 {
		t.Fatalf("%d cards at the start", len(tab.view.Cards))
	}
	tab.sweep(board.Point{X: 300, Y: 260}, board.Point{X: 300, Y: 560}, nil)
	tab.hands = nil
	tab.look(150)
	tab.expect("hand gone")
	if len(tab.view.Obscured) != 0 {
		t.Errorf("five seconds later, obscured: %v", tab.view.Obscured)
	}
}

func TestFirstSeenHalfUnderAHand(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.eye.needs = 0.3
	tab.cards = []lying{{"half", board.Point{X: 300, Y: 240}, 0}}
	tab.hands = []board.Point{{X: 300, Y: 240}}
	tab.look(5)
	tab.hands = nil
	tab.look(5)
	tab.expect("hand gone")
	if o := tab.seen(tab.cards[0]); o == nil || o.Visible < 0.97 {
		t.Errorf("in full view, but reported as %+v", o)
	}
}

func TestActs(t *testing.T) {
	for name, act := range map[string]func(*table){
		"turned in place": func(tab *table) { tab.cards[1].angle += 90 },
		"turned by 180":   func(tab *table) { tab.cards[1].angle += 180 },
		"nudged":          func(tab *table) { tab.cards[1].centre.X += 6 },
		"moved by half":   func(tab *table) { tab.cards[1].centre.Y += 50 },
		"exchanged":       func(tab *table) { tab.cards[1].id = "other" },
		"covered by a strip": func(tab *table) {
			tab.cards = append(tab.cards, lying{"over", tab.cards[0].centre.Add(board.Point{Y: 70}), tab.cards[0].angle})
		},
		"two at once":   func(tab *table) { tab.cards[0].angle += 90; tab.cards[5].centre.X += 40 },
		"taken and put": func(tab *table) { tab.cards[2].centre = board.Point{X: 560, Y: 420} },
	} {
		t.Run(name, func(t *testing.T) {
			tab := newTable(t, watch.Options{})
			tab.eye.needs = 0.3
			tab.cards = grid(3, 2, 180, 220)
			tab.look(3)
			act(tab)
			tab.look(1)
			for range 4 {
				tab.look(1)
				tab.expect(name)
			}
			if len(tab.view.Obscured) > 0 {
				t.Errorf("obscured: %v", tab.view.Obscured)
			}
		})
	}
}

func TestStripIsKeptByItsLook(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 2, 180, 220) // the scanner needs 70 % of a card
	tab.look(3)
	tab.cards = append(tab.cards, lying{"over", tab.cards[4].centre.Add(board.Point{Y: 40}), tab.cards[4].angle})
	tab.look(30)
	tab.expect("a card slid over another")
	if o := tab.seen(tab.cards[4]); o != nil && math.Abs(o.Visible-tab.visible(4)) > 0.15 {
		t.Errorf("visible %.2f, is %.2f", o.Visible, tab.visible(4))
	}
}

func TestThingsThatAreNoCards(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 1, 180, 220)
	tab.look(3)
	tab.tokens = []image.Point{{X: int(tab.cards[0].centre.X), Y: int(tab.cards[0].centre.Y)}}
	tab.boxes = []image.Rectangle{image.Rect(400, 300, 500, 400)}
	tab.look(10)
	tab.expect("a token on a card, a box on the table")
	if !tab.obscured(board.Point{X: 450, Y: 350}) {
		t.Error("the box obscures nothing")
	}
	tab.look(150)
	tab.expect("five seconds later")
	if tab.obscured(board.Point{X: 450, Y: 350}) {
		t.Error("the box is still not taken for a part of the table")
	}
	calls := len(tab.eye.calls)
	tab.look(300)
	if n := len(tab.eye.calls) - calls; n > 0 {
		t.Errorf("%d scans of a box that lies still", n)
	}
	tab.boxes[0] = tab.boxes[0].Add(image.Pt(int(tab.cards[1].centre.X)-450, int(tab.cards[1].centre.Y)-350)).Inset(-20)
	for range 200 {
		tab.look(1)
		tab.expectSound("the box on a card")
	}
	tab.boxes = nil
	tab.look(4)
	tab.expect("the box gone")
}

func TestFingerStaysOnACardPutDown(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 1, 180, 200)
	tab.look(3)
	tab.eye.blind = true // what is scanned in motion is too blurred
	tab.sweep(board.Point{X: 300, Y: 520}, board.Point{X: 300, Y: 400}, nil)
	tab.cards = append(tab.cards, lying{"new", board.Point{X: 300, Y: 350}, 0})
	tab.look(1)
	tab.eye.blind = false
	for i := range 45 { // a second and a half of fidgeting
		tab.hands[0] = board.Point{X: 300 + 5*math.Sin(float64(i)), Y: 400 + 4*math.Cos(float64(i)*1.3)}
		tab.look(1)
	}
	tab.eye.needs = 0.4
	for i := range 30 {
		tab.hands[0] = board.Point{X: 300 + 5*math.Sin(float64(i)), Y: 385 + 4*math.Cos(float64(i)*1.3)}
		tab.look(1)
	}
	if tab.seen(tab.cards[3]) == nil {
		t.Error("a card at rest is not reported while a finger fidgets at its edge")
	}
}

func TestLampSwitchedOn(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 3, 140, 150)
	tab.look(5)
	for i := 1; i <= 3; i++ { // it comes up in three frames, brightest at one corner
		on := float64(i) / 3
		tab.lamp = func(x, y float64) float64 { return 1 + on*(1.1-0.9*x-0.5*y) }
		tab.look(1)
		tab.expectSound("the lamp comes up")
	}
	tab.look(3)
	tab.expect("lamp on")
	tab.look(120)
	tab.expect("four seconds later")
	if len(tab.view.Obscured) != 0 {
		t.Errorf("obscured: %v", tab.view.Obscured)
	}
	calls := len(tab.eye.calls)
	tab.look(30)
	if len(tab.eye.calls) != calls {
		t.Error("still scanning")
	}
}

func TestCameraBumped(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 3, 140, 150)
	tab.look(5)
	for _, shift := range []image.Point{{X: 9, Y: 4}, {X: 18, Y: -6}, {X: 14, Y: 12}} {
		tab.shift = shift
		tab.look(1)
	}
	tab.look(4)
	tab.expect("bumped")
	tab.look(120)
	tab.expect("four seconds later")
	if len(tab.view.Obscured) != 0 || tab.stats.Covered != 0 {
		t.Errorf("%d places obscured, %d cards covered", len(tab.view.Obscured), tab.stats.Covered)
	}
}

func TestFramesGivenTwice(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 2, 180, 220)
	tab.look(5)
	tab.sweep(board.Point{X: 300, Y: 520}, board.Point{X: 300, Y: 300}, nil)
	calls := len(tab.eye.calls)
	img := tab.frame()
	defer img.Close()
	show := func(seq uint64) board.View {
		view, stats, err := tab.watcher.Look(context.Background(), img, seq, tab.now)
		if err != nil {
			t.Fatal(err)
		}
		tab.stats = stats
		return view
	}
	tab.hands[0].Y -= 12
	moving := tab.frame()
	moving.CopyTo(&img)
	moving.Close()
	a := show(tab.seq + 1)
	b := show(tab.seq + 1)
	if !tab.stats.Repeat || len(a.Cards) != len(b.Cards) || len(a.Obscured) != len(b.Obscured) {
		t.Error("the same frame number gave another view")
	}
	c := show(tab.seq + 2)
	if !tab.stats.Repeat || c.Frame != tab.seq+2 || len(c.Obscured) != len(a.Obscured) {
		t.Error("the same picture under another number was taken for stillness")
	}
	if len(tab.eye.calls) != calls {
		t.Error("a repeated frame was scanned")
	}
}

func TestPictureWithoutNoise(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.noise = 0
	tab.look(3)
	tab.cards = grid(1, 1, 180, 200)
	tab.look(4)
	tab.expect("a still, noiseless picture")
	if len(tab.view.Obscured) != 0 {
		t.Errorf("obscured: %v", tab.view.Obscured)
	}
}

func TestErrors(t *testing.T) {
	if _, err := watch.New(nil, watch.Options{}); err == nil {
		t.Error("no scanner, no error")
	}
	if _, err := watch.New(&eye{}, watch.Options{LookAgain: -time.Second}); err == nil {
		t.Error("a negative duration was taken")
	}
	tab := newTable(t, watch.Options{})
	tab.cards = grid(3, 2, 180, 220)
	img := tab.frame()
	defer img.Close()
	look := func(m gocv.Mat) error {
		tab.seq++
		_, _, err := tab.watcher.Look(context.Background(), m, tab.seq, tab.now)
		return err
	}
	tab.eye.err = errors.New("lens cap")
	if err := look(img); !errors.Is(err, tab.eye.err) {
		t.Errorf("failed first scan: %v", err)
	}
	tab.eye.err = nil
	tab.look(2)
	tab.expect("the next frames")

	for name, c := range map[string]struct {
		mat  gocv.Mat
		want string
	}{
		"empty":      {gocv.NewMat(), "empty"},
		"other size": {gocv.NewMatWithSize(240, 320, gocv.MatTypeCV8UC3), "320×240 pixels but the first was 640×480"},
		"grey":       {gocv.NewMatWithSize(480, 640, gocv.MatTypeCV8UC1), "8-bit BGR"},
	} {
		if err := look(c.mat); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
		c.mat.Close()
	}

	tab.cards[2].angle += 90
	tab.look(1)
	tab.eye.err = errors.New("lens cap")
	still := tab.frame()
	if err := look(still); err == nil {
		t.Error("a failed scan went unnoticed")
	}
	still.Close()
	tab.eye.err = nil
	tab.look(3)
	tab.expect("after a failed scan")
}

func TestRefreshFindsWhatWasMissed(t *testing.T) {
	tab := newTable(t, watch.Options{Refresh: time.Second})
	tab.cards = grid(3, 2, 180, 220)
	tab.eye.blind = true
	tab.look(10)
	tab.eye.blind = false
	tab.look(35)
	tab.expect("after a second")
	tab.look(40)
	tab.expect("after another")
}

// A game of many acts: after each, once things are at rest, the view is the
// table as it is.
func TestManyActs(t *testing.T) {
	tab := newTable(t, watch.Options{})
	tab.cards = grid(4, 2, 150, 200)
	for i := range tab.cards {
		tab.cards[i].angle = 0
	}
	tab.look(3)
	free := func(l lying, but int) bool {
		for i, o := range tab.cards {
			if i != but && o.centre.Distance(l.centre) < 145 {
				return false
			}
		}
		return true
	}
	for act := range 30 {
		i := tab.rng.IntN(len(tab.cards))
		target := tab.cards[i].centre
		tab.sweep(board.Point{X: target.X, Y: 520}, target, func() { tab.expectSound(fmt.Sprintf("act %d, hand comes", act)) })
		what := ""
		before := slices.Clone(tab.cards)
		switch k := tab.rng.IntN(5); {
		case k == 0:
			tab.cards[i].angle += 90
			what = "turn"
		case k == 1 && len(tab.cards) > 3:
			tab.cards = slices.Delete(tab.cards, i, i+1)
			what = "take"
		case k == 2:
			l := lying{board.CardID(fmt.Sprint("n", act)), board.Point{X: 70 + 500*tab.rng.Float64(), Y: 70 + 340*tab.rng.Float64()}, 360 * tab.rng.Float64()}
			if free(l, -1) {
				tab.cards = append(tab.cards, l)
				what = "put"
			}
		case k == 3:
			l := tab.cards[i]
			l.centre = board.Point{X: 70 + 500*tab.rng.Float64(), Y: 70 + 340*tab.rng.Float64()}
			if free(l, i) {
				tab.cards[i] = l
				what = "move"
			}
		}
		tab.look(tab.rng.IntN(20))
		tab.sweep(target, board.Point{X: target.X, Y: 580}, nil)
		tab.hands = nil
		tab.look(4)
		tab.expect(fmt.Sprintf("act %d (%s %s at %.0f)", act, what, before[i].id, target))
		if t.Failed() {
			t.Fatalf("stopped; obscured %v", tab.view.Obscured)
		}
	}
}
