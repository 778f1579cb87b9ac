package tablesim

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

// Camera draws a camera of the level: tilt, lens and distance by seed, with the
// play area sized so that cards come out as tall as the level says.
func (l Level) Camera(width, height int, seed uint64) Camera {
	rng := rand.New(rand.NewPCG(seed, 0x63616d))
	cardPx := l.CardPx.draw(rng) * float64(height) / 1080
	pxPerMM := cardPx / board.StandardCard().Height
	area := board.Size{Width: float64(width) / pxPerMM, Height: float64(height) / pxPerMM}
	c := Camera{
		Width: width, Height: height, Area: area,
		DistanceMM: area.Width * (0.85 + 0.5*rng.Float64()),
		TiltDeg:    l.TiltDeg.draw(rng), TiltTowardsDeg: []float64{0, 90, 180, 180, 270}[rng.IntN(5)] + (rng.Float64()-0.5)*50,
		RollDeg: (rng.Float64() - 0.5) * 4,
		K1:      l.K1.draw(rng),
	}
	c.K2 = -0.12 * c.K1
	return c
}

// layouter puts things onto a table without letting them get in each other's way.
type layouter struct {
	rng   *rand.Rand
	cam   Camera
	proj  Projection
	level Level
	scene Scene
	taken []board.Polygon
	pools [][]board.Card // per seat
	used  int
	// sleeves per seat
	sleeves [2]Sleeve
	// seatUp is which way each seat's cards face.
	seatUp [2]float64
}

// RandomScene lays out a scene of the level on the camera's play area: cards
// scattered free, tucked under others, fanned, stacked, with dice, tokens,
// objects and hands as the level's mix has it. It returns an empty scene for a
// camera that can't be.
func RandomScene(d *deck.Deck, level Level, cam Camera, seed uint64) Scene {
	proj, err := cam.Projection()
	if err != nil {
		return Scene{}
	}
	rng := rand.New(rand.NewPCG(seed, 0x7363656e65))
	l := &layouter{rng: rng, cam: cam, proj: proj, level: level, seatUp: [2]float64{0, 180}}
	cards := d.Cards()
	order := rng.Perm(len(cards))
	l.pools = make([][]board.Card, 2)
	for i, k := range order {
		l.pools[i%2] = append(l.pools[i%2], cards[k])
	}
	mix := level.Layout
	if rng.Float64() < mix.Sleeved {
		for i := range l.sleeves {
			if rng.Float64() < 0.15 {
				continue // one player goes without
			}
			l.sleeves[i] = randomSleeve(rng)
		}
	}
	total := mix.Cards.drawInt(rng)
	for range mix.Stacks.drawInt(rng) {
		l.stack()
	}
	for range mix.Units.drawInt(rng) {
		l.unit()
	}
	for range mix.Fans.drawInt(rng) {
		l.fan()
	}
	for len(l.scene.Items) < total {
		if !l.free() {
			break // the table is full
		}
	}
	for range mix.Objects.drawInt(rng) {
		l.object()
	}
	l.onCards()
	if rng.Float64() < mix.HeldFans {
		l.heldFan()
	}
	if rng.Float64() < mix.Hands {
		l.hand()
	}
	return l.scene
}

func randomSleeve(rng *rand.Rand) Sleeve {
	s := Sleeve{Border: 1.5 + 1.3*rng.Float64(), Gloss: 0.3 + 0.7*rng.Float64(), Opaque: rng.Float64() < 0.6}
	if rng.Float64() < 0.2 {
		s.Opaque = false // clear plastic
		return s
	}
	pick := []color.RGBA{{20, 20, 22, 255}, {150, 22, 28, 255}, {24, 52, 130, 255}, {16, 92, 52, 255}, {225, 222, 215, 255}, {86, 30, 110, 255}, {200, 150, 40, 255}, {90, 92, 96, 255}}
	s.Colour = pick[rng.IntN(len(pick))]
	return s
}

func (l *layouter) seat() int { return l.rng.IntN(2) }

// next deals a card of the seat's pool. The same card may come more than once:
// decks hold several copies.
func (l *layouter) next(seat int) board.Card {
	return l.pools[seat][l.rng.IntN(len(l.pools[seat]))]
}

func (l *layouter) item(seat int, card board.Card, at board.Point, angle float64) Item {
	l.used++
	it := Item{ID: board.CopyID(fmt.Sprintf("c%d", l.used)), Card: card.ID, Centre: at, AngleDeg: board.NormalizeDeg(angle), Face: board.FaceUp, Sleeve: l.sleeves[seat]}
	if l.rng.Float64() < l.level.Layout.FaceDown {
		it.Face = board.FaceDown
	}
	it.Foil = l.rng.Float64() < l.level.Layout.Foils
	return it
}

func sizeOf(card board.Card, face board.Face) board.Size {
	s := board.StandardCard()
	if card.Landscape && face != board.FaceDown {
		s.Width, s.Height = s.Height, s.Width
	}
	return s
}

// angle draws a card's angle: mostly about a quarter turn, sometimes any.
func (l *layouter) angle(seat int) float64 {
	if l.rng.Float64() < l.level.Layout.Square {
		quarter := []float64{0, 0, 0, 90, 90, 180, 270}[l.rng.IntN(7)]
		return l.seatUp[seat] + quarter + l.rng.NormFloat64()*3.5
	}
	return l.rng.Float64() * 360
}

// home draws a place in the seat's half.
func (l *layouter) home(seat int) board.Point {
	y := l.rng.Float64() * 0.52
	if l.seatUp[seat] == 0 {
		y = 1 - y
	}
	return board.Point{X: l.cam.Area.Width * l.rng.Float64(), Y: l.cam.Area.Height * y}
}

// fits says whether a rectangle, grown by a gap, lies within the picture and
// clear of what lies there already.
func (l *layouter) fits(centre board.Point, size board.Size, angle, gap float64) bool {
	q := board.RectQuad(centre, board.Size{Width: size.Width + 2*gap, Height: size.Height + 2*gap}, angle)
	margin := 5.0
	if cut := l.level.Layout.CutOff; cut > 0 && l.rng.Float64() < cut {
		margin = -50
	}
	for _, p := range q {
		px := l.proj.ToImage(p, 0)
		if px.X < margin || px.Y < margin || px.X > float64(l.cam.Width)-1-margin || px.Y > float64(l.cam.Height)-1-margin {
			return false
		}
	}
	for _, t := range l.taken {
		if len(t.Clip(q[:])) > 2 {
			return false
		}
	}
	return true
}

// tries is how often a place is looked for before the table counts as full.
const tries = 60

// spot finds a free place for a rectangle and takes it.
func (l *layouter) spot(seat int, size board.Size, angle, gap float64) (board.Point, bool) {
	for range tries {
		c := l.home(seat)
		if l.fits(c, size, angle, gap) {
			l.take(c, size, angle)
			return c, true
		}
	}
	return board.Point{}, false
}

func (l *layouter) take(c board.Point, size board.Size, angle float64) {
	q := board.RectQuad(c, size, angle)
	l.taken = append(l.taken, board.Polygon(q[:]))
}

func (l *layouter) gap(seat int) float64 { return 2 + l.sleeves[seat].Border }

// free puts down one card by itself.
func (l *layouter) free() bool {
	seat := l.seat()
	card := l.next(seat)
	it := l.item(seat, card, board.Point{}, l.angle(seat))
	c, ok := l.spot(seat, sizeOf(card, it.Face), it.AngleDeg, l.gap(seat)+l.rng.Float64()*3)
	if !ok {
		return false
	}
	it.Centre = c
	l.scene.Items = append(l.scene.Items, it)
	return true
}

// portrait deals a card that isn't printed in landscape.
func (l *layouter) portrait(seat int) board.Card {
	for {
		if c := l.next(seat); !c.Landscape {
			return c
		}
	}
}

// offset is a place given in a turned frame.
func offset(c board.Point, dx, dy, angle float64) board.Point {
	return plate{centre: c, angleDeg: angle}.toTable(dx, dy)
}

// unit puts down a card with one to three others tucked under it.
func (l *layouter) unit() {
	seat := l.seat()
	n := 1 + l.rng.IntN(3)
	strip := 12 + 10*l.rng.Float64()
	if l.rng.Float64() < 0.3 { // laid out loosely: about half of each shows
		n, strip = 1+l.rng.IntN(2), 36+24*l.rng.Float64()
	}
	angle := l.seatUp[seat] + l.rng.NormFloat64()*2.5
	bowed := l.rng.Float64() < 0.25
	if bowed {
		angle += 90
	}
	size := board.StandardCard()
	reach := float64(n) * strip
	at, ok := l.spot(seat, board.Size{Width: size.Width + 8, Height: size.Height + reach + 6}, angle, l.gap(seat))
	if !ok {
		return
	}
	// Attachments stick out at the top, so that their titles can be read; some
	// players lay them out below.
	dir := -1.0
	if l.rng.Float64() < 0.25 {
		dir = 1
	}
	for i := n; i >= 0; i-- {
		dy := dir * (float64(i)*strip - reach/2)
		jx, jy, ja := l.rng.NormFloat64()*1.2, l.rng.NormFloat64()*0.8, l.rng.NormFloat64()*1.2
		it := l.item(seat, l.portrait(seat), offset(at, jx, dy+jy, angle), angle+ja)
		it.Face = board.FaceUp
		l.scene.Items = append(l.scene.Items, it)
	}
}

// fan puts down a row of cards that overlap sideways.
func (l *layouter) fan() {
	seat := l.seat()
	n := 3 + l.rng.IntN(4)
	step := 14 + 22*l.rng.Float64()
	angle := l.seatUp[seat] + l.rng.NormFloat64()*3
	size := board.StandardCard()
	reach := step * float64(n-1)
	at, ok := l.spot(seat, board.Size{Width: size.Width + reach + 6, Height: size.Height + 8}, angle, l.gap(seat))
	if !ok {
		return
	}
	bend := l.rng.NormFloat64() * 1.5
	for i := range n {
		t := float64(i) - float64(n-1)/2
		it := l.item(seat, l.portrait(seat), offset(at, t*step, l.rng.NormFloat64()+0.3*bend*t*t, angle), angle+bend*t+l.rng.NormFloat64())
		it.Face = board.FaceUp
		l.scene.Items = append(l.scene.Items, it)
	}
}

// stack puts down a deck or a discard pile.
func (l *layouter) stack() {
	seat := l.seat()
	angle := l.seatUp[seat] + l.rng.NormFloat64()*2
	at, ok := l.spot(seat, board.Size{Width: 72, Height: 97}, angle, l.gap(seat)+4)
	if !ok {
		return
	}
	it := l.item(seat, l.portrait(seat), at, angle)
	it.Face, it.Pile = board.FaceDown, 8+l.rng.IntN(32)
	if l.rng.Float64() < 0.4 {
		it.Face, it.Pile = board.FaceUp, 2+l.rng.IntN(14)
	}
	l.scene.Items = append(l.scene.Items, it)
}

var objectKinds = []ObjectKind{ObjectPhone, ObjectBankCard, ObjectDeckBox, ObjectPad, ObjectPen, ObjectMug}

func (l *layouter) object() {
	seat := l.seat()
	o := Object{Kind: objectKinds[l.rng.IntN(len(objectKinds))], AngleDeg: l.seatUp[seat] + l.rng.NormFloat64()*25, Seed: l.rng.Uint64()}
	// Tall things hide what is behind them: keep their surroundings free.
	at, ok := l.spot(seat, objectSize(o.Kind), o.AngleDeg, 8+0.5*newShape(o).tall)
	if !ok {
		return
	}
	o.Centre = at
	l.scene.Objects = append(l.scene.Objects, o)
}

// onCards lays dice and tokens on some cards.
func (l *layouter) onCards() {
	colours := []color.RGBA{{170, 20, 25, 255}, {230, 226, 215, 255}, {25, 25, 28, 255}, {25, 70, 160, 255}, {20, 120, 60, 255}, {220, 170, 40, 255}}
	for _, it := range l.scene.Items {
		place := offset(it.Centre, (l.rng.Float64()-0.5)*36, (l.rng.Float64()-0.5)*52, it.AngleDeg)
		switch v := l.rng.Float64(); {
		case v < l.level.Layout.Dice:
			sides := []int{6, 6, 6, 10, 20}[l.rng.IntN(5)]
			l.scene.Dice = append(l.scene.Dice, Die{Centre: place, AngleDeg: l.rng.Float64() * 360, Sides: sides, Value: 1 + l.rng.IntN(sides), SizeMM: 12 + 5*l.rng.Float64(), Colour: colours[l.rng.IntN(len(colours))]})
		case v < l.level.Layout.Dice+l.level.Layout.Tokens:
			l.scene.Tokens = append(l.scene.Tokens, Token{Centre: place, Radius: 7 + 5*l.rng.Float64(), Colour: colours[l.rng.IntN(len(colours))], Glass: l.rng.IntN(2) == 0, Label: []string{"", "+1", "W", "X"}[l.rng.IntN(4)]})
		}
	}
}

// heldFan is a hand of cards that a player holds up at the table's edge.
func (l *layouter) heldFan() {
	seat := l.seat()
	up := l.seatUp[seat]
	edge := board.Point{X: l.cam.Area.Width * (0.2 + 0.6*l.rng.Float64()), Y: l.cam.Area.Height + 5}
	from := 180.0
	if up != 0 {
		edge.Y, from = -5, 0
	}
	n := 4 + l.rng.IntN(3)
	pivot := offset(edge, 0, 70, up)
	for i := range n {
		t := (float64(i) - float64(n-1)/2) * (9 + 2*l.rng.Float64())
		it := l.item(seat, l.portrait(seat), offset(pivot, 0, -80, up+t), up+t)
		it.Face, it.Lift, it.InHand = board.FaceDown, 90+float64(i), true
		if l.rng.Float64() < 0.3 {
			it.Face = board.FaceUp
		}
		l.scene.Items = append(l.scene.Items, it)
	}
	l.scene.Hands = append(l.scene.Hands, Hand{Tip: offset(pivot, -18, -62, up), FromDeg: from + 12, Pose: HandPinch, Lift: 95, Look: l.rng.Uint64(), Left: l.rng.IntN(2) == 0})
}

// hand is a hand that reaches over the table.
func (l *layouter) hand() {
	seat := l.seat()
	tip := l.home(seat)
	h := Hand{Tip: tip, FromDeg: 180 + l.rng.NormFloat64()*14, Pose: []HandPose{HandFlat, HandPinch, HandPoint}[l.rng.IntN(3)], Left: l.rng.IntN(2) == 0, Look: l.rng.Uint64()}
	if l.seatUp[seat] != 0 {
		h.FromDeg = math.Mod(h.FromDeg+180, 360)
	}
	l.scene.Hands = append(l.scene.Hands, h)
}
