package l5r

import (
	"maps"
	"slices"

	"tabletop/board"
	"tabletop/rules"
)

func (ed edition) honorRules() []rules.Rule {
	return []rules.Rule{
		{ID: "honor.turn", Severity: board.SeveritySuspicious, State: betweenHonorableAndNot},
		{
			ID: "honor.personality", Severity: board.SeverityIllegal, Says: []string{"breach"},
			State:  upsideDownWithoutHonor,
			Action: honorOfOthers,
		},
		{
			ID: "honor.status", Severity: board.SeveritySuspicious, Says: []string{"breach"},
			Change: cameDishonorable,
			Mended: func(s rules.Subject) bool { return !s.Copy.State.Has(Dishonorable) || s.Area == rules.AreaOutOfPlay },
			Action: honorEventWithoutChange,
		},
		{
			ID: "honor.out", Severity: board.SeverityIllegal,
			Change: honorChangedAtTheBorder,
			Mended: func(rules.Subject) bool { return false },
			Restored: func(breach rules.Transition, now rules.Subject) bool {
				return now.Copy.State.Has(Dishonorable) == breach.Before.Copy.State.Has(Dishonorable)
			},
		},
		{
			ID: "honor.maximum", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: claimedPersonalHonor,
		},
		{
			ID: "honor.destroyed", Severity: board.SeverityIllegal, Says: []string{"amount", "card-effect", "lose", "lose-unknown", "if-destroyed"},
			Owe:     possiblyDestroyed,
			Action:  ed.honorForDestroyed,
			Settled: honorLost,
		},
		{
			ID: "honor.gain-action", Severity: board.SeverityIllegal, Says: []string{"taken", "rehonor"},
			Action: ed.gains(gainAction), Settled: rehonored,
		},
		{
			ID: "honor.gain-attach", Severity: board.SeverityIllegal, Says: []string{"taken", "rehonor"},
			Action: ed.gains(gainAttach), Settled: rehonored,
		},
		{
			ID: "honor.gain-battle", Severity: board.SeverityIllegal, Says: []string{"taken", "rehonor"},
			Action: ed.gains(gainBattle), Settled: rehonored,
		},
		{
			ID: "honor.negated", Severity: board.SeverityIllegal, Says: ed.negatedSays(),
			Action: ed.negated, Settled: toldOnce,
		},
	}
}

func betweenHonorableAndNot(s rules.Subject) board.Severity {
	if honorUnclear(s) {
		return board.SeveritySuspicious
	}
	return ""
}

func upsideDownWithoutHonor(s rules.Subject) board.Severity {
	if s.Copy.Pose.Rotation != 180 || !s.TypeKnown() || isPersonality(s) {
		return ""
	}
	return asSeen(s)
}

func honorOfOthers(d rules.Declared) rules.Verdict {
	if d.Action.Kind != "dishonor" && d.Action.Kind != "rehonor" {
		return rules.Verdict{}
	}
	return breaches(d.Targets(), func(s rules.Subject) bool { return s.TypeKnown() && !isPersonality(s) })
}

// cameDishonorable is a suspicion about a Personality that came into play
// dishonorable and was not seen before: Personalities are normally honorable.
func cameDishonorable(t rules.Transition) board.Severity {
	s := t.After
	seenBefore := t.Before != nil && t.Before.Copy.Pose.Face == board.FaceUp
	if !t.Enters() && !t.MayEnter() || seenBefore && !t.MayEnter() || !isPersonality(s) || !s.Copy.State.Has(Dishonorable) || t.TakesBack(Dishonorable) || overlaying(s) {
		return ""
	}
	return board.SeveritySuspicious
}

// honorEventWithoutChange holds that a Personality is dishonored or rehonored
// only by going from the one to the other.
func honorEventWithoutChange(d rules.Declared) rules.Verdict {
	event := d.Param(paramEvent)
	if d.Action.Kind != "trait" || event != "dishonor" && event != "rehonor" {
		return rules.Verdict{}
	}
	return breaches(d.Targets(), func(s rules.Subject) bool {
		return isPersonality(s) && dishonorable(s) != (event == "dishonor")
	})
}

// dishonorable says whether a Personality is: as the table shows, but for what
// was declared or has come about since and the table doesn't show yet.
func dishonorable(s rules.Subject) bool { return declaredDishonorable(s) && !toBeRehonored(s) }

// declaredDishonorable leaves out what an honor gain brought about.
func declaredDishonorable(s rules.Subject) bool {
	switch {
	case s.Marked(markRehonored):
		return false
	case s.Marked(markDishonored):
		return true
	}
	return s.Copy.State.Has(Dishonorable)
}

// toBeRehonored says whether a Personality was rehonored in place of an honor
// gain and only lies as before: the table owes the turn, the game has had it.
func toBeRehonored(s rules.Subject) bool {
	for _, p := range s.Table().Prompts() {
		if p.Message == "rehonor" && isGain(p.Rule) && slices.Contains(p.Copies, s.Copy.ID) {
			return true
		}
	}
	return false
}

func isGain(rule board.RuleID) bool {
	return rule == "honor.gain-action" || rule == "honor.gain-attach" || rule == "honor.gain-battle"
}

// declaresHonor notes that Personalities are dishonored or rehonored by
// declaration, as far as the table doesn't show it.
func declaresHonor(d rules.Declared, g *board.Game) {
	dishonors := d.Action.Kind == "dishonor"
	for _, s := range d.Targets() {
		unmark(g, s.Copy.ID, markRehonored, markDishonored)
		if s.Copy.State.Has(Dishonorable) != dishonors {
			mark(g, s.Copy.ID, map[bool]string{true: markDishonored, false: markRehonored}[dishonors])
		}
	}
}

// remembersHonor corrects what is remembered of an action's copies where the
// table didn't show their honor.
func remembersHonor(d rules.Declared, g *board.Game) {
	if len(g.Past) == 0 || g.Past[len(g.Past)-1].Action != d.Action.ID {
		return
	}
	copies := g.Past[len(g.Past)-1].Copies
	for id, words := range copies {
		s, ok := d.Table.Subject(id)
		if !ok || !isPersonality(s) || dishonorable(s) == words.Has(Dishonorable) {
			continue
		}
		now := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == Dishonorable })
		if dishonorable(s) {
			now = append(now, Dishonorable)
		}
		copies[id] = board.NewState(now...)
	}
}

// honorShown drops what was declared of a Personality's honor once the table
// shows it. One that crosses the border of play takes it along: leaving or
// entering play changes nothing, and how it left may be declared afterwards.
func honorShown(t rules.Transition, leaves bool, g *board.Game) bool {
	id := t.Before.Copy.ID
	switch {
	case leaves && t.Before.Copy.State.Has(Dishonorable) && isPersonality(*t.Before) && !dishonorable(*t.Before):
		return mark(g, id, markRehonored)
	case t.After.Area == rules.AreaOutOfPlay || t.Before.Area == rules.AreaOutOfPlay:
		return false
	case t.After.Copy.State.Has(Dishonorable):
		return unmark(g, id, markDishonored)
	}
	return unmark(g, id, markRehonored)
}

// honorChangedAtTheBorder compares the honor of a face-up Personality before and
// after it left or entered play. To be turned on the way as it was declared to
// be is no change.
func honorChangedAtTheBorder(t rules.Transition) board.Severity {
	if t.Before == nil || t.Gone() || !t.Leaves() && !t.Enters() {
		return ""
	}
	was, now := *t.Before, t.After
	if !isPersonality(was) || !isPersonality(now) || was.Copy.Pose.Face != board.FaceUp || now.Copy.Pose.Face != board.FaceUp ||
		!now.Copy.Pose.Rotation.Known() || was.Copy.State.Has(Dishonorable) == now.Copy.State.Has(Dishonorable) ||
		dishonorable(was) == now.Copy.State.Has(Dishonorable) || overlaying(now) {
		return ""
	}
	return board.SeverityIllegal
}

func claimedPersonalHonor(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind != "personal-honor" {
		return v
	}
	for _, s := range d.Copies() {
		if dishonorable(s) && d.Action.Amount > 0 {
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID, Amount: d.Action.Amount})
			continue
		}
		if n, ok := currentHonor(s); ok {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.personal-honor", About: s.Copy.ID, Amount: n})
		}
	}
	return v
}

// possiblyDestroyed is what a dishonorable Personality leaves behind that goes
// to the discard pile while nobody has said yet whether it was destroyed.
func possiblyDestroyed(t rules.Transition) []rules.Debt {
	if !t.Leaves() || !isDiscard(t.After.Zone.Kind) || !isPersonality(*t.Before) || !dishonorable(*t.Before) {
		return nil
	}
	// Before the change it may have been declared, and then it is owed already.
	if s := t.After; s.Marked(Dead) || s.Marked(Destroyed) || s.Marked(Discarded) {
		return nil
	}
	n, known := baseHonor(*t.Before)
	if known && n <= 0 {
		return nil
	}
	return []rules.Debt{{Message: "if-destroyed", Seat: t.Before.Seat, Copies: []board.CopyID{t.Before.Copy.ID}, Amount: n, Possible: true}}
}

// honorForDestroyed is the loss for a dishonorable Personality that was
// destroyed, and how it must be declared.
func (ed edition) honorForDestroyed(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "destroy":
		for _, s := range d.Targets() {
			was := s
			if s.Area == rules.AreaOutOfPlay {
				var ok bool
				if was, ok = d.Table.LeftPlay(s.Copy.ID, d.Action.At); !ok {
					continue
				}
			}
			n, known := baseHonor(was)
			if !isPersonality(was) || !dishonorable(was) || known && n <= 0 {
				continue
			}
			message := "lose"
			if !known {
				message = "lose-unknown"
			}
			v.Owes = append(v.Owes, rules.Debt{Message: message, Seat: was.Seat, Copies: []board.CopyID{s.Copy.ID}, Amount: n})
		}
	case "honor.lose":
		prompts := d.Table.Prompts()
		for _, id := range slices.Sorted(maps.Keys(prompts)) {
			p := prompts[id]
			if p.Rule != "honor.destroyed" || p.Seat != d.Action.Seat || len(d.Action.Copies) == 0 || !slices.Equal(p.Copies, d.Action.Copies) {
				continue
			}
			if p.Message != "lose-unknown" && d.Action.Amount != p.Amount {
				v.Breaches = append(v.Breaches, rules.Note{Message: "amount", About: p.Copies[0], Amount: p.Amount, Seat: p.Seat})
			}
			if ed.lossIsRulebookEffect && d.Param("as") == "card-effect" {
				v.Breaches = append(v.Breaches, rules.Note{Message: "card-effect", About: p.Copies[0]})
			}
		}
	}
	return v
}

// honorLost says whether the loss was declared; or, for a Personality of which
// it wasn't known how it left play, whether that was.
func honorLost(p board.Prompt, n rules.News) bool {
	if n.Action == nil {
		// One that comes back into play wasn't destroyed after all.
		return p.Message == "if-destroyed" && n.Transition != nil && n.Transition.After.Area == rules.AreaInPlay
	}
	a := n.Action.Action
	switch a.Kind {
	case "honor.lose":
		return a.Seat == p.Seat && (p.Message == "lose-unknown" || a.Amount == p.Amount) &&
			(len(a.Copies) == 0 || slices.Equal(a.Copies, p.Copies))
	case "destroy", "discard":
		return p.Message == "if-destroyed" && slices.Contains(a.Targets, p.Copies[0])
	case "battle.resolve":
		// A tied battle rehonors before it destroys, whatever is declared first.
		s, ok := n.Table.Subject(p.Copies[0])
		return a.Seat == "" && ok && s.Area == rules.AreaInPlay && toBeRehonored(s)
	}
	return false
}

// A gain is what an honor gain comes of.
type gain string

// The gains for which dishonorable Personalities are rehonored instead.
const (
	gainAction gain = "action"
	gainAttach gain = "attach"
	gainBattle gain = "battle"
)

// What may become of the rehonoring.
const (
	rehonorIsEffect = "effect"   // it is one of the action's own effects
	rehonorNegated  = "negated"  // "can not be rehonored"
	rehonorDoesNot  = "does-not" // "does not rehonor"
)

// gaining tells a declared action that gains honor, for whom and of what.
func gaining(d rules.Declared) (of gain, seats []board.SeatID, ok bool) {
	switch d.Action.Kind {
	case "honor.gain":
		switch d.Param(paramBecause) {
		case "", "action", "trait":
			of = gainAction
		case "attach":
			of = gainAttach
		case "battle", "ally":
			of = gainBattle
		}
		return of, []board.SeatID{d.Action.Seat}, of != ""
	case "battle.resolve":
		if d.Action.Seat != "" { // who destroyed nothing gains nothing, and nobody is rehonored for it
			return gainBattle, []board.SeatID{d.Action.Seat}, d.Action.Amount > 0
		}
		for _, s := range d.Table.Layout().Seats { // a tie
			seats = append(seats, s.ID)
		}
		return gainBattle, seats, true
	}
	return "", nil, false
}

// disgraced are the dishonorable Personalities for whose rehonoring a seat's
// honor gain is given up.
func (ed edition) disgraced(d rules.Declared, seat board.SeatID) []rules.Subject {
	of, _, ok := gaining(d)
	if !ok || d.Param(paramBecause) == "ally" && !ed.allyingRehonors() {
		return nil
	}
	var from []rules.Subject
	dishonorable := declaredDishonorable // what an earlier gain still owes is owed, not done
	switch of {
	case gainAction:
		if ed.rehonoringKeepsGain && d.Param(paramRehonor) == rehonorIsEffect {
			return nil
		}
		from = append(d.Copies(), d.Targets()...)
		if p, ok := pastAction(d, d.Param("targeted")); ok && ed.statusWhenTargeted {
			dishonorable = func(s rules.Subject) bool {
				was, known := p.Copies[s.Copy.ID]
				return was.Has(Dishonorable) || !known && declaredDishonorable(s)
			}
		}
	case gainAttach:
		from = d.Targets()
	case gainBattle:
		from = army(d.Table, seat)
	}
	var all []rules.Subject
	for _, s := range from {
		if isPersonality(s) && s.Seat == seat && dishonorable(s) {
			all = append(all, s)
		}
	}
	return all
}

// allyingRehonors: only the Samurai Edition has a gain for allying.
func (ed edition) allyingRehonors() bool { return ed.notRehonoringKeepsGain }

// gainStands says whether a seat gains the honor that an action declares for it.
func (ed edition) gainStands(d rules.Declared, seat board.SeatID) bool {
	return len(ed.disgraced(d, seat)) == 0 || ed.notRehonoringKeepsGain && d.Param(paramRehonor) == rehonorDoesNot
}

// gains is the rule that those dishonorable are rehonored and the honor isn't
// gained, for gains of one kind.
func (ed edition) gains(kind gain) func(rules.Declared) rules.Verdict {
	return func(d rules.Declared) rules.Verdict {
		var v rules.Verdict
		of, seats, ok := gaining(d)
		if !ok || of != kind {
			return v
		}
		for _, seat := range seats {
			who := ed.disgraced(d, seat)
			if len(who) == 0 || ed.gainStands(d, seat) {
				switch {
				case d.Action.Amount == 0:
				case d.Action.Seat == "":
					v.Effects = append(v.Effects, rules.Note{Message: "effect.tie-amount", Amount: d.Action.Amount})
				default:
					v.Effects = append(v.Effects, rules.Note{Message: "effect.honor-gained", Seat: seat, Amount: d.Action.Amount})
				}
				continue
			}
			var copies []board.CopyID
			for _, s := range who {
				copies = append(copies, s.Copy.ID)
			}
			if d.Param("taken") == "yes" {
				v.Breaches = append(v.Breaches, rules.Note{Message: "taken", About: copies[0], Seat: seat, Amount: d.Action.Amount, Words: names(d.Table, copies)})
				continue
			}
			v.Effects = append(v.Effects, rules.Note{Message: "effect.honor-not-gained", Seat: seat, Words: names(d.Table, copies)})
			if how := d.Param(paramRehonor); how == rehonorNegated || how == rehonorDoesNot {
				continue // that is for honor.negated to say
			}
			if d.Action.Kind == "battle.resolve" && d.Action.Seat == "" {
				v.Effects = append(v.Effects, rules.Note{Message: "effect.before-destruction", Seat: seat, Words: names(d.Table, copies)})
			}
			for _, s := range who {
				if !declaredDishonorable(s) { // rehonored since it was targeted
					v.Effects = append(v.Effects, rules.Note{Message: "effect.honorable-already", About: s.Copy.ID})
					continue
				}
				v.Owes = append(v.Owes, rules.Debt{Message: "rehonor", Seat: seat, Copies: []board.CopyID{s.Copy.ID}})
			}
		}
		return v
	}
}

// rehonored says whether a Personality that is to be rehonored was, or can't be
// any more.
func rehonored(p board.Prompt, n rules.News) bool {
	if n.Action != nil {
		a := n.Action.Action
		return a.Kind == "rehonor.negated" && slices.Contains(a.Copies, p.Copies[0]) ||
			a.Kind == "dishonor" && slices.Contains(a.Targets, p.Copies[0])
	}
	return n.Transition != nil && (n.Transition.Gone() || !n.Transition.After.Copy.State.Has(Dishonorable))
}

// negatedSays: each edition has its own word about rehonoring that fails without
// being negated.
func (ed edition) negatedSays() []string {
	if ed.notRehonoringKeepsGain {
		return []string{"taken", "lost", "kept"}
	}
	return []string{"taken", "lost", "failed"}
}

// negated says what becomes of an honor gain whose rehonoring fails.
func (ed edition) negated(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind == "rehonor.negated" {
		for _, s := range d.Copies() {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.negated", About: s.Copy.ID})
			v.Owes = append(v.Owes, rules.Debt{Message: "lost", Seat: s.Seat, Copies: []board.CopyID{s.Copy.ID}})
		}
		return v
	}
	_, seats, ok := gaining(d)
	how := d.Param(paramRehonor)
	if !ok || how != rehonorNegated && how != rehonorDoesNot {
		return v
	}
	for _, seat := range seats {
		who := ed.disgraced(d, seat)
		switch {
		case len(who) == 0:
		case ed.gainStands(d, seat):
			v.Effects = append(v.Effects, rules.Note{Message: "effect.gain-stands", Seat: seat, About: who[0].Copy.ID, Amount: d.Action.Amount})
			v.Owes = append(v.Owes, rules.Debt{Message: "kept", Seat: seat, Copies: []board.CopyID{who[0].Copy.ID}, Amount: d.Action.Amount})
		case d.Param("taken") == "yes":
			v.Breaches = append(v.Breaches, rules.Note{Message: "taken", About: who[0].Copy.ID, Seat: seat, Amount: d.Action.Amount})
		default:
			effect, owed := "effect.negated", "lost"
			if how == rehonorDoesNot {
				effect, owed = "effect.rehonoring-fails", "failed"
			}
			v.Effects = append(v.Effects, rules.Note{Message: effect, About: who[0].Copy.ID})
			v.Owes = append(v.Owes, rules.Debt{Message: owed, Seat: seat, Copies: []board.CopyID{who[0].Copy.ID}, Amount: d.Action.Amount})
		}
	}
	return v
}

// toldOnce ends a prompt that only says what a total is now, with the next
// declared action.
func toldOnce(_ board.Prompt, n rules.News) bool { return n.Action != nil }
