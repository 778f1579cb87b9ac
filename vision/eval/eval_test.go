package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/eval"
)

var cardSize = board.Size{Width: 60, Height: 100}

// steppingClock moves on by step at each reading.
type steppingClock struct {
	now  time.Time
	step time.Duration
}

func (c *steppingClock) Now() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

// answers is a scanner that says what it is told to, picture by picture.
type answers struct {
	list [][]board.Observation
	next int
	err  error
}

func (a *answers) Scan(context.Context, gocv.Mat, []image.Rectangle) ([]board.Observation, error) {
	if a.err != nil {
		return nil, a.err
	}
	a.next++
	return a.list[a.next-1], nil
}

func blank() (gocv.Mat, error) { return gocv.NewMatWithSize(8, 8, gocv.MatTypeCV8UC3), nil }

func cases(list ...eval.Case) eval.Cases {
	return func(yield func(eval.Case, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func turn(t board.Turn) *board.Turn { return &t }

// label is a card at x, y; shift moves the answer for it.
func label(id board.CardID, x, y float64, t board.Turn, visible float64) eval.Card {
	q := board.RectQuad(board.Point{X: x, Y: y}, cardSize, float64(t))
	return eval.Card{Corners: &q, AngleDeg: float64(t), Rotation: turn(t), Face: board.FaceUp, ID: id, Visible: visible}
}

func answer(id board.CardID, x, y, angle, confidence float64) board.Observation {
	o := board.Observation{Corners: board.RectQuad(board.Point{X: x, Y: y}, cardSize, angle), AngleDeg: angle, AngleModulo: 360,
		Rotation: board.NearestTurn(angle), Face: board.FaceUp, Confidence: confidence, Visible: 1}
	if id != "" {
		o.Card = &board.CardRef{ID: id}
	}
	return o
}

func run(t *testing.T, truth []eval.Truth, seen [][]board.Observation, options ...eval.Option) eval.Report {
	t.Helper()
	var list []eval.Case
	for i, tr := range truth {
		list = append(list, eval.Case{Source: "made-up", Name: string(rune('a' + i)), Image: blank, Truth: tr})
	}
	r, err := eval.Run(context.Background(), &answers{list: seen}, cases(list...), options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Six labels, one of them nearly hidden; the answers: one right, one with the
// wrong name, one turned wrongly and unnamed, one missed, one strip right, one
// on the hidden card, one where nothing lies.
func TestFiguresKnownByHand(t *testing.T) {
	truth := eval.Truth{Cards: []eval.Card{
		label("right", 100, 100, 0, 1),
		label("misnamed", 200, 100, 0, 1),
		label("misturned", 300, 100, 0, 0.95),
		label("missed", 400, 100, 90, 0.5),
		label("strip", 500, 100, 270, 0.2),
		label("hidden", 600, 100, 0, 0.05),
	}}
	seen := []board.Observation{
		answer("right", 101, 100, 0, 0.95),
		answer("other", 200, 102, 0, 0.92),
		answer("", 300, 100, 180, 0.55),
		answer("strip", 500, 100, 273, 0.35),
		answer("whatever", 600, 100, 0, 0.9),
		answer("ghost", 800, 300, 0, 0.15),
	}
	r := run(t, []eval.Truth{truth}, [][]board.Observation{seen}, eval.WithClock(&steppingClock{step: 40 * time.Millisecond}))
	a := r.All
	if a.Cards != 5 || a.Recall != (eval.Share{N: 4, Of: 5}) || a.Precision != (eval.Share{N: 4, Of: 5}) {
		t.Errorf("cards %d, recall %v, precision %v", a.Cards, a.Recall, a.Precision)
	}
	if a.Turn != (eval.Answer{Right: 3, Wrong: 1}) || a.Face != (eval.Answer{Right: 4}) {
		t.Errorf("turn %+v, face %+v", a.Turn, a.Face)
	}
	if a.ID != (eval.Answer{Right: 2, Unsure: 2, Wrong: 1}) {
		t.Errorf("id %+v", a.ID)
	}
	if a.WrongIDs != 2 || a.WrongIDRate != (eval.Share{N: 2, Of: 4}) {
		t.Errorf("wrong ids %d, rate %v: the misnamed card and the ghost's name", a.WrongIDs, a.WrongIDRate)
	}
	strip := cardSize.Width*cardSize.Width + cardSize.Height*cardSize.Height
	stripError := 2 * math.Sqrt(strip) / 2 * math.Sin(1.5*math.Pi/180) // each corner moves along a chord of 3°
	if got := a.CornerPX; got.Median != 1 || math.Abs(got.P95-stripError) > 1e-9 {
		t.Errorf("corner error %+v, want the errors 0, 1, 2 and %.2f px", got, stripError)
	}
	if got := a.CornerPercent.Median; math.Abs(got-1) > 1e-9 {
		t.Errorf("corner error %g %% of a height of 100 px, want 1", got)
	}
	if got := a.Angle; got.Median != 0 || math.Abs(got.P95-3) > 1e-9 {
		t.Errorf("angle error %+v, want 0, 0 and 3 (a wrong turn is none)", got)
	}
	if r.Time != (eval.Spread{Median: 40, P95: 40}) {
		t.Errorf("time %+v", r.Time)
	}
	var recalls []eval.Share
	for _, g := range r.ByVisible {
		recalls = append(recalls, g.Recall)
	}
	if recalls[0] != (eval.Share{N: 3, Of: 3}) || recalls[1] != (eval.Share{N: 0, Of: 1}) || recalls[2] != (eval.Share{N: 1, Of: 1}) {
		t.Errorf("recall by visible share: %v", recalls)
	}
	for question, want := range map[eval.Question]map[float64]eval.Share{
		eval.QuestionAll:       {0.95: {N: 1, Of: 1}, 0.9: {N: 0, Of: 1}, 0.5: {N: 0, Of: 1}, 0: {N: 1, Of: 2}},
		eval.QuestionExistence: {0.95: {N: 1, Of: 1}, 0.9: {N: 1, Of: 1}, 0.5: {N: 1, Of: 1}, 0: {N: 1, Of: 2}},
		eval.QuestionName:      {0.95: {N: 1, Of: 1}, 0.9: {N: 0, Of: 1}, 0: {N: 1, Of: 2}},
		eval.QuestionTurn:      {0.95: {N: 1, Of: 1}, 0.9: {N: 1, Of: 1}, 0.5: {N: 0, Of: 1}, 0: {N: 1, Of: 1}},
		eval.QuestionFace:      {0.95: {N: 1, Of: 1}, 0.9: {N: 1, Of: 1}, 0.5: {N: 1, Of: 1}, 0: {N: 1, Of: 1}},
	} {
		got := map[float64]eval.Share{}
		curve := reliability(r, question)
		for _, bin := range curve.Bins {
			got[bin.From] = bin.Right
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: right by confidence %v, want %v", question, got, want)
		}
	}
	all := reliability(r, eval.QuestionAll)
	if all.Sure.Wrong != (eval.Share{N: 1, Of: 2}) || a.SureWrong != all.Sure.Wrong {
		t.Errorf("sure answers: %+v and %v", all.Sure, a.SureWrong)
	}
	// |0.95-1| + |0.92-0| + |0.55-0| + |0.35+0.15-1| over five answers
	if want := (0.05 + 0.92 + 0.55 + 0.5) / 5; math.Abs(all.Calibration-want) > 1e-9 {
		t.Errorf("expected calibration error %g, want %g", all.Calibration, want)
	}
	var kinds []eval.FaultKind
	for _, f := range r.Faults {
		kinds = append(kinds, f.Kind)
	}
	if len(kinds) != 4 || kinds[0] != eval.FaultWrongID || kinds[1] != eval.FaultFalseCard || kinds[2] != eval.FaultWrongTurn || kinds[3] != eval.FaultMissed {
		t.Errorf("faults %v", kinds)
	}
}

func reliability(r eval.Report, q eval.Question) eval.Reliability {
	i := slices.IndexFunc(r.Reliability, func(c eval.Reliability) bool { return c.Question == q })
	return r.Reliability[i]
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		share     eval.Share
		low, high float64
	}{
		{eval.Share{}, 0, 1},
		{eval.Share{N: 0, Of: 10}, 0, 0.2775},
		{eval.Share{N: 10, Of: 10}, 0.7225, 1},
		{eval.Share{N: 5, Of: 10}, 0.2366, 0.7634},
		{eval.Share{N: 1, Of: 1000}, 0.00018, 0.00564},
	} {
		if got := eval.Wilson(c.share); math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%v: %+v, want %g to %g", c.share, got, c.low, c.high)
		}
	}
	for want, share := range map[string]eval.Share{
		"kept":                            {N: 0, Of: 4000},
		"broken":                          {N: 20, Of: 4000},
		"kept here, too few to prove":     {N: 0, Of: 100},
		"exceeded here, too few to prove": {N: 1, Of: 300},
		"no sure answers":                 {},
	} {
		if got := (eval.Sure{Wrong: share, Interval: eval.Wilson(share)}).Verdict(); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

// A sleeve and the card in it have an edge each; an answer on either is right,
// and how far it is from the card's own is told beside.
func TestSleeves(t *testing.T) {
	card := label("sleeved", 100, 100, 0, 1)
	sleeve := board.RectQuad(board.Point{X: 100, Y: 100}, board.Size{Width: 66, Height: 106}, 0)
	card.Outline = &sleeve
	onSleeve := answer("sleeved", 100, 100, 0, 1)
	onSleeve.Corners = sleeve
	for name, seen := range map[string]board.Observation{"on the card": answer("sleeved", 100, 100, 0, 1), "on the sleeve": onSleeve} {
		r := run(t, []eval.Truth{{Cards: []eval.Card{card}}}, [][]board.Observation{{seen}})
		own := 0.0
		if name == "on the sleeve" {
			own = 3 * math.Sqrt2
		}
		if got := r.All.CornerPX.Median; got != 0 {
			t.Errorf("%s: corner error %g px, want 0", name, got)
		}
		if got := r.All.OwnCornerPX.Median; math.Abs(got-own) > 1e-9 {
			t.Errorf("%s: %g px from the card's own corners, want %g", name, got, own)
		}
	}
	// Found by its sleeve only: the card itself overlaps too little.
	small := board.Size{Width: 30, Height: 50}
	inner := board.RectQuad(board.Point{X: 100, Y: 100}, small, 0)
	card.Corners = &inner
	if r := run(t, []eval.Truth{{Cards: []eval.Card{card}}}, [][]board.Observation{{onSleeve}}); r.All.Recall.N != 1 {
		t.Error("an answer on the sleeve was not taken for the card")
	}
}

// A back has a name as well, and an answer may get it wrong.
func TestBacks(t *testing.T) {
	down := label("", 100, 100, 0, 1)
	down.Face, down.Back = board.FaceDown, "blue"
	o := answer("", 100, 100, 0, 0.95)
	o.Face = board.FaceDown
	for back, want := range map[board.BackID]eval.Share{"blue": {N: 1, Of: 1}, "red": {N: 0, Of: 1}} {
		o.Back = back
		r := run(t, []eval.Truth{{Cards: []eval.Card{down}}}, [][]board.Observation{{o}})
		if got := reliability(r, eval.QuestionName).Bins[0].Right; got != want {
			t.Errorf("back %s: right %v, want %v", back, got, want)
		}
		if r.All.WrongIDs != 0 || r.All.SureWrong.N != 1-want.N {
			t.Errorf("back %s: wrong ids %d, sure and wrong %v", back, r.All.WrongIDs, r.All.SureWrong)
		}
	}
}

// Sets of cases, each with its own scanner, go into one report with a block
// for each source and level.
func TestScorer(t *testing.T) {
	one := func(source, level string, visible float64) eval.Case {
		return eval.Case{Source: source, Level: level, Name: source, Image: blank, Truth: eval.Truth{Cards: []eval.Card{label("a", 100, 100, 0, visible)}}}
	}
	right, wrong := answer("a", 100, 100, 0, 0.95), answer("b", 100, 100, 0, 0.97)
	s := eval.NewScorer()
	kind := func(o board.Observation) string { return string(o.Card.ID) }
	for _, set := range []struct {
		c    eval.Case
		seen board.Observation
	}{{one("tm", "", 1), right}, {one("night", "table", 0.5), wrong}, {one("day", "table", 0.2), right}} {
		scanner := &answers{list: [][]board.Observation{{set.seen}}}
		if err := s.Score(context.Background(), scanner, cases(set.c), eval.WithEvidence(kind)); err != nil {
			t.Fatal(err)
		}
	}
	r := s.Report()
	names := func(groups []eval.Group) (out []string) {
		for _, g := range groups {
			out = append(out, g.Name)
		}
		return out
	}
	if got := names(r.BySource); !slices.Equal(got, []string{"tm", "night", "day"}) {
		t.Errorf("sources %v", got)
	}
	if got := names(r.ByLevel); !slices.Equal(got, []string{"table"}) || r.ByLevel[0].Cards != 2 {
		t.Errorf("levels %v", got)
	}
	night := r.BySource[1]
	if night.Cards != 1 || night.SureWrong != (eval.Share{N: 1, Of: 1}) || night.ByVisible[1].ID.Wrong != 1 || night.ByVisible[0].Cards != 0 {
		t.Errorf("night: %+v", night)
	}
	want := []eval.Sample{
		{Evidence: "a", Score: 0.95, Right: true, Source: "tm"}, {Evidence: "b", Score: 0.97, Source: "night"}, {Evidence: "a", Score: 0.95, Right: true, Source: "day"},
	}
	if got := s.Samples(); !slices.Equal(got, want) {
		t.Errorf("samples %+v", got)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tm", "night", "day", "all, night", "visible 40-90 %", "broken"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
}

func TestMatching(t *testing.T) {
	for name, c := range map[string]struct {
		truth             eval.Truth
		seen              []board.Observation
		recall, precision eval.Share
	}{
		"two answers for one card": {eval.Truth{Cards: []eval.Card{label("a", 100, 100, 0, 1)}},
			[]board.Observation{answer("a", 104, 100, 0, 1), answer("a", 100, 100, 0, 1)}, eval.Share{N: 1, Of: 1}, eval.Share{N: 1, Of: 2}},
		"too far off": {eval.Truth{Cards: []eval.Card{label("a", 100, 100, 0, 1)}},
			[]board.Observation{answer("a", 130, 100, 0, 1)}, eval.Share{N: 0, Of: 1}, eval.Share{N: 0, Of: 1}},
		"one answer for a covered pair": {eval.Truth{Cards: []eval.Card{label("under", 100, 100, 0, 0.2), label("over", 100, 115, 0, 1)}},
			[]board.Observation{answer("over", 100, 114, 0, 1)}, eval.Share{N: 1, Of: 2}, eval.Share{N: 1, Of: 1}},
		"moving card not labelled": {eval.Truth{Partial: true},
			[]board.Observation{answer("a", 100, 100, 0, 1)}, eval.Share{}, eval.Share{}},
		"empty table": {eval.Truth{}, nil, eval.Share{}, eval.Share{}},
		"upright box of a turned card": {eval.Truth{Cards: []eval.Card{{Box: &eval.Box{X0: 50, Y0: 70, X1: 150, Y1: 130}, Visible: 1}}},
			[]board.Observation{answer("", 100, 100, 90, 1)}, eval.Share{N: 1, Of: 1}, eval.Share{N: 1, Of: 1}},
		"box around the part in view": {eval.Truth{Cards: []eval.Card{{Box: &eval.Box{X0: 110, Y0: 50, X1: 130, Y1: 150}, Visible: 1}}},
			[]board.Observation{answer("", 100, 100, 0, 1)}, eval.Share{N: 1, Of: 1}, eval.Share{N: 1, Of: 1}},
		"box within a card, along no side": {eval.Truth{Cards: []eval.Card{{Box: &eval.Box{X0: 90, Y0: 80, X1: 110, Y1: 120}, Visible: 1}}},
			[]board.Observation{answer("", 100, 100, 0, 1)}, eval.Share{N: 0, Of: 1}, eval.Share{N: 0, Of: 1}},
		"box beside a card": {eval.Truth{Cards: []eval.Card{{Box: &eval.Box{X0: 122, Y0: 50, X1: 152, Y1: 150}, Visible: 1}}},
			[]board.Observation{answer("", 100, 100, 0, 1)}, eval.Share{N: 0, Of: 1}, eval.Share{N: 0, Of: 1}},
		"the upper card of two takes its own box": {eval.Truth{Cards: []eval.Card{
			{Box: &eval.Box{X0: 130, Y0: 50, X1: 155, Y1: 150}, Visible: 1}, {Box: &eval.Box{X0: 70, Y0: 50, X1: 130, Y1: 150}, Visible: 1}}},
			[]board.Observation{answer("", 125, 100, 0, 1), answer("", 100, 100, 0, 1)}, eval.Share{N: 2, Of: 2}, eval.Share{N: 2, Of: 2}},
		"known only by name": {eval.Truth{Partial: true, Cards: []eval.Card{{ID: "a", Visible: 1}}},
			[]board.Observation{answer("b", 10, 10, 0, 1), answer("a", 100, 100, 0, 0.5)}, eval.Share{N: 1, Of: 1}, eval.Share{N: 1, Of: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, []eval.Truth{c.truth}, [][]board.Observation{c.seen})
			if r.All.Recall != c.recall || r.All.Precision != c.precision {
				t.Errorf("recall %v, precision %v; want %v and %v", r.All.Recall, r.All.Precision, c.recall, c.precision)
			}
			if name == "one answer for a covered pair" && r.All.ID.Right != 1 {
				t.Errorf("the answer went to the covered card")
			}
			if name == "known only by name" && r.All.ID != (eval.Answer{Right: 1}) {
				t.Errorf("id %+v", r.All.ID)
			}
		})
	}
}

func TestUnsureIsNotWrong(t *testing.T) {
	down := label("secret", 100, 100, 0, 1)
	down.Face, down.AngleModulo, down.Rotation = board.FaceDown, 180, turn(board.TurnUnknown)
	back := answer("", 100, 100, 180, 0.9)
	back.Face, back.AngleModulo, back.Rotation = board.FaceDown, 180, board.TurnUnknown
	unsure := answer("", 300, 100, 91, 0.3)
	unsure.Face, unsure.AngleModulo, unsure.Rotation = board.FaceUnknown, 180, board.TurnUnknown
	r := run(t, []eval.Truth{{Cards: []eval.Card{down, label("a", 300, 100, 270, 1)}}}, [][]board.Observation{{back, unsure}})
	a := r.All
	if a.Turn != (eval.Answer{Unsure: 1}) || a.Face != (eval.Answer{Right: 1, Unsure: 1}) || a.ID != (eval.Answer{Unsure: 1}) || a.WrongIDs != 0 {
		t.Errorf("turn %+v, face %+v, id %+v, wrong ids %d", a.Turn, a.Face, a.ID, a.WrongIDs)
	}
	if a.Angle.Median != 0 || math.Abs(a.Angle.P95-1) > 1e-9 {
		t.Errorf("angle error %+v, want 0 and 1, both modulo 180", a.Angle)
	}

	back.Card = &board.CardRef{ID: "secret"}
	r = run(t, []eval.Truth{{Cards: []eval.Card{down}}}, [][]board.Observation{{back}})
	if r.All.WrongIDs != 1 {
		t.Error("a face-down card was named, which nobody can know, and it was not counted")
	}
}

func TestCardsOutsideTheCatalogueAreNotDemanded(t *testing.T) {
	truth := []eval.Truth{{Cards: []eval.Card{label("in", 100, 100, 0, 1), label("out", 300, 100, 0, 1)}}}
	seen := [][]board.Observation{{answer("in", 100, 100, 0, 1), answer("", 300, 100, 0, 1)}}
	r := run(t, truth, seen, eval.WithCatalogue(func(id board.CardID) bool { return id == "in" }))
	if r.All.ID != (eval.Answer{Right: 1}) {
		t.Errorf("id %+v", r.All.ID)
	}
	seen[0][1].Card = &board.CardRef{ID: "in"}
	r = run(t, truth, seen, eval.WithCatalogue(func(id board.CardID) bool { return id == "in" }))
	if r.All.WrongIDs != 1 || r.All.ID != (eval.Answer{Right: 1}) {
		t.Errorf("a stranger taken for a known card: wrong ids %d, id %+v", r.All.WrongIDs, r.All.ID)
	}
}

// On a negative crop any name is wrong, and an outline without one is not.
func TestNegativeCrops(t *testing.T) {
	negative := eval.Truth{Partial: true, Nameless: true}
	r := run(t, []eval.Truth{negative}, [][]board.Observation{{answer("a", 100, 100, 0, 0.95), answer("", 300, 100, 0, 0.95)}})
	if a := r.All; a.WrongIDs != 1 || a.SureWrong != (eval.Share{N: 1, Of: 1}) || len(r.Faults) != 1 {
		t.Errorf("%+v, faults %v", a, r.Faults)
	}
}

// False cards are told apart by what they lie on.
func TestFalseCardsByKind(t *testing.T) {
	truth := eval.Truth{Things: []eval.Thing{
		{Kind: "phone", Centre: board.Point{X: 100, Y: 100}, Reach: 20}, {Kind: "mug", Centre: board.Point{X: 300, Y: 100}, Reach: 20}}}
	r := run(t, []eval.Truth{truth}, [][]board.Observation{{
		answer("", 105, 100, 0, 0.7), answer("a", 100, 110, 90, 0.8), answer("", 200, 300, 0, 0.6)}})
	want := []eval.FalseCards{{Kind: "phone", Count: 2, Named: 1, Most: 0.8}, {Kind: "", Count: 1, Most: 0.6}}
	if !slices.Equal(r.FalseCards, want) {
		t.Errorf("false cards %+v, want %+v", r.FalseCards, want)
	}
}

func TestRunStops(t *testing.T) {
	one := eval.Case{Name: "a.jpg", Image: blank}
	if _, err := eval.Run(context.Background(), &answers{err: errors.New("lens cap on")}, cases(one)); err == nil || !strings.Contains(err.Error(), "a.jpg: lens cap on") {
		t.Errorf("failed scan: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := eval.Run(ctx, &answers{list: [][]board.Observation{nil}}, cases(one)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v", err)
	}
	broken := func(yield func(eval.Case, error) bool) { yield(eval.Case{}, errors.New("no labels")) }
	if _, err := eval.Run(context.Background(), &answers{}, broken); err == nil {
		t.Error("an iterator's error was lost")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const corners = `[[10,10],[70,10],[70,110],[10,110]]`
	write("single/a.json", `{"image":"a.png","width":8,"height":8,"cards":[{"corners":`+corners+`,"rotation":null,"face":"down","back":"blue","copy":"c1","visible":0.5,"outline":[[9,9],[71,9],[71,111],[9,111]]}],"level":"table","unverified":true}`)
	write("frames/labels.json", `{"width":8,"height":8,"frames":[{"image":"0.png","state":"rest","cards":[{"corners":`+corners+`,"rotation":0,"id":"x"}]},{"image":"1.png","state":"moving","cards":[]}]}`)
	write("boxes/labels.json", `[{"image":"0.png","boxes":[{"class":"ace","box":[1,2,3,4]}]}]`)
	write("zoom/00001/info.yml", "card: \"m15-63\"\ncardheight: 78\n")
	write("zoom/00002/info.yml", "card: \"jou-165\"\n")
	write("zoom/00003/info.yml", "video: x\n")

	var got []eval.Case
	for c, err := range eval.Load(filepath.Join(dir, "single"), filepath.Join(dir, "frames"), filepath.Join(dir, "boxes"), filepath.Join(dir, "zoom")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.Source+"/"+c.Name)
	}
	if want := "single/a.png frames/0.png frames/1.png boxes/0.png zoom/00001/input.png zoom/00002/input.png zoom/00003/input.png"; strings.Join(names, " ") != want {
		t.Fatalf("cases %v, want %s", names, want)
	}
	if c := got[0].Truth.Cards[0]; c.Rotation != nil || c.Face != board.FaceDown || c.Back != "blue" || c.Copy != "c1" || c.Visible != 0.5 || c.AngleDeg != 0 {
		t.Errorf("single label read as %+v", c)
	}
	if c := got[0]; c.Level != "table" || !c.Truth.Unverified || c.Truth.Cards[0].Outline == nil {
		t.Errorf("level, outline or mark of the single label lost: %+v", c)
	}
	if c := got[1].Truth.Cards[0]; c.Rotation == nil || *c.Rotation != 0 || c.Visible != 1 {
		t.Errorf("frame label read as %+v", c)
	}
	if !got[2].Truth.Partial || got[1].Truth.Partial || !got[4].Truth.Partial {
		t.Error("only moving frames and cut-outs may show cards that are not labelled")
	}
	if !got[6].Truth.Nameless || got[5].Truth.Nameless {
		t.Error("a crop that names no card is negative, and no other")
	}
	if got[3].Truth.Cards[0].Box == nil || got[4].Truth.Cards[0].ID != "m15-63" {
		t.Error("box or id lost")
	}

	for name, c := range map[string]struct{ path, want string }{
		"missing":        {filepath.Join(dir, "nowhere"), "no such file or folder"},
		"empty folder":   {t.TempDir(), "no labels in this folder"},
		"picture":        {write("bad/a.jpg", "x"), "not a label file"},
		"broken JSON":    {write("bad/b.json", `{"image":`), "not a label file"},
		"other JSON":     {write("bad/c.json", `{"name":"x"}`), "entry 1 is no label"},
		"card list":      {write("bad/d.json", `[{"id":"x","name":"X"}]`), "entry 1 is no label"},
		"no corners":     {write("bad/e.json", `{"image":"a.png","cards":[{"id":"x"}]}`), `card 1: "corners" is missing`},
		"anticlockwise":  {write("bad/f.json", `{"image":"a.png","cards":[{"corners":[[10,10],[10,110],[70,110],[70,10]]}]}`), "clockwise"},
		"bad turn":       {write("bad/g.json", `{"image":"a.png","cards":[{"corners":`+corners+`,"rotation":45}]}`), "0, 90, 180, 270"},
		"bad face":       {write("bad/h.json", `{"image":"a.png","cards":[{"corners":`+corners+`,"face":"sideways"}]}`), "sideways"},
		"bad box":        {write("bad/i.json", `[{"image":"a.png","boxes":[{"box":[3,3,1,1]}]}]`), "box 1"},
		"yaml, no card":  {write("bad/j.yml", "name: x\n"), `it needs "card"`},
		"visible beyond": {write("bad/k.json", `{"image":"a.png","cards":[{"corners":`+corners+`,"visible":50}]}`), "share from 0 to 1"},
	} {
		var last error
		for _, err := range eval.Load(c.path) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), c.want) || !strings.Contains(last.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: error %v, want the file's name and %q", name, last, c.want)
		}
	}
}

func TestPictureThatDoesNotFitItsLabels(t *testing.T) {
	dir := t.TempDir()
	img, _ := blank()
	defer img.Close()
	gocv.IMWrite(filepath.Join(dir, "a.png"), img)
	labels := filepath.Join(dir, "a.json")
	for name, c := range map[string]struct{ text, want string }{
		"fits":       {`{"image":"a.png","width":8,"height":8,"cards":[]}`, ""},
		"scaled":     {`{"image":"a.png","width":16,"height":16,"cards":[]}`, "its labels are for 16×16"},
		"missing":    {`{"image":"b.png","cards":[]}`, "can't be read"},
		"no picture": {`{"image":"a.json","cards":[]}`, "not a JPEG or PNG"},
	} {
		if err := os.WriteFile(labels, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := eval.Run(context.Background(), &answers{list: [][]board.Observation{nil}}, eval.Load(labels))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestOutput(t *testing.T) {
	truth := []eval.Truth{{Cards: []eval.Card{label("a", 100, 100, 0, 1)}}, {}}
	seen := [][]board.Observation{{answer("a", 100, 100, 0, 0.97)}, {answer("b", 300, 300, 90, 0.4)}}
	r := run(t, truth, seen, eval.WithClock(&steppingClock{step: 12 * time.Millisecond}))

	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 images, 1 labelled cards", "median 12.0 ms", "false-card", "made-up/b", "b at 90", "false-card"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}

	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var wire struct {
		All struct {
			Recall    struct{ Share *float64 } `json:"recall"`
			Precision struct{ N, Of int }      `json:"precision"`
		} `json:"all"`
		ByVisible []struct {
			Name  string                    `json:"name"`
			Cards int                       `json:"cards"`
			Angle struct{ Median *float64 } `json:"angle_error_deg"`
		} `json:"by_visible"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		t.Fatal(err)
	}
	if wire.All.Recall.Share == nil || *wire.All.Recall.Share != 1 || wire.All.Precision.Of != 2 ||
		wire.ByVisible[0].Cards != 1 || wire.ByVisible[2].Angle.Median != nil {
		t.Errorf("JSON: %s", data)
	}
}

// The project's own labels must be readable, picture and all.
func TestPhotoLabels(t *testing.T) {
	root := os.Getenv("SCANNER_PHOTOS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "photos")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no photos: %v (set SCANNER_PHOTOS to the folder that holds tm/, edje/ …)", err)
	}
	for folder, want := range map[string]struct{ images, cards int }{
		"tm": {6, 58}, "cardspotter_auto": {53, 10}, "edje": {40, -1}, "magic-card-zoom": {60, 60},
	} {
		var images, cards int
		for c, err := range eval.Load(filepath.Join(root, folder)) {
			if err != nil {
				t.Fatal(err)
			}
			images++
			cards += len(c.Truth.Cards)
			if images == 1 {
				img, err := c.Image()
				if err != nil {
					t.Fatal(err)
				}
				img.Close()
			}
		}
		if images != want.images || want.cards >= 0 && cards != want.cards {
			t.Errorf("%s: %d images, %d cards; want %d and %d", folder, images, cards, want.images, want.cards)
		}
	}
}
