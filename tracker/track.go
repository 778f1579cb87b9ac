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

	seen   bool // in this frame
	seenAt time.Duration
	doubt  bool // not recognised since it was last unseen or skipped
	// touched says that somebody may have handled it since it last lay as
	// reported: something came near, or it was seen in some other pose.
	touched bool
	veiled  bool // something obscured part of it when it was last seen
	trust   int  // a newcomer's sightings less its misses

	rivalSince  time.Duration // since when another name than the reported one leads
	rival       board.CardID
	rivalFrames int

	homeHidden bool // in this frame, something hides where it was last reported

	// While it isn't seen.
	unseen       int           // frames
	hiddenSince  time.Duration // a newcomer's
	emptySince   time.Duration // first frame that showed its place empty
	clearSince   time.Duration // the same with no hand over the table
	emptyFrames  int           // frames with its place empty, hand or not
	clearFrames  int           // running, with no hand over the table
	stackedSince time.Duration
	stacked      bool // another card lies on it
	handled      bool // something came over it since it was last seen whole
	flickers     bool // it came back after its place seemed empty, not long ago
	steady       int  // frames it has been seen running since
	lifted       bool // its place has been seen empty for the settle time
	disputed     bool // more than one nameless newcomer could have been it
}

func (t *track) newcomer() bool { return t.number == 0 }

// name is the card it is taken for when sightings are compared with it, or nil.
func (t *track) name() *board.CardRef {
	if t.copy.Card != nil {
		return t.copy.Card
	}
	return t.names.winner(enough)
}

// settledName is the card to report one without a name as: at rest, the little
// that has been seen of it may be enough.
func (t *track) settledName() *board.CardRef {
	return t.names.winner(math.Min(enough, enoughShare*float64(t.names.asked)))
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

// see takes a sighting. Most of a card being hidden is no rest, for it may be on
// its way in the hand that hides it; stills says that views are so far apart
// that a card in the same place in two of them lies there.
func (t *track) see(s sighting, stills bool, now time.Duration) {
	disturbed := t.veiled || t.unseen > 0
	// When it was last seen it lay otherwise, or rest goes on from before.
	since := max(s.still, t.seenAt)
	angle, modulo := t.read(s)
	t.seeFace(s)
	t.names.see(s.Observation)
	t.last, t.centre, t.angle, t.modulo, t.outl = s.Observation, s.centre, angle, modulo, s.Corners
	if s.hidden() && !stills {
		t.rest = rest{}
	} else {
		t.rest.see(s.centre, angle, modulo, disturbed, since)
	}
	t.veiled = s.veiled > 0
	t.touched = t.touched || t.veiled || !t.asReported(upsideDown)
	if name := t.name(); name == nil || s.Face == board.FaceDown || (s.Card != nil && s.Card.ID == name.ID) {
		t.doubt = false
	}
	t.appear(now)
}

// read is the angle of a sighting, with its sense kept from before where only
// its axis can be seen just now; a flip or another place forgets the sense.
func (t *track) read(s sighting) (angle, modulo float64) {
	sameFace := s.Face == t.face.Is() || s.Face == board.FaceUnknown
	if s.AngleModulo < 360 && t.modulo == 360 && sameFace && t.distance(s.centre) <= placeMM {
		return orientation.Unfold(s.AngleDeg, s.AngleModulo, t.angle), 360
	}
	return s.AngleDeg, s.AngleModulo
}

// seeFace smooths the face; a card that seems to show its other side begins a
// new rest at once, so that its face, name and turn are settled together.
func (t *track) seeFace(s sighting) {
	t.face = t.face.Observe(s.Face)
	if s.Face == board.FaceUnknown {
		return
	}
	if t.side != s.Face {
		t.rest = rest{}
	}
	t.side = s.Face
}

// appear ends the account of its not being seen.
func (t *track) appear(now time.Duration) {
	t.steady++
	if t.emptyFrames > 0 {
		t.flickers, t.steady = true, 0
	}
	t.flickers = t.flickers && t.steady < steadyFrames
	t.seen, t.seenAt, t.handled = true, now, t.veiled
	t.stacked, t.lifted, t.disputed = false, false, false
	t.emptyFrames, t.clearFrames, t.unseen = 0, 0, 0
	if t.newcomer() {
		t.trust++
	}
}

// steadyFrames is how long a copy that a view missed must be seen running to
// count as one that is never missed.
const steadyFrames = 50

// upsideDown is a turn that an identification may get wrong on its own, half a
// turn, for asReported.
const upsideDown = 180

// asReported says whether a copy was last seen as it was reported, or turned
// from that by a multiple of so many degrees.
func (t *track) asReported(modulo float64) bool {
	p := t.copy.Pose
	return t.centre.Distance(p.Centre) <= restMM && orientation.Diff(t.angle, p.AngleDeg, math.Min(modulo, math.Min(t.modulo, p.AngleModulo))) <= restDeg
}

// takeOver gives a reported copy the sightings of a newcomer that turned out to
// be it.
func (t *track) takeOver(n *track) {
	names := t.names
	names.add(n.names)
	kept := *t
	*t = *n
	t.serial, t.number, t.copy, t.quarter, t.names = kept.serial, kept.number, kept.copy, kept.quarter, names
	t.rival, t.touched = "", true
}

// rest is a stretch of time in which a card lay still, and how it lay.
type rest struct {
	since  time.Duration
	frames int
	weight float64
	centre board.Point
	angle  float64
	modulo float64
	// this and other count, with older ones for less, the sightings that gave
	// it this way up and the other way up.
	this, other float64
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

// Telling a card's top from its bottom is where identification errs first. So
// sightings that differ by half a turn are put to the vote: fade is what one
// counts for after each later one.
const fade = 0.85

// see takes a sighting of a card that has lain so since a moment. disturbed says
// that the card was hidden, in part or for a while, since the one before: then
// half a turn begins a new rest.
func (r *rest) see(centre board.Point, angle, modulo float64, disturbed bool, since time.Duration) {
	common := math.Min(modulo, r.modulo)
	same := r.frames > 0 && r.centre.Distance(centre) <= restMM
	fresh := rest{since: since, frames: 1, weight: 1, centre: centre, angle: angle, modulo: modulo, this: 1}
	switch {
	case same && orientation.Diff(angle, r.angle, common) <= restDeg:
		r.this, r.other = r.this*fade+1, r.other*fade
	case same && !disturbed && orientation.Diff(angle, r.angle, 180) <= restDeg:
		r.this, r.other = r.this*fade, r.other*fade+1
		if r.other > r.this {
			fresh.this, fresh.other = r.other, r.this
			*r = fresh
		}
		return
	default:
		*r = fresh
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

// winner is the card that has at least so many votes and twice as many as any
// other.
func (b *ballot) winner(least float64) *board.CardRef {
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
	if v.count < least || v.count < 2*second {
		return nil
	}
	return &v.card // a vote's card is never changed
}
