package script

import (
	"slices"

	"tabletop/board"
)

// model is what the script knows of a copy beyond how it is drawn.
type model struct {
	label string
	laid  bool // lay there at the first look
	line  int
	card  board.Card
	owner board.SeatID
	// as it lies
	controller board.SeatID
	zone       board.Zone
	turn       board.Turn // relative to the controller's up
	face       board.Face
	// as a scanner that sees everything has it
	known        bool // which card it is has been seen
	bowed        bool
	dishonorable bool
	enteredBowed bool
	moved        bool // by the act under way
	findings     []board.RuleID
}

// The reports of the game's own.
const (
	eventBowed        board.EventKind = "card.bowed"
	eventStraightened board.EventKind = "card.straightened"
	eventDishonored   board.EventKind = "card.dishonored"
	eventRehonored    board.EventKind = "card.rehonored"
)

// Findings that follow from how a card lies, in the order they are reported.
const (
	ruleBowCounter       board.RuleID = "bow.counter"
	ruleBowInPlay        board.RuleID = "bow.in-play"
	ruleBowTurn          board.RuleID = "bow.turn"
	ruleBowEnter         board.RuleID = "bow.enter"
	ruleHonorPersonality board.RuleID = "honor.personality"
)

const (
	typePersonality = "personality"
	typeHolding     = "holding"
)

// slantedTurn is how far a card is turned that lies between two quarter turns: a
// few degrees beyond the diagonal, where nobody takes it for either, nor for the
// one it lay at before.
const slantedTurn board.Turn = 52

func (m model) personality() bool { return m.card.Type == typePersonality }

func (m model) inPlay() bool {
	return m.zone.Kind == board.ZoneHome || m.zone.Kind == board.ZoneBattlefield
}

func (m model) outOfPlay() bool {
	switch m.zone.Kind {
	case board.ZoneFateDeck, board.ZoneDynastyDeck, board.ZoneFateDiscard, board.ZoneDynastyDiscard:
		return true
	}
	return false
}

// settle works the state out after an act that began at before (nil: placed)
// and returns the reports, in order: of the copy, then findings that ended,
// then findings that opened.
func (m *model) settle(before *model) []Expected {
	var out []Expected
	tell := func(kind board.EventKind) { out = append(out, Expected{Kind: kind}) }
	named := !m.known && m.face == board.FaceUp
	m.known = m.known || named
	m.readTurn()
	switch {
	case before == nil:
		tell(board.EventPlaced)
		m.enteredBowed = !m.laid && m.known && m.inPlay() && m.bowed && m.card.Type != typeHolding
	default:
		if m.zone.ID != before.zone.ID || m.moved {
			tell(board.EventMoved)
		}
		if m.turn != before.turn {
			crossed := (before.inPlay() && m.outOfPlay()) || (before.outOfPlay() && m.inPlay())
			for _, kind := range m.turnReports(before, crossed) {
				tell(kind)
			}
		}
		if m.face != before.face {
			tell(board.EventFlipped)
		}
		if named {
			tell(board.EventNamed)
		}
		m.enteredBowed = m.enteredBowed && m.bowed
	}
	m.moved = false
	now := m.judge()
	for _, r := range m.findings {
		if !slices.Contains(now, r) {
			out = append(out, Expected{Kind: board.EventFindingEnded, Rule: r})
		}
	}
	for _, r := range now {
		if !slices.Contains(m.findings, r) {
			out = append(out, Expected{Kind: board.EventFindingOpened, Rule: r})
		}
	}
	m.findings = now
	return out
}

// readTurn reads bowed and dishonorable from the turn. A turn that is no state
// of this card leaves them as they were.
func (m *model) readTurn() {
	personality := m.known && m.personality()
	switch {
	case m.turn == 0 || m.turn == 90:
		m.bowed, m.dishonorable = m.turn == 90, false
	case personality:
		m.bowed, m.dishonorable = m.turn == 270, true
	}
	if m.outOfPlay() {
		m.bowed, m.dishonorable = false, m.dishonorable && m.face == board.FaceUp
	}
}

func (m *model) turnReports(before *model, crossed bool) []board.EventKind {
	var kinds []board.EventKind
	if !crossed {
		switch {
		case m.dishonorable && !before.dishonorable:
			kinds = append(kinds, eventDishonored)
		case !m.dishonorable && before.dishonorable:
			kinds = append(kinds, eventRehonored)
		}
		switch {
		case m.bowed && !before.bowed:
			kinds = append(kinds, eventBowed)
		case !m.bowed && before.bowed:
			kinds = append(kinds, eventStraightened)
		}
	}
	if len(kinds) == 0 {
		kinds = append(kinds, board.EventTurned)
	}
	return kinds
}

func (m *model) judge() []board.RuleID {
	if !m.known {
		return nil
	}
	var rules []board.RuleID
	if m.turn == slantedTurn && !m.outOfPlay() {
		rules = append(rules, ruleBowTurn)
	}
	if m.turn == 270 && !m.personality() && !m.outOfPlay() {
		rules = append(rules, ruleBowCounter)
	}
	if m.turn%180 == 90 && m.outOfPlay() {
		rules = append(rules, ruleBowInPlay)
	}
	if m.enteredBowed {
		rules = append(rules, ruleBowEnter)
	}
	if m.turn == 180 && !m.personality() {
		rules = append(rules, ruleHonorPersonality)
	}
	return rules
}

// removed are the reports of a copy that is taken away.
func (m *model) removed() []Expected {
	out := []Expected{{Kind: board.EventRemoved}}
	rules := slices.Clone(m.findings)
	slices.Sort(rules)
	for _, r := range rules {
		out = append(out, Expected{Kind: board.EventFindingEnded, Rule: r})
	}
	return out
}
