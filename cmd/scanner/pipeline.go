package main

import (
	"context"
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/rules"
	"tabletop/tracker"
	"tabletop/vision/watch"
)

// pipeline turns frames into events: vision, table plane, tracker and rules,
// one after the other. It belongs to one goroutine.
type pipeline struct {
	watcher *watch.Watcher
	surface *surface
	// calibrated says that places are exact, so that what has not a card's size
	// is none.
	calibrated bool
	tracker    *tracker.Tracker
	engine     *rules.Engine
}

// look is what one frame gave.
type look struct {
	view   board.View // in pixels, as vision saw it
	stats  watch.Stats
	events []board.Event
	took   time.Duration
}

// frame takes the next frame. Its events are not yet numbered.
func (p *pipeline) frame(ctx context.Context, f camera.Frame) (look, error) {
	start := time.Now()
	view, stats, err := p.watcher.Look(ctx, f.Image, f.Seq, f.At)
	if err != nil {
		return look{}, err
	}
	l := look{view: view, stats: stats}
	if plane := p.surface.plane(f.Image, view); plane != nil {
		table := plane.ToTable(view)
		if p.calibrated {
			table.Cards = slices.DeleteFunc(table.Cards, func(o board.Observation) bool { return !cardSized(o.Corners, p.surface.cardSize) })
		}
		l.events = append(p.engine.Apply(p.tracker.Observe(table)), p.engine.Tick(table.At)...)
	}
	l.took = time.Since(start)
	return l, nil
}

// sizeTolerance is how far, as a share, the sides of what lies on a calibrated
// table may be from a card's: sleeves are up to 5 % larger, corners unsure.
const sizeTolerance = 0.15

// cardSized says whether an outline, in millimetres, has a card's size. The
// printed frame of a card has not.
func cardSized(q board.Quad, card board.Size) bool {
	w, h := q.Edges()
	near := func(got, want float64) bool { return math.Abs(got-want) <= sizeTolerance*want }
	return near(min(w, h), min(card.Width, card.Height)) && near(max(w, h), max(card.Width, card.Height))
}
