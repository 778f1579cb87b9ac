package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/rules"
)

// actTime is how long an act takes.
const actTime = 5 * time.Second

// Run plays a scenario and returns all that went otherwise than expected, each
// with its line, joined into one error. The opened findings are returned for
// those who count which rules were shown broken.
func Run(s Scenario, packs rules.Packs) ([]board.Finding, error) {
	pack, err := packs.Find(s.Game)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", s.Line, err)
	}
	for _, rule := range s.Cites {
		if _, ok := pack.Rule(rule); !ok {
			return nil, fmt.Errorf("line %d: game %s has no rule %q", s.Line, s.Game, rule)
		}
	}
	engine, err := rules.New(pack, rules.Options{Layout: s.Table, Lang: s.Lang})
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", s.Line, err)
	}
	r := runner{
		layout: s.Table,
		engine: engine,
		now:    time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		lies:   map[board.CopyID]board.Copy{},
	}
	for _, step := range s.Steps {
		r.step(step)
	}
	return r.opened, errors.Join(r.errs...)
}

// runner is a table on which the acts are done.
type runner struct {
	layout board.Layout
	engine *rules.Engine
	now    time.Time
	lies   map[board.CopyID]board.Copy // as the tracker would know them
	placed int
	opened []board.Finding
	errs   []error
}

func (r *runner) failf(line int, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

func (r *runner) step(s Step) {
	r.now = r.now.Add(s.Wait)
	var changes []board.Change
	for _, a := range s.Acts {
		made, err := r.act(a)
		if err != nil {
			r.failf(a.Line, "%v", err)
			return
		}
		changes = append(changes, made...)
	}
	events := r.engine.Apply(changes)
	for _, e := range events {
		if e.Kind == board.EventFindingOpened {
			r.opened = append(r.opened, *e.Finding)
		}
	}
	r.compareFindings(s, events)
	r.compareEvents(s, events)
	r.compareBoard(s)
	r.now = r.now.Add(actTime)
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
		{board.ChangeMoved, a.Zone != ""},
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
		c = board.Copy{ID: a.ID, Pose: board.Pose{Visible: 1, Confidence: 1, AngleModulo: 360, Centre: board.Point{X: 50 + 70*float64(r.placed), Y: 450}}}
	}
	if a.Card != nil || a.Kind == board.ChangeNamed {
		c.Card = a.Card
	}
	zone, _ := r.layout.Zone(c.Zone)
	was, _ := r.layout.Seat(zone.Seat)
	if a.Zone != "" {
		zone, _ = r.layout.Zone(a.Zone)
		c.Zone = a.Zone
		middle := board.Quad(zone.Outline[:4]).Centre()
		c.Pose.Centre = board.Point{X: middle.X * r.layout.Size.Width, Y: middle.Y * r.layout.Size.Height}
	}
	seat, _ := r.layout.Seat(zone.Seat)
	angle := c.Pose.AngleDeg - was.UpDeg
	if a.Turn != nil {
		c.Pose.Rotation = *a.Turn
		angle = a.AngleDeg
	}
	c.Pose.AngleDeg = board.NormalizeDeg(angle + seat.UpDeg)
	if a.Face != "" {
		c.Pose.Face = a.Face
	}
	c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
	return c
}

// compareFindings holds the findings that opened and ended against the lines.
func (r *runner) compareFindings(s Step, events []board.Event) {
	var got []string
	seen := map[string]board.Finding{}
	for _, e := range events {
		if e.Finding == nil {
			continue
		}
		for _, id := range e.Finding.Copies {
			line := fmt.Sprintf("ended %s %s", e.Finding.Rule, id)
			if e.Kind == board.EventFindingOpened {
				line = fmt.Sprintf("finding %s %s %s", e.Finding.Rule, e.Finding.Severity, id)
			}
			got = append(got, line)
			seen[line] = *e.Finding
		}
	}
	for _, x := range s.Expects {
		line := ""
		switch x.What {
		case ExpectFinding:
			line = fmt.Sprintf("finding %s %s %s", x.Rule, x.Severity, x.ID)
		case ExpectEnded:
			line = fmt.Sprintf("ended %s %s", x.Rule, x.ID)
		default:
			continue
		}
		i := slices.Index(got, line)
		if i < 0 {
			r.failf(x.Line, "expected %s; it didn't come", line)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, line := range got {
		r.failf(s.Line, "not expected: %s (%s)", line, seen[line].Seen)
	}
}

func (r *runner) compareEvents(s Step, events []board.Event) {
	var want, got []string
	for _, x := range s.Expects {
		if x.What == ExpectEvent {
			want = append(want, fmt.Sprintf("%s %s", x.Event, x.ID))
		}
	}
	for _, e := range events {
		if e.Finding == nil {
			got = append(got, fmt.Sprintf("%s %s", e.Kind, e.Card))
		}
	}
	if len(want) > 0 && !slices.Equal(want, got) {
		r.failf(s.Line, "expected the events %s; got %s", strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// compareBoard holds states and texts against the lines.
func (r *runner) compareBoard(s Step) {
	b := r.engine.Board()
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
		}
	}
}
