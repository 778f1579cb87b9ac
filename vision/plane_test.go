package vision

import (
	"image"
	"math"
	"testing"

	"tabletop/board"
)

// The plane is of no use to anyone outside, but all that is found by print hangs
// on it: this test looks from within.
func TestPlaneOfNamedCards(t *testing.T) {
	size := board.StandardCard()
	views := map[string]board.Homography{
		"straight down": {1.2, 0, 300, 0, 1.2, 200, 0, 0, 1},
		"turned":        {1.0, -0.5, 500, 0.5, 1.0, 100, 0, 0, 1},
		"tilted":        {1.4, 0.1, 200, 0.05, 1.2, 150, 0.0001, 0.0003, 1},
	}
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			var all []board.Quad
			for i := range 12 {
				at := board.Point{X: float64(100 + 230*(i%4)), Y: float64(100 + 220*(i/4))}
				q := board.RectQuad(at, size, float64(37*i)).Map(view.Apply)
				if i%5 == 1 { // a landscape card: its printed top is a long edge
					q = q.Turned(1)
				}
				all = append(all, q)
			}
			plane, ok := planeOf(all, size, image.Pt(1920, 1080))
			if !ok {
				t.Fatal("no plane")
			}
			for i, q := range all {
				w, h := upright(q).Map(plane.Table).Edges()
				if math.Abs(w/size.Width-1) > 0.01 || math.Abs(h/size.Height-1) > 0.01 {
					t.Errorf("card %d is %.1f × %.1f mm", i, w, h)
				}
			}
		})
	}
	if _, ok := planeOf(nil, size, image.Pt(1920, 1080)); ok {
		t.Error("a plane of no cards")
	}
}
