package rules

import (
	"maps"
	"slices"

	"tabletop/board"
)

// judge asks every rule about the one copy that changed.
func (e *Engine) judge(a act, t Transition) []board.Event {
	var ended, opened []board.Event
	for _, r := range e.pack.Rules {
		finding, isOpen := e.open[a.id][r.ID]
		was := board.Severity("")
		if isOpen {
			was = finding.Severity
		}
		severity := e.severity(r, t, was)
		if severity == was {
			continue
		}
		if isOpen {
			ended = append(ended, e.end(a, finding))
		}
		if severity != "" {
			opened = append(opened, e.openFinding(a, r, severity, t))
		}
	}
	return append(ended, opened...)
}

// severity is what a rule says after an act; was is what it said before.
func (e *Engine) severity(r Rule, t Transition, was board.Severity) board.Severity {
	if r.State != nil {
		return r.State(t.After)
	}
	id := t.After.Copy.ID
	mended := r.Mended(t.After)
	switch {
	case was != "" && mended:
		return ""
	case was != "":
		return was
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
		ID:       e.newID(a.at),
		Rule:     r.ID,
		Severity: severity,
		Copies:   []board.CopyID{a.id},
		Seat:     t.After.Seat,
		Seen:     e.texts.seen(r, t),
		Text:     e.texts.text(r, t),
		Lang:     e.opts.Lang,
		Citation: r.Citation,
	}
	e.board.Findings[f.ID] = f
	e.remember(a.id, f)
	return board.Event{At: a.at, Kind: board.EventFindingOpened, Finding: &f}
}

func (e *Engine) end(a act, f board.Finding) board.Event {
	delete(e.board.Findings, f.ID)
	for _, id := range f.Copies {
		delete(e.open[id], f.Rule)
		if len(e.open[id]) == 0 {
			delete(e.open, id)
		}
	}
	return board.Event{At: a.at, Kind: board.EventFindingEnded, Finding: &f}
}

// endAll ends the findings about a copy that is gone, by rule id.
func (e *Engine) endAll(a act) []board.Event {
	var events []board.Event
	for _, rule := range slices.Sorted(maps.Keys(e.open[a.id])) {
		events = append(events, e.end(a, e.open[a.id][rule]))
	}
	return events
}
