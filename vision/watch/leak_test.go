//go:build matprofile

package watch_test

import (
	"bytes"
	"context"
	"image"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/watch"
)

// Run with the tag matprofile added to the others.
func TestNoMatLeaks(t *testing.T) {
	tab := newTable(t, watch.Options{Refresh: time.Second})
	tab.cards = grid(3, 2, 180, 220)
	tab.look(2)
	before := gocv.MatProfile.Count()
	tab.sweep(board.Point{X: 300, Y: 520}, board.Point{X: 300, Y: 200}, nil)
	tab.boxes = []image.Rectangle{image.Rect(400, 300, 500, 400)}
	tab.look(60)
	odd := gocv.NewMatWithSize(11, 11, gocv.MatTypeCV8UC3)
	if _, _, err := tab.watcher.Look(context.Background(), odd, 1e6, tab.now); err == nil {
		t.Error("a frame of another size was taken")
	}
	odd.Close()
	if now := gocv.MatProfile.Count(); now != before {
		var stacks bytes.Buffer
		gocv.MatProfile.WriteTo(&stacks, 1)
		t.Fatalf("%d Mats more than before:\n%s", now-before, stacks.String())
	}
	tab.watcher.Close()
	if now := gocv.MatProfile.Count(); now >= before {
		t.Errorf("closing freed nothing: %d Mats, %d before", now, before)
	}
}

// An odd frame size is cut, not refused, and nothing is left of it.
func TestOddSizesLeakNothing(t *testing.T) {
	before := gocv.MatProfile.Count()
	for _, size := range []image.Point{{X: 643, Y: 481}, {X: 320, Y: 240}, {X: 1283, Y: 721}} {
		w, err := watch.New(&eye{scene: &scene{}}, watch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		img := gocv.NewMatWithSize(size.Y, size.X, gocv.MatTypeCV8UC3)
		for seq := range uint64(3) {
			if _, _, err := w.Look(context.Background(), img, seq, time.Unix(int64(seq), 0)); err != nil {
				t.Errorf("%v: %v", size, err)
			}
		}
		img.Close()
		w.Close()
		w.Close()
	}
	if now := gocv.MatProfile.Count(); now != before {
		t.Errorf("%d Mats left", now-before)
	}
}
