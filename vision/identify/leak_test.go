//go:build matprofile

package identify_test

import (
	"math/rand/v2"
	"testing"

	"gocv.io/x/gocv"
)

// Run with the tag matprofile added to the usual ones.
func TestNoMatIsLeaked(t *testing.T) {
	d := simDeck()
	ix := fullIndex(t)
	rng := rand.New(rand.NewPCG(11, 1))
	frame, _, outline := randomShot(rng, 200).take(t, rng, d.Face(d.Cards()[0].ID), nil)
	before := gocv.MatProfile.Count()
	for range 10 {
		if _, err := ix.Identify(frame, outline); err != nil {
			t.Fatal(err)
		}
	}
	if after := gocv.MatProfile.Count(); after != before {
		t.Errorf("%d Mats before, %d after", before, after)
	}
}
