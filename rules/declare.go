package rules

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"tabletop/board"
)

// Declare judges a declared action and, if it is legal, folds it into the
// declared state. The first event carries the action with its answer; events of
// what it brings about follow. It fails, and nothing happens, when the action
// can't be understood: an unknown kind, something missing or nowhere to be found.
// The id is given here. A judge may let an illegal action stand (Action.Ruled).
func (e *Engine) Declare(a board.Action) ([]board.Event, error) {
	if err := e.understand(a); err != nil {
		return nil, err
	}
	a.ID = board.ActionID(e.newID("a", a.At))
	a.Copies, a.Targets, a.Params = slices.Clone(a.Copies), slices.Clone(a.Targets), maps.Clone(a.Params)
	d := Declared{Action: a, Table: e.table()}
	answer := board.Answer{Breaches: []board.Breach{}, Effects: []string{}, Lang: e.opts.Lang}
	type owed struct {
		rule Rule
		Debt
	}
	var effects []Note
	var debts []owed
	for _, r := range e.pack.Rules {
		if r.Action == nil {
			continue
		}
		v := r.Action(d)
		for _, n := range v.Breaches {
			answer.Breaches = append(answer.Breaches, e.breach(r, n))
		}
		effects = append(effects, v.Effects...)
		for _, debt := range v.Owes {
			debts = append(debts, owed{r, debt})
		}
	}
	answer.Legal = len(answer.Breaches) == 0 || a.Ruled
	event := board.Event{At: a.At, Kind: board.EventActionDeclared, Action: &a, Answer: &answer}
	if !answer.Legal {
		return []board.Event{event}, nil
	}
	for _, n := range effects {
		if text := e.texts.note(n.Message, n, d.Table); !slices.Contains(answer.Effects, text) {
			answer.Effects = append(answer.Effects, text)
		}
	}
	was := e.table().Game()
	event.Game = e.changeGame(a.At, "", func(g *board.Game) {
		if p := past(d); len(p.Copies) > 0 {
			g.Past = append(g.Past, p)
			g.Past = g.Past[max(0, len(g.Past)-maxPast):]
		}
		if e.pack.Fold != nil {
			e.pack.Fold(d, g)
		}
	}).Game
	// What it owes comes after it is folded: the prompts of this very action are
	// none that it finds.
	var prompts []board.Event
	for _, o := range debts {
		p, isNew := e.prompt(o.rule, o.Debt, a.ID, a.At)
		answer.Prompts = append(answer.Prompts, p.ID)
		if isNew {
			prompts = append(prompts, e.openPrompt(p, a.At))
		}
	}
	events := append([]board.Event{event}, prompts...)
	events = append(events, e.settle(a.At, News{Table: e.table(), Action: &d}, func(p board.Prompt) bool { return p.Action != a.ID })...)
	touched := touchedBy(was, e.table().Game())
	for _, id := range touched {
		if s, ok := e.table().Subject(id); ok {
			touched = append(touched, e.around(s)...)
		}
	}
	return append(events, e.judgeStates(act{at: a.At}, touched)...), nil
}

// past is what later actions may ask about this one.
func past(d Declared) board.Past {
	p := board.Past{Action: d.Action.ID, Kind: d.Action.Kind, Copies: map[board.CopyID]board.State{}}
	for _, s := range append(d.Copies(), d.Targets()...) {
		words := slices.Clone(s.Copy.State)
		if s.Area == AreaInPlay {
			words = append(words, InPlay)
		}
		p.Copies[s.Copy.ID] = board.NewState(words...)
	}
	return p
}

// InPlay is the word that a past action holds of a copy that was in play then.
const InPlay = "in-play"

func (e *Engine) breach(r Rule, n Note) board.Breach {
	b := board.Breach{Rule: r.ID, Text: e.texts.note(string(r.ID)+"."+n.Message, n, e.table()), Citation: r.Citation}
	if n.About != "" {
		b.Copies = []board.CopyID{n.About}
	}
	return b
}

// refuse says, in the language of the table, why what was asked for can't be done.
func (e *Engine) refuse(why string, w wording) error {
	return errors.New(e.texts.say("refused."+why, w))
}

// refusals are the reasons that refuse knows.
func refusals() []string {
	return []string{
		"kind", "takes-no-seat", "takes-no-copies", "takes-no-targets", "takes-no-area", "takes-no-amount", "takes-no-param",
		"lacks-seat", "lacks-copies", "lacks-targets", "lacks-area", "lacks-amount", "lacks-param", "below-zero",
		"copy", "seat", "area", "value", "pattern", "past", "face", "decision", "backup", "finding", "prompt",
	}
}

// understand says what keeps an action from being judged at all.
func (e *Engine) understand(a board.Action) error {
	kind, ok := e.pack.Act(a.Kind)
	if !ok {
		var known []string
		for _, k := range e.pack.Acts {
			known = append(known, string(k.Kind))
		}
		return e.refuse("kind", wording{Name: e.pack.ID, Words: string(a.Kind), Other: strings.Join(known, ", ")})
	}
	named := wording{Name: string(a.Kind), Other: e.texts.say("action."+string(a.Kind), wording{})}
	for _, part := range []struct {
		name string
		need Need
		has  bool
	}{
		{"seat", kind.Seat, a.Seat != ""},
		{"copies", kind.Copies, len(a.Copies) > 0},
		{"targets", kind.Targets, len(a.Targets) > 0},
		{"area", kind.Zone, a.Zone != ""},
		{"amount", kind.Amount, a.Amount != 0},
	} {
		switch {
		case part.need == "" && part.has:
			return e.refuse("takes-no-"+part.name, named)
		case part.need == Must && !part.has:
			return e.refuse("lacks-"+part.name, named)
		}
	}
	if a.Amount < 0 && !kind.Signed {
		return e.refuse("below-zero", named)
	}
	for _, id := range append(slices.Clone(a.Copies), a.Targets...) {
		if _, ok := e.board.Copies[id]; !ok {
			return e.refuse("copy", wording{Copy: id})
		}
	}
	if _, ok := e.opts.Layout.Seat(a.Seat); a.Seat != "" && !ok {
		return e.refuse("seat", wording{Words: string(a.Seat)})
	}
	if _, ok := e.opts.Layout.Zone(a.Zone); a.Zone != "" && !ok {
		return e.refuse("area", wording{Words: string(a.Zone)})
	}
	return e.understandParams(kind, a, named)
}

func (e *Engine) understandParams(kind ActKind, a board.Action, named wording) error {
	for _, name := range slices.Sorted(maps.Keys(a.Params)) {
		i := slices.IndexFunc(kind.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			named.Words = name
			return e.refuse("takes-no-param", named)
		}
		if err := e.understandParam(kind.Params[i], a.Params[name]); err != nil {
			return fmt.Errorf("%s: %w", a.Kind, err)
		}
	}
	for _, p := range kind.Params {
		if p.Need == Must && a.Params[p.Name] == "" {
			named.Words = p.Name
			return e.refuse("lacks-param", named)
		}
	}
	return nil
}

func (e *Engine) understandParam(p Param, value string) error {
	if len(p.Values) > 0 && !slices.Contains(p.Values, value) {
		return e.refuse("value", wording{Name: p.Name, Words: value, Other: strings.Join(p.Values, ", ")})
	}
	if p.Pattern != "" {
		if ok, err := regexp.MatchString("^(?:"+p.Pattern+")$", value); err != nil || !ok {
			return e.refuse("pattern", wording{Name: p.Name, Words: value, Other: p.Pattern})
		}
	}
	switch p.Is {
	case ParamSeat:
		if _, ok := e.opts.Layout.Seat(board.SeatID(value)); !ok {
			return fmt.Errorf("%s: %w", p.Name, e.refuse("seat", wording{Words: value}))
		}
	case ParamCopy:
		if _, ok := e.board.Copies[board.CopyID(value)]; !ok {
			return fmt.Errorf("%s: %w", p.Name, e.refuse("copy", wording{Copy: board.CopyID(value)}))
		}
	case ParamAction:
		if !slices.ContainsFunc(e.table().Game().Past, func(past board.Past) bool { return string(past.Action) == value }) {
			return fmt.Errorf("%s: %w", p.Name, e.refuse("past", wording{Words: value}))
		}
	}
	return nil
}

// Correct takes a person's word about a copy for the camera's. It holds until
// another correction replaces it, and of the face until the card is seen to be
// flipped. The empty one gives the copy back to the camera.
func (e *Engine) Correct(id board.CopyID, c board.Correction, at time.Time) ([]board.Event, error) {
	before, ok := e.board.Copies[id]
	if !ok {
		return nil, e.refuse("copy", wording{Copy: id})
	}
	if c.Face != "" && c.Face != board.FaceUp && c.Face != board.FaceDown {
		return nil, e.refuse("face", wording{Words: string(c.Face)})
	}
	for _, seat := range []*board.SeatID{c.Owner, c.Controller} {
		if seat == nil {
			continue
		}
		if _, ok := e.opts.Layout.Seat(*seat); !ok {
			return nil, e.refuse("seat", wording{Words: string(*seat)})
		}
	}
	if e.first == nil {
		e.first = &at
	}
	next, seen := before, before
	if raw, ok := e.seen[id]; ok {
		seen = raw
		seen.Zone = before.Zone
		next = seen
	}
	next.Corrected = nil
	delete(e.seen, id)
	if !c.Empty() {
		e.seen[id] = seen
		next = e.applied(next, c)
	}
	a := act{id: id, at: at, kinds: []board.ChangeKind{board.ChangeNamed}, after: &next}
	t := e.transition(a, before, true)
	t.told, t.takenBack = true, true
	e.put(a, &t, next, true)
	after := e.board.Copies[id]
	events := []board.Event{{At: at, Kind: board.EventCorrected, Card: id, Before: &before, After: &after}}
	if i := slices.IndexFunc(e.differences(), func(d board.Difference) bool { return d.Copy == id }); i >= 0 && c.Card != nil {
		events = append(events, e.setDifferences(at, slices.Delete(e.differences(), i, i+1))...)
	}
	events = append(events, e.follow(a, t, before, &events[0])...)
	e.nearby = append(e.nearby, id)
	return append(events, e.judgeNear(at)...), nil
}

// applied is a copy as a person says it is. Its turn is relative to its
// controller's seat, so it is another one for another controller.
func (e *Engine) applied(c board.Copy, said board.Correction) board.Copy {
	if said.Card != nil {
		card := *said.Card
		c.Card = &card
	}
	if said.Face != "" {
		c.Pose.Face = said.Face
	}
	if said.Owner != nil {
		c.Owner = *said.Owner
	}
	if said.Controller != nil {
		was, _ := e.opts.Layout.Seat(c.Controller)
		is, _ := e.opts.Layout.Seat(*said.Controller)
		if c.Pose.Rotation.Known() {
			c.Pose.Rotation = board.NearestTurn(float64(c.Pose.Rotation) + was.UpDeg - is.UpDeg)
		}
		c.Controller = *said.Controller
	}
	c.Corrected = &said
	return c
}

// corrected takes from an act what a correction overrules.
func (e *Engine) corrected(a act, next board.Copy, c board.Correction) (board.Copy, act) {
	a.kinds = slices.Clone(a.kinds)
	if c.Card != nil {
		a.kinds = slices.DeleteFunc(a.kinds, func(k board.ChangeKind) bool { return k == board.ChangeNamed })
	}
	if c.Face != "" && slices.Contains(a.kinds, board.ChangeFlipped) {
		if next.Pose.Face == board.FaceUp || next.Pose.Face == board.FaceDown {
			c.Face = "" // it was turned over since
		} else {
			a.kinds = slices.DeleteFunc(a.kinds, func(k board.ChangeKind) bool { return k == board.ChangeFlipped })
		}
	}
	if !c.Empty() {
		next = e.applied(next, c)
	}
	return next, a
}

// Accept takes the table as it lies: what is out of step is forgotten, open
// findings end, and what they found is let pass as long as it lasts.
func (e *Engine) Accept(at time.Time) []board.Event {
	var dismissed []board.Dismissal
	var ended []board.Event
	for _, id := range slices.Sorted(maps.Keys(e.board.Findings)) {
		f := e.board.Findings[id]
		for _, copy := range f.Copies {
			dismissed = append(dismissed, board.Dismissal{Copy: copy, Rule: f.Rule})
		}
		ended = append(ended, e.end(act{at: at}, f, board.EndAccepted))
	}
	was := e.differences()
	events := append([]board.Event{e.changeGame(at, board.EventAccepted, func(g *board.Game) {
		g.OutOfStep = nil
		g.Dismissed = append(g.Dismissed, dismissed...)
	})}, ended...)
	var ids []board.CopyID
	for _, d := range was {
		ids = append(ids, d.Copy)
	}
	return append(events, e.judgeStates(act{at: at}, ids)...)
}

// Ruling is a person's decision about a finding or a prompt.
type Ruling struct {
	Finding  board.FindingID
	Prompt   board.PromptID
	Decision board.Decision

	// BackTo is the number of the event after which the game goes on, and Board
	// the board as that event left it, with DecisionBackedUp.
	BackTo uint64
	Board  *board.Board
}

// Decide takes a person's decision about an open finding or prompt. One that
// was dismissed isn't found again while the table stays as it is. After a backup
// the declared state is that of the earlier board, and what lies otherwise than
// there is out of step.
func (e *Engine) Decide(r Ruling, at time.Time) ([]board.Event, error) {
	if !slices.Contains(board.Decisions(), r.Decision) {
		return nil, e.refuse("decision", wording{Words: string(r.Decision), Other: fmt.Sprint(board.Decisions())})
	}
	if r.Decision == board.DecisionBackedUp && r.Board == nil {
		return nil, e.refuse("backup", wording{})
	}
	var events []board.Event
	finding, isFinding := e.board.Findings[r.Finding]
	prompt, isPrompt := e.board.Prompts[r.Prompt]
	switch {
	case isFinding:
		events = append(events, e.decideFinding(finding, r, at))
	case isPrompt:
		prompt.Decision = r.Decision
		e.board.Prompts[prompt.ID] = prompt
		if r.Decision.Closes() {
			delete(e.board.Prompts, prompt.ID)
		}
		events = append(events, board.Event{At: at, Kind: board.EventPromptDecided, Prompt: &prompt})
	case r.Prompt != "":
		return nil, e.refuse("prompt", wording{Words: string(r.Prompt)})
	default:
		return nil, e.refuse("finding", wording{Words: string(r.Finding)})
	}
	if r.Decision == board.DecisionBackedUp {
		events = append(events, e.backUp(*r.Board, at)...)
	}
	return events, nil
}

func (e *Engine) decideFinding(f board.Finding, r Ruling, at time.Time) board.Event {
	f.Decision, f.BackTo = r.Decision, r.BackTo
	event := board.Event{At: at, Kind: board.EventFindingDecided, Finding: &f}
	if !r.Decision.Closes() {
		e.board.Findings[f.ID] = f
		e.remember(f.Copies[0], f)
		return event
	}
	e.forget(f)
	event.Game = e.changeGame(at, "", func(g *board.Game) {
		for _, id := range f.Copies {
			g.Dismissed = append(g.Dismissed, board.Dismissal{Copy: id, Rule: f.Rule})
		}
	}).Game
	return event
}

// backUp makes the declared state that of an earlier board, and lists what lies
// otherwise than there.
func (e *Engine) backUp(to board.Board, at time.Time) []board.Event {
	var differ []recent
	for _, id := range slices.Sorted(maps.Keys(to.Copies)) {
		c := to.Copies[id]
		if !e.asExpected(board.Difference{Copy: id, Expected: &c}) {
			differ = append(differ, recent{id: id, before: &c})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.board.Copies)) {
		if _, was := to.Copies[id]; !was {
			differ = append(differ, recent{id: id})
		}
	}
	dismissed := e.table().Game().Dismissed
	events := []board.Event{e.changeGame(at, board.EventGameChanged, func(g *board.Game) {
		*g = board.Game{}
		if to.Game != nil {
			*g = to.Game.Clone()
		}
		g.OutOfStep, g.Dismissed = nil, dismissed
	})}
	if len(differ) > 0 {
		events = append(events, e.differ(at, board.CauseBackup, differ)...)
	}
	return events
}
