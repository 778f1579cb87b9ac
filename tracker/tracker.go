package tracker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"tabletop/board"
)

// Options sets a tracker up. The zero value of each field takes the default.
type Options struct {
	// Layout is the table: seats and zones. Without seats, turns are relative
	// to the image's up and copies have no owner.
	Layout board.Layout

	// Settle is how long a copy must lie still, or its place be seen empty,
	// before that is reported: 250 ms by default, by the views' times.
	Settle time.Duration

	// SettleFrames, above 0, counts views in place of Settle: for stills that
	// are not evenly spaced in time. A newcomer that is covered after it was
	// seen counts on, because nothing contradicts it.
	SettleFrames int

	// MoveMM is how far a copy's centre must be from where it was reported to
	// have moved: 8 mm by default.
	MoveMM float64

	// Carry is how long a copy that has left its place may be on its way in a
	// hand that is seen over the table before it counts as removed: 3 s by
	// default.
	Carry time.Duration
}

// Distances in millimetres and times that do not depend on the user.
const (
	// placeMM is how far a sighting may be from a copy to be in place.
	placeMM = 8
	// reachMM is how far a hand moves a card between two frames.
	reachMM = 150
	// flipMM is how far a card slides while it is turned over.
	flipMM = 35
	// misreadMM and misreadDeg are how little a copy may seem to move for
	// another name to be a misread of it.
	misreadMM  = 4
	misreadDeg = 6
	// gap is the longest time between two views in which no hand can come, put
	// a card down and leave unseen.
	gap = 500 * time.Millisecond
	// handMM2 is the least area of something that could carry a card: dice and
	// tokens are smaller, a card and any hand are not.
	handMM2 = 2000
	// stackedShare is how much of a copy another must cover for its not being
	// seen to mean nothing.
	stackedShare = 0.5
	// buriedShare is how much of a sighting must lie in obscured places, and
	// how little of it be visible, for it to be no evidence of rest.
	buriedShare = 0.5
	// returnWithin is how long a removed copy's id is kept for a card of the
	// same name to come back to.
	returnWithin = 5 * time.Second
	// massVanish is the least number of copies that make a mass.
	massVanish = 4
)

// Tracker follows one table. It is not safe for use by several goroutines at
// once.
type Tracker struct {
	o Options

	lastAt  time.Time
	now     time.Duration // sum of the steps between views; never goes back
	started bool

	tracks   []*track // reported ones by number, then newcomers by appearance
	numbers  int
	serials  int
	departed []departed
	obscured []veil // in the last view
	named    bool   // a catalogue is at work: some sighting had a name

	grid grid
}

// departed is a copy that was removed lately.
type departed struct {
	copy   board.Copy
	number int
	at     time.Duration
}

// New returns a tracker over an empty table.
func New(o Options) *Tracker {
	if o.Settle <= 0 {
		o.Settle = 250 * time.Millisecond
	}
	if o.MoveMM <= 0 {
		o.MoveMM = 8
	}
	if o.Carry <= 0 {
		o.Carry = 3 * time.Second
	}
	return &Tracker{o: o}
}

// sighting is an observation with what the tracker worked out about it.
type sighting struct {
	board.Observation
	centre board.Point
	veiled float64       // how much of it lies in obscured places
	still  time.Duration // since when it has lain as it does, as far as that counts
	bound  bool
}

// hidden says that little of it can be seen and that the rest lies in obscured
// places, so that it is no evidence of rest.
func (s *sighting) hidden() bool { return s.veiled >= buriedShare && s.Visible < buriedShare }

// Observe takes the next view and returns the changes that came to rest with
// it, ordered by when the rest began, then by copy; changes of one copy follow
// one another in the order of board.ChangeKind's list and share Before and
// After. A view that is older than the one before it counts as taken at the
// same moment. Observations whose corners are not a convex clockwise quad are
// ignored.
func (t *Tracker) Observe(v board.View) []board.Change {
	skipped := t.advance(v.At)
	veils, over, hand := t.veils(v.Obscured)
	sightings := t.sightings(v, over)

	for _, k := range t.tracks {
		k.seen = false
		k.doubt, k.touched = k.doubt || skipped, k.touched || skipped
	}
	t.associate(sightings, veils)
	t.miss(veils, hand)
	t.reunite(veils)
	t.tracks = slices.DeleteFunc(t.tracks, func(k *track) bool { return k.newcomer() && k.trust <= 0 })
	return t.report(v.At)
}

// veils are the obscured places of a view: all of them, those that say nothing
// of what lies above (a place that is obscured because a card in it is covered
// tells nothing against the card on top), and whether one of them may be a hand
// that carries a card: big enough, and not as it has been for the carry time,
// as a mug or a phone is.
func (t *Tracker) veils(obscured []board.Polygon) (all, over []veil, hand bool) {
	for _, p := range obscured {
		v := newVeil(p)
		v.since = t.now
		if i := slices.IndexFunc(t.obscured, v.like); i >= 0 {
			v.since = t.obscured[i].since
		}
		all = append(all, v)
		if slices.ContainsFunc(t.tracks, v.isPlaceOf) {
			continue
		}
		over = append(over, v)
		hand = hand || (math.Abs(p.Area()) >= handMM2 && t.now-v.since < t.o.Carry)
	}
	t.obscured = all
	return all, over, hand
}

// advance moves the time on and says whether there was a gap before this view.
func (t *Tracker) advance(at time.Time) bool {
	step := time.Duration(0)
	if t.started {
		step = max(at.Sub(t.lastAt), 0)
	}
	t.started, t.lastAt = true, at
	t.now += step
	return step > gap || t.o.SettleFrames > 0
}

// sightings are the usable observations in an order that does not depend on
// the order they came in.
func (t *Tracker) sightings(v board.View, veils []veil) []sighting {
	s := make([]sighting, 0, len(v.Cards))
	for _, o := range v.Cards {
		if !o.Corners.IsConvex() || math.IsNaN(o.AngleDeg) {
			continue
		}
		if o.AngleModulo <= 0 {
			o.AngleModulo = 360
		}
		if o.Visible <= 0 {
			o.Visible = 1
		}
		if o.Face == "" {
			o.Face = board.FaceUnknown
		}
		o.AngleDeg = board.NormalizeDeg(o.AngleDeg)
		t.named = t.named || o.Card != nil
		still := t.now
		if !o.StillSince.IsZero() {
			// No further back than it takes to settle: it still must be seen twice.
			still -= min(max(v.At.Sub(o.StillSince), 0), t.o.Settle)
		}
		s = append(s, sighting{Observation: o, centre: o.Corners.Centre(), veiled: veiled(veils, o.Corners), still: still})
	}
	slices.SortStableFunc(s, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.centre.Y, b.centre.Y), cmp.Compare(a.centre.X, b.centre.X), cmp.Compare(a.AngleDeg, b.AngleDeg))
	})
	return s
}

// miss keeps account of what was not seen.
func (t *Tracker) miss(veils []veil, hand bool) {
	expected, missing := 0, 0
	for _, k := range t.tracks {
		if k.seen {
			if !k.newcomer() {
				expected++
				k.lookHome(veils)
			}
			continue
		}
		k.doubt, k.touched = true, true
		k.unseen++
		covered := !k.lifted && (veiled(veils, k.homeQuad()) > 0 || veiled(veils, k.outl) > 0)
		if k.newcomer() {
			t.missNewcomer(k, covered)
			continue
		}
		k.handled = k.handled || covered
		if !covered {
			stacked := !k.lifted && t.stackedOn(k)
			if stacked && !k.stacked {
				k.stackedSince = t.now
			}
			k.stacked = stacked
		}
		if covered || k.stacked {
			k.emptyFrames, k.clearFrames = 0, 0
			continue
		}
		expected++
		missing++
		if k.emptyFrames == 0 {
			k.emptySince = t.now
		}
		k.emptyFrames++
		if hand {
			k.clearFrames = 0
		} else {
			if k.clearFrames == 0 {
				k.clearSince = t.now
			}
			k.clearFrames++
		}
		k.lifted = k.lifted || t.settled(k.emptyFrames, k.emptySince, k.patience())
	}
	if missing >= massVanish && 2*missing > expected {
		for _, k := range t.tracks {
			k.clearFrames = 0
		}
	}
}

// missNewcomer takes trust from a newcomer that is not seen where it was: all
// of it in time, also while it is covered, and at once where another card is
// seen in its place.
func (t *Tracker) missNewcomer(k *track, covered bool) {
	switch {
	case !covered, t.stackedOn(k):
		k.trust--
	case t.o.SettleFrames > 0 && k.rest.frames > 0:
		k.rest.frames++
	case k.unseen == 1:
		k.hiddenSince, k.rest = t.now, rest{}
	case t.now-k.hiddenSince > t.o.Carry:
		k.trust = 0
	}
}

// settled says whether what has been so for so many frames since a moment has
// been so for the settle time, or a multiple of it. It takes two frames at
// least, unless the user counts frames and wants fewer.
func (t *Tracker) settled(frames int, since time.Duration, times int) bool {
	if t.o.SettleFrames > 0 {
		return frames >= times*t.o.SettleFrames
	}
	return frames >= 2 && t.now-since >= time.Duration(times)*t.o.Settle
}

func (t *Tracker) atRest(k *track, times int) bool {
	return t.settled(k.rest.frames, k.rest.since, times)
}

// patience is how many settle times a copy's place must be seen empty: more for
// one that views are known to miss and that nothing came near.
func (k *track) patience() int {
	if k.flickers && !k.handled {
		return 4
	}
	return 1
}

// gone says whether a copy that isn't seen has been removed.
func (t *Tracker) gone(k *track) bool {
	if k.newcomer() || k.seen || !k.lifted {
		return false
	}
	if k.clearFrames > 0 && t.settled(k.clearFrames, k.clearSince, k.patience()) {
		return true
	}
	return t.now-k.emptySince >= t.o.Carry
}

// stackedOn says whether another card that is seen covers most of k's place.
func (t *Tracker) stackedOn(k *track) bool {
	place := k.homeQuad()
	centre, reach := place.Centre(), halfDiagonal(place)
	var over []board.Quad
	for _, c := range t.tracks {
		if c != k && c.seen && c.centre.Distance(centre) < reach+halfDiagonal(c.outl) {
			over = append(over, c.outl)
		}
	}
	if len(over) == 0 {
		return false
	}
	return share(place, func(p board.Point) bool {
		return slices.ContainsFunc(over, func(q board.Quad) bool { return q.Contains(p) })
	}) >= stackedShare
}

// Copies returns the reported copies in the order of their ids.
func (t *Tracker) Copies() []board.Copy {
	var out []board.Copy
	for _, k := range t.tracks {
		if !k.newcomer() {
			out = append(out, k.copy)
		}
	}
	return out
}

// Board returns the reported copies over the layout, with no findings. It is
// what the changes given so far add up to.
func (t *Tracker) Board() board.Board {
	b := board.NewBoard(t.o.Layout)
	for _, c := range t.Copies() {
		b.Copies[c.ID] = c
	}
	return b
}

func copyID(number int) board.CopyID { return board.CopyID(fmt.Sprintf("c%d", number)) }
