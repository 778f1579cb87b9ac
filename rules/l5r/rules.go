package l5r

import (
	"math"

	"tabletop/board"
	"tabletop/rules"
)

// slantedDeg is the distance from a quarter turn beyond which a card lies
// nearer to a diagonal than to any of them.
const slantedDeg = 22.5

func emperorRules() []rules.Rule {
	cite := func(passage, quote string) board.Citation {
		return board.Citation{Source: "L5R Emperor Edition, Comprehensive Rules, Physically marked card states", Passage: passage, Quote: quote}
	}
	const bowed, honor, face = "Bowed and unbowed", "Honorable and dishonorable", "Face up and face down"
	return []rules.Rule{
		{
			ID:       "bow.turn",
			Severity: board.SeveritySuspicious,
			Citation: cite(bowed, "Some effects and costs turn a card 90° clockwise to indicate a state of unreadiness. This state is known as “bowed” and cards not in this state are “unbowed.”"),
			State:    betweenBowedAndNot,
		},
		{
			ID:       "bow.counter",
			Severity: board.SeverityIllegal,
			Citation: cite(bowed, "Some effects and costs turn a card 90° clockwise to indicate a state of unreadiness."),
			State:    turnedCounterClockwise,
		},
		{
			ID:       "bow.in-play",
			Severity: board.SeverityIllegal,
			Citation: cite(bowed, "Only cards in play can bow or straighten, or have the bowed or unbowed state."),
			State:    turnedOutOfPlay,
		},
		{
			ID:       "bow.enter",
			Severity: board.SeverityIllegal,
			Citation: cite(bowed, "Cards, other than Holdings, enter play in the unbowed state."),
			Change:   enteredBowed,
			Mended:   noLongerEnteredBowed,
		},
		{
			ID:       "honor.turn",
			Severity: board.SeveritySuspicious,
			Citation: cite(honor, "A Personality card is sometimes turned 180° upside down to indicate a state of disgrace (or exposure, in the case of Personalities with no concept of honor). This state is known as “dishonorable” and Personalities not in this state are “honorable.” A personality who is both dishonorable and bowed should have the top of his or her card facing left instead of right, indicating the 90° turn of bowing plus the 180° turn of dishonorable status."),
			State:    betweenHonorableAndNot,
		},
		{
			ID:       "honor.personality",
			Severity: board.SeverityIllegal,
			Citation: cite(honor, "Only Personalities can be honorable or dishonorable."),
			State:    upsideDownWithoutHonor,
		},
		{
			ID:       "face.state",
			Severity: board.SeveritySuspicious,
			Citation: cite(face, "A card, in or out of play, is either face up or face down."),
			State:    neitherFaceUpNorDown,
		},
	}
}

// asSeen is illegal for a card whose face lies open and a suspicion for one
// that is only remembered to be what it is.
func asSeen(s rules.Subject) board.Severity {
	if s.Copy.Pose.Face == board.FaceUp {
		return board.SeverityIllegal
	}
	return board.SeveritySuspicious
}

// slanted says whether a copy in play lies nearer to a diagonal than to a
// quarter turn, so that nobody can tell one turn from the next.
func slanted(s rules.Subject) bool {
	fromQuarter := math.Abs(math.Remainder(s.AngleDeg, 90))
	return s.Area != rules.AreaOutOfPlay && !s.Copy.Pose.Rotation.Known() && fromQuarter > slantedDeg
}

// honorUnclear says whether a slanted Personality lies between a turn that is
// honorable and one that isn't: top to the lower right (90 or 180) or to the
// upper left (270 or 0). One that lies between upright and bowed (or between
// both with dishonor) is clear in its honor.
func honorUnclear(s rules.Subject) bool {
	axisKnown := s.Copy.Pose.AngleModulo == 0 || s.Copy.Pose.AngleModulo == 360
	return slanted(s) && s.Is(personality) && axisKnown &&
		math.Abs(math.Remainder(s.AngleDeg-135, 180)) < 45
}

func betweenBowedAndNot(s rules.Subject) board.Severity {
	if slanted(s) && !honorUnclear(s) {
		return board.SeveritySuspicious
	}
	return ""
}

func betweenHonorableAndNot(s rules.Subject) board.Severity {
	if honorUnclear(s) {
		return board.SeveritySuspicious
	}
	return ""
}

// turnedCounterClockwise leaves cards out of play to turnedOutOfPlay: one fact
// gives one finding.
func turnedCounterClockwise(s rules.Subject) board.Severity {
	if s.Copy.Pose.Rotation != 270 || s.Area == rules.AreaOutOfPlay || !s.TypeKnown() || s.Is(personality) {
		return ""
	}
	return asSeen(s)
}

func turnedOutOfPlay(s rules.Subject) board.Severity {
	turn, face := s.Copy.Pose.Rotation, s.Copy.Pose.Face
	switch {
	case s.Area != rules.AreaOutOfPlay || turn != 90 && turn != 270:
		return ""
	case s.TypeKnown():
		return asSeen(s)
	case face == board.FaceUp:
		return board.SeveritySuspicious
	}
	return ""
}

// enteredBowed is only a suspicion for a card that came from outside the
// camera's view: it may have been there before and not been recognised.
func enteredBowed(t rules.Transition) board.Severity {
	s := t.After
	switch {
	case !t.Enters() || !s.Copy.State.Has(Bowed) || !s.TypeKnown() || s.Is(holding) || t.TakesBack(Bowed):
		return ""
	case t.Before == nil:
		return board.SeveritySuspicious
	}
	return asSeen(s)
}

func noLongerEnteredBowed(s rules.Subject) bool {
	return !s.Copy.State.Has(Bowed) || s.Is(holding)
}

func upsideDownWithoutHonor(s rules.Subject) board.Severity {
	if s.Copy.Pose.Rotation != 180 || !s.TypeKnown() || s.Is(personality) {
		return ""
	}
	return asSeen(s)
}

// neitherFaceUpNorDown asks about cards that were recognised and lie mostly
// free; of others, an unknown face is the camera's limit and no remark.
func neitherFaceUpNorDown(s rules.Subject) board.Severity {
	face := s.Copy.Pose.Face
	if face == board.FaceUp || face == board.FaceDown || s.Copy.Card == nil || s.Copy.Pose.Visible < 0.5 {
		return ""
	}
	return board.SeveritySuspicious
}
