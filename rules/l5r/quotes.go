package l5r

import "tabletop/board"

// The passages' headings.
const (
	inPlay    = "In play and out of play"
	limits    = "Implications of in and out of play"
	bowedness = "Bowed and unbowed"
	honor     = "Honorable and dishonorable"
	facing    = "Face up and face down"
)

func cite(passage, quote string) board.Citation {
	return board.Citation{Passage: passage, Quote: quote}
}

// generalKnowledge are the citations of what no source says and every player of
// the game knows, by the language of the texts.
func generalKnowledge() map[board.RuleID]map[string]board.Citation {
	return map[board.RuleID]map[string]board.Citation{
		"bow.force": {
			"en": {Source: "General knowledge of the game; the source says only that bowed cards in a unit affect the calculation of its Force", Passage: "Bowed cards and a unit's Force"},
			"de": {Source: "Allgemeine Kenntnis des Spiels; die Quelle sagt nur, dass gebeugte Karten einer Einheit in die Berechnung ihrer Stärke eingehen", Passage: "Gebeugte Karten und die Stärke einer Einheit"},
		},
	}
}

// emperorQuotes are the words of the Emperor Edition's rules, by rule.
func emperorQuotes() map[board.RuleID]board.Citation {
	const (
		locations = "Locations"
		control   = "Card control"
		ownership = "Card ownership"
	)
	return map[board.RuleID]board.Citation{
		"in-play.area":       cite(inPlay, "Whether a card is in or out of play is determined by the game area it is in."),
		"in-play.target":     cite(limits, "They may not be targeted or perform actions."),
		"in-play.ability":    cite(limits, "Abilities on them may not be used, and triggered traits on them are not triggered."),
		"in-play.cost":       cite(limits, "They may not be used or changed to pay costs, unless the cost inherently takes them out of an out-of-play area (for example, discarding a Fate card from hand)."),
		"in-play.continuous": cite(limits, "Their continuous traits do not produce effects on anything but the card itself."),
		"in-play.effects":    cite(limits, "They are not affected by effects. EXCEPTION: A delayed effect can affect a card out of play if it was in play when the effect was activated."),
		"in-play.override":   cite(limits, "Each of the limitations must be overridden separately, and is overridden only for the specific area or areas mentioned or implied."),
		"discard.destroyed":  cite("Dead", "“Dead” is a special state that only applies to some Personalities in the discard pile."),
		"dead.state":         cite("Dead", "“Dead” is a special state that only applies to some Personalities in the discard pile."),
		"bow.turn":           cite(bowedness, "Some effects and costs turn a card 90° clockwise to indicate a state of unreadiness. This state is known as “bowed” and cards not in this state are “unbowed.”"),
		"bow.counter":        cite(bowedness, "Some effects and costs turn a card 90° clockwise to indicate a state of unreadiness."),
		"bow.in-play":        cite(bowedness, "Only cards in play can bow or straighten, or have the bowed or unbowed state."),
		"bow.enter":          cite(bowedness, "Cards, other than Holdings, enter play in the unbowed state."),
		"bow.enter-bowed":    cite(bowedness, "When a card enters play bowed, it is not considered to bow, because it was not in play as an unbowed card."),
		"bow.ability":        cite(bowedness, "Abilities on a bowed card can not be used"),
		"bow.assign":         cite(bowedness, "bowed Personalities can not assign"),
		"bow.force":          generalKnowledge()["bow.force"]["en"],
		"honor.turn":         cite(honor, "A Personality card is sometimes turned 180° upside down to indicate a state of disgrace (or exposure, in the case of Personalities with no concept of honor). This state is known as “dishonorable” and Personalities not in this state are “honorable.” A personality who is both dishonorable and bowed should have the top of his or her card facing left instead of right, indicating the 90° turn of bowing plus the 180° turn of dishonorable status."),
		"honor.personality":  cite(honor, "Only Personalities can be honorable or dishonorable."),
		"honor.status":       cite(honor, "Personalities are normally honorable unless a cost or effect has made them dishonorable. When a personality goes from honorable to dishonorable, he or she is “dishonored.” When a personality goes from dishonorable to honorable, he or she is “rehonored.”"),
		"honor.out":          cite(honor, "A face-up Personality out of play can be dishonorable or honorable. Leaving or entering play does not change a Personality’s dishonorable or honorable status."),
		"honor.maximum":      cite(honor, "Dishonorable Personalities have a maximum Personal Honor of zero."),
		"honor.destroyed":    cite(honor, "After a dishonorable Personality is destroyed, the player who controlled him or her loses Honor equal to the Personality's base Personal Honor. This is a rulebook effect, not a card effect."),
		"honor.gain-action":  cite(honor, "Before a player gains one or more points of Honor from an action or trait that targeted, came from, or was performed by one or more of his or her dishonorable Personalities, if rehonoring the Personalities is not one of that action or trait’s effects, the dishonorable Personalities' rehonoring is substituted for the Honor gain; that is, the Honor gain does not occur and the Personality or Personalities are rehonored. (Dishonorable status is checked when the Personality is targeted, etc. For more details, see References)."),
		"honor.gain-attach":  cite(honor, "Before a player gains Honor from attaching a card to one of his or her dishonorable Personalities, the Personality's rehonoring is substituted for the Honor gain."),
		"honor.gain-battle":  cite(honor, "Before a player with one or more dishonorable Personalities in his or her army gains Honor from destroying enemy cards in battle resolution, all such dishonorable Personalities are rehonored, an effect that substitutes for the Honor gain. In a tied battle, all dishonorable Personalities in an army are rehonored before being destroyed, in substitution for their army's leader's Honor gain."),
		"honor.negated":      cite(honor, "If, during one of these effects, the rehonoring is negated or otherwise fails, the Honor is still not gained."),
		"place.location":     cite(locations, "Cards in play have a location – the home or a battlefield. Areas out of play are not locations."),
		"place.enter":        cite(locations, "Cards enter play in their controller’s home."),
		"place.unit":         cite(locations, "Cards that are not in a unit can only be in a player’s home while in play. EXCEPTION: Terrains, and Regions attached to a battlefield’s associated province, are in play at their battlefield."),
		"place.move":         cite(locations, "When a unit goes from one location to another, it moves. EXCEPTION: The following changes of location are not movement: assigning to a battlefield, entering a player’s home or other area due to change of control, returning home after a battle, and returning home due to a battlefield ceasing to exist."),
		"place.home":         cite(locations, "When a unit “moves home” it moves to its controller’s home. When a unit \"moves to attack” it moves into the attacking side of a battlefield."),
		"control.enter":      cite(control, "Cards come in play controlled by the player who brought them into play. EXCEPTIONS: An attached card in a unit is controlled by the unit’s Personality’s controller. A Region or other card attached to a province is controlled by the player whose province it is."),
		"control.use":        cite(control, "Only the controller of a card may use its abilities or use it to pay costs."),
		"control.change":     cite(control, "When a non-attachment card changes control, it goes to its new controller’s home, or to its new controller’s side of the battlefield if it was at a battlefield before changing control. This is not considered movement. Changing control is instantaneous and does not have a duration."),
		"control.unit":       cite(control, "Control of a unit is determined by who controls its Personality, even if cards in the unit have different controllers."),
		"text.perspective":   cite(control, "A card’s text (such as, “Lose 3 Honor” or “You may not take Political actions”) is to be read from the perspective of its controller while the card is in play."),
		"owner.fixed":        cite(ownership, "A card is owned by the player whose play deck it was originally in, or the player who brought it into play if the card was created or brought in from outside the play deck. A card’s ownership can not change."),
		"face.state":         cite(facing, "A card, in or out of play, is either face up or face down."),
		"destroy.physical":   cite("Physical destruction of cards", "A card that has been physically destroyed is removed from the game, is no longer part of its owner's decks, and may not be included in decks in any future game."),
	}
}

// samuraiQuotes are the words of the Samurai Edition's rules, by rule.
func samuraiQuotes() map[board.RuleID]board.Citation {
	const (
		locations = "Card locations"
		control   = "Control"
		ownership = "Ownership"
		overlays  = "Overlaying"
	)
	return map[board.RuleID]board.Citation{
		"in-play.area":       cite(inPlay, "Whether a card is in or out of play is determined by the game area it is in."),
		"in-play.target":     cite(limits, "They cannot be targeted."),
		"in-play.ability":    cite(limits, "Abilities on them cannot be used, and triggered traits on them are not triggered."),
		"in-play.cost":       cite(limits, "Cards that are not in play also may not be used or changed to pay costs, even ones in a resolution, entering-play or focusing area."),
		"in-play.continuous": cite(limits, "Their continuous traits do not produce effects. EXCEPTION: Continuous effects on cards out of play affect only the card itself."),
		"in-play.effects":    cite(limits, "They are not affected by effects."),
		"in-play.override":   cite(limits, "Each of the limitations must be overridden separately, and is overridden only for the specific area or areas mentioned or implied."),
		"in-play.enter-cost": cite(inPlay, "For a card to enter play, its conditions and requirements of play must first be met, and its costs of entering play must then be paid."),
		"discard.destroyed":  cite(inPlay, "When a card leaves play and enters the discard pile, this change in game area is only considered to be destruction if the effect that made it leave play destroyed it. Otherwise, the change in game area is considered to be discarding."),
		"bow.turn":           cite(bowedness, "Some effects and costs turn a card 90 degrees clockwise to indicate a state of unreadiness. This state is known as “bowed” and cards not in this state are “unbowed.”"),
		"bow.counter":        cite(bowedness, "Some effects and costs turn a card 90 degrees clockwise to indicate a state of unreadiness."),
		"bow.in-play":        cite(bowedness, "Only cards in play can bow, straighten, or be bowed."),
		"bow.enter":          cite(bowedness, "Cards normally enter play in the unbowed state."),
		"bow.enter-bowed":    cite(bowedness, "When a card enters play bowed, it is not considered to bow, because it was not in play as an unbowed card."),
		"bow.ability":        cite(bowedness, "Abilities on a bowed card can not be used"),
		"bow.assign":         cite(bowedness, "bowed Personalities can not assign"),
		"bow.force":          generalKnowledge()["bow.force"]["en"],
		"honor.turn":         cite(honor, "A Personality card is sometimes turned 180 degrees upside down to indicate a state of disgrace (or exposure, in the case of Personalities with no concept of honor). This state is known as “dishonorable” and Personalities not in this state are “honorable.” A personality who is both dishonorable and bowed should have the top of his or her card facing left instead of right, indicating the 90 degree turn of bowing plus the 180 degree turn of dishonorable status."),
		"honor.personality":  cite(honor, "A Personality card is sometimes turned 180 degrees upside down to indicate a state of disgrace"),
		"honor.status":       cite(honor, "Personalities are normally honorable unless a cost or effect has made them dishonorable."),
		"honor.out":          cite(honor, "A Personality out of play can be dishonorable if he or she is face-up. Leaving or entering play does not change a Personality’s dishonorable or honorable status."),
		"honor.maximum":      cite(honor, "Dishonorable Personalities have a maximum Personal Honor of zero."),
		"honor.destroyed":    cite(honor, "After a dishonorable Personality is destroyed, the player who controlled him or her loses Honor equal to the Personality's base Personal Honor."),
		"honor.gain-action":  cite(honor, "Before a player gains Honor from an action or trait that targeted, came from, or was performed by one or more of his or her dishonorable Personalities, the Personality is rehonored and the Honor is not gained."),
		"honor.gain-attach":  cite(honor, "Before a player gains Honor from attaching a card to one of his or her dishonorable Personalities, the Personality is rehonored and the Honor is not gained."),
		"honor.gain-battle":  cite(honor, "Before a player with one or more dishonorable Personalities in his or her army gains Honor from allying with that army (see Invite Allies) or from destroying opposing cards in battle resolution, all such dishonorable Personalities are rehonored and the Honor is not gained. In a tied battle, all dishonorable Personalities in an army are rehonored before being destroyed, and their army’s leader gains no Honor."),
		"honor.negated":      cite(honor, "If, during one of these effects, the rehonoring is negated (for example, by \"can not be rehonored\" wording), the Honor is still not gained. If, during one of these effects, the rehonoring simply does not happen (for example, through \"does not rehonor\" wording that applies to the Honor gain), the Honor is gained normally."),
		"place.location":     cite(locations, "Cards in play have a location – the home or a battlefield. Areas out of play are not locations."),
		"place.enter":        cite(locations, "Cards enter play in their controller’s home. EXCEPTION: Terrains enter play at the battlefield where they are played."),
		"place.unit":         cite(locations, "Cards that are not in a unit can only be in a player’s home while in play. EXCEPTION: Terrains, and Regions attached to a battlefield’s associated province, are in play at their battlefield."),
		"place.move":         cite(locations, "When a unit goes from one location to another, it moves. EXCEPTION: The following changes of location are not movement: Assigning to a battlefield, entering a player’s home (or other area) due to change of control, returning home after a battle, and returning home due to a battlefield ceasing to exist."),
		"place.home":         cite(locations, "When a unit “moves home” it moves to its controller’s home."),
		"control.enter":      cite(control, "Cards in play are controlled by the player who brought them into play. EXCEPTIONS: An attached card in a unit is controlled by the unit’s Personality’s controller. A Region or other card attached to a Province is controlled by the player whose province it is."),
		"control.use":        cite(control, "Only the controller of a card can use its abilities or use it to pay costs."),
		"control.change":     cite(control, "When a card changes control, it goes to its new controller’s home. This is not considered movement. EXCEPTION: If a region should change control while being attached to the same Province, it remains in the home of the player whose province it is attached to. Like all other instantaneous effects, changing control does not have a duration."),
		"control.unit":       cite(control, "Control of a unit is determined by who controls its Personality, even if cards in the unit have different controllers."),
		"text.perspective":   cite(control, "A card’s text (such as, “Lose 3 Honor” or “You can not take Political actions”) is to be read from the perspective of its controller while the card is in play."),
		"owner.fixed":        cite(ownership, "A card is owned by the player whose play deck it was originally in, or the player who brought it into play if the card was created or brought in from outside the play deck. A card’s ownership can not change."),
		"overlay.only":       cite(overlays, "Only Personalities can overlay or be overlaid. Effects that loosen the rules about what card can overlay another do not break this rule unless explicitly stated"),
		"overlay.merge":      cite(overlays, "An underlying card merges with the card that overlays it, creating a card represented by a stack of two or more physical cards, and a number of special situations. The underlying card is out of play, but does not leave play."),
		"overlay.lost":       cite(overlays, "If the overlaying card is somehow lost, the underlying card reappears but does not enter play. There has only been a change to the same card. Likewise, an overlaying card is not entering play even if it comes from an out-of-play area, and if it is somehow put in an out of play area while the underlying card remains, this is not leaving play."),
		"overlay.leave":      cite(overlays, "When a stack containing overlaying cards leaves play, all underlying cards in it are removed from the game."),
		"overlay.again":      cite(overlays, "An stack of two or more cards may be overlaid again."),
		"face.state":         cite(facing, "A card, in or out of play, is either face up or face down."),
		"face.look":          cite(facing, "A player may look at his or her face-down cards in play at any time. Whether a face-down card out of play can be looked at depends on the game area it is in."),
	}
}
