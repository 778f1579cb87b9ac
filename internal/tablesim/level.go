package tablesim

import (
	"fmt"
	"strings"
)

// Range is a closed interval that a value is drawn from.
type Range struct{ Min, Max float64 }

// Level is a named difficulty: the conditions that a picture is taken under and
// what lies about on the table. Every field may be changed before use; ranges
// are drawn from by seed.
type Level struct {
	Name string
	// Tables are the grounds that the seed chooses among.
	Tables []TableKind
	// CardPx is how tall a card stands in a picture 1080 pixels high.
	CardPx Range
	// TiltDeg is the camera's tilt.
	TiltDeg Range
	// K1 is the lens's first radial coefficient.
	K1 Range
	// BlurPx is the standard deviation of the focus blur, in pixels of a
	// picture 1080 high.
	BlurPx Range
	// Noise is the standard deviation of the sensor noise in mid grey, in
	// 8-bit steps.
	Noise Range
	// Light is how uneven the light is: 0 flat, 1 a single lamp beside the table.
	Light Range
	// Vignette is the loss of light in the picture's corners.
	Vignette Range
	// Cast is how far the white balance is off, in [0,1].
	Cast Range
	// Glare is the strength of lamps mirrored in gloss.
	Glare Range
	// Drift is how far the exposure wanders over time, as a share.
	Drift float64
	// JPEGQuality is that of stills, in [1,100].
	JPEGQuality int
	// Layout says what RandomScene puts on the table.
	Layout LayoutMix
}

// LayoutMix is what RandomScene may put on the table. Shares are probabilities.
type LayoutMix struct {
	Cards    Range   // how many cards lie on the table
	FaceDown float64 // share of cards that lie face down
	Square   float64 // share of cards at about a quarter turn rather than any angle
	Units    Range   // how many cards have others tucked under them
	Fans     Range   // rows of cards that overlap sideways
	Stacks   Range   // decks and discard piles
	Dice     float64 // share of cards with a die on them
	Tokens   float64 // share of cards with a token on them
	Sleeved  float64 // share of scenes in which cards are sleeved
	Foils    float64 // share of cards printed on foil
	Objects  Range   // phones, boxes and the like
	Hands    float64 // share of scenes with a hand over the table
	HeldFans float64 // share of scenes with a hand of cards held at the edge
	CutOff   float64 // share of places that the picture's edge may cut
}

// TableKind names a ground.
type TableKind string

// The grounds.
const (
	TableDarkCloth  TableKind = "dark-cloth"
	TableLightCloth TableKind = "light-cloth"
	TableWood       TableKind = "wood"
	TablePlaymat    TableKind = "playmat"  // one mat with a picture for each player
	TableNeoprene   TableKind = "neoprene" // a plain mat with printed zones
)

// Levels lists the named levels from easy to hard.
func Levels() []Level {
	all := []TableKind{TableDarkCloth, TableLightCloth, TableWood, TablePlaymat, TableNeoprene}
	return []Level{
		{
			Name: "easy", Tables: all,
			CardPx: Range{75, 140}, TiltDeg: Range{0, 5}, K1: Range{-0.02, 0.01},
			BlurPx: Range{0.5, 0.75}, Noise: Range{1, 2.2}, Light: Range{0.05, 0.3}, Vignette: Range{0.02, 0.15},
			Cast: Range{0, 0.3}, Glare: Range{0, 0.15}, Drift: 0.01, JPEGQuality: 90,
			Layout: LayoutMix{Cards: Range{8, 22}, FaceDown: 0.12, Square: 0.75, Dice: 0.12, Tokens: 0.1},
		},
		{
			Name: "table", Tables: all,
			CardPx: Range{75, 140}, TiltDeg: Range{0, 12}, K1: Range{-0.05, 0.02},
			BlurPx: Range{0.55, 0.9}, Noise: Range{1.5, 3.2}, Light: Range{0.15, 0.6}, Vignette: Range{0.05, 0.25},
			Cast: Range{0, 0.7}, Glare: Range{0.2, 0.65}, Drift: 0.02, JPEGQuality: 85,
			Layout: LayoutMix{Cards: Range{16, 44}, FaceDown: 0.15, Square: 0.85, Units: Range{2, 6}, Fans: Range{0, 2}, Stacks: Range{1, 4},
				Dice: 0.12, Tokens: 0.1, Sleeved: 0.6, Foils: 0.05, Objects: Range{0, 3}, Hands: 0.25, HeldFans: 0.15, CutOff: 0.03},
		},
		{
			Name: "hard", Tables: all,
			CardPx: Range{60, 120}, TiltDeg: Range{8, 25}, K1: Range{-0.14, 0.04},
			BlurPx: Range{0.7, 1.3}, Noise: Range{2.5, 5}, Light: Range{0.3, 0.9}, Vignette: Range{0.1, 0.4},
			Cast: Range{0.2, 1}, Glare: Range{0.3, 0.8}, Drift: 0.04, JPEGQuality: 75,
			Layout: LayoutMix{Cards: Range{20, 56}, FaceDown: 0.15, Square: 0.8, Units: Range{3, 8}, Fans: Range{1, 3}, Stacks: Range{2, 4},
				Dice: 0.2, Tokens: 0.15, Sleeved: 0.75, Foils: 0.1, Objects: Range{1, 4}, Hands: 0.5, HeldFans: 0.25, CutOff: 0.03},
		},
	}
}

// LevelByName returns the level of that name, or an error that lists the names.
func LevelByName(name string) (Level, error) {
	var names []string
	for _, l := range Levels() {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Level{}, fmt.Errorf("tablesim: there is no level %q; the levels are %s", name, strings.Join(names, ", "))
}
