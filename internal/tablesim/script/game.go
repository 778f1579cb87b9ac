package script

import (
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
)

// Game is a compiled script. It is read-only and may be used from several
// goroutines.
type Game struct {
	// Layout is the table the script is played on.
	Layout board.Layout
	// Acts is how many acts the script has; passing hands, waits, clearing the
	// table and what lies there from the start do not count.
	Acts int
	// Length is how long it takes.
	Length time.Duration
	// Repeats says that the game begins again when it is over.
	Repeats bool

	deck     *deck.Deck
	clips    []clip
	expected []Expected
}

// Expected lists the reports of one run through the game, in order. The caller
// may change it.
func (g *Game) Expected() []Expected { return slices.Clone(g.expected) }

// exposure is how long the simulated shutter is open: what moves is smeared by
// as much as it moves in that time.
const exposure = 10 * time.Millisecond

// Scene is the table t after the game's beginning. Before it the table is as
// at the beginning; after its end it stays as it is then, or begins again if
// the game repeats.
func (g *Game) Scene(t time.Duration) tablesim.Scene {
	c, in := g.clipAt(t)
	s := c.scene(in)
	ahead, behind := c.scene(min(in+exposure/2, c.length)), c.scene(max(in-exposure/2, 0))
	for i := range s.Items {
		a, b := findItem(ahead.Items, s.Items[i].ID), findItem(behind.Items, s.Items[i].ID)
		if a != nil && b != nil {
			s.Items[i].Travel = a.Centre.Sub(b.Centre)
			s.Items[i].Spin = board.AngleDiff(a.AngleDeg, b.AngleDeg)
		}
	}
	for i := range s.Hands {
		if i < len(ahead.Hands) && i < len(behind.Hands) {
			s.Hands[i].Travel = ahead.Hands[i].Tip.Sub(behind.Hands[i].Tip)
		}
	}
	return s
}

func findItem(items []tablesim.Item, id board.CopyID) *tablesim.Item {
	for i := range items {
		if items[i].ID == id {
			return &items[i]
		}
	}
	return nil
}

func (g *Game) clipAt(t time.Duration) (*clip, time.Duration) {
	t = max(t, 0)
	if g.Repeats {
		t %= g.Length
	}
	t = min(t, g.Length)
	i, _ := slices.BinarySearchFunc(g.clips, t, func(c clip, t time.Duration) int {
		if c.start+c.length <= t {
			return -1
		}
		return 1
	})
	i = min(i, len(g.clips)-1)
	return &g.clips[i], min(t-g.clips[i].start, g.clips[i].length)
}

// Shares of a card that a perfect scanner needs to see.
const (
	seenShare = 0.2
	armWidth  = 90.0 // mm
)

// View is what a perfect scanner would make of the scene at a moment, in
// millimetres and without noise: the cards that can be seen at least in part,
// and the hands as obscured places. It stands in for camera and vision where a
// test or a demo wants neither; hands are rectangles in it.
func (g *Game) View(t time.Duration) board.View {
	s := g.Scene(t)
	var v board.View
	for _, h := range s.Hands {
		v.Obscured = append(v.Obscured, armOutline(h))
	}
	for i, it := range s.Items {
		if it.InHand {
			continue
		}
		o := g.observe(it)
		cover := slices.Clone(v.Obscured)
		for _, above := range s.Items[i+1:] {
			q := g.outline(above)
			cover = append(cover, q[:])
		}
		o.Visible = visible(o.Corners, cover)
		if o.Visible >= seenShare {
			v.Cards = append(v.Cards, o)
		}
	}
	return v
}

// armOutline is about the outline of a hand and forearm.
func armOutline(h tablesim.Hand) board.Polygon {
	sin, cos := math.Sincos(h.FromDeg * math.Pi / 180)
	from, side := board.Point{X: sin, Y: -cos}, board.Point{X: cos, Y: sin}
	tip := h.Tip.Add(from.Scale(-10))
	far := h.Tip.Add(from.Scale(900))
	return board.Polygon{
		tip.Add(side.Scale(-armWidth / 2)), tip.Add(side.Scale(armWidth / 2)),
		far.Add(side.Scale(armWidth / 2)), far.Add(side.Scale(-armWidth / 2)),
	}
}

func visible(q board.Quad, cover []board.Polygon) float64 {
	const n = 12
	free := 0
	for i := range n {
		for j := range n {
			u, v := (float64(i)+0.5)/n, (float64(j)+0.5)/n
			p := q[0].Scale((1 - u) * (1 - v)).Add(q[1].Scale(u * (1 - v))).Add(q[2].Scale(u * v)).Add(q[3].Scale((1 - u) * v))
			if !slices.ContainsFunc(cover, func(c board.Polygon) bool { return c.Contains(p) }) {
				free++
			}
		}
	}
	return float64(free) / (n * n)
}

func (g *Game) outline(it tablesim.Item) board.Quad {
	size := board.StandardCard()
	if card, _ := g.deck.Card(it.Card); card.Landscape && it.Face != board.FaceDown {
		size.Width, size.Height = size.Height, size.Width
	}
	return board.RectQuad(it.Centre, size, it.AngleDeg)
}

func (g *Game) observe(it tablesim.Item) board.Observation {
	card, _ := g.deck.Card(it.Card)
	o := board.Observation{
		Corners: g.outline(it), AngleDeg: it.AngleDeg, AngleModulo: 360, Rotation: board.NearestTurn(it.AngleDeg),
		Face: board.FaceUp, Confidence: 1,
	}
	if it.Face != board.FaceDown {
		o.Card = card.Ref()
		return o
	}
	o.Face, o.Back = board.FaceDown, card.Back
	if deck.SymmetricBack(card.Back) {
		o.AngleDeg, o.AngleModulo, o.Rotation = math.Mod(it.AngleDeg, 180), 180, board.TurnUnknown
	}
	return o
}
