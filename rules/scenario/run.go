package scenario

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/rules"
)

// Run plays a scenario and returns what came of it, and all that went otherwise
// than expected, each with its line, joined into one error.
func Run(s Scenario, packs rules.Packs) (Result, error) {
	pack, err := packs.Find(s.Game)
	if err != nil {
		return Result{}, fmt.Errorf("line %d: %w", s.Line, err)
	}
	if err := s.checkRules(pack); err != nil {
		return Result{}, err
	}
	cards := s.cards()
	r := runner{
		layout:   s.Table,
		pace:     s.Pace,
		cards:    cards,
		now:      time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		lies:     map[board.CopyID]board.Copy{},
		declared: map[string]board.ActionID{},
		folded:   board.NewBoard(s.Table),
		open: func() (*rules.Engine, error) {
			return rules.New(pack, rules.Options{Layout: s.Table, Lang: s.Lang, Card: cards})
		},
	}
	if r.engine, err = r.open(); err != nil {
		return Result{}, fmt.Errorf("line %d: %w", s.Line, err)
	}
	for i, step := range s.Steps {
		if r.step(step); i == 0 {
			r.first = r.folded.Clone()
		}
	}
	r.holdTo(s)
	return r.result, errors.Join(r.errs...)
}

// checkRules says which rules of a scenario its game doesn't have.
func (s Scenario) checkRules(pack rules.Pack) error {
	var known []string
	for _, r := range pack.Rules {
		known = append(known, string(r.ID))
	}
	var errs []error
	check := func(line int, rule board.RuleID) {
		if rule != "" && !slices.Contains(known, string(rule)) {
			errs = append(errs, fmt.Errorf("line %d: game %s has no rule %q%s", line, s.Game, rule, near(string(rule), known...)))
		}
	}
	for _, rule := range s.Rules {
		check(s.Line, rule)
	}
	for _, step := range s.Steps {
		if step.Decide != nil {
			check(step.Line, step.Decide.Rule)
		}
		for _, x := range step.Expects {
			check(x.Line, x.Rule)
		}
	}
	return errors.Join(errs...)
}

// runner is a table on which the acts are done.
type runner struct {
	layout   board.Layout
	pace     time.Duration
	engine   *rules.Engine
	cards    func(board.CardID) (board.Card, bool)
	open     func() (*rules.Engine, error)
	now      time.Time
	lies     map[board.CopyID]board.Copy // as the tracker would know them
	declared map[string]board.ActionID
	folded   board.Board // what the events give: a journal
	first    board.Board // after the first step
	placed   int
	result   Result
	errs     []error
}

func (r *runner) failf(line int, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

func (r *runner) step(s Step) {
	r.now = r.now.Add(s.Wait)
	events, err := r.happen(s)
	if err != nil {
		r.failf(s.Line, "%v", err)
		return
	}
	events = append(events, r.engine.Tick(r.now.Add(r.pace))...)
	r.result.Events = append(r.result.Events, events...)
	for _, e := range events {
		r.folded.Apply(e)
		switch {
		case e.Kind == board.EventFindingOpened:
			r.result.Opened = append(r.result.Opened, *e.Finding)
		case e.Kind == board.EventPromptOpened:
			r.result.Prompts = append(r.result.Prompts, *e.Prompt)
		case e.Answer != nil:
			r.result.Breaches = append(r.result.Breaches, e.Answer.Breaches...)
		}
	}
	r.compareFound(s, events)
	r.compareEvents(s, events)
	r.compareAnswer(s, events)
	r.compareBoard(s)
	r.now = r.now.Add(r.pace)
}

// happen lets the step happen.
func (r *runner) happen(s Step) ([]board.Event, error) {
	switch {
	case s.Declare != nil:
		return r.declare(*s.Declare)
	case s.Correct != nil:
		return r.engine.Correct(s.Correct.ID, s.Correct.Said, r.now)
	case s.Accept:
		return r.engine.Accept(r.now), nil
	case s.Decide != nil:
		return r.decide(*s.Decide)
	case s.Restart:
		engine, err := r.open()
		if err != nil {
			return nil, err
		}
		engine.Restore(r.folded)
		r.engine = engine
		return nil, nil
	}
	var changes []board.Change
	for _, a := range s.Acts {
		made, err := r.act(a)
		if err != nil {
			return nil, err
		}
		changes = append(changes, made...)
	}
	return r.engine.Apply(changes), nil
}

func (r *runner) declare(d Declaration) ([]board.Event, error) {
	d.Action.At = r.now
	d.Action.Params = maps.Clone(d.Action.Params)
	for name, value := range d.Action.Params {
		if as, ok := strings.CutPrefix(value, "@"); ok {
			id, ok := r.declared[as]
			if !ok {
				return nil, fmt.Errorf("nothing was declared as %q", as)
			}
			d.Action.Params[name] = string(id)
		}
	}
	events, err := r.engine.Declare(d.Action)
	if err == nil && d.As != "" {
		r.declared[d.As] = events[0].Action.ID
	}
	return events, err
}

func (r *runner) decide(d Decision) ([]board.Event, error) {
	ruling := rules.Ruling{Decision: d.Decision, Board: &r.first, BackTo: 1}
	b := r.engine.Board()
	for id, p := range b.Prompts {
		if d.Prompt && p.Rule == d.Rule {
			ruling.Prompt = id
		}
	}
	for id, f := range b.Findings {
		if !d.Prompt && f.Rule == d.Rule && slices.Contains(f.Copies, d.ID) {
			ruling.Finding = id
		}
	}
	return r.engine.Decide(ruling, r.now)
}

// act does an act and returns it as the tracker would report it.
func (r *runner) act(a Act) ([]board.Change, error) {
	before, known := r.lies[a.ID]
	if known == (a.Kind == board.ChangePlaced) {
		return nil, fmt.Errorf("copy %s is %s", a.ID, map[bool]string{true: "already on the table", false: "not on the table"}[known])
	}
	if a.Kind == board.ChangeRemoved {
		delete(r.lies, a.ID)
		return []board.Change{{Kind: a.Kind, At: r.now, Before: &before}}, nil
	}
	if _, there := r.lies[a.Next]; a.Next != "" && !there {
		return nil, fmt.Errorf("copy %s is not on the table", a.Next)
	}
	after := r.after(a, before)
	r.lies[a.ID] = after
	if !known {
		return []board.Change{{Kind: a.Kind, At: r.now, After: &after}}, nil
	}
	kinds := []board.ChangeKind{}
	for _, k := range []struct {
		kind board.ChangeKind
		did  bool
	}{
		{board.ChangeMoved, a.Zone != "" || a.Next != ""},
		{board.ChangeTurned, a.Turn != nil},
		{board.ChangeFlipped, a.Face != ""},
		{board.ChangeNamed, a.Kind == board.ChangeNamed},
	} {
		if k.did || a.Kind == k.kind {
			kinds = append(kinds, k.kind)
		}
	}
	changes := make([]board.Change, len(kinds))
	for i, k := range kinds {
		changes[i] = board.Change{Kind: k, At: r.now, Before: &before, After: &after}
	}
	return changes, nil
}

// after is the copy as it lies once the act is done.
func (r *runner) after(a Act, c board.Copy) board.Copy {
	if a.Kind == board.ChangePlaced {
		r.placed++
		c = board.Copy{ID: a.ID, Pose: board.Pose{Visible: 1, Confidence: 1, AngleModulo: 360, Centre: board.Point{X: 50 + 100*float64(r.placed), Y: -60}}}
	}
	if a.Card != nil || a.Kind == board.ChangeNamed {
		c.Card = nil
		if a.Card != nil {
			c.Card = a.Card.Ref()
		}
	}
	was := r.up(c)
	if a.Zone != "" {
		zone, _ := r.layout.Zone(a.Zone)
		c.Zone = a.Zone
		c.Pose.Centre = r.free(zone, a.ID)
		r.settleSeats(&c, zone)
	}
	if next, ok := r.lies[a.Next]; ok && a.Next != "" {
		zone, _ := r.layout.Zone(next.Zone)
		c.Zone = next.Zone
		by := map[Beside]board.Point{BesideOn: {}, BesideUnder: {Y: -20}, BesideEdge: {X: 64}}[a.Beside]
		c.Pose.Centre = next.Pose.Centre.Add(by)
		r.settleSeats(&c, zone)
	}
	if a.Owner != "" {
		c.Owner = a.Owner
	}
	if a.Controller != "" {
		c.Controller = a.Controller
	}
	angle := c.Pose.AngleDeg - was
	if a.Turn != nil {
		c.Pose.Rotation = *a.Turn
		angle = a.AngleDeg
	}
	c.Pose.AngleDeg = board.NormalizeDeg(angle + r.up(c))
	if a.Face != "" {
		c.Pose.Face = a.Face
	}
	c.Pose.Corners = board.RectQuad(c.Pose.Centre, r.size(c), c.Pose.AngleDeg)
	return c
}

// size is a card's with its print upright.
func (r *runner) size(c board.Copy) board.Size {
	size := board.StandardCard()
	if c.Card == nil {
		return size
	}
	if card, ok := r.cards(c.Card.ID); ok && card.Landscape {
		return board.Size{Width: size.Height, Height: size.Width}
	}
	return size
}

// settleSeats gives a copy the owner and controller that the tracker would.
func (r *runner) settleSeats(c *board.Copy, zone board.Zone) {
	if zone.Seat == "" {
		return
	}
	if c.Owner == "" {
		c.Owner = zone.Seat
	}
	if c.Controller == "" || zone.Kind == board.ZoneHome {
		c.Controller = zone.Seat
	}
}

// up is the direction from which a copy's turn is read.
func (r *runner) up(c board.Copy) float64 {
	zone, _ := r.layout.Zone(c.Zone)
	for _, id := range []board.SeatID{c.Controller, c.Owner, zone.Seat} {
		if id != "" {
			seat, _ := r.layout.Seat(id)
			return seat.UpDeg
		}
	}
	return 0
}

// free is a place in a zone where no other copy lies, or its middle.
func (r *runner) free(zone board.Zone, id board.CopyID) board.Point {
	const pitch, apart = 120.0, 112.0
	lo, hi := zone.Outline[0], zone.Outline[0]
	for _, p := range zone.Outline {
		lo = board.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
		hi = board.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
	}
	size := r.layout.Size
	middle := board.Point{X: (lo.X + hi.X) / 2 * size.Width, Y: (lo.Y + hi.Y) / 2 * size.Height}
	for y := lo.Y*size.Height + pitch/2; y < hi.Y*size.Height-pitch/3; y += pitch {
		for x := lo.X*size.Width + pitch/2; x < hi.X*size.Width-pitch/3; x += pitch {
			p, taken := board.Point{X: x, Y: y}, false
			for other, c := range r.lies {
				taken = taken || other != id && c.Pose.Centre.Distance(p) < apart
			}
			if !taken {
				return p
			}
		}
	}
	return middle
}

// said is one thing that the rules said, as an expect line has it, and in words.
type said struct{ line, text string }

// compareFound holds what opened and ended against the lines.
func (r *runner) compareFound(s Step, events []board.Event) {
	var got []said
	for _, e := range events {
		switch {
		case e.Kind == board.EventFindingOpened:
			got = append(got, said{fmt.Sprintf("finding %s %s %s", e.Finding.Rule, e.Finding.Severity, e.Finding.Copies[0]), e.Finding.Seen})
		case e.Kind == board.EventFindingEnded:
			got = append(got, said{fmt.Sprintf("ended %s %s %s", e.Finding.Rule, e.Finding.Copies[0], e.Finding.Ended), e.Finding.Seen})
		case e.Kind == board.EventPromptOpened:
			got = append(got, said{fmt.Sprintf("prompt %s possible=%t", e.Prompt.Rule, e.Prompt.Possible), e.Prompt.Text})
		case e.Kind == board.EventPromptEnded:
			got = append(got, said{fmt.Sprintf("settled %s", e.Prompt.Rule), e.Prompt.Text})
		case e.Answer != nil:
			for _, b := range e.Answer.Breaches {
				got = append(got, said{fmt.Sprintf("illegal %s %s", b.Rule, strings.Join(ids(b.Copies), " ")), b.Text})
			}
		}
	}
	for _, x := range s.Expects {
		line, text := "", ""
		switch x.What {
		case ExpectFinding:
			line = fmt.Sprintf("finding %s %s %s", x.Rule, x.Severity, x.ID)
		case ExpectEnded:
			line = fmt.Sprintf("ended %s %s %s", x.Rule, x.ID, x.Ending)
		case ExpectPrompt:
			line, text = fmt.Sprintf("prompt %s possible=%t", x.Rule, x.Possible), x.Text
		case ExpectSettled:
			line = fmt.Sprintf("settled %s", x.Rule)
		case ExpectIllegal:
			line = fmt.Sprintf("illegal %s %s", x.Rule, x.ID)
		default:
			continue
		}
		// What a line leaves open ends it, so a prefix will do.
		i := slices.IndexFunc(got, func(g said) bool { return strings.HasPrefix(g.line, line) && strings.Contains(g.text, text) })
		if i < 0 {
			r.failf(x.Line, "expected %s; it didn't come", strings.TrimSpace(line+" "+text))
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, g := range got {
		r.failf(s.Line, "not expected: %s (%s)", g.line, g.text)
	}
}

func ids(copies []board.CopyID) []string {
	names := make([]string, len(copies))
	for i, id := range copies {
		names[i] = string(id)
	}
	return names
}

func (r *runner) compareEvents(s Step, events []board.Event) {
	var want, got []string
	for _, x := range s.Expects {
		if x.What == ExpectEvent {
			want = append(want, fmt.Sprintf("%s %s", x.Event, x.ID))
		}
	}
	for _, e := range events {
		if e.Card != "" {
			got = append(got, fmt.Sprintf("%s %s", e.Kind, e.Card))
		}
	}
	if len(want) > 0 && !slices.Equal(want, got) {
		r.failf(s.Line, "expected the events %s; got %s", strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// compareAnswer holds the words of an answer against the lines.
func (r *runner) compareAnswer(s Step, events []board.Event) {
	var said, effects []string
	for _, e := range events {
		if e.Answer != nil {
			effects = append(effects, e.Answer.Effects...)
			for _, b := range e.Answer.Breaches {
				said = append(said, b.Text)
			}
		}
	}
	has := func(texts []string, part string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, part) })
	}
	for _, x := range s.Expects {
		switch {
		case x.What == ExpectSays && !has(said, x.Text):
			r.failf(x.Line, "no breach says %q; the answer says %q", x.Text, said)
		case x.What == ExpectEffect && !has(effects, x.Text):
			r.failf(x.Line, "no effect says %q; the answer says %q", x.Text, effects)
		case x.What == ExpectNoEffect && has(effects, x.Text):
			r.failf(x.Line, "an effect says %q", x.Text)
		}
	}
}

// compareBoard holds the board as it is now against the lines.
func (r *runner) compareBoard(s Step) {
	b := r.engine.Board()
	game := board.Game{}
	if b.Game != nil {
		game = *b.Game
	}
	for _, x := range s.Expects {
		switch x.What {
		case ExpectState:
			c, ok := b.Copies[x.ID]
			if !ok || !c.State.Equal(x.State) {
				r.failf(x.Line, "expected %s to be %v, it is %v", x.ID, x.State, c.State)
			}
		case ExpectText:
			found := false
			for _, f := range b.Findings {
				found = found || slices.Contains(f.Copies, x.ID) && strings.Contains(f.Seen+"\n"+f.Text, x.Text)
			}
			if !found {
				r.failf(x.Line, "no open finding of %s says %q", x.ID, x.Text)
			}
		case ExpectHonor:
			if got, ok := game.Honor[x.Seat]; !ok || got != x.Amount {
				r.failf(x.Line, "expected %s to have %d honor, it is %d (known: %t)", x.Seat, x.Amount, got, ok)
			}
		case ExpectMark:
			if got := game.Marks[x.ID]; !got.Equal(x.State) {
				r.failf(x.Line, "expected the marks %v on %s, they are %v", x.State, x.ID, got)
			}
		case ExpectFact:
			r.compareFact(x, b)
		case ExpectOutOfStep, ExpectInStep:
			var got []board.CopyID
			if game.OutOfStep != nil {
				for _, d := range game.OutOfStep.Differences {
					got = append(got, d.Copy)
				}
			}
			slices.Sort(got)
			slices.Sort(x.IDs)
			if !slices.Equal(got, x.IDs) {
				r.failf(x.Line, "expected to be out of step by %v, it is by %v", x.IDs, got)
			}
		}
	}
}

func (r *runner) compareFact(x Expect, b board.Board) {
	explained, err := r.engine.Explain(b)
	if err != nil {
		r.failf(x.Line, "%v", err)
		return
	}
	var facts []string
	for _, c := range explained.Copies {
		if c.Copy != x.ID {
			continue
		}
		facts = append(facts, "area "+c.Area, "controller "+string(c.Controller), "owner "+string(c.Owner))
		for _, f := range c.Facts {
			facts = append(facts, strings.TrimSpace(f.Name+" "+strings.Join(append(ids(f.Copies), f.Value), " ")))
		}
	}
	if !slices.Contains(facts, strings.TrimSpace(x.Name+" "+x.Text)) {
		r.failf(x.Line, "expected the fact %s %s of %s; known are %s", x.Name, x.Text, x.ID, strings.Join(facts, ", "))
	}
}

// holdTo fails a scenario that doesn't show what it says it shows.
func (r *runner) holdTo(s Scenario) {
	for _, rule := range s.Rules {
		broken := slices.ContainsFunc(r.result.Opened, func(f board.Finding) bool { return f.Rule == rule }) ||
			slices.ContainsFunc(r.result.Breaches, func(b board.Breach) bool { return b.Rule == rule })
		owed := slices.ContainsFunc(r.result.Prompts, func(p board.Prompt) bool { return p.Rule == rule })
		switch {
		case s.Shows == ShowsObeyed && broken:
			r.failf(s.Line, "it says that it shows %s obeyed, and the rule was broken", rule)
		case s.Shows == ShowsBroken && !broken:
			r.failf(s.Line, "it says that it shows %s broken, and the rule was not broken", rule)
		case s.Shows == ShowsPrompt && !owed:
			r.failf(s.Line, "it says that it shows a prompt of %s, and there was none", rule)
		}
	}
}
