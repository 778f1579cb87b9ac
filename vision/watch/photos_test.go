package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision"
	"tabletop/vision/watch"
)

// still is a labelled frame of cardspotter_auto.
type still struct {
	Image string `json:"image"`
	State string `json:"state"`
	Cards []struct {
		Corners board.Quad   `json:"corners"`
		ID      board.CardID `json:"id"`
		Visible float64      `json:"visible"`
	} `json:"cards"`
}

func stills(t *testing.T) (folder string, frames []still) {
	t.Helper()
	root := os.Getenv("SCANNER_PHOTOS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "photos")
	}
	folder = filepath.Join(root, "cardspotter_auto")
	data, err := os.ReadFile(filepath.Join(folder, "labels.json"))
	if err != nil {
		t.Skipf("no photos: %v (set SCANNER_PHOTOS to the folder that holds cardspotter_auto/)", err)
	}
	var labels struct{ Frames []still }
	if err := json.Unmarshal(data, &labels); err != nil {
		t.Fatal(err)
	}
	return folder, labels.Frames
}

// labelScanner reads the answers off the labels, as far as a scanner could: not
// what is half covered or moves.
type labelScanner struct{ now still }

func (l *labelScanner) Scan(context.Context, gocv.Mat, []image.Rectangle) (found []board.Observation, err error) {
	for _, c := range l.now.Cards {
		if c.Visible > 0.9 {
			found = append(found, board.Observation{Corners: c.Corners, AngleDeg: c.Corners.AngleDeg(), AngleModulo: 360,
				Face: board.FaceUp, Card: &board.CardRef{ID: c.ID}, Confidence: 0.9, Visible: 1})
		}
	}
	return found, nil
}

// The stills show hands, a card put down and taken away three times, exposure
// that drifts, and two panels of the mat that look like cards. They are not
// evenly spaced in time, so nothing may depend on when they were taken.
func TestStills(t *testing.T) {
	folder, frames := stills(t)
	for _, step := range []time.Duration{0, 33 * time.Millisecond, time.Second} {
		for _, kind := range []string{"labels", "vision"} {
			if kind == "vision" && step == 0 {
				continue // the scanner's work is the same
			}
			t.Run(fmt.Sprintf("%s every %v", kind, step), func(t *testing.T) {
				labels := &labelScanner{}
				var scanner watch.Scanner = labels
				if kind == "vision" {
					v, err := vision.New(vision.Options{})
					if err != nil {
						t.Fatal(err)
					}
					defer v.Close()
					scanner = v
				}
				watcher, err := watch.New(scanner, watch.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer watcher.Close()
				var views []board.View
				for i, f := range frames {
					labels.now = f
					img := gocv.IMRead(filepath.Join(folder, f.Image), gocv.IMReadColor)
					view, _, err := watcher.Look(context.Background(), img, uint64(i), time.Unix(1000, 0).Add(time.Duration(i)*step))
					img.Close()
					if err != nil {
						t.Fatal(err)
					}
					views = append(views, view)
				}
				checkStills(t, frames, views)
			})
		}
	}
}

// checkStills asserts what a tracker that settles after two frames needs: each
// resting card reported at least twice running in its place, and nothing else
// twice in one place.
func checkStills(t *testing.T, frames []still, views []board.View) {
	t.Helper()
	isAt := func(q board.Quad) func(board.Observation) bool {
		return func(o board.Observation) bool { return q.Overlap(o.Corners) > 0.75 }
	}
	for i := 0; i < len(frames); i++ {
		if len(frames[i].Cards) == 0 {
			continue
		}
		first, q := i, frames[i].Cards[0].Corners
		reported, running := 0, 0
		for ; i < len(frames) && len(frames[i].Cards) > 0 && frames[i].Cards[0].Corners == q; i++ {
			if slices.ContainsFunc(views[i].Cards, isAt(q)) {
				running++
			} else {
				running = 0
			}
			reported = max(reported, running)
		}
		if reported < 2 {
			t.Errorf("%s in frames %d to %d: reported in %d views running, 2 are needed", frames[first].Cards[0].ID, first, i-1, reported)
		}
	}
	for i, f := range frames {
		for _, o := range views[i].Cards {
			if slices.ContainsFunc(f.Cards, func(c struct {
				Corners board.Quad   `json:"corners"`
				ID      board.CardID `json:"id"`
				Visible float64      `json:"visible"`
			}) bool {
				return isAt(c.Corners)(o)
			}) {
				continue
			}
			if f.State == "empty" {
				t.Errorf("frame %d is empty, but a card is reported at %.0f", i, o.Corners.Centre())
			}
			if i+1 < len(views) && slices.ContainsFunc(views[i+1].Cards, isAt(o.Corners)) {
				t.Errorf("frames %d and %d: a card at %.0f, where none lies", i, i+1, o.Corners.Centre())
			}
		}
	}
	half := slices.IndexFunc(views[1].Cards, isAt(frames[1].Cards[0].Corners))
	if half < 0 {
		t.Error("frame 1: the card half under the hand is not reported")
	} else if v := views[1].Cards[half].Visible; v < 0.35 || v > 0.65 {
		t.Errorf("frame 1: %.2f of the card is said to be visible, half of it is", v)
	}
	if len(views[1].Obscured) == 0 {
		t.Error("frame 1: the hand obscures nothing")
	}
}
