package script_test

import (
	"testing"
	"time"

	"tabletop/internal/tablesim/script"
)

func TestMatchesCanBePlayed(t *testing.T) {
	for seed := range uint64(20) {
		text, err := script.MatchText(theDeck(), seed, 2*time.Minute)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := script.MatchText(theDeck(), seed, 2*time.Minute)
		if err != nil || again != text {
			t.Errorf("seed %d: another match the second time (%v)", seed, err)
		}
		g, err := script.Parse("match", text, theDeck())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if g.Length < 2*time.Minute-2*time.Second || g.Length > 2*time.Minute+10*time.Second || g.Acts < 20 {
			t.Errorf("seed %d: %d acts in %v", seed, g.Acts, g.Length)
		}
		var hands int
		const step = 100 * time.Millisecond
		for at := time.Duration(0); at < g.Length; at += step {
			if len(g.Scene(at).Hands) > 0 {
				hands++
			}
		}
		if share := float64(hands) * float64(step) / float64(g.Length); share < 0.28 || share > 0.42 {
			t.Errorf("seed %d: hands are in view %.0f %% of the time", seed, 100*share)
		}
	}
}
