package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"tabletop/board"
)

//go:embed messages/*.yaml
var engineMessages embed.FS

// texts are the words of one pack in one language. A bundle holds that language
// alone, so that a missing message is an error and not another language.
type texts struct {
	localizer *i18n.Localizer
	layout    board.Layout
	kind      func(s Subject) string // nil: types as the catalogue has them
	says      []string               // the pack's own messages, sorted
}

// wording is what a message's template may use.
type wording struct {
	Name  string // of the card, or the words for an unknown one
	Copy  board.CopyID
	Type  string // the pack's word for it, else the catalogue's; may be empty
	Place string // "in South's home"
	From  string // where it lay before; empty when it came from out of view
	Turn  string // "upside down (180°)"
	Face  string // "face up"
	Seat  string
	Zone  string
	Angle int // degrees clockwise from the seat's up

	// Of breaches, effects and prompts.
	Other      string // another card's name
	OtherPlace string
	Who        string // a seat
	Amount     int
	Words      string // a list of further words
}

// engineTexts are the messages that the engine itself needs.
func engineTexts() []string {
	ids := []string{
		"card.unknown", "possible", "seen.state", "seen.change",
		"turn.upright", "turn.right", "turn.upside-down", "turn.left", "turn.slanted",
		"face.up", "face.down", "face.unknown", "place.table", "place.area",
		"step.moved", "step.named", "step.gone", "step.came",
	}
	for _, k := range placeKinds() {
		ids = append(ids, "place."+string(k))
	}
	for _, why := range refusals() {
		ids = append(ids, "refused."+why)
	}
	return ids
}

// placeKinds are the zone kinds that have words of their own.
func placeKinds() []board.ZoneKind {
	return []board.ZoneKind{
		board.ZoneHome, board.ZoneBattlefield, board.ZoneProvince, board.ZoneFateDeck, board.ZoneDynastyDeck,
		board.ZoneFateDiscard, board.ZoneDynastyDiscard, board.ZoneDeck, board.ZoneDiscard, board.ZoneHand,
		board.ZoneRemoved, board.ZoneSetAside, board.ZoneResolution, board.ZoneEnteringPlay, board.ZoneFocusing,
	}
}

// MessageIDs are the messages that the pack needs in each of its languages.
func (p Pack) MessageIDs() []string {
	var ids []string
	for _, r := range p.Rules {
		ids = append(ids, titleID(r.ID))
		if r.State != nil || r.Change != nil {
			ids = append(ids, textID(r.ID))
		}
		for _, word := range r.Says {
			ids = append(ids, string(r.ID)+"."+word)
		}
	}
	for _, a := range p.Acts {
		ids = append(ids, "action."+string(a.Kind))
	}
	for _, f := range p.FactNames {
		ids = append(ids, "fact."+f)
	}
	return append(ids, p.Says...)
}

func titleID(r board.RuleID) string { return string(r) + ".title" }
func textID(r board.RuleID) string  { return string(r) + ".text" }

// newTexts loads the pack's messages in one language and tries each of them.
func newTexts(p Pack, lang string, layout board.Layout) (*texts, error) {
	if !slices.Contains(p.Languages, lang) {
		return nil, fmt.Errorf("game %s has no texts in language %q: it has %s", p.ID, lang, strings.Join(p.Languages, ", "))
	}
	tag, err := language.Parse(lang)
	if err != nil {
		return nil, fmt.Errorf("language %q: %w", lang, err)
	}
	bundle := i18n.NewBundle(tag)
	bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	for _, fsys := range []fs.FS{engineMessages, p.Messages} {
		files, err := fs.Glob(fsys, "messages/*."+lang+".yaml")
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("game %s: no file messages/*.%s.yaml", p.ID, lang)
		}
		for _, name := range files {
			if _, err := bundle.LoadMessageFileFS(fsys, name); err != nil {
				return nil, fmt.Errorf("game %s: messages %s: %w", p.ID, name, err)
			}
		}
	}
	t := &texts{localizer: i18n.NewLocalizer(bundle, lang), layout: layout, kind: p.Kind, says: slices.Sorted(slices.Values(p.Says))}
	ids := engineTexts()
	ids = append(ids, p.MessageIDs()...)
	for _, id := range ids {
		// Once with nothing and once with everything, for both sides of an "if".
		for _, w := range []wording{{}, {"n", "c", "t", "p", "f", "u", "a", "s", "z", 1, "o", "q", "w", 1, "l"}} {
			if s, err := t.localize(id, w); err != nil {
				return nil, fmt.Errorf("game %s, language %s: %w", p.ID, lang, err)
			} else if strings.TrimSpace(s) == "" {
				return nil, fmt.Errorf("game %s, language %s: message %q is empty", p.ID, lang, id)
			}
		}
	}
	return t, nil
}

func (t *texts) localize(id string, w wording) (string, error) {
	return t.localizer.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: w})
}

// say is localize for messages that newTexts has tried, which therefore can't
// fail: a wording holds only plain values.
func (t *texts) say(id string, w wording) string {
	s, err := t.localize(id, w)
	if err != nil {
		return id
	}
	return strings.TrimSpace(s)
}

// title is the rule's name.
func (t *texts) title(r board.RuleID) string { return t.say(titleID(r), wording{}) }

// text says what is wrong and what the rule wants; possible, that it may be
// otherwise than it seems.
func (t *texts) text(r Rule, tr Transition, possible bool) string {
	text := t.say(textID(r.ID), t.wording(tr))
	if possible {
		return t.say("possible", wording{Words: text})
	}
	return text
}

// seen says what the camera saw, with no judgement in it.
func (t *texts) seen(r Rule, tr Transition) string {
	if r.Change != nil {
		return t.say("seen.change", t.wording(tr))
	}
	return t.say("seen.state", t.wording(tr))
}

// note is a sentence of the pack about copies on a table.
func (t *texts) note(id string, n Note, table Table) string {
	w := wording{Amount: n.Amount, Words: n.Words, Who: t.seat(n.Seat)}
	if s, ok := table.Subject(n.About); ok {
		w = t.wording(Transition{After: s})
		w.Amount, w.Words, w.Who = n.Amount, n.Words, t.seat(n.Seat)
	} else {
		w.Name = t.say("card.unknown", w)
	}
	if s, ok := table.Subject(n.Other); ok {
		w.Other, w.OtherPlace = t.name(s), t.place(s)
	}
	return t.say(id, w)
}

func (t *texts) seat(id board.SeatID) string {
	if seat, ok := t.layout.Seat(id); ok && seat.Name != "" {
		return seat.Name
	}
	return string(id)
}

func (t *texts) name(s Subject) string {
	if s.Card.Name != "" {
		return s.Card.Name
	}
	return t.say("card.unknown", wording{Copy: s.Copy.ID})
}

// difference says in what a copy lies otherwise than it lay; now is the zero
// Subject for one that is gone.
func (t *texts) difference(was, now Subject) string {
	w := t.wording(Transition{Before: &was, After: now})
	switch {
	case now.Copy.ID == "":
		w = t.wording(Transition{After: was})
		return t.say("step.gone", w)
	case was.Copy.ID == "":
		return t.say("step.came", w)
	case !sameCard(was.Copy.Card, now.Copy.Card) && was.Copy.Card != nil:
		w.Other = t.name(was)
		return t.say("step.named", w)
	}
	w.Other, w.OtherPlace = t.say(turnID(was.Copy.Pose.Rotation), t.wording(Transition{After: was})), t.say("face."+string(faceOf(was.Copy)), w)
	return t.say("step.moved", w)
}

func (t *texts) wording(tr Transition) wording {
	s := tr.After
	w := wording{Name: s.Card.Name, Copy: s.Copy.ID, Type: t.cardType(s), Angle: int(math.Round(s.AngleDeg)) % 360}
	if w.Name == "" {
		w.Name = t.say("card.unknown", w)
	}
	w.Turn = t.say(turnID(s.Copy.Pose.Rotation), w)
	w.Face = t.say("face."+string(faceOf(s.Copy)), w)
	w.Place = t.place(s)
	if tr.Before != nil {
		w.From = t.place(*tr.Before)
	}
	return w
}

// cardType is the pack's word for a card's type, else the catalogue's.
func (t *texts) cardType(s Subject) string {
	if t.kind != nil {
		if id := "type." + t.kind(s); t.own(id) {
			return t.say(id, wording{})
		}
	}
	return s.Card.Type
}

// own says whether the pack has a message of its own of that id.
func (t *texts) own(id string) bool {
	_, ok := slices.BinarySearch(t.says, id)
	return ok
}

func (t *texts) place(s Subject) string {
	w := wording{Seat: t.seat(s.Zone.Seat), Zone: string(s.Zone.ID)}
	switch {
	case s.Zone.ID == "":
		return t.say("place.table", w)
	case slices.Contains(placeKinds(), s.Zone.Kind) || t.own("place."+string(s.Zone.Kind)):
		return t.say("place."+string(s.Zone.Kind), w)
	}
	return t.say("place.area", w)
}

func turnID(turn board.Turn) string {
	switch turn {
	case 0:
		return "turn.upright"
	case 90:
		return "turn.right"
	case 180:
		return "turn.upside-down"
	case 270:
		return "turn.left"
	}
	return "turn.slanted"
}

func faceOf(c board.Copy) board.Face {
	switch c.Pose.Face {
	case board.FaceUp, board.FaceDown:
		return c.Pose.Face
	}
	return board.FaceUnknown
}
