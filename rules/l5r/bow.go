package l5r

import (
	"math"
	"slices"

	"tabletop/board"
	"tabletop/rules"
)

// slantedDeg is the distance from a quarter turn beyond which a card lies
// nearer to a diagonal than to any of them.
const slantedDeg = 22.5

func (ed edition) bowRules() []rules.Rule {
	return []rules.Rule{
		{ID: "bow.turn", Severity: board.SeveritySuspicious, State: betweenBowedAndNot},
		{ID: "bow.counter", Severity: board.SeverityIllegal, State: turnedCounterClockwise},
		{
			ID: "bow.in-play", Severity: board.SeverityIllegal, Says: []string{"breach"},
			State:  turnedOutOfPlay,
			Action: bowedOutOfPlay,
		},
		{
			ID: "bow.enter", Severity: ed.entersBowed,
			Change: ed.enteredBowed,
			Mended: ed.noLongerEnteredBowed,
		},
		{
			ID: "bow.enter-bowed", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: enteringIsNoBowing,
		},
		{
			ID: "bow.ability", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: abilityOfBowed,
		},
		{
			ID: "bow.assign", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Change: wentToBattleBowed,
			Mended: notBowedAtBattle,
			Action: assignedBowed,
		},
		{
			ID: "bow.force", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: claimedForce,
		},
	}
}

// slanted says whether a copy in play lies nearer to a diagonal than to a
// quarter turn, so that nobody can tell one turn from the next.
func slanted(s rules.Subject) bool {
	fromQuarter := math.Abs(math.Remainder(s.AngleDeg, 90))
	return s.Area != rules.AreaOutOfPlay && !s.Copy.Pose.Rotation.Known() && fromQuarter > slantedDeg
}

// honorUnclear says whether a slanted Personality lies between a turn that is
// honorable and one that isn't: top to the lower right (90 or 180) or to the
// upper left (270 or 0). One that lies between upright and bowed (or between
// both with dishonor) is clear in its honor.
func honorUnclear(s rules.Subject) bool {
	axisKnown := s.Copy.Pose.AngleModulo == 0 || s.Copy.Pose.AngleModulo == 360
	return slanted(s) && isPersonality(s) && axisKnown &&
		math.Abs(math.Remainder(s.AngleDeg-135, 180)) < 45
}

func betweenBowedAndNot(s rules.Subject) board.Severity {
	if slanted(s) && !honorUnclear(s) {
		return board.SeveritySuspicious
	}
	return ""
}

// turnedCounterClockwise leaves cards out of play to turnedOutOfPlay: one fact
// gives one finding.
func turnedCounterClockwise(s rules.Subject) board.Severity {
	if s.Copy.Pose.Rotation != 270 || s.Area == rules.AreaOutOfPlay || !s.TypeKnown() || isPersonality(s) {
		return ""
	}
	return asSeen(s)
}

func turnedOutOfPlay(s rules.Subject) board.Severity {
	turn, face := s.Copy.Pose.Rotation, s.Copy.Pose.Face
	switch {
	case s.Area != rules.AreaOutOfPlay || turn != 90 && turn != 270:
		return ""
	case s.TypeKnown():
		return asSeen(s)
	case face == board.FaceUp:
		return board.SeveritySuspicious
	}
	return ""
}

func bowedOutOfPlay(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "bow" && d.Action.Kind != "straighten" {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool { return s.Area == rules.AreaOutOfPlay })
}

// breaches is a breach for each of the cards that break a rule.
func breaches(cards []rules.Subject, breaks func(rules.Subject) bool) rules.Verdict {
	var v rules.Verdict
	for _, s := range cards {
		if breaks(s) {
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID, Seat: s.Seat})
		}
	}
	return v
}

// enteredBowed is only a suspicion for a card that came from outside the
// camera's view (it may have been there before and not been recognised) or from
// a province (it may have been in play there).
func (ed edition) enteredBowed(t rules.Transition) board.Severity {
	s := t.After
	switch {
	case !t.Enters() && !t.MayEnter() || !s.Copy.State.Has(Bowed) || !s.TypeKnown() || t.TakesBack(Bowed) || overlaying(s):
		return ""
	case ed.holdingsEnterBowed && s.Is(holding):
		return ""
	case t.Before == nil || t.MayEnter() || asSeen(s) != board.SeverityIllegal:
		return board.SeveritySuspicious
	}
	return ed.entersBowed
}

func (ed edition) noLongerEnteredBowed(s rules.Subject) bool {
	return !s.Copy.State.Has(Bowed) || ed.holdingsEnterBowed && s.Is(holding) || overlaying(s)
}

// enteringIsNoBowing holds that nothing that waits for a card to bow is
// triggered by one that entered play bowed.
func enteringIsNoBowing(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "trait" || d.Param(paramEvent) != "bow" {
		return rules.Verdict{}
	}
	return breaches(d.Targets(), func(s rules.Subject) bool { return s.Marked(markEnterBowed) })
}

func abilityOfBowed(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "ability" {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool { return s.Copy.State.Has(Bowed) })
}

// wentToBattleBowed is no more than a suspicion: an effect may have moved the
// unit there.
func wentToBattleBowed(t rules.Transition) board.Severity {
	from, to := t.ZoneKind()
	s := t.After
	if from != board.ZoneHome || to != board.ZoneBattlefield || !isPersonality(s) ||
		!t.Before.Copy.State.Has(Bowed) || !s.Copy.State.Has(Bowed) || s.Marked(markMoving) {
		return ""
	}
	return board.SeveritySuspicious
}

func notBowedAtBattle(s rules.Subject) bool {
	return !s.Copy.State.Has(Bowed) || s.Zone.Kind != board.ZoneBattlefield || s.Marked(markMoving)
}

func assignedBowed(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "assign" {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool { return isPersonality(s) && s.Copy.State.Has(Bowed) })
}

// claimedForce says what the cards of a unit give, and that a claim must not
// count bowed cards as if they were not. What effects add no camera sees, so any
// other number stands.
func claimedForce(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind != "force" {
		return v
	}
	for _, s := range d.Copies() {
		p, ok := unitOf(s)
		if !ok {
			continue
		}
		f := forceOf(p)
		if !f.known {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.force-unknown", About: p.Copy.ID})
			continue
		}
		if f.bowed > 0 && d.Action.Amount == f.unbowed+f.bowed {
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: p.Copy.ID, Amount: f.unbowed, Words: names(d.Table, f.which)})
			continue
		}
		message := "effect.force"
		if len(f.which) > 0 {
			message = "effect.force-bowed"
		}
		v.Effects = append(v.Effects, rules.Note{Message: message, About: p.Copy.ID, Amount: f.unbowed, Words: names(d.Table, f.which)})
	}
	return v
}

// names are the names of cards, as a list.
func names(t rules.Table, ids []board.CopyID) string {
	text := ""
	for _, s := range t.Subjects(slices.Clone(ids)) {
		if text != "" {
			text += ", "
		}
		if s.Card.Name != "" {
			text += s.Card.Name
		} else {
			text += string(s.Copy.ID)
		}
	}
	return text
}
