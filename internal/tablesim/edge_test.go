package tablesim

import (
	"image/color"
	"math"
	"testing"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

// The truth must be where the pixels are. This test looks at the film, in
// linear light and before noise, because the tone curve of a camera moves the
// half-way point of a blurred edge; it therefore stands inside the package.
func TestTruthIsWhereThePixelsAre(t *testing.T) {
	const limit = 0.1 // px
	d := deck.New()
	lvl, err := LevelByName("easy")
	if err != nil {
		t.Fatal(err)
	}
	lvl.Tables = []TableKind{TableDarkCloth}
	lvl.Glare, lvl.Light, lvl.Vignette, lvl.Cast = Range{}, Range{}, Range{}, Range{}
	cams := map[string]Camera{
		"overhead": Overhead(960, 540, board.Size{Width: 700, Height: 394}),
		"tilted":   {Width: 960, Height: 540, Area: board.Size{Width: 700, Height: 394}, DistanceMM: 800, TiltDeg: 20, TiltTowardsDeg: 150, RollDeg: 2},
		"lens":     {Width: 960, Height: 540, Area: board.Size{Width: 700, Height: 394}, DistanceMM: 700, TiltDeg: 8, TiltTowardsDeg: 200, K1: -0.12, K2: 0.014},
	}
	for name, cam := range cams {
		t.Run(name, func(t *testing.T) {
			r, err := NewRenderer(d, lvl, cam, 1)
			if err != nil {
				t.Fatal(err)
			}
			// White backs of opaque sleeves are cards of one flat colour.
			var s Scene
			white := Sleeve{Border: 1, Opaque: true, Colour: color.RGBA{235, 235, 235, 255}}
			for i, at := range []struct{ x, y, a float64 }{{90, 90, 0}, {350, 197, 31}, {600, 90, 90}, {110, 300, 248}, {590, 300, 7}} {
				s.Items = append(s.Items, Item{ID: board.CopyID(rune('a' + i)), Card: d.Cards()[0].ID, Centre: board.Point{X: at.x, Y: at.y}, AngleDeg: at.a, Face: board.FaceDown, Sleeve: white})
			}
			if _, err := r.Render(s, 0); err != nil {
				t.Fatal(err)
			}
			for _, tr := range r.Truth(s) {
				for k := range 4 {
					a, b := tr.Corners[k], tr.Corners[(k+1)%4]
					off := edgeOffset(r, a, b)
					if math.Abs(off) > limit {
						t.Errorf("copy %s: edge %d lies %.3f px beside its truth", tr.Copy, k, off)
					}
				}
			}
		})
	}
}

// edgeOffset measures how far outside the line from a to b a light card on a
// dark table ends, in pixels: the mean over the edge's middle part. The light
// summed up across the edge says where it is, however it falls on the pixels.
func edgeOffset(r *Renderer, a, b board.Point) float64 {
	const (
		reach = 4.0
		step  = 0.1
	)
	dir := b.Sub(a).Scale(1 / a.Distance(b))
	out := board.Point{X: dir.Y, Y: -dir.X} // corners run clockwise
	var sum float64
	n := 0
	for t := 0.2; t <= 0.8; t += 0.01 {
		// A lens bends edges: follow the image of the edge, not the line
		// between the images of its ends.
		at := r.proj.ToImage(lerp(r.proj.ToTable(a, 0), r.proj.ToTable(b, 0), t), 0)
		inside := r.brightness(at.Sub(out.Scale(reach)))
		outside := r.brightness(at.Add(out.Scale(reach)))
		for s := -reach + step/2; s < reach; s += step {
			sum += step * (r.brightness(at.Add(out.Scale(s))) - outside) / (inside - outside)
		}
		sum -= reach
		n++
	}
	return sum / float64(n)
}

func lerp(a, b board.Point, t float64) board.Point { return a.Scale(1 - t).Add(b.Scale(t)) }

// brightness is the film's green in linear light, between pixels.
func (r *Renderer) brightness(p board.Point) float64 {
	x, y := int(math.Floor(p.X)), int(math.Floor(p.Y))
	fx, fy := p.X-float64(x), p.Y-float64(y)
	at := func(x, y int) float64 { return float64(r.tone[r.film[3*(y*r.cam.Width+x)+1]]) }
	return (at(x, y)*(1-fx)+at(x+1, y)*fx)*(1-fy) + (at(x, y+1)*(1-fx)+at(x+1, y+1)*fx)*fy
}
