package detect

import (
	"math"
	"testing"

	"tabletop/board"
)

// Directions are told to about a 256th of a turn, whatever the gradient's length.
func TestDirection(t *testing.T) {
	for _, length := range []float64{9, 60, 127, 128, 500, 1020} {
		for deg := 0.0; deg < 360; deg += 0.7 {
			sin, cos := math.Sincos(deg * math.Pi / 180)
			dx, dy := int32(math.Round(length*cos)), int32(math.Round(length*sin))
			got := direction(dx, dy)
			if got == 0 {
				t.Fatalf("%d,%d has no direction", dx, dy)
			}
			want := math.Atan2(float64(dy), float64(dx)) * 180 / math.Pi
			if off := math.Abs(board.AngleDiff(float64(got)*360/256, want)); off > 1.2*360/256 { // no direction is 0, which stands for no edge
				t.Errorf("%d,%d: off by %.2f°", dx, dy, off)
			}
		}
	}
}

// An edge along a direction is one against it as well.
func TestAlong(t *testing.T) {
	for _, c := range []struct {
		dir, other uint8
		want       bool
	}{{10, 10, true}, {25, 10, true}, {26, 10, false}, {138, 10, true}, {123, 10, true}, {122, 10, false}, {250, 5, true}, {245, 5, false}} {
		if got := along(c.dir, c.other, 15); got != c.want {
			t.Errorf("%d along %d: %v", c.dir, c.other, got)
		}
	}
}

// Steps are told to 3 %, and larger ones have larger numbers.
func TestMagnitudes(t *testing.T) {
	last := uint8(0)
	for step := 1.0; step < 170; step *= 1.01 {
		i := magIndex(int32(math.Round(square(step / sobelUnit))))
		if i < last {
			t.Fatalf("a step of %.2f has number %d, a smaller one %d", step, i, last)
		}
		last = i
		if ratio(magnitudes[i], step) > 1.03 {
			t.Errorf("a step of %.2f reads %.2f", step, magnitudes[i])
		}
	}
}

func TestQuadSet(t *testing.T) {
	var s quadSet
	for round := range 2 {
		s.clear()
		const n = 5000
		for i := range n {
			k := [8]int16{int16(i), int16(i >> 3), 7, -int16(i)}
			if number, dup := s.find(k, i); dup || number != i {
				t.Fatalf("round %d: key %d is new, got %d, %v", round, i, number, dup)
			}
		}
		for i := range n {
			k := [8]int16{int16(i), int16(i >> 3), 7, -int16(i)}
			if number, dup := s.find(k, n); !dup || number != i {
				t.Fatalf("round %d: key %d was given, got %d, %v", round, i, number, dup)
			}
		}
	}
}
