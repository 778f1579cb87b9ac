package board

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Pose is how a copy lies on the table once it has come to rest.
type Pose struct {
	Centre      Point   `json:"centre"`    // mm
	AngleDeg    float64 `json:"angle_deg"` // relative to the image's up
	AngleModulo float64 `json:"angle_modulo,omitempty"`
	Rotation    Turn    `json:"rotation"` // relative to the seat's up
	Face        Face    `json:"face"`
	Visible     float64 `json:"visible"`
	Confidence  float64 `json:"confidence"`
	Corners     Quad    `json:"corners"` // mm
}

// State is a sorted set of the words a game's pack gives to a pose: "bowed",
// "dishonorable", "exhausted". Empty means none of them.
type State []string

// NewState returns the sorted set of words.
func NewState(words ...string) State {
	s := State(slices.Clone(words))
	slices.Sort(s)
	return slices.Compact(s)
}

// MarshalJSON writes a list, also for the empty set: a client may walk over it
// without asking whether it is there.
func (s State) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(s))
}

// Has says whether the word is in the set.
func (s State) Has(word string) bool { return slices.Contains(s, word) }

// Equal says whether both sets hold the same words.
func (s State) Equal(t State) bool { return slices.Equal(s, t) }

// Copy is one physical card on the table.
type Copy struct {
	ID         CopyID   `json:"id"`
	Card       *CardRef `json:"card"` // nil while it is not known which card it is
	Back       BackID   `json:"back,omitempty"`
	Owner      SeatID   `json:"owner,omitempty"`
	Controller SeatID   `json:"controller,omitempty"`
	Zone       ZoneID   `json:"zone,omitempty"`
	Pose       Pose     `json:"pose"`
	State      State    `json:"state"`

	// Corrected is what a person said of the copy, and part of what stands
	// above. Whoever may not know the one may not know the other.
	Corrected *Correction `json:"corrected,omitempty"`
}

// Seat is a player's place. UpDeg is the direction from the player into the
// table, clockwise from the image's up: 0 for the player at the image's bottom
// edge, 180 for the one opposite.
type Seat struct {
	ID    SeatID  `json:"id"`
	Name  string  `json:"name,omitempty"`
	UpDeg float64 `json:"up_deg"`
}

// ZoneKind is what an area of the table is for; packs give the kinds meaning.
type ZoneKind string

// Zone kinds that calibration offers. A pack may use others.
const (
	ZoneHome           ZoneKind = "home"
	ZoneBattlefield    ZoneKind = "battlefield"
	ZoneProvince       ZoneKind = "province"
	ZoneFateDeck       ZoneKind = "fate-deck"
	ZoneDynastyDeck    ZoneKind = "dynasty-deck"
	ZoneFateDiscard    ZoneKind = "fate-discard"
	ZoneDynastyDiscard ZoneKind = "dynasty-discard"
	ZoneDeck           ZoneKind = "deck"
	ZoneDiscard        ZoneKind = "discard"
	ZoneHand           ZoneKind = "hand"
	ZoneRemoved        ZoneKind = "removed"
	ZoneSetAside       ZoneKind = "set-aside"
	ZoneResolution     ZoneKind = "resolution"    // cards whose action resolves
	ZoneEnteringPlay   ZoneKind = "entering-play" // cards that are being brought into play
	ZoneFocusing       ZoneKind = "focusing"      // cards focused in a duel
)

// Zone is an area of the table. Outline is relative to the play area: [0,1]
// from its top-left corner, so that a new calibration keeps it in place.
type Zone struct {
	ID      ZoneID   `json:"id"`
	Kind    ZoneKind `json:"kind"`
	Seat    SeatID   `json:"seat,omitempty"` // empty: shared
	Outline Polygon  `json:"outline"`
}

// Layout is the table as calibration describes it.
type Layout struct {
	Size  Size   `json:"size_mm"` // of the play area
	Seats []Seat `json:"seats"`
	Zones []Zone `json:"zones"`
}

// ZoneAt returns the first zone that contains a place given in millimetres.
func (l Layout) ZoneAt(p Point) (Zone, bool) {
	if l.Size.Width <= 0 || l.Size.Height <= 0 {
		return Zone{}, false
	}
	rel := Point{p.X / l.Size.Width, p.Y / l.Size.Height}
	for _, z := range l.Zones {
		if z.Outline.Contains(rel) {
			return z, true
		}
	}
	return Zone{}, false
}

// Zone returns the zone of that name.
func (l Layout) Zone(id ZoneID) (Zone, bool) {
	i := slices.IndexFunc(l.Zones, func(z Zone) bool { return z.ID == id })
	if i < 0 {
		return Zone{}, false
	}
	return l.Zones[i], true
}

// Seat returns the seat of that name.
func (l Layout) Seat(id SeatID) (Seat, bool) {
	i := slices.IndexFunc(l.Seats, func(s Seat) bool { return s.ID == id })
	if i < 0 {
		return Seat{}, false
	}
	return l.Seats[i], true
}

// Board is the state of the table: every copy by its id, the findings and
// prompts that are open, and what is declared of the game.
type Board struct {
	Layout   Layout                `json:"layout"`
	Copies   map[CopyID]Copy       `json:"copies"`
	Findings map[FindingID]Finding `json:"findings"`
	Prompts  map[PromptID]Prompt   `json:"prompts,omitempty"`
	Game     *Game                 `json:"game,omitempty"` // nil while nothing is declared
}

// NewBoard returns an empty board over a layout.
func NewBoard(layout Layout) Board {
	return Board{Layout: layout, Copies: map[CopyID]Copy{}, Findings: map[FindingID]Finding{}, Prompts: map[PromptID]Prompt{}}
}

// Clone returns a board that shares nothing changeable with b.
func (b Board) Clone() Board {
	b.Copies = maps.Clone(b.Copies)
	b.Findings = maps.Clone(b.Findings)
	b.Prompts = maps.Clone(b.Prompts)
	if b.Game != nil {
		g := b.Game.Clone()
		b.Game = &g
	}
	return b
}

// Clock tells the time; tests pass their own.
type Clock interface{ Now() time.Time }

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now returns the time, in UTC, with its monotonic reading.
func (SystemClock) Now() time.Time { return time.Now() }
