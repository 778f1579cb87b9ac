// Package scenario reads and runs plain-text scenarios: a board, the acts that
// follow, and what the rules have to say about each. A judge can read and write
// them; nothing in them is Go.
//
//	game l5r-emperor
//
//	scenario "A Holding is never upside down"
//	cites honor.personality
//	board
//	  h1 holding "Copper Mine" at south.home
//	act turn h1 180
//	expect finding honor.personality illegal h1
//	act turn h1 0
//	expect ended honor.personality h1
//
// One statement stands on each line; # begins a comment, indentation means
// nothing, names with spaces stand in double quotes.
//
// Before the first scenario, for all that follow in the file:
//
//	game ID               the pack, "l5r-emperor"
//	lang TAG              the language of findings; the pack's first if left out
//	table with zones      the standard table (see [Table]); the default
//	table without zones   a table that nobody calibrated
//
// In a scenario:
//
//	scenario "TITLE"      begins one
//	cites RULE ...        the rules that it shows
//	board                 the copies that follow lay there at the first look:
//	  ID CARD [at ZONE] [turned N | slanted N | turned unknown] [face up|down|unknown]
//	                      CARD is a type and a name (holding "Copper Mine"), or
//	                      "unknown" while nobody knows which card it is; N are
//	                      degrees clockwise from the up of the copy's seat
//	act place ID CARD …   a copy comes onto the table, written as on a board
//	act move ID to ZONE   … and what else the same act did: turned N, face down
//	act turn ID N         or: slanted N, or: unknown
//	act flip ID FACE      up, down or unknown (and turned N)
//	act name ID CARD      it is now known which card it is
//	act remove ID         it is gone
//	act wait DURATION     time passes ("90s"); each other act takes five seconds
//
// After the board or an act, what must follow from it:
//
//	expect finding RULE SEVERITY ID   a finding opens (illegal, suspicious, info)
//	expect ended RULE ID              it ends
//	expect nothing                    the same as no such line
//	expect event KIND ID              card.bowed h1
//	expect state ID WORD ...          the copy's state is now this; "none" for empty
//	expect text ID "PART"             the copy's open findings say this
//
// Findings are always complete: one that no line expects fails the scenario.
// Events are complete and in order as soon as one is expected.
package scenario
