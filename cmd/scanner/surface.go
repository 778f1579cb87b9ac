package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
)

// surface knows the table's plane: from the calibration, or, where there is
// none, from the first cards that lie free.
//
// Once found it stays: a plane that is bettered during a game would move every
// card on the board.
type surface struct {
	cal      *calibration.Calibration // nil: find the plane from the cards
	cardSize board.Size
	pxPerMM  float64 // a camera that looks straight down, when above 0
	// patience is how many views with cards in them to wait for enough cards
	// to solve a tilted plane from, before a camera that looks straight down is
	// assumed.
	patience int
	log      *slog.Logger

	known   *calibration.Plane
	waited  int
	refused error // the calibration does not fit the camera's picture
}

// plane returns the plane, or nil while it is not known yet.
func (s *surface) plane(img gocv.Mat, view board.View) *calibration.Plane {
	if s.known != nil || s.refused != nil {
		return s.known
	}
	size := calibration.ImageSize{Width: img.Cols(), Height: img.Rows()}
	var err error
	switch {
	case s.cal != nil:
		s.known, err = s.calibrated(size)
		s.refused = err
	case s.pxPerMM > 0:
		s.known, err = straightDown(size, s.pxPerMM)
		s.refused = err
	default:
		s.known, err = s.fromCards(size, view)
	}
	if err != nil {
		s.log.Error("no table plane", "error", err)
	}
	return s.known
}

func (s *surface) calibrated(size calibration.ImageSize) (*calibration.Plane, error) {
	scaled, err := s.cal.ForImage(size)
	if err != nil {
		return nil, err
	}
	return scaled.Plane()
}

func (s *surface) fromCards(size calibration.ImageSize, view board.View) (*calibration.Plane, error) {
	free := calibration.FreeCards(view.Cards)
	if len(free) == 0 {
		return nil, nil
	}
	fit, err := calibration.FitCards(size, free, s.cardSize, nil)
	if err == nil {
		visible, err := fit.Visible()
		if err != nil {
			return nil, err
		}
		corners, err := fit.Corners(visible)
		if err != nil {
			return nil, err
		}
		s.log.Info("table plane found from the cards", "cards", len(fit.Used), "residual_mm", round(fit.ResidualMM, 2))
		return calibration.NewPlane(corners, visible, nil)
	}
	if !errors.Is(err, calibration.ErrTooFewCards) && !errors.Is(err, calibration.ErrInconsistent) {
		return nil, err
	}
	if s.waited++; s.waited < s.patience {
		return nil, nil
	}
	// Good enough to tell turns by; distances are off where the camera tilts.
	var scale float64
	for _, q := range free {
		scale += math.Sqrt(q.Area() / (s.cardSize.Width * s.cardSize.Height))
	}
	scale /= float64(len(free))
	s.log.Warn("too few cards to find the table plane from: taking the camera to look straight down; calibrate it for zones and exact places",
		"cards", len(free), "px_per_mm", round(scale, 2))
	return straightDown(size, scale)
}

// straightDown is the plane of a camera right above the table, the whole
// picture its play area.
func straightDown(size calibration.ImageSize, pxPerMM float64) (*calibration.Plane, error) {
	w, h := float64(size.Width), float64(size.Height)
	picture := board.Quad{{X: 0, Y: 0}, {X: w, Y: 0}, {X: w, Y: h}, {X: 0, Y: h}}
	plane, err := calibration.NewPlane(picture, board.Size{Width: w / pxPerMM, Height: h / pxPerMM}, nil)
	if err != nil {
		return nil, fmt.Errorf("a picture of %v at %g px/mm: %w", size, pxPerMM, err)
	}
	return plane, nil
}

func round(v float64, digits int) float64 {
	f := math.Pow(10, float64(digits))
	return math.Round(v*f) / f
}
