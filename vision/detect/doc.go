// Package detect finds cards that lie free in one picture, as quads to a
// fraction of a pixel, without knowing which cards there are.
//
// A card is a rectangle of known proportions on a plane that it shares with all
// other cards of the picture. The package looks for straight edges that close
// to such a rectangle, finds the plane and the size on which they agree, and
// then places each side anew on the full picture. Outlines that are but a line
// on the table, zones printed on a playmat, are left out before that.
//
// It refuses to say which card it is or which end is its top (package identify
// and upright do), and it does not look for cards that others cover.
package detect
