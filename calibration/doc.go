// Package calibration knows how the camera sees the table: the lens, the plane
// that takes pixels to millimetres, the seats and the zones, the file they are
// kept in, and whether all that still holds.
//
// The plane comes from the four corners of the play area, clicked in the
// picture (NewPlane), or from the cards that lie on the table, each of which
// is a rectangle of known size (FitCards).
//
// The package looks at no picture and opens no camera: it is given the places
// that others found. It never guesses on: a calibration that does not fit the
// camera's picture is an error.
package calibration
