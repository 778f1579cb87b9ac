// Package rules says what a board means in one game and whether it is legal.
//
// An [Engine] owns the board. It is given the physical changes that the tracker
// saw and answers with events: what happened in the game's own words
// (card.bowed), and which findings opened or ended. What differs from game to
// game is a [Pack]: what a turn means, which areas are in play, which rules
// hold. The engine knows no game.
//
// Four things stay apart. A pose is what lies there; a state is what the pose
// means, as far as it says anything: an unknown turn, or one that the game has
// no meaning for, leaves the state as it was. What is declared ([board.Game]) is
// what no camera sees: an attack, a target, honor; [Engine.Declare] judges it and
// answers. A finding is what a [Rule] has to say about the table, a prompt what
// it owes. A rule may judge in several ways: [Rule.State] what must hold of any
// board, [Rule.Change] what must hold of a change, [Rule.Action] what someone
// declares; [Rule.Owe] says what the table comes to owe. Each is asked only about
// the copies that a change touched, their neighbours if it asks for them, or the
// copies that an action names, so the cost does not grow with the board.
//
// Cards get bumped, and put back. A finding ends by itself when the table is
// mended; one whose change is undone within seconds ends as taken back. After a
// misread or a mess the engine is out of step (see step.go): it says what
// differs, and goes on when the table agrees or a person accepts it.
//
// How sure a finding is depends on the evidence. Of a card that nobody knows,
// no rule may claim a breach that another card type in its place would not
// commit. Where no zones are calibrated, every card is taken to be in play.
// Where zones are calibrated and a card lies in none of them, whether it is in
// play is undetermined, and no rule claims that it entered or left.
//
// The package refuses to correct the table, to remember a finding once the
// table is mended, to fall back to another language, and to read or write
// anything outside the program.
package rules
