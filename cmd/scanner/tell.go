package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tabletop/board"
)

// tell is an event in a line for people: its time where they are, its number,
// and what happened. What judges said of it follows in lines of their own.
func tell(e board.Event, layout board.Layout) string {
	t := teller{layout}
	text := t.what(e)
	if g := e.Game; g != nil && g.OutOfStep != nil && e.Kind == board.EventOutOfStep {
		for _, d := range g.OutOfStep.Differences {
			text += "\n\t" + d.Text
		}
	}
	return fmt.Sprintf("%s  #%d  %s", e.At.Local().Format(time.TimeOnly), e.Seq, strings.ReplaceAll(text, "\n\t", "\n            "))
}

type teller struct{ layout board.Layout }

func (t teller) what(e board.Event) string {
	switch {
	case e.Finding != nil:
		return t.finding(e)
	case e.Prompt != nil:
		return t.prompt(e)
	case e.Action != nil:
		return t.action(e)
	case e.Kind == board.EventAccepted:
		return "a person takes the table as it lies"
	case e.Kind == board.EventOutOfStep:
		return "the table is out of step with the game:"
	case e.Kind == board.EventInStep:
		return "the table is in step with the game again"
	case e.Kind == board.EventGameChanged:
		return "what is declared has changed" + t.honor(e.Game)
	case e.Before == nil && e.After == nil:
		return string(e.Kind)
	case e.Kind == board.EventCorrected:
		return t.card(e.Before) + ": a person says that " + t.correction(e.After.Corrected)
	}
	return t.cardEvent(e)
}

func (t teller) cardEvent(e board.Event) string {
	c := e.After
	if c == nil || c.Card == nil && e.Before != nil {
		c = e.Before
	}
	what := strings.TrimPrefix(string(e.Kind), "card.")
	switch e.Kind {
	case board.EventPlaced:
		what = "came, " + t.lies(e.After)
	case board.EventRemoved:
		what = "is gone; it was " + t.place(e.Before.Zone)
	case board.EventMoved:
		what = "moved"
		if e.Before != nil && e.Before.Zone != e.After.Zone {
			what += " to " + t.place(e.After.Zone)
		}
	case board.EventTurned:
		what = "turned to " + turnText(e.After.Pose.Rotation)
	case board.EventFlipped:
		what = "flipped face " + string(e.After.Pose.Face)
	case board.EventNamed:
		what = "recognised"
	}
	return t.card(c) + " " + what
}

func (t teller) card(c *board.Copy) string {
	name := "an unknown card"
	switch {
	case c.Card != nil:
		name = c.Card.Name
	case c.Pose.Face == board.FaceDown:
		name = "a face-down card"
	}
	return fmt.Sprintf("%s (%s)", name, c.ID)
}

func (t teller) lies(c *board.Copy) string {
	face := ""
	if c.Pose.Face != board.FaceUp {
		face = ", face " + string(c.Pose.Face)
	}
	return t.place(c.Zone) + ", " + turnText(c.Pose.Rotation) + face
}

func turnText(turn board.Turn) string {
	if !turn.Known() {
		return "a turn that can't be told"
	}
	return fmt.Sprintf("%d°", int(turn))
}

func (t teller) place(id board.ZoneID) string {
	zone, ok := t.layout.Zone(id)
	switch {
	case !ok && id == "":
		return "on the table"
	case !ok:
		return string(id)
	case zone.Seat == "":
		return strings.ReplaceAll(string(zone.Kind), "-", " ")
	}
	return t.seat(zone.Seat) + "'s " + strings.ReplaceAll(string(zone.Kind), "-", " ")
}

func (t teller) seat(id board.SeatID) string {
	if seat, ok := t.layout.Seat(id); ok && seat.Name != "" {
		return seat.Name
	}
	return string(id)
}

func (t teller) finding(e board.Event) string {
	f := e.Finding
	about := fmt.Sprintf("%s (%s)", f.Rule, joined(f.Copies))
	switch e.Kind {
	case board.EventFindingOpened:
		sure := string(f.Severity)
		if f.Possible {
			sure += ", possible"
		}
		return fmt.Sprintf("finding %s, %s: %s", about, sure, f.Text)
	case board.EventFindingDecided:
		return fmt.Sprintf("finding %s: a person decides: %s", about, decision(f.Decision, f.BackTo))
	}
	if f.Ended != "" {
		return fmt.Sprintf("finding %s ended: %s", about, f.Ended)
	}
	return fmt.Sprintf("finding %s ended", about)
}

func decision(d board.Decision, backTo uint64) string {
	if d == board.DecisionBackedUp {
		return fmt.Sprintf("backed up to #%d", backTo)
	}
	return string(d)
}

func (t teller) prompt(e board.Event) string {
	p := e.Prompt
	switch e.Kind {
	case board.EventPromptOpened:
		possible := ""
		if p.Possible {
			possible = ", possibly"
		}
		return fmt.Sprintf("owed by %s%s: %s", p.Rule, possible, p.Text)
	case board.EventPromptDecided:
		return fmt.Sprintf("owed by %s: a person decides: %s", p.Rule, decision(p.Decision, 0))
	}
	return fmt.Sprintf("owed by %s: done with", p.Rule)
}

func (t teller) action(e board.Event) string {
	a := e.Action
	parts := []string{"declared: " + string(a.Kind)}
	if a.Seat != "" {
		parts = append(parts, "by "+t.seat(a.Seat))
	}
	if len(a.Copies) > 0 {
		parts = append(parts, "with "+joined(a.Copies))
	}
	if len(a.Targets) > 0 {
		parts = append(parts, "on "+joined(a.Targets))
	}
	if a.Zone != "" {
		parts = append(parts, "at "+t.place(a.Zone))
	}
	if a.Amount != 0 {
		parts = append(parts, fmt.Sprintf("of %d", a.Amount))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Params)) {
		parts = append(parts, name+"="+a.Params[name])
	}
	text := strings.Join(parts, " ")
	if e.Answer == nil {
		return text
	}
	switch {
	case e.Answer.Legal && a.Ruled && len(e.Answer.Breaches) > 0:
		text += ": illegal, and let stand"
	case e.Answer.Legal:
		text += ": legal"
	default:
		text += ": illegal"
	}
	for _, b := range e.Answer.Breaches {
		text += fmt.Sprintf("\n\t%s: %s", b.Rule, b.Text)
	}
	for _, effect := range e.Answer.Effects {
		text += "\n\t" + effect
	}
	return text + t.honor(e.Game)
}

// honor is the seats' totals, if the game has them.
func (t teller) honor(g *board.Game) string {
	if g == nil || len(g.Honor) == 0 {
		return ""
	}
	var totals []string
	for _, seat := range slices.Sorted(maps.Keys(g.Honor)) {
		totals = append(totals, fmt.Sprintf("%s %d", t.seat(seat), g.Honor[seat]))
	}
	return " (honor: " + strings.Join(totals, ", ") + ")"
}

func (t teller) correction(c *board.Correction) string {
	if c == nil {
		return "the camera is right after all"
	}
	var said []string
	if c.Card != nil {
		said = append(said, "it is "+c.Card.Name)
	}
	if c.Face != "" {
		said = append(said, "it lies face "+string(c.Face))
	}
	if c.Owner != nil {
		said = append(said, "its owner is "+t.seat(*c.Owner))
	}
	if c.Controller != nil {
		said = append(said, "it is controlled by "+t.seat(*c.Controller))
	}
	return strings.Join(said, ", ")
}
