package vision

import (
	"testing"

	"tabletop/board"
)

// Whatever the curves are fitted to: more evidence never gives less confidence,
// and what is not sure stays below what may be relied upon.
func TestConfidenceIsMonotone(t *testing.T) {
	for _, e := range []Evidence{EvidenceName, EvidenceStrip, EvidenceBack, EvidenceOutline, EvidenceShape} {
		before := 0.0
		for i := range 10001 {
			score := float64(i) / 10000
			got := confidence(e, score)
			if got < before || got < 0 || got > 1 {
				t.Fatalf("%s: a score of %g gives %g, the one before %g", e, score, got, before)
			}
			if isSure := score >= curveOf(e).sureFrom; isSure != (got >= 0.9) {
				t.Fatalf("%s: a score of %g gives %g; sure from %g on", e, score, got, curveOf(e).sureFrom)
			}
			before = got
		}
	}
}

func TestEvidence(t *testing.T) {
	named := board.Observation{Face: board.FaceUp, Card: &board.CardRef{ID: "a"}, Visible: 1}
	strip := named
	strip.Visible = 0.3
	for name, c := range map[string]struct {
		o         board.Observation
		catalogue bool
		want      Evidence
	}{
		"a named card":          {named, true, EvidenceName},
		"a strip of one":        {strip, true, EvidenceStrip},
		"a back":                {board.Observation{Face: board.FaceDown, Visible: 1}, true, EvidenceBack},
		"an unknown card":       {board.Observation{Face: board.FaceUnknown, Visible: 1}, true, EvidenceOutline},
		"without any catalogue": {board.Observation{Face: board.FaceUnknown, Visible: 1}, false, EvidenceShape},
	} {
		if got := EvidenceOf(c.o, c.catalogue); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
