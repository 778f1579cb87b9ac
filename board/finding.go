package board

// FindingID names one finding for the length of a match ("f3").
type FindingID string

// RuleID names a rule of a pack ("bow.turn").
type RuleID string

// Severity says how sure a finding is that something is wrong.
type Severity string

// The severities, from a breach of a rule to a remark.
const (
	SeverityIllegal    Severity = "illegal"
	SeveritySuspicious Severity = "suspicious"
	SeverityInfo       Severity = "info"
)

// Citation is the passage a finding stands on.
type Citation struct {
	Source  string `json:"source"`  // "L5R Emperor Edition, Comprehensive Rules"
	Passage string `json:"passage"` // the heading: "Bowed and unbowed"
	Quote   string `json:"quote,omitempty"`
}

// Finding is what a rule has to say about the board. The program reports it
// and changes nothing; a person decides.
type Finding struct {
	ID       FindingID `json:"id"`
	Rule     RuleID    `json:"rule"`
	Severity Severity  `json:"severity"`
	Possible bool      `json:"possible,omitempty"` // less sure than the rule's breach seen clearly
	Copies   []CopyID  `json:"copies"`
	Seat     SeatID    `json:"seat,omitempty"`
	Seen     string    `json:"seen"` // what the camera saw, in the chosen language
	Text     string    `json:"text"` // what is wrong with it and what the rule says
	Lang     string    `json:"lang"`
	Citation Citation  `json:"citation"`
	Decision Decision  `json:"decision,omitempty"`
	// BackTo is the number of the event after which the game goes on, with
	// DecisionBackedUp.
	BackTo uint64 `json:"back_to,omitempty"`
	// Before is the first of the copies as it lay before the change that broke
	// the rule; nil where the board alone breaks it, or the copy was not there.
	Before *Copy `json:"before,omitempty"`
	// Ended says why an ended finding ended.
	Ended Ending `json:"ended,omitempty"`
}

// Ending is why a finding ended.
type Ending string

// The endings.
const (
	EndMended    Ending = "mended"     // the table was put right
	EndTakenBack Ending = "taken-back" // the act was undone within a few seconds: a slip, no breach
	EndGone      Ending = "gone"       // the copy left the table
	EndAccepted  Ending = "accepted"   // a person took the table as it lies
	EndRejudged  Ending = "rejudged"   // more is known now, and another finding says it
)

// Decision is what a person made of a finding or a prompt.
type Decision string

// The decisions.
const (
	// DecisionAcknowledged says that a judge has seen it; the light may go out.
	DecisionAcknowledged Decision = "acknowledged"
	// DecisionUpheld says that it is right: the table is to be mended.
	DecisionUpheld Decision = "upheld"
	// DecisionDismissed says that the program is wrong, or that it doesn't
	// matter. It is over and not found again while the table stays like this.
	DecisionDismissed Decision = "dismissed"
	// DecisionBackedUp says that the game goes on from an earlier event.
	DecisionBackedUp Decision = "backed-up"
)

// Decisions are all that there are.
func Decisions() []Decision {
	return []Decision{DecisionAcknowledged, DecisionUpheld, DecisionDismissed, DecisionBackedUp}
}

// Closes says whether a finding or prompt is over by the decision.
func (d Decision) Closes() bool { return d == DecisionDismissed || d == DecisionBackedUp }
