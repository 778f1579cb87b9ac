package champions_test

import (
	"os"
	"path/filepath"
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
	files, err := filepath.Glob("scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var all []scenario.Scenario
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := scenario.Parse(name, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsed...)
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
