package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/tracker"
)

// spread lays n cards out on a grid with room between them, at any angle.
func spread(t *rapid.T, b *table, n int) {
	for i := range n {
		x, y := 70+float64(i%7)*125, 70+float64(i/7)*125
		c := b.put(board.CardID(fmt.Sprint("k", rapid.IntRange(0, 5).Draw(t, "card"))), x, y, rapid.Float64Range(0, 359.9).Draw(t, "angle"))
		c.down = rapid.IntRange(0, 4).Draw(t, "down") == 0
		c.back = rapid.SampledFrom([]board.BackID{"dragon", "plain"}).Draw(t, "back")
	}
}

func seeded(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
}

// Whatever lies on the table, jitter of ±1.5 mm and ±2°, hands that pass, one
// frame missed now and then and the order of observations change nothing.
func TestStillTableGivesNoChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTable(t)
		b.rng = seeded(rt)
		n := rapid.IntRange(0, 20).Draw(rt, "cards")
		spread(rt, b, n)
		b.film(12)
		if got := b.happened(); len(got) != n {
			rt.Fatalf("%d cards were placed as %q", n, got)
		}
		for range rapid.IntRange(1, 6).Draw(rt, "passes") {
			x := rapid.Float64Range(0, 900).Draw(rt, "x")
			for y := 650.0; y > rapid.Float64Range(0, 600).Draw(rt, "y"); y -= 60 {
				b.hands = []board.Polygon{hand(x, y)}
				b.film(1)
			}
			b.hands = nil
			b.film(4)
			drop := b.rng.Perm(n)[:n/3]
			b.corrupt = func(v *board.View) {
				i := -1
				v.Cards = slices.DeleteFunc(v.Cards, func(board.Observation) bool { i++; return slices.Contains(drop, i) })
			}
			b.film(1)
			b.corrupt = nil
		}
		b.film(20)
		if got := b.happened(); len(got) > 0 {
			rt.Fatalf("nothing happened, and the tracker reported %q", got)
		}
	})
}

// A game of random acts, each done under a hand, gives exactly the changes of
// each act, for the copy it was done to.
func TestRandomGame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTable(t)
		b.rng = seeded(rt)
		type slot struct{ x, y float64 }
		var free []slot
		for i := range 24 {
			free = append(free, slot{70 + float64(i%6)*150, 70 + float64(i/6)*150})
		}
		ids := map[*card]board.CopyID{}
		next := 1
		take := func() slot {
			i := rapid.IntRange(0, len(free)-1).Draw(rt, "slot")
			s := free[i]
			free = slices.Delete(free, i, i+1)
			return s
		}
		look := func() { b.film(int(1200 * time.Millisecond / b.step)) }
		for range rapid.IntRange(1, 12).Draw(rt, "acts") {
			kinds := []string{"place"}
			if len(b.cards) > 0 {
				kinds = append(kinds, "move", "turn", "flip", "remove", "move", "turn")
			}
			kind := rapid.SampledFrom(kinds).Draw(rt, "act")
			if kind == "place" && len(b.cards) >= 20 {
				continue
			}
			var want []string
			if kind == "place" {
				s := take()
				up := 0.0
				if s.y < 300 {
					up = 180
				}
				// Every card is another one: which of two like cards was carried
				// where is another test's question.
				c := b.put(board.CardID(fmt.Sprint("k", next)), s.x, s.y, up)
				ids[c] = board.CopyID(fmt.Sprint("c", next))
				want = []string{"placed " + string(ids[c])}
				next++
				look()
			} else {
				c := b.cards[rapid.IntRange(0, len(b.cards)-1).Draw(rt, "which")]
				id := string(ids[c])
				b.hands = []board.Polygon{hand(c.centre.X, c.centre.Y)}
				b.film(4)
				old := slot{c.centre.X, c.centre.Y}
				switch kind {
				case "move":
					s := take()
					want = []string{"moved " + id}
					if (s.y < 300) != (old.y < 300) {
						c.angle = board.NormalizeDeg(c.angle + 180) // to face its new player
					}
					c.centre = board.Point{X: s.x, Y: s.y}
					free = append(free, old)
				case "turn":
					c.angle = board.NormalizeDeg(c.angle + rapid.SampledFrom([]float64{90, 180, 270}).Draw(rt, "by"))
					want = []string{"turned " + id}
				case "flip":
					c.down = !c.down
					want = []string{"flipped " + id}
				case "remove":
					b.take(c)
					want = []string{"removed " + id}
					free = append(free, old)
				}
				b.film(2)
				b.hands = nil
				look()
			}
			if got := b.happened(); !slices.Equal(got, want) {
				rt.Fatalf("%s gave %q, want %q", kind, got, want)
			}
		}
		if len(b.tracker.Copies()) != len(b.cards) {
			rt.Fatalf("%d copies for %d cards", len(b.tracker.Copies()), len(b.cards))
		}
		for c, id := range ids {
			if slices.Contains(b.cards, c) {
				near(b, id, c)
			}
		}
	})
}

// The same frames give the same changes, in whatever order each frame lists
// its cards.
func TestOrderOfObservationsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTable(t)
		b.rng = seeded(rt)
		spread(rt, b, rapid.IntRange(2, 14).Draw(rt, "cards"))
		other := tracker.New(tracker.Options{Layout: layout()})
		shuffle := seeded(rt)
		for range 60 {
			if b.rng.IntN(4) == 0 {
				c := b.cards[b.rng.IntN(len(b.cards))]
				c.centre = c.centre.Add(board.Point{X: b.rng.Float64()*80 - 40, Y: b.rng.Float64()*80 - 40})
				c.down = b.rng.IntN(3) == 0
			}
			v := b.view()
			w := v
			w.Cards = slices.Clone(v.Cards)
			shuffle.Shuffle(len(w.Cards), func(i, j int) { w.Cards[i], w.Cards[j] = w.Cards[j], w.Cards[i] })
			if one, two := tell(b.tracker.Observe(v)), tell(other.Observe(w)); one != two {
				rt.Fatalf("%s\n%s", one, two)
			}
			b.at = b.at.Add(b.step)
		}
	})
}

func tell(changes []board.Change) string {
	s := ""
	for _, c := range changes {
		copy := c.After
		if copy == nil {
			copy = c.Before
		}
		s += fmt.Sprintf("%s %s %v\n", c.Kind, copy.ID, copy.Pose)
	}
	return s
}

// Any views at all, also senseless ones, leave the changes adding up to the
// board, and every id is new or known.
func TestAnyViewsAddUp(t *testing.T) {
	point := rapid.Custom(func(t *rapid.T) board.Point {
		return board.Point{X: rapid.Float64Range(-50, 950).Draw(t, "x"), Y: rapid.Float64Range(-50, 650).Draw(t, "y")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		b := newTable(t)
		places := rapid.SliceOfN(point, 1, 6).Draw(rt, "places")
		for range rapid.IntRange(1, 60).Draw(rt, "frames") {
			v := board.View{At: b.at}
			for range rapid.IntRange(0, 6).Draw(rt, "cards") {
				angle := rapid.SampledFrom([]float64{0, 90, 180, 200}).Draw(rt, "angle")
				o := board.Observation{
					Corners:  board.RectQuad(rapid.SampledFrom(places).Draw(rt, "place"), board.StandardCard(), angle),
					AngleDeg: angle, AngleModulo: rapid.SampledFrom([]float64{0, 180, 360}).Draw(rt, "modulo"),
					Face:       rapid.SampledFrom([]board.Face{board.FaceUp, board.FaceDown, board.FaceUnknown}).Draw(rt, "face"),
					Confidence: rapid.Float64Range(0, 1).Draw(rt, "confidence"),
				}
				if name := rapid.SampledFrom([]board.CardID{"", "a", "b"}).Draw(rt, "name"); name != "" {
					o.Card = &board.CardRef{ID: name}
				}
				v.Cards = append(v.Cards, o)
			}
			if rapid.Bool().Draw(rt, "hand") {
				v.Obscured = []board.Polygon{hand(rapid.Float64Range(0, 900).Draw(rt, "hx"), rapid.Float64Range(0, 600).Draw(rt, "hy"))}
			}
			for _, c := range b.tracker.Observe(v) {
				if c.Before != nil {
					if _, ok := b.board.Copies[c.Before.ID]; !ok {
						rt.Fatalf("%s of %s, which is not on the board", c.Kind, c.Before.ID)
					}
				}
				b.apply(c)
			}
			if got := b.tracker.Board(); fmt.Sprint(got.Copies) != fmt.Sprint(b.board.Copies) {
				rt.Fatal("the changes do not add up to the board")
			}
			b.at = b.at.Add(b.step)
		}
	})
}
