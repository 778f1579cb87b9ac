package board

import "time"

// Observation is one card as one frame shows it: the answer to "what lies
// there?", with no meaning read into it.
type Observation struct {
	Corners      Quad        `json:"corners"`                // whole card, in pixels (vision) or mm (tracker)
	AngleDeg     float64     `json:"angle_deg"`              // of the printed top
	AngleModulo  float64     `json:"angle_modulo,omitempty"` // 360 when the top is known, 180 when only the axis is
	Rotation     Turn        `json:"rotation"`
	Face         Face        `json:"face"`
	Card         *CardRef    `json:"card"` // nil when not sure enough
	Back         BackID      `json:"back,omitempty"`
	Confidence   float64     `json:"confidence"` // of the whole answer, [0,1]
	Visible      float64     `json:"visible"`    // share of the card not covered, [0,1]
	Alternatives []Candidate `json:"alternatives,omitempty"`
	// StillSince is since when nothing has moved over most of what tells the
	// card from others; zero: not known. It says more than one frame can.
	StillSince time.Time `json:"still_since,omitzero"`
	// Layer is how many cards lie below it, one under the other: 0 lies on the
	// table. Of two cards that overlap, that of the higher layer lies on top.
	Layer int `json:"layer,omitempty"`
}

// Candidate is a card that an observation may show.
type Candidate struct {
	Card       CardRef `json:"card"`
	Confidence float64 `json:"confidence"`
}

// View is what one frame shows of the table, in millimetres of the table
// plane. Obscured are the places of which the frame says nothing: something
// moves there, or something that is neither card nor table lies there (a hand).
// A card not seen inside an obscured place is covered, not gone.
type View struct {
	Frame    uint64        `json:"frame"`
	At       time.Time     `json:"at"`
	Cards    []Observation `json:"cards"`
	Obscured []Polygon     `json:"obscured,omitempty"`
}
