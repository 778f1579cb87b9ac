package l5r

import (
	"cmp"
	"slices"
	"strconv"

	"tabletop/board"
	"tabletop/rules"
)

// bearerShare is by how much more an attachment must share with one Personality
// than with any other to be taken for his.
const bearerShare = 2

// bearer is the Personality whose unit an attachment is in: by declaration, else
// by what it lies under or touches, directly or by way of other attachments. It
// is none when two Personalities come into question.
func bearer(s rules.Subject) (rules.Subject, bool) {
	t := s.Table()
	if to, ok := t.Game().Attached[s.Copy.ID]; ok {
		if p, ok := t.Subject(to); ok && p.Area != rules.AreaOutOfPlay {
			return p, true
		}
	}
	if !isAttachment(s) || s.Area == rules.AreaOutOfPlay {
		return rules.Subject{}, false
	}
	seen := map[board.CopyID]bool{s.Copy.ID: true}
	ring := []rules.Subject{s}
	for len(ring) > 0 {
		var next []rules.Subject
		share := map[board.CopyID]float64{}
		found := map[board.CopyID]rules.Subject{}
		for _, card := range ring {
			for _, touch := range t.Touching(card) {
				if touch.Area == rules.AreaOutOfPlay {
					continue
				}
				switch id := touch.Copy.ID; {
				case isPersonality(touch.Subject) && !underlying(touch.Subject):
					share[id] = max(share[id], touch.Shared+0.01) // to touch is something
					found[id] = touch.Subject
				case isAttachment(touch.Subject) && !seen[id]:
					seen[id] = true
					next = append(next, touch.Subject)
				}
			}
		}
		if len(found) > 0 {
			return most(found, share)
		}
		ring = next
	}
	return rules.Subject{}, false
}

// most is the Personality of which clearly most is shared.
func most(found map[board.CopyID]rules.Subject, share map[board.CopyID]float64) (rules.Subject, bool) {
	var ids []board.CopyID
	for id := range found {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b board.CopyID) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(a, b))
	})
	if len(ids) > 1 && share[ids[0]] < bearerShare*share[ids[1]] {
		return rules.Subject{}, false
	}
	return found[ids[0]].Table().Subject(ids[0])
}

// unitOf is the Personality of the unit that a card is in: the card itself if it
// is one.
func unitOf(s rules.Subject) (rules.Subject, bool) {
	if isPersonality(s) {
		return s, true
	}
	return bearer(s)
}

// attachments are the cards in a Personality's unit beside him, by id.
func attachments(p rules.Subject) []rules.Subject {
	t := p.Table()
	unit := map[board.CopyID]rules.Subject{}
	for id, to := range t.Game().Attached {
		if s, ok := t.Subject(id); ok && to == p.Copy.ID {
			unit[id] = s
		}
	}
	seen := map[board.CopyID]bool{p.Copy.ID: true}
	for ring := []rules.Subject{p}; len(ring) > 0; {
		var next []rules.Subject
		for _, card := range ring {
			for _, touch := range t.Touching(card) {
				if id := touch.Copy.ID; isAttachment(touch.Subject) && !seen[id] {
					seen[id] = true
					if b, ok := bearer(touch.Subject); ok && b.Copy.ID == p.Copy.ID {
						unit[id] = touch.Subject
						next = append(next, touch.Subject)
					}
				}
			}
		}
		ring = next
	}
	var all []rules.Subject
	for _, s := range unit {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b rules.Subject) int { return cmp.Compare(a.Copy.ID, b.Copy.ID) })
	return all
}

// force is what the catalogue's numbers give for a unit. Bonuses and penalties
// of effects are no part of it.
type force struct {
	known   bool // every card's Force is
	unbowed int  // of the cards that are not bowed
	bowed   int  // of those that are
	which   []board.CopyID
}

// forceOf counts a unit's Force. The sources say that bowed cards affect the
// calculation; by the rules of battle, which are no part of them, a bowed card
// adds nothing.
func forceOf(p rules.Subject) force {
	f := force{known: true}
	for _, s := range append([]rules.Subject{p}, attachments(p)...) {
		n, ok := number(s, "force")
		if !ok && s.Is("spell") {
			n, ok = 0, true // Spells have none
		}
		f.known = f.known && ok
		if s.Copy.State.Has(Bowed) {
			f.bowed += n
			f.which = append(f.which, s.Copy.ID)
		} else {
			f.unbowed += n
		}
	}
	return f
}

// baseHonor is a Personality's base Personal Honor.
func baseHonor(s rules.Subject) (int, bool) {
	return number(s, "personal_honor", "personal honor", "ph")
}

// currentHonor is his Personal Honor now, without bonuses of effects: that of a
// dishonorable one is at most zero.
func currentHonor(s rules.Subject) (int, bool) {
	n, ok := baseHonor(s)
	if dishonorable(s) {
		n = min(n, 0)
	}
	return n, ok
}

// controller says who controls a card: whom it was given to; else, in a unit,
// the Personality's controller and, of a Region, whose the province is; else by
// where it lies. That the cards of a unit may "have different controllers" is in
// both sources, so what an effect says of one card goes before its unit.
func controller(s rules.Subject) board.SeatID {
	if seat, ok := s.Table().Game().Controllers[s.Copy.ID]; ok {
		return seat
	}
	if b, ok := bearer(s); ok {
		return b.Seat
	}
	if s.Is(region) && s.Zone.Kind == board.ZoneProvince && s.Zone.Seat != "" {
		return s.Zone.Seat
	}
	return s.Seat
}

// reader is the seat from whose side a card's text is read.
func reader(s rules.Subject) board.SeatID {
	switch s.Area {
	case rules.AreaInPlay:
		return s.Seat
	case rules.AreaOutOfPlay:
		return s.Copy.Owner
	}
	return ""
}

// army are the Personalities of a seat at the battlefield.
func army(t rules.Table, seat board.SeatID) []rules.Subject {
	var all []rules.Subject
	game := t.Game()
	for s := range t.All() {
		assigned := game.Battle != nil && slices.Contains(game.Battle.Assigned, s.Copy.ID)
		if isPersonality(s) && !underlying(s) && s.Seat == seat && s.Area != rules.AreaOutOfPlay &&
			(s.Zone.Kind == board.ZoneBattlefield || assigned) {
			all = append(all, s)
		}
	}
	return all
}

// The facts of the packs.
const (
	factUnit      = "unit"
	factAttached  = "attachments"
	factForce     = "force"
	factBowed     = "bowed-cards"
	factBase      = "base-personal-honor"
	factHonor     = "personal-honor"
	factReader    = "read-by"
	factPile      = "in-discard-pile"
	factLocation  = "location"
	factUnderlies = "underlies"
	factInherits  = "inherits-abilities-of"
)

func factNames() []string {
	return []string{factUnit, factAttached, factForce, factBowed, factBase, factHonor, factReader, factPile, factLocation, factUnderlies, factInherits}
}

// facts are what a judge may want to know of a card.
func (ed edition) facts(s rules.Subject) []rules.Fact {
	var facts []rules.Fact
	add := func(name, value string, copies ...board.CopyID) {
		facts = append(facts, rules.Fact{Name: name, Value: value, Copies: copies})
	}
	if top, ok := above(s); ok {
		add(factUnderlies, "", top.Copy.ID)
		return facts
	}
	if at := location(s); at != "" {
		add(factLocation, at)
	}
	if r := reader(s); r != "" {
		add(factReader, string(r))
	}
	if isDiscard(s.Zone.Kind) && s.TypeKnown() && s.Copy.Pose.Face == board.FaceUp {
		add(factPile, ed.pileState(s))
	}
	if below := stack(s); len(below) > 0 {
		add(factInherits, "", below...)
	}
	if b, ok := bearer(s); ok {
		add(factUnit, "", b.Copy.ID)
	}
	if !isPersonality(s) {
		return facts
	}
	if n, ok := baseHonor(s); ok {
		add(factBase, strconv.Itoa(n))
	}
	if n, ok := currentHonor(s); ok {
		add(factHonor, strconv.Itoa(n))
	}
	if s.Area != rules.AreaInPlay {
		return facts
	}
	var members []board.CopyID
	for _, a := range attachments(s) {
		members = append(members, a.Copy.ID)
	}
	if len(members) > 0 {
		add(factAttached, "", members...)
	}
	f := forceOf(s)
	if f.known {
		add(factForce, strconv.Itoa(f.unbowed))
	}
	if len(f.which) > 0 {
		add(factBowed, "", f.which...)
	}
	return facts
}

// location is where a card in play is; a card out of play has none.
func location(s rules.Subject) string {
	if s.Area != rules.AreaInPlay {
		return ""
	}
	if s.Zone.Kind == board.ZoneProvince {
		if b := s.Table().Game().Battle; b != nil && b.Province == s.Zone.ID {
			return string(board.ZoneBattlefield)
		}
		return string(board.ZoneHome)
	}
	return string(s.Zone.Kind)
}

// pileState is the state of a card in a discard pile: only of Personalities it
// is remembered there that they were destroyed.
func (ed edition) pileState(s rules.Subject) string {
	if isPersonality(s) && s.Marked(ed.destroyedWord) {
		return ed.destroyedWord
	}
	return "discarded"
}
