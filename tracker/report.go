package tracker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/orientation"
)

// regaugeDeg is how far a copy's angle must be from the reported one before its
// turn is asked again; it keeps jitter about a border from ever being a turn.
const regaugeDeg = 5

// act is what is reported of one copy at once.
type act struct {
	since         time.Duration
	number        int
	kinds         []board.ChangeKind
	before, after *board.Copy
}

// report compares what has come to rest with what was reported before.
func (t *Tracker) report(at time.Time) []board.Change {
	t.departed = slices.DeleteFunc(t.departed, func(d departed) bool { return t.now-d.at > returnWithin })
	var acts []act
	for _, k := range t.settledNewcomers() {
		if a, ok := t.place(k); ok {
			acts = append(acts, a)
		}
	}
	for _, k := range slices.Clone(t.tracks) {
		switch {
		case k.newcomer():
		case k.seen && t.atRest(k, 1):
			if a, ok := t.revise(k); ok {
				acts = append(acts, a)
			}
		case t.gone(k) && !t.awaited(k):
			acts = append(acts, t.remove(k))
		}
	}
	slices.SortStableFunc(t.tracks, func(a, b *track) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.serial, b.serial))
	})
	slices.SortStableFunc(acts, func(a, b act) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.number, b.number))
	})
	var changes []board.Change
	for _, a := range acts {
		for _, kind := range a.kinds {
			changes = append(changes, board.Change{Kind: kind, At: at, Before: a.before, After: a.after})
		}
	}
	return changes
}

// order puts newcomers after reported copies.
func order(k *track) int {
	if k.newcomer() {
		return math.MaxInt
	}
	return k.number
}

// settledNewcomers are the newcomers that have come to rest, in the order they
// did and then from the table's top left, so that ids don't depend on the
// order of observations.
func (t *Tracker) settledNewcomers() []*track {
	var ks []*track
	for _, k := range t.tracks {
		if k.newcomer() && (k.seen || t.o.SettleFrames > 0) && t.atRest(k, 1) {
			ks = append(ks, k)
		}
	}
	slices.SortStableFunc(ks, func(a, b *track) int {
		return cmp.Or(cmp.Compare(a.rest.since, b.rest.since), cmp.Compare(a.serial, b.serial))
	})
	return ks
}

// place reports a newcomer, unless it is still worth waiting for its name or it
// turns out to be a copy that was carried here.
func (t *Tracker) place(k *track) (act, bool) {
	name := k.settledName()
	if name == nil && k.face.Is() != board.FaceDown {
		if t.named && !t.atRest(k, 2) || len(k.names.votes) > 0 && !t.atRest(k, 4) {
			return act{}, false
		}
		// A named copy is on its way somewhere; this may be it.
		if t.carried(func(c *track) bool { return c.copy.Card != nil && c.copy.Pose.Face != board.FaceDown }) != nil && !t.atRest(k, 4) {
			return act{}, false
		}
	}
	if name == nil {
		if t.mayBeCarried(k) && !t.atRest(k, 2) {
			return act{}, false
		}
		if c := t.carriedHere(k); c != nil {
			t.merge(c, k)
			return t.revise(c)
		}
	}
	c := board.Copy{State: board.State{}}
	if d, ok := t.returning(name, k.rest.centre); ok {
		k.number, c.Owner = d.number, d.copy.Owner
	} else {
		t.numbers++
		k.number = t.numbers
	}
	c.ID = copyID(k.number)
	after := t.settle(k, c)
	k.copy, k.touched = after, false
	return act{k.rest.since, k.number, []board.ChangeKind{board.ChangePlaced}, nil, &after}, true
}

// carried returns the copies that have left their place and fit.
func (t *Tracker) carried(fits func(*track) bool) []*track {
	var ks []*track
	for _, k := range t.tracks {
		if !k.newcomer() && !k.seen && k.emptyFrames > 0 && fits(k) {
			ks = append(ks, k)
		}
	}
	return ks
}

// carriedHere returns the copy that a nameless newcomer must be, if there is
// exactly one that fits and the newcomer is the only one at rest that fits it:
// both lie face down with the same back, or neither has a name.
func (t *Tracker) carriedHere(n *track) *track {
	lost := t.carried(func(k *track) bool { return k.lifted && nameless(k, n) })
	if len(lost) != 1 {
		for _, k := range lost {
			k.disputed = true
		}
		return nil
	}
	for _, k := range t.tracks {
		if k != n && k.newcomer() && k.seen && nameless(lost[0], k) {
			lost[0].disputed = true
		}
	}
	if lost[0].disputed {
		return nil
	}
	return lost[0]
}

// mayBeCarried says whether a copy that a newcomer may be isn't seen just now,
// not long enough to be sure that it has left.
func (t *Tracker) mayBeCarried(n *track) bool {
	return len(t.carried(func(k *track) bool { return !k.lifted && nameless(k, n) })) > 0
}

// nameless says whether two cards look the same though neither shows a name.
func nameless(k, n *track) bool {
	if k.face.Is() != n.face.Is() || k.last.Back != n.last.Back {
		return false
	}
	return n.face.Is() == board.FaceDown || (k.name() == nil && n.name() == nil)
}

// awaited says whether a newcomer that has yet to come to rest or to be named
// may turn out to be the copy.
func (t *Tracker) awaited(k *track) bool {
	return t.now-k.emptySince < t.o.Carry && slices.ContainsFunc(t.tracks, func(n *track) bool {
		return n.newcomer() && (nameless(k, n) || (n.name() == nil && n.face.Is() != board.FaceDown))
	})
}

// returning takes the lately removed copy of that name nearest to a place.
func (t *Tracker) returning(name *board.CardRef, p board.Point) (departed, bool) {
	best := -1
	for i, d := range t.departed {
		if name == nil || d.copy.Card == nil || d.copy.Card.ID != name.ID {
			continue
		}
		if best < 0 || d.copy.Pose.Centre.Distance(p) < t.departed[best].copy.Pose.Centre.Distance(p) {
			best = i
		}
	}
	if best < 0 {
		return departed{}, false
	}
	d := t.departed[best]
	t.departed = slices.Delete(t.departed, best, best+1)
	return d, true
}

// settle is the copy c as it lies at rest now, with its owner, controller and
// zone; it also moves the reported turn on.
func (t *Tracker) settle(k *track, c board.Copy) board.Copy {
	r := k.rest
	zone, inZone := t.o.Layout.ZoneAt(r.centre)
	c.Zone = zone.ID
	side := t.nearestSeat(r.centre)
	if c.Owner == "" {
		c.Owner = cmp.Or(zone.Seat, side)
	}
	controller := c.Controller
	switch {
	case inZone && zone.Seat != "" && (!contested(zone.Kind) || controller == ""):
		controller = zone.Seat
	case controller == "":
		controller = c.Owner
	}
	seat, _ := t.o.Layout.Seat(controller)
	if controller != c.Controller || r.modulo != c.Pose.AngleModulo || k.face.Is() != c.Pose.Face ||
		orientation.Diff(r.angle, c.Pose.AngleDeg, r.modulo) > regaugeDeg {
		if controller != c.Controller {
			k.quarter = orientation.Quarter{}
		}
		k.quarter = k.quarter.Observe(orientation.Relative(r.angle, seat.UpDeg), r.modulo)
	}
	c.Controller = controller
	if c.Card == nil {
		c.Card = k.settledName()
	}
	c.Back = cmp.Or(k.last.Back, c.Back)
	width, height := k.outl.Edges()
	c.Pose = board.Pose{
		Centre: r.centre, AngleDeg: r.angle, AngleModulo: r.modulo,
		Rotation: k.quarter.Turn(), Face: k.face.Is(),
		Visible: k.last.Visible, Confidence: k.last.Confidence,
		Corners: board.RectQuad(r.centre, board.Size{Width: width, Height: height}, r.angle),
	}
	return c
}

// contested says whether cards of several players lie in a zone that is one
// player's: an attacker's units stay the attacker's at the province they attack.
func contested(k board.ZoneKind) bool { return k == board.ZoneProvince || k == board.ZoneBattlefield }

// nearestSeat is the seat on whose side of the table's middle a place lies most.
func (t *Tracker) nearestSeat(p board.Point) board.SeatID {
	size := t.o.Layout.Size
	if size.Width <= 0 || size.Height <= 0 {
		return ""
	}
	x, y := 2*p.X/size.Width-1, 2*p.Y/size.Height-1
	best, id := math.Inf(-1), board.SeatID("")
	for _, s := range t.o.Layout.Seats {
		sin, cos := math.Sincos(s.UpDeg * math.Pi / 180)
		if side := -x*sin + y*cos; side > best+1e-9 {
			best, id = side, s.ID
		}
	}
	return id
}

// revise reports how a copy at rest differs from what was reported of it.
func (t *Tracker) revise(k *track) (act, bool) {
	before := k.copy
	moved := k.rest.centre.Distance(before.Pose.Centre) > t.o.MoveMM
	if moved && !t.sure(k) {
		return act{}, false
	}
	was, asBefore := k.quarter, before
	renamed := t.rename(k, &asBefore)
	after := t.settle(k, asBefore)
	renamed = renamed || (before.Card == nil && after.Card != nil)
	flipped := after.Pose.Face != before.Pose.Face
	learned := renamed && before.Pose.Face == board.FaceUnknown
	if after.Pose.Face == board.FaceUnknown || learned {
		flipped = false
	}
	var kinds []board.ChangeKind
	if moved {
		kinds = append(kinds, board.ChangeMoved)
	}
	if turned(before.Pose, after.Pose, was, k.quarter) {
		kinds = append(kinds, board.ChangeTurned)
	}
	if flipped {
		kinds = append(kinds, board.ChangeFlipped)
	}
	if renamed {
		kinds = append(kinds, board.ChangeNamed)
	}
	if len(kinds) == 0 {
		k.quarter = was
		k.touched = k.veiled
		return act{}, false
	}
	if !k.touched && len(kinds) == 1 && kinds[0] == board.ChangeTurned && !t.atRest(k, 4) {
		// Half a turn with nothing near: more likely misread than done.
		k.quarter = was
		return act{}, false
	}
	k.copy, k.touched = after, false
	return act{k.rest.since, k.number, kinds, &before, &after}, true
}

// turned says whether a copy lies another quarter turn. Where one of the poses
// shows an axis only, the axis must differ, or the same face have become
// readable.
func turned(before, after board.Pose, was, is orientation.Quarter) bool {
	if before.AngleModulo == 360 && after.AngleModulo == 360 {
		return before.Rotation != after.Rotation
	}
	if was.Axis() != orientation.AxisUnknown && is.Axis() != orientation.AxisUnknown && was.Axis() != is.Axis() {
		return true
	}
	return before.Face == after.Face && !before.Rotation.Known() && after.Rotation.Known()
}

// sure says whether a copy that lies elsewhere may be reported there. It waits,
// up to the carry time, while its old place is hidden, where it may still lie;
// and a while for its name to be read again.
func (t *Tracker) sure(k *track) bool {
	if k.homeHidden && t.now-k.rest.since < t.o.Carry {
		return false
	}
	return !k.doubt || t.atRest(k, 4)
}

// rename gives a copy another name once that has led for four settle times.
func (t *Tracker) rename(k *track, c *board.Copy) bool {
	w := k.names.winner(enough)
	if c.Card == nil || w == nil || w.ID == c.Card.ID {
		k.rival = ""
		return false
	}
	if k.rival != w.ID {
		k.rival, k.rivalSince, k.rivalFrames = w.ID, t.now, 0
	}
	k.rivalFrames++
	if !t.settled(k.rivalFrames, k.rivalSince, 4) {
		return false
	}
	c.Card, k.rival = w, ""
	return true
}

func (t *Tracker) remove(k *track) act {
	before := k.copy
	t.departed = append(t.departed, departed{before, k.number, t.now})
	t.tracks = slices.DeleteFunc(t.tracks, func(x *track) bool { return x == k })
	return act{k.emptySince, k.number, []board.ChangeKind{board.ChangeRemoved}, &before, nil}
}
