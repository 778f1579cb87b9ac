package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/hardware/camera"
	"tabletop/vision/eval"
	"tabletop/web"
)

// debugEye keeps the newest frame and what was seen in it, for /debug, and the
// frame that /debug was given last, for it to be saved as a case.
type debugEye struct {
	cases eval.Folder

	mu     sync.Mutex
	newest shot
	shown  shot
	next   web.DebugFrame // what was seen in the frame that show will be given next
	closed bool
}

// shot is a picture with what was seen in it.
type shot struct {
	image gocv.Mat // owned
	have  bool
	frame web.DebugFrame // without the JPEG
}

// put takes a picture over in place of the one before.
func (s *shot) put(image gocv.Mat, frame web.DebugFrame) {
	s.drop()
	s.image, s.have, s.frame = image, true, frame
}

func (s *shot) drop() {
	if s.have {
		s.image.Close()
		s.have = false
	}
}

// Bounds of the folder for cases: some hundred frames of a camera of 1080 lines,
// more than anybody corrects.
const (
	maxCases     = 200
	maxCaseBytes = 1 << 30
)

// newDebugEye keeps cases in a folder; with no name for it, none are kept.
func newDebugEye(cases string) *debugEye {
	return &debugEye{cases: eval.Folder{Dir: cases, MaxCases: maxCases, MaxBytes: maxCaseBytes}}
}

// show takes the newest frame's picture over.
func (d *debugEye) show(f camera.Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		f.Image.Close()
		return
	}
	frame := d.next
	// Should nothing come of the next frame, nothing is said of it.
	d.next = web.DebugFrame{PlayArea: frame.PlayArea, Zones: frame.Zones}
	frame.Frame, frame.At = f.Seq, f.At
	frame.Width, frame.Height = f.Image.Cols(), f.Image.Rows()
	d.newest.put(f.Image, frame)
}

// saw takes what was seen in the frame that show will be given next.
func (d *debugEye) saw(l look, p *pipeline) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cards := make([]web.DebugCard, len(l.view.Cards))
	for i, o := range l.view.Cards {
		cards[i] = web.DebugCard{Observation: o}
	}
	d.next.Cards = cards
	d.next.Obscured = l.view.Obscured
	d.next.TimingsMS = map[string]float64{"frame": round(float64(l.took.Microseconds())/1000, 1)}
	if plane := p.surface.known; plane != nil && d.next.PlayArea == nil {
		d.next.PlayArea, d.next.Zones = inPixels(plane, p.tracker.Board().Layout)
	}
}

// inPixels draws the layout's play area and zones into the picture.
func inPixels(plane *calibration.Plane, layout board.Layout) (board.Polygon, []web.DebugZone) {
	if layout.Size.Width <= 0 {
		return nil, nil
	}
	outline := func(relative board.Polygon) board.Polygon {
		out := make(board.Polygon, len(relative))
		for i, p := range relative {
			out[i] = plane.Pixel(board.Point{X: p.X * layout.Size.Width, Y: p.Y * layout.Size.Height})
		}
		return out
	}
	zones := make([]web.DebugZone, len(layout.Zones))
	for i, z := range layout.Zones {
		zones[i] = web.DebugZone{ID: z.ID, Kind: z.Kind, Outline: outline(z.Outline)}
	}
	return outline(board.Polygon{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}), zones
}

// DebugFrame encodes the newest frame. It is asked only while somebody looks.
func (d *debugEye) DebugFrame(context.Context) (web.DebugFrame, error) {
	d.mu.Lock()
	if !d.newest.have {
		d.mu.Unlock()
		return web.DebugFrame{}, web.ErrNoFrame
	}
	// Encoding takes longer than copying, and the camera does not wait.
	img, frame := d.newest.image.Clone(), d.newest.frame
	d.mu.Unlock()
	jpeg, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, img, []int{gocv.IMWriteJpegQuality, 80})
	if err != nil {
		img.Close()
		return web.DebugFrame{}, err
	}
	defer jpeg.Close()
	d.mu.Lock()
	if d.closed {
		img.Close()
	} else {
		d.shown.put(img, frame)
	}
	d.mu.Unlock()
	frame.JPEG = append([]byte(nil), jpeg.GetBytes()...)
	return frame, nil
}

// SaveCase keeps the frame that was shown last, if it is the one of that number.
func (d *debugEye) SaveCase(_ context.Context, number uint64) (web.SavedCase, error) {
	if d.cases.Dir == "" {
		return web.SavedCase{}, errors.New("no folder for cases is set; name one in the configuration (cases: cases)")
	}
	d.mu.Lock()
	if !d.shown.have || d.shown.frame.Frame != number {
		d.mu.Unlock()
		return web.SavedCase{}, web.ErrFrameGone
	}
	img, frame := d.shown.image.Clone(), d.shown.frame
	d.mu.Unlock()
	defer img.Close()
	seen := make([]board.Observation, len(frame.Cards))
	for i, c := range frame.Cards {
		seen[i] = c.Observation
	}
	saved, err := d.cases.Save(img, frame.At, frame.Frame, seen)
	if err != nil {
		return web.SavedCase{}, err
	}
	return web.SavedCase{Image: absolute(saved.Image), Labels: absolute(saved.Labels), Cards: saved.Cards}, nil
}

// absolute is a path as a person on another machine can use it.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

func (d *debugEye) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.newest.drop()
	d.shown.drop()
}
