// Package deck holds a fictional deck of cards of our own drawing: names, types
// and rules text in the manner of a samurai card game, and procedural pictures
// that differ from card to card as much as printed ones do. It uses no
// publisher's names or art, and every picture follows from the card alone, so
// two runs draw the same pixels.
package deck

import (
	"image"

	"tabletop/board"
)

// Deck is the fictional deck. Its pictures are drawn when first asked for and
// kept; a Deck may be used from several goroutines.
type Deck struct {
	cards []board.Card
}

// New returns the deck.
func New() *Deck { return &Deck{} }

// Cards lists the cards in a fixed order. The caller must not change them.
func (d *Deck) Cards() []board.Card { return d.cards }

// Card returns the card of that id.
func (d *Deck) Card(id board.CardID) (board.Card, bool) {
	for _, c := range d.cards {
		if c.ID == id {
			return c, true
		}
	}
	return board.Card{}, false
}

// Face returns the upright picture of a card's face: 500×700 pixels, or 700×500
// for a card printed in landscape. It is nil for an id the deck doesn't hold.
// The caller must not change it.
func (d *Deck) Face(id board.CardID) *image.RGBA { return nil }

// Back returns the upright picture of a back, 500×700 pixels, or nil for an
// unknown one. The caller must not change it.
func (d *Deck) Back(id board.BackID) *image.RGBA { return nil }

// Backs lists the backs in a fixed order.
func (d *Deck) Backs() []board.BackID { return nil }

// SymmetricBack says whether a back looks the same both ways up.
func SymmetricBack(id board.BackID) bool { return false }
