// Package board holds the words every other package speaks: cards and their
// copies, where they lie, what a frame showed, what changed, and what a rule
// had to say about it. It does no I/O, knows no game and needs only the
// standard library, so anything may import it and it imports nothing of ours.
//
// Conventions, used without exception:
//
//   - Pixels: x right, y down, origin at the image's top left.
//   - Table plane: millimetres, same handedness, origin at the play area's
//     top-left corner as the camera sees it.
//   - Angles: degrees in [0,360), clockwise positive, the direction of the
//     card's printed top; 0 points up (image up, or a seat's up).
//   - Corners: printed top-left, top-right, bottom-right, bottom-left of the
//     whole card, also where something covers it.
package board
