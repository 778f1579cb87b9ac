package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

// atTable is an engine over the standard table with a bowed Holding and a
// dishonorable Personality.
func atTable(t *testing.T) *rules.Engine {
	t.Helper()
	e := newEngine(t, rules.Options{Layout: scenario.Table()})
	h, p := lying("h", card("Copper Mine", "Holding"), "south.home", 90), lying("p", card("Hida", "Personality"), "south.home", 180)
	p.Pose.Centre.X = 400
	p.Pose.Corners = board.RectQuad(p.Pose.Centre, board.StandardCard(), 180)
	for _, c := range []*board.Copy{&h, &p} {
		c.Owner, c.Controller = "south", "south"
	}
	e.Apply([]board.Change{placed(h), placed(p)})
	return e
}

func TestActionsThatCantBeUnderstood(t *testing.T) {
	tests := []struct {
		name   string
		action board.Action
		want   string
	}{
		{"an unknown kind", board.Action{Kind: "juggle"}, `game l5r-emperor has no action "juggle": it has target,`},
		{"of the other edition", board.Action{Kind: "overlay"}, `has no action "overlay"`},
		{"without a seat", board.Action{Kind: "ability", Copies: []board.CopyID{"h"}}, "ability lacks a seat"},
		{"without copies", board.Action{Kind: "bow"}, "bow lacks copies"},
		{"with an amount too many", board.Action{Kind: "bow", Copies: []board.CopyID{"h"}, Amount: 1}, "bow takes no amount"},
		{"below zero", board.Action{Kind: "honor.gain", Seat: "south", Amount: -1}, "honor.gain takes no amount below zero"},
		{"a copy there isn't", board.Action{Kind: "bow", Copies: []board.CopyID{"x"}}, `no copy "x" lies on the table`},
		{"a seat there isn't", board.Action{Kind: "honor.total", Seat: "west"}, `nobody sits at "west"`},
		{"an area there isn't", board.Action{Kind: "move", Copies: []board.CopyID{"p"}, Zone: "moon"}, `the table has no area "moon"`},
		{"a parameter there isn't", board.Action{Kind: "bow", Copies: []board.CopyID{"h"}, Params: map[string]string{"how": "low"}}, `bow takes no "how"`},
		{"a value there isn't", board.Action{Kind: "trait", Params: map[string]string{"event": "rain"}}, `trait: event is one of bow, straighten`},
		{"a reference to nothing", board.Action{Kind: "target", Params: map[string]string{"lifts": "target:cellar"}}, `lifts can't be "target:cellar"`},
		{"a seat there isn't, given control", board.Action{Kind: "control", Targets: []board.CopyID{"p"}, Params: map[string]string{"to": "west"}}, `to: nobody sits at "west"`},
		{"a copy there isn't, paid for", board.Action{Kind: "pay", Seat: "south", Params: map[string]string{"for": "x"}}, `for: no copy "x"`},
		{"an effect that was never activated", board.Action{Kind: "effect", Params: map[string]string{"delayed": "a77"}}, `delayed: no action "a77" was declared lately`},
		{"a parameter left out", board.Action{Kind: "refer", Targets: []board.CopyID{"p"}}, "refer lacks as"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := atTable(t)
			before := e.Board()
			events, err := e.Declare(tt.action)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if len(events) > 0 || !sameBoard(before, e.Board()) {
				t.Error("what wasn't understood changed something")
			}
		})
	}
}

func TestIllegalActionsChangeNothingUntilAJudgeLetsThemStand(t *testing.T) {
	e := atTable(t)
	a := board.Action{Kind: "battle.resolve", Seat: "south", Amount: 2, Params: map[string]string{"taken": "yes"}, At: noon}
	p := lying("p", card("Hida", "Personality"), "battlefield", 180)
	p.Owner, p.Controller = "south", "south"
	e.Apply([]board.Change{{Kind: board.ChangeMoved, At: noon, Before: &p, After: &p}})
	if _, err := e.Declare(board.Action{Kind: "honor.total", Seat: "south", Amount: 5, At: noon}); err != nil {
		t.Fatal(err)
	}
	events, err := e.Declare(a)
	if err != nil || events[0].Answer.Legal || events[0].Game != nil || len(events) != 1 {
		t.Fatalf("%v, %+v", err, events)
	}
	if got := events[0].Answer.Breaches[0]; got.Rule != "honor.gain-battle" || !slices.Equal(got.Copies, []board.CopyID{"p"}) || got.Citation.Quote == "" {
		t.Errorf("breach %+v", got)
	}
	a.Ruled = true
	events, err = e.Declare(a)
	if err != nil || !events[0].Answer.Legal || len(events[0].Answer.Breaches) != 1 || events[0].Game == nil {
		t.Fatalf("%v, %+v", err, events)
	}
	if first, second := events[0].Action.ID, a.ID; first == "" || second != "" {
		t.Errorf("ids %q and %q", first, second)
	}
}

func TestAnswersNameThePromptsThatTheyOpen(t *testing.T) {
	e := atTable(t)
	events, err := e.Declare(board.Action{Kind: "honor.gain", Seat: "south", Copies: []board.CopyID{"p"}, Amount: 2, At: noon})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(events), "action.declared prompt.opened"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	answer, prompt := events[0].Answer, events[1].Prompt
	if !slices.Equal(answer.Prompts, []board.PromptID{prompt.ID}) || prompt.Action != events[0].Action.ID || prompt.Seat != "south" {
		t.Errorf("answer %+v, prompt %+v", answer, prompt)
	}
	// The same debt is owed once.
	again, err := e.Declare(board.Action{Kind: "honor.gain", Seat: "south", Copies: []board.CopyID{"p"}, Amount: 2, At: noon})
	if err != nil || kinds(again) != "action.declared" || !slices.Equal(again[0].Answer.Prompts, answer.Prompts) {
		t.Errorf("again: %q, %v", kinds(again), err)
	}
}

func TestCorrectionsThatCantBe(t *testing.T) {
	west := board.SeatID("west")
	for name, tt := range map[string]struct {
		id   board.CopyID
		said board.Correction
		want string
	}{
		"a copy there isn't": {"x", board.Correction{Face: board.FaceUp}, `no copy "x"`},
		"a face there isn't": {"h", board.Correction{Face: "sideways"}, "face up or face down"},
		"a seat there isn't": {"h", board.Correction{Owner: &west}, `nobody sits at "west"`},
	} {
		e := atTable(t)
		if _, err := e.Correct(tt.id, tt.said, noon); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
}

// TestCorrectedCopiesFollowTheCamera holds that a correction overrules the camera
// in what it says and in nothing else.
func TestCorrectedCopiesFollowTheCamera(t *testing.T) {
	e := atTable(t)
	at := noon.Add(time.Minute)
	seen := e.Board().Copies["h"]
	events, err := e.Correct("h", board.Correction{Card: card("Silver Mine", "Holding"), Face: board.FaceDown}, at)
	if err != nil || events[0].Kind != board.EventCorrected || events[0].After.Card.Name != "Silver Mine" || events[0].After.Corrected == nil {
		t.Fatalf("%v, %+v", err, events)
	}
	moved := seen
	moved.Zone, moved.Pose.Rotation = "battlefield", 0
	e.Apply([]board.Change{{Kind: board.ChangeTurned, At: at, Before: &seen, After: &moved}})
	got := e.Board().Copies["h"]
	if got.Card.Name != "Silver Mine" || got.Pose.Face != board.FaceDown || got.Pose.Rotation != 0 || got.Zone != "battlefield" {
		t.Errorf("after the camera saw it turned: %+v", got)
	}
	// It is seen to be turned over: what was said of its face is past.
	over := moved
	over.Pose.Face = board.FaceUp
	e.Apply([]board.Change{{Kind: board.ChangeFlipped, At: at, Before: &moved, After: &over}})
	got = e.Board().Copies["h"]
	if got.Pose.Face != board.FaceUp || got.Card.Name != "Silver Mine" || got.Corrected.Face != "" {
		t.Errorf("after it was turned over: %+v", got)
	}
	if _, err := e.Correct("h", board.Correction{}, at); err != nil {
		t.Fatal(err)
	}
	if got := e.Board().Copies["h"]; got.Card.Name != "Copper Mine" || got.Corrected != nil {
		t.Errorf("given back to the camera: %+v", got)
	}
}

func TestDecisionsThatCantBe(t *testing.T) {
	e := atTable(t)
	for name, tt := range map[string]struct {
		ruling rules.Ruling
		want   string
	}{
		"of nothing":          {rules.Ruling{Finding: "f9", Decision: board.DecisionUpheld}, `no open finding "f9"; perhaps it is over`},
		"of no prompt":        {rules.Ruling{Prompt: "p99", Decision: board.DecisionUpheld}, `no open prompt "p99"; perhaps it is over`},
		"none there is":       {rules.Ruling{Finding: "f1", Decision: "shrugged"}, `there is no decision "shrugged"`},
		"a backup to nowhere": {rules.Ruling{Finding: "f1", Decision: board.DecisionBackedUp}, "needs the board to go back to"},
	} {
		if _, err := e.Decide(tt.ruling, noon); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
}

// What a German table can't do it says in German.
func TestRefusalsSpeakTheTablesLanguage(t *testing.T) {
	e := newEngine(t, rules.Options{Layout: scenario.Table(), Lang: "de"})
	declared := func(a board.Action) error {
		_, err := e.Declare(a)
		return err
	}
	_, corrected := e.Correct("c9", board.Correction{Face: board.FaceUp}, noon)
	_, decided := e.Decide(rules.Ruling{Prompt: "p99", Decision: board.DecisionUpheld}, noon)
	for want, err := range map[string]error{
		"auf dem Tisch liegt keine Karte c9":       corrected,
		"es gibt keine offene Aufforderung „p99“":  decided,
		"es fehlen die Karten":                     declared(board.Action{Kind: "bow"}),
		"auf dem Tisch liegt keine Karte x":        declared(board.Action{Kind: "bow", Copies: []board.CopyID{"x"}}),
		"die Anzahl kann nicht kleiner":            declared(board.Action{Kind: "honor.gain", Seat: "south", Amount: -1}),
		"delayed: eine Aktion „a77“ wurde zuletzt": declared(board.Action{Kind: "effect", Params: map[string]string{"delayed": "a77"}}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestSuspicionsOfUnitsWait holds that a unit may be moved card by card.
func TestSuspicionsOfUnitsWait(t *testing.T) {
	e := newEngine(t, rules.Options{Layout: scenario.Table()})
	f := lying("f", card("Spearmen", "Follower"), "south.home", 0)
	e.Apply([]board.Change{placed(f)})
	at := noon.Add(time.Minute)
	away := f
	away.Zone = "battlefield"
	if got := kinds(e.Apply([]board.Change{{Kind: board.ChangeMoved, At: at, Before: &f, After: &away}})); got != "card.moved" {
		t.Errorf("at once: %q", got)
	}
	if got := kinds(e.Tick(at.Add(time.Second))); got != "" {
		t.Errorf("a second later: %q", got)
	}
	if got := kinds(e.Tick(at.Add(4 * time.Second))); got != "finding.opened" {
		t.Errorf("four seconds later: %q", got)
	}
	if got := kinds(e.Tick(at.Add(8 * time.Second))); got != "" {
		t.Errorf("told again: %q", got)
	}
}

func TestExplainSaysWhatItMakesOfABoard(t *testing.T) {
	e := atTable(t)
	b := e.Board()
	h := b.Copies["h"]
	h.Pose.Rotation, h.Pose.AngleDeg = 180, 180
	b.Copies["h"] = h
	for _, pack := range l5r.Packs() {
		x, err := rules.Explain(pack, rules.Options{Lang: "de"}, b)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Findings) != 1 || x.Findings[0].Rule != "honor.personality" || x.Findings[0].Lang != "de" {
			t.Errorf("%s: findings %+v", pack.ID, x.Findings)
		}
		i := slices.IndexFunc(x.Copies, func(c rules.ExplainedCopy) bool { return c.Copy == "p" })
		if i < 0 || x.Copies[i].Area != "in-play" || x.Copies[i].Controller != "south" || !x.Copies[i].State.Has("dishonorable") || x.Copies[i].Place != "im Heimatgebiet von South" {
			t.Errorf("%s: copies %+v", pack.ID, x.Copies)
		}
	}
}
