package main

import (
	"context"
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
	tracker *tracker.Tracker
	engine  *rules.Engine
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
		l.events = p.engine.Apply(p.tracker.Observe(plane.ToTable(view)))
	}
	l.took = time.Since(start)
	return l, nil
}
