package tablesim_test

import (
	"context"
	"encoding/json"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
)

// shared is one deck for all tests: drawing its cards is the dear part.
var shared = deck.New()

const testCard = board.CardID("minasato-okihiro")

func level(t *testing.T, name string) tablesim.Level {
	t.Helper()
	l, err := tablesim.LevelByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func smallCamera() tablesim.Camera {
	return tablesim.Overhead(640, 360, board.Size{Width: 640, Height: 360})
}

func newRenderer(t *testing.T, cam tablesim.Camera, seed uint64) *tablesim.Renderer {
	t.Helper()
	r, err := tablesim.NewRenderer(shared, level(t, "table"), cam, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func render(t *testing.T, r *tablesim.Renderer, s tablesim.Scene, frame uint64) *image.RGBA {
	t.Helper()
	img, err := r.Render(s, frame)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func card(id board.CopyID, x, y, angle float64) tablesim.Item {
	return tablesim.Item{ID: id, Card: testCard, Centre: board.Point{X: x, Y: y}, AngleDeg: angle, Face: board.FaceUp}
}

func TestProjectionThereAndBack(t *testing.T) {
	cams := map[string]tablesim.Camera{
		"overhead": smallCamera(),
		"tilted":   {Width: 1920, Height: 1080, Area: board.Size{Width: 1200, Height: 675}, DistanceMM: 1300, TiltDeg: 25, TiltTowardsDeg: 160, RollDeg: 3},
		"barrel":   {Width: 1920, Height: 1080, Area: board.Size{Width: 1200, Height: 675}, DistanceMM: 1000, TiltDeg: 10, TiltTowardsDeg: 270, K1: -0.14, K2: 0.017},
	}
	for name, cam := range cams {
		t.Run(name, func(t *testing.T) {
			p, err := cam.Projection()
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []float64{0, 20} {
				for _, x := range []float64{0, 0.3, 1} {
					for _, y := range []float64{0, 0.6, 1} {
						at := board.Point{X: x * cam.Area.Width, Y: y * cam.Area.Height}
						if back := p.ToTable(p.ToImage(at, h), h); back.Distance(at) > 1e-6 {
							t.Errorf("%v at %g mm comes back as %v", at, h, back)
						}
					}
				}
			}
		})
	}
	p, err := smallCamera().Projection()
	if err != nil {
		t.Fatal(err)
	}
	// Seen straight down, a millimetre is a pixel here, and y points down.
	if got, want := p.ToImage(board.Point{X: 100, Y: 40}, 0), (board.Point{X: 99.5, Y: 39.5}); got.Distance(want) > 1e-9 {
		t.Errorf("overhead maps (100,40) mm to %v, want %v", got, want)
	}
}

func TestCameraTiltedTowardsTheBottomSeesTheBottomLarger(t *testing.T) {
	cam := smallCamera()
	cam.TiltDeg, cam.TiltTowardsDeg = 20, 180
	p, err := cam.Projection()
	if err != nil {
		t.Fatal(err)
	}
	width := func(y float64) float64 {
		return p.ToImage(board.Point{X: 420, Y: y}, 0).Distance(p.ToImage(board.Point{X: 220, Y: y}, 0))
	}
	if width(320) <= width(40) {
		t.Errorf("200 mm are %.1f px near the camera and %.1f px away from it", width(320), width(40))
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	cam := smallCamera()
	s := tablesim.RandomScene(shared, level(t, "table"), cam, 5)
	a := render(t, newRenderer(t, cam, 3), s, 9)
	b := render(t, newRenderer(t, cam, 3), s, 9)
	if string(a.Pix) != string(b.Pix) {
		t.Error("two renderers of one seed drew different pictures")
	}
	c := render(t, newRenderer(t, cam, 4), s, 9)
	if string(a.Pix) == string(c.Pix) {
		t.Error("another seed drew the same picture")
	}
}

// What is redrawn must look as if everything had been drawn anew.
func TestRedrawingLeavesNoTrace(t *testing.T) {
	cam := smallCamera()
	cam.TiltDeg, cam.TiltTowardsDeg, cam.K1 = 9, 200, -0.05
	s := tablesim.RandomScene(shared, level(t, "table"), cam, 8)
	s.Items = append(s.Items, card("a", 200, 150, 20), card("b", 230, 170, 100))
	held := card("held", 320, 180, 15)
	held.Lift, held.Travel = 30, board.Point{X: 8, Y: -5}
	spun := card("spun", 320, 190, 15)
	spun.Lift, spun.Spin = 10, 25
	swapped := append([]tablesim.Item(nil), s.Items...)
	n := len(swapped)
	swapped[n-1], swapped[n-2] = swapped[n-2], swapped[n-1]

	with := func(f func(*tablesim.Scene)) tablesim.Scene {
		c := s
		c.Items = append([]tablesim.Item(nil), s.Items...)
		f(&c)
		return c
	}
	scenes := []struct {
		name  string
		scene tablesim.Scene
	}{
		{"at rest", s},
		{"a card is carried", with(func(c *tablesim.Scene) {
			c.Items = append(c.Items, held)
			c.Hands = append(c.Hands, tablesim.Hand{Tip: board.Point{X: 320, Y: 230}, FromDeg: 180, Look: 4, Travel: held.Travel})
		})},
		{"a card turns in the air", with(func(c *tablesim.Scene) { c.Items = append(c.Items, spun) })},
		{"a card was taken away", with(func(c *tablesim.Scene) { c.Items = c.Items[1:] })},
		{"two cards changed their order", with(func(c *tablesim.Scene) { c.Items = swapped })},
		{"a token came", with(func(c *tablesim.Scene) { c.Tokens = append(c.Tokens, tablesim.Token{Centre: held.Centre}) })},
		{"nothing", tablesim.Scene{}},
		{"all again", s},
	}
	live := newRenderer(t, cam, 2)
	for i, step := range scenes {
		got := render(t, live, step.scene, uint64(i))
		want := render(t, newRenderer(t, cam, 2), step.scene, uint64(i))
		if string(got.Pix) != string(want.Pix) {
			t.Errorf("after %q the picture differs from one drawn anew", step.name)
		}
	}
}

func TestNoiseMovesOnWithFrames(t *testing.T) {
	r := newRenderer(t, smallCamera(), 1)
	a, b := render(t, r, tablesim.Scene{}, 1), render(t, r, tablesim.Scene{}, 2)
	if string(a.Pix) == string(b.Pix) {
		t.Error("two frames carry the same noise")
	}
}

func TestTruthVisible(t *testing.T) {
	const tolerance = 0.03
	under := card("under", 300, 180, 0)
	tests := []struct {
		name  string
		scene tablesim.Scene
		want  float64
	}{
		{"free", tablesim.Scene{Items: []tablesim.Item{under}}, 1},
		{"half under a card", tablesim.Scene{Items: []tablesim.Item{under, card("over", 300, 180+44, 0)}}, 0.5},
		{"a strip of 12 mm", tablesim.Scene{Items: []tablesim.Item{under, card("over", 300, 180+12, 0)}}, 12.0 / 88},
		{"over the other card", tablesim.Scene{Items: []tablesim.Item{card("below", 300, 200, 0), under}}, 1},
		{"half out of the picture", tablesim.Scene{Items: []tablesim.Item{card("under", 300, -0.5, 0)}}, 0.5},
		{"under a die of 20 mm", tablesim.Scene{Items: []tablesim.Item{under}, Dice: []tablesim.Die{{Centre: under.Centre, SizeMM: 20, Value: 3}}}, 1 - 400.0/(63*88)},
		{"under a token of 15 mm radius", tablesim.Scene{Items: []tablesim.Item{under}, Tokens: []tablesim.Token{{Centre: under.Centre, Radius: 15}}}, 1 - 225*math.Pi/(63*88)},
	}
	r := newRenderer(t, smallCamera(), 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, got := range r.Truth(tt.scene) {
				if got.Copy == "under" && math.Abs(got.Visible-tt.want) > tolerance {
					t.Errorf("visible %.3f, want %.3f", got.Visible, tt.want)
				}
			}
		})
	}
	t.Run("under a hand", func(t *testing.T) {
		for _, pose := range []tablesim.HandPose{tablesim.HandFlat, tablesim.HandPinch, tablesim.HandPoint} {
			got := r.Truth(tablesim.Scene{Items: []tablesim.Item{under}, Hands: []tablesim.Hand{{Tip: board.Point{X: 300, Y: 120}, FromDeg: 180, Pose: pose}}})[0]
			if got.Visible < 0.02 || got.Visible > 0.85 {
				t.Errorf("pose %s: visible %.3f of a card right under a hand", pose, got.Visible)
			}
		}
	})
}

func TestTruthWords(t *testing.T) {
	strategy := board.CardID("one-clean-cut") // its back is the same both ways
	region := board.CardID("coast-of-bells")  // printed in landscape
	sleeve := tablesim.Sleeve{Border: 2, Opaque: true}
	item := func(f func(*tablesim.Item)) tablesim.Item {
		it := card("c", 300, 180, 92)
		f(&it)
		return it
	}
	tests := []struct {
		name     string
		item     tablesim.Item
		rotation board.Turn
		modulo   float64
		face     board.Face
		back     board.BackID
		named    bool
		wide     bool
	}{
		{"face up", item(func(*tablesim.Item) {}), 90, 360, board.FaceUp, "", true, false},
		{"face down", item(func(i *tablesim.Item) { i.Face = board.FaceDown }), 90, 360, board.FaceDown, deck.BackDynasty, false, false},
		{"a back the same both ways", item(func(i *tablesim.Item) { i.Card, i.Face = strategy, board.FaceDown }), board.TurnUnknown, 180, board.FaceDown, deck.BackLotus, false, false},
		{"an opaque sleeve", item(func(i *tablesim.Item) { i.Sleeve, i.Face = sleeve, board.FaceDown }), board.TurnUnknown, 180, board.FaceDown, "", false, false},
		{"an opaque sleeve face up", item(func(i *tablesim.Item) { i.Sleeve = sleeve }), 90, 360, board.FaceUp, "", true, false},
		{"landscape", item(func(i *tablesim.Item) { i.Card = region }), 90, 360, board.FaceUp, "", true, true},
		{"landscape face down", item(func(i *tablesim.Item) { i.Card, i.Face = region, board.FaceDown }), 90, 360, board.FaceDown, deck.BackDynasty, false, false},
		{"between two turns", item(func(i *tablesim.Item) { i.AngleDeg = 45.2 }), board.TurnUnknown, 360, board.FaceUp, "", true, false},
	}
	r := newRenderer(t, smallCamera(), 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := r.Truth(tablesim.Scene{Items: []tablesim.Item{tt.item}})[0]
			if got.Rotation != tt.rotation || got.AngleModulo != tt.modulo || got.Face != tt.face || got.Back != tt.back || (got.Card != nil) != tt.named {
				t.Errorf("got rotation %d modulo %g face %s back %q card %v", got.Rotation, got.AngleModulo, got.Face, got.Back, got.Card)
			}
			if d := board.AngleDiff(got.AngleDeg, tt.item.AngleDeg); math.Abs(d) > 0.01 {
				t.Errorf("angle %.2f, want %.2f", got.AngleDeg, tt.item.AngleDeg)
			}
			if w, h := got.Corners.Edges(); (w > h) != tt.wide {
				t.Errorf("edges %.1f × %.1f px", w, h)
			}
			w, _ := got.Corners.Edges()
			ow, _ := got.Outline.Edges()
			if sleeved := tt.item.Sleeve.Border > 0; sleeved && got.Face == board.FaceUp && ow-w < 3 {
				t.Errorf("the sleeve's outline is %.2f px wide, the card %.2f", ow, w)
			}
		})
	}
	if got := r.Truth(tablesim.Scene{Items: []tablesim.Item{item(func(i *tablesim.Item) { i.InHand = true })}}); len(got) != 0 {
		t.Errorf("a card held in a hand is reported as on the table: %v", got)
	}
}

func TestRandomScenes(t *testing.T) {
	for _, l := range tablesim.Levels() {
		t.Run(l.Name, func(t *testing.T) {
			var shown, strips, cards, down int
			for seed := range uint64(6) {
				cam := l.Camera(640, 360, seed)
				s := tablesim.RandomScene(shared, l, cam, seed)
				r, err := tablesim.NewRenderer(shared, l, cam, seed)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[board.CopyID]bool{}
				for _, tr := range r.Truth(s) {
					cards++
					if seen[tr.Copy] {
						t.Errorf("seed %d: copy %s is there twice", seed, tr.Copy)
					}
					seen[tr.Copy] = true
					switch {
					case tr.Visible >= 0.9:
						shown++
					case tr.Visible >= 0.1 && tr.Visible < 0.4:
						strips++
					}
					if tr.Face == board.FaceDown {
						down++
					}
					_, h := tr.Corners.Edges()
					if w, _ := tr.Corners.Edges(); w > h {
						h = w
					}
					// Sizes are given for a picture 1080 high, in its middle.
					if h = h * 3; h < l.CardPx.Min*0.7 || h > l.CardPx.Max*1.45 {
						t.Errorf("seed %d: a card is %.0f px tall at full size", seed, h)
					}
				}
			}
			if cards == 0 || down == 0 {
				t.Fatalf("%d cards, %d face down", cards, down)
			}
			if l.Name == "easy" && float64(shown) < 0.98*float64(cards) {
				t.Errorf("easy: only %d of %d cards lie free", shown, cards)
			}
			if l.Name != "easy" && strips == 0 {
				t.Error("no card is tucked under another")
			}
		})
	}
}

func TestStillWritesPictureAndLabels(t *testing.T) {
	l := level(t, "easy")
	l.Layout.Cards = tablesim.Range{Min: 3, Max: 3}
	still, err := tablesim.NewStill(shared, l, 640, 360, 2)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := still.Write(dir, "one"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "one.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if cfg, _, err := image.DecodeConfig(f); err != nil || cfg.Width != 640 || cfg.Height != 360 {
		t.Errorf("the picture: %v, %v", cfg, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "one.json"))
	if err != nil {
		t.Fatal(err)
	}
	var labels tablesim.Labels
	if err := json.Unmarshal(data, &labels); err != nil {
		t.Fatal(err)
	}
	if labels.Image != "one.jpg" || labels.Width != 640 || len(labels.Cards) != 3 {
		t.Errorf("labels of %q, %d wide, %d cards", labels.Image, labels.Width, len(labels.Cards))
	}
	for i, c := range labels.Cards {
		for k := range c.Corners {
			if c.Corners[k].Distance(still.Truths[i].Corners[k]) > 0.01 {
				t.Errorf("card %d: corner %d is %v in the labels, %v in truth", i, k, c.Corners[k], still.Truths[i].Corners[k])
			}
		}
		if (c.Face == board.FaceUp) != (c.ID != nil) {
			t.Errorf("card %d lies %s and has the id %v", i, c.Face, c.ID)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	good := smallCamera()
	tests := []struct {
		name string
		do   func() error
		want string
	}{
		{"unknown level", func() error { _, err := tablesim.LevelByName("medium"); return err }, "easy, table, hard"},
		{"no area", func() error { _, err := tablesim.Camera{Width: 640, Height: 480}.Projection(); return err }, "play area"},
		{"tiny picture", func() error { _, err := tablesim.Camera{Width: 1}.Projection(); return err }, "too small"},
		{"camera in the table", func() error {
			c := good
			c.DistanceMM = 0
			_, err := tablesim.NewRenderer(shared, level(t, "easy"), c, 1)
			return err
		}, "above the table"},
		{"lying camera", func() error { c := good; c.TiltDeg = 80; _, err := c.Projection(); return err }, "45"},
		{"unknown table", func() error {
			l := level(t, "easy")
			l.Tables = []tablesim.TableKind{"glass"}
			_, err := tablesim.NewRenderer(shared, l, good, 1)
			return err
		}, "wood"},
		{"unknown card", func() error {
			_, err := newRenderer(t, good, 1).Render(tablesim.Scene{Items: []tablesim.Item{{ID: "c1", Card: "nobody"}}}, 0)
			return err
		}, `"nobody"`},
		{"no frame rate", func() error { _, err := tablesim.NewSource(nil, nil, 0, tablesim.SystemPacer{}); return err }, "frame rate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// steppedPacer is a clock that only moves when somebody sleeps, or by hand.
type steppedPacer struct{ now time.Time }

func (p *steppedPacer) Now() time.Time { return p.now }

func (p *steppedPacer) Sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		p.now = p.now.Add(d)
	}
	return ctx.Err()
}

func TestSourceKeepsStepWithTheClock(t *testing.T) {
	pacer := &steppedPacer{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	start := pacer.now
	var asked []time.Duration
	scene := func(t time.Duration) tablesim.Scene {
		asked = append(asked, t)
		return tablesim.Scene{}
	}
	src, err := tablesim.NewSource(newRenderer(t, smallCamera(), 1), scene, 10, pacer)
	if err != nil {
		t.Fatal(err)
	}
	var frames []uint64
	for i := range 4 {
		img, frame, at, err := src.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds().Dx() != 640 || at.Sub(start) != time.Duration(frame)*100*time.Millisecond {
			t.Errorf("frame %d is %v wide, taken after %v", frame, img.Bounds().Dx(), at.Sub(start))
		}
		frames = append(frames, frame)
		if i == 1 {
			pacer.now = pacer.now.Add(350 * time.Millisecond) // a slow consumer
		}
	}
	if want := []uint64{0, 1, 4, 5}; frames[0] != want[0] || frames[1] != want[1] || frames[2] != want[2] || frames[3] != want[3] {
		t.Errorf("frames %v, want %v", frames, want)
	}
	if asked[2] != 400*time.Millisecond {
		t.Errorf("the third frame shows the scene of %v", asked[2])
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := src.Next(ctx); err == nil {
		t.Error("a cancelled source gave a frame")
	}
}
