package web

import (
	"context"
	"errors"
	"time"

	"tabletop/board"
)

// ErrNoFrame says that there is no camera picture (yet).
var ErrNoFrame = errors.New("there is no camera picture yet")

// DebugSource shows what the program sees; the live program implements it.
type DebugSource interface {
	// DebugFrame returns the newest picture with what was read from it, or
	// ErrNoFrame. It is asked only while somebody looks, so that encoding a JPEG
	// costs nothing otherwise.
	DebugFrame(ctx context.Context) (DebugFrame, error)
}

// DebugFrame is one camera picture and what was read from it. All places are
// in pixels of the picture.
type DebugFrame struct {
	Frame     uint64             `json:"frame"` // number of the frame
	At        time.Time          `json:"at"`
	Width     int                `json:"width"`
	Height    int                `json:"height"`
	JPEG      []byte             `json:"jpeg"`                // base64 in JSON
	Cards     []DebugCard        `json:"cards"`               // what vision found in this frame
	Zones     []DebugZone        `json:"zones"`               // where calibration says they are
	PlayArea  board.Polygon      `json:"play_area,omitempty"` // outline of the calibrated plane
	Obscured  []board.Polygon    `json:"obscured,omitempty"`  // of which the frame says nothing
	TimingsMS map[string]float64 `json:"timings_ms,omitempty"`
	Notes     []string           `json:"notes,omitempty"` // such as "the camera moved"
}

// DebugCard is one card found in a frame.
type DebugCard struct {
	board.Observation
	Copy board.CopyID `json:"copy,omitempty"` // the tracker's, if it follows it
}

// DebugZone is a zone as the camera sees it.
type DebugZone struct {
	ID      board.ZoneID   `json:"id"`
	Kind    board.ZoneKind `json:"kind"`
	Outline board.Polygon  `json:"outline"`
}
