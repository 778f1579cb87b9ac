package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
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

// CaseSaver is a DebugSource that can keep a frame with what was read from it,
// as a case to score the program against.
type CaseSaver interface {
	// SaveCase keeps the frame of a number, in full, as DebugFrame returned it
	// last. It returns ErrFrameGone when that frame is not held any more, or an
	// error that tells a person what is wrong with the place it is kept in.
	SaveCase(ctx context.Context, frame uint64) (SavedCase, error)
}

// ErrFrameGone says that a frame is not held any more.
var ErrFrameGone = errors.New("this frame is gone: newer ones were shown since, perhaps on another page; look again and save what you see then")

// SavedCase says where a frame was kept.
type SavedCase struct {
	Image  string `json:"image"`  // path of the picture, on the program's machine
	Labels string `json:"labels"` // path of what was read from it, for a person to correct
	Cards  int    `json:"cards"`  // how many
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

// caseRequestLimit bounds the body of a request to keep a frame, in bytes.
const caseRequestLimit = 1 << 10

// debugRoutes are what the debug page can do beside looking.
func (s *Server) debugRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /debug/case", s.saveCase)
}

// maySaveCases says whether a request may write to the program's disk: an
// operator's, or, where there are no tokens, that of a browser on this machine.
func (s *Server) maySaveCases(r *http.Request) bool {
	if len(s.tokens) == 0 {
		return atThisMachine(r)
	}
	return s.tokens.ofRequest(r) == RoleOperator
}

// saveCase keeps the frame that a page shows. Pages of other sites can't ask for
// it, though they may send a request in the operator's name.
func (s *Server) saveCase(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if http.NewCrossOriginProtection().Check(r) != nil {
		http.Error(w, "Frames are saved from this server's own debug page.", http.StatusForbidden)
		return
	}
	if !s.maySaveCases(r) {
		http.Error(w, "Only operators may save frames: log in at /login with an operator's token.", http.StatusForbidden)
		return
	}
	saver, ok := s.options.Debug.(CaseSaver)
	if !ok {
		http.Error(w, "Frames are not saved in this run.", http.StatusNotFound)
		return
	}
	var asked struct {
		Frame *uint64 `json:"frame"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, caseRequestLimit)).Decode(&asked); err != nil || asked.Frame == nil {
		http.Error(w, `Say which frame to save: {"frame": NUMBER}, as in the picture that is shown.`, http.StatusBadRequest)
		return
	}
	saved, err := saver.SaveCase(r.Context(), *asked.Frame)
	switch {
	case errors.Is(err, ErrNoFrame), errors.Is(err, ErrFrameGone):
		http.Error(w, "Nothing was saved: "+err.Error()+".", http.StatusConflict)
		return
	case err != nil:
		s.options.Logger.Error("a frame can't be saved as a case", "frame", *asked.Frame, "error", err)
		http.Error(w, "Nothing was saved: "+err.Error()+".", http.StatusInternalServerError)
		return
	}
	s.options.Logger.Info("a frame was saved as a case", "frame", *asked.Frame, "labels", saved.Labels)
	s.writeJSON(w, http.StatusCreated, saved)
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
