// Package l5r holds the packs of Legend of the Five Rings: two editions of the
// game from one set of rules. Where the editions differ, [edition] says so.
//
// A quarter turn clockwise is bowed; for a Personality, upside down is
// dishonorable and a quarter turn counter-clockwise is both. No other card can
// be dishonorable: upside down or counter-clockwise it is in no state of the
// game, and what it was in before stands until the table is mended. A card out
// of play is never bowed, however it lies.
//
// The package refuses to judge a turn that could be right if the card were of
// another type, as long as its type isn't known; and face-down cards out of
// play, whose turn nobody reads, at more than a suspicion. It does not read the
// texts of cards: what a text says (which area it refers to, what a cost takes)
// is declared with the action.
package l5r

import (
	"strconv"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

// The states of the game.
const (
	Bowed        = "bowed"
	Dishonorable = "dishonorable"
)

// The marks of the game: what was declared of a copy, or happened to it, and its
// pose can't show.
const (
	Dead           = "dead"             // EE: a destroyed Personality in the discard pile
	Destroyed      = "destroyed"        // SE: the same
	Discarded      = "discarded"        // declared discarded, not destroyed
	markLeaving    = "leaving-play"     // declared to leave play, destroyed or not
	markDestroying = "being-destroyed"  // declared destroyed, still lying in play
	markEnterBowed = "entered-bowed"    // bowed by entering so, not by bowing
	markConditions = "conditions-met"   // its conditions of entering play are met
	markCosts      = "costs-paid"       // and its costs paid
	markAttached   = "attached"         // a Region that is attached to the province it lies at
	markReappeared = "reappeared"       // its overlaying card was lost
	markMayRemove  = "perhaps-removed"  // it left play soon after the card on it, or before: perhaps the stack did
	markToRemove   = "to-be-removed"    // it lay under a stack that left play
	markMoving     = "moving"           // declared to move
	markRehonored  = "rehonored"        // declared rehonored, or left play so; the table doesn't show it yet
	markDishonored = "dishonored"       // declared dishonored; the table doesn't show it yet
	markNoMovement = "moved-by-no-move" // its last change of location was no movement
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
	region      = "region"
	terrain     = "terrain"
)

func isPersonality(s rules.Subject) bool { return s.Is(personality) }

// isAttachment says whether a card is one that Personalities bear.
func isAttachment(s rules.Subject) bool {
	return s.Is("follower") || s.Is("item") || s.Is("spell") || s.Is("attachment") || s.Is("armor") || s.Is("weapon")
}

// isTerrain knows Terrains as a type of their own and as a keyword of Strategies.
func isTerrain(s rules.Subject) bool {
	return s.Is(terrain) || strings.Contains(strings.ToLower(s.Attribute("keywords")), terrain)
}

// staysInPlay says whether cards of this type lie in play by themselves. Others
// (Strategies, Events, …) lie on the table while they resolve.
func staysInPlay(s rules.Subject) bool {
	return isPersonality(s) || isAttachment(s) || s.Is(holding) || s.Is(region) || s.Is("stronghold") || s.Is("sensei")
}

// number reads a number that the catalogue knows of a card ("+2F" as well as 2).
func number(s rules.Subject, names ...string) (int, bool) {
	for _, name := range names {
		text := strings.TrimSpace(s.Attribute(name))
		text = strings.TrimPrefix(strings.TrimRight(text, "FfCc"), "+")
		if n, err := strconv.Atoi(text); err == nil {
			return n, true
		}
	}
	return 0, false
}

// meaning reads a state from a pose. A turn that isn't known, one that is no
// state of this type of card, and the upside-down half of the turns as long as
// the type isn't known say nothing: the last known state stands.
func meaning(s rules.Subject, last board.State) board.State {
	bowed, dishonorable := last.Has(Bowed), last.Has(Dishonorable)
	switch turn := s.Copy.Pose.Rotation; {
	case turn == 0 || turn == 90:
		bowed, dishonorable = turn == 90, false
	case isPersonality(s) && turn.Known():
		bowed, dishonorable = turn == 270, true
	}
	if s.TypeKnown() && !isPersonality(s) {
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

// area tells what is in play by where it lies. A province is undetermined, but
// for Regions that were declared to be attached to it: a card waiting there to
// be bought is not in play, and units that attack it are often pushed there.
func area(s rules.Subject) rules.Area {
	switch s.Zone.Kind {
	case board.ZoneHome, board.ZoneBattlefield:
		return rules.AreaInPlay
	case board.ZoneProvince:
		if s.Marked(markAttached) {
			return rules.AreaInPlay
		}
		return rules.AreaUndetermined
	}
	if s.Zone.Kind == "" || outArea(s.Zone.Kind) == "" && !special(s.Zone.Kind) {
		return rules.AreaUndetermined
	}
	return rules.AreaOutOfPlay
}

// outArea is the area out of play that texts call it by: "discard", "deck",
// "hand", "removed", "set-aside"; empty for no such area.
func outArea(kind board.ZoneKind) string {
	switch kind {
	case board.ZoneFateDiscard, board.ZoneDynastyDiscard, board.ZoneDiscard:
		return "discard"
	case board.ZoneFateDeck, board.ZoneDynastyDeck, board.ZoneDeck:
		return "deck"
	case board.ZoneHand, board.ZoneRemoved, board.ZoneSetAside:
		return string(kind)
	}
	return ""
}

// special says whether an area is one of those in which a card out of play is
// free of most limits.
func special(kind board.ZoneKind) bool {
	return kind == board.ZoneResolution || kind == board.ZoneEnteringPlay || kind == board.ZoneFocusing
}

// isDiscard says whether an area is a discard pile.
func isDiscard(kind board.ZoneKind) bool { return outArea(kind) == "discard" }

// asSeen is illegal for a card whose face lies open and a suspicion for one
// that is only remembered to be what it is.
func asSeen(s rules.Subject) board.Severity {
	if s.Copy.Pose.Face == board.FaceUp {
		return board.SeverityIllegal
	}
	return board.SeveritySuspicious
}

// opponent is the other seat of a table for two; empty at any other.
func opponent(t rules.Table, seat board.SeatID) board.SeatID {
	seats := t.Layout().Seats
	if len(seats) != 2 {
		return ""
	}
	for _, s := range seats {
		if s.ID != seat {
			return s.ID
		}
	}
	return ""
}
