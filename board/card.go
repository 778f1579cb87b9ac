package board

import (
	"encoding/json"
	"fmt"
	"math"
)

// CardID names a card of the catalogue (a slug such as "hida-o-ushi"); two
// copies of a card share it.
type CardID string

// CopyID names one physical card on the table for the length of a match ("c17").
type CopyID string

// SeatID names a player's place at the table ("south").
type SeatID string

// ZoneID names an area of the table ("south.home").
type ZoneID string

// BackID names a card back.
type BackID string

// Card is what the catalogue knows of a card. Attributes carries whatever else
// a game needs (force, honor, …), untouched.
type Card struct {
	ID         CardID            `json:"id"`
	Name       string            `json:"name"`
	Type       string            `json:"type,omitempty"`
	Landscape  bool              `json:"landscape,omitempty"` // upright when the long edge lies across
	Back       BackID            `json:"back,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Ref is the short form of a card that is sent to clients.
func (c Card) Ref() *CardRef { return &CardRef{ID: c.ID, Name: c.Name, Type: c.Type} }

// CardRef is a card named in an observation, an event or a finding.
type CardRef struct {
	ID   CardID `json:"id"`
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// Face says which side of a card lies up.
type Face string

// The faces. FaceUnknown is an answer, not an error: the camera can't tell.
const (
	FaceUp      Face = "up"
	FaceDown    Face = "down"
	FaceUnknown Face = "unknown"
)

// Turn is a quarter turn clockwise: 0, 90, 180 or 270 degrees, or TurnUnknown,
// which is null in JSON.
type Turn int

// TurnUnknown stands for a turn that can't be told: near 45°, or a back that
// looks the same both ways.
const TurnUnknown Turn = -1

// NearestTurn is the quarter turn nearest to an angle. Ties go up.
func NearestTurn(angleDeg float64) Turn {
	return Turn(int(math.Floor(NormalizeDeg(angleDeg)/90+0.5)) % 4 * 90)
}

// Known says whether the turn is one of the four.
func (t Turn) Known() bool { return t >= 0 }

// MarshalJSON writes the number, or null.
func (t Turn) MarshalJSON() ([]byte, error) {
	if !t.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(int(t))
}

// UnmarshalJSON reads 0, 90, 180, 270 or null.
func (t *Turn) UnmarshalJSON(data []byte) error {
	var v *int
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("a rotation is 0, 90, 180, 270 or null: %w", err)
	}
	if v == nil {
		*t = TurnUnknown
		return nil
	}
	switch *v {
	case 0, 90, 180, 270:
		*t = Turn(*v)
		return nil
	}
	return fmt.Errorf("a rotation is 0, 90, 180, 270 or null, not %d", *v)
}
