package web_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/web"
)

// told is what a viewer is told, in short: kind, name of the copy, card before
// and after ("-" no copy, "?" not told).
func told(e board.Event) string {
	side := func(c *board.Copy) string {
		switch {
		case c == nil:
			return "-"
		case c.Card == nil:
			return "?"
		}
		return string(c.Card.ID)
	}
	return fmt.Sprintf("%s %s %s→%s", e.Kind, e.Card, side(e.Before), side(e.After))
}

func TestWhatAViewerIsTold(t *testing.T) {
	const home, hand = "south.home", "south.hand"
	up := func(id, card string, state ...string) *board.Copy {
		return copyOf(id, card, board.FaceUp, home, state...)
	}
	down := func(id, card string, state ...string) *board.Copy {
		return copyOf(id, card, board.FaceDown, home, state...)
	}
	held := func(id, card string) *board.Copy { return copyOf(id, card, board.FaceUp, hand) }
	turned := func(c *board.Copy) *board.Copy { c.Pose.Rotation = 90; return c }
	moved := func(c *board.Copy) *board.Copy { c.Pose.Centre.X += 100; return c }
	surer := func(c *board.Copy) *board.Copy { c.Pose.Confidence = 0.5; return c }
	unknown := func(c *board.Copy) *board.Copy { c.Pose.Face = board.FaceUnknown; return c }
	nowhere := func(c *board.Copy) *board.Copy { c.Zone, c.Pose.Centre = "", board.Point{X: 600, Y: 760}; return c }
	corrected := func(c *board.Copy) *board.Copy {
		c.Corrected = &board.Correction{Card: &board.CardRef{ID: "secret"}}
		return c
	}
	others := func(c *board.Copy) *board.Copy { c.Owner = "north"; return c }
	game := &board.Game{Marks: map[board.CopyID]board.State{"c1": board.NewState("secret")}, Honor: map[board.SeatID]int{"south": 7}}
	withGame := func(e board.Event) board.Event { e.Game = game; return e }
	prompt := &board.Prompt{ID: "p1", Rule: "honor.destroyed", Copies: []board.CopyID{"c1"}, Text: "secret"}
	action := &board.Action{ID: "a1", Kind: "attack", Copies: []board.CopyID{"c1"}, Params: map[string]string{"why": "secret"}}
	answer := &board.Answer{Breaches: []board.Breach{}, Effects: []string{"secret"}}
	finding := &board.Finding{ID: "f1", Rule: "bow.turn", Copies: []board.CopyID{"c1"}, Text: "hida"}

	for _, test := range []struct {
		name   string
		events []board.Event
		want   []string
	}{
		{"face up: everything", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			change("card.bowed", up("c1", "hida"), turned(up("c1", "hida", "bowed"))),
			change(board.EventRemoved, turned(up("c1", "hida", "bowed")), nil),
			change(board.EventPlaced, nil, up("c1", "hida")),
		}, []string{"card.placed c1 -→hida", "card.bowed c1 hida→hida", "card.removed c1 hida→-", "card.placed c1 -→hida"}},
		{"face down: that it is there", []board.Event{
			change(board.EventPlaced, nil, down("c1", "hida")),
			change(board.EventMoved, down("c1", "hida"), moved(down("c1", "hida"))),
			change(board.EventRemoved, moved(down("c1", "hida")), nil),
		}, []string{"card.placed c1 -→?", "card.moved c1 ?→?", "card.removed c1 ?→-"}},
		{"a face that can't be told", []board.Event{
			change(board.EventPlaced, nil, unknown(up("c1", "hida"))),
		}, []string{"card.placed c1 -→?"}},
		{"face down: not that it was recognised", []board.Event{
			change(board.EventPlaced, nil, surer(down("c1", ""))),
			change(board.EventNamed, surer(down("c1", "")), down("c1", "hida")),
			change("card.scored", surer(down("c1", "hida")), down("c1", "hida")),
			change(board.EventMoved, down("c1", "hida"), moved(down("c1", "hida"))),
		}, []string{"card.placed c1 -→?", "card.moved c1 ?→?"}},
		{"face down: turned, not what a turn means", []board.Event{
			change(board.EventPlaced, nil, down("c1", "hida")),
			change("card.dishonored", down("c1", "hida"), turned(down("c1", "hida", "dishonorable"))),
		}, []string{"card.placed c1 -→?", "card.turned c1 ?→?"}},
		{"turned face up and down", []board.Event{
			change(board.EventPlaced, nil, down("c1", "hida")),
			change(board.EventFlipped, down("c1", "hida"), up("c1", "hida")),
			change("card.bowed", up("c1", "hida"), turned(down("c1", "hida", "bowed"))),
		}, []string{"card.placed c1 -→?", "card.flipped c1 ?→hida", "card.flipped c1 hida→?"}},
		{"in a hand: nothing", []board.Event{
			change(board.EventPlaced, nil, held("c1", "hida")),
			change(board.EventMoved, held("c1", "hida"), moved(held("c1", "hida"))),
			change(board.EventRemoved, held("c1", "hida"), nil),
		}, nil},
		{"in a hand by its place alone", []board.Event{
			change(board.EventPlaced, nil, nowhere(up("c1", "hida"))),
		}, nil},
		{"from a hand: placed, once, under another name", []board.Event{
			change(board.EventPlaced, nil, held("c1", "hida")),
			change(board.EventMoved, held("c1", "hida"), down("c1", "hida")),
			change(board.EventFlipped, held("c1", "hida"), down("c1", "hida")),
			change(board.EventMoved, down("c1", "hida"), moved(down("c1", "hida"))),
		}, []string{"card.placed h1 -→?", "card.moved h1 ?→?"}},
		{"to a hand and back: not the same card", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			change(board.EventPlaced, nil, held("c2", "other")),
			change(board.EventMoved, up("c1", "hida"), held("c1", "hida")),
			change(board.EventTurned, up("c1", "hida"), held("c1", "hida")),
			change(board.EventMoved, held("c2", "other"), down("c2", "other")),
			change(board.EventMoved, held("c1", "hida"), down("c1", "hida")),
		}, []string{"card.placed c1 -→hida", "card.removed c1 hida→-", "card.placed h1 -→?", "card.placed h2 -→?"}},
		{"out of a hand unseen", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			change(board.EventMoved, up("c1", "hida"), held("c1", "hida")),
			change(board.EventRemoved, held("c1", "hida"), nil),
			change(board.EventPlaced, nil, down("c1", "hida")),
		}, []string{"card.placed c1 -→hida", "card.removed c1 hida→-", "card.placed h1 -→?"}},
		{"gone, then back face down", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			change(board.EventRemoved, up("c1", "hida"), nil),
			change(board.EventPlaced, nil, down("c1", "hida")),
		}, []string{"card.placed c1 -→hida", "card.removed c1 hida→-", "card.placed h1 -→?"}},
		{"a copy that has a made-up name by chance", []board.Event{
			change(board.EventMoved, held("c1", "hida"), up("c1", "hida")),
			change(board.EventPlaced, nil, up("h1", "other")),
		}, []string{"card.placed h1 -→hida", "card.placed h2 -→other"}},
		{"findings and what is not about a copy: nothing", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			{Kind: board.EventFindingOpened, Finding: finding},
			{Kind: board.EventFindingDecided, Card: "c1", Finding: finding, Before: up("c1", "hida"), After: moved(up("c1", "hida"))},
			{Kind: board.EventFindingEnded, Finding: finding},
			{Kind: "honor.gained"},
			{Kind: "card.revealed", Card: "c1"},
			change("card.bowed", up("c1", "hida"), turned(up("c1", "hida", "bowed"))),
		}, []string{"card.placed c1 -→hida", "card.bowed c1 hida→hida"}},
		{"what is declared, owed and accepted: nothing", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			{Kind: board.EventActionDeclared, Action: action, Answer: answer, Game: game},
			{Kind: board.EventPromptOpened, Card: "c1", Before: up("c1", "hida"), After: moved(up("c1", "hida")), Prompt: prompt},
			{Kind: board.EventPromptDecided, Prompt: prompt},
			{Kind: board.EventPromptEnded, Prompt: prompt},
			{Kind: board.EventOutOfStep, Game: game},
			{Kind: board.EventInStep, Game: game},
			{Kind: board.EventAccepted, Game: game},
			{Kind: board.EventGameChanged, Card: "c1", Before: up("c1", "hida"), After: moved(up("c1", "hida")), Game: game},
		}, []string{"card.placed c1 -→hida"}},
		{"a card that changes what is declared: the card", []board.Event{
			withGame(change(board.EventPlaced, nil, up("c1", "hida"))),
			withGame(change("card.bowed", up("c1", "hida"), turned(up("c1", "hida", "bowed")))),
		}, []string{"card.placed c1 -→hida", "card.bowed c1 hida→hida"}},
		{"a correction: what shows of it, and not that it is one", []board.Event{
			change(board.EventPlaced, nil, up("c1", "hida")),
			change(board.EventCorrected, up("c1", "hida"), corrected(up("c1", "other"))),
			change(board.EventCorrected, corrected(up("c1", "other")), corrected(others(up("c1", "other")))),
			change(board.EventCorrected, corrected(others(up("c1", "other"))), others(up("c1", "other"))),
			change(board.EventCorrected, others(up("c1", "other")), corrected(others(down("c1", "other")))),
			change(board.EventCorrected, corrected(others(down("c1", "other"))), corrected(others(down("c1", "hida")))),
			change(board.EventCorrected, corrected(others(down("c1", "hida"))), corrected(others(up("c1", "hida")))),
		}, []string{"card.placed c1 -→hida", "card.named c1 hida→other", "card.moved c1 other→other", "card.flipped c1 other→?", "card.flipped c1 ?→hida"}},
		{"a correction in a hand: nothing", []board.Event{
			change(board.EventPlaced, nil, held("c1", "hida")),
			change(board.EventCorrected, held("c1", "hida"), corrected(held("c1", "other"))),
		}, nil},
		{"it lay there before", []board.Event{
			change("card.bowed", up("c1", "hida"), turned(up("c1", "hida", "bowed"))),
		}, []string{"card.bowed c1 hida→hida"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tb := newTable(t, web.HubOptions{})
			viewer, judge := tb.dial(nil), tb.dial(cookie("judge-token"))
			for _, c := range []*client{viewer, judge} {
				c.hello()
				c.subscribe("log", nil)
				c.snapshot()
			}
			tb.publish(test.events...)
			for range test.events {
				judge.event()
			}
			tb.clock.Advance(10e9)
			for i, want := range test.want {
				e := viewer.event()
				if told(e) != want || e.Seq != uint64(i+1) {
					t.Fatalf("%d: %s, want %d: %s", e.Seq, told(e), i+1, want)
				}
				for _, c := range []*board.Copy{e.Before, e.After} {
					if c != nil && c.Card == nil && (len(c.State) > 0 || c.Pose.Confidence != 0) {
						t.Fatalf("%s tells of a secret card: state %v, confidence %v", want, c.State, c.Pose.Confidence)
					}
				}
			}
			// Nothing follows, and the head does not tell of more.
			if beat := viewer.heartbeat(); beat.Head != uint64(len(test.want)) {
				t.Fatalf("head %d, want %d", beat.Head, len(test.want))
			}
			for _, secret := range []string{"secret", "prompt", "action", "answer", "corrected", `"game":{`, "honor.destroyed"} {
				if i := strings.Index(viewer.raw.String(), secret); i >= 0 {
					t.Errorf("a viewer is told of %q: …%s", secret, viewer.raw.String()[max(0, i-80):])
				}
			}
			if beat := judge.heartbeat(); beat.Head != uint64(len(test.events)) {
				t.Fatalf("the judge's head is %d, want %d", beat.Head, len(test.events))
			}
		})
	}
}

func TestAJudgeIsToldEverything(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	finding := &board.Finding{ID: "f1", Rule: "bow.turn", Severity: board.SeverityIllegal, Copies: []board.CopyID{"c1"}}
	tb.publish(
		change(board.EventPlaced, nil, copyOf("c1", "hida", board.FaceDown, "south.hand", "bowed")),
		board.Event{Kind: board.EventFindingOpened, Finding: finding},
		board.Event{Kind: board.EventPromptOpened, Prompt: &board.Prompt{ID: "p1", Rule: "honor.destroyed"}},
		board.Event{Kind: board.EventGameChanged, Game: &board.Game{Honor: map[board.SeatID]int{"south": 7}}},
	)
	for _, token := range []string{"judge-token", "operator-token"} {
		c := tb.dial(cookie(token))
		c.hello()
		c.subscribe("board", nil)
		b := c.snapshot().Board
		if b.Copies["c1"].Card == nil || !b.Copies["c1"].State.Has("bowed") || b.Findings["f1"].Rule != "bow.turn" || b.Prompts["p1"].Rule != "honor.destroyed" || b.Game == nil || b.Game.Honor["south"] != 7 {
			t.Errorf("%s: %+v", token, b)
		}
	}
	for _, token := range []string{"", "overlay-token"} {
		c := tb.dial(cookie(token))
		c.hello()
		c.subscribe("board", nil)
		if b := c.snapshot().Board; len(b.Copies) != 0 || len(b.Findings) != 0 || len(b.Prompts) != 0 || b.Game != nil {
			t.Errorf("%s: %+v", token, b)
		}
	}
}

// The start of a match is filtered as its events are.
func TestSecretsOnTheBoardAMatchBeginsWith(t *testing.T) {
	start := board.NewBoard(testLayout())
	start.Copies["c1"] = *copyOf("c1", "hida", board.FaceDown, "south.home", "bowed")
	start.Copies["c2"] = *copyOf("c2", "togashi", board.FaceUp, "south.hand")
	start.Findings["f1"] = board.Finding{ID: "f1", Text: "hida"}
	start.Prompts["p1"] = board.Prompt{ID: "p1", Text: "hida"}
	start.Game = &board.Game{Attached: map[board.CopyID]board.CopyID{"c2": "c1"}}
	tb := newTable(t, web.HubOptions{Match: web.Match{Epoch: "e", Board: start}})
	c := tb.dial(nil)
	c.hello()
	c.subscribe("board", nil)
	c.snapshot()
	tb.publish(change(board.EventMoved, copyOf("c2", "togashi", board.FaceUp, "south.hand"), copyOf("c2", "togashi", board.FaceDown, "south.home")))
	if got := told(c.event()); got != "card.placed h1 -→?" {
		t.Error(got)
	}
	for _, secret := range []string{"hida", "togashi", "bowed", "f1", "p1", "c2", "attached"} {
		if strings.Contains(c.raw.String(), `"`+secret) {
			t.Errorf("a viewer is sent %q: %s", secret, c.raw.String())
		}
	}
}

// TestNothingSecretInAnyByte plays random games in which some cards are never
// face up outside a hand, and looks for their names in every byte that viewers
// and overlays get.
func TestNothingSecretInAnyByte(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tb := newTable(t, web.HubOptions{KeepEvents: 10, QueueBytes: 4 << 10})
		defer tb.stop()
		var watchers []*client
		for _, token := range []string{"", "overlay-token"} {
			for _, view := range []string{"board", "log"} {
				c := tb.dial(cookie(token))
				c.hello()
				c.subscribe(view, &web.Position{Epoch: "none"})
				c.snapshot()
				watchers = append(watchers, c)
			}
		}
		at := map[string]*board.Copy{}
		for range rapid.IntRange(1, 60).Draw(r, "events") {
			id := rapid.SampledFrom([]string{"c1", "c2", "c3", "c4"}).Draw(r, "id")
			face := rapid.SampledFrom([]board.Face{board.FaceUp, board.FaceDown, board.FaceUnknown}).Draw(r, "face")
			zone := rapid.SampledFrom([]board.ZoneID{"south.home", "battlefield", "south.hand"}).Draw(r, "zone")
			kind := rapid.SampledFrom([]board.EventKind{board.EventMoved, board.EventTurned, board.EventNamed, "card.bowed", "card.leaked", board.EventCorrected, board.EventGameChanged}).Draw(r, "kind")
			if face == board.FaceUp && zone != "south.hand" {
				face = board.FaceDown
			}
			after := copyOf(id, "secret-"+id, face, zone, "secret-word")
			after.Pose.Centre.X = rapid.Float64Range(0, 1200).Draw(r, "x")
			if rapid.IntRange(0, 5).Draw(r, "remove") == 0 {
				after = nil
			}
			if before := at[id]; before != nil || after != nil {
				corrected, game := &board.Correction{Card: &board.CardRef{ID: "secret-card"}}, &board.Game{Marks: map[board.CopyID]board.State{board.CopyID(id): board.NewState("secret-mark")}}
				if after != nil && rapid.Bool().Draw(r, "corrected") {
					after.Corrected = corrected
				}
				seen := change(kind, before, after)
				seen.Game = game
				tb.publish(seen,
					board.Event{Kind: board.EventActionDeclared, Action: &board.Action{ID: "secret-action"}, Answer: &board.Answer{Effects: []string{"secret-effect"}}, Game: game},
					board.Event{Kind: board.EventPromptOpened, Card: board.CopyID(id), Before: before, After: after, Prompt: &board.Prompt{ID: "secret-prompt"}},
					board.Event{Kind: board.EventFindingOpened, Card: board.CopyID(id), Before: before, After: after,
						Finding: &board.Finding{ID: "secret-finding", Copies: []board.CopyID{board.CopyID(id)}}})
			}
			at[id] = after
		}
		tb.stop()
		for _, c := range watchers {
			for {
				if _, _, err := c.receive(); err != nil {
					break
				}
			}
			if i := strings.Index(c.raw.String(), "secret"); i >= 0 {
				r.Fatalf("…%s", c.raw.String()[max(0, i-200):])
			}
			c.conn.Close()
		}
	})
}
