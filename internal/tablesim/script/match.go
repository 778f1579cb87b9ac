package script

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

// A match is a game that is made up act by act from a seed: what two players
// with a deck of sixty each would do, without sense but by the rules of the
// script. It is longer and fuller than a game one would write by hand.
const (
	deckSize  = 60
	copiesMax = 3 // of one card in a deck
	// handsShare is for how much of the time a hand is in view.
	handsShare = 1.0 / 3
)

// MatchText is the script of a match of about the given length. The deck must
// be the fictional one. Every card lies free but for those in the decks and
// discard piles.
func MatchText(d *deck.Deck, seed uint64, length time.Duration) (string, error) {
	m := &match{rng: rand.New(rand.NewPCG(seed, 0x6d61746368)), deck: d, b: newBuilder(d)}
	m.tell("table 1300x731 seats south,north")
	for _, seat := range []board.SeatID{"south", "north"} {
		m.sitDown(seat)
	}
	for turn := 0; m.b.now < length && m.err == nil; turn++ {
		m.act(m.players[turn/3%2]) // three acts a turn
	}
	return m.text.String(), m.err
}

type match struct {
	rng     *rand.Rand
	deck    *deck.Deck
	text    strings.Builder
	b       *builder // compiles the text as it grows
	err     error    // the first
	players []*player
	labels  int
}

type player struct {
	seat          board.SeatID
	dynasty, fate []board.Card // what is left of the two halves of the deck
	lying         []*lyingCard
}

// lyingCard is a card on the table.
type lyingCard struct {
	label    string
	card     board.Card
	province int // 0: elsewhere
	slot     int // of the home, or 0
	battle   int // slot of the battlefield, or 0
	faceDown bool
	turn     board.Turn
}

// tell adds a line.
func (m *match) tell(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	m.text.WriteString(line + "\n")
	m.b.line, m.b.act = m.b.line+1, line
	if err := m.b.statement(fields(line)); err != nil && m.err == nil {
		m.err = fmt.Errorf("match:%d: %s: %w", m.b.line, line, err)
	}
}

func (m *match) label() string {
	m.labels++
	return fmt.Sprintf("k%d", m.labels)
}

// sitDown builds a player's deck and lays out what lies there at the start: the
// stronghold, two decks and four cards of the dynasty deck in the provinces.
func (m *match) sitDown(seat board.SeatID) {
	p := &player{seat: seat}
	var strongholds []board.Card
	for _, c := range m.deck.Cards() {
		if c.Landscape && c.Type != "stronghold" {
			continue
		}
		for range 1 + m.rng.IntN(copiesMax) {
			switch c.Type {
			case "stronghold":
				strongholds = append(strongholds, c)
			case typePersonality, typeHolding:
				p.dynasty = append(p.dynasty, c)
			case "follower", "item", "strategy":
				p.fate = append(p.fate, c)
			}
		}
	}
	for _, half := range []*[]board.Card{&p.dynasty, &p.fate} {
		m.rng.Shuffle(len(*half), func(i, j int) { (*half)[i], (*half)[j] = (*half)[j], (*half)[i] })
		*half = (*half)[:min(len(*half), deckSize/2)]
	}
	home := &lyingCard{label: m.label(), card: strongholds[m.rng.IntN(len(strongholds))], slot: firstSlot}
	m.tell("lay %s %s at %s.home %d", home.label, home.card.ID, seat, home.slot)
	m.tell("lay %s %s at %s.dynasty-deck face-down pile %d", m.label(), p.dynasty[0].ID, seat, len(p.dynasty)-4)
	m.tell("lay %s %s at %s.fate-deck face-down pile %d", m.label(), p.fate[0].ID, seat, len(p.fate))
	p.dynasty, p.fate = p.dynasty[1:], p.fate[1:]
	p.lying = append(p.lying, home)
	for i := range 4 {
		c := &lyingCard{label: m.label(), card: draw(&p.dynasty), province: i + 1, faceDown: true}
		m.tell("lay %s %s at %s.province%d face-down", c.label, c.card.ID, seat, c.province)
		p.lying = append(p.lying, c)
	}
	m.players = append(m.players, p)
}

func draw(from *[]board.Card) board.Card {
	c := (*from)[0]
	*from = (*from)[1:]
	return c
}

// Of the 13 slots of a home and of the battlefield the outermost are not used: a
// camera that does not hang quite straight cuts them.
const (
	firstSlot = 2
	lastSlot  = 12
)

// freeSlot is a slot in which none of the cards lies, or 0.
func (m *match) freeSlot(taken func(slot int) bool) int {
	for range 3 * lastSlot {
		if s := firstSlot + m.rng.IntN(lastSlot-firstSlot+1); !taken(s) {
			return s
		}
	}
	return 0
}

func (m *match) freeAtHome(p *player) int {
	return m.freeSlot(func(s int) bool {
		return slices.ContainsFunc(p.lying, func(c *lyingCard) bool { return c.slot == s })
	})
}

func (m *match) freeInBattle(p *player) int {
	return m.freeSlot(func(s int) bool {
		// The two players count from opposite ends and lie close to each other.
		for _, q := range m.players {
			for _, c := range q.lying {
				if c.battle != 0 && (c.battle == s && q == p || c.battle == firstSlot+lastSlot-s && q != p) {
					return true
				}
			}
		}
		return false
	})
}

// act has a player do one thing, and then nobody anything until hands have been
// in view for their share of the time.
func (m *match) act(p *player) {
	for !m.try(p, m.rng.IntN(100)) {
	}
	// An act takes about 1.5 s with a hand in view and 0.8 s without.
	rest := time.Duration((1500/handsShare - 2300 + 600*(m.rng.Float64()-0.5)) * float64(time.Millisecond))
	m.tell("wait %v", rest.Round(time.Millisecond))
}

// pick is one of the player's cards of a kind, or nil.
func (m *match) pick(p *player, fits func(*lyingCard) bool) *lyingCard {
	var of []*lyingCard
	for _, c := range p.lying {
		if fits(c) {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return of[m.rng.IntN(len(of))]
}

func (c *lyingCard) inPlay() bool      { return c.slot != 0 || c.battle != 0 }
func (c *lyingCard) personality() bool { return c.card.Type == typePersonality }

// try does what a number below 100 stands for, if it can be done.
func (m *match) try(p *player, what int) bool {
	switch {
	case what < 14: // turn a province up
		c := m.pick(p, func(c *lyingCard) bool { return c.province != 0 && c.faceDown })
		if c == nil {
			return false
		}
		c.faceDown = false
		m.tell("flip %s", c.label)
	case what < 28: // bring it into play, and perhaps fill the province again
		c := m.pick(p, func(c *lyingCard) bool { return c.province != 0 && !c.faceDown })
		slot := m.freeAtHome(p)
		if c == nil || slot == 0 {
			return false
		}
		m.tell("move %s to %s.home %d", c.label, p.seat, slot)
		if len(p.dynasty) > 0 && m.rng.IntN(2) == 0 {
			next := &lyingCard{label: m.label(), card: draw(&p.dynasty), province: c.province, faceDown: true}
			m.tell("place %s %s at %s.province%d face-down", next.label, next.card.ID, p.seat, next.province)
			p.lying = append(p.lying, next)
		}
		c.slot, c.province = slot, 0
	case what < 44: // play a card from the hand
		slot := m.freeAtHome(p)
		if slot == 0 || len(p.fate) == 0 {
			return false
		}
		c := &lyingCard{label: m.label(), card: draw(&p.fate), slot: slot}
		m.tell("place %s %s at %s.home %d", c.label, c.card.ID, p.seat, slot)
		p.lying = append(p.lying, c)
	case what < 60:
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && c.turn == 0 })
		if c == nil {
			return false
		}
		c.turn = 90
		m.tell("bow %s", c.label)
	case what < 70:
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && c.turn == 90 })
		if c == nil {
			return false
		}
		c.turn = 0
		m.tell("straighten %s", c.label)
	case what < 80: // to battle, or home again
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && c.personality() })
		if c == nil {
			return false
		}
		if c.battle != 0 {
			slot := m.freeAtHome(p)
			if slot == 0 {
				return false
			}
			c.slot, c.battle = slot, 0
			m.tell("move %s to %s.home %d", c.label, p.seat, slot)
			break
		}
		slot := m.freeInBattle(p)
		if slot == 0 {
			return false
		}
		c.slot, c.battle = 0, slot
		m.tell("move %s to battlefield %d by %s", c.label, slot, p.seat)
	case what < 86:
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && c.personality() && c.turn%180 == 0 })
		if c == nil {
			return false
		}
		if c.turn == 0 {
			m.tell("dishonor %s", c.label)
		} else {
			m.tell("rehonor %s", c.label)
		}
		c.turn = 180 - c.turn
	case what < 92:
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && c.card.Type != "stronghold" && c.turn == 0 })
		if c == nil {
			return false
		}
		p.lying = slices.DeleteFunc(p.lying, func(x *lyingCard) bool { return x == c })
		m.tell("discard %s", c.label)
	case what < 94: // a mistake, mended at once
		c := m.pick(p, func(c *lyingCard) bool { return c.inPlay() && !c.personality() && c.turn == 0 })
		if c == nil {
			return false
		}
		m.tell("wrong bow-counter %s", c.label)
		m.tell("straighten %s", c.label)
	default: // somebody points, or thinks aloud
		c := m.pick(p, func(c *lyingCard) bool { return true })
		m.tell("hand over %s %dms", c.label, 300+100*m.rng.IntN(10))
	}
	return true
}
