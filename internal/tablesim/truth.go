package tablesim

import (
	"image"
	"math"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

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

// Visible share is measured on a grid of this many places across and down.
const (
	gridAcross = 32
	gridDown   = 44
)

// betweenDeg is how near to the middle between two quarter turns an angle has
// no nearest one.
const betweenDeg = 1.0

// Truth says what the picture shows of each card on the table, in the order of
// the scene's items, fully covered ones included (Visible 0). It is empty for
// a scene that Render refuses.
func (r *Renderer) Truth(s Scene) []Truth {
	heights := r.heights(s.Items)
	// What may hide a card: everything drawn after it.
	type cover struct {
		order  int
		bounds image.Rectangle
		covers func(board.Point) bool
		small  bool
		centre board.Point
	}
	const last = 1 << 30
	var covers []cover
	for i, it := range s.Items {
		d, err := r.cardDrawable(it, heights[i])
		if err != nil {
			return nil
		}
		order := i
		if it.Lift > 0 {
			order += last / 2
		}
		covers = append(covers, cover{order, d.bounds, d.covers, false, it.Centre})
	}
	for _, t := range s.Tokens {
		d := r.tokenDrawable(t, r.floorAt(s.Items, heights, t.Centre))
		covers = append(covers, cover{last / 4, d.bounds, d.covers, true, t.Centre})
	}
	for _, t := range s.Dice {
		d := r.dieDrawable(t, r.floorAt(s.Items, heights, t.Centre))
		covers = append(covers, cover{last / 4, d.bounds, d.covers, true, t.Centre})
	}
	for _, o := range s.Objects {
		d := r.objectDrawable(o)
		covers = append(covers, cover{last / 4, d.bounds, d.covers, false, o.Centre})
	}
	for _, h := range s.Hands {
		d := r.handDrawable(h)
		covers = append(covers, cover{last, d.bounds, d.covers, false, h.Tip})
	}

	picture := image.Rect(0, 0, r.cam.Width, r.cam.Height)
	var out []Truth
	for i, it := range s.Items {
		if it.InHand {
			continue
		}
		t := r.shown(it, heights[i])
		order := covers[i].order
		var near []cover
		for _, c := range covers {
			if c.order > order && c.bounds.Overlaps(covers[i].bounds) {
				near = append(near, c)
				if c.small && board.RectQuad(it.Centre, r.sizeOf(it), it.AngleDeg).Contains(c.centre) {
					t.TokenOnTop = true
				}
			}
		}
		size := r.sizeOf(it)
		at := plate{it.Centre, it.AngleDeg, heights[i]}
		seen := 0
		for gy := range gridDown {
			for gx := range gridAcross {
				x := size.Width * ((float64(gx)+0.5)/gridAcross - 0.5)
				y := size.Height * ((float64(gy)+0.5)/gridDown - 0.5)
				px := r.proj.ToImage(at.toTable(x, y), at.height)
				if !image.Pt(int(math.Floor(px.X+0.5)), int(math.Floor(px.Y+0.5))).In(picture) {
					continue
				}
				hidden := false
				for _, c := range near {
					if c.covers(px) {
						hidden = true
						break
					}
				}
				if !hidden {
					seen++
				}
			}
		}
		t.Visible = float64(seen) / (gridAcross * gridDown)
		out = append(out, t)
	}
	return out
}

// shown is the truth of a card apart from what covers it.
func (r *Renderer) shown(it Item, height float64) Truth {
	project := func(s board.Size) board.Quad {
		return board.RectQuad(it.Centre, s, it.AngleDeg).Map(func(p board.Point) board.Point { return r.proj.ToImage(p, height) })
	}
	t := Truth{Copy: it.ID, Outline: project(r.outer(it))}
	t.Corners = project(r.sizeOf(it))
	t.Face, t.Confidence, t.AngleModulo = board.FaceUp, 1, 360
	card, _ := r.deck.Card(it.Card)
	if it.Face == board.FaceDown {
		t.Face = board.FaceDown
		t.Back = card.Back
		if it.Sleeve.Border > 0 && it.Sleeve.Opaque {
			t.Back, t.Corners = "", t.Outline
		}
		if t.Back == "" || deck.SymmetricBack(t.Back) {
			t.AngleModulo = 180
		}
	} else {
		t.Card = card.Ref()
	}
	t.AngleDeg = t.Corners.AngleDeg()
	t.Rotation = board.NearestTurn(t.AngleDeg)
	if off := math.Abs(board.AngleDiff(t.AngleDeg, float64(t.Rotation))); off > 45-betweenDeg || t.AngleModulo == 180 {
		t.Rotation = board.TurnUnknown
	}
	return t
}

// Observations are the truths without what only a simulator knows, as the
// scanner's own answers look.
func Observations(truths []Truth) []board.Observation {
	out := make([]board.Observation, len(truths))
	for i, t := range truths {
		out[i] = t.Observation
	}
	return out
}
