package tablesim

import (
	"image"

	"tabletop/internal/tablesim/deck"
)

// Still is one labelled picture, made from a level and a seed alone.
type Still struct {
	Level  Level
	Camera Camera
	Table  TableKind
	Scene  Scene
	Image  *image.RGBA
	Truths []Truth
}

// NewStill draws camera, table and scene of a level by seed and photographs
// them. Seeds give the same picture every time.
func NewStill(d *deck.Deck, level Level, width, height int, seed uint64) (Still, error) {
	cam := level.Camera(width, height, seed)
	r, err := NewRenderer(d, level, cam, seed)
	if err != nil {
		return Still{}, err
	}
	scene := RandomScene(d, level, cam, seed)
	img, err := r.Render(scene, 0)
	if err != nil {
		return Still{}, err
	}
	return Still{Level: level, Camera: cam, Table: r.Table(), Scene: scene, Image: img, Truths: r.Truth(scene)}, nil
}

// Write saves the picture and its labels as [WriteStill] does, with the level's
// JPEG quality. Cards of which less than a twentieth shows get no label.
func (s Still) Write(dir, name string) error {
	return WriteStill(dir, name, s.Image, s.Level.JPEGQuality, s.Level.Name, s.Truths, 0.05)
}
