package script

import (
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
)

// clip is a stretch of the game in which one hand does one thing: it comes in,
// works, goes out, and the table rests.
type clip struct {
	start, length time.Duration
	in, work, out time.Duration // 0, 0, 0: no hand

	before, after []tablesim.Item // at rest, bottom first
	dice          []extra
	movers        []mover

	how   manner
	seat  board.Seat // whose hand it is
	table board.Size
	look  uint64
	grip  board.Point // where the hand goes
	let   board.Point // where it lets go
}

// manner is how a card gets from one pose to the next.
type manner int

const (
	rests   manner = iota
	slides         // on the table
	carried        // through the air
	appears        // carried in from off the table
	leaves         // carried off the table
	turns          // turned over under a flat hand
	passes         // nothing moves but the hand
)

// mover is a card that goes with the hand.
type mover struct{ from, to tablesim.Item }

// extra is a die or token, on a copy or by itself.
type extra struct {
	on    board.CopyID // "" lies on the table
	at    board.Point  // relative to the copy's centre, or on the table
	die   *tablesim.Die
	token *tablesim.Token
}

const (
	// beyond is how far outside the play area a hand waits, in millimetres.
	beyond = 130
	// held is the distance from the middle of a held card to the fingertips.
	held = 32
	// liftMM is how high a card is carried.
	liftMM = 30
)

// gripOf is where a hand from a seat takes hold of a card.
func gripOf(centre board.Point, seat board.Seat, how manner) board.Point {
	if how == turns || how == passes {
		return centre.Sub(towards(seat).Scale(45)) // the palm over the card
	}
	return centre.Add(towards(seat).Scale(held))
}

// ease is a movement from 0 to 1 that starts and ends gently.
func ease(u float64) float64 {
	u = math.Max(0, math.Min(1, u))
	return u * u * (3 - 2*u)
}

func lerp(a, b board.Point, u float64) board.Point { return a.Add(b.Sub(a).Scale(u)) }

// phase is how far a moment lies in a stretch that begins at from: 0 before, 1
// after.
func phase(t, from, length time.Duration) float64 {
	if length <= 0 {
		if t < from {
			return 0
		}
		return 1
	}
	return math.Max(0, math.Min(1, float64(t-from)/float64(length)))
}

// outside is where a hand that reaches for a place comes from.
func (c *clip) outside(p board.Point, size board.Size) board.Point {
	dir := towards(c.seat)
	middle := board.Point{X: size.Width / 2, Y: size.Height / 2}
	edge := middle.Sub(p).Dot(dir) + (math.Abs(dir.X)*size.Width+math.Abs(dir.Y)*size.Height)/2
	across := board.Point{X: dir.Y, Y: -dir.X}
	return p.Add(dir.Scale(edge + beyond)).Add(across.Scale(middle.Sub(p).Dot(across) * 0.2))
}

func (c *clip) scene(t time.Duration) tablesim.Scene {
	var s tablesim.Scene
	handling := t >= c.in && t < c.in+c.work
	switch {
	case t < c.in:
		s.Items = slices.Clone(c.before)
	case handling && c.how != passes:
		for _, it := range c.before {
			if !slices.ContainsFunc(c.movers, func(m mover) bool { return m.from.ID == it.ID }) {
				s.Items = append(s.Items, it)
			}
		}
	default:
		s.Items = slices.Clone(c.after)
	}
	if c.how != rests && t < c.in+c.work+c.out {
		s.Hands = []tablesim.Hand{c.hand(t)}
	}
	for _, m := range c.movers {
		switch {
		case c.how == appears && t < c.in+c.work, c.how == leaves && t >= c.in && t < c.in+c.work+c.out:
			s.Items = append(s.Items, c.inHand(m, t, s.Hands[0].Tip))
		case handling && c.how != appears && c.how != leaves:
			s.Items = append(s.Items, c.between(m, ease(phase(t, c.in, c.work))))
		}
	}
	c.addExtras(&s)
	return s
}

// hand is where the hand is.
func (c *clip) hand(t time.Duration) tablesim.Hand {
	h := tablesim.Hand{FromDeg: board.NormalizeDeg(c.seat.UpDeg + 180), Look: c.look, Pose: tablesim.HandPinch}
	if c.how == turns || c.how == passes {
		h.Pose = tablesim.HandFlat
	}
	size := c.table
	switch {
	case t < c.in:
		h.Tip = lerp(c.outside(c.grip, size), c.grip, ease(phase(t, 0, c.in)))
	case t < c.in+c.work:
		h.Tip = lerp(c.grip, c.let, ease(phase(t, c.in, c.work)))
	default:
		h.Tip = lerp(c.let, c.outside(c.let, size), ease(phase(t, c.in+c.work, c.out)))
	}
	return h
}

// inHand is a card that the hand brings or takes, between the table's edge and
// its place.
func (c *clip) inHand(m mover, t time.Duration, tip board.Point) tablesim.Item {
	it := m.to
	it.Centre = tip.Sub(towards(c.seat).Scale(held))
	if c.how == appears {
		it.Lift = liftMM * (1 - ease(phase(t, c.in, c.work)))
	} else {
		it.Lift = liftMM * ease(phase(t, c.in, c.work))
	}
	it.Lift = math.Max(it.Lift, 0.5) // in the hand, so above all that lies
	it.InHand = true
	return it
}

// between is a card on its way.
func (c *clip) between(m mover, u float64) tablesim.Item {
	it := m.from
	it.Centre = lerp(m.from.Centre, m.to.Centre, u)
	it.AngleDeg = board.NormalizeDeg(m.from.AngleDeg + board.AngleDiff(m.to.AngleDeg, m.from.AngleDeg)*u)
	switch c.how {
	case carried:
		it.Lift, it.InHand = math.Max(liftMM*math.Sin(math.Pi*u), 0.5), true
	case turns:
		it.Lift, it.InHand = math.Max(liftMM*math.Sin(math.Pi*u), 0.5), true
		if u >= 0.5 {
			it.Face = m.to.Face
		}
	}
	return it
}

func (c *clip) addExtras(s *tablesim.Scene) {
	for _, e := range c.dice {
		at := e.at
		if e.on != "" {
			if it := findItem(s.Items, e.on); it != nil {
				at = at.Add(it.Centre)
			} else {
				continue
			}
		}
		if e.die != nil {
			d := *e.die
			d.Centre = at
			s.Dice = append(s.Dice, d)
		}
		if e.token != nil {
			k := *e.token
			k.Centre = at
			s.Tokens = append(s.Tokens, k)
		}
	}
}
