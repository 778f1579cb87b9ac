package rules

import (
	"slices"
	"time"

	"tabletop/board"
)

// Out of step: the table is known to differ from the game, because a card reads
// as another than before (one of the two readings is wrong), because many cards
// broke rules at once (somebody bumped the table or swept over it), or because a
// judge backed the game up. Until the cards lie as they should or a person
// accepts them as they lie, no change of them is judged, and of how they lie
// nothing is more than a suspicion.

// A mess is as many copies as messCopies that come to break a rule within
// messTime.
const (
	messCopies = 3
	messTime   = time.Second
)

// recent is an act of the last moments.
type recent struct {
	id     board.CopyID
	before *board.Copy // nil: it came
	at     time.Time
	breach bool
}

// mistrusted says whether a copy is among the differences.
func (e *Engine) mistrusted(id board.CopyID) bool {
	o := e.table().Game().OutOfStep
	return o != nil && slices.ContainsFunc(o.Differences, func(d board.Difference) bool { return d.Copy == id })
}

// capped is a severity as far as the copy can be trusted.
func (e *Engine) capped(id board.CopyID, s board.Severity) board.Severity {
	if s == board.SeverityIllegal && e.mistrusted(id) {
		return board.SeveritySuspicious
	}
	return s
}

// misread takes note of a card that reads as another than before.
func (e *Engine) misread(a act, t Transition) []board.Event {
	if t.Before == nil || t.told || e.mistrusted(a.id) {
		return nil
	}
	was, now := t.Before.Copy.Card, t.After.Copy.Card
	if was == nil || now == nil || was.ID == now.ID {
		return nil
	}
	if e.pack.SameCard != nil && e.pack.SameCard(t.Before.Card, t.After.Card) {
		return nil
	}
	return e.differ(a.at, board.CauseMisread, []recent{{id: a.id, before: &t.Before.Copy}})
}

// mess takes note of breaches that come all at once.
func (e *Engine) mess(a act, t Transition, opened []board.Event) []board.Event {
	if t.Found || t.told {
		return nil
	}
	e.news = slices.DeleteFunc(e.news, func(r recent) bool { return a.at.Sub(r.at) > messTime })
	r := recent{id: a.id, at: a.at, breach: len(opened) > 0}
	if t.Before != nil {
		r.before = &t.Before.Copy
	}
	if i := slices.IndexFunc(e.news, func(r recent) bool { return r.id == a.id }); i >= 0 {
		e.news[i].breach = e.news[i].breach || r.breach
	} else {
		e.news = append(e.news, r)
	}
	breaches := 0
	for _, r := range e.news {
		if r.breach {
			breaches++
		}
	}
	if breaches < messCopies || !r.breach {
		return nil
	}
	return e.differ(a.at, board.CauseMess, e.news)
}

// differ puts copies among the differences.
func (e *Engine) differ(at time.Time, cause board.DifferenceCause, copies []recent) []board.Event {
	differences := e.differences()
	for _, r := range copies {
		if !e.mistrusted(r.id) {
			differences = append(differences, board.Difference{Copy: r.id, Expected: r.before, Cause: cause, At: at})
		}
	}
	return e.setDifferences(at, differences)
}

func (e *Engine) differences() []board.Difference {
	if o := e.table().Game().OutOfStep; o != nil {
		return slices.Clone(o.Differences)
	}
	return nil
}

// inStep looks whether a copy that differed lies as it should again.
func (e *Engine) inStep(a act) []board.Event {
	i := slices.IndexFunc(e.differences(), func(d board.Difference) bool { return d.Copy == a.id })
	if i < 0 {
		return nil
	}
	differences := e.differences()
	if !e.asExpected(differences[i]) && !e.laidAnew(a, differences[i]) {
		return e.setDifferences(a.at, differences)
	}
	events := e.setDifferences(a.at, slices.Delete(differences, i, i+1))
	return append(events, e.judgeStates(a, []board.CopyID{a.id})...)
}

// laidAnew says whether a copy that was in a mess has been laid down otherwise
// since, in a way that breaks no rule.
func (e *Engine) laidAnew(a act, d board.Difference) bool {
	return d.Cause == board.CauseMess && len(e.open[a.id]) == 0 && a.at.Sub(d.At) > messTime
}

// asExpected says whether the copy lies as it should.
func (e *Engine) asExpected(d board.Difference) bool {
	now, lies := e.board.Copies[d.Copy]
	if d.Expected == nil || !lies {
		return d.Expected == nil && !lies
	}
	return restOf(*d.Expected, time.Time{}).like(now) && (sameCard(d.Expected.Card, now.Card) || d.Expected.Card == nil)
}

// setDifferences puts the differences into words, and tells them if they are not
// the same as before.
func (e *Engine) setDifferences(at time.Time, differences []board.Difference) []board.Event {
	for i, d := range differences {
		var was, now Subject
		if d.Expected != nil {
			was = e.subject(*d.Expected)
		}
		if c, ok := e.board.Copies[d.Copy]; ok {
			now = e.subject(c)
		}
		differences[i].Text = e.texts.difference(was, now)
	}
	if slices.EqualFunc(differences, e.differences(), func(a, b board.Difference) bool { return a.Copy == b.Copy && a.Text == b.Text }) {
		return nil
	}
	if len(differences) == 0 {
		return []board.Event{e.changeGame(at, board.EventInStep, func(g *board.Game) { g.OutOfStep = nil })}
	}
	return []board.Event{e.changeGame(at, board.EventOutOfStep, func(g *board.Game) {
		g.OutOfStep = &board.OutOfStep{Differences: differences, Lang: e.opts.Lang}
	})}
}
