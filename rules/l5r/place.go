package l5r

import (
	"slices"
	"time"

	"tabletop/board"
	"tabletop/rules"
)

// unitPatience is how long a card may lie apart from its unit: a player moves a
// unit card by card, and adjusts how its cards overlap.
const unitPatience = 3 * time.Second

func (ed edition) placeRules() []rules.Rule {
	return []rules.Rule{
		{
			ID: "place.location", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: outOfPlayIsNoLocation,
		},
		{
			ID: "place.enter", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Change: ed.enteredElsewhere,
			Mended: notAtBattle,
			Action: ed.declaredElsewhere,
		},
		{
			ID: "place.unit", Severity: board.SeverityIllegal, Near: true, Patience: unitPatience, Says: []string{"breach"},
			State:  ed.aloneAwayFromHome,
			Action: leavesHomeAlone,
		},
		{
			ID: "place.move", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: calledMovement,
		},
		{
			ID: "place.home", Severity: board.SeverityIllegal, Says: []string{"breach", "go"},
			Action:  ed.movesHome,
			Settled: isHome,
		},
	}
}

// outOfPlayIsNoLocation holds that nothing moves to, or is located in, an area
// out of play.
func outOfPlayIsNoLocation(d rules.Declared) rules.Verdict {
	zone, ok := d.Table.Layout().Zone(d.Action.Zone)
	if d.Action.Kind != "move" && d.Action.Kind != "move-home" || !ok || outArea(zone.Kind) == "" && !special(zone.Kind) {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(rules.Subject) bool { return true })
}

// entersAtHome says whether cards of this type enter play at home, and how sure
// it is: an attachment may come into a unit at a battlefield by an effect.
func (ed edition) entersAtHome(s rules.Subject) board.Severity {
	switch {
	case isTerrain(s):
		return "" // SE: they enter at the battlefield; EE: they are in play there
	case isPersonality(s) || s.Is(holding):
		return board.SeverityIllegal
	case isAttachment(s):
		return board.SeveritySuspicious
	}
	return ""
}

// enteredElsewhere judges a card that came into play at a battlefield. One from
// outside the camera's view may have been at home before.
func (ed edition) enteredElsewhere(t rules.Transition) board.Severity {
	s := t.After
	if !t.Enters() || s.Zone.Kind != board.ZoneBattlefield || overlaying(s) {
		return ""
	}
	severity := ed.entersAtHome(s)
	if severity == board.SeverityIllegal && (t.Before == nil || asSeen(s) != board.SeverityIllegal) {
		return board.SeveritySuspicious
	}
	return severity
}

func notAtBattle(s rules.Subject) bool {
	return s.Zone.Kind != board.ZoneBattlefield || overlaying(s)
}

// declaredElsewhere holds against a declaration where a card enters play.
func (ed edition) declaredElsewhere(d rules.Declared) rules.Verdict {
	zone, ok := d.Table.Layout().Zone(d.Action.Zone)
	if d.Action.Kind != "enter" || !ok {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool {
		if isTerrain(s) && ed.terrainsEnterAtBattle {
			return zone.Kind != board.ZoneBattlefield
		}
		return zone.Kind != board.ZoneHome && zone.Kind != board.ZoneProvince && !isTerrain(s)
	})
}

// aloneAwayFromHome finds cards at a battlefield that are in no unit. Terrains
// are in play there; Regions, at the province that is attacked.
func (ed edition) aloneAwayFromHome(s rules.Subject) board.Severity {
	if s.Zone.Kind != board.ZoneBattlefield || !staysInPlay(s) || isPersonality(s) || isTerrain(s) || s.Is(region) && s.Marked(markAttached) {
		return ""
	}
	if !isAttachment(s) {
		return asSeen(s)
	}
	if _, ok := bearer(s); ok {
		return ""
	}
	// It may lie a little beside the unit that it is in.
	return board.SeveritySuspicious
}

// leavesHomeAlone holds that a card in no unit goes to no battlefield.
func leavesHomeAlone(d rules.Declared) rules.Verdict {
	zone, _ := d.Table.Layout().Zone(d.Action.Zone)
	if d.Action.Kind != "assign" && (d.Action.Kind != "move" || zone.Kind != board.ZoneBattlefield) {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool {
		_, inUnit := unitOf(s)
		return staysInPlay(s) && !inUnit && !isTerrain(s) && !s.Is(region)
	})
}

// noMovement are the changes of location that are none.
func noMovement() []string { return []string{"assign", "control", "return", "battlefield-ended"} }

// calledMovement holds that what is no movement isn't called so, and nothing
// that waits for a unit to move is triggered by it.
func calledMovement(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch {
	case d.Action.Kind == "move" && slices.Contains(noMovement(), d.Param(paramBecause)):
		return breaches(d.Copies(), func(rules.Subject) bool { return true })
	case d.Action.Kind == "move":
		for _, s := range d.Copies() {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.moves", About: s.Copy.ID})
		}
	case d.Action.Kind == "trait" && d.Param(paramEvent) == "move":
		return breaches(d.Targets(), func(s rules.Subject) bool { return s.Marked(markNoMovement) })
	case d.Action.Kind == "assign":
		for _, s := range d.Copies() {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.no-movement", About: s.Copy.ID})
		}
	}
	return v
}

// movesHome holds that a unit moves home to its controller's home, and says to
// which side of a battlefield it moves. Whether a unit may move into an army that
// isn't its controller's, the source leaves to its section on the Combat Segment.
func (ed edition) movesHome(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "move-home":
		zone, given := d.Table.Layout().Zone(d.Action.Zone)
		for _, s := range d.Copies() {
			unit, ok := unitOf(s)
			if !ok {
				unit = s
			}
			if given && (zone.Kind != board.ZoneHome || zone.Seat != unit.Seat) {
				v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: unit.Copy.ID, Seat: unit.Seat})
				continue
			}
			if !atHomeOf(unit, unit.Seat) {
				v.Owes = append(v.Owes, rules.Debt{Message: "go", Seat: unit.Seat, Copies: []board.CopyID{unit.Copy.ID}})
			}
		}
	case "move":
		side := d.Param("to")
		battle := d.Table.Game().Battle
		if !ed.movesToAttack || side == "" {
			return v
		}
		for _, s := range d.Copies() {
			unit, ok := unitOf(s)
			if !ok {
				unit = s
			}
			if battle == nil || side == "attack" && unit.Seat != battle.Attacker || side == "defend" && unit.Seat != battle.Defender {
				v.Effects = append(v.Effects, rules.Note{Message: "effect.side-unsure", About: unit.Copy.ID, Seat: unit.Seat})
				continue
			}
			v.Effects = append(v.Effects, rules.Note{Message: "effect.moves-to-" + side, About: unit.Copy.ID, Seat: unit.Seat})
		}
	}
	return v
}

func atHomeOf(s rules.Subject, seat board.SeatID) bool {
	return s.Zone.Kind == board.ZoneHome && s.Zone.Seat == seat
}

// isHome says whether a unit that is to go home is there, or gone.
func isHome(p board.Prompt, n rules.News) bool {
	t := n.Transition
	return t != nil && (t.Gone() || t.After.Area == rules.AreaOutOfPlay || atHomeOf(t.After, p.Seat))
}
