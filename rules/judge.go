package rules

import (
	"maps"
	"slices"
	"time"

	"tabletop/board"
)

// judge asks the rules about the one copy that changed, but for those that look
// at its neighbours.
func (e *Engine) judge(a act, t Transition) []board.Event {
	return e.judgeBy(a, t, func(r Rule) bool { return !r.Near })
}

// judgeNear asks the rules that look at neighbours about the copies that changed
// or whose neighbours did.
func (e *Engine) judgeNear(at time.Time) []board.Event {
	ids := e.nearby
	e.nearby = nil
	slices.Sort(ids)
	var events []board.Event
	for _, id := range slices.Compact(ids) {
		if s, ok := e.table().Subject(id); ok {
			a := act{id: id, at: at, after: &s.Copy}
			events = append(events, e.judgeBy(a, Transition{Before: &s, After: s, Found: true}, func(r Rule) bool { return r.Near || r.Patience > 0 })...)
		}
	}
	return events
}

// judgeStates asks the rules of states about copies of which something beside
// their pose changed, and whether their open findings are mended by it.
func (e *Engine) judgeStates(a act, ids []board.CopyID) []board.Event {
	slices.Sort(ids)
	var events []board.Event
	for _, id := range slices.Compact(ids) {
		if s, ok := e.table().Subject(id); ok {
			at := act{id: id, at: a.at, after: &s.Copy}
			events = append(events, e.judgeBy(at, Transition{Before: &s, After: s, Found: true}, func(r Rule) bool {
				_, isOpen := e.open[id][r.ID]
				return r.State != nil || isOpen
			})...)
		}
	}
	return events
}

// around are the copies whose judgement may hang on this one.
func (e *Engine) around(s Subject) []board.CopyID {
	var ids []board.CopyID
	for _, t := range e.table().Touching(s) {
		ids = append(ids, t.Copy.ID)
	}
	game := e.table().Game()
	for lower, upper := range game.Attached {
		if upper == s.Copy.ID {
			ids = append(ids, lower)
		}
	}
	if to, ok := game.Attached[s.Copy.ID]; ok {
		ids = append(ids, to)
	}
	return ids
}

func (e *Engine) judgeBy(a act, t Transition, by func(Rule) bool) []board.Event {
	var ended, opened []board.Event
	for _, r := range e.pack.Rules {
		if r.State == nil && r.Change == nil || !by(r) {
			continue
		}
		finding, isOpen := e.open[a.id][r.ID]
		was := board.Severity("")
		if isOpen {
			was = finding.Severity
		}
		severity := e.capped(a.id, e.severity(r, t, finding, was))
		if !isOpen && e.waits(a, r, severity) {
			continue
		}
		if !isOpen && e.dismissed(a.id, r.ID) {
			if severity == "" {
				ended = append(ended, e.undismiss(a, r.ID))
			}
			continue
		}
		if severity == was {
			continue
		}
		if isOpen {
			why := e.ending(a, finding, t.After)
			if severity != "" {
				why = board.EndRejudged
			}
			ended = append(ended, e.end(a, finding, why))
		}
		if severity != "" {
			opened = append(opened, e.openFinding(a, r, severity, t))
		}
	}
	return append(append(ended, opened...), e.mess(a, t, opened)...)
}

// waits says whether a suspicion hasn't stood long enough to be told.
func (e *Engine) waits(a act, r Rule, severity board.Severity) bool {
	if r.Patience == 0 || severity != board.SeveritySuspicious {
		delete(e.waiting[a.id], r.ID)
		if len(e.waiting[a.id]) == 0 {
			delete(e.waiting, a.id)
		}
		return false
	}
	since, ok := e.waiting[a.id][r.ID]
	if !ok {
		if e.waiting[a.id] == nil {
			e.waiting[a.id] = map[board.RuleID]time.Time{}
		}
		e.waiting[a.id][r.ID] = a.at
		return true
	}
	return a.at.Sub(since) < r.Patience
}

// severity is what a rule says after an act; was is what it said before.
func (e *Engine) severity(r Rule, t Transition, open board.Finding, was board.Severity) board.Severity {
	if r.State != nil {
		return r.State(t.After)
	}
	id := t.After.Copy.ID
	mended := r.Mended(t.After)
	switch {
	case was != "" && (mended || e.undone(open.ID, t.After.Copy) || e.restored(r, open.ID, t.After)):
		return ""
	case was != "":
		return was
	case t.takenBack || e.mistrusted(id):
		return ""
	}
	if severity := r.Change(t); severity != "" {
		delete(e.pending[id], r.ID)
		return severity
	}
	return e.severityOnceKnown(r, t, mended)
}

// severityOnceKnown judges a change again when a card that was unknown at the
// time turns out to be this one, unless nothing of the change is left.
func (e *Engine) severityOnceKnown(r Rule, t Transition, mended bool) board.Severity {
	id := t.After.Copy.ID
	waiting, ok := e.pending[id][r.ID]
	switch {
	case ok && mended:
		delete(e.pending[id], r.ID)
	case ok && t.After.TypeKnown():
		delete(e.pending[id], r.ID)
		waiting.After.Card, waiting.After.Copy.Card = t.After.Card, t.After.Copy.Card
		return r.Change(waiting)
	case !ok && !mended && !t.After.TypeKnown() && t.Enters():
		if e.pending[id] == nil {
			e.pending[id] = map[board.RuleID]Transition{}
		}
		takesBack := map[string]bool{}
		for _, w := range e.pack.Words {
			takesBack[w.State] = t.TakesBack(w.State)
		}
		t.recent = func(word string) bool { return takesBack[word] }
		e.pending[id][r.ID] = t
	}
	return ""
}

func (e *Engine) openFinding(a act, r Rule, severity board.Severity, t Transition) board.Event {
	f := board.Finding{
		ID:       board.FindingID(e.newID("f", a.at)),
		Rule:     r.ID,
		Severity: severity,
		Possible: r.Severity == board.SeverityIllegal && severity != board.SeverityIllegal,
		Copies:   []board.CopyID{a.id},
		Seat:     t.After.Seat,
		Seen:     e.texts.seen(r, t),
		Text:     e.texts.text(r, t, r.Severity == board.SeverityIllegal && severity != board.SeverityIllegal),
		Lang:     e.opts.Lang,
		Citation: r.Citation,
	}
	if r.Change != nil && t.Before != nil {
		before := t.Before.Copy
		f.Before = &before
	}
	e.board.Findings[f.ID] = f
	e.remember(a.id, f)
	e.openedAt[f.ID] = opened{a.at, restOf(t.After.Copy, a.at), t, e.restsSince(a.id, a.at.Add(-TakeBack))}
	return board.Event{At: a.at, Kind: board.EventFindingOpened, Finding: &f}
}

func (e *Engine) end(a act, f board.Finding, why board.Ending) board.Event {
	f.Ended = why
	e.forget(f)
	return board.Event{At: a.at, Kind: board.EventFindingEnded, Finding: &f}
}

// forget takes a finding off the board.
func (e *Engine) forget(f board.Finding) {
	delete(e.board.Findings, f.ID)
	delete(e.openedAt, f.ID)
	for _, id := range f.Copies {
		delete(e.open[id], f.Rule)
		if len(e.open[id]) == 0 {
			delete(e.open, id)
		}
	}
}

// endAll ends the findings about a copy that is gone, by rule id.
func (e *Engine) endAll(a act) []board.Event {
	var events []board.Event
	for _, rule := range slices.Sorted(maps.Keys(e.open[a.id])) {
		events = append(events, e.end(a, e.open[a.id][rule], board.EndGone))
	}
	return events
}
