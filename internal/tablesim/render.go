package tablesim

import (
	"errors"
	"image"

	"tabletop/internal/tablesim/deck"
)

// Renderer photographs scenes through one camera under one level's conditions.
// It keeps the last picture and redraws only what changed, so it is not safe
// for use by several goroutines at once.
type Renderer struct{}

var errNotYet = errors.New("tablesim: not built yet")

// NewRenderer prepares table and light. The seed chooses the table and every
// value that the level gives a range for.
func NewRenderer(d *deck.Deck, level Level, cam Camera, seed uint64) (*Renderer, error) {
	return nil, errNotYet
}

// Render draws the scene as the camera sees it at the given frame number, which
// moves noise and exposure on. The picture is the caller's to keep.
func (r *Renderer) Render(s Scene, frame uint64) (*image.RGBA, error) { return nil, errNotYet }

// Truth says what the picture shows of each card on the table, in the order of
// the scene's items, fully covered ones included (Visible 0).
func (r *Renderer) Truth(s Scene) []Truth { return nil }
