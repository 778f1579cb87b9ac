package tablesim_test

import (
	"math"
	"testing"

	"tabletop/board"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
)

// benchScene is a table of 40 cards at 1920×1080 and its renderer, with every
// card's picture drawn.
func benchScene(b *testing.B) (*tablesim.Renderer, tablesim.Scene, tablesim.Camera) {
	b.Helper()
	level, err := tablesim.LevelByName("table")
	if err != nil {
		b.Fatal(err)
	}
	level.Layout.Cards = tablesim.Range{Min: 40, Max: 40}
	level.Layout.Hands = 0
	d := deck.New()
	cam := level.Camera(1920, 1080, 7)
	r, err := tablesim.NewRenderer(d, level, cam, 7)
	if err != nil {
		b.Fatal(err)
	}
	s := tablesim.RandomScene(d, level, cam, 7)
	if _, err := r.Render(s, 0); err != nil {
		b.Fatal(err)
	}
	return r, s, cam
}

// BenchmarkFrameStill is a frame in which nothing moved.
func BenchmarkFrameStill(b *testing.B) {
	r, s, _ := benchScene(b)
	for i := uint64(1); b.Loop(); i++ {
		if _, err := r.Render(s, i); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFrameHand is a frame in which a hand carries a card across.
func BenchmarkFrameHand(b *testing.B) {
	r, s, cam := benchScene(b)
	card := s.Items[len(s.Items)-1]
	card.ID, card.Lift = "moving", 25
	resting := s.Items
	for i := uint64(1); b.Loop(); i++ {
		at := board.Point{X: cam.Area.Width * (0.5 + 0.3*math.Sin(float64(i)/9)), Y: cam.Area.Height * (0.5 + 0.25*math.Cos(float64(i)/13))}
		card.Centre, card.Travel = at, board.Point{X: 6, Y: 2}
		s.Items = append(resting[:len(resting):len(resting)], card)
		s.Hands = []tablesim.Hand{{Tip: at.Add(board.Point{X: 20, Y: 30}), FromDeg: 180, Look: 3, Lift: 25, Travel: card.Travel}}
		if _, err := r.Render(s, i); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTruth is the truth of a table of 40 cards.
func BenchmarkTruth(b *testing.B) {
	r, s, _ := benchScene(b)
	for b.Loop() {
		r.Truth(s)
	}
}
