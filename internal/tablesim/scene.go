package tablesim

import (
	"image/color"

	"tabletop/board"
)

// Scene is what is on and over the table at one moment. The zero Scene is an
// empty table.
//
// Things are drawn in this order, later over earlier: Items at rest (Lift 0) in
// slice order, Tokens, Dice, Objects, Items off the table (Lift above 0) in
// slice order, Hands.
type Scene struct {
	Items   []Item
	Tokens  []Token
	Dice    []Die
	Objects []Object
	Hands   []Hand
}

// Item is one physical card. The order in Scene.Items is the stacking order,
// the last on top.
type Item struct {
	ID   board.CopyID
	Card board.CardID
	// Centre is where the card's middle lies on the table, in millimetres.
	Centre board.Point
	// AngleDeg is the direction of the printed top of the side that lies up,
	// clockwise from the image's up. A landscape card at 0 lies with its long
	// edge across while it is face up; its back is portrait like any other.
	AngleDeg float64
	// Face is FaceUp or FaceDown; anything else counts as FaceUp.
	Face board.Face
	// Sleeve is the plastic around the card; the zero Sleeve is none.
	Sleeve Sleeve
	// Foil makes the face shimmer in the colours of the rainbow.
	Foil bool
	// Pile is how many more cards lie squarely under this one and belong to it:
	// 39 makes it the top of a deck of 40. Truth knows only the top card.
	Pile int
	// Lift is the height above the table in millimetres while the card is in
	// the air; 0 lets it lie on whatever is under it.
	Lift float64
	// Travel and Spin are how far the card moves (millimetres) and turns
	// (degrees) while the shutter is open: they smear it. Centre and AngleDeg
	// are the middle of that movement.
	Travel board.Point
	Spin   float64
	// InHand marks a card that somebody holds and that therefore is not on the
	// table: it is drawn and hides what is under it, but Truth leaves it out.
	InHand bool
}

// Sleeve is a plastic sleeve.
type Sleeve struct {
	// Border is how far the sleeve stands out around the card, in millimetres;
	// 0 means no sleeve.
	Border float64
	// Colour is that of the border and, when Opaque, of the sleeve's back.
	// A transparent colour (A 0) makes the border clear plastic.
	Colour color.RGBA
	// Opaque sleeves hide the card's back behind their own.
	Opaque bool
	// Gloss is how strongly the sleeve mirrors lamps, in [0,1].
	Gloss float64
}

// Token is a flat round counter or glass bead.
type Token struct {
	Centre board.Point // mm
	Radius float64     // mm; 0 takes 10
	Colour color.RGBA
	Glass  bool // a domed glass bead rather than a flat counter
	Label  string
}

// Die is a die at rest.
type Die struct {
	Centre   board.Point // mm
	AngleDeg float64
	Sides    int // 6 (default), 10 or 20
	Value    int // what lies up
	SizeMM   float64
	Colour   color.RGBA
}

// ObjectKind names a thing on the table that is not a card.
type ObjectKind string

// The things that lie about on tables.
const (
	ObjectPhone    ObjectKind = "phone"
	ObjectBankCard ObjectKind = "bank-card"
	ObjectDeckBox  ObjectKind = "deck-box"
	ObjectPad      ObjectKind = "note-pad"
	ObjectPen      ObjectKind = "pen"
	ObjectMug      ObjectKind = "mug"
)

// Object is a thing on the table that is not a card: a distractor.
type Object struct {
	Kind     ObjectKind
	Centre   board.Point // mm
	AngleDeg float64
	Seed     uint64 // chooses its look
}

// HandPose is what a hand is doing.
type HandPose string

// The poses a hand can be drawn in.
const (
	HandFlat  HandPose = "flat"  // laid down, fingers spread
	HandPinch HandPose = "pinch" // holding a card's edge between thumb and fingers
	HandPoint HandPose = "point" // one finger out
)

// Hand is a hand with its forearm, reaching over the table.
type Hand struct {
	// Tip is where the fingertips are, in millimetres: for HandPinch the place
	// where thumb and forefinger meet.
	Tip board.Point
	// FromDeg is the direction the arm comes from, clockwise from the image's
	// up: 180 for a player at the bottom edge of the picture, 0 for the one
	// opposite.
	FromDeg float64
	Pose    HandPose // "" is HandPinch
	Left    bool     // a left hand
	// Lift is how high the hand is over the table, in millimetres; 0 takes what
	// suits the pose. A higher hand throws a wider and softer shadow.
	Lift float64
	// Look chooses skin, clothing and proportions; the same Look is the same
	// person.
	Look uint64
	// Travel is how far the hand moves while the shutter is open, in millimetres.
	Travel board.Point
}
