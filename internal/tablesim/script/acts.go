package script

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
)

// film films one thing that a hand does. before is the table before it, after
// it has been done in b.pieces.
func (b *builder) film(how manner, seat board.Seat, before []tablesim.Item, movers []mover, reach, work, pause time.Duration) {
	c := clip{
		start: b.now, in: b.paced(reach), work: b.paced(work), out: b.paced(reach),
		before: before, after: b.items(), dice: b.extras, movers: movers,
		how: how, seat: seat, table: b.layout.Size, look: uint64(slices.IndexFunc(b.layout.Seats, func(s board.Seat) bool { return s.ID == seat.ID }) + 1),
	}
	c.length = c.in + c.work + c.out + b.paced(pause)
	if len(movers) > 0 {
		held := movers[len(movers)-1] // the top one
		c.grip = gripOf(held.from.Centre, seat, how)
		c.let = gripOf(held.to.Centre, seat, how)
		if how == appears {
			c.grip = c.let
		}
	}
	b.lastRest = b.now + c.in + c.work
	if how == leaves { // until it has gone it may be put down again
		b.lastRest = b.now + c.in + c.work + c.out
	}
	b.clips = append(b.clips, c)
	b.now += c.length
}

func (b *builder) place(a *args) error {
	c, seat, err := b.newPiece(a, false)
	if err != nil {
		return err
	}
	b.acts++
	before := b.items()
	b.pieces = append(b.pieces, c)
	b.film(appears, *seat, before, []mover{{c.item, c.item}}, reachTime, layTime, pauseTime)
	b.reportInOrder(c, c.settle(nil))
	return nil
}

// whose takes a copy and who handles it.
func (b *builder) whose(a *args) (*piece, board.Seat, error) {
	acting, err := b.by(a)
	if err != nil {
		return nil, board.Seat{}, err
	}
	c, err := b.onTable(a)
	if err != nil {
		return nil, board.Seat{}, err
	}
	if acting != nil {
		return c, *acting, nil
	}
	seat, _ := b.layout.Seat(c.controller) // set when it was put there
	return c, seat, nil
}

// attachments are the copies attached to one.
func (b *builder) attachments(label string) []*piece {
	var out []*piece
	for _, c := range b.pieces {
		if c.attached == label {
			out = append(out, c)
		}
	}
	return out
}

func (b *builder) move(a *args) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.keyword("to"); err != nil {
		return err
	}
	p, err := b.placeOf(a, &seat)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	return b.carry(c, seat, p)
}

// carry puts a copy, with what is attached to it, at a place.
func (b *builder) carry(c *piece, seat board.Seat, p place) error {
	if d := p.at.Distance(c.item.Centre); d < 20 {
		return fmt.Errorf("%s lies there already; a move is 20 mm or more", c.label)
	}
	if o := b.occupant(p.at); o != nil && o != c && !p.pile {
		return fmt.Errorf("%s lies at that place already, since line %d", o.label, o.line)
	}
	c.attached = ""
	unit := append([]*piece{c}, b.attachments(c.label)...)
	controller, ok := b.layout.Seat(p.zone.Seat)
	if !ok {
		controller, _ = b.layout.Seat(c.controller)
	}
	old, _ := b.layout.Seat(c.controller)
	turned := board.NormalizeDeg(controller.UpDeg - old.UpDeg)
	before, from := b.items(), c.item.Centre
	var movers []mover
	var olds []model
	for _, u := range unit {
		olds = append(olds, u.model)
		start := u.item
		offset := u.item.Centre.Sub(from)
		if turned == 180 {
			offset = offset.Scale(-1)
		}
		u.item.Centre = p.at.Add(offset)
		u.item.AngleDeg = board.NormalizeDeg(u.item.AngleDeg + turned)
		u.controller, u.moved = controller.ID, true
		u.zone, _ = b.layout.ZoneAt(u.item.Centre)
		movers = append(movers, mover{start, u.item})
	}
	slices.Reverse(movers) // drawn in order: the host over its attachments
	b.raise(unit)
	b.acts++
	b.film(carried, seat, before, movers, reachTime, carryTime+time.Duration(from.Distance(p.at)/carryMM*float64(time.Second)), pauseTime)
	if len(unit) == 1 {
		b.reportInOrder(c, c.settle(&olds[0]))
		return nil
	}
	for i, u := range unit { // a unit comes to rest as one
		b.report(u, u.settle(&olds[i]))
	}
	b.group++
	return nil
}

// raise puts copies on top of all others, attachments below their host.
func (b *builder) raise(unit []*piece) {
	b.pieces = slices.DeleteFunc(b.pieces, func(c *piece) bool { return slices.Contains(unit, c) })
	b.pieces = append(b.pieces, unit[1:]...)
	b.pieces = append(b.pieces, unit[0])
}

func (b *builder) attach(a *args) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.keyword("to"); err != nil {
		return err
	}
	host, err := b.onTable(a)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	switch {
	case host == c:
		return fmt.Errorf("%s can't be attached to itself", c.label)
	case host.attached != "":
		return fmt.Errorf("%s is attached to %s; attach to that", host.label, host.attached)
	case c.attached != "":
		return fmt.Errorf("%s is attached to %s already", c.label, c.attached)
	case len(b.attachments(c.label)) > 0:
		return fmt.Errorf("%s has attachments of its own", c.label)
	case len(b.attachments(host.label)) >= 2:
		return fmt.Errorf("%s has two attachments; a third would reach out of the zone", host.label)
	}
	before, old, start := b.items(), c.model, c.item
	sin, cos := math.Sincos(host.item.AngleDeg * math.Pi / 180)
	head := board.Point{X: sin, Y: -cos}
	c.item.Centre = host.item.Centre.Add(head.Scale(tuckMM * float64(len(b.attachments(host.label))+1)))
	c.item.AngleDeg = host.item.AngleDeg
	c.controller, c.turn, c.attached, c.moved = host.controller, host.turn, host.label, true
	c.zone, _ = b.layout.ZoneAt(c.item.Centre)
	b.raise(append([]*piece{host}, b.attachments(host.label)...))
	// The newest lies lowest, since it reaches out furthest.
	b.pieces = slices.DeleteFunc(b.pieces, func(x *piece) bool { return x == c })
	first := slices.IndexFunc(b.pieces, func(x *piece) bool { return x == host || x.attached == host.label })
	b.pieces = slices.Insert(b.pieces, first, c)
	b.acts++
	b.film(carried, seat, before, []mover{{start, c.item}}, reachTime, carryTime+time.Duration(start.Centre.Distance(c.item.Centre)/carryMM*float64(time.Second)), pauseTime)
	b.reportInOrder(c, c.settle(&old))
	return nil
}

// tuckMM is how far an attachment's head shows.
const tuckMM = 26

// turnTo turns a copy where it lies.
func (b *builder) turnTo(c *piece, seat board.Seat, turn board.Turn) error {
	before, old, start := b.items(), c.model, c.item
	c.turn = turn
	up, _ := b.layout.Seat(c.controller)
	c.item.AngleDeg = board.NormalizeDeg(up.UpDeg + float64(turn))
	b.acts++
	b.film(slides, seat, before, []mover{{start, c.item}}, reachTime, slideTime, pauseTime)
	b.reportInOrder(c, c.settle(&old))
	return nil
}

// turning reads COPY and turns it as the table of turns says; wrong is what to
// say of a turn that is not in it.
func (b *builder) turning(a *args, to map[board.Turn]board.Turn, wrong string) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	next, ok := to[c.turn]
	if !ok {
		return fmt.Errorf("%s %s: it lies at %d°", c.label, wrong, c.turn)
	}
	return b.turnTo(c, seat, next)
}

func (b *builder) bow(a *args) error {
	return b.turning(a, map[board.Turn]board.Turn{0: 90, 180: 270, 270: 90}, "is bowed already")
}

func (b *builder) straighten(a *args) error {
	to := map[board.Turn]board.Turn{90: 0, 270: 0, 180: 0, slantedTurn: 0}
	if c := b.peek(a); c != nil && c.personality() {
		to = map[board.Turn]board.Turn{90: 0, 270: 180, slantedTurn: 0}
	}
	return b.turning(a, to, "is not bowed")
}

func (b *builder) dishonor(a *args) error {
	if c := b.peek(a); c != nil && !c.personality() {
		return fmt.Errorf("%s is a %s, and only Personalities can be dishonored; to show the mistake write: wrong upside-down %s", c.label, c.card.Type, c.label)
	}
	return b.turning(a, map[board.Turn]board.Turn{0: 180, 90: 270}, "is dishonorable already")
}

func (b *builder) rehonor(a *args) error {
	return b.turning(a, map[board.Turn]board.Turn{180: 0, 270: 90}, "is not dishonorable")
}

// peek is the copy that a statement is about, if there is one.
func (b *builder) peek(a *args) *piece {
	if len(a.words) == 0 {
		return nil
	}
	return b.find(a.words[0])
}

func (b *builder) wrong(a *args) error {
	what, err := a.next("what is done wrong")
	if err != nil {
		return err
	}
	to, ok := map[string]board.Turn{"bow-counter": 270, "upside-down": 180, "slanted": slantedTurn}[what]
	if !ok {
		return a.wrong("%q is no wrong act", what)
	}
	c := b.peek(a)
	if c != nil && c.personality() && to != slantedTurn {
		return fmt.Errorf("%s is a Personality, for which that is no mistake: it means dishonorable", c.label)
	}
	table := map[board.Turn]board.Turn{0: to, 90: to, 180: to, 270: to, slantedTurn: to}
	delete(table, to)
	return b.turning(a, table, "lies wrong that way already")
}

func (b *builder) flip(a *args) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	before, old, start := b.items(), c.model, c.item
	if c.face == board.FaceUp {
		c.face = board.FaceDown
	} else {
		c.face = board.FaceUp
	}
	c.item.Face = c.face
	b.acts++
	b.film(turns, seat, before, []mover{{start, c.item}}, reachTime, turnTime, pauseTime)
	b.reportInOrder(c, c.settle(&old))
	return nil
}

func (b *builder) discard(a *args) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	if err := b.alone(c, "discard"); err != nil {
		return err
	}
	if c.face == board.FaceDown {
		return fmt.Errorf("%s lies face down; flip it before it is discarded, so that the camera can know it", c.label)
	}
	pile := "dynasty-discard"
	switch c.card.Type {
	case "follower", "item", "strategy":
		pile = "fate-discard"
	}
	zone, ok := b.layout.Zone(board.ZoneID(string(c.owner) + "." + pile))
	if !ok {
		return fmt.Errorf("%s has no discard pile", c.owner)
	}
	owner, _ := b.layout.Seat(c.owner)
	before, old, start := b.items(), c.model, c.item
	c.zone, c.controller, c.turn, c.face, c.moved, c.attached = zone, c.owner, 0, board.FaceUp, true, ""
	c.item.Centre, c.item.AngleDeg, c.item.Face = slots(b.layout, zone, owner.UpDeg)[0], owner.UpDeg, board.FaceUp
	if start.Centre.Distance(c.item.Centre) < 20 {
		return fmt.Errorf("%s lies in the discard pile already", c.label)
	}
	b.leaveExtras(c)
	b.raise([]*piece{c})
	b.acts++
	b.film(carried, seat, before, []mover{{start, c.item}}, reachTime, carryTime+time.Duration(start.Centre.Distance(c.item.Centre)/carryMM*float64(time.Second)), pauseTime)
	b.reportInOrder(c, c.settle(&old))
	return nil
}

func (b *builder) alone(c *piece, verb string) error {
	if under := b.attachments(c.label); len(under) > 0 {
		return fmt.Errorf("%s is attached to %s; %s or move that first", under[0].label, c.label, verb)
	}
	return nil
}

// leaveExtras leaves dice and tokens where they lie when their copy goes.
func (b *builder) leaveExtras(c *piece) {
	b.extras = slices.Clone(b.extras)
	for i := range b.extras {
		if e := &b.extras[i]; e.on == c.item.ID {
			e.on, e.at = "", e.at.Add(c.item.Centre)
		}
	}
}

func (b *builder) remove(a *args) error {
	c, seat, err := b.whose(a)
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	if err := b.alone(c, "remove"); err != nil {
		return err
	}
	b.acts++
	b.takeAway(c, seat, reachTime, pauseTime)
	b.reportInOrder(c, c.removed())
	return nil
}

func (b *builder) takeAway(c *piece, seat board.Seat, reach, pause time.Duration) {
	b.leaveExtras(c)
	before := b.items()
	b.pieces = slices.DeleteFunc(b.pieces, func(x *piece) bool { return x == c })
	b.film(leaves, seat, before, []mover{{c.item, c.item}}, reach, layTime, pause)
}

// clear gathers every copy up, player by player, from the left and from the
// top of each pile.
func (b *builder) clear(a *args) error {
	if err := a.end(); err != nil {
		return err
	}
	if len(b.pieces) == 0 {
		return errors.New("the table is clear already")
	}
	order := slices.Clone(b.pieces)
	slices.Reverse(order)
	slices.SortStableFunc(order, func(x, y *piece) int {
		if x.controller != y.controller {
			return slices.IndexFunc(b.layout.Seats, func(s board.Seat) bool { return s.ID == x.controller }) -
				slices.IndexFunc(b.layout.Seats, func(s board.Seat) bool { return s.ID == y.controller })
		}
		return int(x.item.Centre.X/20) - int(y.item.Centre.X/20)
	})
	for _, c := range order {
		seat, _ := b.layout.Seat(c.controller)
		b.takeAway(c, seat, gatherTime, 0)
		b.report(c, c.removed())
	}
	b.group++
	b.extras = nil
	b.still(clearedTime)
	return nil
}

func (b *builder) hand(a *args) error {
	acting, err := b.by(a)
	if err != nil {
		return err
	}
	if err := a.keyword("over"); err != nil {
		return err
	}
	var at board.Point
	var seat board.Seat
	if c := b.peek(a); c != nil {
		a.words = a.words[1:]
		at = c.item.Centre
		seat, _ = b.layout.Seat(c.controller)
	} else {
		p, err := b.placeOf(a, acting)
		if err != nil {
			return err
		}
		at, seat = p.at, b.seatFor(p, nil)
	}
	if acting != nil {
		seat = *acting
	}
	d, err := a.duration()
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	items := b.items()
	b.film(passes, seat, items, nil, reachTime, 0, pauseTime)
	c := &b.clips[len(b.clips)-1]
	c.grip = gripOf(at, seat, passes)
	c.let = c.grip
	c.work += d
	c.length += d
	b.now += d
	return nil
}

func (b *builder) wait(a *args) error {
	d, err := a.duration()
	if err != nil {
		return err
	}
	if err := a.end(); err != nil {
		return err
	}
	b.still(d)
	return nil
}
