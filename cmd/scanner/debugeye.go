package main

import (
	"context"
	"sync"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/hardware/camera"
	"tabletop/web"
)

// debugEye keeps the newest frame and what was seen in it, for /debug.
type debugEye struct {
	mu     sync.Mutex
	image  gocv.Mat // owned
	have   bool
	closed bool
	frame  web.DebugFrame // without the JPEG
}

func newDebugEye() *debugEye { return &debugEye{} }

// show takes the newest frame's picture over.
func (d *debugEye) show(f camera.Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.have {
		d.image.Close()
		d.have = false
	}
	if d.closed {
		f.Image.Close()
		return
	}
	d.image, d.have = f.Image, true
	d.frame.Frame, d.frame.At = f.Seq, f.At
	d.frame.Width, d.frame.Height = f.Image.Cols(), f.Image.Rows()
}

// saw takes what was seen in the frame that show will be given next.
func (d *debugEye) saw(l look, p *pipeline) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cards := make([]web.DebugCard, len(l.view.Cards))
	for i, o := range l.view.Cards {
		cards[i] = web.DebugCard{Observation: o}
	}
	d.frame.Cards = cards
	d.frame.Obscured = l.view.Obscured
	d.frame.TimingsMS = map[string]float64{"frame": round(float64(l.took.Microseconds())/1000, 1)}
	if plane := p.surface.known; plane != nil && d.frame.PlayArea == nil {
		d.frame.PlayArea, d.frame.Zones = inPixels(plane, p.tracker.Board().Layout)
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
	if !d.have {
		d.mu.Unlock()
		return web.DebugFrame{}, web.ErrNoFrame
	}
	// Encoding takes longer than copying, and the camera does not wait.
	img, frame := d.image.Clone(), d.frame
	d.mu.Unlock()
	defer img.Close()
	jpeg, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, img, []int{gocv.IMWriteJpegQuality, 80})
	if err != nil {
		return web.DebugFrame{}, err
	}
	defer jpeg.Close()
	frame.JPEG = append([]byte(nil), jpeg.GetBytes()...)
	return frame, nil
}

func (d *debugEye) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.have {
		d.image.Close()
		d.have = false
	}
}
