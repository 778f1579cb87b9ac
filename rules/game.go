package rules

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"tabletop/board"
)

// maxPast bounds the declared actions that later ones can look back on.
const maxPast = 64

// changeGame changes the declared state and tells it.
func (e *Engine) changeGame(at time.Time, kind board.EventKind, change func(*board.Game)) board.Event {
	g := e.table().Game().Clone()
	change(&g)
	e.board.Game = &g
	told := g.Clone()
	return board.Event{At: at, Kind: kind, Game: &told}
}

// followGame lets the declared state follow a seen change. The event that tells
// the change carries it.
func (e *Engine) followGame(a act, t Transition, told *board.Event) []board.Event {
	old := e.table().Game()
	game, changed := old, false
	if e.pack.Follow != nil {
		game, changed = e.pack.Follow(t)
	}
	if t.Gone() && mentions(game, a.id) {
		game, changed = forgotten(game, a.id), true
	}
	if !changed {
		return nil
	}
	told.Game = e.changeGame(a.at, "", func(g *board.Game) { *g = game.Clone() }).Game
	touched := slices.DeleteFunc(touchedBy(old, game), func(id board.CopyID) bool { return id == a.id })
	return e.judgeStates(a, touched)
}

// mentions says whether something is declared of a copy that lies on the table.
// That it is removed or barred from the game stands also when it is gone.
func mentions(g board.Game, id board.CopyID) bool {
	_, attached := g.Attached[id]
	_, marked := g.Marks[id]
	_, overlays := g.Overlays[id]
	_, controlled := g.Controllers[id]
	return attached || marked || overlays || controlled ||
		slices.ContainsFunc(g.Dismissed, func(d board.Dismissal) bool { return d.Copy == id }) ||
		g.Battle != nil && slices.Contains(g.Battle.Assigned, id)
}

// forgotten is a game with nothing declared of a copy that is gone.
func forgotten(g board.Game, id board.CopyID) board.Game {
	g = g.Clone()
	delete(g.Attached, id)
	delete(g.Marks, id)
	delete(g.Overlays, id)
	delete(g.Controllers, id)
	g.Dismissed = slices.DeleteFunc(g.Dismissed, func(d board.Dismissal) bool { return d.Copy == id })
	if g.Battle != nil {
		g.Battle.Assigned = slices.DeleteFunc(g.Battle.Assigned, func(c board.CopyID) bool { return c == id })
	}
	return g
}

// touchedBy are the copies of which something else is declared now.
func touchedBy(was, now board.Game) []board.CopyID {
	ids := differingKeys(was.Attached, now.Attached)
	ids = append(ids, differingKeys(was.Overlays, now.Overlays)...)
	ids = append(ids, differingKeys(was.Controllers, now.Controllers)...)
	ids = append(ids, differingKeys(was.Marks, now.Marks)...)
	for _, g := range []board.Game{was, now} {
		if g.Battle != nil && !reflect.DeepEqual(was.Battle, now.Battle) {
			ids = append(ids, g.Battle.Assigned...)
		}
	}
	if !slices.Equal(was.Removed, now.Removed) {
		ids = append(ids, now.Removed...)
	}
	for _, b := range now.Barred[min(len(was.Barred), len(now.Barred)):] {
		ids = append(ids, b.Copy)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func differingKeys[V any](was, now map[board.CopyID]V) []board.CopyID {
	var ids []board.CopyID
	for id, v := range was {
		if w, ok := now[id]; !ok || !reflect.DeepEqual(v, w) {
			ids = append(ids, id)
		}
	}
	for id := range maps.Keys(now) {
		if _, ok := was[id]; !ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// owe opens the prompts that a change brings, and ends those that it settles.
func (e *Engine) owe(a act, t Transition) []board.Event {
	events := e.settle(a.at, News{Table: e.table(), Transition: &t}, func(p board.Prompt) bool { return slices.Contains(p.Copies, a.id) })
	if t.takenBack || e.mistrusted(a.id) {
		return events
	}
	for _, r := range e.pack.Rules {
		if r.Owe == nil {
			continue
		}
		for _, d := range r.Owe(t) {
			if p, isNew := e.prompt(r, d, "", a.at); isNew {
				events = append(events, e.openPrompt(p, a.at))
			}
		}
	}
	return events
}

// prompt puts a debt into words. isNew is false for one that is owed already.
func (e *Engine) prompt(r Rule, d Debt, by board.ActionID, at time.Time) (p board.Prompt, isNew bool) {
	for _, p := range e.board.Prompts {
		if p.Rule == r.ID && p.Message == d.Message && p.Seat == d.Seat && slices.Equal(p.Copies, d.Copies) {
			return p, false
		}
	}
	n := Note{Seat: d.Seat, Amount: d.Amount, Words: d.Words}
	if len(d.Copies) > 0 {
		n.About = d.Copies[0]
	}
	if len(d.Copies) > 1 {
		n.Other = d.Copies[1]
	}
	return board.Prompt{
		ID: board.PromptID(e.newID("p", at)), Rule: r.ID, Message: d.Message, Seat: d.Seat, Copies: slices.Clone(d.Copies),
		Amount: d.Amount, Zone: d.Zone, Params: maps.Clone(d.Params), Action: by, Possible: d.Possible,
		Text: e.texts.note(string(r.ID)+"."+d.Message, n, e.table()), Lang: e.opts.Lang, Citation: r.Citation,
	}, true
}

func (e *Engine) openPrompt(p board.Prompt, at time.Time) board.Event {
	e.board.Prompts[p.ID] = p
	return board.Event{At: at, Kind: board.EventPromptOpened, Prompt: &p}
}

// settle ends the prompts that are done with.
func (e *Engine) settle(at time.Time, n News, asked func(board.Prompt) bool) []board.Event {
	var events []board.Event
	for _, id := range slices.Sorted(maps.Keys(e.board.Prompts)) {
		p := e.board.Prompts[id]
		r, ok := e.pack.Rule(p.Rule)
		if !ok || r.Settled == nil || !asked(p) || !r.Settled(p, n) {
			continue
		}
		delete(e.board.Prompts, id)
		events = append(events, board.Event{At: at, Kind: board.EventPromptEnded, Prompt: &p})
	}
	return events
}

// dismissed says whether a person lets a breach of a copy pass.
func (e *Engine) dismissed(id board.CopyID, rule board.RuleID) bool {
	return slices.Contains(e.table().Game().Dismissed, board.Dismissal{Copy: id, Rule: rule})
}

// undismiss forgets that a breach was let pass, for it is over.
func (e *Engine) undismiss(a act, rule board.RuleID) board.Event {
	return e.changeGame(a.at, board.EventGameChanged, func(g *board.Game) {
		g.Dismissed = slices.DeleteFunc(g.Dismissed, func(d board.Dismissal) bool { return d == board.Dismissal{Copy: a.id, Rule: rule} })
	})
}
