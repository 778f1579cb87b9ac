package tablesim

import (
	"context"
	"fmt"
	"image"
	"time"

	"tabletop/board"
)

// Pacer is the clock of a Source: it tells the time and waits.
type Pacer interface {
	board.Clock
	// Sleep returns after d, or earlier with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemPacer is the machine's clock.
type SystemPacer struct{ board.SystemClock }

// Sleep waits for d or until the context ends.
func (SystemPacer) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Source is a camera that films a changing scene.
type Source struct {
	renderer *Renderer
	scene    func(t time.Duration) Scene
	period   time.Duration
	pacer    Pacer
	picture  *image.RGBA // of every frame anew

	start time.Time
	next  uint64
}

// NewSource films what scene returns for the time since the first frame, fps
// frames a second. fps must be above 0.
func NewSource(r *Renderer, scene func(t time.Duration) Scene, fps float64, pacer Pacer) (*Source, error) {
	if fps <= 0 {
		return nil, fmt.Errorf("tablesim: a source needs a frame rate above 0, not %g", fps)
	}
	return &Source{renderer: r, scene: scene, period: time.Duration(float64(time.Second) / fps), pacer: pacer}, nil
}

// Next waits for the next frame and returns its picture, its number and the
// moment it was taken. The picture is the source's, and drawn over by the next
// call. A source that can't keep up leaves frames out: numbers
// then skip, and the scene stays in step with the clock.
func (s *Source) Next(ctx context.Context) (*image.RGBA, uint64, time.Time, error) {
	if s.start.IsZero() {
		s.start = s.pacer.Now()
	}
	frame := s.next
	now := s.pacer.Now()
	if late := now.Sub(s.start.Add(time.Duration(frame) * s.period)); late >= s.period {
		frame += uint64(late / s.period)
	}
	t := time.Duration(frame) * s.period
	at := s.start.Add(t)
	if err := s.pacer.Sleep(ctx, at.Sub(now)); err != nil {
		return nil, 0, time.Time{}, err
	}
	if s.picture == nil {
		s.picture = image.NewRGBA(image.Rect(0, 0, s.renderer.cam.Width, s.renderer.cam.Height))
	}
	if err := s.renderer.renderInto(s.picture, s.scene(t), frame); err != nil {
		return nil, 0, time.Time{}, err
	}
	s.next = frame + 1
	return s.picture, frame, at, nil
}
