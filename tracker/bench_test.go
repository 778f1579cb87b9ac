package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"tabletop/board"
)

// BenchmarkObserve is the time of one view: with nothing moving, and with one
// card carried about under a hand.
func BenchmarkObserve(b *testing.B) {
	for _, n := range []int{40, 120} {
		for _, moving := range []bool{false, true} {
			b.Run(fmt.Sprintf("cards=%d/moving=%t", n, moving), func(b *testing.B) {
				tb := newTable(b)
				for i := range n {
					tb.put(board.CardID(fmt.Sprint("k", i%30)), 35+70*float64(i%12), 30+58*float64(i/12), 90*float64(i%4))
					tb.cards[i].size = board.Size{Width: 40, Height: 56}
				}
				tb.rest()
				if got := len(tb.tracker.Copies()); got != n {
					b.Fatalf("%d copies of %d cards", got, n)
				}
				var views []board.View
				for i := range 64 {
					if moving {
						c := tb.cards[n-1]
						c.centre = board.Point{X: 100 + 10*float64(i), Y: 300}
						tb.hands = []board.Polygon{hand(c.centre.X, 330)}
					}
					views = append(views, tb.view())
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					v := views[i%len(views)]
					v.At = tb.at.Add(time.Duration(i) * 33 * time.Millisecond)
					tb.tracker.Observe(v)
					i++
				}
			})
		}
	}
}

// BenchmarkObserveAllMoved is the worst view: every card lies elsewhere, as
// after a knock against the camera.
func BenchmarkObserveAllMoved(b *testing.B) {
	tb := newTable(b)
	for i := range 120 {
		tb.put(board.CardID(fmt.Sprint("k", i%30)), 35+70*float64(i%12), 30+58*float64(i/12), 0)
		tb.cards[i].size = board.Size{Width: 40, Height: 56}
	}
	tb.rest()
	views := make([]board.View, 2)
	for i := range views {
		for _, c := range tb.cards {
			c.centre.X += 25 * float64(1-2*i)
		}
		views[i] = tb.view()
	}
	i := 0
	for b.Loop() {
		v := views[i%2]
		v.At = tb.at.Add(time.Duration(i) * 33 * time.Millisecond)
		tb.tracker.Observe(v)
		i++
	}
}
