package scenario_test

import (
	"strings"
	"testing"

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
		{"an unknown act", head + "act burn h1", `x:4: unknown act "burn": known are place`},
		{"an act on nothing", head + "act turn", "x:4: an act says what happens to what"},
		{"a turn there isn't", head + "act turn h1 45", `x:4: a turn is 0, 90, 180, 270 or unknown (or: slanted 45), not "45"`},
		{"a zone there isn't", head + "act move h1 to south.cellar", `x:4: the table has no zone "south.cellar"`},
		{"a move to nowhere", head + "act move h1", "x:4: act move says where to"},
		{"a face there isn't", head + "act flip h1 sideways", "x:4: a face is up, down or unknown"},
		{"a card without a name", head + "act name h1 holding", "x:4: a card is a type and a name"},
		{"an option without a value", head + "act turn h1 turned", `x:4: a turn is`},
		{"a wait for nothing", head + "act wait long", "x:4: act wait takes a duration"},
		{"an expectation of nothing known", head + "expect rain", "x:4: expect what?"},
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

// TestRunNotices holds that a scenario can fail, in each way it may.
func TestRunNotices(t *testing.T) {
	const head = "game l5r-emperor\nscenario \"s\"\nboard\n  h1 holding \"Mine\" at south.home\n"
	tests := []struct{ name, text, want string }{
		{"a game there isn't", "game chess\nscenario \"s\"", `line 2: unknown game "chess"`},
		{"a rule there isn't", "game l5r-emperor\nscenario \"s\"\nrule: honour", `line 2: game l5r-emperor has no rule "honour"`},
		{"a language there isn't", "game l5r-emperor\nlang fr\nscenario \"s\"", `no texts in language "fr"`},
		{"a finding not expected", head + "act turn h1 180", "line 5: not expected: finding honor.personality illegal h1"},
		{"a finding that doesn't come", head + "act turn h1 90\nexpect finding bow.turn illegal h1", "line 6: expected finding bow.turn illegal h1; it didn't come"},
		{"an end that doesn't come", head + "act turn h1 90\nexpect ended bow.turn h1", "line 6: expected ended bow.turn h1"},
		{"another severity", head + "act turn h1 180\nexpect finding honor.personality info h1", "line 6: expected finding honor.personality info h1"},
		{"nothing that isn't", head + "act turn h1 180\nexpect nothing", "line 5: not expected"},
		{"another event", head + "act turn h1 90\nexpect event card.turned h1", "line 5: expected the events card.turned h1; got card.bowed h1"},
		{"another state", head + "act turn h1 90\nexpect state h1 none", "line 6: expected h1 to be [], it is [bowed]"},
		{"another text", head + "expect text h1 \"oops\"", `line 5: no open finding of h1 says "oops"`},
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
