package watch_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/watch"
)

// lying is a card of the drawn table.
type lying struct {
	id     board.CardID
	centre board.Point
	angle  float64
}

// scene is a drawn table under a camera with noise.
type scene struct {
	size   image.Point
	card   board.Size // pixels
	cards  []lying    // the later ones lie on the earlier
	hands  []board.Point
	boxes  []image.Rectangle // things that are no cards
	tokens []image.Point
	gain   [3]float64                 // of blue, green, red
	lamp   func(x, y float64) float64 // over [0,1]²; nil: even
	shift  image.Point                // of the camera
	noise  float64
	table  gocv.Mat
	faces  map[board.CardID]gocv.Mat
	grain  [][2]gocv.Mat // added and taken away
	drawn  gocv.Mat      // what lies on the table, as of what
	what   string
	rng    *rand.Rand
	frames int
}

func newScene(tb testing.TB, size image.Point, card board.Size) *scene {
	s := &scene{size: size, card: card, gain: [3]float64{1, 1, 1}, noise: 3, faces: map[board.CardID]gocv.Mat{}, rng: rand.New(rand.NewPCG(1, 2))}
	s.table = gocv.NewMatWithSize(size.Y+64, size.X+64, gocv.MatTypeCV8UC3)
	data, _ := s.table.DataPtrUint8()
	for y := range size.Y + 64 {
		for x := range size.X + 64 {
			weave := 8*math.Sin(float64(x)/3)*math.Sin(float64(y)/3) + 10*math.Sin(float64(x)/90)*math.Cos(float64(y)/70)
			i := 3 * (y*(size.X+64) + x)
			data[i], data[i+1], data[i+2] = uint8(60+weave), uint8(70+weave), uint8(50+weave)
		}
	}
	for range 5 {
		var pair [2]gocv.Mat
		var bytes [2][]uint8
		for i := range pair {
			pair[i] = gocv.NewMatWithSize(size.Y, size.X, gocv.MatTypeCV8UC3)
			bytes[i], _ = pair[i].DataPtrUint8()
		}
		for i := range bytes[0] {
			n := math.Round(s.rng.NormFloat64() * s.noise)
			bytes[0][i], bytes[1][i] = uint8(max(n, 0)), uint8(max(-n, 0))
		}
		s.grain = append(s.grain, pair)
	}
	s.drawn = gocv.NewMat()
	tb.Cleanup(s.close)
	return s
}

func (s *scene) close() {
	s.table.Close()
	s.drawn.Close()
	for _, g := range s.grain {
		g[0].Close()
		g[1].Close()
	}
	for _, f := range s.faces {
		f.Close()
	}
}

// face is a made-up card face: a border, a title bar, a picture of blots, text.
func (s *scene) face(id board.CardID) gocv.Mat {
	if f, ok := s.faces[id]; ok {
		return f
	}
	var seed uint64 = 7
	for _, r := range id {
		seed = seed*31 + uint64(r)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	w, h := int(s.card.Width), int(s.card.Height)
	f := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(15, 15, 15, 0), h, w, gocv.MatTypeCV8UC3)
	b := max(2, w/20)
	paint := func(r image.Rectangle) {
		gocv.Rectangle(&f, r, color.RGBA{uint8(60 + rng.IntN(190)), uint8(60 + rng.IntN(190)), uint8(60 + rng.IntN(190)), 255}, -1)
	}
	paint(image.Rect(b, b, w-b, h/8))
	paint(image.Rect(b, h/8, w-b, h/2))
	for range 12 {
		x, y := b+rng.IntN(w-4*b), h/8+rng.IntN(h/3)
		paint(image.Rect(x, y, min(w-b, x+w/8+rng.IntN(w/4)), min(h/2, y+h/12)))
	}
	gocv.Rectangle(&f, image.Rect(b, h/2, w-b, h-b), color.RGBA{225, 220, 205, 255}, -1)
	for y := h/2 + b; y < h-2*b; y += max(4, h/16) {
		gocv.Rectangle(&f, image.Rect(2*b, y, b+rng.IntN(w/2)+w/3, y+max(1, h/50)), color.RGBA{40, 40, 40, 255}, -1)
	}
	s.faces[id] = f
	return f
}

func (s *scene) quad(l lying) board.Quad {
	q := board.RectQuad(l.centre, s.card, l.angle)
	return q.Map(func(p board.Point) board.Point {
		return board.Point{X: p.X + float64(s.shift.X), Y: p.Y + float64(s.shift.Y)}
	})
}

// handOutline is a blunt finger-and-palm shape that reaches in from below.
func (s *scene) handOutline(tip board.Point) board.Polygon {
	w := 0.75 * s.card.Width
	return board.Polygon{{X: tip.X - w*0.6, Y: tip.Y + w*0.3}, {X: tip.X - w*0.2, Y: tip.Y}, {X: tip.X + w*0.2, Y: tip.Y}, {X: tip.X + w*0.6, Y: tip.Y + w*0.3},
		{X: tip.X + w, Y: tip.Y + 2*w}, {X: tip.X + w, Y: 4000}, {X: tip.X - w, Y: 4000}, {X: tip.X - w, Y: tip.Y + 2*w}}
}

// frame draws what the camera sees now. The caller closes it.
func (s *scene) frame() gocv.Mat {
	if what := fmt.Sprint(s.cards, s.shift); what != s.what {
		s.what = what
		view := s.table.Region(image.Rect(32-s.shift.X, 32-s.shift.Y, 32-s.shift.X+s.size.X, 32-s.shift.Y+s.size.Y))
		view.CopyTo(&s.drawn)
		view.Close()
		for _, l := range s.cards {
			s.stamp(&s.drawn, s.face(l.id), s.quad(l))
		}
	}
	img := s.drawn.Clone()
	for _, b := range s.boxes {
		gocv.Rectangle(&img, b.Add(s.shift), color.RGBA{150, 40, 120, 255}, -1)
		gocv.Rectangle(&img, b.Add(s.shift).Inset(6), color.RGBA{120, 20, 90, 255}, -1)
	}
	for _, t := range s.tokens {
		gocv.Circle(&img, t.Add(s.shift), int(s.card.Width/7), color.RGBA{200, 30, 30, 255}, -1)
	}
	for _, tip := range s.hands {
		var pts []image.Point
		for _, p := range s.handOutline(tip) {
			pts = append(pts, image.Pt(int(p.X), int(p.Y)))
		}
		v := gocv.NewPointsVectorFromPoints([][]image.Point{pts})
		gocv.FillPoly(&img, v, color.RGBA{205, 160, 135, 255})
		v.Close()
		for k := range 5 { // knuckles, veins
			gocv.Line(&img, image.Pt(int(tip.X)-10+5*k, int(tip.Y)+15), image.Pt(int(tip.X)-20+10*k, int(tip.Y)+60), color.RGBA{170, 120, 100, 255}, 2)
		}
	}
	s.expose(&img)
	return img
}

func (s *scene) stamp(img *gocv.Mat, face gocv.Mat, q board.Quad) {
	from := gocv.NewPoint2fVectorFromPoints([]gocv.Point2f{{X: 0, Y: 0}, {X: float32(face.Cols()), Y: 0}, {X: float32(face.Cols()), Y: float32(face.Rows())}, {X: 0, Y: float32(face.Rows())}})
	defer from.Close()
	var pts []gocv.Point2f
	for _, p := range q {
		pts = append(pts, gocv.Point2f{X: float32(p.X), Y: float32(p.Y)})
	}
	to := gocv.NewPoint2fVectorFromPoints(pts)
	defer to.Close()
	m := gocv.GetPerspectiveTransform2f(from, to)
	defer m.Close()
	warped, cover, flat := gocv.NewMat(), gocv.NewMat(), gocv.NewMatWithSizeFromScalar(gocv.NewScalar(255, 0, 0, 0), face.Rows(), face.Cols(), gocv.MatTypeCV8UC1)
	defer warped.Close()
	defer cover.Close()
	defer flat.Close()
	gocv.WarpPerspective(face, &warped, m, s.size)
	gocv.WarpPerspective(flat, &cover, m, s.size)
	warped.CopyToWithMask(img, cover)
}

// expose applies light and sensor noise.
func (s *scene) expose(img *gocv.Mat) {
	data, _ := img.DataPtrUint8()
	if s.lamp != nil || s.gain != [3]float64{1, 1, 1} {
		for y := range s.size.Y {
			for x := range s.size.X {
				l := 1.0
				if s.lamp != nil {
					l = s.lamp(float64(x)/float64(s.size.X), float64(y)/float64(s.size.Y))
				}
				i := 3 * (y*s.size.X + x)
				for ch := range 3 {
					data[i+ch] = uint8(min(float64(data[i+ch])*s.gain[ch]*l+0.5, 255))
				}
			}
		}
	}
	if s.noise == 0 {
		return
	}
	s.frames += 1 + s.rng.IntN(len(s.grain)-1) // never the same twice running
	g := s.grain[s.frames%len(s.grain)]
	gocv.Add(*img, g[0], img)
	gocv.Subtract(*img, g[1], img)
}

// visible is the share of a card in view.
func (s *scene) visible(i int) float64 {
	q := s.quad(s.cards[i])
	var open, of int
	for u := 0.05; u < 1; u += 0.1 {
		for v := 0.05; v < 1; v += 0.1 {
			p := q[0].Add(q[1].Sub(q[0]).Scale(u)).Add(q[3].Sub(q[0]).Scale(v))
			of++
			hidden := !image.Pt(int(p.X), int(p.Y)).In(image.Rectangle{Max: s.size})
			for _, l := range s.cards[i+1:] {
				hidden = hidden || s.quad(l).Contains(p)
			}
			for _, b := range s.boxes {
				hidden = hidden || image.Pt(int(p.X), int(p.Y)).In(b.Add(s.shift))
			}
			for _, h := range s.hands {
				hidden = hidden || s.handOutline(h).Contains(p)
			}
			if !hidden {
				open++
			}
		}
	}
	return float64(open) / float64(of)
}

// eye is a scanner that knows the scene: it finds what is enough in view and
// wholly in a region, to about a pixel.
type eye struct {
	scene *scene
	needs float64 // share in view below which a card is not found
	calls [][]image.Rectangle
	err   error
	blind bool
	known []board.Observation // if not nil, the answer to everything
}

func (e *eye) Scan(ctx context.Context, _ gocv.Mat, regions []image.Rectangle) ([]board.Observation, error) {
	e.calls = append(e.calls, slices.Clone(regions))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.err != nil {
		return nil, e.err
	}
	if e.blind || e.known != nil {
		return e.known, nil
	}
	var out []board.Observation
	for i, l := range e.scene.cards {
		q := e.scene.quad(l)
		inside := regions == nil || slices.ContainsFunc(regions, func(r image.Rectangle) bool {
			for _, p := range q {
				if !image.Pt(int(p.X), int(p.Y)).In(r) {
					return false
				}
			}
			return true
		})
		visible := e.scene.visible(i)
		if !inside || visible < e.needs {
			continue
		}
		q = q.Map(func(p board.Point) board.Point {
			return p.Add(board.Point{X: e.scene.rng.Float64() - 0.5, Y: e.scene.rng.Float64() - 0.5})
		})
		out = append(out, board.Observation{Corners: q, AngleDeg: q.AngleDeg(), AngleModulo: 360, Rotation: board.NearestTurn(q.AngleDeg()),
			Face: board.FaceUp, Card: &board.CardRef{ID: l.id}, Confidence: 0.6 + 0.35*visible, Visible: visible})
	}
	return out, nil
}

// table is a scene, its scanner and a watcher over it, with time going on.
type table struct {
	*scene
	tb      testing.TB
	eye     *eye
	watcher *watch.Watcher
	seq     uint64
	now     time.Time
	step    time.Duration
	view    board.View
	stats   watch.Stats
}

func newTable(tb testing.TB, o watch.Options) *table {
	return newTableOf(tb, o, image.Pt(640, 480), board.Size{Width: 80, Height: 112})
}

func newTableOf(tb testing.TB, o watch.Options, size image.Point, card board.Size) *table {
	tb.Helper()
	s := newScene(tb, size, card)
	t := &table{scene: s, tb: tb, eye: &eye{scene: s, needs: 0.7}, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), step: 33 * time.Millisecond}
	if o.Refresh == 0 {
		o.Refresh = -1 // so that a scan is known to have its cause in the scene
	}
	w, err := watch.New(t.eye, o)
	if err != nil {
		tb.Fatal(err)
	}
	t.watcher = w
	tb.Cleanup(func() { w.Close() })
	return t
}

// look shows n frames of the scene as it stands.
func (t *table) look(n int) board.View {
	t.tb.Helper()
	for range n {
		img := t.frame()
		t.seq++
		t.now = t.now.Add(t.step)
		view, stats, err := t.watcher.Look(context.Background(), img, t.seq, t.now)
		img.Close()
		if err != nil {
			t.tb.Fatal(err)
		}
		t.view, t.stats = view, stats
	}
	return t.view
}

// sweep moves a hand in straight line, 12 pixels a frame, and calls each after
// every frame.
func (t *table) sweep(from, to board.Point, each func()) {
	t.tb.Helper()
	steps := max(1, int(from.Distance(to)/12))
	for i := 0; i <= steps; i++ {
		t.hands = []board.Point{from.Add(to.Sub(from).Scale(float64(i) / float64(steps)))}
		t.look(1)
		if each != nil {
			each()
		}
	}
}

// seen is the view's card at a place, or nil.
func (t *table) seen(l lying) *board.Observation {
	for i, o := range t.view.Cards {
		if t.quad(l).Overlap(o.Corners) > 0.85 && o.Card != nil && o.Card.ID == l.id {
			return &t.view.Cards[i]
		}
	}
	return nil
}

func (t *table) obscured(p board.Point) bool {
	return slices.ContainsFunc(t.view.Obscured, func(o board.Polygon) bool { return o.Contains(p) })
}

// expect fails unless exactly the scene's cards are reported.
func (t *table) expect(when string) {
	t.tb.Helper()
	for _, l := range t.cards {
		if t.seen(l) == nil {
			t.tb.Errorf("%s: %s at %.0f is not reported", when, l.id, l.centre)
		}
	}
	if len(t.view.Cards) != len(t.cards) {
		t.tb.Errorf("%s: %d cards reported, %d lie there", when, len(t.view.Cards), len(t.cards))
	}
}

// expectSound fails when a card of the scene is neither reported nor under
// something, or one is reported that is not there.
func (t *table) expectSound(when string) {
	t.tb.Helper()
	for _, l := range t.cards {
		if t.seen(l) == nil && !t.obscured(t.quad(l).Centre()) {
			t.tb.Errorf("%s: %s at %.0f is neither reported nor obscured", when, l.id, l.centre)
		}
	}
	for _, o := range t.view.Cards {
		if !slices.ContainsFunc(t.cards, func(l lying) bool { return t.quad(l).Overlap(o.Corners) > 0.85 && l.id == o.Card.ID }) {
			t.tb.Errorf("%s: %s reported at %.0f, where it does not lie", when, o.Card.ID, o.Corners.Centre())
		}
	}
}

func grid(columns, rows int, dx, dy float64) (cards []lying) {
	for r := range rows {
		for c := range columns {
			cards = append(cards, lying{board.CardID(rune('a'+r)) + "-" + board.CardID(rune('a'+c)),
				board.Point{X: dx * (float64(c) + 0.7), Y: dy * (float64(r) + 0.6)}, float64(90 * ((r + c) % 4))})
		}
	}
	return cards
}
