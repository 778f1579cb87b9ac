package rules

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"tabletop/board"
)

// Pack is one game: its words, its areas and its rules.
type Pack struct {
	ID        string   // "l5r-emperor"; what the setting `game` names
	Name      string   // "Legend of the Five Rings, Emperor Edition"
	Languages []string // BCP 47 tags of the languages its texts exist in

	// Words are the states of this game, in the order in which their events
	// follow one another when one turn changes several.
	Words []Word

	// Meaning reads a state from a pose. Of what the pose doesn't tell, it
	// keeps what last says. It must not change last.
	Meaning func(s Subject, last board.State) board.State

	// Zones are the kinds of area that a table of this game has, for whoever lays
	// one out; empty: the pack doesn't say.
	Zones []ZoneOfTable

	// Area says whether a copy in s.Zone is in play. It is asked only about
	// copies that lie in a zone.
	Area func(s Subject) Area

	// Kind is the pack's name for a card's type, under which the messages have
	// it: type.<kind>. Nil or "": findings name the type as the catalogue does.
	Kind func(s Subject) string

	// Controller says whose copy it is now; nil: what the copy says, else its
	// owner, else whose the zone is. The answer becomes Subject.Seat.
	Controller func(s Subject) board.SeatID

	// SameCard says whether two catalogue entries are the two sides of one card;
	// nil: no card has two.
	SameCard func(a, b board.Card) bool

	// Facts are what a judge may want to know of a copy beside its pose and
	// state (its unit, its Force); nil: nothing. FactNames are all names that it
	// uses; the message fact.<name> is the name's title.
	Facts     func(s Subject) []Fact
	FactNames []string

	// Acts are the kinds of action that may be declared.
	Acts []ActKind

	// Fold changes the declared state as a legal action does; nil: none does.
	// The game is a clone, to be changed in place.
	Fold func(d Declared, g *board.Game)

	// Follow says what a seen change makes of the declared state: the new one
	// and true, or false for no change. It clones the game before it changes it.
	Follow func(t Transition) (board.Game, bool)

	Rules []Rule

	// Says are messages of the pack beside those of its rules: effects, and the
	// game's own words for a type of card (type.<kind>), a place (place.<zone
	// kind>: "in South's play area") and whatever clients show ([Engine.Words]).
	Says []string

	// Messages holds, for each language, `messages/<name>.<language>.yaml`
	// with, for each rule, <id>.title, <id>.text (of a finding; only if the rule
	// has State or Change) and <id>.<word> for each word of its Says; with
	// action.<kind> for each kind of Acts; and with each of Says.
	Messages fs.FS
}

// Fact is one thing that a pack knows of a copy.
type Fact struct {
	Name   string         `json:"name"`
	Title  string         `json:"title,omitempty"` // filled in by Explain
	Value  string         `json:"value,omitempty"`
	Copies []board.CopyID `json:"copies,omitempty"`
}

// ZoneOfTable is a kind of area on a game's table: each seat's own, or shared.
type ZoneOfTable struct {
	Kind   board.ZoneKind
	Shared bool
}

// Word is one state and the events of gaining and losing it.
type Word struct {
	State  string
	Gained board.EventKind
	Lost   board.EventKind
}

// Area says whether a copy is in play.
type Area int

// The areas. AreaUndetermined is an answer: the place doesn't tell.
const (
	AreaUndetermined Area = iota
	AreaInPlay
	AreaOutOfPlay
)

// Rule is one rule of a game, with all the ways in which a breach of it can
// show: on any board (State), in a change (Change), in what someone declares
// (Action); and with what it makes the table owe (Owe, Settled). At least one of
// them is set. State and Change exclude each other.
type Rule struct {
	ID       board.RuleID
	Severity board.Severity // of a breach seen clearly; thin evidence gives less
	Citation board.Citation

	// Citations are the citation by the language of its source, where the pack
	// has the source in several; in any other language Citation stands.
	Citations map[string]board.Citation

	// State judges what must hold of a copy on any board. It answers with the
	// severity of the breach, or "" for none. Near says that the answer also
	// depends on the copies that it touches or that are attached to it; it is
	// then asked when all that happened at once has happened.
	State func(s Subject) board.Severity
	Near  bool

	// Patience is how long a suspicion of State must stand before it is told: one
	// act of a player may come as several changes (a unit moved card by card). A
	// clear breach is told at once.
	Patience time.Duration

	// Change judges what must hold of a change. The finding stays open until
	// Mended says that nothing of the breach is left, or the copy lies again as
	// it lay before it. A change that takes an act back isn't judged.
	// Restored, if set, says the same of the change that was the breach.
	Change   func(t Transition) board.Severity
	Mended   func(s Subject) bool
	Restored func(breach Transition, now Subject) bool

	// Action judges a declared action of one of the kinds in Pack.Acts.
	Action func(d Declared) Verdict

	// Owe says what a seen change makes the table owe. Settled says whether a
	// prompt of this rule, whether of Owe or of an action's Verdict, is done
	// with. It is asked after every declared action, and after every change of a
	// copy that the prompt names.
	Owe     func(t Transition) []Debt
	Settled func(p board.Prompt, n News) bool

	// Says are the last words of the rule's messages beside title and text:
	// "breach" for <id>.breach.
	Says []string
}

// Subject is a copy with all that a rule may ask about it.
type Subject struct {
	Copy board.Copy
	Card board.Card // from the catalogue; zero while the card is unknown
	Zone board.Zone // zero when it lies in none
	Area Area

	// AngleDeg is the direction of the printed top relative to the up of the
	// seat the copy belongs to, in [0,360).
	AngleDeg float64
	Seat     board.SeatID // who controls it; may be empty

	table Table
}

// Table is what the copy lies on, as it is now: also for a copy as it was.
func (s Subject) Table() Table { return s.table }

// Attribute is what the catalogue knows of the card beside its name and type.
func (s Subject) Attribute(name string) string { return s.Card.Attributes[name] }

// Marked says whether the declared state has a word on this copy.
func (s Subject) Marked(word string) bool { return s.table.Game().Marks[s.Copy.ID].Has(word) }

// TypeKnown says whether it is known which type of card this is.
func (s Subject) TypeKnown() bool { return s.Card.Type != "" }

// Is says whether the card is of a type. "Unique Personality" is a personality:
// any of the words of the catalogue's type counts, in either case.
func (s Subject) Is(cardType string) bool {
	words := strings.FieldsFunc(s.Card.Type, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, cardType) })
}

// Transition is a copy before and after one act at the table.
type Transition struct {
	Before *Subject // nil for a copy that came onto the table
	After  Subject
	At     time.Time

	// Was is what was declared before the change; After.Table().Game() is what
	// Follow made of it. It is not to be changed.
	Was board.Game

	// Found says that the engine was still taking stock of the table
	// ([FirstLook]): a copy that appears then was not seen to come.
	Found bool

	recent    func(word string) bool
	takenBack bool
	played    bool // it was in play before
	told      bool // by a person; nothing moved
}

// Gone says whether the copy left the table. After is then empty but for its
// Table.
func (t Transition) Gone() bool { return t.After.Copy.ID == "" }

// Leaves says whether the copy was seen to leave play for an area out of play.
func (t Transition) Leaves() bool {
	return t.Before != nil && t.Before.Area == AreaInPlay && t.After.Area == AreaOutOfPlay
}

// ZoneKind returns what the area was before and is now for, "" for none.
func (t Transition) ZoneKind() (before, after board.ZoneKind) {
	if t.Before != nil {
		before = t.Before.Zone.Kind
	}
	return before, t.After.Zone.Kind
}

// Enters says whether the copy was seen to come into play: from an area out of
// play, or from outside the camera's view.
func (t Transition) Enters() bool {
	if t.After.Area != AreaInPlay {
		return false
	}
	if t.Before == nil {
		return !t.Found
	}
	return t.Before.Area == AreaOutOfPlay
}

// MayEnter says whether the copy came into play from a place where it may have
// been in play or not, as far as it was never seen in play before.
func (t Transition) MayEnter() bool {
	return t.After.Area == AreaInPlay && t.Before != nil && t.Before.Area == AreaUndetermined && !t.Found && !t.played
}

// TakesBack says whether the copy had this state in play until a short while
// ago ([TakeBack]): to put it back that way undoes an act and is none itself.
func (t Transition) TakesBack(word string) bool { return t.recent != nil && t.recent(word) }

// Packs are the games a program knows.
type Packs []Pack

// Find returns the pack of that id. The error names those there are.
func (ps Packs) Find(id string) (Pack, error) {
	i := slices.IndexFunc(ps, func(p Pack) bool { return p.ID == id })
	if i < 0 {
		return Pack{}, fmt.Errorf("unknown game %q: known are %s", id, strings.Join(ps.IDs(), ", "))
	}
	return ps[i], nil
}

// IDs are the packs' ids, in order.
func (ps Packs) IDs() []string {
	ids := make([]string, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	return ids
}

// Rule returns the rule of that id.
func (p Pack) Rule(id board.RuleID) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// check says what a pack lacks to be judged by.
func (p Pack) check() error {
	if p.Meaning == nil || p.Area == nil || p.Messages == nil || len(p.Languages) == 0 {
		return fmt.Errorf("pack %q: it needs a meaning of poses, areas, messages and a language", p.ID)
	}
	seen := map[board.RuleID]bool{}
	for _, r := range p.Rules {
		switch {
		case r.ID == "" || seen[r.ID]:
			return fmt.Errorf("pack %q: rule id %q is empty or stands twice", p.ID, r.ID)
		case r.State != nil && r.Change != nil:
			return fmt.Errorf("pack %q, rule %s: a rule judges either a state or a change", p.ID, r.ID)
		case r.State == nil && r.Change == nil && r.Action == nil && r.Owe == nil:
			return fmt.Errorf("pack %q, rule %s: it judges neither a state, a change nor an action, and owes nothing", p.ID, r.ID)
		case r.Owe != nil && r.Settled == nil:
			return fmt.Errorf("pack %q, rule %s: it doesn't say when what it owes is settled", p.ID, r.ID)
		case (r.Change == nil) != (r.Mended == nil):
			return fmt.Errorf("pack %q, rule %s: a rule of changes says when a breach is mended, no other does", p.ID, r.ID)
		case r.Citation.Source == "" || r.Citation.Passage == "":
			return fmt.Errorf("pack %q, rule %s: it cites no source", p.ID, r.ID)
		}
		seen[r.ID] = true
	}
	kinds := map[board.ActionKind]bool{}
	for _, a := range p.Acts {
		if a.Kind == "" || kinds[a.Kind] {
			return fmt.Errorf("pack %q: the kind of action %q is empty or stands twice", p.ID, a.Kind)
		}
		kinds[a.Kind] = true
		for _, param := range a.Params {
			if _, err := regexp.Compile(param.Pattern); err != nil {
				return fmt.Errorf("pack %q: action %s, parameter %s: %w", p.ID, a.Kind, param.Name, err)
			}
		}
	}
	return nil
}

// Act returns the kind of action of that name.
func (p Pack) Act(kind board.ActionKind) (ActKind, bool) {
	i := slices.IndexFunc(p.Acts, func(a ActKind) bool { return a.Kind == kind })
	if i < 0 {
		return ActKind{}, false
	}
	return p.Acts[i], true
}
