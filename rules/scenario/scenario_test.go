package scenario_test

import (
	"strings"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

func TestParseReads(t *testing.T) {
	scenarios, err := scenario.Parse("x", strings.NewReader(`
game l5r-emperor
lang de
scenario "First" # a comment
rule: a b
board
  h1 holding "Copper \"Red\" Mine" at north.home turned 90 face down
  x1 unknown
act move h1 to battlefield turned 0
act wait 90s
expect nothing
scenario "Second"
act place p personality "Hida" at south.home slanted 30.5
expect state p bowed dishonorable
`))
	if err != nil || len(scenarios) != 2 {
		t.Fatalf("%d scenarios, %v", len(scenarios), err)
	}
	first, second := scenarios[0], scenarios[1]
	if first.Title != "First" || first.Game != "l5r-emperor" || first.Lang != "de" || first.Line != 4 || len(first.Rules) != 2 || len(first.Steps) != 3 {
		t.Errorf("first: %+v", first)
	}
	h1, x1 := first.Steps[0].Acts[0], first.Steps[0].Acts[1]
	if h1.Card.Name != `Copper "Red" Mine` || h1.Zone != "north.home" || *h1.Turn != 90 || h1.Face != board.FaceDown {
		t.Errorf("h1: %+v", h1)
	}
	if x1.Card != nil || *x1.Turn != 0 || x1.Face != board.FaceUp {
		t.Errorf("x1: %+v", x1)
	}
	if p := second.Steps[0].Acts[0]; p.Turn.Known() || p.AngleDeg != 30.5 {
		t.Errorf("p: %+v", p)
	}
}

// TestLandscapeCardsLieAcross holds that a card printed across is wide when its
// print is upright.
func TestLandscapeCardsLieAcross(t *testing.T) {
	scenarios, err := scenario.Parse("x", strings.NewReader(`
game l5r-emperor
scenario "s"
board
  a region "Plain" with landscape=true at south.home
  b region "Tower" at south.home
`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := scenario.Run(scenarios[0], rules.Packs{l5r.EmperorEdition()})
	if err != nil {
		t.Fatal(err)
	}
	for i, wide := range []bool{true, false} {
		if w, h := result.Events[i].After.Pose.Corners.Edges(); (w > h) != wide {
			t.Errorf("card %d is %g mm wide and %g high", i, w, h)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "scenario \"s\"\nboard\n  h1 holding \"Mine\"\n"
	tests := []struct{ name, text, want string }{
		{"nothing it knows", "boared", `x:1: before the first scenario`},
		{"no title", "scenario", "x:1: a scenario has one title"},
		{"an open quote", `scenario "s`, "x:1: a quote is not closed"},
		{"an unknown statement", head + "act turn h1 90\nacted", `x:5: unknown statement "acted"`},
		{"a board in the middle", head + "act turn h1 90\nboard", "x:5: the board stands before the first act"},
		{"an unknown act", head + "act burn h1", `x:4: unknown act "burn" (did you mean "turn"?); known are place`},
		{"an act on nothing", head + "act turn", "x:4: an act says what happens to what"},
		{"a turn there isn't", head + "act turn h1 45", `x:4: a turn is 0, 90, 180, 270 or unknown (or: slanted 45), not "45"`},
		{"a zone there isn't", head + "act move h1 to south.cellar", `x:4: the table has no zone "south.cellar"`},
		{"a move to nowhere", head + "act move h1", "x:4: act move says where to"},
		{"a face there isn't", head + "act flip h1 sideways", "x:4: a face is up, down or unknown"},
		{"a card without a name", head + "act name h1 holding", "x:4: a card is a type and a name"},
		{"an option without a value", head + "act turn h1 turned", `x:4: "turned" lacks its value`},
		{"a wait for nothing", head + "act wait long", "x:4: act wait takes a duration"},
		{"a showing of nothing known", "scenario \"s\"\nshows: well", "x:2: a scenario shows its rules obeyed, broken or a prompt"},
		{"a pace that is none", "scenario \"s\"\npace quick", "x:2: pace takes a duration"},
		{"no game at all", "scenario \"s\"\ngame:", "x:2: game takes the ids of packs"},
		{"a declaration of nothing", head + "declare", "x:4: declare what?"},
		{"a declaration half written", head + "declare bow with", `x:4: "with" lacks its value`},
		{"a declaration with a word too many", head + "declare bow quickly h1", `x:4: unknown word "quickly"`},
		{"an amount that is none", head + "declare honor.gain amount lots", "x:4: amount takes a number"},
		{"a correction of nothing", head + "correct h1", "x:4: correct what to what?"},
		{"a correction to nothing known", head + "correct h1 colour red", `x:4: unknown word "colour"`},
		{"a decision half written", head + "decide honor.personality h1", "x:4: write it: decide RULE ID DECISION"},
		{"an attribute half written", head + "act place p personality \"Hida\" with force", "x:4: an attribute is written with NAME=VALUE"},
		{"an expectation of nothing known", head + "expect", "x:4: expect what? known are nothing"},
		{"an expectation by no known word", head + "expect legall", `x:4: nothing can be expected by the word "legall" (did you mean "legal"?)`},
		{"a severity there isn't", head + "expect finding bow.turn suspicous h1", `x:4: a finding is illegal, suspicious or info, not "suspicous" (did you mean "suspicious"?)`},
		{"an ending there isn't", head + "expect ended bow.turn h1 mendet", `x:4: a finding doesn't end "mendet" (did you mean "mended"?)`},
		{"a decision there isn't", head + "decide bow.turn h1 upheldd", `x:4: there is no decision "upheldd" (did you mean "upheld"?)`},
		{"a turn with a word too many", head + "act turn h1 90 quickly", `x:4: unknown word "quickly"; known are with, at`},
		{"a misspelt option", head + "act turn h1 90 fase down", `x:4: unknown word "fase" (did you mean "face"?)`},
		{"a showing of no rule", "scenario \"s\"\nshows: broken\nboard\n  h1 holding \"Mine\"", "x:1: it says what it shows and of no rule"},
		{"nothing in it", "scenario \"s\"\nrule: bow.turn", "x:1: nothing is in this scenario"},
		{"an empty board", "scenario \"s\"\nboard\nexpect nothing", "x:1: nothing is in this scenario"},
		{"an expectation half written", head + "expect finding honor.personality h1", "x:4: write it: expect finding RULE SEVERITY ID"},
		{"an expectation of nothing done", "scenario \"s\"\nexpect nothing", "x:2: expect stands after"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Parse("x", strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// All that is wrong with a file is told at once, each thing with its line.
func TestParseTellsAllErrors(t *testing.T) {
	_, err := scenario.Parse("x", strings.NewReader(`scenario one two
board
  h1 holding
act burn h1
expect legall
scenario "empty"
shows: wel
`))
	for _, want := range []string{"x:1: a scenario has one title", "x:3: a card is", "x:4: unknown act", "x:5: nothing can be expected", "x:6: nothing is in", "x:7: a scenario shows"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err != nil && strings.Count(err.Error(), "\n") != 5 {
		t.Errorf("one thing is told more than once: %v", err)
	}
}

// TestRunNotices holds that a scenario can fail, in each way it may.
func TestRunNotices(t *testing.T) {
	const head = "game l5r-emperor\nscenario \"s\"\nboard\n  h1 holding \"Mine\" at south.home\n"
	tests := []struct{ name, text, want string }{
		{"a game there isn't", "game chess\nscenario \"s\"\nact place h1 holding \"Mine\"", `line 2: unknown game "chess"`},
		{"a rule there isn't", "game l5r-emperor\nscenario \"s\"\nrule: honor.personalty\nact place h1 holding \"Mine\"", `line 2: game l5r-emperor has no rule "honor.personalty" (did you mean "honor.personality"?)`},
		{"an expected rule there isn't", head + "act turn h1 90\nexpect finding bow.turnn illegal h1", `line 6: game l5r-emperor has no rule "bow.turnn" (did you mean "bow.turn"?)`},
		{"a decided rule there isn't", head + "decide bow.turnn h1 upheld", `line 5: game l5r-emperor has no rule "bow.turnn"`},
		{"a language there isn't", "game l5r-emperor\nlang fr\nscenario \"s\"\nact place h1 holding \"Mine\"", `no texts in language "fr"`},
		{"a finding not expected", head + "act turn h1 180", "line 5: not expected: finding honor.personality illegal h1"},
		{"a finding that doesn't come", head + "act turn h1 90\nexpect finding bow.turn illegal h1", "line 6: expected finding bow.turn illegal h1; it didn't come"},
		{"an end that doesn't come", head + "act turn h1 90\nexpect ended bow.turn h1", "line 6: expected ended bow.turn h1"},
		{"another severity", head + "act turn h1 180\nexpect finding honor.personality info h1", "line 6: expected finding honor.personality info h1"},
		{"nothing that isn't", head + "act turn h1 180\nexpect nothing", "line 5: not expected"},
		{"another event", head + "act turn h1 90\nexpect event card.turned h1", "line 5: expected the events card.turned h1; got card.bowed h1"},
		{"another state", head + "act turn h1 90\nexpect state h1 none", "line 6: expected h1 to be [], it is [bowed]"},
		{"another text", head + "expect text h1 \"oops\"", `line 5: no open finding of h1 says "oops"`},
		{"a breach not expected", head + "declare straighten with h1\ndeclare dishonor target h1", "line 6: not expected: illegal honor.personality h1"},
		{"a breach that doesn't come", head + "declare straighten with h1\nexpect illegal bow.in-play h1", "line 6: expected illegal bow.in-play h1; it didn't come"},
		{"a breach that says otherwise", head + "declare dishonor target h1\nexpect illegal honor.personality h1\nexpect says \"oops\"", `line 7: no breach says "oops"`},
		{"an effect that doesn't come", head + "declare straighten with h1\nexpect effect \"oops\"", `line 6: no effect says "oops"`},
		{"an effect that may not come", head + "declare destroy target h1\nexpect prompt discard.destroyed\nexpect no effect \"destroyed\"", `line 7: an effect says "destroyed"`},
		{"a prompt not expected", head + "declare destroy target h1", "line 5: not expected: prompt discard.destroyed"},
		{"a prompt that doesn't come", head + "declare straighten with h1\nexpect prompt discard.destroyed \"oops\"", "line 6: expected prompt discard.destroyed possible=false oops; it didn't come"},
		{"an end of a prompt that doesn't come", head + "declare straighten with h1\nexpect settled discard.destroyed", "line 6: expected settled discard.destroyed; it didn't come"},
		{"another ending", head + "act turn h1 180\nexpect finding honor.personality illegal h1\nact remove h1\nexpect ended honor.personality h1 mended", "line 8: expected ended honor.personality h1 mended; it didn't come"},
		{"honor that nobody told", head + "expect honor south 3", "line 5: expected south to have 3 honor"},
		{"another mark", head + "expect mark h1 dead", "line 5: expected the marks [dead] on h1, they are []"},
		{"another fact", head + "expect fact h1 area out-of-play", "line 5: expected the fact area out-of-play of h1; known are area in-play"},
		{"out of step when it isn't", head + "expect out-of-step h1", "line 5: expected to be out of step by [h1], it is by []"},
		{"an action that can't be understood", head + "declare juggle with h1", `line 5: game l5r-emperor has no action "juggle"`},
		{"an action never declared", head + "declare effect target h1 delayed=@never", `line 5: nothing was declared as "never"`},
		{"a decision of nothing", head + "decide honor.personality h1 upheld", "line 5: no open finding"},
		{"shown obeyed and isn't", "game l5r-emperor\nscenario \"s\"\nrule: honor.personality\nshows: obeyed\nboard\n  h1 holding \"Mine\" at south.home turned 180\nexpect finding honor.personality illegal h1", "line 2: it says that it shows honor.personality obeyed, and the rule was broken"},
		{"shown broken and isn't", "game l5r-emperor\nscenario \"s\"\nrule: honor.personality\nshows: broken\nboard\n  h1 holding \"Mine\" at south.home", "line 2: it says that it shows honor.personality broken, and the rule was not broken"},
		{"a prompt that wasn't shown", "game l5r-emperor\nscenario \"s\"\nrule: honor.personality\nshows: prompt\nboard\n  h1 holding \"Mine\" at south.home", "line 2: it says that it shows a prompt of honor.personality, and there was none"},
		{"an act on what isn't there", head + "act turn h2 90", "line 5: copy h2 is not on the table"},
		{"a copy placed twice", head + "act place h1 holding \"Mine\"", "line 5: copy h1 is already on the table"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scenarios, err := scenario.Parse("x", strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := scenario.Run(scenarios[0], rules.Packs{l5r.EmperorEdition()}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestParseReadsDeclarations(t *testing.T) {
	scenarios, err := scenario.Parse("x", strings.NewReader(`
game l5r-emperor l5r-samurai
source "SE, Somewhere"
table areas home hand shared middle
scenario "Twice"
rule: a
shows: prompt
pace 200ms
board
  p1 personality "Hida" with force=3 with keywords="Samurai Terrain" at south.home
  f1 follower "Spear" under p1 owner north controller south
declare honor.gain by south with p1 f1 target p1 amount -2 because=action lifts="target:discard effect:out" ruled as gain
correct f1 card item "Sword" owner south
accept
decide a p1 dismissed
decide prompt a upheld
restart
scenario "Once"
game: l5r-samurai
act place h1 holding "Mine" at south.home
`))
	if err != nil || len(scenarios) != 3 {
		t.Fatalf("%d scenarios, %v", len(scenarios), err)
	}
	first, second := scenarios[0], scenarios[1]
	if first.Game != "l5r-emperor" || second.Game != "l5r-samurai" || first.Title != second.Title || scenarios[2].Game != "l5r-samurai" {
		t.Errorf("games %q, %q, %q", first.Game, second.Game, scenarios[2].Game)
	}
	if first.Source != "SE, Somewhere" || first.Shows != scenario.ShowsPrompt || first.Pace != 200*time.Millisecond || len(first.Table.Zones) != 5 || len(first.Steps) != 7 {
		t.Errorf("heading: %+v", first)
	}
	p1, f1 := first.Steps[0].Acts[0], first.Steps[0].Acts[1]
	if p1.Card.Attributes["force"] != "3" || p1.Card.Attributes["keywords"] != "Samurai Terrain" || p1.Zone != "south.home" {
		t.Errorf("p1: %+v", p1)
	}
	if f1.Next != "p1" || f1.Beside != scenario.BesideUnder || f1.Owner != "north" || f1.Controller != "south" {
		t.Errorf("f1: %+v", f1)
	}
	d := first.Steps[1].Declare
	if a := d.Action; a.Kind != "honor.gain" || a.Seat != "south" || len(a.Copies) != 2 || len(a.Targets) != 1 || a.Amount != -2 || !a.Ruled ||
		a.Params["because"] != "action" || a.Params["lifts"] != "target:discard effect:out" || d.As != "gain" {
		t.Errorf("declared: %+v", d)
	}
	if c := first.Steps[2].Correct; c.ID != "f1" || c.Said.Card.Name != "Sword" || *c.Said.Owner != "south" {
		t.Errorf("corrected: %+v", c)
	}
	if !first.Steps[3].Accept || first.Steps[4].Decide.ID != "p1" || !first.Steps[5].Decide.Prompt || !first.Steps[6].Restart {
		t.Errorf("steps: %+v", first.Steps[3:])
	}
}
