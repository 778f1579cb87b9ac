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
	Copies   []CopyID  `json:"copies"`
	Seat     SeatID    `json:"seat,omitempty"`
	Seen     string    `json:"seen"` // what the camera saw, in the chosen language
	Text     string    `json:"text"` // what is wrong with it and what the rule says
	Lang     string    `json:"lang"`
	Citation Citation  `json:"citation"`
	Decision Decision  `json:"decision,omitempty"`
}

// Decision is what a person made of a finding.
type Decision string

// DecisionAcknowledged says that a judge has seen it and the light may go out.
const DecisionAcknowledged Decision = "acknowledged"
