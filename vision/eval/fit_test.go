package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tabletop/vision/eval"
)

// Answers drawn from a known curve give that curve back.
func TestCurvesFindTheCurveAnswersCameFrom(t *testing.T) {
	want := map[string]eval.Logistic{"outline": {Bias: -1, Slope: 0.6}, "name": {Bias: 2, Slope: 1.3}}
	rng := rand.New(rand.NewPCG(1, 2))
	var samples []eval.Sample
	for range 20000 {
		for kind, l := range want {
			score := rng.Float64()
			samples = append(samples, eval.Sample{Evidence: kind, Score: score, Right: rng.Float64() < l.At(score)})
		}
	}
	fits := eval.Curves(samples)
	if len(fits) != 2 || fits[0].Evidence != "name" || fits[1].Evidence != "outline" {
		t.Fatalf("fits %+v, want one of each kind, by name", fits)
	}
	for _, f := range fits {
		w := want[f.Evidence]
		if math.Abs(f.Bias-w.Bias) > 0.15 || math.Abs(f.Slope-w.Slope) > 0.1 {
			t.Errorf("%s: %+v, want about %+v", f.Evidence, f.Logistic, w)
		}
		if f.Right.Of != 20000 || f.Loss <= 0 || f.Loss >= 1 {
			t.Errorf("%s: right %v, loss %g bits", f.Evidence, f.Right, f.Loss)
		}
	}
}

func TestSureFrom(t *testing.T) {
	many := func(n int, score float64, right bool) []eval.Sample {
		out := make([]eval.Sample, n)
		for i := range out {
			out[i] = eval.Sample{Score: score, Right: right}
		}
		return out
	}
	for name, c := range map[string]struct {
		samples []eval.Sample
		want    float64
	}{
		"too few":                 {many(900, 0.99, true), eval.Never},
		"enough":                  {many(1100, 0.99, true), 0.99},
		"a wrong one below":       {append(many(1100, 0.99, true), many(1, 0.9, false)...), 0.99},
		"a wrong one among them":  {append(many(1100, 0.99, true), many(1, 0.99, false)...), eval.Never},
		"made up for by many":     {append(many(9000, 0.95, true), many(1, 0.99, false)...), 0.95},
		"few, by a steep curve":   {append(append(many(300, 0.999, true), many(40, 0.7, true)...), many(40, 0.6, false)...), 0.999},
		"weak ones come with all": {append(many(2000, 0.99, true), many(5, 0.7, true)...), 0.7},
	} {
		if got := eval.Curves(c.samples)[0].SureFrom; got != c.want {
			t.Errorf("%s: sure from %g, want %g", name, got, c.want)
		}
	}
}

func TestCurvesOfHardCases(t *testing.T) {
	many := func(n int, score float64, right bool) []eval.Sample {
		out := make([]eval.Sample, n)
		for i := range out {
			out[i] = eval.Sample{Score: score, Right: right}
		}
		return out
	}
	for name, c := range map[string]struct {
		samples   []eval.Sample
		at        float64
		low, high float64
	}{
		"all right, few":       {many(5, 0.99, true), 0.99, 0.7, 0.97},
		"all right, many":      {many(5000, 0.99, true), 0.99, 0.999, 1},
		"one score":            {append(many(90, 0.9, true), many(10, 0.9, false)...), 0.9, 0.88, 0.91},
		"split by the score":   {append(many(50, 0.99, true), many(50, 0.2, false)...), 0.99, 0.95, 1},
		"worse with the score": {append(many(50, 0.2, true), many(50, 0.99, false)...), 0.99, 0.4, 0.6},
		"scores of 0 and 1":    {append(many(50, 1, true), many(50, 0, false)...), 1, 0.9, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := eval.Curves(c.samples)[0]
			if got := f.At(c.at); !(got >= c.low && got <= c.high) {
				t.Errorf("of a score of %g %g are right, want %g to %g (%+v)", c.at, got, c.low, c.high, f)
			}
			if f.Slope < 0 {
				t.Errorf("slope %g: a better score makes an answer worse", f.Slope)
			}
		})
	}
	if eval.Curves(nil) != nil {
		t.Error("curves of nothing")
	}
}
