package packfile_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/packfile"
	"tabletop/rules/scenario"
)

// withBoard is the example with one rule's condition replaced.
func withBoard(t testing.TB, condition string, more ...string) (rules.Rule, error) {
	t.Helper()
	old := `when: card.type == "spell" and card.zone == "home" and card.face == "up"`
	quoted := "when: |-\n        " + condition
	for _, line := range more {
		quoted += "\n      " + line
	}
	pack, err := packfile.Load(folder(t, "pack.yaml", old, quoted), "club")
	if err != nil {
		return rules.Rule{}, err
	}
	rule, _ := pack.Rule("spell.never-stays")
	return rule, nil
}

func subject(cardType string, turn board.Turn) rules.Subject {
	zone := board.Zone{ID: "south.home", Kind: board.ZoneHome, Seat: "south"}
	return rules.Subject{
		Copy: board.Copy{ID: "c1", Zone: zone.ID, Pose: board.Pose{Rotation: turn, Face: board.FaceUp, Visible: 1}},
		Card: board.Card{ID: "x", Name: "X", Type: cardType, Attributes: map[string]string{"cost": "3"}},
		Zone: zone, Area: rules.AreaInPlay, Seat: "south",
	}
}

// TestAnUnknownCardBreaksOnlyWhatEveryTypeWould is what the package promises of
// cards that nobody knows.
func TestAnUnknownCardBreaksOnlyWhatEveryTypeWould(t *testing.T) {
	tests := []struct {
		name, condition string
		more            []string
		unknown, land   board.Severity
	}{
		{"one type", `card.type == "land"`, nil, "", board.SeveritySuspicious},
		{"all types but one", `card.type != "relic"`, nil, "", board.SeveritySuspicious},
		{"no matter which type", `card.turn == 90`, nil, board.SeveritySuspicious, board.SeveritySuspicious},
		{"every type, one for another reason", `card.type == "land" or card.turn == 90`, nil, board.SeveritySuspicious, board.SeveritySuspicious},
		{"every type, one less sure", `card.turn == 90`, []string{`info: card.type == "relic"`}, board.SeverityInfo, board.SeveritySuspicious},
		{"a number in the card list", `number(card.attributes.cost) >= 3`, nil, board.SeveritySuspicious, board.SeveritySuspicious},
		{"no number in the card list", `number(card.attributes.strength) >= 0 or number(card.attributes.strength) < 0`, nil, "", ""},
		{"where a spell would not be in play", `card.area == "in-play"`, nil, "", board.SeveritySuspicious},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rule, err := withBoard(t, tt.condition, tt.more...)
			if err != nil {
				t.Fatal(err)
			}
			if got := rule.State(subject("", 90)); got != tt.unknown {
				t.Errorf("of an unknown card: %q, want %q", got, tt.unknown)
			}
			if got := rule.State(subject("Basic Land", 90)); got != tt.land {
				t.Errorf("of a land: %q, want %q", got, tt.land)
			}
			if got := rule.State(subject("Token nobody listed", 90)); got != tt.unknown {
				t.Errorf("of a type that the pack doesn't know: %q, want %q", got, tt.unknown)
			}
		})
	}
}

func TestTypesAreReadAsListsWriteThem(t *testing.T) {
	rule, err := withBoard(t, `card.type == "creature"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"creature", "Creature", "CREATURE", "Legendary Creature — Fox", "artifact_creature", "Kreatur"} {
		if rule.State(subject(name, 0)) == "" {
			t.Errorf("%q is a creature", name)
		}
	}
	for _, name := range []string{"Land", "Creatures", "Re creat ure"} {
		if rule.State(subject(name, 0)) != "" {
			t.Errorf("%q is no creature", name)
		}
	}
}

// TestAChangeMakesTheTableOwe plays a pack whose rule owes something after a
// change: not for what lay there at first, once for what is seen, until it is
// settled.
func TestAChangeMakesTheTableOwe(t *testing.T) {
	old := `      - actions: [use-ability]
        when: act.params.cost == "tap"
        settled: '"tapped" in card.states or card.area == "out-of-play"'`
	pack, err := packfile.Load(folder(t, "pack.yaml", old, `      - when: '"tapped" in card.states and "tapped" not in before.states'
        settled: '"tapped" not in card.states'`), "club")
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := scenario.Parse("x", strings.NewReader(`
game tapper
table areas home deck discard hand removed
scenario "Who taps a relic owes what it says"
board
  r1 relic "Lantern" at south.home turned 90
  r2 relic "Mirror" at south.home
expect nothing
act turn r2 90
expect prompt ability.tap-cost "Mirror"
act turn r1 0
act turn r2 0
expect settled ability.tap-cost
act remove r1
act wait 5m
act turn r2 90
expect prompt ability.tap-cost
act remove r2
expect settled ability.tap-cost
`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Run(scenarios[0], rules.Packs{pack}); err != nil {
		t.Error(err)
	}
}

// condition draws an expression over what conditions may speak of. Not all of
// them have the right types; those that are taken must not fail.
func condition(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		leaf := rapid.SampledFrom([]string{
			`card.turn`, `card.angle`, `card.name`, `card.type`, `card.visible`, `card.face`, `card.zone`, `card.states`, `card.slanted`,
			`card.attributes`, `card.attributes.cost`, `card.attributes["no such"]`, `touching`, `90`, `-1`, `0.5`, `"home"`, `"tapped"`, `"up"`, `true`,
			`["home", "deck"]`, `[0, 90]`, `len(card.states)`, `len(card.name)`, `lower(card.name)`, `number(card.name)`, `number(card.attributes.cost)`, `abs(card.turn)`, `nil`, `#`, `1..9`,
			`any(touching, .turn == 90)`, `count(touching, .face == "up")`, `none(card.states, # == "tapped")`, `one(touching, .shared > 0.5)`,
		})
		if depth == 0 {
			return leaf.Draw(t, "leaf")
		}
		inner := condition(depth - 1)
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return "not (" + inner.Draw(t, "a") + ")"
		case 2:
			return "(" + inner.Draw(t, "a") + " ? " + inner.Draw(t, "b") + " : " + inner.Draw(t, "c") + ")"
		default:
			op := rapid.SampledFrom([]string{"and", "or", "==", "!=", "<", ">=", "in", "+", "-", "*", "/", "%", "**", "contains", "startsWith", "matches", "??", "|"}).Draw(t, "op")
			return "(" + inner.Draw(t, "a") + " " + op + " " + inner.Draw(t, "b") + ")"
		}
	})
}

// TestConditionsNeverFail holds that no condition that is taken can fail, of
// whatever card it is asked.
func TestConditionsNeverFail(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing here runs at the same time as anything else")
	}
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := condition(2).Draw(rt, "condition")
		rule, err := withBoard(t, text)
		if err != nil {
			if !strings.Contains(err.Error(), "rules[spell.never-stays].board.when") {
				rt.Fatalf("%s: %v", text, err)
			}
			return
		}
		taken++
		for _, s := range []rules.Subject{{}, subject("land", 90), subject("", board.TurnUnknown)} {
			rule.State(s)
		}
	})
	if taken == 0 {
		t.Error("no condition was taken; the test shows nothing")
	}
}

func BenchmarkState(b *testing.B) {
	rule, err := withBoard(b, `card.type in ["spell", "land"] and card.zone == "home" and card.face == "up"`)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"land", ""} {
		b.Run("type="+name, func(b *testing.B) {
			s := subject(name, 90)
			for b.Loop() {
				rule.State(s)
			}
		})
	}
}
