//go:build matprofile

package vision_test

import (
	"context"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/vision"
)

// Run with the tag matprofile added to the usual ones.
func TestNoMatIsLeaked(t *testing.T) {
	img, _ := scene(t, "easy", 203)
	cat, err := fullDeck()
	must(t, err)
	before := gocv.MatProfile.Count()
	s, err := vision.New(vision.Options{Catalog: cat})
	must(t, err)
	for range 3 {
		obs, err := s.Scan(context.Background(), img, nil)
		must(t, err)
		must(t, vision.Annotate(&img, obs))
	}
	must(t, s.Close())
	if after := gocv.MatProfile.Count(); after != before {
		t.Errorf("%d Mats before, %d after", before, after)
	}
}
