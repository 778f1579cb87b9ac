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

// surface knows the table's plane: it was given one, or it finds one from the
// first cards that lie free.
//
// Once found it stays: a plane that is bettered during a game would move every
// card on the board.
type surface struct {
	known    *calibration.Plane // nil: find the plane from the cards
	cardSize board.Size
	// patience is how many views with cards in them to wait for enough cards
	// to solve a tilted plane from, before a camera that looks straight down is
	// assumed.
	patience int
	log      *slog.Logger

	waited int
}

// plane returns the plane, or nil while it is not known yet.
func (s *surface) plane(img gocv.Mat, view board.View) *calibration.Plane {
	if s.known == nil {
		var err error
		if s.known, err = s.fromCards(calibration.ImageSize{Width: img.Cols(), Height: img.Rows()}, view); err != nil {
			s.log.Error("no table plane", "error", err)
		}
	}
	return s.known
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

// knownPlane is the plane that the settings tell, for pictures of a size: of a
// calibration made for it, or of a camera that looks straight down; nil when they
// tell none.
func knownPlane(cal *calibration.Calibration, size calibration.ImageSize, pxPerMM float64) (*calibration.Plane, error) {
	switch {
	case cal != nil:
		return cal.Plane()
	case pxPerMM > 0:
		return straightDown(size, pxPerMM)
	}
	return nil, nil
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
