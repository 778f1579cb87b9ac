// Package catalog holds the cards a table may show: what is known of each, the
// upright picture of its face, and the backs. It reads the folder that the
// command line's --cards names, and takes cards made in memory.
//
// It refuses to guess: a picture that can't be read, two pictures for one card
// or a card list that contradicts its pictures is an error that names the file
// and says what to do. It knows no OpenCV and recognises nothing; that is
// vision's task.
package catalog

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"tabletop/board"
)

// Entry is one card with the picture of its face, the print upright.
type Entry struct {
	Card board.Card
	Face image.Image
}

// Back is one kind of card back. Symmetric says that it looks the same after
// half a turn, so that a face-down card shows only its axis; New measures it.
type Back struct {
	ID        board.BackID
	Image     image.Image
	Symmetric bool
}

// Catalog is a set of cards and backs. It does not change once made, so any
// number of goroutines may read it.
type Catalog struct {
	entries  []Entry
	backs    []Back
	byID     map[board.CardID]int
	backByID map[board.BackID]int
	warnings []string
}

// New makes a catalogue of cards and backs in memory. Pictures larger than
// MaxPictureEdge are kept smaller.
//
// A card whose picture is wider than tall is taken as printed in landscape. It
// is an error when there is no card at all, an id is empty or given twice, a
// picture is missing, too small or far from a card's proportions, or a card
// said to be landscape has a picture that is taller than wide.
func New(entries []Entry, backs []Back) (*Catalog, error) {
	c := &Catalog{
		byID:     make(map[board.CardID]int, len(entries)),
		backByID: make(map[board.BackID]int, len(backs)),
	}
	if len(entries) == 0 && len(backs) == 0 {
		return nil, errors.New("catalog: no card and no back given; add at least one picture")
	}
	for _, e := range entries {
		if e.Card.ID == "" {
			return nil, fmt.Errorf("catalog: a card named %q has no id; give every card an id", e.Card.Name)
		}
		if _, twice := c.byID[e.Card.ID]; twice {
			return nil, fmt.Errorf("catalog: card %q is given twice; keep one of them", e.Card.ID)
		}
		if err := checkPicture(e.Face); err != nil {
			return nil, fmt.Errorf("catalog: card %q: %w", e.Card.ID, err)
		}
		wide := isWide(e.Face)
		if e.Card.Landscape && !wide {
			return nil, fmt.Errorf("catalog: card %q is said to be printed in landscape, but its picture is taller than wide; turn the picture so that its print is upright, or take landscape away", e.Card.ID)
		}
		e.Card.Landscape = wide
		if e.Card.Name == "" {
			e.Card.Name = NameFromID(e.Card.ID)
		}
		e.Face = shrink(e.Face)
		c.byID[e.Card.ID] = len(c.entries)
		c.entries = append(c.entries, e)
	}
	for _, b := range backs {
		if b.ID == "" {
			return nil, errors.New("catalog: a back has no id; give every back an id")
		}
		if _, twice := c.backByID[b.ID]; twice {
			return nil, fmt.Errorf("catalog: back %q is given twice; keep one of them", b.ID)
		}
		if err := checkPicture(b.Image); err != nil {
			return nil, fmt.Errorf("catalog: back %q: %w", b.ID, err)
		}
		b.Image = shrink(b.Image)
		b.Symmetric = looksSameTurned(b.Image)
		c.backByID[b.ID] = len(c.backs)
		c.backs = append(c.backs, b)
	}
	return c, nil
}

// Len is the number of cards, backs not counted.
func (c *Catalog) Len() int { return len(c.entries) }

// Entries returns the cards in their order. The slice is the caller's.
func (c *Catalog) Entries() []Entry { return slices.Clone(c.entries) }

// Backs returns the backs in their order. The slice is the caller's.
func (c *Catalog) Backs() []Back { return slices.Clone(c.backs) }

// Entry returns the card with the given id.
func (c *Catalog) Entry(id board.CardID) (Entry, bool) {
	i, ok := c.byID[id]
	if !ok {
		return Entry{}, false
	}
	return c.entries[i], true
}

// Card returns what is known of the card with the given id.
func (c *Catalog) Card(id board.CardID) (board.Card, bool) {
	e, ok := c.Entry(id)
	return e.Card, ok
}

// Back returns the back with the given id.
func (c *Catalog) Back(id board.BackID) (Back, bool) {
	i, ok := c.backByID[id]
	if !ok {
		return Back{}, false
	}
	return c.backs[i], true
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
