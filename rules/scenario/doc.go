// Package scenario reads and runs plain-text scenarios: a board, what happens
// on it or is declared, and what the rules have to say about each. A judge can
// read and write them; nothing in them is Go.
//
//	game l5r-emperor l5r-samurai
//	source "EE and SE, Honorable and dishonorable"
//
//	scenario "A Holding is never upside down"
//	rule: honor.personality
//	shows: broken
//	board
//	  h1 holding "Copper Mine" at south.home
//	act turn h1 180
//	expect finding honor.personality illegal h1
//	act turn h1 0
//	expect ended honor.personality h1
//
// One statement stands on each line; # begins a comment, indentation means
// nothing, names with spaces stand in double quotes. The colon after a heading
// may be left out.
//
// Before the first scenario, for all that follow in the file:
//
//	game ID ...           the packs; with several, each scenario is run for each
//	lang TAG              the language of findings; the pack's first if left out
//	source "PASSAGE"      what the scenarios stand on
//	table with zones      the standard table (see [Table]); the default
//	table without zones   a table that nobody calibrated
//	table areas KIND ... [shared KIND ...]
//	                      a table with these areas for each seat ("south.home")
//	                      and these that nobody owns ("battlefield")
//
// In a scenario:
//
//	scenario "TITLE"      begins one
//	game: ID ...          as above, for this one alone
//	lang: TAG
//	source: "PASSAGE"
//	rule: RULE ...        the rules that it shows
//	shows: obeyed         no finding and no answer says that one of them is broken
//	shows: broken         each of them is found, or said to be broken
//	shows: prompt         each of them makes the table owe something
//	pace DURATION         how long each act takes; five seconds if left out
//	board                 the copies that follow lay there at the first look:
//	  ID CARD [OPTION ...]
//	                      CARD is a type and a name (holding "Copper Mine"), or
//	                      "unknown" while nobody knows which card it is. Options:
//	                      at ZONE (in none if left out); on ID (squarely over it), under ID (tucked
//	                      under it), beside ID (edge to edge); turned N, slanted N
//	                      or turned unknown (degrees clockwise from the up of the
//	                      copy's seat); face up, down or unknown; with force=3 (an
//	                      attribute of the card; with landscape=true it is
//	                      printed across); owner SEAT, controller SEAT
//	act place ID CARD ... a copy comes onto the table, written as on a board
//	act move ID to ZONE   or: under ID, beside ID, on ID; … and what else the same
//	                      act did: turned N, face down
//	act turn ID N         or: slanted N, or: unknown
//	act flip ID FACE      up, down or unknown (and turned N)
//	act name ID CARD      it is now known which card it is
//	act remove ID         it is gone
//	act wait DURATION     time passes ("90s")
//	declare KIND [by SEAT] [with ID ...] [target ID ...] [at ZONE] [amount N]
//	        [NAME=VALUE ...] [ruled] [as NAME]
//	                      someone declares an action; a later VALUE of @NAME
//	                      stands for the action's id
//	correct ID card CARD  a person says what the camera got wrong; or: face up,
//	                      owner SEAT, controller SEAT, nothing
//	accept                a person takes the table as it lies
//	decide RULE ID DECISION
//	                      a judge decides an open finding: acknowledged, upheld,
//	                      dismissed, backed-up (to the board as it was first)
//	decide prompt RULE DECISION
//	restart               the program ends and goes on from its journal
//
// After the board or anything that happens, what must follow from it:
//
//	expect finding RULE SEVERITY ID   a finding opens (illegal, suspicious, info)
//	expect ended RULE ID [ENDING]     it ends (mended, taken-back, gone, …)
//	expect nothing                    the same as no such line
//	expect event KIND ID              card.bowed h1
//	expect state ID WORD ...          the copy's state is now this; "none" for empty
//	expect text ID "PART"             the copy's open findings say this
//	expect legal                      the same as no such line
//	expect illegal RULE [ID]          the action breaks the rule
//	expect says "PART"                a breach that the answer names says this
//	expect effect "PART"              an effect that the answer names says this
//	expect no effect "PART"
//	expect prompt RULE ["PART"]       a prompt opens
//	expect possible prompt RULE ["PART"]
//	expect settled RULE               a prompt ends
//	expect honor SEAT N               the seat's total is now this
//	expect mark ID WORD ...           what is declared of the copy; "none" for nothing
//	expect fact ID NAME "VALUE"       what the pack knows of the copy
//	expect out-of-step ID ...         the table is out of step by these copies
//	expect in-step                    it is not
//
// A scenario has a board, or something that happens, or both: a copy may come onto
// an empty table by an act.
//
// Findings, breaches, prompts and their ends are always complete: one that no
// line expects fails the scenario. Events of copies are complete and in order as
// soon as one is expected.
package scenario
