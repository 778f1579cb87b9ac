package script

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
)

// How long the parts of an act take at pace 1.
const (
	reachTime  = 450 * time.Millisecond // hand in, hand out
	slideTime  = 500 * time.Millisecond
	turnTime   = 700 * time.Millisecond // to turn a card over
	layTime    = 250 * time.Millisecond // to lay down or pick up
	carryTime  = 300 * time.Millisecond // and then by distance
	carryMM    = 600.0                  // a second
	pauseTime  = 800 * time.Millisecond
	openTime   = 1500 * time.Millisecond // the table before the first act
	gatherTime = 300 * time.Millisecond  // hand in and out while the table is cleared
	// clearedTime lasts longer than a scanner may doubt that all is gone.
	clearedTime = 5 * time.Second
)

// piece is a copy on the table.
type piece struct {
	model
	item     tablesim.Item
	attached string // to which copy
}

// builder compiles a script line by line.
type builder struct {
	line   int
	act    string
	deck   *deck.Deck
	layout board.Layout
	pace   float64

	pieces []*piece // bottom first
	extras []extra

	begun bool // an act has been seen: no more table, pace and lay
	done  bool // after repeat
	acts  int
	now   time.Duration
	clips []clip

	expected []Expected
	group    int
	lastRest time.Duration
	repeats  bool
}

func newBuilder(d *deck.Deck) *builder {
	b := &builder{deck: d, pace: 1, group: 1}
	b.layout, _ = Layout(DefaultSize(), "south", "north") // both are known seats
	return b
}

func (b *builder) finish() (*Game, error) {
	if b.acts == 0 {
		return nil, errors.New("the script has no acts")
	}
	return &Game{
		Layout: b.layout, Acts: b.acts, Length: b.now, Repeats: b.repeats,
		deck: b.deck, clips: b.clips, expected: b.expected,
	}, nil
}

func (b *builder) find(label string) *piece {
	i := slices.IndexFunc(b.pieces, func(c *piece) bool { return c.label == label })
	if i < 0 {
		return nil
	}
	return b.pieces[i]
}

func (b *builder) items() []tablesim.Item {
	items := make([]tablesim.Item, len(b.pieces))
	for i, c := range b.pieces {
		items[i] = c.item
	}
	return items
}

// settings

func (b *builder) atStart(a *args) error {
	if b.begun {
		return a.wrong("this belongs before the first act")
	}
	return nil
}

func (b *builder) table(a *args) error {
	if err := b.atStart(a); err != nil {
		return err
	}
	if len(b.pieces) > 0 || len(b.extras) > 0 {
		return a.wrong("the table comes before what lies on it")
	}
	w, err := a.next("the size")
	if err != nil {
		return err
	}
	m := sizeForm.FindStringSubmatch(w)
	if m == nil {
		return a.wrong("%q is no size such as 900x600", w)
	}
	width, _ := strconv.ParseFloat(m[1], 64) // digits only
	height, _ := strconv.ParseFloat(m[2], 64)
	if width < 700 || height < 560 || width > 3000 || height > 3000 {
		return a.wrong("a table of %gx%g mm; its zones need 700x560 to 3000x3000", width, height)
	}
	seats := []board.SeatID{"south", "north"}
	if len(a.words) > 0 {
		if err := a.keyword("seats"); err != nil {
			return err
		}
		seats = nil
		for _, s := range strings.Split(strings.Join(a.words, ""), ",") {
			seats = append(seats, board.SeatID(s))
		}
	}
	layout, err := Layout(board.Size{Width: width, Height: height}, seats...)
	if err != nil {
		return err
	}
	b.layout = layout
	return nil
}

func (b *builder) setPace(a *args) error {
	if err := b.atStart(a); err != nil {
		return err
	}
	w, err := a.next("the pace")
	if err != nil {
		return err
	}
	pace, err := strconv.ParseFloat(w, 64)
	if err != nil || pace < 0.25 || pace > 4 {
		return a.wrong("%q is no pace from 0.25 to 4", w)
	}
	b.pace = pace
	return a.end()
}

func (b *builder) repeat(a *args) error {
	b.repeats, b.done = true, true
	return a.end()
}

// what lies there

// newPiece reads COPY CARD at PLACE and what follows.
func (b *builder) newPiece(a *args, laid bool) (*piece, *board.Seat, error) {
	acting, err := b.by(a)
	if err != nil {
		return nil, nil, err
	}
	label, err := b.newLabel(a)
	if err != nil {
		return nil, nil, err
	}
	card, err := b.card(a)
	if err != nil {
		return nil, nil, err
	}
	if err := a.keyword("at"); err != nil {
		return nil, nil, err
	}
	p, err := b.placeOf(a, acting)
	if err != nil {
		return nil, nil, err
	}
	if o := b.occupant(p.at); o != nil && !p.pile {
		return nil, nil, fmt.Errorf("%s lies at that place already, since line %d", o.label, o.line)
	}
	c := &piece{model: model{label: label, line: b.line, card: card, zone: p.zone, face: board.FaceUp, laid: laid}}
	seat := b.seatFor(p, acting)
	c.owner, c.controller = seat.ID, seat.ID
	for len(a.words) > 0 {
		switch {
		case a.take("face-down"):
			c.face = board.FaceDown
		case a.take("bowed"):
			c.turn = 90
		case laid && a.take("pile"):
			n, err := a.number("the pile's height", 1, 100)
			if err != nil {
				return nil, nil, err
			}
			c.item.Pile = n - 1
		default:
			return nil, nil, a.end()
		}
	}
	c.item.ID, c.item.Card, c.item.Centre, c.item.Face = board.CopyID(label), card.ID, p.at, c.face
	c.item.AngleDeg = board.NormalizeDeg(seat.UpDeg + float64(c.turn))
	return c, &seat, nil
}

// seatFor is whose a copy becomes that is put at a place: the zone's player,
// else who puts it there, else whose half of the table it is.
func (b *builder) seatFor(p place, acting *board.Seat) board.Seat {
	if seat, ok := b.layout.Seat(p.zone.Seat); ok {
		return seat
	}
	if acting != nil {
		return *acting
	}
	middle := board.Point{X: b.layout.Size.Width / 2, Y: b.layout.Size.Height / 2}
	best := b.layout.Seats[0]
	for _, s := range b.layout.Seats {
		if p.at.Sub(middle).Dot(towards(s)) > p.at.Sub(middle).Dot(towards(best))+1e-6 {
			best = s
		}
	}
	return best
}

func (b *builder) lay(a *args) error {
	if err := b.atStart(a); err != nil {
		return err
	}
	c, _, err := b.newPiece(a, true)
	if err != nil {
		return err
	}
	if o := b.occupant(c.item.Centre); o != nil {
		return fmt.Errorf("%s lies at that place already, since line %d; lay a pile with: pile N", o.label, o.line)
	}
	b.pieces = append(b.pieces, c)
	b.report(c, c.settle(nil))
	return nil
}

func (b *builder) addDie(a *args) error {
	n, err := a.number("the die's value", 1, 6)
	if err != nil {
		return err
	}
	die := &tablesim.Die{Sides: 6, Value: n, SizeMM: 15, Colour: color.RGBA{R: 170, G: 24, B: 30, A: 255}, AngleDeg: float64(17 * n)}
	return b.addExtra(a, extra{die: die})
}

func (b *builder) addToken(a *args) error {
	label, err := a.next("the token's label")
	if err != nil {
		return err
	}
	return b.addExtra(a, extra{token: &tablesim.Token{Radius: 10, Label: label, Colour: color.RGBA{R: 40, G: 90, B: 160, A: 255}}})
}

func (b *builder) addExtra(a *args, e extra) error {
	switch {
	case a.take("on"):
		c, err := b.onTable(a)
		if err != nil {
			return err
		}
		e.on, e.at = c.item.ID, board.Point{X: 12, Y: 10}
	case a.take("at"):
		p, err := b.placeOf(a, nil)
		if err != nil {
			return err
		}
		e.at = p.at
	default:
		return a.wrong("on COPY or at PLACE is missing")
	}
	if err := a.end(); err != nil {
		return err
	}
	b.extras = append(slices.Clone(b.extras), e)
	return nil
}

// begin closes what lies there from the start and lets the camera look at it.
func (b *builder) begin() {
	if b.begun {
		return
	}
	b.begun = true
	b.group++
	b.still(openTime)
}

func (b *builder) still(d time.Duration) {
	items := b.items()
	b.clips = append(b.clips, clip{start: b.now, length: d, before: items, after: items, dice: b.extras})
	b.now += d
}

func (b *builder) paced(d time.Duration) time.Duration {
	return time.Duration(float64(d) / b.pace).Round(time.Millisecond)
}

// report adds what an act on a copy leads to.
func (b *builder) report(c *piece, reports []Expected) {
	for _, e := range reports {
		e.At, e.Line, e.Act, e.Group = b.lastRest, b.line, b.act, b.group
		e.Copy, e.Card, e.Centre = c.label, c.card.ID, c.item.Centre
		b.expected = append(b.expected, e)
	}
}

// each report of a copy's own act has its place in the order.
func (b *builder) reportInOrder(c *piece, reports []Expected) {
	for i := range reports {
		b.report(c, reports[i:i+1])
		b.group++
	}
}

func (b *builder) expect(a *args) error {
	kind, err := a.next("the event")
	if err != nil {
		return err
	}
	about, _, _ := strings.Cut(kind, ".")
	if about != "card" && about != "finding" && about != "prompt" {
		return a.wrong("%q is no event such as card.bowed, finding.opened or prompt.opened", kind)
	}
	c, err := b.onTable(a)
	if err != nil {
		return err
	}
	e := Expected{Kind: board.EventKind(kind)}
	if about != "card" {
		rule, err := a.next("the rule")
		if err != nil {
			return err
		}
		e.Rule = board.RuleID(rule)
	}
	if b.acts == 0 {
		return errors.New("expect follows an act")
	}
	b.reportInOrder(c, []Expected{e})
	return a.end()
}
