package rules

import (
	"slices"
	"time"

	"tabletop/board"
)

// act is all that one act of a player did to one copy: the changes that the
// tracker reported with the same Before and After.
type act struct {
	id    board.CopyID
	at    time.Time
	kinds []board.ChangeKind
	after *board.Copy // nil: removed
}

// changeOrder is the order in which the changes of one act follow one another.
func changeOrder(k board.ChangeKind) int {
	return slices.Index([]board.ChangeKind{
		board.ChangePlaced, board.ChangeMoved, board.ChangeTurned, board.ChangeFlipped, board.ChangeNamed, board.ChangeRemoved,
	}, k)
}

// acts gathers changes into acts, each in the place of its first change. A
// change that names no copy, or is of no known kind, is no act.
func acts(changes []board.Change) []act {
	var as []act
	latest := map[board.CopyID]int{}
	for _, c := range changes {
		a := act{at: c.At, kinds: []board.ChangeKind{c.Kind}, after: c.After}
		switch {
		case changeOrder(c.Kind) < 0:
			continue
		case c.Kind == board.ChangeRemoved && c.Before != nil:
			a.id, a.after = c.Before.ID, nil
		case c.Kind != board.ChangeRemoved && c.After != nil:
			a.id = c.After.ID
		default:
			continue
		}
		if i, ok := latest[a.id]; ok && as[i].goesOnWith(a) {
			as[i].kinds = append(as[i].kinds, c.Kind)
			continue
		}
		latest[a.id] = len(as)
		as = append(as, a)
	}
	return as
}

// goesOnWith says whether the next change of the same copy belongs to the act.
func (a act) goesOnWith(next act) bool {
	return a.after != nil && next.after != nil && sameCopy(*a.after, *next.after) &&
		changeOrder(a.kinds[len(a.kinds)-1]) < changeOrder(next.kinds[0])
}

// sameCopy compares what the tracker says of a copy; the state is not its word.
func sameCopy(a, b board.Copy) bool {
	return a.ID == b.ID && sameCard(a.Card, b.Card) && a.Back == b.Back && a.Owner == b.Owner &&
		a.Controller == b.Controller && a.Zone == b.Zone && a.Pose == b.Pose
}

func sameCard(a, b *board.CardRef) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// differences are the kinds of change between two looks at a copy, for a
// report that doesn't say.
func differences(before, after board.Copy) []board.ChangeKind {
	var kinds []board.ChangeKind
	if before.Pose.Centre != after.Pose.Centre || before.Zone != after.Zone {
		kinds = append(kinds, board.ChangeMoved)
	}
	if before.Pose.Rotation != after.Pose.Rotation {
		kinds = append(kinds, board.ChangeTurned)
	}
	if before.Pose.Face != after.Pose.Face {
		kinds = append(kinds, board.ChangeFlipped)
	}
	if !sameCard(before.Card, after.Card) {
		kinds = append(kinds, board.ChangeNamed)
	}
	return kinds
}

// step returns the copy after one change of an act that leads to next.
func step(c, next board.Copy, kind board.ChangeKind) board.Copy {
	switch kind {
	case board.ChangeMoved:
		by := next.Pose.Centre.Sub(c.Pose.Centre)
		c.Pose.Corners = c.Pose.Corners.Map(by.Add)
		c.Pose.Centre, c.Zone = next.Pose.Centre, next.Zone
		c.Owner, c.Controller = next.Owner, next.Controller
	case board.ChangeTurned:
		c.Pose.Corners, c.Pose.Rotation = next.Pose.Corners, next.Pose.Rotation
		c.Pose.AngleDeg, c.Pose.AngleModulo = next.Pose.AngleDeg, next.Pose.AngleModulo
	case board.ChangeFlipped:
		c.Pose.Face = next.Pose.Face
	case board.ChangeNamed:
		c.Card, c.Back = next.Card, next.Back
	}
	return c
}

// events tells an act in the words of the game. Folding them in order gives
// next, whose state is settled. silent says that the state follows from
// something other than the turn (a border of play crossed, a card recognised):
// then no word was gained or lost at the table and the first event carries it.
func (a act) events(words []Word, before, next board.Copy, silent bool) []board.Event {
	var events []board.Event
	at := before
	tell := func(kind board.EventKind, after board.Copy) {
		b, c := at, after
		events = append(events, board.Event{At: a.at, Kind: kind, Card: a.id, Before: &b, After: &c})
		at = after
	}
	for i, kind := range a.kinds {
		after := step(at, next, kind)
		if i == len(a.kinds)-1 {
			state := after.State
			after = next
			after.State = state
		}
		if silent {
			after.State = next.State
		}
		if kind != board.ChangeTurned {
			tell(map[board.ChangeKind]board.EventKind{
				board.ChangeMoved:   board.EventMoved,
				board.ChangeFlipped: board.EventFlipped,
				board.ChangeNamed:   board.EventNamed,
			}[kind], after)
			continue
		}
		// One turn may change several words. Each event shows the pose the
		// camera saw, which is the last one; no pose in between was seen.
		turned := len(events)
		for _, w := range words {
			has, will := at.State.Has(w.State), next.State.Has(w.State)
			if silent || has == will {
				continue
			}
			if will {
				after.State = board.NewState(append(slices.Clone(at.State), w.State)...)
				tell(w.Gained, after)
			} else {
				after.State = without(at.State, w.State)
				tell(w.Lost, after)
			}
		}
		if len(events) == turned {
			tell(board.EventTurned, after)
		}
	}
	return events
}

func without(s board.State, word string) board.State {
	return slices.DeleteFunc(append(board.State{}, s...), func(w string) bool { return w == word })
}
