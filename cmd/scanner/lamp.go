package main

import (
	"errors"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/hardware/light"
)

// show sets the light, and buzzes for what wants a judge at the table.
func (l *live) show(news []board.Event) {
	if l.panel == nil {
		return
	}
	var problem trouble
	l.state.set(func(s *liveState) { problem = s.problem(time.Now()) })
	err := l.panel.Show(lampOf(l.pipe.engine.Board(), problem != ""))
	if slices.ContainsFunc(news, wantsAJudge) {
		err = errors.Join(err, l.panel.Buzz())
	}
	if err != nil {
		l.log.Warn("the light does not work", "error", err)
	}
}

// lampOf is red while there is a finding that something is illegal; amber while
// the program is not sure: it sees nothing, some card's name or face is not
// known, the table is out of step with the game, something is suspicious,
// possible or owed; else green. What somebody has decided counts no more.
func lampOf(b board.Board, blind bool) light.Status {
	status := light.Legal
	if blind || b.Game != nil && b.Game.OutOfStep != nil {
		status = light.Unsure
	}
	for _, c := range b.Copies {
		if c.Card == nil && c.Pose.Face != board.FaceDown {
			status = light.Unsure
		}
	}
	for _, p := range b.Prompts {
		if p.Decision == "" {
			status = light.Unsure
		}
	}
	for _, f := range b.Findings {
		switch {
		case f.Decision != "" || f.Severity == board.SeverityInfo:
		case f.Severity == board.SeverityIllegal && !f.Possible:
			return light.Finding
		default:
			status = light.Unsure
		}
	}
	return status
}

// wantsAJudge says whether an event is to be heard: something is found or owed,
// or the table is out of step. Remarks, and what is only possible, are seen.
func wantsAJudge(e board.Event) bool {
	switch e.Kind {
	case board.EventFindingOpened:
		return e.Finding.Severity != board.SeverityInfo && !e.Finding.Possible
	case board.EventPromptOpened:
		return !e.Prompt.Possible
	}
	return e.Kind == board.EventOutOfStep
}
