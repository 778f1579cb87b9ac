package orientation_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/orientation"
)

const unknown = board.TurnUnknown

func TestTurnOf(t *testing.T) {
	for _, c := range []struct {
		name              string
		angle, modulo, up float64
		want              board.Turn
	}{
		{"upright for the near player", 0, 360, 0, 0},
		{"a little left of upright", 359, 360, 0, 0},
		{"bowed", 90, 360, 0, 90},
		{"bowed carelessly", 118, 360, 0, 90},
		{"dishonorable", 180, 360, 0, 180},
		{"bowed and dishonorable", 270, 360, 0, 270},
		{"modulo left out means the top is known", 90, 0, 0, 90},
		{"upright for the player opposite", 180, 360, 180, 0},
		{"bowed for the player opposite", 270, 360, 180, 90},
		{"a seat at the side", 90, 360, 90, 0},
		{"half way", 45, 360, 0, unknown},
		{"nearly half way, from below", 36, 360, 0, unknown},
		{"nearly half way, from above", 54, 360, 0, unknown},
		{"last angle that is clear", 35, 360, 0, 0},
		{"first angle that is clear again", 55, 360, 0, 90},
		{"half way round the other side", 315, 360, 0, unknown},
		{"a back that is the same both ways", 90, 180, 0, unknown},
		{"a square token", 90, 90, 0, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := orientation.TurnOf(c.angle, c.modulo, c.up); got != c.want {
				t.Errorf("TurnOf(%v, %v, %v) = %v, want %v", c.angle, c.modulo, c.up, got, c.want)
			}
		})
	}
}

func TestQuarterHysteresis(t *testing.T) {
	for _, c := range []struct {
		name   string
		angles []float64
		want   []board.Turn
	}{
		{"wobbles about the border and stays", []float64{0, 44, 46, 44, 49, 43}, []board.Turn{0, 0, 0, 0, 0, 0}},
		{"turns slowly from upright to bowed", []float64{0, 30, 50, 51, 54, 55, 90}, []board.Turn{0, 0, 0, unknown, unknown, 90, 90}},
		{"and keeps the new turn on the way back", []float64{90, 41, 40, 39, 36, 35}, []board.Turn{90, 90, 90, unknown, unknown, 0}},
		{"jumps", []float64{0, 180, 90, 270}, []board.Turn{0, 180, 90, 270}},
		{"over north", []float64{350, 10, 312, 308, 300}, []board.Turn{0, 0, 0, unknown, 270}},
		{"first seen between, has no turn to keep", []float64{44, 40, 34}, []board.Turn{unknown, unknown, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var q orientation.Quarter
			var got []board.Turn
			for _, a := range c.angles {
				q = q.Observe(a, 360)
				got = append(got, q.Turn())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v\n gave %v\n want %v", c.angles, got, c.want)
			}
		})
	}
}

func TestAxisOfASymmetricBack(t *testing.T) {
	var q orientation.Quarter
	if q.Turn() != unknown || q.Axis() != orientation.AxisUnknown {
		t.Fatalf("the zero Quarter knows %v, %v", q.Turn(), q.Axis())
	}
	for _, step := range []struct {
		angle, modulo float64
		turn          board.Turn
		axis          orientation.Axis
	}{
		{181, 360, 180, orientation.AxisAlong},
		{1, 180, unknown, orientation.AxisAlong}, // flipped: the axis stays, the turn can't be told
		{179, 180, unknown, orientation.AxisAlong},
		{48, 180, unknown, orientation.AxisAlong}, // hysteresis holds for the axis too
		{52, 180, unknown, orientation.AxisUnknown},
		{88, 180, unknown, orientation.AxisAcross},
		{42, 180, unknown, orientation.AxisAcross},
		{270, 360, 270, orientation.AxisAcross}, // face up again
		{270, 90, unknown, orientation.AxisUnknown},
	} {
		q = q.Observe(step.angle, step.modulo)
		if q.Turn() != step.turn || q.Axis() != step.axis {
			t.Errorf("after %v modulo %v: turn %v axis %v, want %v and %v", step.angle, step.modulo, q.Turn(), q.Axis(), step.turn, step.axis)
		}
	}
}

func TestFace(t *testing.T) {
	const up, down, none = board.FaceUp, board.FaceDown, board.FaceUnknown
	for _, c := range []struct {
		name       string
		seen, want []board.Face
	}{
		{"nothing seen", []board.Face{none, none}, []board.Face{none, none}},
		{"first face is taken", []board.Face{none, down}, []board.Face{none, down}},
		{"one odd frame changes nothing", []board.Face{up, down, up, down, up}, []board.Face{up, up, up, up, up}},
		{"two running do", []board.Face{up, down, down, down}, []board.Face{up, up, down, down}},
		{"a poor view does not count", []board.Face{up, none, none, none}, []board.Face{up, up, up, up}},
		{"nor breaks a run", []board.Face{up, down, none, down}, []board.Face{up, up, up, down}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f orientation.Face
			var got []board.Face
			for _, s := range c.seen {
				f = f.Observe(s)
				got = append(got, f.Is())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v\n gave %v\n want %v", c.seen, got, c.want)
			}
		})
	}
}

func TestUnfold(t *testing.T) {
	for _, c := range []struct {
		name                string
		angle, modulo, near float64
		want                float64
	}{
		{"known in full", 10, 360, 190, 10},
		{"modulo left out", 10, 0, 190, 10},
		{"the other way round", 10, 180, 185, 190},
		{"as it is", 10, 180, 5, 10},
		{"over north", 179, 180, 0, 359},
		{"a square", 85, 90, 181, 175},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := orientation.Unfold(c.angle, c.modulo, c.near); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("Unfold(%v, %v, %v) = %v, want %v", c.angle, c.modulo, c.near, got, c.want)
			}
		})
	}
}

var anyAngle = rapid.Float64Range(-720, 720)

// A turn that is known is never further away than KeepDeg, and within TakeDeg
// there always is one, whatever was seen before.
func TestQuarterBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q orientation.Quarter
		for _, a := range rapid.SliceOfN(anyAngle, 1, 30).Draw(t, "angles") {
			q = q.Observe(a, 360)
			nearest := orientation.Diff(a, float64(board.NearestTurn(a)), 360)
			if q.Turn().Known() {
				if d := orientation.Diff(a, float64(q.Turn()), 360); d > orientation.KeepDeg {
					t.Fatalf("%v read as %v, %v away", a, q.Turn(), d)
				}
			} else if nearest <= orientation.TakeDeg {
				t.Fatalf("%v is %v from a turn and has none", a, nearest)
			}
		}
	})
}

// Noise smaller than half the hysteresis never makes a turn flicker: after the
// first change there is no way back for the same true angle.
func TestQuarterDoesNotFlicker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := anyAngle.Draw(t, "truth")
		noise := rapid.SliceOfN(rapid.Float64Range(-7.4, 7.4), 2, 40).Draw(t, "noise")
		var q orientation.Quarter
		before := q.Observe(float64(rapid.SampledFrom([]int{0, 90, 180, 270}).Draw(t, "before")), 360)
		q = before
		var last []board.Turn
		for _, n := range noise {
			q = q.Observe(truth+n, 360)
			if len(last) == 0 || last[len(last)-1] != q.Turn() {
				last = append(last, q.Turn())
			}
		}
		known := slices.DeleteFunc(last, func(t board.Turn) bool { return !t.Known() })
		if len(slices.Compact(known)) > 2 {
			t.Fatalf("true angle %v read as %v, coming from %v", truth, last, before.Turn())
		}
	})
}

// Turning table, card and seat together changes nothing.
func TestTurnOfIsRelative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, up := float64(rapid.IntRange(0, 359).Draw(t, "angle")), float64(rapid.IntRange(0, 359).Draw(t, "up"))
		by := float64(rapid.IntRange(-360, 360).Draw(t, "by"))
		if got, want := orientation.TurnOf(a+by, 360, up+by), orientation.TurnOf(a, 360, up); got != want {
			t.Fatalf("turned by %v: %v, before: %v", by, got, want)
		}
	})
}

// Unfolding stays in the class of the angle and lands within half the modulus
// of where it was asked to.
func TestUnfoldIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, near := anyAngle.Draw(t, "angle"), anyAngle.Draw(t, "near")
		modulo := rapid.SampledFrom([]float64{90, 180}).Draw(t, "modulo")
		got := orientation.Unfold(a, modulo, near)
		if d := orientation.Diff(got, a, modulo); d > 1e-9 {
			t.Fatalf("%v is not %v modulo %v", got, a, modulo)
		}
		if d := orientation.Diff(got, near, 360); d > modulo/2+1e-9 {
			t.Fatalf("%v is %v away from %v", got, d, near)
		}
	})
}
