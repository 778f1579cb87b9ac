// Package catalog holds the cards a table may show: what is known of each, the
// upright picture of its face, and the backs. It reads the folder that the
// command line's --cards names, and takes cards made in memory. The pictures of
// a folder stay there until they are asked for, one at a time: a folder of
// 20,000 would fill any memory.
//
// It refuses to guess: a picture that can't be read, two pictures for one card
// or a card list that contradicts its pictures is an error that names the file
// and says what to do. It knows no OpenCV and recognises nothing; that is
// vision's task.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tabletop/board"
)

// Entry is one card with the picture of its face, the print upright.
type Entry struct {
	Card board.Card
	Face image.Image
}

// Back is one kind of card back with its picture.
type Back struct {
	ID    board.BackID
	Image image.Image
}

// Catalog is a set of cards and backs. It does not change once made, so any
// number of goroutines may read it.
type Catalog struct {
	cards     []board.Card
	backs     []board.BackID
	symmetric []bool    // the backs
	pictures  []Picture // the cards', then the backs'
	byID      map[board.CardID]int
	backByID  map[board.BackID]int
	warnings  []string
}

// New makes a catalogue of cards and backs in memory. Pictures larger than
// MaxPictureEdge are kept smaller.
//
// A card whose picture is wider than tall is taken as printed in landscape. It
// is an error when there is no card at all, an id is empty or given twice, a
// picture is missing, too small or far from a card's proportions, or a card
// said to be landscape has a picture that is taller than wide.
func New(entries []Entry, backs []Back) (*Catalog, error) {
	if len(entries) == 0 && len(backs) == 0 {
		return nil, errors.New("catalog: no card and no back given; add at least one picture")
	}
	c := newCatalog(len(entries), len(backs))
	for _, e := range entries {
		pic, err := pictureInMemory(e.Face)
		if err == nil && e.Card.Landscape && !pic.Wide {
			err = errors.New("it is said to be printed in landscape, but its picture is taller than wide; turn the picture so that its print is upright, or take landscape away")
		}
		if err == nil {
			err = c.addCard(e.Card, pic)
		}
		if err != nil {
			return nil, fmt.Errorf("catalog: card %q: %w", cmp.Or(string(e.Card.ID), e.Card.Name), err)
		}
	}
	for _, b := range backs {
		pic, err := pictureInMemory(b.Image)
		if err == nil {
			err = c.addBack(b.ID, pic)
		}
		if err != nil {
			return nil, fmt.Errorf("catalog: back %q: %w", b.ID, err)
		}
	}
	return c, nil
}

func newCatalog(cards, backs int) *Catalog {
	return &Catalog{
		cards:    make([]board.Card, 0, cards),
		pictures: make([]Picture, 0, cards+backs),
		byID:     make(map[board.CardID]int, cards),
		backByID: make(map[board.BackID]int, backs),
	}
}

// addCard takes in a card; all cards come before the first back.
func (c *Catalog) addCard(card board.Card, pic Picture) error {
	if card.ID == "" {
		return errors.New("it has no id; give every card an id")
	}
	if _, twice := c.byID[card.ID]; twice {
		return errors.New("it is given twice; keep one of them")
	}
	card.Landscape = pic.Wide
	if card.Name == "" {
		card.Name = NameFromID(card.ID)
	}
	c.byID[card.ID] = len(c.cards)
	c.cards = append(c.cards, card)
	c.pictures = append(c.pictures, pic)
	return nil
}

func (c *Catalog) addBack(id board.BackID, pic Picture) error {
	if id == "" {
		return errors.New("it has no id; give every back an id")
	}
	if _, twice := c.backByID[id]; twice {
		return errors.New("it is given twice; keep one of them")
	}
	img, err := pic.Read()
	if err != nil {
		return err
	}
	c.backByID[id] = len(c.backs)
	c.backs = append(c.backs, id)
	c.symmetric = append(c.symmetric, looksSameTurned(img))
	c.pictures = append(c.pictures, pic)
	return nil
}

// Len is the number of cards, backs not counted.
func (c *Catalog) Len() int { return len(c.cards) }

// Cards returns the cards in their order. The slice is the caller's.
func (c *Catalog) Cards() []board.Card { return slices.Clone(c.cards) }

// Backs returns the ids of the backs in their order. The slice is the caller's.
func (c *Catalog) Backs() []board.BackID { return slices.Clone(c.backs) }

// Pictures returns the cards' pictures in the order of Cards, and then those of
// the backs in the order of Backs. The slice is the caller's.
func (c *Catalog) Pictures() []Picture { return slices.Clone(c.pictures) }

// ReadAll reads all pictures, on every core, in the order of Pictures. As long as
// the caller has them, no Read reads a file again. Each takes up to half a
// megabyte.
func (c *Catalog) ReadAll() ([]*image.RGBA, error) {
	images := make([]*image.RGBA, len(c.pictures))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range c.pictures {
		group.Go(func() (err error) {
			images[i], err = p.Read()
			return err
		})
	}
	return images, group.Wait()
}

// Card returns what is known of the card with the given id.
func (c *Catalog) Card(id board.CardID) (board.Card, bool) {
	i, ok := c.byID[id]
	if !ok {
		return board.Card{}, false
	}
	return c.cards[i], true
}

// Symmetric says that a back looks the same after half a turn, so that a
// face-down card shows only its axis. It is measured on the picture. ok is
// false for a back that is not there.
func (c *Catalog) Symmetric(id board.BackID) (symmetric, ok bool) {
	i, ok := c.backByID[id]
	return ok && c.symmetric[i], ok
}

// Warnings says what Load found odd but could live with, one sentence each,
// such as a card of the list that has no picture.
func (c *Catalog) Warnings() []string { return slices.Clone(c.warnings) }

// NameFromID makes a readable name of a slug: "hida-o-ushi" becomes
// "Hida O Ushi".
func NameFromID(id board.CardID) string {
	words := strings.FieldsFunc(string(id), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i, w := range words {
		r := []rune(w)
		words[i] = strings.ToUpper(string(r[:1])) + string(r[1:])
	}
	if len(words) == 0 {
		return string(id)
	}
	return strings.Join(words, " ")
}
