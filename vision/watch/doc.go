// Package watch turns the frames of a camera that hangs still over a table
// into views of the cards on it, at a cost that grows with what changed.
//
// A frame is first compared at low resolution with how the table last looked
// at rest. Where nothing differs, the cards known there are reported as they
// were. Where something moves, the place is obscured. Where something differs
// and has stopped moving, that region alone goes to the scanner at full
// resolution. A card that a hand partly covers is recognised by the part of it
// that still shows; one that is wholly covered is neither reported nor gone but
// lies inside an obscured place, until the table is seen where it lay.
//
// The package gives no card an identity over time (a card that moves is another
// card to it), waits for no settle time and knows no millimetres: those belong
// to the tracker and to calibration.
package watch
