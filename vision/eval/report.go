package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"tabletop/board"
)

// Report is the score of one run.
type Report struct {
	Images int `json:"images"`
	// Unverified is the number of pictures whose labels nobody has looked at.
	Unverified  int           `json:"unverified,omitempty"`
	All         Figures       `json:"all"`
	ByVisible   []Group       `json:"by_visible"`
	ByLevel     []Group       `json:"by_level,omitempty"` // where the labels say the level
	BySource    []Group       `json:"by_source"`
	FalseCards  []FalseCards  `json:"false_cards,omitempty"` // by what was taken for a card, most first
	Time        Spread        `json:"time_ms"`               // of one picture, from pixels to answer
	Reliability []Reliability `json:"reliability"`
	Faults      []Fault       `json:"faults"`
}

// FalseCards are the answers where no card is, of one kind.
type FalseCards struct {
	Kind  string  `json:"kind"` // of thing, or "" for what the labels do not tell
	Count int     `json:"count"`
	Named int     `json:"named"`           // those that were given a name
	Most  float64 `json:"most_confidence"` // of the surest
}

// Group is the score of a part of the cards.
type Group struct {
	Name string `json:"name"`
	Figures
	ByVisible []Group `json:"by_visible,omitempty"` // of a level or a source
}

// Figures are the scores of a set of labelled cards. Cards of which less than
// MinVisible is in view are left out, and so are answers that fit one of them.
type Figures struct {
	Cards int `json:"cards"` // labelled and demanded
	// Recall: of the labelled cards, those with an answer of overlap (IoU) 0.5
	// or more, one answer to a card. A card labelled by a box around what can be
	// seen of it is also found by an answer that holds the box along a side.
	Recall Share `json:"recall"`
	// Precision: of the answers, those that fit a labelled card. Empty in a
	// group by visible share, for a false answer has none.
	Precision Share `json:"precision"`
	// Turn: of the cards found whose turn is labelled and can be told, those
	// with the right quarter turn. Unsure ones gave no turn; the rest are wrong.
	Turn Answer `json:"turn"`
	// Face: of the cards found whose face is labelled, those with the right one.
	Face Answer `json:"face"`
	// ID: of the labelled face-up cards that the catalogue knows, those named
	// rightly. A card that was not found counts as unsure. Named wrongly is
	// worse than not named.
	ID Answer `json:"id"`
	// WrongIDs counts every name that is not so: found cards under another
	// name, face-down cards given one, and names for what is no card.
	WrongIDs int `json:"wrong_ids"`
	// WrongIDRate is WrongIDs by all answers that name a card.
	WrongIDRate Share `json:"wrong_id_rate"`
	// CornerPX is the mean distance of a card's four corners from their labels:
	// from those of the card or of its sleeve, whichever is nearer, for both are
	// the edge of something that lies there.
	CornerPX Spread `json:"corner_error_px"`
	// OwnCornerPX is the same from the card's own corners only. Whoever knows the
	// size of the cards on the table can be asked for these.
	OwnCornerPX Spread `json:"own_corner_error_px"`
	// CornerPercent is the same in percent of the labelled card's height.
	CornerPercent Spread `json:"corner_error_percent_of_height"`
	// Angle is the angle's error where the turn was not wrong.
	Angle Spread `json:"angle_error_deg"`
	// SureWrong: of the answers with a confidence of SureFrom or more, those of
	// which anything is wrong. Empty in a group by visible share.
	SureWrong Share `json:"sure_wrong"`
}

// Share is a count out of a total.
type Share struct{ N, Of int }

// Value is N/Of in [0,1], or NaN when there was nothing to count.
func (s Share) Value() float64 { return float64(s.N) / float64(s.Of) }

// MarshalJSON writes {"n":…,"of":…,"share":…}; share is null out of nothing.
func (s Share) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N     int      `json:"n"`
		Of    int      `json:"of"`
		Share *float64 `json:"share"`
	}{s.N, s.Of, orNull(s.Value())})
}

// Answer is how often a question was answered rightly, not at all, or wrongly.
type Answer struct{ Right, Unsure, Wrong int }

// Share is the part answered rightly.
func (a Answer) Share() Share { return Share{a.Right, a.Right + a.Unsure + a.Wrong} }

// MarshalJSON writes the three counts and the share that is right.
func (a Answer) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Right  int      `json:"right"`
		Unsure int      `json:"unsure"`
		Wrong  int      `json:"wrong"`
		Share  *float64 `json:"share"`
	}{a.Right, a.Unsure, a.Wrong, orNull(a.Share().Value())})
}

func (a *Answer) count(known, right bool) {
	switch {
	case !known:
		a.Unsure++
	case right:
		a.Right++
	default:
		a.Wrong++
	}
}

// Spread sums up measured values by their median and 95th percentile, both by
// nearest rank: values that were measured, not between two of them.
type Spread struct{ Median, P95 float64 }

// MarshalJSON writes {"median":…,"p95":…}, null where nothing was measured.
func (s Spread) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Median *float64 `json:"median"`
		P95    *float64 `json:"p95"`
	}{orNull(s.Median), orNull(s.P95)})
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := func(p float64) float64 { return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)] }
	return Spread{rank(0.5), rank(0.95)}
}

// orNull rounds for JSON; NaN, which JSON has not, becomes null.
func orNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	v = math.Round(v*1e4) / 1e4
	return &v
}

// FaultKind says in what way an answer or a missing one is wrong.
type FaultKind string

// The faults, worst first.
const (
	FaultWrongID   FaultKind = "wrong-id"
	FaultFalseCard FaultKind = "false-card"
	FaultWrongFace FaultKind = "wrong-face"
	FaultWrongTurn FaultKind = "wrong-turn"
	FaultMissed    FaultKind = "missed"
)

var faultOrder = []FaultKind{FaultWrongID, FaultFalseCard, FaultWrongFace, FaultWrongTurn, FaultMissed}

// Fault is one thing that is wrong, so that a person can go and look.
type Fault struct {
	Kind       FaultKind   `json:"kind"`
	Source     string      `json:"source"`
	Image      string      `json:"image"`
	Want       string      `json:"want,omitempty"`
	Got        string      `json:"got,omitempty"`
	At         board.Point `json:"at"` // middle of the card, in pixels
	Confidence float64     `json:"confidence,omitempty"`
	Unverified bool        `json:"unverified,omitempty"` // by labels nobody has looked at
}

// visibleBuckets are the parts of by_visible, from whole cards to strips.
var visibleBuckets = []struct {
	name string
	min  float64
}{{"visible >= 90 %", 0.9}, {"visible 40-90 %", 0.4}, {"visible 10-40 %", MinVisible}}

// counts gathers what Figures sums up.
type counts struct {
	fig                       Figures
	corner, own, share, angle []float64
}

func (c *counts) figures() Figures {
	c.fig.CornerPX, c.fig.OwnCornerPX = spread(c.corner), spread(c.own)
	c.fig.CornerPercent, c.fig.Angle = spread(c.share), spread(c.angle)
	return c.fig
}

// group gathers a set of cards, all and by visible share.
type group struct {
	name      string
	all       counts
	byVisible []counts
}

func newGroup(name string) *group {
	return &group{name: name, byVisible: make([]counts, len(visibleBuckets))}
}

func (g *group) visible() []Group {
	var out []Group
	for i, b := range visibleBuckets {
		out = append(out, Group{Name: b.name, Figures: g.byVisible[i].figures()})
	}
	return out
}

// groups are found by name and kept in the order in which they came.
type groups []*group

func (g *groups) named(name string) *group {
	for _, one := range *g {
		if one.name == name {
			return one
		}
	}
	one := newGroup(name)
	*g = append(*g, one)
	return one
}

func (g groups) report() []Group {
	var out []Group
	for _, one := range g {
		out = append(out, Group{Name: one.name, Figures: one.all.figures(), ByVisible: one.visible()})
	}
	return out
}

type tally struct {
	images, unverified int
	all                *group
	levels, sources    groups
	times              []float64
	reliability        [len(questions)]reliability
	falseCards         []FalseCards
	faults             []Fault
}

func newTally() *tally { return &tally{all: newGroup("")} }

// add scores one picture and says for each answer what came of it.
func (t *tally) add(c Case, seen []board.Observation, took time.Duration, knows func(board.CardID) bool) []judged {
	t.images++
	if c.Truth.Unverified {
		t.unverified++
	}
	t.times = append(t.times, float64(took)/float64(time.Millisecond))
	in := []*group{t.all, t.sources.named(c.Source)}
	if c.Level != "" {
		in = append(in, t.levels.named(c.Level))
	}
	found := matchUp(c.Truth.Cards, seen)
	fits := make([]bool, len(seen))
	out := make([]judged, len(seen))
	for i, card := range c.Truth.Cards {
		s := found[i]
		if s >= 0 {
			fits[s] = true
		}
		if card.Visible < MinVisible {
			continue
		}
		var answer *board.Observation
		if s >= 0 {
			answer = &seen[s]
		}
		v := judge(card, answer, knows)
		for _, g := range in {
			g.all.count(v)
			g.byVisible[bucket(card.Visible)].count(v)
			if answer != nil {
				g.all.fig.Precision.N++
				g.all.fig.Precision.Of++
				g.all.fig.SureWrong.countSure(answer.Confidence, v.right())
			}
		}
		if answer != nil {
			t.rely(*answer, v)
			out[s] = judged{scored: true, right: v.right()}
		}
		t.note(c, card, answer, v)
	}
	for s, o := range seen {
		if fits[s] || c.Truth.Partial && !(c.Truth.Nameless && o.Card != nil) {
			continue
		}
		for _, g := range in {
			f := &g.all.fig
			f.Precision.Of++
			f.SureWrong.countSure(o.Confidence, false)
			if o.Card != nil {
				f.WrongIDs++
				f.WrongIDRate.N++
				f.WrongIDRate.Of++
			}
		}
		t.relyOnNothing(o)
		out[s] = judged{scored: true}
		kind := c.Truth.thingAt(o.Corners.Centre())
		t.falseCard(kind, o)
		t.faults = append(t.faults, Fault{FaultFalseCard, c.Source, c.Name, kind, describe(o), o.Corners.Centre(), o.Confidence, c.Truth.Unverified})
	}
	return out
}

// thingAt is the kind of thing that lies at a place, "" if none is known to.
func (t Truth) thingAt(at board.Point) string {
	for _, thing := range t.Things {
		if thing.Centre.Distance(at) <= thing.Reach {
			return thing.Kind
		}
	}
	return ""
}

func (t *tally) falseCard(kind string, o board.Observation) {
	i := slices.IndexFunc(t.falseCards, func(f FalseCards) bool { return f.Kind == kind })
	if i < 0 {
		i = len(t.falseCards)
		t.falseCards = append(t.falseCards, FalseCards{Kind: kind})
	}
	f := &t.falseCards[i]
	f.Count++
	f.Most = max(f.Most, o.Confidence)
	if o.Card != nil {
		f.Named++
	}
}

func bucket(visible float64) int {
	return slices.IndexFunc(visibleBuckets, func(b struct {
		name string
		min  float64
	}) bool {
		return visible >= b.min
	})
}

func (t *tally) note(c Case, card Card, answer *board.Observation, v verdict) {
	fault := Fault{Source: c.Source, Image: c.Name, Want: card.describe(), At: card.centre(), Unverified: c.Truth.Unverified}
	if answer == nil {
		fault.Kind = FaultMissed
		t.faults = append(t.faults, fault)
		return
	}
	fault.Got, fault.At, fault.Confidence = describe(*answer), answer.Corners.Centre(), answer.Confidence
	for _, wrong := range []struct {
		is   bool
		kind FaultKind
	}{{v.wrongName, FaultWrongID}, {v.face.Wrong > 0, FaultWrongFace}, {v.turn.Wrong > 0, FaultWrongTurn}} {
		if wrong.is {
			fault.Kind = wrong.kind
			t.faults = append(t.faults, fault)
		}
	}
}

func (t *tally) report() Report {
	r := Report{
		Images: t.images, Unverified: t.unverified, All: t.all.all.figures(), ByVisible: t.all.visible(),
		ByLevel: t.levels.report(), BySource: t.sources.report(), Time: spread(t.times), Faults: slices.Clone(t.faults),
	}
	for i, q := range questions {
		r.Reliability = append(r.Reliability, t.reliability[i].report(q))
	}
	r.FalseCards = slices.SortedStableFunc(slices.Values(t.falseCards), func(a, b FalseCards) int { return cmp.Compare(b.Count, a.Count) })
	slices.SortStableFunc(r.Faults, func(a, b Fault) int {
		return slices.Index(faultOrder, a.Kind) - slices.Index(faultOrder, b.Kind)
	})
	return r
}

// verdict is what one labelled card adds to the counts.
type verdict struct {
	found                     bool
	turn, face, id            Answer // one count each, or none when not asked
	named, namedCard          bool   // a card or a back is named, and labelled; a card is
	wrongName, wrongBack      bool
	corner, own, share, angle float64 // NaN when not measured
}

func (v verdict) right() bool {
	return v.found && !v.wrongName && !v.wrongBack && v.turn.Wrong == 0 && v.face.Wrong == 0
}

// judge compares one labelled card with its answer, which is nil when there is
// none.
func judge(card Card, answer *board.Observation, knows func(board.CardID) bool) verdict {
	v := verdict{corner: math.NaN(), own: math.NaN(), share: math.NaN(), angle: math.NaN()}
	askID := card.ID != "" && card.Face != board.FaceDown && knows(card.ID)
	if answer == nil {
		if askID {
			v.id.Unsure++
		}
		return v
	}
	o := *answer
	v.found = true
	if card.Rotation != nil && card.Rotation.Known() {
		v.turn.count(o.Rotation.Known(), o.Rotation == *card.Rotation)
	}
	if card.Face != "" && card.Face != board.FaceUnknown {
		v.face.count(o.Face != board.FaceUnknown && o.Face != "", o.Face == card.Face)
	}
	if askID {
		v.id.count(o.Card != nil, o.Card != nil && o.Card.ID == card.ID)
	}
	if o.Card != nil && (card.ID != "" || card.Face == board.FaceDown) {
		v.named, v.namedCard = true, true
		v.wrongName = card.Face == board.FaceDown || o.Card.ID != card.ID
	}
	if o.Back != "" && card.Back != "" && card.Face == board.FaceDown {
		v.named = true
		v.wrongBack = o.Back != card.Back
	}
	if card.Corners != nil {
		_, height := card.Corners.Edges()
		v.own = cornerError(*card.Corners, o.Corners)
		v.corner = v.own
		if card.Outline != nil {
			v.corner = min(v.own, cornerError(*card.Outline, o.Corners))
		}
		v.share = 100 * v.corner / height
		if v.turn.Wrong == 0 {
			v.angle = angleError(card, o)
		}
	}
	return v
}

func (c *counts) count(v verdict) {
	f := &c.fig
	f.Cards++
	f.Recall.Of++
	if v.found {
		f.Recall.N++
	}
	for _, sum := range []struct{ to, add *Answer }{{&f.Turn, &v.turn}, {&f.Face, &v.face}, {&f.ID, &v.id}} {
		sum.to.Right += sum.add.Right
		sum.to.Unsure += sum.add.Unsure
		sum.to.Wrong += sum.add.Wrong
	}
	if v.namedCard {
		f.WrongIDRate.Of++
	}
	if v.wrongName {
		f.WrongIDs++
		f.WrongIDRate.N++
	}
	for _, m := range []struct {
		to    *[]float64
		value float64
	}{{&c.corner, v.corner}, {&c.own, v.own}, {&c.share, v.share}, {&c.angle, v.angle}} {
		if !math.IsNaN(m.value) {
			*m.to = append(*m.to, m.value)
		}
	}
}

func (c Card) centre() board.Point {
	switch {
	case c.Corners != nil:
		return c.Corners.Centre()
	case c.Box != nil:
		return board.Point{X: (c.Box.X0 + c.Box.X1) / 2, Y: (c.Box.Y0 + c.Box.Y1) / 2}
	}
	return board.Point{}
}

func (c Card) describe() string {
	name := string(c.ID)
	if name == "" {
		name = "a card"
	}
	if c.Face == board.FaceDown {
		name = "face-down card"
	}
	if c.Copy != "" {
		name += " (" + c.Copy + ")"
	}
	if c.Rotation != nil && c.Rotation.Known() {
		name += fmt.Sprintf(" at %d", *c.Rotation)
	}
	return name
}

func describe(o board.Observation) string {
	name := "unnamed card"
	if o.Card != nil {
		name = string(o.Card.ID)
	}
	if o.Face == board.FaceDown {
		name += " face down"
	}
	if o.Rotation.Known() {
		name += fmt.Sprintf(" at %d", o.Rotation)
	}
	return name
}
