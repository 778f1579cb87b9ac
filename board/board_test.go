package board_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tabletop/board"
)

func TestQuadAngle(t *testing.T) {
	for _, deg := range []float64{0, 1, 44, 90, 135, 180, 270, 359} {
		q := board.RectQuad(board.Point{X: 300, Y: 200}, board.StandardCard(), deg)
		if got := q.AngleDeg(); math.Abs(board.AngleDiff(got, deg)) > 1e-9 {
			t.Errorf("card drawn at %g° reads %g°", deg, got)
		}
		if !q.IsConvex() || math.Abs(q.Area()-63*88) > 1e-6 {
			t.Errorf("card at %g°: convex %v, area %g", deg, q.IsConvex(), q.Area())
		}
	}
}

func TestQuadTurnedIsClockwise(t *testing.T) {
	q := board.RectQuad(board.Point{}, board.Size{Width: 70, Height: 70}, 0)
	for k := -4; k <= 4; k++ {
		want := board.NormalizeDeg(float64(90 * k))
		if got := q.Turned(k).AngleDeg(); math.Abs(board.AngleDiff(got, want)) > 1e-9 {
			t.Errorf("turned %d quarters: %g°, want %g°", k, got, want)
		}
	}
}

func TestNearestTurn(t *testing.T) {
	for angle, want := range map[float64]board.Turn{0: 0, 44.9: 0, 45.1: 90, 90: 90, 181: 180, 269: 270, 315.1: 0, 359: 0, -90: 270} {
		if got := board.NearestTurn(angle); got != want {
			t.Errorf("NearestTurn(%g) = %d, want %d", angle, got, want)
		}
	}
}

func TestTurnJSON(t *testing.T) {
	for in, ok := range map[string]bool{"0": true, "90": true, "270": true, "null": true, "45": false, `"90"`: false} {
		var turn board.Turn
		err := json.Unmarshal([]byte(in), &turn)
		if (err == nil) != ok {
			t.Errorf("%s: error %v, want ok=%v", in, err, ok)
			continue
		}
		if ok {
			if out, _ := json.Marshal(turn); string(out) != in {
				t.Errorf("%s came back as %s", in, out)
			}
		}
	}
}

func TestPointJSONRefusesOtherShapes(t *testing.T) {
	var p board.Point
	for _, in := range []string{"[1]", "[1,2,3]", `{"x":1}`} {
		if json.Unmarshal([]byte(in), &p) == nil {
			t.Errorf("%s was taken for a point", in)
		}
	}
}

func TestHomographyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jitter := rapid.Float64Range(-20, 20)
		from := board.RectQuad(board.Point{X: 500, Y: 400}, board.Size{Width: 600, Height: 400}, rapid.Float64Range(0, 360).Draw(t, "angle"))
		to := board.RectQuad(board.Point{X: 450, Y: 300}, board.Size{Width: 900, Height: 600}, 0)
		for i := range from {
			from[i] = from[i].Add(board.Point{X: jitter.Draw(t, "dx"), Y: jitter.Draw(t, "dy")})
		}
		h, err := board.HomographyFromQuads(from, to)
		if err != nil {
			t.Fatal(err)
		}
		inv, err := h.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		for i := range from {
			if d := h.Apply(from[i]).Distance(to[i]); d > 1e-6 {
				t.Fatalf("corner %d is off by %g", i, d)
			}
		}
		p := board.Point{X: rapid.Float64Range(0, 900).Draw(t, "x"), Y: rapid.Float64Range(0, 600).Draw(t, "y")}
		if d := h.Apply(inv.Apply(p)).Distance(p); d > 1e-6 {
			t.Fatalf("there and back is off by %g", d)
		}
	})
}

func TestHomographyRefusesALine(t *testing.T) {
	line := board.Quad{{X: 0}, {X: 1}, {X: 2}, {X: 3}}
	if _, err := board.HomographyFromQuads(line, board.RectQuad(board.Point{}, board.StandardCard(), 0)); err == nil {
		t.Fatal("four points on a line gave a homography")
	}
}

func TestOverlap(t *testing.T) {
	size := board.Size{Width: 10, Height: 10}
	a := board.RectQuad(board.Point{}, size, 0)
	for name, c := range map[string]struct {
		b    board.Quad
		want float64
	}{
		"same":       {a, 1},
		"half moved": {board.RectQuad(board.Point{X: 5}, size, 0), 1.0 / 3},
		"turned":     {board.RectQuad(board.Point{}, size, 90), 1},
		"apart":      {board.RectQuad(board.Point{X: 50}, size, 30), 0},
		"inside":     {board.RectQuad(board.Point{}, board.Size{Width: 5, Height: 5}, 0), 0.25},
	} {
		if got := a.Overlap(c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: overlap %g, want %g", name, got, c.want)
		}
	}
}

func TestEventJSONRoundTrip(t *testing.T) {
	after := board.Copy{ID: "c17", Card: &board.CardRef{ID: "copper-mine", Name: "Copper Mine"}, State: board.NewState("bowed"),
		Pose: board.Pose{Rotation: 90, Face: board.FaceUp}}
	in := board.Event{Seq: 7, At: time.Date(2026, 5, 1, 12, 0, 0, 1_500_000, time.UTC), Kind: "card.bowed", Card: "c17", After: &after}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var wire map[string]any
	if err := json.Unmarshal(data, &wire); err != nil {
		t.Fatal(err)
	}
	if wire["type"] != "event" || wire["at"] != "2026-05-01T12:00:00.001Z" || wire["card"] != "c17" {
		t.Fatalf("not the contract's form: %s", data)
	}
	var out board.Event
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if out.Seq != 7 || out.Before != nil || !out.After.State.Has("bowed") || out.After.Pose.Rotation != 90 {
		t.Fatalf("came back as %+v", out)
	}
}

func TestBoardApplyFolds(t *testing.T) {
	b := board.NewBoard(board.Layout{})
	c := board.Copy{ID: "c1"}
	f := board.Finding{ID: "f1", Rule: "bow.counter"}
	b.Apply(board.Event{Kind: board.EventPlaced, Card: "c1", After: &c})
	b.Apply(board.Event{Kind: board.EventFindingOpened, Card: "c1", Finding: &f})
	snapshot := b.Clone()
	b.Apply(board.Event{Kind: board.EventFindingEnded, Card: "c1", Finding: &f})
	b.Apply(board.Event{Kind: board.EventRemoved, Card: "c1", Before: &c})
	if len(b.Copies) != 0 || len(b.Findings) != 0 {
		t.Errorf("left over: %+v", b)
	}
	if len(snapshot.Copies) != 1 || len(snapshot.Findings) != 1 {
		t.Errorf("the clone changed with the board: %+v", snapshot)
	}
}

func TestAnEmptyStateIsAnEmptyList(t *testing.T) {
	for name, s := range map[string]board.State{"nil": nil, "no words": board.NewState()} {
		if data, err := json.Marshal(board.Copy{State: s}); err != nil || !strings.Contains(string(data), `"state":[]`) {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}

// The quick way agrees with clipping, whatever the two quads.
func TestIntersection(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	quad := func() board.Quad {
		size := board.Size{Width: 20 + 40*rng.Float64(), Height: 20 + 60*rng.Float64()}
		return board.RectQuad(board.Point{X: 50 * rng.Float64(), Y: 50 * rng.Float64()}, size, 360*rng.Float64())
	}
	for range 500 {
		a, b := quad(), quad()
		want := board.Polygon(a[:]).Clip(b[:]).Area()
		if got := a.Intersection(b); math.Abs(got-want) > 1e-9*a.Area() {
			t.Fatalf("%v and %v have %g in common, by clipping %g", a, b, got, want)
		}
	}
}

// everything is a board on which each part is used.
func everything() board.Board {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	south := board.SeatID("south")
	b := board.NewBoard(board.Layout{})
	b.Copies["c1"] = board.Copy{
		ID: "c1", Card: &board.CardRef{ID: "a", Name: "A"}, State: board.State{"bowed"}, Pose: board.Pose{Face: board.FaceUp},
		Corrected: &board.Correction{Face: board.FaceUp, Owner: &south},
	}
	b.Findings["f1"] = board.Finding{ID: "f1", Rule: "r", Severity: board.SeverityIllegal, Copies: []board.CopyID{"c1"}}
	b.Prompts["p1"] = board.Prompt{ID: "p1", Rule: "r", Message: "m", Copies: []board.CopyID{"c1"}, Params: map[string]string{"a": "b"}}
	expected := b.Copies["c1"]
	b.Game = &board.Game{
		Honor: map[board.SeatID]int{"south": 3}, Battle: &board.Battle{Attacker: "south", Assigned: []board.CopyID{"c1"}},
		Attached: map[board.CopyID]board.CopyID{"c2": "c1"}, Marks: map[board.CopyID]board.State{"c1": {"dead"}},
		Overlays: map[board.CopyID]board.CopyID{"c1": "c2"}, Controllers: map[board.CopyID]board.SeatID{"c1": "north"},
		Removed: []board.CopyID{"c9"}, Barred: []board.Barred{{Copy: "c9"}}, Dismissed: []board.Dismissal{{Copy: "c1", Rule: "r"}},
		Past:      []board.Past{{Action: "a1", Kind: "target", Copies: map[board.CopyID]board.State{"c1": {"in-play"}}}},
		OutOfStep: &board.OutOfStep{Differences: []board.Difference{{Copy: "c1", Expected: &expected, Cause: board.CauseMess, At: at, Text: "t"}}},
	}
	return b
}

func TestBoardsAndEventsGoThroughJSON(t *testing.T) {
	want := everything()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got board.Board
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("through JSON the board becomes\n%+v\nfrom\n%+v", got, want)
	}
	prompt := want.Prompts["p1"]
	event := board.Event{
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kind: board.EventActionDeclared, Prompt: &prompt, Game: want.Game,
		Action: &board.Action{ID: "a1", Kind: "attack", Seat: "south", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		Answer: &board.Answer{Legal: true, Breaches: []board.Breach{}, Effects: []string{"x"}, Lang: "en"},
	}
	if data, err = json.Marshal(event); err != nil {
		t.Fatal(err)
	}
	var back board.Event
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, event) {
		t.Errorf("through JSON the event becomes\n%+v\nfrom\n%+v", back, event)
	}
}

func TestClonesShareNothingChangeable(t *testing.T) {
	b := everything()
	c := b.Clone()
	c.Game.Honor["south"] = 9
	c.Game.Battle.Assigned[0] = "x"
	c.Game.Marks["c1"] = nil
	c.Game.Attached["c2"], c.Game.Overlays["c1"], c.Game.Controllers["c1"] = "x", "x", "x"
	c.Game.Removed[0], c.Game.Barred[0].Copy, c.Game.Dismissed[0].Copy, c.Game.Past[0].Kind = "x", "x", "x", "x"
	c.Game.OutOfStep.Differences[0].Text = "x"
	delete(c.Copies, "c1")
	delete(c.Findings, "f1")
	delete(c.Prompts, "p1")
	if !reflect.DeepEqual(b, everything()) {
		t.Errorf("a change of the clone changed the board: %+v", b)
	}
}

func TestDecisionsThatCloseEndWhatTheyDecide(t *testing.T) {
	for _, d := range board.Decisions() {
		b := everything()
		f, p := b.Findings["f1"], b.Prompts["p1"]
		f.Decision, p.Decision = d, d
		b.Apply(board.Event{Kind: board.EventFindingDecided, Finding: &f})
		b.Apply(board.Event{Kind: board.EventPromptDecided, Prompt: &p})
		_, finding := b.Findings["f1"]
		_, prompt := b.Prompts["p1"]
		if finding == d.Closes() || prompt == d.Closes() {
			t.Errorf("%s: finding open %t, prompt open %t", d, finding, prompt)
		}
	}
}

func TestEventsOntoAnEmptyBoardValue(t *testing.T) {
	var b board.Board
	c := board.Copy{ID: "c1"}
	b.Apply(board.Event{Kind: board.EventPlaced, Card: "c1", After: &c})
	b.Apply(board.Event{Kind: board.EventFindingOpened, Finding: &board.Finding{ID: "f1"}})
	b.Apply(board.Event{Kind: board.EventPromptOpened, Prompt: &board.Prompt{ID: "p1"}})
	if len(b.Copies) != 1 || len(b.Findings) != 1 || len(b.Prompts) != 1 {
		t.Errorf("board %+v", b)
	}
}
