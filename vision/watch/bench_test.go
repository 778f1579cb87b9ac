package watch_test

import (
	"context"
	"image"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/watch"
)

// fullTable is 40 cards on a 1920×1080 frame.
func fullTable(b *testing.B) *table {
	tab := newTableOf(b, watch.Options{}, image.Pt(1920, 1080), board.Size{Width: 130, Height: 182})
	tab.cards = grid(10, 4, 186, 260)
	tab.look(2)
	if len(tab.view.Cards) != 40 {
		b.Fatalf("%d cards", len(tab.view.Cards))
	}
	return tab
}

func BenchmarkNothingMoved(b *testing.B) {
	tab := fullTable(b)
	var frames [4]gocv.Mat
	for i := range frames {
		frames[i] = tab.frame()
		defer frames[i].Close()
	}
	for b.Loop() {
		tab.seq++
		tab.now = tab.now.Add(tab.step)
		if _, _, err := tab.watcher.Look(context.Background(), frames[tab.seq%4], tab.seq, tab.now); err != nil {
			b.Fatal(err)
		}
	}
}

// One card of 40 lies elsewhere from one frame to the next, and at rest in the
// one after: both frames, without the scanner's own time.
func BenchmarkOneCardMoved(b *testing.B) {
	tab := fullTable(b)
	var frames [2][2]gocv.Mat
	var answers [2][]board.Observation
	for i := range frames {
		tab.cards[17].angle += 90
		answers[i], _ = tab.eye.Scan(context.Background(), gocv.Mat{}, nil)
		for j := range frames[i] {
			frames[i][j] = tab.frame()
			defer frames[i][j].Close()
		}
	}
	tab.eye.calls = nil
	i := 0
	for b.Loop() {
		tab.eye.known = answers[i%2]
		for _, frame := range frames[i%2] {
			tab.seq++
			tab.now = tab.now.Add(tab.step)
			if _, _, err := tab.watcher.Look(context.Background(), frame, tab.seq, tab.now); err != nil {
				b.Fatal(err)
			}
		}
		i++
	}
	b.ReportMetric(float64(len(tab.eye.calls))/float64(i), "scans/op")
}
