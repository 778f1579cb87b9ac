// Package champions holds the pack of Marvel Champions: The Card Game.
//
// All of it is data: see pack.yaml for what lies in play, what a turn means and
// which declared actions are refused, and messages/ for the words in English and
// German. The German ones use the terms of the German rules.
//
// The other side of an identity is another card of the catalogue, so a flipped
// identity is a card that has become known as another one, never one that lies
// face down. A quarter turn clockwise is exhausted; upside down and
// counter-clockwise mean nothing here.
//
// The package refuses to take any card for in play whose type could as well be
// an event or a treachery, as long as nobody knows which it is.
package champions

import (
	"embed"

	"tabletop/rules"
	"tabletop/rules/packfile"
)

//go:embed pack.yaml messages/*.yaml
var folder embed.FS

// Pack is the pack "marvel-champions".
func Pack() (rules.Pack, error) { return packfile.Load(folder, "rules/champions") }
