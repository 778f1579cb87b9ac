// Package orientation turns what a camera measures of a card, a continuous
// angle and one face a frame, into what a player means by it: one of four
// quarter turns as seen from a seat, and a face that does not flicker.
//
// It is pure: no clock, no I/O, no memory but the small values it hands back.
// It refuses to guess. An angle near 45° is "between" and has no turn; a card
// whose back looks the same both ways has an axis but no turn; a face that
// was seen once is not yet a change of face. What a turn means in a game is
// not known here.
package orientation

import (
	"math"

	"tabletop/board"
)

// How far, in degrees, an angle may lie from a quarter turn.
//
// The border between two turns is at 45°. A turn is taken from up to TakeDeg
// away and, once taken, kept up to KeepDeg away. What lies further than TakeDeg
// from every turn is between: [35°,55°] for a reading without memory. KeepDeg is
// past the border, so a card that lies at 44° and is measured as 46° in every
// other frame keeps the turn it had.
const (
	TakeDeg = 35
	KeepDeg = 50
)

// Relative is an angle as the player of a seat sees it: angleDeg is clockwise
// from the image's up, upDeg is board.Seat.UpDeg. The result is in [0,360).
func Relative(angleDeg, upDeg float64) float64 { return board.NormalizeDeg(angleDeg - upDeg) }

// Unfold chooses, among the angles that angleDeg stands for when it is known
// only modulo so many degrees, the one nearest to nearDeg; in [0,360). A card
// that has not moved since its angle was known in full keeps that angle so,
// also while only its axis can be seen. modulo 0 or 360 leaves the angle alone.
func Unfold(angleDeg, modulo, nearDeg float64) float64 {
	if modulo <= 0 || modulo >= 360 {
		return board.NormalizeDeg(angleDeg)
	}
	return board.NormalizeDeg(angleDeg + modulo*math.Round(board.AngleDiff(nearDeg, angleDeg)/modulo))
}

// Diff is the smallest turn, in degrees, between two angles of which at least
// one is known only modulo so many degrees; in [0,modulo/2]. modulo 0 means 360.
func Diff(a, b, modulo float64) float64 {
	if modulo <= 0 {
		modulo = 360
	}
	return math.Abs(math.Remainder(a-b, modulo))
}

// Axis is the direction of a card's long way without its sense: what a back
// that looks the same both ways still tells.
type Axis uint8

// The axes, relative to a seat's up.
const (
	AxisUnknown Axis = iota // between, or not measured
	AxisAlong               // printed top towards or away from the player
	AxisAcross              // printed top to the left or right
)

// Quarter is a reading of a card's quarter turn that remembers, so that it has
// hysteresis. It is a value: Observe returns the next reading and leaves the
// old one as it is. The zero Quarter knows nothing.
type Quarter struct {
	sector uint8 // 0: no turn known; n: n-1 quarter turns clockwise
	axis   Axis
}

// Turn is the quarter turn, or board.TurnUnknown.
func (q Quarter) Turn() board.Turn {
	if q.sector == 0 {
		return board.TurnUnknown
	}
	return board.Turn(q.sector-1) * 90
}

// Axis is the axis, which may be known while the turn is not.
func (q Quarter) Axis() Axis { return q.axis }

// Observe returns the reading after an angle relative to the seat's up (see
// Relative) was measured, known modulo 360, 180 or less (0 means 360).
//
// Modulo 180 gives the axis and no turn; below 180 gives neither. Otherwise a
// turn known before stays while the angle is within KeepDeg of it, another is
// taken within TakeDeg of it, and between them there is none.
func (q Quarter) Observe(relativeDeg, modulo float64) Quarter {
	if modulo > 0 && modulo < 180 {
		return Quarter{}
	}
	if modulo > 0 && modulo < 360 {
		return Quarter{axis: q.nextAxis(relativeDeg)}
	}
	if q.sector > 0 && Diff(relativeDeg, float64(q.Turn()), 360) <= KeepDeg {
		return q
	}
	turn := board.NearestTurn(relativeDeg)
	if Diff(relativeDeg, float64(turn), 360) > TakeDeg {
		return Quarter{}
	}
	return Quarter{sector: uint8(turn/90) + 1, axis: axisOf(turn)}
}

func (q Quarter) nextAxis(relativeDeg float64) Axis {
	fromAlong := Diff(relativeDeg, 0, 180)
	fromAcross := 90 - fromAlong
	switch {
	case q.axis == AxisAlong && fromAlong <= KeepDeg, fromAlong <= TakeDeg:
		return AxisAlong
	case q.axis == AxisAcross && fromAcross <= KeepDeg, fromAcross <= TakeDeg:
		return AxisAcross
	}
	return AxisUnknown
}

func axisOf(t board.Turn) Axis {
	if t%180 == 0 {
		return AxisAlong
	}
	return AxisAcross
}

// TurnOf is a reading without memory: the quarter turn of an angle relative to
// a seat's up, or board.TurnUnknown when it lies between two or is known only
// modulo 180 or less.
func TurnOf(angleDeg, modulo, upDeg float64) board.Turn {
	return Quarter{}.Observe(Relative(angleDeg, upDeg), modulo).Turn()
}

// Face is a face that does not flicker: another face must be seen Hold times
// running to be taken. FaceUnknown is no evidence: it neither counts nor breaks
// a run, because a view too poor to tell the face does not turn a card over.
// The zero Face is unknown and takes the first face it sees.
type Face struct {
	is, rival board.Face
	run       int
}

// Hold is how often running another face must be seen before it is taken: once
// may be a glare, a misread or a frame caught mid-turn.
const Hold = 2

// Is returns the face.
func (f Face) Is() board.Face {
	if f.is == "" {
		return board.FaceUnknown
	}
	return f.is
}

// Observe returns the face after one more frame showed seen.
func (f Face) Observe(seen board.Face) Face {
	switch {
	case seen == board.FaceUnknown || seen == "":
		return f
	case f.is == "" || seen == f.is:
		return Face{is: seen}
	case seen != f.rival:
		return Face{is: f.is, rival: seen, run: 1}
	case f.run+1 >= Hold:
		return Face{is: seen}
	}
	f.run++
	return f
}
