package vision_test

import (
	"context"
	"fmt"
	"image"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision"
)

// pool is the deck and, up to size cards, paintings under other names, as the
// decks of both players are.
func pool(tb testing.TB, size int) *catalog.Catalog {
	tb.Helper()
	d := simDeck()
	var entries []catalog.Entry
	for _, c := range d.Cards() {
		entries = append(entries, catalog.Entry{Card: c, Face: d.Face(c.ID)})
	}
	for i := len(entries); i < size; i++ {
		entries = append(entries, catalog.Entry{
			Card: board.Card{ID: board.CardID(fmt.Sprintf("painting-%d", i))},
			Face: deck.Painting(uint64(i), 250, 350),
		})
	}
	cat, err := catalog.New(entries[:size], nil)
	must(tb, err)
	return cat
}

// BenchmarkScanWholeFrame is a frame from nothing: 1920×1080, 40 cards, a pool
// of 120.
func BenchmarkScanWholeFrame(b *testing.B) {
	level, err := tablesim.LevelByName("easy")
	must(b, err)
	level.Tables = []tablesim.TableKind{tablesim.TableDarkCloth}
	level.CardPx = tablesim.Range{Min: 100, Max: 100}
	level.Layout.Cards = tablesim.Range{Min: 40, Max: 40}
	level.Layout.FaceDown = 0
	cam := level.Camera(1920, 1080, 7)
	r, err := tablesim.NewRenderer(simDeck(), level, cam, 7)
	must(b, err)
	picture, err := r.Render(tablesim.RandomScene(simDeck(), level, cam, 7), 1)
	must(b, err)
	img, err := gocv.ImageToMatRGB(picture)
	must(b, err)
	defer img.Close()
	s := newScanner(b, vision.Options{Catalog: pool(b, 120)})
	var named int
	for b.Loop() {
		obs, err := s.Scan(context.Background(), img, []image.Rectangle{image.Rect(0, 0, 1920, 1080)})
		must(b, err)
		named = 0
		for _, o := range obs {
			if o.Card != nil {
				named++
			}
		}
	}
	b.ReportMetric(float64(named), "named")
}
