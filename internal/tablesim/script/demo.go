package script

import (
	_ "embed"

	"tabletop/internal/tablesim/deck"
)

//go:embed demo.game
var demoText string

//go:embed judge.game
var judgeText string

// DemoGame is the game that the demo plays over and over: two players, thirty
// acts, hands that pass over the table, two mistakes that are mended, and a
// table that is cleared at the end. Every card lies free. The deck must be the
// fictional one.
func DemoGame(d *deck.Deck) (*Game, error) { return Parse("demo.game", demoText, d) }

// JudgeGame is a longer game with twelve mistakes against twelve rules, each
// mended by the act that follows it: what a judge's tools are tested with.
func JudgeGame(d *deck.Deck) (*Game, error) { return Parse("judge.game", judgeText, d) }
