package tablesim

import "tabletop/board"

// Truth is what a picture shows of one card, known exactly.
type Truth struct {
	// Copy is the physical card.
	Copy board.CopyID
	// Observation is what a perfect scanner would say: Corners in pixels, lens
	// included, of the card itself (of the sleeve where an opaque one hides the
	// card's back), its confidence 1.
	board.Observation
	// Outline is the outer edge in pixels: the sleeve's where there is one,
	// otherwise the same as Corners.
	Outline board.Quad
	// TokenOnTop says that a die or token lies on the card.
	TokenOnTop bool
}
