package l5r

import (
	"slices"

	"tabletop/board"
	"tabletop/rules"
)

func (ed edition) controlRules() []rules.Rule {
	return []rules.Rule{
		{
			ID: "control.enter", Severity: board.SeveritySuspicious, Says: []string{"breach"},
			Change: enteredForAnother,
			Mended: func(s rules.Subject) bool {
				_, given := s.Table().Game().Controllers[s.Copy.ID]
				return given || s.Zone.Kind != board.ZoneHome || s.Zone.Seat == s.Copy.Owner
			},
			Action: declaredForAnother,
		},
		{
			ID: "control.use", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: usedByAnother,
		},
		{
			ID: "control.change", Severity: board.SeverityIllegal, Says: ed.changeSays(),
			Change:  wentToAnotherHome,
			Mended:  controlAgrees,
			Action:  ed.givesControl,
			Settled: wentToController,
		},
		{
			ID: "control.unit", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: unitOfAnother,
		},
		{
			ID: "text.perspective", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: readFromAnotherSide,
		},
		{
			ID: "owner.fixed", Severity: board.SeverityIllegal,
			State: inAnothersPile,
		},
	}
}

// enteredForAnother is a suspicion about a card that came into play out of one
// player's area and lies in the home of another: who brought it in controls it.
func enteredForAnother(t rules.Transition) board.Severity {
	s := t.After
	if !t.Enters() || t.Before == nil || t.Before.Zone.Seat == "" || s.Zone.Kind != board.ZoneHome ||
		s.Zone.Seat == t.Before.Zone.Seat || !staysInPlay(s) {
		return ""
	}
	if _, ok := bearer(s); ok { // attached to another's Personality
		return ""
	}
	if _, given := s.Table().Game().Controllers[s.Copy.ID]; given {
		return ""
	}
	return board.SeveritySuspicious
}

func declaredForAnother(d rules.Declared) rules.Verdict {
	zone, ok := d.Table.Layout().Zone(d.Action.Zone)
	if d.Action.Kind != "enter" || !ok || zone.Kind != board.ZoneHome || zone.Seat == d.Action.Seat {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool {
		_, attached := bearer(s)
		return !attached
	})
}

func usedByAnother(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "ability" && d.Action.Kind != "pay" {
		return rules.Verdict{}
	}
	return breaches(d.Copies(), func(s rules.Subject) bool {
		return s.Area == rules.AreaInPlay && s.Seat != "" && s.Seat != d.Action.Seat
	})
}

// wentToAnotherHome is a suspicion about a card that was carried from one
// player's home to another's though nobody declared that it changes control.
func wentToAnotherHome(t rules.Transition) board.Severity {
	if t.Before == nil || t.Gone() || t.Before.Zone.Kind != board.ZoneHome || t.After.Zone.Kind != board.ZoneHome ||
		t.Before.Zone.Seat == t.After.Zone.Seat || !staysInPlay(t.After) || controlAgrees(t.After) {
		return ""
	}
	return board.SeveritySuspicious
}

// controlAgrees says whether a card lies in the home of a player who is known to
// control it, or in none.
func controlAgrees(s rules.Subject) bool {
	if s.Zone.Kind != board.ZoneHome {
		return true
	}
	if given, ok := s.Table().Game().Controllers[s.Copy.ID]; ok {
		return given == s.Zone.Seat
	}
	b, attached := bearer(s)
	return attached && b.Seat == s.Zone.Seat
}

func (ed edition) changeSays() []string {
	if ed.regionsStay {
		return []string{"duration", "go"}
	}
	return []string{"duration", "go", "go-unless-attached"}
}

// givesControl says where a card goes that changes control, and that the change
// has no duration.
func (ed edition) givesControl(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind != "control" {
		return v
	}
	to := board.SeatID(d.Param("to"))
	for _, s := range d.Targets() {
		if d.Param("until") != "" {
			v.Breaches = append(v.Breaches, rules.Note{Message: "duration", About: s.Copy.ID, Words: d.Param("until")})
			continue
		}
		_, attached := bearer(s)
		switch {
		case attached && ed.attachmentsStay:
			v.Effects = append(v.Effects, rules.Note{Message: "effect.control-attached", About: s.Copy.ID, Seat: to})
		case s.Is(region) && s.Zone.Kind == board.ZoneProvince && !ed.regionsStay && !s.Marked(markAttached):
			v.Effects = append(v.Effects, rules.Note{Message: "effect.control-region-unsure", About: s.Copy.ID, Seat: to})
			v.Owes = append(v.Owes, rules.Debt{Message: "go-unless-attached", Seat: to, Copies: []board.CopyID{s.Copy.ID}, Possible: true})
		case s.Is(region) && s.Zone.Kind == board.ZoneProvince && (ed.regionsStay || s.Marked(markAttached)):
			v.Effects = append(v.Effects, rules.Note{Message: "effect.control-region", About: s.Copy.ID, Seat: to})
		case s.Zone.Kind == board.ZoneBattlefield && ed.controlStaysAtBattle:
			v.Effects = append(v.Effects, rules.Note{Message: "effect.control-side", About: s.Copy.ID, Seat: to})
		case !atHomeOf(s, to):
			v.Effects = append(v.Effects, rules.Note{Message: "effect.control-home", About: s.Copy.ID, Seat: to})
			v.Owes = append(v.Owes, rules.Debt{Message: "go", Seat: to, Copies: []board.CopyID{s.Copy.ID}})
		}
	}
	return v
}

// wentToController says whether a card is at its new controller's, or gone; or
// is known to stay, or to be another's by now.
func wentToController(p board.Prompt, n rules.News) bool {
	if n.Action == nil {
		return isHome(p, n)
	}
	switch a := n.Action.Action; a.Kind {
	case "control":
		return slices.Contains(a.Targets, p.Copies[0]) && a.Params["to"] != string(p.Seat)
	case "attach":
		return p.Message == "go-unless-attached" && slices.Contains(a.Copies, p.Copies[0])
	}
	return false
}

// unitOfAnother holds that a unit acts for its Personality's controller.
func unitOfAnother(d rules.Declared) rules.Verdict {
	if !slices.Contains([]board.ActionKind{"attack", "assign", "move", "move-home"}, d.Action.Kind) || d.Action.Seat == "" {
		return rules.Verdict{}
	}
	if d.Action.Kind == "move" || d.Action.Kind == "move-home" {
		return rules.Verdict{} // an effect of anyone may move it
	}
	return breaches(d.Copies(), func(s rules.Subject) bool {
		unit, ok := unitOf(s)
		return ok && unit.Seat != "" && unit.Seat != d.Action.Seat
	})
}

func readFromAnotherSide(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "read" {
		return rules.Verdict{}
	}
	var v rules.Verdict
	for _, s := range d.Copies() {
		switch r := reader(s); r {
		case "", board.SeatID(d.Param("as")):
		default:
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID, Seat: r})
		}
	}
	return v
}

// inAnothersPile finds a card in the deck, discard pile or hand of a player who
// doesn't own it. Whose it is, the camera has from where it first lay.
func inAnothersPile(s rules.Subject) board.Severity {
	switch outArea(s.Zone.Kind) {
	case "discard", "deck", "hand":
	default:
		return ""
	}
	if s.Zone.Seat == "" || s.Copy.Owner == "" || s.Zone.Seat == s.Copy.Owner {
		return ""
	}
	if c := s.Copy.Corrected; c != nil && c.Owner != nil && s.Copy.Card != nil {
		return board.SeverityIllegal
	}
	return board.SeveritySuspicious
}
