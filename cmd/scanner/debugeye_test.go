package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/vision/eval"
	"tabletop/web"
)

// The frame that is saved is the one that was shown, picture and cards, however
// many have come since.
func TestDebugEyeSavesWhatWasShown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cases")
	eye := newDebugEye(dir)
	defer eye.close()
	ctx := context.Background()
	nothing := &pipeline{surface: &surface{}}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	frame := func(seq uint64, shade float64) {
		img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(shade, shade, shade, 0), 120, 160, gocv.MatTypeCV8UC3)
		eye.show(camera.Frame{Image: img, Seq: seq, At: at.Add(time.Duration(seq) * time.Second)})
	}
	sees := func(ids ...board.CardID) {
		var l look
		for i, id := range ids {
			q := board.RectQuad(board.Point{X: 40 + 60*float64(i), Y: 60}, board.Size{Width: 30, Height: 42}, 0)
			l.view.Cards = append(l.view.Cards, board.Observation{Corners: q, Face: board.FaceUp, Card: &board.CardRef{ID: id, Name: string(id)}, Confidence: 0.95, Visible: 1})
		}
		eye.saw(l, nothing)
	}

	if _, err := eye.SaveCase(ctx, 1); !errors.Is(err, web.ErrFrameGone) {
		t.Errorf("saving before anything was shown: %v", err)
	}
	sees("first", "second")
	frame(1, 10)
	shown, err := eye.DebugFrame(ctx)
	if err != nil || shown.Frame != 1 || len(shown.Cards) != 2 || len(shown.JPEG) == 0 {
		t.Fatalf("frame 1 is shown as %d with %d cards (%v)", shown.Frame, len(shown.Cards), err)
	}
	sees("third")
	frame(2, 200)
	if _, err := eye.SaveCase(ctx, 2); !errors.Is(err, web.ErrFrameGone) {
		t.Errorf("saving a frame that nobody was shown: %v", err)
	}
	saved, err := eye.SaveCase(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if saved.Cards != 2 || !filepath.IsAbs(saved.Image) || !filepath.IsAbs(saved.Labels) {
		t.Errorf("saved %+v", saved)
	}
	cases := 0
	for c, err := range eval.Load(dir) {
		if err != nil {
			t.Fatal(err)
		}
		cases++
		img, err := c.Image()
		if err != nil {
			t.Fatal(err)
		}
		if got := img.GetUCharAt(5, 5); got != 10 {
			t.Errorf("the picture is another one: a pixel of %d, not 10", got)
		}
		img.Close()
		if !c.Truth.Unverified || len(c.Truth.Cards) != 2 || c.Truth.Cards[0].ID != "first" {
			t.Errorf("the labels are %+v", c.Truth)
		}
	}
	if cases != 1 {
		t.Errorf("%d cases", cases)
	}

	// A frame of which nothing was read, for the camera was changed, shows none
	// of the cards of the one before.
	frame(3, 50)
	if shown, err = eye.DebugFrame(ctx); err != nil || shown.Frame != 3 || len(shown.Cards) != 0 {
		t.Errorf("frame %d is shown with %d cards (%v)", shown.Frame, len(shown.Cards), err)
	}
}

func TestNoFolderForCases(t *testing.T) {
	eye := newDebugEye("")
	defer eye.close()
	if _, err := eye.SaveCase(context.Background(), 1); err == nil || errors.Is(err, web.ErrFrameGone) {
		t.Errorf("saving without a folder: %v", err)
	}
}
