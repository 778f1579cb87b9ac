package calibration_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tabletop/board"
	"tabletop/calibration"
)

// On photographs of cards with labels drawn by hand, which are good to about
// 2 px, the plane found makes every card a card.
func TestFitCardsOfPhotos(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "photos", "tm")
	for _, photo := range []string{"alpha_deck", "black", "lands_and_fatties", "geyser_twister_fireball"} {
		t.Run(photo, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, photo+".json"))
			if os.IsNotExist(err) {
				t.Skip("the photos are not here: " + dir)
			}
			if err != nil {
				t.Fatal(err)
			}
			var labels struct {
				Width, Height int
				Cards         []struct{ Corners board.Quad }
			}
			if err := json.Unmarshal(data, &labels); err != nil {
				t.Fatal(err)
			}
			var cards []board.Quad
			for _, c := range labels.Cards {
				cards = append(cards, c.Corners)
			}
			fit, err := calibration.FitCards(calibration.ImageSize{Width: labels.Width, Height: labels.Height}, cards, board.StandardCard(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("residual %.2f mm, worst %.2f mm", fit.ResidualMM, fit.WorstMM)
			if len(fit.Used) != len(cards) || fit.ResidualMM > 1 {
				t.Errorf("%d of %d cards used, residual %.2f mm", len(fit.Used), len(cards), fit.ResidualMM)
			}
			for i, c := range cards {
				mm := c.Map(fit.Plane().MM)
				if side := math.Sqrt(mm.Area()); math.Abs(side/math.Sqrt(63*88)-1) > 0.025 {
					t.Errorf("card %d measures %.1f mm² of 5544", i, mm.Area())
				}
			}
		})
	}
}
