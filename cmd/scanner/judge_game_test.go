package main

import (
	"testing"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
	"tabletop/internal/tablesim/script"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/tracker"
)

// TestJudgeGameSeenPerfectly plays the game with the twelve mistakes through
// tracker and rules alone, as a scanner would that sees everything: what the
// rules find must be what the script says.
func TestJudgeGameSeenPerfectly(t *testing.T) {
	cards := deck.New()
	game, err := script.JudgeGame(cards)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := rules.New(l5r.EmperorEdition(), rules.Options{Layout: game.Layout, Card: cards.Card})
	if err != nil {
		t.Fatal(err)
	}
	tracked := tracker.New(tracker.Options{Layout: game.Layout})
	var got []board.Event
	for at := time.Duration(0); at < game.Length; at += 100 * time.Millisecond {
		view := game.View(at)
		view.At = gameStart().Add(at)
		got = append(got, engine.Apply(tracked.Observe(view))...)
	}
	if err := script.Compare(game.Expected(), got); err != nil {
		t.Error(err)
	}
	checkJudgeGame(t, game, got)
}

// TestJudgeGameBeginsAgain holds that it can be left running: a second run finds
// the same twelve mistakes, and no other.
func TestJudgeGameBeginsAgain(t *testing.T) {
	cards := deck.New()
	game, err := script.JudgeGame(cards)
	if err != nil {
		t.Fatal(err)
	}
	if !game.Repeats {
		t.Fatal("it does not begin again")
	}
	engine, err := rules.New(l5r.EmperorEdition(), rules.Options{Layout: game.Layout, Card: cards.Card})
	if err != nil {
		t.Fatal(err)
	}
	tracked := tracker.New(tracker.Options{Layout: game.Layout})
	var again []board.Event
	for at := time.Duration(0); at < 2*game.Length; at += 100 * time.Millisecond {
		view := game.View(at)
		view.At = gameStart().Add(at)
		events := engine.Apply(tracked.Observe(view))
		if at >= game.Length {
			again = append(again, events...)
		}
	}
	checkJudgeGame(t, game, again)
}

// soonEnough is how long after a mistake lies at rest it may be found.
const soonEnough = time.Second

// TestJudgeGameLive plays it through the whole program: all twelve mistakes are
// found, nothing else, each soon after it lies at rest, and each finding ends
// when it is mended.
func TestJudgeGameLive(t *testing.T) {
	game, sent, kept := playBuiltin(t, "judge")
	want := game.Expected()
	if err := script.Compare(want, sent); err != nil {
		t.Errorf("websocket: %v", err)
	}
	if err := script.Compare(want, kept); err != nil {
		t.Fatalf("journal: %v", err)
	}
	checkJudgeGame(t, game, kept)
	for i, e := range kept { // they are in the script's order
		if e.Kind != board.EventFindingOpened && e.Kind != board.EventFindingEnded {
			continue
		}
		if late := e.At.Sub(gameStart().Add(want[i].At)); late > soonEnough {
			t.Errorf("%s came %v after the card lay at rest, want %v at most", want[i], late, soonEnough)
		}
	}
}

// checkJudgeGame holds the game, and what was made of it, to what it is for.
func checkJudgeGame(t *testing.T, game *script.Game, got []board.Event) {
	t.Helper()
	if game.Acts < 60 {
		t.Errorf("the game has %d acts, want 60", game.Acts)
	}
	opened := map[board.RuleID]int{}
	open := map[board.FindingID]board.Finding{}
	for _, e := range got {
		switch e.Kind {
		case board.EventFindingOpened:
			opened[e.Finding.Rule]++
			open[e.Finding.ID] = *e.Finding
			if e.Finding.Citation.Passage == "" || e.Finding.Text == "" || e.Finding.Seen == "" {
				t.Errorf("finding %+v cites or says nothing", e.Finding)
			}
		case board.EventFindingEnded:
			delete(open, e.Finding.ID)
		}
	}
	if len(opened) != 12 {
		t.Errorf("findings of %d rules, want 12: %v", len(opened), opened)
	}
	for rule, n := range opened {
		if n != 1 {
			t.Errorf("%d findings of %s, want one", n, rule)
		}
	}
	for _, f := range open {
		t.Errorf("finding %s stays open though its cause is mended: %s", f.Rule, f.Text)
	}
}
