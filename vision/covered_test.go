package vision_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/vision"
)

// laid renders cards, the last on top, on a small table under good light and
// returns the picture with the truth.
func laid(tb testing.TB, items []tablesim.Item, objects ...tablesim.Object) (gocv.Mat, []tablesim.Truth) {
	tb.Helper()
	level, err := tablesim.LevelByName("easy")
	must(tb, err)
	level.Tables = []tablesim.TableKind{tablesim.TableDarkCloth}
	level.Noise, level.Glare = tablesim.Range{Min: 1, Max: 1}, tablesim.Range{}
	cam := tablesim.Overhead(960, 540, board.Size{Width: 700, Height: 394})
	r, err := tablesim.NewRenderer(simDeck(), level, cam, 5)
	must(tb, err)
	s := tablesim.Scene{Items: items, Objects: objects}
	picture, err := r.Render(s, 1)
	must(tb, err)
	img, err := gocv.ImageToMatRGB(picture)
	must(tb, err)
	tb.Cleanup(func() { img.Close() })
	return img, r.Truth(s)
}

func card(id string, x, y, angle float64) tablesim.Item {
	return tablesim.Item{ID: board.CopyID(id), Card: board.CardID(id), Centre: board.Point{X: x, Y: y}, AngleDeg: angle, Face: board.FaceUp}
}

// Cards that lie free tell the size and the plane, here as on any table.
var besides = []tablesim.Item{card("sake-brewery", 80, 80, 3), card("nameless-bandit", 620, 300, 92)}

func TestFindsCardsUnderOthers(t *testing.T) {
	scanner := deckScanner(t)
	for name, items := range map[string][]tablesim.Item{
		"attachments under a personality, their tops showing": {
			card("sealed-edict", 300, 158, 1), card("lantern-of-the-drowned", 301, 174, 0), card("minasato-okihiro", 300, 190, 359),
		},
		"attachments under a bowed personality": {
			card("reed-spearmen", 332, 201, 91), card("captain-umihara", 316, 200, 89), card("yofukane-sumika", 300, 200, 90),
		},
		"a fan": {
			card("gorozaki-ichiyo", 280, 200, 176), card("old-tetsuzan", 302, 200, 178), card("dusk-riders", 324, 200, 180), card("trained-cranes", 346, 201, 182),
		},
		"one laid across another": {
			card("migration-of-moths", 300, 200, 0), card("temple-guardians", 310, 240, 90),
		},
	} {
		t.Run(name, func(t *testing.T) {
			img, truth := laid(t, slices.Concat(besides, items))
			obs, err := scanner.Scan(context.Background(), img, nil)
			must(t, err)
			if len(obs) != len(truth) {
				t.Errorf("%d answers for %d cards", len(obs), len(truth))
			}
			layer := -1
			for i, tr := range truth {
				k := slices.IndexFunc(obs, func(o board.Observation) bool { return o.Card != nil && o.Card.ID == tr.Card.ID })
				if k < 0 {
					t.Errorf("%s, of which %.0f %% shows, is not found", tr.Card.ID, 100*tr.Visible)
					continue
				}
				o := obs[k]
				if v := o.Corners.Overlap(tr.Corners); v < 0.93 {
					t.Errorf("%s: its outline and the true one share %.2f", tr.Card.ID, v)
				}
				if math.Abs(board.AngleDiff(o.AngleDeg, tr.AngleDeg)) > 2 || o.Rotation != tr.Rotation {
					t.Errorf("%s: angle %.1f, turn %d; want %.1f, %d", tr.Card.ID, o.AngleDeg, o.Rotation, tr.AngleDeg, tr.Rotation)
				}
				if math.Abs(o.Visible-tr.Visible) > 0.08 {
					t.Errorf("%s: %.2f in view, want %.2f", tr.Card.ID, o.Visible, tr.Visible)
				}
				if i < len(besides) {
					if o.Layer != 0 {
						t.Errorf("%s lies alone, in layer %d", tr.Card.ID, o.Layer)
					}
					continue
				}
				if o.Layer <= layer {
					t.Errorf("%s lies in layer %d, the card under it in %d", tr.Card.ID, o.Layer, layer)
				}
				layer = o.Layer
			}
		})
	}
}

// Cards that look alike but for some text are told apart only where it shows.
func TestUnsureOfLookAlikesUnderOthers(t *testing.T) {
	scanner := deckScanner(t)
	for _, pair := range simDeck().LookAlikes() {
		for _, id := range pair {
			img, truth := laid(t, slices.Concat(besides, []tablesim.Item{
				card(string(id), 300, 174, 180), card("minasato-tamesuke", 300, 190, 180),
			}))
			obs, err := scanner.Scan(context.Background(), img, nil)
			must(t, err)
			for _, o := range obs {
				hidden := o.Corners.Overlap(truth[len(besides)].Corners) > 0.9
				if hidden && o.Card != nil && o.Card.ID != id {
					t.Errorf("%s was taken for %s with confidence %.3f", id, o.Card.ID, o.Confidence)
				}
			}
		}
	}
}

// What the pool doesn't hold is never named with confidence by the strip that
// shows of it.
func TestStrangersUnderOthersAreNotNamedForSure(t *testing.T) {
	strangers := []string{"sealed-edict", "lantern-of-the-drowned", "reed-spearmen", "old-tetsuzan", "dusk-riders"}
	scanner := newScanner(t, catalogWithout(t, strangers))
	for _, id := range strangers {
		img, truth := laid(t, slices.Concat(besides, []tablesim.Item{card(id, 300, 172, 0), card("minasato-okihiro", 300, 190, 0)}))
		obs, err := scanner.Scan(context.Background(), img, nil)
		must(t, err)
		for _, o := range obs {
			if o.Card != nil && o.Corners.Overlap(truth[len(besides)].Corners) > 0.5 && o.Card.ID != "minasato-okihiro" && o.Confidence >= 0.9 {
				t.Errorf("%s was taken for %s with confidence %.3f", id, o.Card.ID, o.Confidence)
			}
		}
	}
}

// catalogWithout is the deck without some of its cards.
func catalogWithout(tb testing.TB, without []string) vision.Options {
	tb.Helper()
	d := simDeck()
	var entries []catalog.Entry
	for _, c := range d.Cards() {
		if !slices.Contains(without, string(c.ID)) {
			entries = append(entries, catalog.Entry{Card: c, Face: d.Face(c.ID)})
		}
	}
	cat, err := catalog.New(entries, nil)
	must(tb, err)
	return vision.Options{Catalog: cat}
}
