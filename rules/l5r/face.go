package l5r

import (
	"slices"

	"tabletop/board"
	"tabletop/rules"
)

func (ed edition) faceRules() []rules.Rule {
	return []rules.Rule{
		{ID: "face.state", Severity: board.SeveritySuspicious, State: neitherFaceUpNorDown},
		{
			ID: "face.look", Severity: board.SeverityIllegal, Says: []string{"breach"},
			Action: looksAtAnothers,
		},
		{
			ID: "destroy.physical", Severity: board.SeverityIllegal, Says: []string{"deck", "take"},
			State:   tornCardInGame,
			Action:  tornCardInDeck,
			Settled: isRemoved,
		},
	}
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

// looksAtAnothers holds whose face-down cards a player may look at.
func looksAtAnothers(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	if d.Action.Kind != "look" {
		return v
	}
	for _, s := range d.Targets() {
		switch {
		case s.Area == rules.AreaOutOfPlay:
			v.Effects = append(v.Effects, rules.Note{Message: "effect.look-area", About: s.Copy.ID})
		case s.Area == rules.AreaInPlay && s.Copy.Pose.Face == board.FaceDown && s.Seat != "" && s.Seat != d.Action.Seat:
			v.Breaches = append(v.Breaches, rules.Note{Message: "breach", About: s.Copy.ID, Seat: d.Action.Seat})
		}
	}
	return v
}

func torn(s rules.Subject) bool {
	return slices.ContainsFunc(s.Table().Game().Barred, func(b board.Barred) bool { return b.Copy == s.Copy.ID })
}

// tornCardInGame finds a physically destroyed card that lies among cards of the
// game. Where it lay when it was destroyed, it may lie until it is taken away.
func tornCardInGame(s rules.Subject) board.Severity {
	if torn(s) && s.Area == rules.AreaOutOfPlay && s.Zone.Kind != board.ZoneRemoved {
		return asSeen(s)
	}
	return ""
}

// tornCardInDeck is what the deck register asks: a deck may not include a copy
// that was physically destroyed, so the game is one poorer for its owner.
func tornCardInDeck(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	switch d.Action.Kind {
	case "destroy-physically":
		for _, s := range d.Targets() {
			v.Effects = append(v.Effects, rules.Note{Message: "effect.torn", About: s.Copy.ID})
			v.Owes = append(v.Owes, rules.Debt{Message: "take", Seat: s.Copy.Owner, Copies: []board.CopyID{s.Copy.ID}})
		}
	case "deck.include":
		for _, b := range d.Table.Game().Barred {
			byCopy := slices.Contains(d.Action.Copies, b.Copy)
			byCard := b.Card != nil && string(b.Card.ID) == d.Param("card") && b.Owner == d.Action.Seat
			if byCopy || byCard {
				n := rules.Note{Message: "deck", About: b.Copy, Seat: b.Owner}
				if b.Card != nil {
					n.Words = b.Card.Name
				}
				v.Breaches = append(v.Breaches, n)
			}
		}
	}
	return v
}
