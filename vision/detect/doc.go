// Package detect finds cards in one picture, as quads to a fraction of a pixel,
// without knowing which cards there are.
//
// A card is a rectangle of known proportions on a plane that it shares with all
// other cards of the picture. The package looks for straight edges that close
// to such a rectangle, finds the plane and the size on which they agree, and
// then places each side anew on the full picture. Outlines that are but a line
// on the table, zones printed on a playmat, are left out before that.
//
// Cards that lie partly under others are looked for last, when plane and size
// are known: two sides that meet in a corner say where the whole card lies, and
// then all that is in view of its outline has to be an edge.
//
// It refuses to say which card it is or which end is its top (package identify
// and upright do). It does not find cards of which others hide more than seven
// tenths, nor those that lie under things that are no cards.
package detect
