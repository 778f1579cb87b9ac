package tablesim

import (
	"tabletop/board"
)

// Camera is where the camera is and how its lens draws.
//
// It is a pinhole camera with the radial distortion of OpenCV's model
// (x' = x·(1 + K1·r² + K2·r⁴) in normalised image coordinates) and square
// pixels. It looks at the middle of Area. The focal length follows from Height
// and Area: seen straight down without distortion, Area just fits the picture.
type Camera struct {
	Width, Height int // of the picture, px

	// Area is the play area in millimetres, with its origin at the top-left
	// corner as the camera sees it. The table goes on beyond it.
	Area board.Size

	// DistanceMM is the distance from the camera to the middle of Area.
	DistanceMM float64

	// TiltDeg is the angle between the optical axis and the vertical, and
	// TiltTowardsDeg the side of the table the camera stands away at, clockwise
	// from up: 180 is a camera that stands nearer to the bottom edge and looks
	// up the table.
	TiltDeg, TiltTowardsDeg float64

	// RollDeg turns the picture around the optical axis, clockwise.
	RollDeg float64

	// K1 and K2 are the lens's radial distortion.
	K1, K2 float64
}
