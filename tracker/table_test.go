package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/tracker"
)

// table is a card table seen by a perfect detector with a noisy camera: the
// test moves cards and hands on it and looks at what the tracker makes of the
// frames.
type table struct {
	t       testing.TB
	tracker *tracker.Tracker
	rng     *rand.Rand
	jitter  float64 // mm; degrees are 4/3 of it

	at    time.Time
	step  time.Duration
	frame uint64

	cards   []*card // bottom first
	hands   []board.Polygon
	corrupt func(*board.View) // applied to each view

	changes []board.Change
	board   board.Board
}

type card struct {
	name   board.CardID // "" is not in the catalogue
	centre board.Point
	angle  float64
	down   bool
	back   board.BackID // of a face-down card; "plain" looks the same both ways
	size   board.Size
}

func layout() board.Layout {
	rect := func(x0, y0, x1, y1 float64) board.Polygon {
		return board.Polygon{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	}
	return board.Layout{
		Size:  board.Size{Width: 900, Height: 600},
		Seats: []board.Seat{{ID: "south", UpDeg: 0}, {ID: "north", UpDeg: 180}},
		Zones: []board.Zone{
			{ID: "north.home", Kind: board.ZoneHome, Seat: "north", Outline: rect(0, 0, 1, 0.4)},
			{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: rect(0, 0.4, 1, 0.6)},
			{ID: "south.home", Kind: board.ZoneHome, Seat: "south", Outline: rect(0, 0.6, 1, 1)},
		},
	}
}

func newTable(t testing.TB) *table {
	return newTableWith(t, tracker.Options{Layout: layout()})
}

func newTableWith(t testing.TB, o tracker.Options) *table {
	return &table{
		t: t, tracker: tracker.New(o), rng: rand.New(rand.NewPCG(1, 2)), jitter: 1.5,
		at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), step: 50 * time.Millisecond,
		board: board.NewBoard(layout()),
	}
}

func (b *table) put(name board.CardID, x, y, angle float64) *card {
	c := &card{name: name, centre: board.Point{X: x, Y: y}, angle: angle, back: "dragon", size: board.StandardCard()}
	b.cards = append(b.cards, c)
	return c
}

func (b *table) take(c *card) {
	b.cards = slices.DeleteFunc(b.cards, func(d *card) bool { return d == c })
}

func (c *card) quad() board.Quad { return board.RectQuad(c.centre, c.size, c.angle) }

func covered(q board.Quad, by []board.Polygon) float64 {
	n := 0
	for i := range 10 {
		for j := range 10 {
			u, v := (float64(i)+0.5)/10, (float64(j)+0.5)/10
			p := q[0].Scale((1 - u) * (1 - v)).Add(q[1].Scale(u * (1 - v))).Add(q[2].Scale(u * v)).Add(q[3].Scale((1 - u) * v))
			if slices.ContainsFunc(by, func(g board.Polygon) bool { return g.Contains(p) }) {
				n++
			}
		}
	}
	return float64(n) / 100
}

// view is the next frame.
func (b *table) view() board.View {
	v := board.View{Frame: b.frame, At: b.at, Obscured: slices.Clone(b.hands)}
	for i, c := range b.cards {
		cover := slices.Clone(b.hands)
		for _, d := range b.cards[i+1:] {
			q := d.quad()
			cover = append(cover, q[:])
		}
		hidden := covered(c.quad(), cover)
		if hidden >= 0.5 {
			continue
		}
		n := func(s float64) float64 { return (2*b.rng.Float64() - 1) * s }
		centre := c.centre.Add(board.Point{X: n(b.jitter), Y: n(b.jitter)})
		angle := board.NormalizeDeg(c.angle + n(b.jitter*4/3))
		o := board.Observation{
			Corners: board.RectQuad(centre, c.size, angle), AngleDeg: angle, AngleModulo: 360,
			Rotation: board.NearestTurn(angle), Face: board.FaceUp, Confidence: 0.9, Visible: 1 - hidden,
		}
		switch {
		case c.down:
			o.Face, o.Back = board.FaceDown, c.back
			if c.back == "plain" {
				o.AngleDeg, o.AngleModulo, o.Rotation = angle-180*float64(int(angle/180)), 180, board.TurnUnknown
			}
		case c.name != "":
			o.Card = &board.CardRef{ID: c.name, Name: strings.ToUpper(string(c.name))}
		}
		v.Cards = append(v.Cards, o)
	}
	b.rng.Shuffle(len(v.Cards), func(i, j int) { v.Cards[i], v.Cards[j] = v.Cards[j], v.Cards[i] })
	if b.corrupt != nil {
		b.corrupt(&v)
	}
	return v
}

// film shows n frames to the tracker.
func (b *table) film(n int) {
	for range n {
		changes := b.tracker.Observe(b.view())
		for _, c := range changes {
			b.apply(c)
		}
		b.changes = append(b.changes, changes...)
		b.at, b.frame = b.at.Add(b.step), b.frame+1
	}
	if got := b.tracker.Board(); fmt.Sprint(got.Copies) != fmt.Sprint(b.board.Copies) {
		b.t.Helper()
		b.t.Fatalf("the changes do not add up to the board:\n%v\n%v", b.board.Copies, got.Copies)
	}
}

func (b *table) apply(c board.Change) {
	switch {
	case (c.Before == nil) != (c.Kind == board.ChangePlaced), (c.After == nil) != (c.Kind == board.ChangeRemoved):
		b.t.Fatalf("a %s change with before %v and after %v", c.Kind, c.Before, c.After)
	case c.After == nil:
		delete(b.board.Copies, c.Before.ID)
	default:
		b.board.Copies[c.After.ID] = *c.After
	}
}

// rest films long enough for anything to settle, also after most of the table
// has vanished.
func (b *table) rest() { b.film(int(4*time.Second/b.step) + 1) }

// happened tells the changes since it was last asked.
func (b *table) happened() []string {
	var out []string
	for _, c := range b.changes {
		copy := c.After
		if copy == nil {
			copy = c.Before
		}
		out = append(out, string(c.Kind)+" "+string(copy.ID))
	}
	b.changes = nil
	return out
}

func (b *table) expect(want ...string) {
	b.t.Helper()
	if got := b.happened(); !slices.Equal(got, want) {
		b.t.Fatalf("the tracker reported %q, want %q", got, want)
	}
}

func (b *table) copy(id board.CopyID) board.Copy {
	b.t.Helper()
	c, ok := b.tracker.Board().Copies[id]
	if !ok {
		b.t.Fatalf("there is no copy %s", id)
	}
	return c
}

// hand is an arm from the bottom edge up to a place.
func hand(x, y float64) board.Polygon {
	return board.Polygon{{X: x - 45, Y: y - 50}, {X: x + 45, Y: y - 50}, {X: x + 45, Y: 700}, {X: x - 45, Y: 700}}
}
