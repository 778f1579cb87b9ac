package calibration

import (
	"fmt"
	"math"
	"slices"

	"tabletop/board"
)

// Limits of Drift.
const (
	// BumpShapeMM: cards that came out this far from their true shape, in the
	// median, say that the camera was tilted, raised or zoomed.
	BumpShapeMM = 2.0
	// BumpShiftMM: resting cards whose corners all went this far, in the
	// median, say that the camera (or the table) was pushed or turned.
	BumpShiftMM = 4.0
	// bumpShare is the share of the cards that must have gone along: players
	// move a card or two at a time, a push moves all.
	bumpShare = 0.8
	// minDriftCards is how few cards may say anything.
	minDriftCards = 3
	// matchMM and matchDeg are how far a card may seem to have gone and turned
	// and still be taken for the same one.
	matchMM, matchDeg = 40, 15
)

// Drift is how well a plane still holds.
type Drift struct {
	Cards   int     // cards now seen
	ShapeMM float64 // median distance of their corners from those of rigid cards
	Matched int     // cards seen both before and now
	ShiftMM float64 // median way of their corners
	Bumped  bool    // calibrate again
	Reason  string  // why, when bumped
}

// Drift compares the plane with the free cards seen now (pixels) and, when
// there are any, with those seen before, at a time when it held. A bump shows
// in either of two ways: cards no longer come out as rectangles of the known
// size, or at least four in five of the cards that lie around have gone the
// way of one shift and turn. With fewer than three cards nothing is said. A playmat
// pulled aside looks like a pushed camera, and has the same remedy.
func (p *Plane) Drift(before, now []board.Quad, card board.Size) Drift {
	onTable := p.onTable(now)
	d := Drift{Cards: len(onTable)}
	if d.Cards < minDriftCards {
		return d
	}
	misfits := make([]float64, len(onTable))
	for i, q := range onTable {
		_, upright := fitRectangle(q, card)
		_, across := fitRectangle(q, board.Size{Width: card.Height, Height: card.Width})
		misfits[i] = min(upright, across)
	}
	d.ShapeMM = median(misfits)

	from, to := sameCards(p.onTable(before), onTable)
	d.Matched = len(from)
	if d.Matched >= minDriftCards {
		ways := make([]float64, len(from))
		for i := range from {
			ways[i] = to[i].Distance(from[i])
		}
		d.ShiftMM = median(ways)
		if went := movedTogether(from, to); d.ShiftMM > BumpShiftMM && float64(went) >= bumpShare*float64(d.Matched) {
			d.Bumped = true
			d.Reason = fmt.Sprintf("%d of %d cards went %.0f mm together: the camera or the table was pushed; calibrate again", went, d.Matched, d.ShiftMM)
		}
	}
	if d.ShapeMM > BumpShapeMM {
		d.Bumped = true
		d.Reason = fmt.Sprintf("%d cards come out %.1f mm away from %g × %g mm: the camera was moved, or the cards have another size; calibrate again", d.Cards, d.ShapeMM, card.Width, card.Height)
	}
	return d
}

// onTable maps the quads to mm, leaving out those beyond the horizon.
func (p *Plane) onTable(quads []board.Quad) []board.Quad {
	var mapped []board.Quad
	for _, q := range quads {
		if q = q.Map(p.MM); finite(q[:]) {
			mapped = append(mapped, q)
		}
	}
	return mapped
}

// sameCards returns the centres of the cards that are nearest to one another
// before and now, in both directions.
func sameCards(before, now []board.Quad) (from, to []board.Point) {
	for i, b := range before {
		j := nearestQuad(b, now)
		if j >= 0 && nearestQuad(now[j], before) == i {
			from = append(from, b.Centre())
			to = append(to, now[j].Centre())
		}
	}
	return from, to
}

// movedTogether is the largest number of places that one rigid motion of the
// table (a shift and a turn) takes from where they were to where they are, to
// within BumpShiftMM/2. The motions tried are those that pairs of places tell.
func movedTogether(from, to []board.Point) int {
	most := 0
	for i := range from {
		for j := range i {
			was, is := from[i].Sub(from[j]), to[i].Sub(to[j])
			if was.Norm() < matchMM || is.Norm() < matchMM { // too close to tell a turn
				continue
			}
			sin, cos := math.Sincos(math.Atan2(was.Cross(is), was.Dot(is)))
			n := 0
			for k := range from {
				v := from[k].Sub(from[j])
				moved := to[j].Add(board.Point{X: v.X*cos - v.Y*sin, Y: v.X*sin + v.Y*cos})
				if moved.Distance(to[k]) < BumpShiftMM/2 {
					n++
				}
			}
			most = max(most, n)
		}
	}
	return most
}

// nearestQuad is the nearest card that lies at nearly the same angle (a half
// turn counts as none), or -1.
func nearestQuad(q board.Quad, among []board.Quad) int {
	best, distance := -1, float64(matchMM)
	for i, other := range among {
		turn := math.Abs(board.AngleDiff(q.AngleDeg(), other.AngleDeg()))
		if d := q.Centre().Distance(other.Centre()); d < distance && min(turn, 180-turn) < matchDeg {
			best, distance = i, d
		}
	}
	return best
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
