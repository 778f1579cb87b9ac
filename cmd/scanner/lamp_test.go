package main

import (
	"testing"

	"tabletop/board"
	"tabletop/hardware/light"
)

func TestLampAndBuzzer(t *testing.T) {
	finding := func(s board.Severity, change ...func(*board.Finding)) board.Finding {
		f := board.Finding{ID: "f1", Severity: s}
		for _, c := range change {
			c(&f)
		}
		return f
	}
	possible := func(f *board.Finding) { f.Possible = true }
	decided := func(f *board.Finding) { f.Decision = board.DecisionUpheld }
	withFinding := func(f board.Finding) func(*board.Board) {
		return func(b *board.Board) { b.Findings[f.ID] = f }
	}
	copyOf := func(card *board.CardRef, face board.Face) func(*board.Board) {
		return func(b *board.Board) { b.Copies["c1"] = board.Copy{ID: "c1", Card: card, Pose: board.Pose{Face: face}} }
	}
	prompt := func(d board.Decision) func(*board.Board) {
		return func(b *board.Board) { b.Prompts["p1"] = board.Prompt{ID: "p1", Decision: d} }
	}
	for name, c := range map[string]struct {
		board func(*board.Board)
		blind bool
		want  light.Status
	}{
		"an empty table":          {func(*board.Board) {}, false, light.Legal},
		"a known card":            {copyOf(&board.CardRef{ID: "x"}, board.FaceUp), false, light.Legal},
		"a face-down card":        {copyOf(nil, board.FaceDown), false, light.Legal},
		"an unknown card":         {copyOf(nil, board.FaceUp), false, light.Unsure},
		"the camera sees nothing": {func(*board.Board) {}, true, light.Unsure},
		"illegal":                 {withFinding(finding(board.SeverityIllegal)), false, light.Finding},
		"illegal, seen by nobody": {withFinding(finding(board.SeverityIllegal)), true, light.Finding},
		"illegal, and decided":    {withFinding(finding(board.SeverityIllegal, decided)), false, light.Legal},
		"possibly illegal":        {withFinding(finding(board.SeverityIllegal, possible)), false, light.Unsure},
		"suspicious":              {withFinding(finding(board.SeveritySuspicious)), false, light.Unsure},
		"suspicious, and decided": {withFinding(finding(board.SeveritySuspicious, decided)), false, light.Legal},
		"a remark":                {withFinding(finding(board.SeverityInfo)), false, light.Legal},
		"something owed":          {prompt(""), false, light.Unsure},
		"something owed and seen": {prompt(board.DecisionAcknowledged), false, light.Legal},
		"out of step":             {func(b *board.Board) { b.Game = &board.Game{OutOfStep: &board.OutOfStep{}} }, false, light.Unsure},
		"declared, and in step":   {func(b *board.Board) { b.Game = &board.Game{} }, false, light.Legal},
		"illegal and out of step": {func(b *board.Board) {
			b.Game = &board.Game{OutOfStep: &board.OutOfStep{}}
			withFinding(finding(board.SeverityIllegal))(b)
		}, false, light.Finding},
		"suspicious among remarks": {func(b *board.Board) {
			withFinding(finding(board.SeveritySuspicious))(b)
			b.Findings["f2"] = board.Finding{ID: "f2", Severity: board.SeverityInfo}
		}, false, light.Unsure},
	} {
		b := board.NewBoard(board.Layout{})
		c.board(&b)
		if got := lampOf(b, c.blind); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}

	opened := func(f board.Finding) board.Event { return board.Event{Kind: board.EventFindingOpened, Finding: &f} }
	owed := func(possible bool) board.Event {
		return board.Event{Kind: board.EventPromptOpened, Prompt: &board.Prompt{Possible: possible}}
	}
	f := finding(board.SeverityIllegal)
	for name, c := range map[string]struct {
		event board.Event
		want  bool
	}{
		"illegal":          {opened(f), true},
		"suspicious":       {opened(finding(board.SeveritySuspicious)), true},
		"possible":         {opened(finding(board.SeverityIllegal, possible)), false},
		"a remark":         {opened(finding(board.SeverityInfo)), false},
		"a finding's end":  {board.Event{Kind: board.EventFindingEnded, Finding: &f}, false},
		"a decision":       {board.Event{Kind: board.EventFindingDecided, Finding: &f}, false},
		"something owed":   {owed(false), true},
		"perhaps owed":     {owed(true), false},
		"out of step":      {board.Event{Kind: board.EventOutOfStep}, true},
		"a card that bows": {board.Event{Kind: "card.bowed", Card: "c1"}, false},
	} {
		if got := wantsAJudge(c.event); got != c.want {
			t.Errorf("%s: buzzes %v", name, got)
		}
	}
}
