package web

import (
	"fmt"
	"reflect"
	"strings"

	"tabletop/board"
)

// A filter turns the true events into those of one role's view. ok is false for
// an event that the role gets nothing of.
type filter interface {
	event(e board.Event) (seen board.Event, ok bool)
	board() board.Board // after the events so far; not to be changed
}

func newFilter(role Role, start board.Board) filter {
	if role.SeesEverything() {
		return &wholeView{fold: complete(start.Clone())}
	}
	return newPublicView(start)
}

// complete fills in what is null in JSON otherwise.
func complete(b board.Board) board.Board {
	if b.Copies == nil {
		b.Copies = map[board.CopyID]board.Copy{}
	}
	if b.Findings == nil {
		b.Findings = map[board.FindingID]board.Finding{}
	}
	if b.Layout.Seats == nil {
		b.Layout.Seats = []board.Seat{}
	}
	if b.Layout.Zones == nil {
		b.Layout.Zones = []board.Zone{}
	}
	return b
}

// wholeView leaves everything in.
type wholeView struct{ fold board.Board }

func (v *wholeView) event(e board.Event) (board.Event, bool) {
	v.fold.Apply(e)
	return e, true
}

func (v *wholeView) board() board.Board { return v.fold }

// publicView is what the room may see. It keeps back
//
//   - findings, prompts, what is declared and what judges do: every event whose
//     kind is not of a card, or that carries any of these, and of events of a card
//     what was declared with it;
//   - that a person corrected a copy: the room is told what it sees of it, in
//     physical kinds;
//   - copies in a hand, altogether: one that goes there is removed, one that
//     comes from there is placed;
//   - of a copy that does not lie face up: which card it is, the words its state
//     was given (a word may be one that only some types of card can have) and the
//     confidence (it jumps when a card is recognised). What happens to it is told
//     in physical kinds only.
//
// Names of copies would tell as well: a card seen as c7, taken to a hand and
// later laid face down as c7 again is known to everyone. So a copy that comes
// out of a hand, or comes back face down after it was gone, is given a new name.
// All that come out of a hand get one, also those never seen before, so that the
// name says nothing either.
//
// It is a function of the events alone: the same events give the same view with
// the same numbers, also after a restart.
type publicView struct {
	fold   board.Board
	names  map[board.CopyID]board.CopyID // of the copies in sight
	given  map[board.CopyID]bool         // names that were made up here
	seen   map[board.CopyID]bool         // copies that were in sight before
	inHand map[board.CopyID]bool         // copies that were in a hand before
	next   int                           // of the new names
}

func newPublicView(start board.Board) *publicView {
	v := &publicView{
		fold:   complete(board.NewBoard(start.Layout)),
		names:  map[board.CopyID]board.CopyID{},
		given:  map[board.CopyID]bool{},
		seen:   map[board.CopyID]bool{},
		inHand: map[board.CopyID]bool{},
	}
	for id, c := range start.Copies {
		if !v.inSight(&c) {
			v.inHand[id] = true
			continue
		}
		v.enter(&c)
		v.fold.Copies[v.names[id]] = *v.show(&c)
	}
	return v
}

func (v *publicView) board() board.Board { return v.fold }

func (v *publicView) event(e board.Event) (board.Event, bool) {
	if !ofCard(e) {
		return board.Event{}, false
	}
	seen, ok := v.change(e)
	if ok {
		v.fold.Apply(seen)
	}
	return seen, ok
}

// ofCard says whether an event tells of a copy, and of nothing that is for judges.
func ofCard(e board.Event) bool {
	forJudges := e.Finding != nil || e.Prompt != nil || e.Action != nil || e.Answer != nil
	return e.Card != "" && (e.Before != nil || e.After != nil) && !forJudges && strings.HasPrefix(string(e.Kind), "card.")
}

// change tells what the room sees of an event. Several events may tell of one
// act (moved, then bowed), each with the same Before and After; so whether the
// copy was in sight is asked of the view, not of Before.
func (v *publicView) change(e board.Event) (board.Event, bool) {
	name, present := v.names[e.Card]
	if e.After != nil && !v.inSight(e.After) {
		v.inHand[e.Card] = true
	}
	switch {
	case !v.inSight(e.After): // it is gone, or in a hand
		if !present {
			return board.Event{}, false
		}
		before := v.fold.Copies[name]
		delete(v.names, e.Card)
		return board.Event{At: e.At, Kind: board.EventRemoved, Card: name, Before: &before}, true

	case !present && !v.inSight(e.Before):
		if e.Before != nil {
			v.inHand[e.Card] = true
		}
		v.enter(e.After)
		return board.Event{At: e.At, Kind: board.EventPlaced, Card: v.names[e.Card], After: v.show(e.After)}, true

	case !v.inSight(e.Before): // another event of the act that brought it
		return board.Event{}, false

	case !present: // it lay there before anything was told of it
		v.enter(e.Before)
	}
	seen := board.Event{At: e.At, Kind: e.Kind, Card: v.names[e.Card], Before: v.show(e.Before), After: v.show(e.After)}
	switch {
	case secret(e.After):
		seen.Kind = physicalKind(e.Kind, seen.Before, seen.After)
	case e.Kind == board.EventCorrected:
		seen.Kind = correctedKind(seen.Before, seen.After)
	default:
		return seen, true
	}
	return seen, seen.Kind != "" && !reflect.DeepEqual(seen.Before, seen.After)
}

// enter gives a copy that comes into sight its public name.
func (v *publicView) enter(c *board.Copy) {
	name := c.ID
	if v.inHand[c.ID] || v.given[c.ID] || (v.seen[c.ID] && secret(c)) {
		for name = ""; name == "" || v.seen[name]; {
			v.next++
			name = board.CopyID(fmt.Sprintf("h%d", v.next))
		}
		v.given[name] = true
	}
	v.names[c.ID], v.seen[c.ID] = name, true
}

// show builds the public form of a copy in sight, field by field: a field that
// is added to board.Copy stays back until someone decides about it here.
func (v *publicView) show(c *board.Copy) *board.Copy {
	shown := &board.Copy{
		ID: v.names[c.ID], Card: c.Card, Back: c.Back, Owner: c.Owner, Controller: c.Controller,
		Zone: c.Zone, Pose: c.Pose, State: c.State,
	}
	if secret(c) {
		shown.Card, shown.State, shown.Pose.Confidence = nil, board.State{}, 0
	}
	return shown
}

// secret says whether the room may not know which card it is.
func secret(c *board.Copy) bool { return c.Pose.Face != board.FaceUp }

// inSight says whether the room may know that the copy is there.
func (v *publicView) inSight(c *board.Copy) bool {
	if c == nil {
		return false
	}
	zone, known := v.fold.Layout.Zone(c.Zone)
	if c.Zone == "" {
		zone, known = v.fold.Layout.ZoneAt(c.Pose.Centre)
	}
	return !known || zone.Kind != board.ZoneHand
}

// correctedKind is the kind of a correction for whoever is not to know that it
// is one; empty when nothing shows of it.
func correctedKind(before, after *board.Copy) board.EventKind {
	if kind := physicalKind(board.EventCorrected, before, after); kind != "" {
		return kind
	}
	if !reflect.DeepEqual(before.Card, after.Card) {
		return board.EventNamed
	}
	// Whose a card is, is told with where it lies, as the tracker does it.
	return board.EventMoved
}

// physicalKind is the kind of an event as the eye sees it, without the meaning
// a game gives to it; empty when the eye sees nothing.
func physicalKind(kind board.EventKind, before, after *board.Copy) board.EventKind {
	switch kind {
	case board.EventPlaced, board.EventMoved, board.EventTurned, board.EventFlipped, board.EventRemoved:
		return kind
	case board.EventNamed:
		return ""
	}
	switch {
	case before.Pose.Face != after.Pose.Face:
		return board.EventFlipped
	case before.Pose.Rotation != after.Pose.Rotation:
		return board.EventTurned
	case before.Pose.Centre != after.Pose.Centre:
		return board.EventMoved
	}
	return ""
}
