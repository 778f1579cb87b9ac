package tracker

import (
	"math"
	"time"

	"tabletop/board"
	"tabletop/orientation"
)

// track is one physical card: a copy that has been reported, or a newcomer that
// may become one.
type track struct {
	serial int // order of appearance, for ties

	// As reported. number is 0 for a newcomer.
	number  int
	copy    board.Copy
	quarter orientation.Quarter

	// As last seen.
	last   board.Observation
	centre board.Point
	angle  float64
	modulo float64 // 360, or less when only that much is known of the angle
	outl   board.Quad
	side   board.Face // as last seen, before smoothing
	face   orientation.Face
	names  ballot
	rest   rest

	seen  bool // in this frame
	doubt bool // not recognised since it was last unseen, hidden or skipped
	trust int  // a newcomer's sightings less its misses

	rivalSince  time.Duration // since when another name than the reported one leads
	rival       board.CardID
	rivalFrames int

	homeHidden bool // in this frame, something hides where it was last reported
	// While it isn't seen.
	emptySince   time.Duration // first frame that showed its place empty
	clearSince   time.Duration // the same with no hand over the table
	emptyFrames  int           // frames with its place empty, hand or not
	clearFrames  int           // running, with no hand over the table
	stackedSince time.Duration
	stacked      bool // another card lies on it
	lifted       bool // its place has been seen empty for the settle time
	disputed     bool // more than one nameless newcomer could have been it
}

func (t *track) newcomer() bool { return t.number == 0 }

// name is the card it is taken for, or nil.
func (t *track) name() *board.CardRef {
	if t.copy.Card != nil {
		return t.copy.Card
	}
	return t.names.winner()
}

// home is where it was last reported, or for a newcomer where it is.
func (t *track) home() board.Point {
	if t.newcomer() {
		return t.centre
	}
	return t.copy.Pose.Centre
}

// homeQuad is the outline that belongs to home.
func (t *track) homeQuad() board.Quad {
	if t.newcomer() {
		return t.outl
	}
	return t.copy.Pose.Corners
}

// lookHome notes whether something hides the place a copy has left.
func (t *track) lookHome(veils []veil) {
	apart := t.centre.Distance(t.home()) > halfDiagonal(t.outl)
	t.homeHidden = apart && veiled(veils, t.homeQuad()) > 0
}

// distance is from the nearer of where it was last seen and where it was last
// reported: a card that seemed to move and didn't is looked for at home as well.
func (t *track) distance(p board.Point) float64 {
	return math.Min(t.centre.Distance(p), t.home().Distance(p))
}

// see takes a sighting. hidden says that most of it lies in an obscured place:
// such a sighting is followed but is not rest.
func (t *track) see(s sighting, now time.Duration) {
	sameFace := s.Face == t.face.Is() || s.Face == board.FaceUnknown
	angle, modulo := s.AngleDeg, s.AngleModulo
	if modulo < 360 && t.modulo == 360 && sameFace {
		// Its top was known and can't be seen just now; only a flip forgets it.
		angle, modulo = orientation.Unfold(angle, modulo, t.angle), 360
	}
	if s.Face != board.FaceUnknown {
		if t.side != "" && t.side != s.Face {
			t.rest = rest{}
		}
		t.side = s.Face
	}
	t.face = t.face.Observe(s.Face)
	t.names.see(s.Observation)
	t.last, t.centre, t.angle, t.modulo, t.outl = s.Observation, s.centre, angle, modulo, s.Corners
	if s.hidden {
		t.rest = rest{}
	} else {
		t.rest.see(s.centre, angle, modulo, now)
	}
	if name := t.name(); name == nil || s.Face == board.FaceDown || (s.Card != nil && s.Card.ID == name.ID) {
		t.doubt = false
	}
	t.seen, t.stacked, t.lifted, t.disputed = true, false, false, false
	t.emptyFrames, t.clearFrames = 0, 0
	if t.newcomer() {
		t.trust++
	}
}

// takeOver gives a reported copy the sightings of a newcomer that turned out to
// be it.
func (t *track) takeOver(n *track) {
	names := t.names
	names.add(n.names)
	kept := *t
	*t = *n
	t.serial, t.number, t.copy, t.quarter, t.names = kept.serial, kept.number, kept.copy, kept.quarter, names
	t.rival = ""
}

// rest is a stretch of time in which a card lay still, and how it lay.
type rest struct {
	since  time.Duration
	frames int
	weight float64
	centre board.Point
	angle  float64
	modulo float64
}

// Sightings further than this from the rest so far begin a new one. Both are
// above twice the jitter of a good view (±1.5 mm in x and y, ±2°).
const (
	restMM  = 5
	restDeg = 6
)

// maxRestWeight limits the mean to about the last sixteen sightings, so that a
// card pushed very slowly is followed.
const maxRestWeight = 16

func (r *rest) see(centre board.Point, angle, modulo float64, now time.Duration) {
	common := math.Min(modulo, r.modulo)
	if r.frames == 0 || r.centre.Distance(centre) > restMM || orientation.Diff(angle, r.angle, common) > restDeg {
		*r = rest{since: now, frames: 1, weight: 1, centre: centre, angle: angle, modulo: modulo}
		return
	}
	r.frames++
	r.weight = math.Min(r.weight+1, maxRestWeight)
	r.centre = r.centre.Add(centre.Sub(r.centre).Scale(1 / r.weight))
	switch {
	case modulo > r.modulo: // the first look at its top settles which way it lies
		r.angle, r.modulo = orientation.Unfold(r.angle, r.modulo, angle), modulo
	case modulo < r.modulo:
		angle = orientation.Unfold(angle, modulo, r.angle)
	}
	step := math.Remainder(angle-r.angle, r.modulo)
	r.angle = board.NormalizeDeg(r.angle + step/r.weight)
}

// ballot is the vote of a track's sightings on which card it is.
type ballot struct {
	votes []vote
	asked int // sightings of a face, named or not
}

type vote struct {
	card  board.CardRef
	count float64 // confidence, summed
}

const (
	// enough is what a name must have: more than any one sighting can give,
	// unless that one is most of what has been seen.
	enough      = 1.2
	enoughShare = 0.6
	// maxCount keeps a long-known name open to being overthrown.
	maxCount = 5
)

func (b *ballot) see(o board.Observation) {
	if o.Face == board.FaceDown {
		return
	}
	b.asked++
	if o.Card == nil {
		return
	}
	found := false
	for i := range b.votes {
		v := &b.votes[i]
		if v.card.ID == o.Card.ID {
			v.count, found = math.Min(v.count+o.Confidence, maxCount), true
		} else {
			v.count = math.Max(v.count-o.Confidence, 0)
		}
	}
	if !found {
		b.votes = append(b.votes, vote{*o.Card, o.Confidence})
	}
}

func (b *ballot) add(c ballot) {
	b.asked += c.asked
	b.votes = append([]vote(nil), b.votes...)
next:
	for _, v := range c.votes {
		for i := range b.votes {
			if b.votes[i].card.ID == v.card.ID {
				b.votes[i].count = math.Min(b.votes[i].count+v.count, maxCount)
				continue next
			}
		}
		b.votes = append(b.votes, v)
	}
}

// winner is the card that has enough votes and twice as many as any other.
func (b *ballot) winner() *board.CardRef {
	best, second := -1, 0.0
	for i, v := range b.votes {
		switch {
		case best < 0 || v.count > b.votes[best].count:
			if best >= 0 {
				second = b.votes[best].count
			}
			best = i
		case v.count > second:
			second = v.count
		}
	}
	if best < 0 {
		return nil
	}
	v := &b.votes[best]
	if v.count < math.Min(enough, enoughShare*float64(b.asked)) || v.count < 2*second {
		return nil
	}
	return &v.card // a vote's card is never changed
}

// open says that there are votes and no winner yet.
func (b *ballot) open() bool { return len(b.votes) > 0 && b.winner() == nil }
