package eval

import (
	"math"

	"tabletop/board"
)

// Question is what an answer may be right or wrong about.
type Question string

// The questions. An answer counts for those that it answers and that its label
// can decide.
const (
	QuestionExistence Question = "existence" // is there a card
	QuestionName      Question = "name"      // which card, or which back
	QuestionTurn      Question = "turn"      // which quarter turn
	QuestionFace      Question = "face"      // which face is up
	QuestionAll       Question = "all"       // all of them: nothing said is wrong
)

var questions = [...]Question{QuestionExistence, QuestionName, QuestionTurn, QuestionFace, QuestionAll}

// binEdges are the confidences between which answers are counted together.
// They lie close where answers are sure, for there one in a thousand counts.
var binEdges = [...]float64{0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1}

const (
	// SureFrom is the confidence from which on an answer may be relied upon, and
	// SureLimit the share of those answers that may be wrong.
	SureFrom  = 0.9
	SureLimit = 0.001
)

// Reliability says how confidence and truth agree on one question.
type Reliability struct {
	Question Question `json:"question"`
	Bins     []Bin    `json:"bins"` // those with answers, by rising confidence
	Sure     Sure     `json:"sure"`
	// Calibration is the expected calibration error: the mean of
	// |confidence - share right| over the bins, weighted by their answers.
	Calibration float64 `json:"expected_calibration_error"`
}

// Bin is the part of the answers whose confidence lies in [From, To), the last
// bin with its end.
type Bin struct {
	From       float64  `json:"from"`
	To         float64  `json:"to"`
	Confidence float64  `json:"mean_confidence"`
	Right      Share    `json:"right"`
	Wrong      Interval `json:"wrong_share_95"` // where the share of wrong answers lies
}

// Sure are the answers of a confidence of SureFrom and more.
type Sure struct {
	Wrong    Share    `json:"wrong"`
	Interval Interval `json:"wrong_share_95"`
}

// Verdict says what the answers show about SureLimit: that it is kept, that it
// is not, or neither, when there are too few of them.
func (s Sure) Verdict() string {
	switch {
	case s.Wrong.Of == 0:
		return "no sure answers"
	case s.Interval.High <= SureLimit:
		return "kept"
	case s.Interval.Low > SureLimit:
		return "broken"
	case s.Wrong.Value() <= SureLimit:
		return "kept here, too few to prove"
	}
	return "exceeded here, too few to prove"
}

// Interval is where a share lies, with a confidence of 95 %.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson is the score interval of a binomial share at 95 % (E. B. Wilson, 1927).
// Unlike the interval around the share itself it holds near 0 and for few
// trials: after n trials without one success it ends at 3.84 / (n + 3.84).
// Nothing counted gives [0, 1].
func Wilson(s Share) Interval {
	if s.Of == 0 {
		return Interval{0, 1}
	}
	const z2 = 1.959964 * 1.959964
	n, p := float64(s.Of), s.Value()
	middle := (p + z2/(2*n)) / (1 + z2/n)
	half := math.Sqrt(z2*(p*(1-p)/n+z2/(4*n*n))) / (1 + z2/n)
	i := Interval{max(0, middle-half), min(1, middle+half)}
	if s.N == 0 {
		i.Low = 0 // but for rounding
	}
	return i
}

// reliability gathers one question's answers.
type reliability struct {
	sum   [len(binEdges) - 1]float64
	right [len(binEdges) - 1]Share
	sure  Share // wrong ones of the sure
}

func (r *reliability) add(confidence float64, right bool) {
	b := 0
	for b < len(r.right)-1 && confidence >= binEdges[b+1] {
		b++
	}
	r.sum[b] += confidence
	r.right[b].Of++
	if right {
		r.right[b].N++
	}
	r.sure.countSure(confidence, right)
}

// countSure counts the wrong ones among answers that are sure.
func (s *Share) countSure(confidence float64, right bool) {
	if confidence < SureFrom {
		return
	}
	s.Of++
	if !right {
		s.N++
	}
}

func (r *reliability) report(q Question) Reliability {
	out := Reliability{Question: q, Sure: Sure{r.sure, Wilson(r.sure)}}
	answers := 0
	for i, right := range r.right {
		if right.Of == 0 {
			continue
		}
		out.Bins = append(out.Bins, Bin{From: binEdges[i], To: binEdges[i+1], Confidence: r.sum[i] / float64(right.Of),
			Right: right, Wrong: Wilson(Share{right.Of - right.N, right.Of})})
		out.Calibration += math.Abs(r.sum[i] - float64(right.N))
		answers += right.Of
	}
	if answers > 0 {
		out.Calibration /= float64(answers)
	}
	return out
}

// judged is what came of one answer.
type judged struct {
	scored bool // the labels can decide it
	right  bool // nothing it says is wrong
}

// rightOn says for a question whether the answer to it was right; asked is
// false where it gave none or the label has none.
func (v verdict) rightOn(q Question) (right, asked bool) {
	switch q {
	case QuestionExistence:
		return true, v.found
	case QuestionName:
		return !v.wrongName && !v.wrongBack, v.named
	case QuestionTurn:
		return v.turn.Wrong == 0, v.turn.Right+v.turn.Wrong > 0
	case QuestionFace:
		return v.face.Wrong == 0, v.face.Right+v.face.Wrong > 0
	}
	return v.right(), v.found
}

// rely counts an answer that fits a card.
func (t *tally) rely(o board.Observation, v verdict) {
	for i, q := range questions {
		if right, asked := v.rightOn(q); asked {
			t.reliability[i].add(o.Confidence, right)
		}
	}
}

// relyOnNothing counts an answer where no card is. Its turn and face are of
// nothing; a name is wrong.
func (t *tally) relyOnNothing(o board.Observation) {
	for i, q := range questions {
		if q == QuestionExistence || q == QuestionAll || q == QuestionName && (o.Card != nil || o.Back != "") {
			t.reliability[i].add(o.Confidence, false)
		}
	}
}
