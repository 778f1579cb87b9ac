// Package l5r holds the packs of Legend of the Five Rings.
//
// A quarter turn clockwise is bowed; for a Personality, upside down is
// dishonorable and a quarter turn counter-clockwise is both. No other card can
// be dishonorable: upside down or counter-clockwise it is in no state of the
// game, and what it was in before stands until the table is mended. A card out
// of play is never bowed, however it lies.
//
// The package refuses to judge a turn that could be right if the card were of
// another type, as long as its type isn't known; and face-down cards out of
// play, whose turn nobody reads, at more than a suspicion.
package l5r

import (
	"embed"

	"tabletop/board"
	"tabletop/rules"
)

//go:embed messages/*.yaml
var messages embed.FS

// The states of the game.
const (
	Bowed        = "bowed"
	Dishonorable = "dishonorable"
)

// The events of the game.
const (
	EventBowed        board.EventKind = "card.bowed"
	EventStraightened board.EventKind = "card.straightened"
	EventDishonored   board.EventKind = "card.dishonored"
	EventRehonored    board.EventKind = "card.rehonored"
)

// Card types that rules speak of, as [rules.Subject.Is] compares them.
const (
	personality = "personality"
	holding     = "holding"
)

// EmperorEdition is the pack "l5r-emperor".
func EmperorEdition() rules.Pack {
	return rules.Pack{
		ID:        "l5r-emperor",
		Name:      "Legend of the Five Rings, Emperor Edition",
		Languages: []string{"en", "de"},
		Words: []rules.Word{
			{State: Dishonorable, Gained: EventDishonored, Lost: EventRehonored},
			{State: Bowed, Gained: EventBowed, Lost: EventStraightened},
		},
		Meaning:  meaning,
		Area:     area,
		Rules:    emperorRules(),
		Messages: messages,
	}
}

// meaning reads a state from a pose. A turn that isn't known, one that is no
// state of this type of card, and the upside-down half of the turns as long as
// the type isn't known say nothing: the last known state stands.
func meaning(s rules.Subject, last board.State) board.State {
	isPersonality := s.Is(personality)
	bowed, dishonorable := last.Has(Bowed), last.Has(Dishonorable)
	switch turn := s.Copy.Pose.Rotation; {
	case turn == 0 || turn == 90:
		bowed, dishonorable = turn == 90, false
	case isPersonality && turn.Known():
		bowed, dishonorable = turn == 270, true
	}
	if s.TypeKnown() && !isPersonality {
		dishonorable = false
	}
	if s.Area == rules.AreaOutOfPlay {
		// Only a face-up Personality keeps its honor there; nothing is bowed.
		bowed, dishonorable = false, dishonorable && s.Copy.Pose.Face != board.FaceDown
	}
	var words []string
	if bowed {
		words = append(words, Bowed)
	}
	if dishonorable {
		words = append(words, Dishonorable)
	}
	return board.NewState(words...)
}

// area tells what is in play by where it lies. A province is undetermined: a
// Region attached to it is in play, a card waiting there to be bought is not,
// and units that attack it are often pushed there.
func area(s rules.Subject) rules.Area {
	switch s.Zone.Kind {
	case board.ZoneHome, board.ZoneBattlefield:
		return rules.AreaInPlay
	case board.ZoneFateDeck, board.ZoneDynastyDeck, board.ZoneFateDiscard, board.ZoneDynastyDiscard,
		board.ZoneDeck, board.ZoneDiscard, board.ZoneHand, board.ZoneRemoved, board.ZoneSetAside:
		return rules.AreaOutOfPlay
	}
	return rules.AreaUndetermined
}
