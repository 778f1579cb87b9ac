package calibration_test

import (
	"testing"

	"tabletop/board"
	"tabletop/calibration"
)

func TestTableOfHasEveryAreaOnce(t *testing.T) {
	own := []board.ZoneKind{"home", "deck", "discard", "dealt"}
	shared := []board.ZoneKind{"villain", "main-scheme", "encounter"}
	layout, err := calibration.TableOf(own, shared)
	if err != nil {
		t.Fatal(err)
	}
	if len(layout.Zones) != 2*len(own)+len(shared) {
		t.Errorf("%d zones", len(layout.Zones))
	}
	for _, z := range layout.Zones {
		middle := board.Quad(z.Outline[:4]).Centre()
		at := board.Point{X: middle.X * layout.Size.Width, Y: middle.Y * layout.Size.Height}
		if found, ok := layout.ZoneAt(at); !ok || found.ID != z.ID {
			t.Errorf("in the middle of %s lies %s", z.ID, found.ID)
		}
		for _, p := range z.Outline {
			if p.X < 0 || p.X > 1 || p.Y < 0 || p.Y > 1 {
				t.Errorf("%s reaches beyond the table: %v", z.ID, p)
			}
		}
		for _, other := range layout.Zones {
			if shared := z.Outline.Clip(other.Outline).Area(); other.ID != z.ID && shared > 1e-9 {
				t.Errorf("%s and %s overlap", z.ID, other.ID)
			}
		}
	}
	south, _ := layout.Zone("south.home")
	if south.Outline[0].Y < 0.5 {
		t.Error("south's home is not at the bottom edge")
	}
}

func TestTableOfRefusesMoreThanFits(t *testing.T) {
	if _, err := calibration.TableOf([]board.ZoneKind{"home"}, make([]board.ZoneKind, 20)); err == nil {
		t.Error("twenty areas side by side were taken")
	}
}
