package calibration_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/calibration"
)

// hd is the picture most tests use.
func hd() calibration.ImageSize { return calibration.ImageSize{Width: 1920, Height: 1080} }

// tilted are the corners of a 900 × 600 mm play area as a tilted camera sees them.
func tilted() board.Quad {
	return board.Quad{{X: 310, Y: 90}, {X: 1604, Y: 75}, {X: 1790, Y: 1010}, {X: 95, Y: 1034}}
}

func table() board.Size { return board.Size{Width: 900, Height: 600} }

func wideLens() *calibration.Lens {
	return &calibration.Lens{FX: 1400, FY: 1400, CX: 955, CY: 548, K1: -0.12, K2: 0.02}
}

func near(t *testing.T, what string, got, want board.Point, tolerance float64) {
	t.Helper()
	if !(got.Distance(want) <= tolerance) {
		t.Errorf("%s: got (%g, %g), want (%g, %g)", what, got.X, got.Y, want.X, want.Y)
	}
}

func TestPlaneTakesCornersToThePlayArea(t *testing.T) {
	for name, lens := range map[string]*calibration.Lens{"no lens": nil, "wide lens": wideLens()} {
		t.Run(name, func(t *testing.T) {
			plane, err := calibration.NewPlane(tilted(), table(), lens)
			if err != nil {
				t.Fatal(err)
			}
			want := board.Quad{{X: 0, Y: 0}, {X: 900, Y: 0}, {X: 900, Y: 600}, {X: 0, Y: 600}}
			for i, corner := range tilted() {
				near(t, "corner", plane.MM(corner), want[i], 1e-6)
				near(t, "back", plane.Pixel(want[i]), corner, 1e-6)
			}
		})
	}
}

func TestPlaneRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := tilted()
		for i := range q {
			q[i].X += rapid.Float64Range(-90, 90).Draw(t, "dx")
			q[i].Y += rapid.Float64Range(-60, 60).Draw(t, "dy")
		}
		var lens *calibration.Lens
		if rapid.Bool().Draw(t, "lens") {
			lens = wideLens()
			lens.K1 = rapid.Float64Range(-0.15, 0.15).Draw(t, "k1")
		}
		plane, err := calibration.NewPlane(q, table(), lens)
		if err != nil {
			t.Fatal(err)
		}
		mm := board.Point{X: rapid.Float64Range(0, 900).Draw(t, "x"), Y: rapid.Float64Range(0, 600).Draw(t, "y")}
		pixel := plane.Pixel(mm)
		if d := plane.MM(pixel).Distance(mm); !(d < 1e-5) {
			t.Fatalf("%v came back %g mm away", mm, d)
		}
		// One pixel at that place spans what MMPerPixel says: compared with a
		// small square on the table.
		side := 0.05
		square := board.RectQuad(mm, board.Size{Width: side, Height: side}, 0).Map(plane.Pixel)
		want := side / math.Sqrt(square.Area())
		if got := plane.MMPerPixel(pixel); math.Abs(got-want) > 0.01*want {
			t.Fatalf("MMPerPixel %g, want %g", got, want)
		}
	})
}

func TestPlaneRefusesImpossibleCorners(t *testing.T) {
	q := tilted()
	tests := []struct {
		name    string
		corners board.Quad
		size    board.Size
		want    string
	}{
		{"anticlockwise", board.Quad{q[0], q[3], q[2], q[1]}, table(), "anticlockwise"},
		{"crossed", board.Quad{q[0], q[2], q[1], q[3]}, table(), "crosses itself"},
		{"same place", board.Quad{q[0], q[1], q[1], q[3]}, table(), "corners 2 and 3 are the same place"},
		{"on a line", board.Quad{{X: 0, Y: 0}, {X: 500, Y: 0.4}, {X: 1000, Y: 1}, {X: 0, Y: 800}}, table(), "almost on one line"},
		{"dart", board.Quad{q[0], q[1], {X: 700, Y: 300}, q[3]}, table(), "inside the triangle"},
		{"not a number", board.Quad{q[0], q[1], {X: math.NaN(), Y: 1}, q[3]}, table(), "corner 3 is no place"},
		{"no size", q, board.Size{Width: 900}, "must be greater than 0 mm"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := calibration.NewPlane(test.corners, test.size, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if test.size == table() && !errors.Is(err, calibration.ErrCorners) {
				t.Errorf("%v is not ErrCorners", err)
			}
		})
	}
}

func TestToTable(t *testing.T) {
	plane, err := calibration.NewPlane(tilted(), table(), wideLens())
	if err != nil {
		t.Fatal(err)
	}
	lies := board.RectQuad(board.Point{X: 120, Y: 480}, board.StandardCard(), 87)
	hand := board.Polygon{{X: 300, Y: 200}, {X: 500, Y: 210}, {X: 420, Y: 400}}
	seenHand := make(board.Polygon, len(hand))
	for i, p := range hand {
		seenHand[i] = plane.Pixel(p)
	}
	seen := lies.Map(plane.Pixel)
	// A quad across the horizon can't be a card on the table.
	horizon := board.Quad{{X: 0, Y: -1e6}, {X: 10, Y: -1e6}, {X: 10, Y: 0}, {X: 0, Y: 0}}
	view := board.View{
		Frame: 7, At: time.Unix(1, 0),
		Cards: []board.Observation{
			{Corners: seen, AngleDeg: seen.AngleDeg(), Rotation: board.NearestTurn(seen.AngleDeg()), Confidence: 0.9},
			{Corners: seen, AngleDeg: seen.AngleDeg(), AngleModulo: 180, Rotation: board.TurnUnknown},
			{Corners: horizon},
		},
		Obscured: []board.Polygon{seenHand},
	}
	got := plane.ToTable(view)
	if got.Frame != 7 || !got.At.Equal(view.At) || len(got.Cards) != 2 {
		t.Fatalf("got %+v", got)
	}
	for i, c := range got.Cards[0].Corners {
		near(t, "corner", c, lies[i], 1e-6)
	}
	if d := board.AngleDiff(got.Cards[0].AngleDeg, 87); math.Abs(d) > 1e-6 {
		t.Errorf("angle %g, want 87", got.Cards[0].AngleDeg)
	}
	if got.Cards[0].Rotation != 90 || got.Cards[1].Rotation != board.TurnUnknown || got.Cards[1].AngleModulo != 180 {
		t.Errorf("rotations %v, %v", got.Cards[0].Rotation, got.Cards[1].Rotation)
	}
	if got.Cards[0].Confidence != 0.9 {
		t.Error("the rest of the observation is lost")
	}
	for i, p := range got.Obscured[0] {
		near(t, "obscured", p, hand[i], 1e-6)
	}
	if view.Cards[0].Corners != seen || view.Obscured[0][0] != seenHand[0] {
		t.Error("the given view was changed")
	}
}

func TestLens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lens := *wideLens()
		lens.K1 = rapid.Float64Range(-0.2, 0.3).Draw(t, "k1")
		lens.K2 = rapid.Float64Range(-0.02, 0.05).Draw(t, "k2")
		if lens.Check(hd()) != nil {
			t.Skip("bends too much")
		}
		p := board.Point{X: rapid.Float64Range(0, 1919).Draw(t, "x"), Y: rapid.Float64Range(0, 1079).Draw(t, "y")}
		if d := lens.Distort(lens.Undistort(p)).Distance(p); !(d < 1e-6) {
			t.Fatalf("%v came back %g pixels away", p, d)
		}
	})
	for name, bad := range map[string]calibration.Lens{
		"no focal length": {CX: 960, CY: 540},
		"bends back":      {FX: 900, FY: 900, CX: 960, CY: 540, K1: -0.4},
		"not a number":    {FX: math.NaN(), FY: 900},
	} {
		if err := bad.Check(hd()); !errors.Is(err, calibration.ErrLens) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDefaultLayout(t *testing.T) {
	for _, game := range calibration.Games() {
		layout, err := calibration.DefaultLayout(game)
		if err != nil {
			t.Fatal(err)
		}
		// The file's own checks hold for it, zones do not overlap, each holds
		// an upright card, and north's are south's seen from across.
		c := calibration.Calibration{Image: hd(), Corners: tilted(), PlayArea: layout.Size, Seats: layout.Seats, Zones: layout.Zones}
		data, err := c.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := calibration.Parse("default", data); err != nil {
			t.Error(err)
		}
		for i, z := range layout.Zones {
			box := board.Quad{z.Outline[0], z.Outline[1], z.Outline[2], z.Outline[3]}
			w, h := box.Edges()
			if w*layout.Size.Width < 63+10 || h*layout.Size.Height < 88+10 {
				t.Errorf("%s is too small for a card", z.ID)
			}
			for _, other := range layout.Zones[:i] {
				if a := z.Outline.Clip(other.Outline).Area(); a > 1e-9 {
					t.Errorf("%s and %s overlap", z.ID, other.ID)
				}
			}
			if north, ok := strings.CutPrefix(string(z.ID), "north."); ok {
				south, ok := layout.Zone(board.ZoneID("south." + north))
				if !ok {
					t.Fatalf("no south.%s", north)
				}
				near(t, string(z.ID), z.Outline[0].Add(south.Outline[0]), board.Point{X: 1, Y: 1}, 1e-9)
			}
		}
		for _, id := range []board.ZoneID{"battlefield", "south.home", "north.home", "south.province1", "north.province4", "south.fate-deck", "south.dynasty-discard"} {
			if _, ok := layout.Zone(id); !ok {
				t.Errorf("no zone %s", id)
			}
		}
	}
	if _, err := calibration.DefaultLayout("poker"); err == nil || !strings.Contains(err.Error(), "l5r-emperor") {
		t.Errorf("got %v", err)
	}
}
