package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/journal"
	"tabletop/rules"
	"tabletop/rules/scenario"
	"tabletop/web"
)

// readingDesk is what a judge can read, live and in a replay: rules, cards, what
// the rules make of a board. It does not change once made.
type readingDesk struct {
	journal *journal.Journal
	match   string
	desk    web.Desk
	rules   []rules.RuleText
	cards   []board.CardRef // by name
	pack    rules.Pack
	opts    rules.Options
}

func newReadingDesk(pack rules.Pack, opts rules.Options, cards []board.Card) (*readingDesk, error) {
	engine, err := rules.New(pack, opts) // for its texts
	if err != nil {
		return nil, err
	}
	d := &readingDesk{
		desk: web.Desk{
			Game: pack.ID, GameName: pack.Name, Lang: engine.Lang(), Words: engine.Words(),
			Actions: engine.Acts(), Decisions: board.Decisions(), ReadOnly: true,
		},
		rules: engine.Rules(), pack: pack, opts: opts,
	}
	for _, c := range cards {
		d.cards = append(d.cards, *c.Ref())
	}
	slices.SortFunc(d.cards, func(a, b board.CardRef) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(string(a.ID), string(b.ID)))
	})
	return d, nil
}

func (d *readingDesk) Desk() web.Desk          { return d.desk }
func (d *readingDesk) Rules() []rules.RuleText { return d.rules }

// Cards finds the cards whose name has every word of the query: those whose name
// begins with it first, then those of which a word does, then the others.
func (d *readingDesk) Cards(query string, most int) web.FoundCards {
	found := web.FoundCards{Catalogue: len(d.cards)}
	words := strings.Fields(strings.ToLower(query))
	var ranked [3][]board.CardRef
	for _, c := range d.cards {
		name := strings.ToLower(c.Name)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) && !strings.Contains(string(c.ID), w) }) {
			continue
		}
		found.Of++
		rank := 2
		switch {
		case len(words) == 0 || strings.HasPrefix(name, words[0]):
			rank = 0
		case strings.Contains(name, " "+words[0]) || strings.Contains(name, "-"+words[0]):
			rank = 1
		}
		ranked[rank] = append(ranked[rank], c)
	}
	all := slices.Concat(ranked[:]...)
	found.Cards = all[:min(most, len(all))]
	return found
}

// Picture is the evidence of an event, or ErrUnknown.
func (d *readingDesk) Picture(ctx context.Context, seq uint64) ([]byte, error) {
	jpeg, err := d.journal.Evidence(ctx, d.match, seq)
	if errors.Is(err, journal.ErrNoEvidence) {
		return nil, fmt.Errorf("%w: %w", web.ErrUnknown, err)
	}
	return jpeg, err
}

func (d *readingDesk) Explain(_ context.Context, b board.Board) (rules.Explanation, error) {
	if err := checkBoard(d.pack, b); err != nil {
		return rules.Explanation{}, fmt.Errorf("%w: %w", web.ErrRefused, err)
	}
	return rules.Explain(d.pack, d.opts, b)
}

// checkBoard says what is wrong with a board that a person wrote, each thing once.
func checkBoard(pack rules.Pack, b board.Board) error {
	var wrong []string
	failf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	kinds := zoneKinds(pack)
	for _, z := range b.Layout.Zones {
		if !slices.Contains(kinds, z.Kind) {
			failf("layout.zones: %s is of kind %q, which no table has: known are %s", z.ID, z.Kind, listed(kinds))
		}
		if _, ok := b.Layout.Seat(z.Seat); z.Seat != "" && !ok {
			failf("layout.zones: %s is of seat %q, which layout.seats doesn't have", z.ID, z.Seat)
		}
	}
	for id, c := range b.Copies {
		if c.ID != id {
			failf("copies: %q has the id %q: both must be the same", id, c.ID)
		}
		if _, ok := b.Layout.Zone(c.Zone); c.Zone != "" && !ok {
			failf("copies: %s lies in zone %q, which layout.zones doesn't have", id, c.Zone)
		}
		for _, seat := range []board.SeatID{c.Owner, c.Controller} {
			if _, ok := b.Layout.Seat(seat); seat != "" && !ok {
				failf("copies: %s is of seat %q, which layout.seats doesn't have", id, seat)
			}
		}
		switch c.Pose.Face {
		case board.FaceUp, board.FaceDown, board.FaceUnknown:
		default:
			failf("copies: %s has the face %q: it is up, down or unknown", id, c.Pose.Face)
		}
	}
	if b.Game != nil {
		if circle := circleIn(b.Game.Overlays); circle != nil {
			failf("game.overlays: %s lie on one another in a circle", listed(circle))
		}
		if circle := circleIn(b.Game.Attached); circle != nil {
			failf("game.attached: %s are attached to one another in a circle", listed(circle))
		}
	}
	slices.Sort(wrong)
	var errs []error
	for _, text := range slices.Compact(wrong) {
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// zoneKinds are the kinds of area that a table may have: those of the game, and
// those of the standard table, on which it may be judged.
func zoneKinds(pack rules.Pack) []board.ZoneKind {
	var kinds []board.ZoneKind
	for _, z := range pack.Zones {
		kinds = append(kinds, z.Kind)
	}
	for _, z := range scenario.Table().Zones {
		kinds = append(kinds, z.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// circleIn are the copies of a circle, sorted, or nil where following from one to
// the next always ends.
func circleIn(next map[board.CopyID]board.CopyID) []board.CopyID {
	for _, start := range slices.Sorted(maps.Keys(next)) {
		circle := []board.CopyID{start}
		for at, ok := next[start]; ok && len(circle) <= len(next); at, ok = next[at] {
			if at == start {
				slices.Sort(circle)
				return circle
			}
			circle = append(circle, at)
		}
	}
	return nil
}

func listed[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// errReplay refuses what changes a match that is over.
var errReplay = fmt.Errorf("%w: this is a replay, in which nothing is decided", web.ErrRefused)

func (d *readingDesk) Declare(context.Context, board.Action) (board.Action, board.Answer, error) {
	return board.Action{}, board.Answer{}, errReplay
}
func (d *readingDesk) Correct(context.Context, board.CopyID, board.Correction) error {
	return errReplay
}
func (d *readingDesk) Accept(context.Context) error             { return errReplay }
func (d *readingDesk) Decide(context.Context, web.Ruling) error { return errReplay }

// liveDesk is the judge's desk of a running match. The board belongs to the
// frame loop, so everything that changes it is handed to that goroutine.
type liveDesk struct {
	*readingDesk
	live *live
}

func newLiveDesk(l *live, reading *readingDesk) *liveDesk {
	reading.desk.ReadOnly = false
	reading.journal, reading.match = l.journal, l.match.Info().ID
	return &liveDesk{reading, l}
}

// ask is something that the frame loop is to do with the board, between two
// frames. What it returns happened at that time.
type ask struct {
	do   func(at time.Time) ([]board.Event, error)
	done chan<- error
}

// askLimit is how long a judge waits for the frame loop, which looks up between
// two frames and while it waits for one.
const askLimit = 10 * time.Second

// ask hands something to the frame loop and waits until it is done and written.
func (d *liveDesk) ask(ctx context.Context, do func(at time.Time) ([]board.Event, error)) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	done := make(chan error, 1)
	select {
	case d.live.asks <- ask{do, done}:
	case <-ctx.Done():
		return fmt.Errorf("the scanner is busy or stopping; try again: %w", ctx.Err())
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the scanner is busy or stopping; look at the log whether it was done: %w", ctx.Err())
	}
}

// answer does what is asked, in the frame loop.
func (l *live) answer(ctx context.Context, a ask) {
	events, err := a.do(l.now())
	if err != nil {
		a.done <- fmt.Errorf("%w: %w", web.ErrRefused, err)
		return
	}
	l.record(ctx, events)
	if len(l.unwritten) > 0 {
		a.done <- web.ErrNotKept
		return
	}
	a.done <- nil
}

// now is the time of the table: that of the newest frame and what has passed
// since it was looked at. So what people do stands in order with what is seen,
// also in a film whose time is not the machine's.
func (l *live) now() time.Time {
	if l.frameAt.IsZero() {
		return l.opt.Clock.Now()
	}
	return l.frameAt.Add(time.Since(l.lookedAt))
}

// await waits for the next frame, and does meanwhile what judges ask for.
func (l *live) await(ctx context.Context) (camera.Frame, error) {
	type taken struct {
		frame camera.Frame
		err   error
	}
	next := make(chan taken, 1)
	go func() {
		frame, err := l.nextFrame(ctx)
		next <- taken{frame, err}
	}()
	t := attend(ctx, l, next)
	return t.frame, t.err
}

// rest lets some time pass, or the context end, and does meanwhile what judges
// ask for.
func (l *live) rest(ctx context.Context, d time.Duration) {
	pause, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	attend(ctx, l, pause.Done())
}

// attend does what judges ask for until a channel gives something. It also looks
// up now and then, for the light and for what is still to be written.
func attend[T any](ctx context.Context, l *live, until <-chan T) T {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case v := <-until:
			return v
		case a := <-l.asks:
			l.answer(ctx, a)
		case at := <-l.acknowledge:
			l.record(ctx, l.acknowledged(at))
		case <-tick.C:
			l.record(ctx, nil)
		}
	}
}

// acknowledged are the events of a press of the judge's button: everything open
// is seen.
func (l *live) acknowledged(at time.Time) []board.Event {
	b := l.pipe.engine.Board()
	var rulings []rules.Ruling
	for id, f := range b.Findings {
		if f.Decision == "" {
			rulings = append(rulings, rules.Ruling{Finding: id, Decision: board.DecisionAcknowledged})
		}
	}
	for id, p := range b.Prompts {
		if p.Decision == "" {
			rulings = append(rulings, rules.Ruling{Prompt: id, Decision: board.DecisionAcknowledged})
		}
	}
	slices.SortFunc(rulings, func(a, b rules.Ruling) int {
		return cmp.Or(strings.Compare(string(a.Finding), string(b.Finding)), strings.Compare(string(a.Prompt), string(b.Prompt)))
	})
	var events []board.Event
	for _, r := range rulings {
		decided, err := l.pipe.engine.Decide(r, at)
		if err != nil {
			l.log.Error("the button's press can't be recorded", "finding", r.Finding, "prompt", r.Prompt, "error", err)
		}
		events = append(events, decided...)
	}
	return events
}

func (d *liveDesk) Declare(ctx context.Context, a board.Action) (action board.Action, answer board.Answer, err error) {
	err = d.ask(ctx, func(at time.Time) ([]board.Event, error) {
		a.At = at
		events, err := d.live.pipe.engine.Declare(a)
		if err != nil {
			return nil, err
		}
		action, answer = *events[0].Action, *events[0].Answer
		return events, nil
	})
	return action, answer, err
}

func (d *liveDesk) Correct(ctx context.Context, id board.CopyID, c board.Correction) error {
	if c.Card != nil {
		i := slices.IndexFunc(d.cards, func(known board.CardRef) bool { return known.ID == c.Card.ID })
		if i < 0 {
			return fmt.Errorf("%w: the catalogue has no card %q", web.ErrRefused, c.Card.ID)
		}
		c.Card = &d.cards[i]
	}
	return d.ask(ctx, func(at time.Time) ([]board.Event, error) { return d.live.pipe.engine.Correct(id, c, at) })
}

func (d *liveDesk) Accept(ctx context.Context) error {
	return d.ask(ctx, func(at time.Time) ([]board.Event, error) { return d.live.pipe.engine.Accept(at), nil })
}

func (d *liveDesk) Decide(ctx context.Context, r web.Ruling) error {
	ruling := rules.Ruling{Finding: r.Finding, Prompt: r.Prompt, Decision: r.Decision, BackTo: r.BackTo}
	if r.Decision == board.DecisionBackedUp {
		back, err := d.live.journal.BoardAfter(ctx, d.live.match.Info().ID, r.BackTo)
		if errors.Is(err, journal.ErrNoEvent) {
			return fmt.Errorf("%w: %w", web.ErrRefused, err)
		}
		if err != nil {
			return err
		}
		ruling.Board = &back
	}
	return d.ask(ctx, func(at time.Time) ([]board.Event, error) { return d.live.pipe.engine.Decide(ruling, at) })
}
