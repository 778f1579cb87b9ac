package rules

import (
	"maps"
	"strconv"
	"time"

	"tabletop/board"
)

// TakeBack is how long after a copy left play it may be put back as it lay
// there without that being judged as entering play.
const TakeBack = time.Minute

// FirstLook is how long the engine takes stock of the table after its first
// change: copies that appear so soon lay there before. A tracker that starts
// over a laid table reports the copies as it makes sure of each.
const FirstLook = 3 * time.Second

// Options are what an engine needs beside its pack.
type Options struct {
	Layout board.Layout
	Lang   string // BCP 47 tag; empty: the pack's first language

	// Card looks a card up in the catalogue. Without it, rules know of a card
	// what a CardRef says.
	Card func(board.CardID) (board.Card, bool)
}

// Engine owns the board of one match. It is not safe for concurrent use: one
// goroutine applies the changes and hands out clones and events. Copies in
// events share their Card and State with the board; nobody changes those in
// place.
type Engine struct {
	pack  Pack
	opts  Options
	texts *texts
	board board.Board
	near  grid

	first    *time.Time                                      // of the first change since New or Restore
	open     map[board.CopyID]map[board.RuleID]board.Finding // open findings, by the copy they are about
	pending  map[board.CopyID]map[board.RuleID]Transition    // changes that can't be judged before the card is known
	inPlay   map[board.CopyID]map[string]time.Time           // when a copy in play last had a state
	findings uint64                                          // how many this engine opened
	idPrefix string
	resumed  bool
}

// New returns an engine over an empty board. It fails when the pack is not
// complete or has no texts in the language.
func New(pack Pack, opts Options) (*Engine, error) {
	if err := pack.check(); err != nil {
		return nil, err
	}
	if opts.Lang == "" {
		opts.Lang = pack.Languages[0]
	}
	texts, err := newTexts(pack, opts.Lang, opts.Layout)
	if err != nil {
		return nil, err
	}
	e := &Engine{pack: pack, opts: opts, texts: texts}
	e.reset(board.NewBoard(opts.Layout))
	return e, nil
}

func (e *Engine) reset(b board.Board) {
	e.board, e.near = b, newGrid(b)
	e.first = nil
	e.open = map[board.CopyID]map[board.RuleID]board.Finding{}
	e.pending = map[board.CopyID]map[board.RuleID]Transition{}
	e.inPlay = map[board.CopyID]map[string]time.Time{}
}

// Board returns a clone of the board as it is.
func (e *Engine) Board() board.Board { return e.board.Clone() }

// RuleText is a rule as a reader sees it.
type RuleText struct {
	ID       board.RuleID   `json:"id"`
	Title    string         `json:"title"`
	Severity board.Severity `json:"severity"`
	Citation board.Citation `json:"citation"`
}

// Rules lists the pack's rules in the engine's language.
func (e *Engine) Rules() []RuleText {
	list := make([]RuleText, len(e.pack.Rules))
	for i, r := range e.pack.Rules {
		list[i] = RuleText{r.ID, e.texts.title(r.ID), r.Severity, r.Citation}
	}
	return list
}

// Restore goes on from a board that the events of an earlier engine gave. The
// layout stays the one of Options: the table may have been calibrated anew.
// Findings get ids that the earlier engine can't have used. What was not yet
// settled then (an unknown card that entered play bowed, a take-back) is
// forgotten.
func (e *Engine) Restore(b board.Board) {
	restored := board.NewBoard(e.opts.Layout)
	maps.Copy(restored.Copies, b.Copies)
	maps.Copy(restored.Findings, b.Findings)
	e.reset(restored)
	e.resumed, e.idPrefix = true, ""
	for _, f := range b.Findings {
		for _, id := range f.Copies {
			e.remember(id, f)
		}
	}
}

func (e *Engine) remember(id board.CopyID, f board.Finding) {
	if e.open[id] == nil {
		e.open[id] = map[board.RuleID]board.Finding{}
	}
	e.open[id][f.Rule] = f
}

// Apply folds physical changes into the board and returns what they mean, in
// the order in which it happened; Seq is left to the journal. Events of a copy
// come first, then the findings that its change ended and opened. Folding the
// events into the board as it was gives the board as it is.
//
// The engine's own board is what a change starts from, whatever Before says: a
// change of a copy it doesn't know places it, the removal of one it doesn't
// know is nothing.
func (e *Engine) Apply(changes []board.Change) []board.Event {
	var events []board.Event
	for _, a := range acts(changes) {
		if e.first == nil {
			e.first = &a.at
		}
		events = append(events, e.apply(a)...)
	}
	return events
}

func (e *Engine) apply(a act) []board.Event {
	before, known := e.board.Copies[a.id]
	switch {
	case a.after == nil && !known:
		return nil
	case a.after == nil:
		e.holdWords(e.subject(before), a.at)
		delete(e.board.Copies, a.id)
		e.near.drop(a.id, before.Pose.Centre)
		delete(e.pending, a.id)
		e.forgetOldWords(a.at)
		removed := board.Event{At: a.at, Kind: board.EventRemoved, Card: a.id, Before: &before}
		return append([]board.Event{removed}, e.endAll(a)...)
	}

	next := *a.after
	if next.Zone == "" {
		if z, ok := e.opts.Layout.ZoneAt(next.Pose.Centre); ok {
			next.Zone = z.ID
		}
	}
	t := Transition{Found: a.at.Sub(*e.first) <= FirstLook, recent: func(word string) bool { return e.recently(a.id, word, a.at) }}
	if known {
		b := e.subject(before)
		t.Before = &b
		e.holdWords(b, a.at)
	}
	t.After = e.subject(next)
	next.State = e.pack.Meaning(t.After, before.State)
	if next.State == nil {
		next.State = board.State{} // [] in JSON, not null
	}
	t.After.Copy.State = next.State
	e.board.Copies[a.id] = next
	if known {
		e.near.drop(a.id, before.Pose.Centre)
	}
	e.near.put(a.id, next.Pose.Centre)

	var events []board.Event
	if !known {
		events = []board.Event{{At: a.at, Kind: board.EventPlaced, Card: a.id, After: &next}}
	} else {
		events = a.tell(e.pack.Words, before, next, crosses(*t.Before, t.After))
	}
	return append(events, e.judge(a, t)...)
}

// tell gives the events of an act on a copy that was on the board.
func (a act) tell(words []Word, before, next board.Copy, crossed bool) []board.Event {
	if a.kinds[0] == board.ChangePlaced {
		a.kinds = differences(before, next)
	}
	turned := false
	for _, k := range a.kinds {
		turned = turned || k == board.ChangeTurned
	}
	return a.events(words, before, next, crossed || !turned)
}

// crosses says whether a copy entered or left play. Then its state changes
// without a word: a card that enters play bowed doesn't bow.
func crosses(before, after Subject) bool {
	return before.Area == AreaInPlay && after.Area == AreaOutOfPlay ||
		before.Area == AreaOutOfPlay && after.Area == AreaInPlay
}

// table is the board as rules see it.
func (e *Engine) table() Table {
	return Table{pack: &e.pack, card: e.opts.Card, board: &e.board, near: e.near}
}

func (e *Engine) subject(c board.Copy) Subject { return e.table().subject(c) }

// holdWords notes the states a copy has in play, just before it changes.
func (e *Engine) holdWords(s Subject, at time.Time) {
	if s.Area == AreaOutOfPlay {
		return
	}
	for _, word := range s.Copy.State {
		if e.inPlay[s.Copy.ID] == nil {
			e.inPlay[s.Copy.ID] = map[string]time.Time{}
		}
		e.inPlay[s.Copy.ID][word] = at
	}
}

func (e *Engine) recently(id board.CopyID, word string, at time.Time) bool {
	last, ok := e.inPlay[id][word]
	return ok && at.Sub(last) <= TakeBack
}

// forgetOldWords bounds what a long match of copies that come and go leaves.
func (e *Engine) forgetOldWords(at time.Time) {
	if len(e.inPlay) <= 2*len(e.board.Copies)+64 {
		return
	}
	for id, words := range e.inPlay {
		maps.DeleteFunc(words, func(_ string, last time.Time) bool { return at.Sub(last) > TakeBack })
		if len(words) == 0 {
			delete(e.inPlay, id)
		}
	}
}

// newID names a finding. A resumed engine can't know how far the one before it
// counted, so its names carry the time of its first finding.
func (e *Engine) newID(at time.Time) board.FindingID {
	if e.resumed && e.idPrefix == "" {
		e.idPrefix = strconv.FormatInt(at.UnixMilli(), 36) + "-"
		e.findings = 0
	}
	e.findings++
	return board.FindingID("f" + e.idPrefix + strconv.FormatUint(e.findings, 10))
}
