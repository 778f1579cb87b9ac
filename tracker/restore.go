package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tabletop/board"
	"tabletop/orientation"
)

// Restore goes on from copies that an earlier tracker of the same table
// reported, after the program was started again. It is for a new tracker,
// before its first view. Copies that no longer lie where they were are found
// again, or removed, as if they had been covered meanwhile.
//
// given are the ids that were ever given at this table, in any order; those of
// copies may stand among them or not. None is given again: findings, prompts and
// declarations go on naming copies that have left the table.
//
// It returns an error, and takes none of them, when an id is not one that a
// tracker gives.
func (t *Tracker) Restore(copies []board.Copy, given []board.CopyID) error {
	tracks := make([]*track, 0, len(copies))
	highest := 0
	for _, c := range copies {
		number, err := numberOf(c.ID)
		if err != nil {
			return err
		}
		highest = max(highest, number)
		tracks = append(tracks, t.restored(c, number))
	}
	for _, id := range given {
		number, err := numberOf(id)
		if err != nil {
			return err
		}
		highest = max(highest, number)
	}
	slices.SortFunc(tracks, func(a, b *track) int { return cmp.Compare(a.number, b.number) })
	for i, k := range tracks {
		k.serial = i + 1
	}
	t.tracks, t.numbers, t.serials = tracks, highest, len(tracks)
	return nil
}

// numberOf is the number in an id that a tracker gave.
func numberOf(id board.CopyID) (int, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(string(id), "c"))
	if err != nil || number < 1 || copyID(number) != id {
		return 0, fmt.Errorf("tracker: copy %q can't be gone on with: ids are c1, c2, …", id)
	}
	return number, nil
}

// restored is a copy as if it had just been seen where it was last reported.
func (t *Tracker) restored(c board.Copy, number int) *track {
	p := c.Pose
	seat, _ := t.o.Layout.Seat(c.Controller)
	k := &track{
		number: number, copy: c,
		quarter: orientation.Quarter{}.Observe(orientation.Relative(p.AngleDeg, seat.UpDeg), p.AngleModulo),
		last: board.Observation{
			Corners: p.Corners, AngleDeg: p.AngleDeg, AngleModulo: p.AngleModulo, Rotation: p.Rotation, Face: p.Face,
			Card: c.Card, Back: c.Back, Confidence: p.Confidence, Visible: p.Visible,
		},
		centre: p.Centre, angle: p.AngleDeg, modulo: p.AngleModulo, outl: p.Corners,
		side:  p.Face,
		face:  orientation.Face{}.Observe(p.Face),
		doubt: true, touched: true,
	}
	if p.Rotation.Known() { // also where only hysteresis says so
		k.quarter = orientation.Quarter{}.Observe(float64(p.Rotation), 360)
	}
	if c.Card != nil {
		k.names.votes = []vote{{*c.Card, enough}}
	}
	return k
}
