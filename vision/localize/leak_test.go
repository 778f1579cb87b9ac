//go:build matprofile

package localize_test

import (
	"context"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/localize"
)

// Run with the tag matprofile added to the usual ones.
func TestNoMatIsLeaked(t *testing.T) {
	img, _, plane := scene(t, 505)
	cat, err := fullDeck()
	must(t, err)
	before := gocv.MatProfile.Count()
	f, err := localize.New(cat, board.Size{})
	must(t, err)
	for range 3 {
		_, err := f.Find(context.Background(), img, plane, nil, bounds(img))
		must(t, err)
	}
	must(t, f.Close())
	if after := gocv.MatProfile.Count(); after != before {
		t.Errorf("%d Mats before, %d after", before, after)
	}
}
