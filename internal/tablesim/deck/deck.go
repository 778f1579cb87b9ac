// Package deck holds a fictional deck of cards of our own drawing: names, types
// and rules text in the manner of a samurai card game, and procedural pictures
// that differ from card to card as much as printed ones do. It uses no
// publisher's names or art, and every picture follows from the card alone, so
// two runs draw the same pixels.
package deck

import (
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"tabletop/board"
)

// Deck is the fictional deck. Its pictures are drawn when first asked for; a
// Deck may be used from several goroutines.
type Deck struct {
	cards []board.Card
	faces map[board.CardID]*drawing
	backs map[board.BackID]*drawing
}

// New returns the deck.
func New() *Deck {
	d := &Deck{faces: map[board.CardID]*drawing{}, backs: map[board.BackID]*drawing{}}
	for i, e := range entries {
		p := newPrinted(i, e)
		d.cards = append(d.cards, p.card)
		d.faces[p.card.ID] = &drawing{draw: func() *image.RGBA { return drawFace(p) }}
	}
	for _, id := range d.Backs() {
		d.backs[id] = &drawing{draw: func() *image.RGBA { return drawBack(string(id)) }}
	}
	return d
}

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
func (d *Deck) Face(id board.CardID) *image.RGBA {
	if f := d.faces[id]; f != nil {
		return f.picture()
	}
	return nil
}

// Back returns the upright picture of a back, 500×700 pixels, or nil for an
// unknown one. The caller must not change it.
func (d *Deck) Back(id board.BackID) *image.RGBA {
	if f := d.backs[id]; f != nil {
		return f.picture()
	}
	return nil
}

// Backs lists the backs in a fixed order.
func (d *Deck) Backs() []board.BackID {
	return []board.BackID{BackDynasty, BackFate, BackLotus, BackCastle}
}

// SymmetricBack says whether a back looks the same both ways up.
func SymmetricBack(id board.BackID) bool { return id == BackLotus }

// LookAlikes lists pairs of cards that share their picture and differ only in
// title, figures and text.
func (d *Deck) LookAlikes() [][2]board.CardID {
	var pairs [][2]board.CardID
	for _, e := range entries {
		if e.art != "" {
			pairs = append(pairs, [2]board.CardID{slug(e.art), slug(e.name)})
		}
	}
	return pairs
}

// WriteDir writes the deck as a folder that the scanner takes as --cards:
// <id>.png for each face, backs/<id>.png, and cards.json with the cards' data.
func (d *Deck) WriteDir(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "backs"), 0o755); err != nil {
		return fmt.Errorf("deck: making the folder for the cards: %w", err)
	}
	// Drawing takes longer than writing: use what cores there are.
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range d.cards {
		g.Go(func() error { return d.faces[c.ID].write(filepath.Join(dir, string(c.ID)+".png")) })
	}
	for _, id := range d.Backs() {
		g.Go(func() error { return d.backs[id].write(filepath.Join(dir, "backs", string(id)+".png")) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(map[string]any{"cards": d.cards}, "", " ")
	if err != nil {
		return fmt.Errorf("deck: writing cards.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cards.json"), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("deck: writing cards.json: %w", err)
	}
	return nil
}
