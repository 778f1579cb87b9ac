package script_test

import (
	"math"
	"testing"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/internal/tablesim/script"
)

// The simulated table is the one that the scanner offers to begin with, so
// that a script's zones are those of a newly calibrated table.
func TestLayoutIsTheScannersDefault(t *testing.T) {
	want, err := calibration.DefaultLayout("l5r-emperor")
	if err != nil {
		t.Fatal(err)
	}
	got, err := script.Layout(script.DefaultSize(), "south", "north")
	if err != nil {
		t.Fatal(err)
	}
	if got.Size != want.Size || len(got.Zones) != len(want.Zones) || len(got.Seats) != len(want.Seats) {
		t.Fatalf("%v with %d zones, want %v with %d", got.Size, len(got.Zones), want.Size, len(want.Zones))
	}
	for _, s := range want.Seats {
		if have, ok := got.Seat(s.ID); !ok || have != s {
			t.Errorf("seat %s is %+v, want %+v", s.ID, have, s)
		}
	}
	for _, z := range want.Zones {
		have, ok := got.Zone(z.ID)
		if !ok || have.Kind != z.Kind || have.Seat != z.Seat || !sameOutline(have.Outline, z.Outline) {
			t.Errorf("zone %s is %+v, want %+v", z.ID, have, z)
		}
	}
}

func sameOutline(a, b board.Polygon) bool {
	for i := range a {
		if len(a) != len(b) || math.Abs(a[i].X-b[i].X) > 1e-6 || math.Abs(a[i].Y-b[i].Y) > 1e-6 {
			return false
		}
	}
	return true
}
