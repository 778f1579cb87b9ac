package rules

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"tabletop/board"
)

// TakeBack is how long after a copy left play it may be put back as it lay
// there without that being judged as entering play.
const TakeBack = time.Minute

// Slip is how soon a change must be undone to be called a slip: its finding
// then ends as taken back.
const Slip = 10 * time.Second

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
	rests    map[board.CopyID][]rest                         // how each copy lay, newest last
	openedAt map[board.FindingID]opened
	left     map[board.CopyID]left                       // copies that were seen to leave play
	waiting  map[board.CopyID]map[board.RuleID]time.Time // since when suspicions stand that are not told yet
	played   map[board.CopyID]bool                       // copies on the table that were in play
	seen     map[board.CopyID]board.Copy                 // as the tracker has the copies that are corrected
	nearby   []board.CopyID                              // whose neighbours changed since they were last judged
	news     []recent                                    // acts of the last moments, to tell a mess by

	given    map[string]uint64 // how many ids of each kind this engine gave
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
	pack.Rules = slices.Clone(pack.Rules)
	for i, r := range pack.Rules {
		if c, ok := r.Citations[opts.Lang]; ok {
			pack.Rules[i].Citation = c
		}
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
	e.rests = map[board.CopyID][]rest{}
	e.openedAt = map[board.FindingID]opened{}
	e.left = map[board.CopyID]left{}
	e.waiting = map[board.CopyID]map[board.RuleID]time.Time{}
	e.played = map[board.CopyID]bool{}
	for id, c := range b.Copies {
		if e.subject(c).Area == AreaInPlay {
			e.played[id] = true
		}
	}
	e.seen = map[board.CopyID]board.Copy{}
	e.news, e.nearby = nil, nil
	e.given = map[string]uint64{}
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

// Restore goes on from a board that the events of an earlier engine gave, with
// its open findings and prompts, corrections and all that was declared. The
// layout stays the one of Options: the table may have been calibrated anew. New
// ids are none that the earlier engine can have used. What only time would have
// told (an unknown card that entered play bowed, a take-back) is forgotten.
func (e *Engine) Restore(b board.Board) {
	b = b.Clone()
	restored := board.NewBoard(e.opts.Layout)
	maps.Copy(restored.Copies, b.Copies)
	maps.Copy(restored.Findings, b.Findings)
	maps.Copy(restored.Prompts, b.Prompts)
	restored.Game = b.Game
	e.reset(restored)
	e.resumed, e.idPrefix = true, ""
	e.nearby = slices.Collect(maps.Keys(restored.Copies)) // what was waiting then isn't known
	for _, f := range restored.Findings {
		if len(f.Copies) > 0 {
			e.remember(f.Copies[0], f)
			e.recall(f)
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
	batch := acts(changes)
	for _, a := range batch {
		if e.first == nil {
			e.first = &a.at
		}
		events = append(events, e.apply(a)...)
	}
	// Units move together: whether each copy lies with the others is asked when
	// all lie where they lie now.
	for _, a := range batch {
		e.nearby = append(e.nearby, a.id)
	}
	if len(batch) > 0 {
		events = append(events, e.Tick(batch[len(batch)-1].at)...)
	}
	return events
}

// Tick says that it is now this late, with nothing changed: suspicions that have
// stood long enough are told. Call it with every frame; it costs nothing while
// none waits. Without it they are told with the next change.
func (e *Engine) Tick(at time.Time) []board.Event {
	for id, rules := range e.waiting {
		for rule, since := range rules {
			if r, ok := e.pack.Rule(rule); ok && at.Sub(since) >= r.Patience {
				e.nearby = append(e.nearby, id)
			}
		}
	}
	if len(e.nearby) == 0 {
		return nil
	}
	return e.judgeNear(at)
}

func (e *Engine) apply(a act) []board.Event {
	before, known := e.board.Copies[a.id]
	if a.after == nil {
		if !known {
			return nil
		}
		return e.remove(a, before)
	}
	next := *a.after
	next.Corrected = nil
	if known && before.Corrected != nil {
		e.seen[a.id] = next
		if next, a = e.corrected(a, next, *before.Corrected); len(a.kinds) == 0 {
			return nil // nothing that the correction leaves open
		}
	}
	if next.Zone == "" {
		if z, ok := e.opts.Layout.ZoneAt(next.Pose.Centre); ok {
			next.Zone = z.ID
		}
	}
	t := e.transition(a, before, known)
	events := e.put(a, &t, next, known)
	if len(events) == 0 { // a second look that shows nothing new
		e.near.drop(a.id, next.Pose.Centre)
		e.near.put(a.id, before.Pose.Centre)
		e.board.Copies[a.id] = before
		return nil
	}
	return append(events, e.follow(a, t, before, &events[len(events)-1])...)
}

// transition begins one from a copy as it lies now.
func (e *Engine) transition(a act, before board.Copy, known bool) Transition {
	t := Transition{
		At:        a.at,
		Was:       e.table().Game(),
		Found:     a.at.Sub(*e.first) <= FirstLook,
		played:    e.played[a.id],
		recent:    func(word string) bool { return e.recently(a.id, word, a.at) },
		takenBack: a.after != nil && e.layLike(a.id, *a.after, a.at.Add(-TakeBack)),
	}
	if known {
		b := e.subject(before)
		t.Before = &b
		e.holdWords(b, a.at)
	}
	return t
}

// put lays a copy as it is now, and tells it.
func (e *Engine) put(a act, t *Transition, next board.Copy, known bool) []board.Event {
	before := e.board.Copies[a.id]
	t.After = e.subject(next)
	next.State = e.pack.Meaning(t.After, before.State)
	if next.State == nil {
		next.State = board.State{} // [] in JSON, not null
	}
	e.board.Copies[a.id] = next
	if known {
		e.near.drop(a.id, before.Pose.Centre)
	}
	e.near.put(a.id, next.Pose.Centre)
	t.After = e.subject(next)
	switch {
	case t.Leaves():
		e.left[a.id] = left{before, a.at}
	case t.After.Area == AreaInPlay:
		delete(e.left, a.id)
		e.played[a.id] = true
	}
	if !known {
		return []board.Event{{At: a.at, Kind: board.EventPlaced, Card: a.id, After: &next}}
	}
	return a.tell(e.pack.Words, before, next, crosses(*t.Before, t.After))
}

// remove takes a copy off the table.
func (e *Engine) remove(a act, before board.Copy) []board.Event {
	t := e.transition(a, before, true)
	t.After.table = e.table()
	e.nearby = append(e.nearby, e.around(*t.Before)...)
	delete(e.board.Copies, a.id)
	e.near.drop(a.id, before.Pose.Centre)
	delete(e.pending, a.id)
	delete(e.seen, a.id)
	delete(e.played, a.id)
	delete(e.waiting, a.id)
	e.rested(before, a.at)
	e.forgetOld(a.at)
	events := []board.Event{{At: a.at, Kind: board.EventRemoved, Card: a.id, Before: &before}}
	events = append(events, e.followGame(a, t, &events[0])...)
	events = append(events, e.endAll(a)...)
	events = append(events, e.owe(a, t)...)
	return append(events, e.inStep(a)...)
}

// follow is all that a change of a copy on the table brings with it.
func (e *Engine) follow(a act, t Transition, before board.Copy, told *board.Event) []board.Event {
	e.nearby = append(e.nearby, e.around(t.After)...)
	if t.Before != nil {
		e.nearby = append(e.nearby, e.around(*t.Before)...)
		e.rested(before, a.at)
	}
	events := e.followGame(a, t, told)
	events = append(events, e.misread(a, t)...)
	events = append(events, e.judge(a, t)...)
	events = append(events, e.owe(a, t)...)
	return append(events, e.inStep(a)...)
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
	return Table{pack: &e.pack, card: e.opts.Card, board: &e.board, near: e.near, left: e.left}
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

// forgetOld bounds what a long match of copies that come and go leaves.
func (e *Engine) forgetOld(at time.Time) {
	if limit := 2*len(e.board.Copies) + 64; len(e.inPlay) > limit {
		for id, words := range e.inPlay {
			maps.DeleteFunc(words, func(_ string, last time.Time) bool { return at.Sub(last) > TakeBack })
			if len(words) == 0 {
				delete(e.inPlay, id)
			}
		}
	}
	maps.DeleteFunc(e.left, func(_ board.CopyID, l left) bool { return at.Sub(l.at) > remembersLeaving })
	if limit := 2*len(e.board.Copies) + 64; len(e.rests) > limit {
		maps.DeleteFunc(e.rests, func(id board.CopyID, rs []rest) bool {
			_, lies := e.board.Copies[id]
			return !lies && at.Sub(rs[len(rs)-1].until) > TakeBack
		})
	}
}

// newID names a finding, an action or a prompt ("f3", "a3", "p3"). A resumed
// engine can't know how far the one before it counted, so its names carry the
// time of its first.
func (e *Engine) newID(kind string, at time.Time) string {
	if e.resumed && e.idPrefix == "" {
		e.idPrefix = strconv.FormatInt(at.UnixMilli(), 36) + "-"
	}
	for {
		e.given[kind]++
		id := kind + e.idPrefix + strconv.FormatUint(e.given[kind], 10)
		_, finding := e.board.Findings[board.FindingID(id)]
		_, prompt := e.board.Prompts[board.PromptID(id)]
		if !finding && !prompt {
			return id
		}
	}
}
