package tablesim

import "tabletop/internal/tablesim/deck"

// Camera draws a camera of the level: tilt, lens and distance by seed, with the
// play area sized so that cards come out as tall as the level says.
func (l Level) Camera(width, height int, seed uint64) Camera { return Camera{} }

// RandomScene lays out a scene of the level on the camera's play area: cards
// scattered free, tucked under others, fanned, stacked, with dice, tokens,
// objects and hands as the level's mix has it.
func RandomScene(d *deck.Deck, level Level, cam Camera, seed uint64) Scene { return Scene{} }
