// Package script tells games on the simulated table in plain text, so that a
// test reads like a game and a demo can be written by somebody who only plays.
//
// A script compiles to a Game: for each moment the scene on the table, with
// the hands that bring it about, and the list of what a scanner that sees
// everything must report, in order. The package decides nothing by looking at
// pictures and shares no code with the scanner's own tracker and rules: it is
// the other opinion that they are compared with. It knows the physical states
// of Legend of the Five Rings cards and the findings that a single look gives;
// everything else a script says itself with expect.
//
// # Example
//
//	lay   castle castle-of-reeds at south.home 1
//	lay   p1     minasato-yurie  at south.province1 face-down
//	place mine   silver-mine     at south.home 3
//	flip  p1
//	bow   mine
//	move  p1 to south.home 5
//	hand over p1 2s
//	wrong upside-down mine
//	straighten mine
//	discard mine
//
// # Grammar
//
// One statement a line. # begins a comment. Words are separated by spaces;
// names of copies are letters, digits, - and _. Durations are Go's ("500ms",
// "2s"). Angles are quarter turns from the up of the copy's seat.
//
// About the table, before anything else:
//
//	table WxH seats SEAT,SEAT   the play area in mm and who sits at it; without
//	                            the line, 900x600 and south,north
//	pace N                      acts go N times as fast (0.25 to 4)
//
// Before the first act, and seen in the first frame:
//
//	lay COPY CARD at PLACE [face-down] [bowed] [pile N]
//	                            a copy lies there; pile N makes it the top of a
//	                            squared pile of N cards
//	die VALUE on COPY           a six-sided die; tokens and dice stay on their
//	die VALUE at PLACE          copy when it is moved and stay on the table
//	token LABEL on COPY         when it is gone. Also allowed among the acts.
//	token LABEL at PLACE
//
// Acts. Each is done by a hand, which comes in from its player's side and goes
// out again before the next act. Its player is the copy's controller unless the
// line ends with "by SEAT":
//
//	place COPY CARD at PLACE [face-down] [bowed]
//	move COPY to PLACE          turned to face the player of a zone it comes to
//	bow COPY                    a quarter turn clockwise
//	straighten COPY             back; also mends either wrong turn
//	dishonor COPY               half a turn
//	rehonor COPY                back
//	flip COPY                   turned over in place
//	attach COPY to COPY         tucked under the other, its head showing beyond it
//	discard COPY                a face-up copy upright to its owner's discard pile:
//	                            fate for followers, items and strategies,
//	                            dynasty for all else
//	remove COPY                 off the table
//	wrong bow-counter COPY      a quarter turn counter-clockwise on a card that
//	                            can't be dishonorable
//	wrong upside-down COPY      half a turn on one
//	wrong slanted COPY          left between two quarter turns
//
// Between acts:
//
//	hand over COPY DURATION     a hand passes and stays over a copy or a place;
//	hand over PLACE DURATION    "by SEAT" here too
//	wait DURATION               nothing moves
//	clear                       every copy is gathered up, one after the other;
//	                            dice and tokens go too
//	expect EVENT COPY [RULE]    a report that the previous act leads to beyond
//	                            what the package works out itself
//	repeat                      the last line: the game begins again
//
// A CARD is a card of the deck by its id. A PLACE is "X,Y" in millimetres or a
// zone, by itself for its first free slot or with the number of a slot, counted
// from the left as its player sees it (in a shared zone, the acting player).
// Slots are 97 mm apart, so that a bowed card fits. In decks, discard piles and
// provinces, which have a single slot, cards are put on top of each other.
//
// # What is expected
//
// The events are those of the scanner's rules for l5r-emperor: card.placed,
// card.moved, card.turned, card.bowed, card.straightened, card.dishonored,
// card.rehonored, card.flipped, card.named, card.removed; finding.opened and
// finding.ended for bow.counter, bow.in-play, bow.enter, bow.turn and
// honor.personality.
// A turn that changes no state of the game is card.turned. A card that was laid
// face down and is turned up is named as well.
package script
