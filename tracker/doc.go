// Package tracker turns what single frames show into one stable board: copies
// that keep their identity, and the physical changes between one rest and the
// next. It answers "what lies there, and is it still the same card?", never
// "what does it mean?" and never "is it allowed?".
//
// It takes views in millimetres (board.View) and gives board.Changes. It has no
// clock and starts no goroutine: time is what the views say. The same views in
// the same order give the same changes.
//
// # What counts as a change
//
// A copy's reported pose changes only after it has been at rest, seen and not
// hidden, for the settle time, and only by more than the camera's jitter: its
// centre by more than Options.MoveMM, or its quarter turn, or its face, or the
// card it is known to be. What lies between two rests is not reported. One odd
// frame (a missed card, a false card, a misread name or turn) changes nothing.
//
// # Gone, or only not seen
//
//   - inside an obscured place (a hand): covered; nothing changes.
//   - under another card that covers most of it: covered; nothing changes.
//   - its place is in plain view without it: lifted. It is removed after the
//     settle time, but while something big enough to carry a card is still over
//     the table only after Options.Carry, since it may be in that hand. When
//     most of the table vanishes at once, the camera is doubted before the
//     players and Carry applies as well.
//
// # Which copy is it
//
// Frames are associated with copies in three passes, each on what the one
// before left over, so that the cost grows with what changed: in place (a grid
// look-up), nearby (an optimal assignment over distance, angle, face and
// overlap, limited to how far a hand moves between two frames), and anywhere
// (a copy that has left its place and a newcomer that shows the same card;
// nearest first when several do). A newcomer that is not named takes over a
// copy only where both are nameless or lie face down with the same back and
// there is exactly one of each.
//
// A known card that reads as another card in the same place without anything
// having been near it is a misread, and votes; after something was near it, or
// after a gap in time, it is another card on top.
//
// A copy that lies face down keeps the card it was known to be in Copy.Card.
// That is a secret; whoever publishes the board must filter it by role.
//
// # Whose it is
//
// The owner is the seat of the zone the copy first came to rest in, or, in a
// shared zone or none, of the player on whose side of the table's middle it
// lies. It never changes. The controller starts as the owner and becomes the
// seat of each zone the copy is moved to, shared zones, provinces and battlefields
// leaving it as it is.
// Pose.Rotation is relative to the controller's seat.
//
// # Limits
//
// In stills (Options.SettleFrames) every view follows a gap, so a name misread
// in as many views as it takes to settle is taken for another card on top. Two
// copies of one card that swap places while hidden can't be told apart, and
// cards that are moved while another card covers them wholly are reported as
// removed once their place is seen empty.
package tracker
