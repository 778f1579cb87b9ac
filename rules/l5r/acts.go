package l5r

import (
	"maps"
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

// outAreas are the values of a parameter that names an area out of play.
func outAreas() []string {
	return []string{
		"hand", "deck", "discard", "removed", "set-aside",
		string(board.ZoneResolution), string(board.ZoneEnteringPlay), string(board.ZoneFocusing),
	}
}

// acts are the kinds of action that may be declared.
func (ed edition) acts() []rules.ActKind {
	areas := strings.Join(append(outAreas(), "out", own), "|")
	lift := "(target|act|ability|trait|cost|continuous|effect):(" + areas + ")"
	lifts := rules.Param{Name: paramLifts, Need: rules.May, Pattern: lift + "([ ,]+" + lift + ")*"}
	delayed := rules.Param{Name: paramDelayed, Need: rules.May, Is: rules.ParamAction}
	hidden := rules.Param{Name: paramArea, Values: outAreas(), Need: rules.May}
	rehonor := rules.Param{Name: paramRehonor, Values: []string{rehonorIsEffect, rehonorNegated, rehonorDoesNot}, Need: rules.May}
	taken := rules.Param{Name: "taken", Values: []string{"yes", "no"}, Need: rules.May}
	acts := []rules.ActKind{
		{Kind: "target", Seat: rules.May, Copies: rules.May, Targets: rules.May, Params: []rules.Param{lifts, hidden}},
		{Kind: "perform", Seat: rules.May, Copies: rules.Must, Params: []rules.Param{lifts, hidden}},
		{Kind: "ability", Seat: rules.Must, Copies: rules.May, Targets: rules.May, Params: []rules.Param{lifts, hidden, {Name: "of", Need: rules.May, Is: rules.ParamCopy}}},
		{Kind: "trait", Seat: rules.May, Copies: rules.May, Targets: rules.May, Params: []rules.Param{
			lifts, hidden,
			{Name: paramEvent, Values: []string{"bow", "straighten", "dishonor", "rehonor", "enter", "leave", "move", "destroy", "discard"}, Need: rules.May},
		}},
		{Kind: "continuous", Seat: rules.May, Copies: rules.May, Targets: rules.May, Params: []rules.Param{lifts, hidden}},
		{Kind: "effect", Seat: rules.May, Copies: rules.May, Targets: rules.May, Params: []rules.Param{lifts, hidden, delayed}},
		{Kind: "delay", Seat: rules.May, Copies: rules.May, Targets: rules.Must},
		{Kind: "pay", Seat: rules.Must, Copies: rules.May, Params: []rules.Param{
			lifts, hidden, {Name: paramTakes, Values: []string{"yes", "no"}, Need: rules.May}, {Name: "for", Need: rules.May, Is: rules.ParamCopy},
		}},
		{Kind: "conditions", Seat: rules.May, Copies: rules.Must, Params: []rules.Param{{Name: "met", Values: []string{"yes", "no"}, Need: rules.Must}}},
		{Kind: "enter", Seat: rules.Must, Copies: rules.Must, Zone: rules.May},
		{Kind: "bow", Seat: rules.May, Copies: rules.Must},
		{Kind: "straighten", Seat: rules.May, Copies: rules.Must},
		{Kind: "dishonor", Seat: rules.May, Targets: rules.Must, Params: []rules.Param{lifts}},
		{Kind: "rehonor", Seat: rules.May, Targets: rules.Must, Params: []rules.Param{lifts}},
		{Kind: "rehonor.negated", Seat: rules.May, Copies: rules.Must},
		{Kind: "attack", Seat: rules.Must, Copies: rules.May, Zone: rules.May},
		{Kind: "assign", Seat: rules.Must, Copies: rules.Must, Zone: rules.May},
		{Kind: "move", Seat: rules.May, Copies: rules.Must, Zone: rules.May, Params: []rules.Param{
			{Name: paramBecause, Values: noMovement(), Need: rules.May}, {Name: "to", Values: []string{"attack", "defend"}, Need: rules.May},
		}},
		{Kind: "move-home", Seat: rules.May, Copies: rules.Must, Zone: rules.May},
		{Kind: "battle.resolve", Seat: rules.May, Amount: rules.May, Params: []rules.Param{rehonor, taken}},
		{Kind: "battle.end"},
		{Kind: "force", Seat: rules.May, Copies: rules.Must, Amount: rules.May, Signed: true},
		{Kind: "personal-honor", Seat: rules.May, Copies: rules.Must, Amount: rules.May, Signed: true},
		{Kind: "honor.total", Seat: rules.Must, Amount: rules.May, Signed: true},
		{Kind: "honor.gain", Seat: rules.Must, Copies: rules.May, Targets: rules.May, Amount: rules.Must, Params: []rules.Param{
			rehonor, taken, {Name: "targeted", Need: rules.May, Is: rules.ParamAction},
			{Name: paramBecause, Values: []string{"action", "trait", "attach", "battle", "ally"}, Need: rules.May},
		}},
		{Kind: "honor.lose", Seat: rules.Must, Copies: rules.May, Amount: rules.Must, Params: []rules.Param{
			{Name: "as", Values: []string{"rulebook-effect", "card-effect"}, Need: rules.May},
		}},
		{Kind: "attach", Seat: rules.May, Copies: rules.Must, Targets: rules.May, Zone: rules.May},
		{Kind: "control", Seat: rules.May, Targets: rules.Must, Params: []rules.Param{lifts, {Name: "to", Need: rules.Must, Is: rules.ParamSeat}, {Name: "until", Need: rules.May}}},
		{Kind: "destroy", Seat: rules.May, Copies: rules.May, Targets: rules.Must, Params: []rules.Param{lifts, delayed}},
		{Kind: "discard", Seat: rules.May, Copies: rules.May, Targets: rules.Must, Params: []rules.Param{lifts, delayed}},
		{Kind: "remove-from-game", Seat: rules.May, Targets: rules.Must},
		{Kind: "refer", Seat: rules.May, Targets: rules.Must, Params: []rules.Param{{Name: "as", Values: []string{Dead, Destroyed, "discarded"}, Need: rules.Must}}},
		{Kind: "read", Seat: rules.May, Copies: rules.Must, Params: []rules.Param{{Name: "as", Need: rules.Must, Is: rules.ParamSeat}}},
		{Kind: "overlay", Seat: rules.May, Copies: rules.Must, Targets: rules.Must},
		{Kind: "cease", Seat: rules.May, Targets: rules.Must},
		{Kind: "look", Seat: rules.Must, Targets: rules.Must},
		{Kind: "destroy-physically", Seat: rules.May, Targets: rules.Must},
		{Kind: "deck.include", Seat: rules.Must, Copies: rules.May, Params: []rules.Param{{Name: "card", Need: rules.May}}},
	}
	return slices.DeleteFunc(acts, func(a rules.ActKind) bool {
		needs, only := onlyFor()[a.Kind]
		_, has := ed.quotes[needs]
		return only && !has
	})
}

// onlyFor are the actions that an edition has only with the rule about them.
func onlyFor() map[board.ActionKind]board.RuleID {
	return map[board.ActionKind]board.RuleID{
		"overlay": "overlay.only", "cease": "overlay.again", "look": "face.look",
		"destroy-physically": "destroy.physical", "deck.include": "destroy.physical",
	}
}

// fold is the declared state after a legal action.
func (ed edition) fold(d rules.Declared, g *board.Game) {
	a := d.Action
	remembersHonor(d, g)
	switch a.Kind {
	case "dishonor", "rehonor":
		declaresHonor(d, g)
	case "rehonor.negated":
		for _, id := range a.Copies {
			unmark(g, id, markRehonored)
		}
	case "honor.total":
		setHonor(g, a.Seat, a.Amount)
	case "honor.lose":
		addHonor(g, a.Seat, -a.Amount)
	case "honor.gain", "battle.resolve":
		if _, seats, ok := gaining(d); ok && a.Seat != "" {
			for _, seat := range seats {
				if ed.gainStands(d, seat) {
					addHonor(g, seat, a.Amount)
				}
			}
		}
	case "attack":
		g.Battle = battle(d)
	case "assign":
		ed.assign(d, g)
	case "battle.end":
		if g.Battle != nil {
			for _, id := range g.Battle.Assigned {
				mark(g, id, markNoMovement)
			}
		}
		g.Battle = nil
	case "move", "move-home":
		for _, id := range a.Copies {
			mark(g, id, markMoving)
			unmark(g, id, markNoMovement)
		}
	case "conditions":
		for _, id := range a.Copies {
			if unmark(g, id, markConditions, markCosts); d.Param("met") == "yes" {
				mark(g, id, markConditions)
			}
		}
	case "pay":
		if id := board.CopyID(d.Param("for")); g.Marks[id].Has(markConditions) {
			mark(g, id, markCosts)
		}
	case "enter":
		for _, id := range a.Copies {
			unmark(g, id, markConditions, markCosts)
		}
	case "attach":
		attach(d, g)
	case "control":
		for _, id := range a.Targets {
			g.Controllers = with(g.Controllers, id, board.SeatID(d.Param("to")))
			if !ed.attachmentsStay {
				delete(g.Attached, id) // it goes home, out of the unit
			}
			mark(g, id, markNoMovement)
		}
	case "destroy", "discard", "remove-from-game":
		ed.leaves(d, g)
	case "overlay":
		if top, below, ok := overlay(d); ok {
			g.Overlays = with(g.Overlays, top.Copy.ID, below.Copy.ID)
			for id, to := range maps.Clone(g.Attached) {
				if to == below.Copy.ID { // "this does not transfer or attach anything": the stack is the same card
					g.Attached[id] = top.Copy.ID
				}
			}
			if seat, ok := g.Controllers[below.Copy.ID]; ok {
				g.Controllers = with(g.Controllers, top.Copy.ID, seat)
			}
		}
	case "destroy-physically":
		for _, s := range d.Targets() {
			g.Barred = append(g.Barred, board.Barred{Copy: s.Copy.ID, Card: s.Copy.Card, Owner: s.Copy.Owner})
			g.Removed = append(g.Removed, s.Copy.ID)
		}
	}
}

func (ed edition) assign(d rules.Declared, g *board.Game) {
	if g.Battle == nil {
		return
	}
	for _, s := range d.Copies() {
		unit, ok := unitOf(s)
		if !ok {
			unit = s
		}
		for _, member := range append([]rules.Subject{unit}, attachments(unit)...) {
			if id := member.Copy.ID; !slices.Contains(g.Battle.Assigned, id) {
				g.Battle.Assigned = append(g.Battle.Assigned, id)
			}
			mark(g, member.Copy.ID, markNoMovement)
		}
	}
	slices.Sort(g.Battle.Assigned)
}

// battle is the battle that an attack begins. The area of an attack is the
// province attacked, or the battlefield.
func battle(d rules.Declared) *board.Battle {
	b := &board.Battle{Attacker: d.Action.Seat, Defender: opponent(d.Table, d.Action.Seat)}
	zone, _ := d.Table.Layout().Zone(d.Action.Zone)
	switch zone.Kind {
	case board.ZoneProvince:
		b.Province = zone.ID
		if zone.Seat != "" {
			b.Defender = zone.Seat
		}
	case board.ZoneBattlefield:
		b.Zone = zone.ID
	}
	return b
}

// attach notes what is attached to which Personality, or that a Region is to the
// province that it lies at.
func attach(d rules.Declared, g *board.Game) {
	for _, s := range d.Copies() {
		switch {
		case len(d.Action.Targets) > 0 && d.Action.Targets[0] != s.Copy.ID:
			g.Attached = with(g.Attached, s.Copy.ID, d.Action.Targets[0])
			delete(g.Controllers, s.Copy.ID) // it is the unit's now
		case s.Zone.Kind == board.ZoneProvince:
			mark(g, s.Copy.ID, markAttached)
		}
	}
}

// leaves notes that cards were declared to leave play, and of those that have
// left it just before, what they are now.
func (ed edition) leaves(d rules.Declared, g *board.Game) {
	for _, s := range d.Targets() {
		id := s.Copy.ID
		switch {
		case s.Area != rules.AreaOutOfPlay:
			mark(g, id, markLeaving)
			if d.Action.Kind == "destroy" {
				mark(g, id, markDestroying)
			}
		case d.Action.Kind == "destroy" && isPersonality(s) && isDiscard(s.Zone.Kind):
			mark(g, id, ed.destroyedWord)
		}
		if d.Action.Kind == "remove-from-game" && !slices.Contains(g.Removed, id) {
			g.Removed = append(g.Removed, id)
		}
	}
}

// follow is the declared state after a seen change.
func (ed edition) follow(t rules.Transition) (board.Game, bool) {
	g := t.After.Table().Game().Clone()
	if t.Before == nil {
		if t.Enters() && t.After.Copy.State.Has(Bowed) && !t.TakesBack(Bowed) {
			mark(&g, t.After.Copy.ID, markEnterBowed)
			return g, true
		}
		return g, false
	}
	id, changed := t.Before.Copy.ID, false
	set := func(did bool) { changed = changed || did }
	before, after := t.ZoneKind()
	leaves := t.Gone() || t.Before.Area != rules.AreaOutOfPlay && t.After.Area == rules.AreaOutOfPlay
	apart := leaves && !t.Gone() && g.Marks[id].Has(markReappeared) && after != board.ZoneRemoved && followsStack(t)
	if leaves {
		set(ed.stackLeaves(t, &g))
	}
	if t.Gone() {
		return g, changed
	}
	switch {
	case leaves:
		if g.Marks[id].Has(markDestroying) && isDiscard(after) && isPersonality(t.After) {
			set(mark(&g, id, ed.destroyedWord))
		} else if g.Marks[id].Has(markLeaving) && isDiscard(after) {
			set(mark(&g, id, Discarded))
		}
		set(unmark(&g, id, markLeaving, markDestroying, markEnterBowed, markAttached, markReappeared, markMoving, markNoMovement))
		if apart {
			set(mark(&g, id, markMayRemove))
		}
		if _, ok := g.Controllers[id]; ok {
			delete(g.Controllers, id)
			changed = true
		}
		if _, ok := g.Attached[id]; ok {
			delete(g.Attached, id)
			changed = true
		}
	case t.Before.Area == rules.AreaOutOfPlay && t.After.Area != rules.AreaOutOfPlay:
		set(unmark(&g, id, Dead, Destroyed, Discarded, markConditions, markCosts, markMayRemove))
		if t.Enters() && t.After.Copy.State.Has(Bowed) && !t.TakesBack(Bowed) {
			set(mark(&g, id, markEnterBowed))
		}
	case t.Before.Area == rules.AreaOutOfPlay && isDiscard(before) && before != after:
		set(unmark(&g, id, Dead, Destroyed, Discarded)) // only in the discard pile
	}
	if !t.After.Copy.State.Has(Bowed) {
		set(unmark(&g, id, markEnterBowed))
	}
	set(honorShown(t, leaves, &g))
	if before == board.ZoneBattlefield && after != before && !leaves {
		set(unmark(&g, id, markMoving)) // it has moved there and goes on
	}
	if after == board.ZoneRemoved && (g.Marks[id].Has(markToRemove) || g.Marks[id].Has(markMayRemove)) {
		set(unmark(&g, id, markToRemove, markMayRemove))
		if !slices.Contains(g.Removed, id) {
			g.Removed = append(g.Removed, id)
		}
	}
	return g, changed
}

// stackLeaves tells a lost overlaying card, under which the next reappears, from
// a whole stack that leaves play: that was declared, or the card beneath left
// play as well.
func (ed edition) stackLeaves(t rules.Transition, g *board.Game) bool {
	id := t.Before.Copy.ID
	changed := false
	for upper, lower := range maps.Clone(g.Overlays) {
		if lower == id { // it was carried off from beneath: with the stack if that was declared, else perhaps
			delete(g.Overlays, upper)
			word := markMayRemove
			if stackIsLeaving(*g, upper) {
				word = markToRemove
			}
			mark(g, id, word)
			changed = true
		}
	}
	below := under(*g, id)
	if len(below) == 0 {
		return changed
	}
	delete(g.Overlays, id)
	if !g.Marks[id].Has(markLeaving) {
		mark(g, below[0], markReappeared)
		for card, to := range maps.Clone(g.Attached) {
			if to == id {
				g.Attached[card] = below[0]
			}
		}
		return true
	}
	for _, b := range below {
		delete(g.Overlays, b)
		mark(g, b, markToRemove)
	}
	return true
}

// stackIsLeaving says whether the stack in which a copy lies was declared to
// leave play.
func stackIsLeaving(g board.Game, id board.CopyID) bool {
	if g.Marks[id].Has(markLeaving) {
		return true
	}
	for top := range g.Overlays {
		if g.Marks[top].Has(markLeaving) && slices.Contains(under(g, top), id) {
			return true
		}
	}
	return false
}

// mark puts a word on a copy, and says whether it is new there.
func mark(g *board.Game, id board.CopyID, word string) bool {
	if g.Marks[id].Has(word) {
		return false
	}
	g.Marks = with(g.Marks, id, board.NewState(append(slices.Clone(g.Marks[id]), word)...))
	return true
}

// unmark takes words off a copy, and says whether any was there.
func unmark(g *board.Game, id board.CopyID, words ...string) bool {
	left := slices.DeleteFunc(slices.Clone(g.Marks[id]), func(w string) bool { return slices.Contains(words, w) })
	if len(left) == len(g.Marks[id]) {
		return false
	}
	if g.Marks[id] = left; len(left) == 0 {
		delete(g.Marks, id)
	}
	return true
}

func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[k] = v
	return m
}

func setHonor(g *board.Game, seat board.SeatID, n int) { g.Honor = with(g.Honor, seat, n) }

// addHonor changes a total, if it was ever told.
func addHonor(g *board.Game, seat board.SeatID, by int) {
	if n, ok := g.Honor[seat]; ok {
		setHonor(g, seat, n+by)
	}
}

// effects are the messages of what follows from actions.
func effects() []string {
	return []string{
		"effect.lifted", "effect.area-unsure", "effect.discarded", "effect.destroyed-dead", "effect.destroyed-destroyed", "effect.destroyed-other", "effect.destroyed-unsaid",
		"effect.force", "effect.force-bowed", "effect.force-unknown", "effect.personal-honor",
		"effect.honor-gained", "effect.honor-not-gained", "effect.before-destruction", "effect.negated", "effect.gain-stands",
		"effect.rehonoring-fails", "effect.honorable-already", "effect.tie-amount",
		"effect.moves", "effect.no-movement", "effect.moves-to-attack", "effect.moves-to-defend", "effect.side-unsure",
		"effect.control-attached", "effect.control-region", "effect.control-region-unsure", "effect.control-side", "effect.control-home",
		"effect.overlay", "effect.overlay-inherits", "effect.overlay-goes-on", "effect.overlay-again", "effect.inherited",
		"effect.look-area", "effect.conditions-unmet", "effect.torn",
	}
}
