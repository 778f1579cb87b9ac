package l5r

import (
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

// A limit is one of the things that a card out of play may not do or undergo. A
// reference to an area lifts each of them separately.
const (
	limitTarget     = "target"
	limitAct        = "act"
	limitAbility    = "ability"
	limitTrait      = "trait"
	limitCost       = "cost"
	limitContinuous = "continuous"
	limitEffect     = "effect"
)

// The parameters by which a declared action says what the text in question says.
const (
	paramLifts   = "lifts"     // "target:discard effect:discard": what the text's references lift
	paramArea    = "area"      // of a card that doesn't lie on the table: "hand"
	paramTakes   = "takes-out" // "yes": the cost itself takes the card out of its area
	paramDelayed = "delayed"   // the id of the action by which the effect was activated
	paramEvent   = "event"     // what a triggered trait waits for: "bow", "move", …
	paramBecause = "because"   // of what an honor gain, or a change of location, comes
	paramRehonor = "rehonor"   // what becomes of the rehonoring
)

// thing is a card that an action is about; one that doesn't lie on the table
// has no copy.
type thing struct {
	rules.Subject
	area    string // out of play: "discard", …; empty where it is in play or that can't be told
	special bool   // in a resolution, entering-play or focusing area
}

func thingOf(s rules.Subject) thing {
	if top, ok := above(s); ok {
		return thing{Subject: top} // the stack is one card
	}
	return thing{Subject: s, area: outArea(s.Zone.Kind), special: special(s.Zone.Kind)}
}

// things are the copies and, if the action names an area, a card in it that
// nobody sees.
func things(d rules.Declared, subjects []rules.Subject) []thing {
	var all []thing
	for _, s := range subjects {
		all = append(all, thingOf(s))
	}
	if a := d.Param(paramArea); a != "" {
		kind := board.ZoneKind(a)
		all = append(all, thing{area: map[bool]string{false: a}[special(kind)], special: special(kind)})
	}
	return all
}

// own is a reference to cards that one owns, wherever they are.
const own = "own"

// lifted says whether the action's text lifts a limit for an area. "out" stands
// for a reference to all areas out of play.
func lifted(d rules.Declared, limit, area string) bool {
	return slices.ContainsFunc(references(d), func(r [2]string) bool {
		return r[0] == limit && r[1] != own && (r[1] == area || r[1] == "out")
	})
}

// references are the pairs of limit and area that a text refers to.
func references(d rules.Declared) [][2]string {
	var all [][2]string
	for _, word := range strings.FieldsFunc(d.Param(paramLifts), func(r rune) bool { return r == ' ' || r == ',' }) {
		if limit, area, ok := strings.Cut(word, ":"); ok {
			all = append(all, [2]string{limit, area})
		}
	}
	return all
}

// bound are the things of an action that a limit holds for, with those that a
// reference lifts it from.
func (ed edition) bound(d rules.Declared, limit string) (bound, free []thing) {
	for _, t := range ed.subjectTo(d, limit) {
		switch {
		case t.area == "":
			if limit == limitCost && ed.resolvingMayNotPay && t.special {
				bound = append(bound, t)
			}
		case lifted(d, limit, t.area):
			free = append(free, t)
		default:
			bound = append(bound, t)
		}
	}
	return bound, free
}

// effectKinds are the actions that are effects on their targets.
func effectKinds() []board.ActionKind {
	return []board.ActionKind{"effect", "destroy", "discard", "rehonor", "dishonor", "control"}
}

// subjectTo are the things of an action to which a limit may apply.
func (ed edition) subjectTo(d rules.Declared, limit string) []thing {
	kind := d.Action.Kind
	copies, targets := d.Copies(), d.Targets()
	switch {
	case limit == limitTarget && kind == "target",
		limit == limitEffect && slices.Contains(effectKinds(), kind):
		return things(d, targets)
	case limit == limitTarget && kind == "ability":
		var all []thing
		for _, s := range targets {
			all = append(all, thingOf(s))
		}
		return all
	case limit == limitAct && ed.mayNotAct && (kind == "attack" || kind == "assign" || kind == "perform"),
		limit == limitAbility && kind == "ability",
		limit == limitTrait && kind == "trait",
		limit == limitCost && kind == "pay",
		limit == limitContinuous && kind == "continuous":
		return things(d, copies)
	}
	return nil
}

func (ed edition) inPlayRules() []rules.Rule {
	// limitRule is a rule that a card out of play breaks by what is declared.
	limitRule := func(id board.RuleID, limits ...string) rules.Rule {
		return rules.Rule{
			ID: id, Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: func(d rules.Declared) rules.Verdict {
				var v rules.Verdict
				for _, limit := range limits {
					bound, free := ed.bound(d, limit)
					for _, t := range bound {
						if !ed.excepted(d, limit, t) {
							v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: t.Copy.ID, Words: place(t)})
						}
					}
					for _, t := range free {
						v.Effects = append(v.Effects, rules.Note{Message: "effect.lifted", About: t.Copy.ID, Words: t.area})
					}
					for _, t := range ed.subjectTo(d, limit) {
						if t.Copy.ID != "" && t.Area == rules.AreaUndetermined {
							v.Effects = append(v.Effects, rules.Note{Message: "effect.area-unsure", About: t.Copy.ID})
						}
					}
				}
				return v
			},
		}
	}
	return []rules.Rule{
		{
			ID: "in-play.area", Severity: board.SeverityInfo,
			State: inNoArea,
		},
		limitRule("in-play.target", limitTarget, limitAct),
		limitRule("in-play.ability", limitAbility, limitTrait),
		limitRule("in-play.cost", limitCost),
		limitRule("in-play.continuous", limitContinuous),
		limitRule("in-play.effects", limitEffect),
		{
			ID: "in-play.override", Severity: board.SeverityIllegal, Says: []string{"breach", "own"},
			Action: ed.overreaching,
		},
		{
			ID: "in-play.enter-cost", Severity: board.SeverityIllegal, Says: []string{"conditions", "costs"},
			Action: entersInOrder,
		},
		{
			ID: "discard.destroyed", Severity: board.SeverityIllegal, Says: ed.destructionSays(),
			Action:  ed.destruction,
			Settled: reachedPile,
		},
		{
			ID: "dead.state", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: ed.calledDead,
		},
	}
}

// place is a thing's area in words; the message of a breach shows it where the
// card itself has no place.
func place(t thing) string {
	if t.Copy.ID != "" {
		return ""
	}
	if t.special {
		return "–"
	}
	return t.area
}

// inNoArea remarks on a known card that lies in none of the areas of a
// calibrated table: whether it is in play can't be told.
func inNoArea(s rules.Subject) board.Severity {
	if s.Copy.Card == nil || s.Zone.ID != "" || len(s.Table().Layout().Zones) == 0 {
		return ""
	}
	return board.SeverityInfo
}

// excepted are the exceptions that an edition makes beside references.
func (ed edition) excepted(d rules.Declared, limit string, t thing) bool {
	switch limit {
	case limitCost:
		return ed.costMayTakeOut && d.Param(paramTakes) == "yes" && !t.special
	case limitContinuous:
		return !slices.ContainsFunc(d.Action.Targets, func(id board.CopyID) bool { return id != t.Copy.ID })
	case limitEffect:
		byLeaving := d.Action.Kind == "destroy" || d.Action.Kind == "discard"
		return ed.delayedReachesOut && wasInPlay(d, t.Copy.ID) || byLeaving && leftPlay(d, t.Subject)
	}
	return false
}

// wasInPlay says whether a copy was in play when the delayed effect that the
// action names was activated.
func wasInPlay(d rules.Declared, id board.CopyID) bool {
	p, ok := pastAction(d, d.Param(paramDelayed))
	return ok && p.Copies[id].Has(rules.InPlay)
}

func pastAction(d rules.Declared, id string) (board.Past, bool) {
	past := d.Table.Game().Past
	i := slices.IndexFunc(past, func(p board.Past) bool { return string(p.Action) == id })
	if i < 0 || id == "" {
		return board.Past{}, false
	}
	return past[i], true
}

// overreaching is to take a reference for more than it says: for another limit,
// for another area, or for one at all where it only says "own".
func (ed edition) overreaching(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	refs := references(d)
	if len(refs) == 0 {
		return v
	}
	for _, limit := range []string{limitTarget, limitAct, limitAbility, limitTrait, limitCost, limitContinuous, limitEffect} {
		bound, _ := ed.bound(d, limit)
		for _, t := range bound {
			if ed.excepted(d, limit, t) {
				continue
			}
			message := "breach"
			if slices.ContainsFunc(refs, func(r [2]string) bool { return r[0] == limit && r[1] == own }) {
				message = "own"
			}
			v.Breaches = append(v.Breaches, rules.Note{Message: message, About: t.Copy.ID, Words: d.Param(paramLifts)})
		}
	}
	return v
}

// entersInOrder holds that conditions of entering play come before its costs,
// and both before it enters.
func entersInOrder(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "conditions":
		for _, s := range d.Copies() {
			if d.Param("met") == "no" {
				v.Effects = append(v.Effects, rules.Note{Message: "effect.conditions-unmet", About: s.Copy.ID})
			}
		}
	case "pay", "enter":
		entering := d.Copies()
		if d.Action.Kind == "pay" {
			entering = d.Table.Subjects([]board.CopyID{board.CopyID(d.Param("for"))})
		}
		for _, s := range entering {
			switch {
			case !s.Marked(markConditions):
				v.Breaches = append(v.Breaches, rules.Note{Message: "conditions", About: s.Copy.ID})
			case d.Action.Kind == "enter" && !s.Marked(markCosts):
				v.Breaches = append(v.Breaches, rules.Note{Message: "costs", About: s.Copy.ID})
			}
		}
	}
	return v
}

// destruction says what destroying and discarding cards brings, and holds what
// they are called afterwards against it.
func (ed edition) destruction(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "destroy", "discard":
		for _, s := range d.Targets() {
			if s.Area == rules.AreaInPlay {
				v.Owes = append(v.Owes, rules.Debt{Message: "pile", Seat: s.Copy.Owner, Copies: []board.CopyID{s.Copy.ID}})
			}
			message := "effect.discarded"
			if d.Action.Kind == "destroy" {
				message = "effect.destroyed-other"
				if isPersonality(s) {
					message = "effect.destroyed-" + ed.destroyedWord
				}
			}
			v.Effects = append(v.Effects, rules.Note{Message: message, About: s.Copy.ID})
		}
	case "refer":
		if as := d.Param("as"); as == Destroyed || as == Dead {
			for _, s := range d.Targets() {
				switch {
				case s.TypeKnown() && !isPersonality(s) && !ed.othersForgetful:
					if as == Destroyed { // "dead" is for dead.state
						v.Effects = append(v.Effects, rules.Note{Message: "effect.destroyed-unsaid", About: s.Copy.ID})
					}
				case s.TypeKnown() && !isPersonality(s):
					v.Breaches = append(v.Breaches, rules.Note{Message: "other-card", About: s.Copy.ID})
				case isPersonality(s) && isDiscard(s.Zone.Kind) && !s.Marked(ed.destroyedWord):
					v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID})
				}
			}
		}
	}
	return v
}

func (ed edition) destructionSays() []string {
	if ed.othersForgetful {
		return []string{"breach", "other-card", "pile"}
	}
	return []string{"breach", "pile"}
}

// leftPlay says whether a card out of play was seen to leave play just now, so
// that the act by which it left may still be declared.
func leftPlay(d rules.Declared, s rules.Subject) bool {
	_, ok := d.Table.LeftPlay(s.Copy.ID, d.Action.At)
	return ok
}

// reachedPile says whether a destroyed or discarded card has left play.
func reachedPile(p board.Prompt, n rules.News) bool {
	t := n.Transition
	return t != nil && len(p.Copies) > 0 && (t.Gone() || t.After.Area == rules.AreaOutOfPlay)
}

// calledDead holds "dead" against where the card is: only of Personalities in
// the discard pile.
func (ed edition) calledDead(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind != "refer" || d.Param("as") != Dead {
		return v
	}
	for _, s := range d.Targets() {
		if s.TypeKnown() && !isPersonality(s) || !isDiscard(s.Zone.Kind) || !s.Marked(Dead) {
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID})
		}
	}
	return v
}
