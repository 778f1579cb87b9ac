package l5r

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/rules"
)

// Overlaying is of the Samurai Edition alone. A stack is one card of the game;
// its top is the copy that stands for it.

// above is the card that lies directly on an underlying one.
func above(s rules.Subject) (rules.Subject, bool) {
	for upper, lower := range s.Table().Game().Overlays {
		if lower == s.Copy.ID {
			return s.Table().Subject(upper)
		}
	}
	return rules.Subject{}, false
}

func underlying(s rules.Subject) bool {
	for _, lower := range s.Table().Game().Overlays {
		if lower == s.Copy.ID {
			return true
		}
	}
	return false
}

func overlaying(s rules.Subject) bool {
	_, ok := s.Table().Game().Overlays[s.Copy.ID]
	return ok
}

// stack are the copies that lie under one, from the top down.
func stack(s rules.Subject) []board.CopyID { return under(s.Table().Game(), s.Copy.ID) }

func under(g board.Game, top board.CopyID) []board.CopyID {
	var below []board.CopyID
	for id, ok := g.Overlays[top]; ok && !slices.Contains(below, id) && id != top; id, ok = g.Overlays[id] {
		below = append(below, id)
	}
	return below
}

func (ed edition) overlayRules() []rules.Rule {
	return []rules.Rule{
		{
			ID: "overlay.only", Severity: board.SeverityIllegal, Says: []string{"breach"},
			State:  overlaidByNone,
			Action: overlaysOthers,
		},
		{
			ID: "overlay.merge", Severity: board.SeverityIllegal, Says: []string{"breach", "inherits", "turn"},
			Action: merges, Settled: turnedAlike,
		},
		{
			ID: "overlay.lost", Severity: board.SeverityIllegal, Says: []string{"breach", "turn"},
			Owe:    reappearsOtherwise,
			Action: reappearingIsNoEntering, Settled: turnedAlike,
		},
		{
			ID: "overlay.leave", Severity: board.SeverityIllegal, Says: []string{"remove", "may-remove"},
			State:   notRemoved,
			Owe:     stackLeft,
			Settled: isRemoved,
		},
		{
			ID: "overlay.again", Severity: board.SeverityIllegal, Says: []string{"top", "cease"},
			Action: overlaidAgain,
		},
	}
}

// overlaidByNone finds a card in a stack that turns out to be no Personality.
func overlaidByNone(s rules.Subject) board.Severity {
	if s.TypeKnown() && !isPersonality(s) && (overlaying(s) || underlying(s)) {
		return board.SeverityIllegal
	}
	return ""
}

func overlaysOthers(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "overlay" {
		return rules.Verdict{}
	}
	return breaches(append(d.Copies(), d.Targets()...), func(s rules.Subject) bool { return s.TypeKnown() && !isPersonality(s) })
}

// merges says what becomes of the cards of a stack, and holds that an underlying
// one is no card of its own.
func merges(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch {
	case d.Action.Kind == "overlay":
		top, below, ok := overlay(d)
		if !ok {
			return v
		}
		all := append([]board.CopyID{below.Copy.ID}, stack(below)...)
		v.Effects = []rules.Note{
			{Message: "effect.overlay", About: top.Copy.ID, Other: below.Copy.ID},
			{Message: "effect.overlay-inherits", About: top.Copy.ID, Words: names(d.Table, all)},
			{Message: "effect.overlay-goes-on", About: top.Copy.ID, Other: below.Copy.ID},
		}
		if !sameTurn(top.Copy.State, below.Copy.State) {
			v.Owes = []rules.Debt{{Message: "turn", Seat: below.Seat, Copies: []board.CopyID{top.Copy.ID, below.Copy.ID}, Params: map[string]string{
				Bowed: yes(below.Copy.State.Has(Bowed)), Dishonorable: yes(below.Copy.State.Has(Dishonorable)),
			}}}
		}
	case d.Action.Kind == "ability" && d.Param("of") != "":
		for _, s := range d.Copies() {
			if below := board.CopyID(d.Param("of")); slices.Contains(stack(s), below) {
				v.Effects = append(v.Effects, rules.Note{Message: "effect.inherited", About: s.Copy.ID, Other: below})
			} else {
				v.Breaches = append(v.Breaches, rules.Note{Message: "inherits", About: s.Copy.ID, Other: below})
			}
		}
	default:
		v = breaches(append(d.Copies(), d.Targets()...), underlying)
		if d.Action.Kind == "cease" {
			v.Breaches = nil // that is for overlay.again to say
		}
		for i := range v.Breaches {
			if s, ok := d.Table.Subject(v.Breaches[i].About); ok {
				if top, ok := above(s); ok {
					v.Breaches[i].Other = top.Copy.ID
				}
			}
		}
	}
	return v
}

func yes(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

// overlay are the two cards of a declared overlaying.
func overlay(d rules.Declared) (top, below rules.Subject, ok bool) {
	copies, targets := d.Copies(), d.Targets()
	if len(copies) != 1 || len(targets) != 1 {
		return top, below, false
	}
	return copies[0], targets[0], true
}

func sameTurn(a, b board.State) bool {
	return a.Has(Bowed) == b.Has(Bowed) && a.Has(Dishonorable) == b.Has(Dishonorable)
}

// turnedAlike says whether the overlaying card is turned as the underlying one
// was, or gone.
func turnedAlike(p board.Prompt, n rules.News) bool {
	t := n.Transition
	if t == nil {
		return false
	}
	if t.Gone() || t.After.Copy.ID == p.Copies[0] && t.After.Area == rules.AreaOutOfPlay {
		return true
	}
	state := t.After.Copy.State
	return t.After.Copy.ID == p.Copies[0] &&
		yes(state.Has(Bowed)) == p.Params[Bowed] && yes(state.Has(Dishonorable)) == p.Params[Dishonorable]
}

// reappearingIsNoEntering holds that nothing that waits for a card to enter or
// leave play is triggered by an overlaying card that comes or is lost.
func reappearingIsNoEntering(d rules.Declared) rules.Verdict {
	event := d.Param(paramEvent)
	if d.Action.Kind != "trait" || event != "enter" && event != "leave" {
		return rules.Verdict{}
	}
	return breaches(d.Targets(), func(s rules.Subject) bool { return s.Marked(markReappeared) || overlaying(s) && event == "enter" })
}

// reappearsOtherwise owes that a card which reappears is laid as the stack lay:
// "There has only been a change to the same card."
func reappearsOtherwise(t rules.Transition) []rules.Debt {
	if t.Before == nil {
		return nil
	}
	beneath, ok := t.Was.Overlays[t.Before.Copy.ID]
	below, lies := t.After.Table().Subject(beneath)
	if !ok || !lies || !below.Marked(markReappeared) {
		return nil
	}
	bowed, honor := t.Before.Copy.State.Has(Bowed), dishonorable(*t.Before)
	if below.Copy.State.Has(Bowed) == bowed && below.Copy.State.Has(Dishonorable) == honor {
		return nil
	}
	return []rules.Debt{{Message: "turn", Seat: below.Seat, Copies: []board.CopyID{beneath}, Words: t.Before.Card.Name, Params: map[string]string{
		Bowed: yes(bowed), Dishonorable: yes(honor),
	}}}
}

// stackTime is how soon a card must follow the one that lay on it out of play for
// both to have left as a stack, perhaps.
const stackTime = time.Minute

// followsStack says whether a card that reappeared leaves play where, just now,
// another one left that lay on it.
func followsStack(t rules.Transition) bool {
	for _, over := range t.After.Table().LeftPlaySince(t.At.Add(-stackTime)) {
		apart := over.Copy.Pose.Centre.Sub(t.Before.Copy.Pose.Centre)
		if over.Copy.ID != t.Before.Copy.ID && isPersonality(over) && math.Hypot(apart.X, apart.Y) < board.StandardCard().Width/2 {
			return true
		}
	}
	return false
}

// stackLeft owes the removal of what lay under a stack that left play.
func stackLeft(t rules.Transition) []rules.Debt {
	var debts []rules.Debt
	for id, marks := range t.After.Table().Game().Marks {
		s, ok := t.After.Table().Subject(id)
		switch {
		case ok && marks.Has(markToRemove):
			debts = append(debts, rules.Debt{Message: "remove", Seat: s.Copy.Owner, Copies: []board.CopyID{id}})
		case ok && marks.Has(markMayRemove) && !t.Was.Marks[id].Has(markMayRemove):
			debts = append(debts, rules.Debt{Message: "may-remove", Seat: s.Copy.Owner, Copies: []board.CopyID{id}, Possible: true})
		}
	}
	slices.SortFunc(debts, func(a, b rules.Debt) int { return cmp.Compare(a.Copies[0], b.Copies[0]) })
	return debts
}

func isRemoved(p board.Prompt, n rules.News) bool {
	t := n.Transition
	return t != nil && (t.Gone() || t.After.Zone.Kind == board.ZoneRemoved || p.Possible && t.After.Area == rules.AreaInPlay)
}

// notRemoved finds a card that lay under a stack and was put in another area out
// of play than the removed cards.
func notRemoved(s rules.Subject) board.Severity {
	if s.Marked(markToRemove) && s.Area == rules.AreaOutOfPlay && s.Zone.Kind != board.ZoneRemoved {
		return asSeen(s)
	}
	return ""
}

// overlaidAgain holds that a stack is overlaid on its top, and that created
// cards don't cease to exist by it.
func overlaidAgain(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "overlay":
		for _, s := range d.Targets() {
			if underlying(s) {
				v.Breaches = append(v.Breaches, rules.Note{Message: "top", About: s.Copy.ID})
			} else if overlaying(s) {
				v.Effects = append(v.Effects, rules.Note{Message: "effect.overlay-again", About: s.Copy.ID})
			}
		}
	case "cease":
		for _, s := range d.Targets() {
			if underlying(s) {
				v.Breaches = append(v.Breaches, rules.Note{Message: "cease", About: s.Copy.ID})
			}
		}
	}
	return v
}
