package champions_test

import (
	"os"
	"testing"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/champions"
	"tabletop/rules/scenario"
)

func load(t testing.TB) rules.Pack {
	t.Helper()
	pack, err := champions.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return pack
}

func scenarios(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.ParseDir(os.DirFS("."), "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScenarios(t *testing.T) {
	packs := rules.Packs{load(t)}
	for _, s := range scenarios(t) {
		t.Run(s.Title, func(t *testing.T) {
			if _, err := scenario.Run(s, packs); err != nil {
				t.Error(s.File, err)
			}
		})
	}
}

// TestSidesOfACard holds which entries of a card list may be read of one copy in
// turn: a flip or a next stage, and no misreading.
func TestSidesOfACard(t *testing.T) {
	card := func(id, name, kind, link string) board.Card {
		c := board.Card{ID: board.CardID(id), Name: name, Type: kind}
		if link != "" {
			c.Attributes = map[string]string{"back_link": link}
		}
		return c
	}
	spider, parker := card("01001a", "Spider-Man", "hero", "01001b"), card("01001b", "Peter Parker", "alter_ego", "")
	tests := []struct {
		name string
		a, b board.Card
		same bool
	}{
		{"linked", spider, parker, true},
		{"linked otherwise", spider, card("01010b", "Carol Danvers", "alter_ego", ""), false},
		{"not linked", card("held", "Held", "Held", ""), card("ego", "Ego", "Alter Ego", ""), true},
		{"a list that says identity", card("a", "A", "Identity", "b"), card("b", "B", "Identity", ""), true},
		{"two identities", card("a", "A", "Identity", "c"), card("b", "B", "Identity", ""), false},
		{"two heroes", card("a", "A", "hero", ""), card("b", "B", "hero", ""), false},
		{"stages of a villain", card("01094", "Rhino", "villain", ""), card("01095", "Rhino", "villain", ""), true},
		{"two villains", card("01094", "Rhino", "villain", ""), card("01113", "Klaw", "villain", ""), false},
		{"sides of a main scheme", card("01097a", "The Break-In!", "main_scheme", "01097b"), card("01097b", "The Break-In!", "main_scheme", ""), true},
		{"two allies of one name", card("a", "Mockingbird", "ally", ""), card("b", "Mockingbird", "ally", ""), false},
	}
	pack := load(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if pack.SameCard(tt.a, tt.b) != tt.same || pack.SameCard(tt.b, tt.a) != tt.same {
				t.Errorf("the same card: want %t both ways", tt.same)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b)
	}
}

// TestOnlyTheTopOfADeckIsInPlay lays one stage of a villain face up on another:
// the one that shows less lies beneath.
func TestOnlyTheTopOfADeckIsInPlay(t *testing.T) {
	layout := board.Layout{
		Size: board.Size{Width: 400, Height: 300},
		Zones: []board.Zone{{ID: "villain", Kind: "villain", Outline: board.Polygon{
			{X: 0, Y: 0}, {X: 400, Y: 0}, {X: 400, Y: 300}, {X: 0, Y: 300},
		}}},
	}
	stage := func(id string, x, visible float64) board.Change {
		c := board.Copy{ID: board.CopyID(id), Card: &board.CardRef{ID: board.CardID(id), Name: "Rhino", Type: "villain"}, Zone: "villain", Pose: board.Pose{
			Centre: board.Point{X: x, Y: 100}, AngleModulo: 360, Face: board.FaceUp, Visible: visible, Confidence: 1,
		}}
		return board.Change{Kind: board.ChangePlaced, After: &c}
	}
	for name, tt := range map[string]struct {
		x, visible float64
		legal      bool
	}{
		"beneath the other": {110, 0.2, false},
		"beside it":         {250, 1, true},
		"beside it, hidden": {250, 0.2, true},
		"hidden in part":    {110, 0.6, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := rules.New(load(t), rules.Options{Layout: layout})
			if err != nil {
				t.Fatal(err)
			}
			e.Apply([]board.Change{stage("top", 100, 1), stage("stage", tt.x, tt.visible)})
			for _, kind := range []board.ActionKind{"target", "affect", "initiate"} {
				a := board.Action{Kind: kind, Targets: []board.CopyID{"stage"}}
				if kind == "initiate" {
					a.Copies, a.Targets = a.Targets, nil
				}
				events, err := e.Declare(a)
				if err != nil {
					t.Fatal(err)
				}
				answer := events[0].Answer
				if answer.Legal != tt.legal || !tt.legal && answer.Breaches[0].Rule != "in-play.encounter" {
					t.Errorf("%s: legal %t, %+v", kind, answer.Legal, answer.Breaches)
				}
			}
			events, err := e.Declare(board.Action{Kind: "target", Targets: []board.CopyID{"top"}})
			if err != nil || !events[0].Answer.Legal {
				t.Errorf("the top: %v, %+v", err, events)
			}
		})
	}
}
