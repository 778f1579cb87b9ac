package rules

import (
	"maps"
	"slices"
	"time"

	"tabletop/board"
)

// Explanation is what a pack makes of a board: what each copy is and where it
// counts, what was declared, and every finding that the board as it lies gives.
// Of how it came to lie so it knows nothing, so no rule of changes speaks here.
type Explanation struct {
	Game     string          `json:"game"`
	Lang     string          `json:"lang"`
	Copies   []ExplainedCopy `json:"copies"`
	Declared *board.Game     `json:"declared,omitempty"`
	Findings []board.Finding `json:"findings"`
	Prompts  []board.Prompt  `json:"prompts"` // those that were open on the board
}

// ExplainedCopy is one copy as the pack understands it.
type ExplainedCopy struct {
	Copy       board.CopyID `json:"copy"`
	Name       string       `json:"name"` // "An unknown card" for one
	Place      string       `json:"place"`
	Area       string       `json:"area"` // "in-play", "out-of-play", "undetermined"
	Controller board.SeatID `json:"controller,omitempty"`
	Owner      board.SeatID `json:"owner,omitempty"`
	State      board.State  `json:"state"`
	Facts      []Fact       `json:"facts"`

	// UnknownType is the type that the catalogue gives the card and the game
	// doesn't know; of a game that doesn't say which types it has, always empty.
	UnknownType string `json:"unknown_type,omitempty"`
}

// String names an area as Explanation does.
func (a Area) String() string {
	switch a {
	case AreaInPlay:
		return "in-play"
	case AreaOutOfPlay:
		return "out-of-play"
	}
	return "undetermined"
}

// Explain judges a board that nobody saw come about. The states of its copies
// are read anew from their poses; its layout is its own.
func Explain(pack Pack, opts Options, b board.Board) (Explanation, error) {
	opts.Layout = b.Layout
	e, err := New(pack, opts)
	if err != nil {
		return Explanation{}, err
	}
	b = b.Clone()
	fresh := board.NewBoard(b.Layout)
	maps.Copy(fresh.Copies, b.Copies)
	fresh.Game = b.Game
	e.reset(fresh)
	x := Explanation{Game: pack.ID, Lang: e.opts.Lang, Copies: []ExplainedCopy{}, Findings: []board.Finding{}, Prompts: []board.Prompt{}, Declared: b.Game}
	ids := slices.Sorted(maps.Keys(fresh.Copies))
	for _, id := range ids {
		c := e.board.Copies[id]
		if c.Zone == "" {
			if z, ok := b.Layout.ZoneAt(c.Pose.Centre); ok {
				c.Zone = z.ID
			}
		}
		if c.State = e.pack.Meaning(e.subject(c), c.State); c.State == nil {
			c.State = board.State{}
		}
		e.board.Copies[id] = c
	}
	var at time.Time
	for _, id := range ids {
		s, _ := e.table().Subject(id)
		x.Copies = append(x.Copies, e.explained(s))
		for _, event := range e.judgeStates(act{id: id, at: at}, []board.CopyID{id}) {
			if event.Kind == board.EventFindingOpened {
				x.Findings = append(x.Findings, *event.Finding)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.Prompts)) {
		x.Prompts = append(x.Prompts, b.Prompts[id])
	}
	return x, nil
}

// Explain says what the engine's pack makes of a board.
func (e *Engine) Explain(b board.Board) (Explanation, error) { return Explain(e.pack, e.opts, b) }

func (e *Engine) explained(s Subject) ExplainedCopy {
	x := ExplainedCopy{
		Copy: s.Copy.ID, Name: e.texts.name(s), Place: e.texts.place(s), Area: s.Area.String(),
		Controller: s.Seat, Owner: s.Copy.Owner, State: s.Copy.State, Facts: []Fact{},
	}
	if e.pack.Kind != nil && e.pack.Kind(s) == "" {
		x.UnknownType = s.Card.Type
	}
	if e.pack.Facts != nil {
		for _, f := range e.pack.Facts(s) {
			f.Title = e.texts.say("fact."+f.Name, e.texts.wording(Transition{After: s}))
			x.Facts = append(x.Facts, f)
		}
	}
	return x
}

// ActText is a kind of action as a reader sees it.
type ActText struct {
	ActKind
	Title string `json:"title"`
}

// Acts lists the kinds of action that may be declared, in the engine's language.
func (e *Engine) Acts() []ActText {
	list := make([]ActText, len(e.pack.Acts))
	for i, a := range e.pack.Acts {
		list[i] = ActText{a, e.texts.say("action."+string(a.Kind), wording{})}
	}
	return list
}

// Lang is the language in which the engine speaks.
func (e *Engine) Lang() string { return e.opts.Lang }
