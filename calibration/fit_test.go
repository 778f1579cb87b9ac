package calibration_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/calibration"
)

// game lays cards on a 4 × 3 grid with places and angles of their own.
func game(random *rand.Rand, n int) []board.Quad {
	cards := make([]board.Quad, n)
	for i := range cards {
		centre := board.Point{X: 120 + 220*float64(i%4) + 40*random.Float64(), Y: 100 + 180*float64(i/4%3) + 30*random.Float64()}
		cards[i] = board.RectQuad(centre, board.StandardCard(), 360*random.Float64())
	}
	return cards
}

// seen is what the camera shows of cards, with the detector's noise in pixels.
func seen(plane *calibration.Plane, cards []board.Quad, random *rand.Rand, noise float64) []board.Quad {
	pixels := make([]board.Quad, len(cards))
	for i, q := range cards {
		pixels[i] = q.Map(func(p board.Point) board.Point {
			return plane.Pixel(p).Add(board.Point{X: noise * random.NormFloat64(), Y: noise * random.NormFloat64()})
		})
	}
	return pixels
}

// worstDistance compares distances measured by two planes between places all
// over the table: they are free of where each plane begins.
func worstDistance(truth, fitted *calibration.Plane) float64 {
	var places []board.Point
	for x := 50.0; x <= 850; x += 200 {
		for y := 50.0; y <= 550; y += 125 {
			places = append(places, board.Point{X: x, Y: y})
		}
	}
	worst := 0.0
	for i, a := range places {
		for _, b := range places[:i] {
			d := fitted.MM(truth.Pixel(a)).Distance(fitted.MM(truth.Pixel(b)))
			worst = max(worst, math.Abs(d/a.Distance(b)-1))
		}
	}
	return worst
}

func newPlane(t testing.TB, corners board.Quad, lens *calibration.Lens) *calibration.Plane {
	t.Helper()
	plane, err := calibration.NewPlane(corners, table(), lens)
	if err != nil {
		t.Fatal(err)
	}
	return plane
}

func TestFitCards(t *testing.T) {
	straightDown := board.Quad{{X: 260, Y: 60}, {X: 1660, Y: 60}, {X: 1660, Y: 993}, {X: 260, Y: 993}}
	steep := board.Quad{{X: 520, Y: 200}, {X: 1400, Y: 200}, {X: 1800, Y: 1000}, {X: 120, Y: 1000}}
	sideways := board.Quad{{X: 1500, Y: 40}, {X: 1560, Y: 1060}, {X: 300, Y: 900}, {X: 350, Y: 150}}
	tests := []struct {
		name    string
		corners board.Quad
		lens    *calibration.Lens
		n       int
		noise   float64 // pixels
		share   float64 // allowed error of distances anywhere on the table
	}{
		{"exact", tilted(), nil, 12, 0, 1e-6},
		{"straight down", straightDown, nil, 12, 0.5, 0.005},
		{"tilted", tilted(), nil, 12, 0.5, 0.005},
		{"steep", steep, nil, 12, 0.5, 0.012},
		{"turned by a quarter", sideways, nil, 12, 0.5, 0.006},
		{"lens", tilted(), wideLens(), 12, 0.5, 0.006},
		{"four cards", tilted(), nil, 4, 0.3, 0.08}, // all in one row: the rest of the table is extrapolated
		{"forty cards", tilted(), nil, 40, 1, 0.006},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			truth := newPlane(t, test.corners, test.lens)
			cards := seen(truth, game(random, test.n), random, test.noise)
			// The top may not be known.
			for i := range cards {
				cards[i] = cards[i].Turned(2 * random.IntN(2))
			}
			fit, err := calibration.FitCards(hd(), cards, board.StandardCard(), test.lens)
			if err != nil {
				t.Fatal(err)
			}
			worst := worstDistance(truth, fit.Plane())
			t.Logf("distances off by up to %.3f %%, residual %.3f mm, worst %.3f mm", 100*worst, fit.ResidualMM, fit.WorstMM)
			if worst > test.share {
				t.Errorf("distances are off by up to %.2f %%", 100*worst)
			}
			if len(fit.Used) != test.n || len(fit.Rejected) != 0 {
				t.Errorf("used %v, rejected %v", fit.Used, fit.Rejected)
			}
			if fit.ResidualMM > 1.2*test.noise+1e-9 || fit.WorstMM < fit.ResidualMM {
				t.Errorf("residual %g, worst %g mm", fit.ResidualMM, fit.WorstMM)
			}
		})
	}
}

func TestFitCardsOriginAndUp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	truth := newPlane(t, tilted(), nil)
	fit, err := calibration.FitCards(hd(), seen(truth, game(random, 12), random, 0), board.StandardCard(), nil)
	if err != nil {
		t.Fatal(err)
	}
	middle := board.Point{X: 959.5, Y: 539.5}
	near(t, "middle", fit.Plane().MM(middle), board.Point{}, 1e-6)
	up := fit.Plane().MM(middle.Sub(board.Point{Y: 1}))
	if math.Abs(up.X) > 1e-6 || up.Y >= 0 {
		t.Errorf("up is %v", up)
	}
	// The play area it gives is one that a calibration can be made of, and
	// measures what was asked.
	visible, err := fit.Visible()
	if err != nil {
		t.Fatal(err)
	}
	corners, err := fit.Corners(visible)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range corners {
		if c.X < -1 || c.X > 1920 || c.Y < -1 || c.Y > 1080 {
			t.Errorf("corner %v lies outside the picture", c)
		}
	}
	plane, err := calibration.NewPlane(corners, visible, nil)
	if err != nil {
		t.Fatal(err)
	}
	if worst := worstDistance(truth, plane); worst > 1e-6 {
		t.Errorf("distances are off by %g", worst)
	}
}

func TestFitCardsSetsAsideWhatIsNoFlatCard(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	truth := newPlane(t, tilted(), nil)
	cards := game(random, 12)
	cards[2] = board.RectQuad(board.Point{X: 600, Y: 120}, board.Size{Width: 57, Height: 80}, 20) // the printed frame, not the edge
	cards[7] = board.RectQuad(board.Point{X: 800, Y: 300}, board.Size{Width: 120, Height: 90}, 80)
	pixels := seen(truth, cards, random, 0.4)
	pixels[9][2] = pixels[9][2].Add(board.Point{X: 25, Y: -18}) // a corner taken for another's
	pixels = append(pixels, board.Quad{})
	fit, err := calibration.FitCards(hd(), pixels, board.StandardCard(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fit.Rejected, []int{2, 7, 9, 12}; !slices.Equal(got, want) {
		t.Errorf("rejected %v, want %v", got, want)
	}
	if worst := worstDistance(truth, fit.Plane()); worst > 0.006 {
		t.Errorf("distances are off by up to %.2f %%", 100*worst)
	}
}

func TestFitCardsRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	truth := newPlane(t, tilted(), nil)
	nonsense := make([]board.Quad, 8)
	for i := range nonsense {
		q := game(random, 8)[i]
		for k := range q {
			q[k] = q[k].Add(board.Point{X: 30 * random.Float64(), Y: 30 * random.Float64()})
		}
		nonsense[i] = q
	}
	var corner []board.Quad
	for i := range 3 {
		corner = append(corner, board.RectQuad(board.Point{X: 100 + 70*float64(i), Y: 80}, board.StandardCard(), 0))
	}
	tests := []struct {
		name  string
		cards []board.Quad
		card  board.Size
		want  error
	}{
		{"three in a corner", seen(truth, corner, random, 1), board.StandardCard(), calibration.ErrTooFewCards},
		{"none", nil, board.StandardCard(), calibration.ErrTooFewCards},
		{"two", seen(truth, game(random, 2), random, 0), board.StandardCard(), calibration.ErrTooFewCards},
		{"empty outlines", make([]board.Quad, 5), board.StandardCard(), calibration.ErrTooFewCards},
		{"no rectangles", seen(truth, nonsense, random, 0), board.StandardCard(), calibration.ErrInconsistent},
		{"another proportion", seen(truth, game(random, 12), random, 0), board.Size{Width: 44, Height: 88}, calibration.ErrInconsistent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := calibration.FitCards(hd(), test.cards, test.card, nil)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			t.Log(err)
		})
	}
}

// Whatever camera looks at at least eight cards all over the table, the plane
// found measures the table as the true one does.
func TestFitCardsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := tilted()
		for i := range corners {
			corners[i].X += rapid.Float64Range(-100, 100).Draw(t, "dx")
			corners[i].Y += rapid.Float64Range(-70, 70).Draw(t, "dy")
		}
		truth, err := calibration.NewPlane(corners, table(), nil)
		if err != nil {
			t.Skip("no play area")
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		cards := seen(truth, game(random, rapid.IntRange(8, 20).Draw(t, "n")), random, 0.3)
		fit, err := calibration.FitCards(hd(), cards, board.StandardCard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if worst := worstDistance(truth, fit.Plane()); worst > 0.02 {
			t.Fatalf("distances are off by up to %.2f %%", 100*worst)
		}
	})
}

// Cards that all lie parallel fit a squeezed table on which they all lie across
// as well; that reading must never win.
func TestFitCardsParallel(t *testing.T) {
	truth := newPlane(t, tilted(), nil)
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		cards := make([]board.Quad, 3+random.IntN(4))
		turn := 90 * float64(random.IntN(2))
		for i := range cards {
			centre := board.Point{X: 80 + 740*float64(i)/float64(len(cards)-1), Y: 500}
			cards[i] = board.RectQuad(centre, board.StandardCard(), turn+180*float64(random.IntN(2))+2*random.NormFloat64())
		}
		fit, err := calibration.FitCards(hd(), seen(truth, cards, random, 0.5), board.StandardCard(), nil)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if worst := worstDistance(truth, fit.Plane()); worst > 0.05 {
			t.Errorf("seed %d: distances are off by up to %.1f %%", seed, 100*worst)
		}
	}
}

// Landscape cards among others are seen for what they are.
func TestFitCardsLandscape(t *testing.T) {
	truth := newPlane(t, tilted(), nil)
	random := rand.New(rand.NewPCG(11, 12))
	cards := game(random, 12)
	for _, i := range []int{1, 6, 10} {
		cards[i] = cards[i].Turned(1)
	}
	fit, err := calibration.FitCards(hd(), seen(truth, cards, random, 0.5), board.StandardCard(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if worst := worstDistance(truth, fit.Plane()); worst > 0.006 || len(fit.Rejected) > 0 {
		t.Errorf("distances are off by up to %.2f %%, rejected %v", 100*worst, fit.Rejected)
	}
}

// LengthError is the error there is: over many tables, the largest error at the
// picture's corners is about as large as it says.
func TestFitCardsLengthError(t *testing.T) {
	truth := newPlane(t, tilted(), nil)
	var ratios []float64
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		cards := game(random, 6+random.IntN(7))
		fit, err := calibration.FitCards(hd(), seen(truth, cards, random, 0.5), board.StandardCard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for _, corner := range []board.Point{{X: 0, Y: 0}, {X: 1919, Y: 0}, {X: 1919, Y: 1079}, {X: 0, Y: 1079}} {
			worst = max(worst, math.Abs(math.Log(fit.Plane().MMPerPixel(corner)/truth.MMPerPixel(corner))))
		}
		ratios = append(ratios, worst/fit.LengthError)
	}
	slices.Sort(ratios)
	t.Logf("true error by LengthError: median %.2f, 95 %% below %.2f", ratios[100], ratios[190])
	if median := ratios[100]; median < 0.5 || median > 1.5 {
		t.Errorf("the true error is %.2f times LengthError in the median", median)
	}
	if ratios[190] > 3 {
		t.Errorf("one in twenty true errors is above %.2f times LengthError", ratios[190])
	}
}

func TestFreeCards(t *testing.T) {
	q := board.RectQuad(board.Point{X: 100, Y: 100}, board.StandardCard(), 0)
	free := calibration.FreeCards([]board.Observation{{Corners: q, Visible: 1}, {Corners: q, Visible: 0.95}, {Corners: q, Visible: 0.8}})
	if len(free) != 2 {
		t.Errorf("%d free cards, want 2", len(free))
	}
}

func BenchmarkFitCards40(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	cards := seen(newPlane(b, tilted(), nil), game(random, 40), random, 0.5)
	for b.Loop() {
		if _, err := calibration.FitCards(hd(), cards, board.StandardCard(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDrift(t *testing.T) {
	plane := newPlane(t, tilted(), nil)
	push := func(dx, dy float64) func(board.Point) board.Point {
		return func(p board.Point) board.Point { return p.Add(board.Point{X: dx, Y: dy}) }
	}
	turn := func(deg float64) func(board.Point) board.Point {
		return func(p board.Point) board.Point {
			sin, cos := math.Sincos(deg * math.Pi / 180)
			d := p.Sub(board.Point{X: 960, Y: 540})
			return board.Point{X: 960 + d.X*cos - d.Y*sin, Y: 540 + d.X*sin + d.Y*cos}
		}
	}
	zoom := func(f float64) func(board.Point) board.Point {
		return func(p board.Point) board.Point { return p.Scale(f) }
	}
	same := push(0, 0)
	tests := []struct {
		name   string
		bump   func(board.Point) board.Point // of the picture
		moved  int                           // cards that a player moved
		n      int
		bumped bool
	}{
		{"nothing", same, 0, 12, false},
		{"one card moved", same, 1, 12, false},
		{"four cards moved", same, 4, 12, false},
		{"a nudge below the limit", push(2, 1), 0, 12, false},
		{"pushed", push(14, -9), 0, 12, true},
		{"pushed while a card moved", push(14, -9), 1, 12, true},
		{"turned", turn(2), 0, 12, true},
		{"lowered", zoom(1.08), 0, 12, true},
		{"too few cards to say", push(14, -9), 0, 2, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(9, 10))
			cards := game(random, test.n)
			before := seen(plane, cards, random, 0.4)
			for i := range test.moved {
				way := board.Point{X: 30 * random.Float64(), Y: 30 * random.Float64()}
				cards[i] = cards[i].Map(way.Add)
			}
			now := seen(plane, cards, random, 0.4)
			for i := range now {
				now[i] = now[i].Map(test.bump)
			}
			drift := plane.Drift(before, now, board.StandardCard())
			t.Logf("%+v", drift)
			if drift.Bumped != test.bumped || (drift.Reason != "") != test.bumped {
				t.Errorf("bumped %v, want %v", drift.Bumped, test.bumped)
			}
		})
	}
}
