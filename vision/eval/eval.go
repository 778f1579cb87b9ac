// Package eval scores what a scanner says against labelled pictures: how many
// cards it found, how many of its answers were wrong, how exact they were and
// how long they took. It reads the labels of every kind this project has and
// takes cases from anything that can yield them, such as a simulator.
//
// It draws nothing and decides nothing: it counts. How each figure is defined
// stands at its field in Figures. The one limit it knows is SureLimit, for which
// it says how far the answers counted prove that it is kept. It also fits the
// curves that make scores into confidences (Curves), and keeps a frame with what
// was seen in it as a case (Folder).
package eval

import (
	"context"
	"fmt"
	"image"
	"iter"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Scanner finds the cards of one picture. regions limits where it looks; nil is
// the whole picture.
type Scanner interface {
	Scan(ctx context.Context, img gocv.Mat, regions []image.Rectangle) ([]board.Observation, error)
}

// Case is one picture and what is true of it.
type Case struct {
	Source string // groups the cases in the report: "tm", "sim:easy"
	Level  string // how hard it is, where the labels say so: "table", else ""
	Name   string // names the picture in the report
	Image  func() (gocv.Mat, error)
	Truth  Truth
}

// Cases yields cases one by one, so that a thousand pictures never stand in
// memory together. An error ends the run.
type Cases = iter.Seq2[Case, error]

// Truth is what the labels say of a picture.
type Truth struct {
	Cards []Card
	// Partial says that the picture may show cards that are not labelled: an
	// answer that fits no label is then neither right nor false.
	Partial bool
	// Nameless says that of the cards the picture shows none may be named, though
	// Partial: whatever they are, they are in no catalogue.
	Nameless bool
	// Things lie there and are no cards. An answer on one of them is false, and
	// the report says of what.
	Things []Thing
	// Unverified says that a program wrote the labels and that nobody has looked
	// at them yet. The report says so; what it makes of such a picture is no more
	// than a comparison with what was seen then.
	Unverified bool
}

// Card is one labelled card. Labels differ in what they know; a zero field is
// not asked for.
type Card struct {
	Corners     *board.Quad  // pixels; nil: not known
	Outline     *board.Quad  // of the sleeve, pixels; nil: the same as Corners
	Box         *Box         // around what is in view, pixels; used where Corners is nil
	AngleDeg    float64      // counts only with Corners
	AngleModulo float64      // 180 for a back that looks the same both ways, else 0 or 360
	Rotation    *board.Turn  // nil: not labelled, TurnUnknown: can't be told from a picture
	Face        board.Face   // empty: not labelled
	ID          board.CardID // empty: not labelled
	Back        board.BackID // of a face-down card; empty: not labelled
	Copy        string       // names the physical card, for faults only
	Visible     float64      // share of the card in view, [0,1]
}

// Thing is what a card may be taken for that is none: a phone, a card in a hand.
type Thing struct {
	Kind   string
	Centre board.Point // pixels
	Reach  float64     // pixels around the centre
}

// Box is an upright rectangle in pixels.
type Box struct{ X0, Y0, X1, Y1 float64 }

// MinVisible is the share of a card that must be in view for it to be asked
// for. A card with less is neither demanded nor false.
const MinVisible = 0.1

type settings struct {
	knows    func(board.CardID) bool
	clock    board.Clock
	evidence func(board.Observation) string
}

// Option changes a run.
type Option func(*settings)

// WithCatalogue limits the id figures to cards the scanner can know. Without
// it, every labelled id is demanded.
func WithCatalogue(knows func(board.CardID) bool) Option {
	return func(s *settings) { s.knows = knows }
}

// WithClock times the scans with another clock than the machine's.
func WithClock(c board.Clock) Option { return func(s *settings) { s.clock = c } }

// WithEvidence keeps what Curves needs: evidence names what the confidence of
// an answer rests on, for each kind has a curve of its own.
func WithEvidence(evidence func(board.Observation) string) Option {
	return func(s *settings) { s.evidence = evidence }
}

// Run scans every case and scores the answers. It stops at the first case that
// can't be read, the first failed scan, or the end of ctx, and says which.
func Run(ctx context.Context, scanner Scanner, cases Cases, options ...Option) (Report, error) {
	s := NewScorer()
	if err := s.Score(ctx, scanner, cases, options...); err != nil {
		return Report{}, err
	}
	return s.Report(), nil
}

// Scorer scores several sets of cases, each looked at by a scanner of its own,
// into one report. It is for one goroutine.
type Scorer struct {
	tally   *tally
	samples []Sample
}

// NewScorer returns a scorer that has seen nothing yet.
func NewScorer() *Scorer { return &Scorer{tally: newTally()} }

// Score adds a set of cases. It stops as [Run] does; what was scored until then
// stays in the report.
func (sc *Scorer) Score(ctx context.Context, scanner Scanner, cases Cases, options ...Option) error {
	s := settings{knows: func(board.CardID) bool { return true }, clock: board.SystemClock{}}
	for _, option := range options {
		option(&s)
	}
	for c, err := range cases {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		seen, took, err := scan(ctx, scanner, c, s.clock)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		verdicts := sc.tally.add(c, seen, took, s.knows)
		if s.evidence == nil {
			continue
		}
		for i, v := range verdicts {
			if v.scored {
				sc.samples = append(sc.samples, Sample{Evidence: s.evidence(seen[i]), Score: seen[i].Confidence, Right: v.right, Source: c.Source})
			}
		}
	}
	return nil
}

// Report sums up what was scored so far.
func (sc *Scorer) Report() Report { return sc.tally.report() }

// Samples are the answers scored with [WithEvidence], in their order.
func (sc *Scorer) Samples() []Sample { return sc.samples }

func scan(ctx context.Context, scanner Scanner, c Case, clock board.Clock) ([]board.Observation, time.Duration, error) {
	img, err := c.Image()
	if err != nil {
		return nil, 0, err
	}
	defer img.Close()
	start := clock.Now()
	seen, err := scanner.Scan(ctx, img, nil)
	return seen, clock.Now().Sub(start), err
}
