package packfile

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tabletop/board"
	"tabletop/rules"
)

// pack is a compiled pack file. It is not changed once it is compiled.
type pack struct {
	file     packFile
	types    map[string]string // a normal name → the type's id
	typeIDs  []string          // sorted
	areas    []areaCase
	turns    []turnCase
	outWords map[string]bool // words that a card keeps out of play
	sides    *condition      // nil: no card has two sides
}

type areaCase struct {
	area rules.Area
	when *condition
}

type turnCase struct {
	turned board.Turn
	means  board.State
	when   *condition // nil: always
}

// compiler compiles conditions and gathers all that is wrong with them.
type compiler struct {
	src      *source
	words    vocabulary
	problems []error
}

func (c *compiler) failf(path []string, format string, args ...any) {
	c.problems = append(c.problems, c.src.problem(path, format, args...))
}

// condition compiles the text at a path; an empty one is nil.
func (c *compiler) condition(text string, env any, path ...string) *condition {
	if text == "" {
		return nil
	}
	compiled, err := compileCondition(text, env, c.words)
	if err == nil {
		return compiled
	}
	for _, err := range flatten(err) {
		p := c.src.problem(path, "%s", err.Error())
		p.Line = c.src.textLine(path)
		if at := (conditionError{}); errors.As(err, &at) {
			p.Line += at.lineIn(text)
		}
		c.problems = append(c.problems, p)
	}
	return nil
}

// flatten takes a joined error apart.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// compile makes a pack of a file that conforms to the schema.
func compile(src *source, file packFile, messages fs.FS) (rules.Pack, error) {
	c := &compiler{src: src, words: file.vocabulary()}
	p := &pack{file: file, types: map[string]string{}, outWords: map[string]bool{}}
	c.types(p)
	c.names(file)
	for i, a := range file.Areas {
		area := rules.AreaOutOfPlay
		if a.Area == inPlay {
			area = rules.AreaInPlay
		}
		p.areas = append(p.areas, areaCase{area, c.condition(a.When, placeEnv{}, "areas", strconv.Itoa(i), "when")})
	}
	for i, t := range file.Turns {
		for j, word := range t.Means {
			if !slices.Contains(c.words["states"], word) {
				c.failf([]string{"turns", strconv.Itoa(i), "means", strconv.Itoa(j)}, "there is no word %q; known are %s: add it under words", word, strings.Join(c.words["states"], ", "))
			}
		}
		p.turns = append(p.turns, turnCase{board.Turn(t.Turned), board.NewState(t.Means...), c.condition(t.When, placeEnv{}, "turns", strconv.Itoa(i), "when")})
	}
	p.sides = c.condition(file.SameCard, sidesEnv{}, "same-card")
	out := rules.Pack{
		ID: file.Game, Name: file.Name, Languages: file.Languages,
		Meaning: p.meaning, Area: p.area, Kind: p.typeOf, Says: p.says(), Messages: messages,
	}
	if p.sides != nil {
		out.SameCard = p.sameCard
	}
	for _, z := range file.Zones {
		out.Zones = append(out.Zones, rules.ZoneOfTable{Kind: board.ZoneKind(z.Kind), Shared: z.Of == "table"})
	}
	for _, w := range file.Words {
		out.Words = append(out.Words, rules.Word{State: w.Word, Gained: board.EventKind(w.Gained), Lost: board.EventKind(w.Lost)})
		p.outWords[w.Word] = w.OutOfPlay
	}
	for _, a := range file.Actions {
		out.Acts = append(out.Acts, a.kind())
	}
	for i, r := range file.Rules {
		rule := c.rule(p, r, strconv.Itoa(i))
		out.Rules = append(out.Rules, rule)
		for _, f := range r.Follows {
			out.Says = append(out.Says, string(r.ID)+"."+f.Say)
		}
	}
	slices.Sort(out.Says)
	out.Says = slices.Compact(out.Says)
	return out, errors.Join(c.problems...)
}

func (a actionEntry) kind() rules.ActKind {
	k := rules.ActKind{Kind: a.ID, Seat: a.Seat, Copies: a.Cards, Targets: a.Targets, Zone: a.Zone, Amount: a.Amount}
	for _, p := range a.Params {
		k.Params = append(k.Params, rules.Param{Name: p.Name, Values: p.Values, Need: p.Need})
	}
	return k
}

// names finds what stands twice.
func (c *compiler) names(file packFile) {
	twice := func(list string, key string, ids []string) {
		seen := map[string]int{}
		for i, id := range ids {
			if first, ok := seen[id]; ok {
				c.failf([]string{list, strconv.Itoa(i), key}, "%q stands twice; the first is on line %d", id, c.src.line([]string{list, strconv.Itoa(first), key}))
				continue
			}
			seen[id] = i
		}
	}
	var zones, words, actions, ids []string
	for _, z := range file.Zones {
		zones = append(zones, z.Kind)
	}
	for _, w := range file.Words {
		words = append(words, w.Word)
	}
	for _, a := range file.Actions {
		actions = append(actions, string(a.ID))
	}
	for _, r := range file.Rules {
		ids = append(ids, string(r.ID))
	}
	twice("zones", "kind", zones)
	twice("words", "word", words)
	twice("actions", "id", actions)
	twice("rules", "id", ids)
}

// types gathers the names of the card types.
func (c *compiler) types(p *pack) {
	p.typeIDs = slices.DeleteFunc(slices.Clone(c.words["type"]), isEmpty)
	for _, id := range p.typeIDs {
		for i, name := range p.file.Types[id] {
			normal := normalType(name)
			path := []string{"types", id, strconv.Itoa(i)}
			if other, ok := p.types[normal]; ok && other != id {
				c.failf(path, "%q is already a name of the type %s; a name has one type", name, other)
			}
			if normal == "" {
				c.failf(path, "%q has no letters; write the type's name as card lists do", name)
			}
			p.types[normal] = id
		}
	}
}

// normalType is a type's name in small letters, words joined by one space.
func normalType(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, " ")
}

// typeOf is the id of a card's type, or "" where it isn't known. "Unique
// Personality" is a personality: the longest name within the words counts.
func (p *pack) typeOf(s rules.Subject) string { return p.typeNamed(s.Card.Type) }

func (p *pack) typeNamed(listed string) string {
	if id, ok := p.types[listed]; ok {
		return id
	}
	normal := normalType(listed)
	if id, ok := p.types[normal]; ok {
		return id
	}
	best, id := 0, ""
	for _, name := range sortedKeys(p.types) {
		if len(name) > best && strings.Contains(" "+normal+" ", " "+name+" ") {
			best, id = len(name), p.types[name]
		}
	}
	return id
}

// sameCard says whether two cards of the catalogue are the sides of one.
func (p *pack) sameCard(a, b board.Card) bool {
	side := func(c board.Card) printed {
		return printed{string(c.ID), c.Name, p.typeNamed(c.Type), c.Attributes}
	}
	return p.sides.holds(&sidesEnv{side(a), side(b)}) || p.sides.holds(&sidesEnv{side(b), side(a)})
}

// mayBe are the types that a card may be of: its own, or all while it isn't
// known.
func (p *pack) mayBe(s rules.Subject) []string {
	if t := p.typeOf(s); t != "" {
		return []string{t}
	}
	return p.typeIDs
}

// area is where a card is whatever type it may be of, or undetermined.
func (p *pack) area(s rules.Subject) rules.Area {
	types := p.mayBe(s)
	area := p.areaAs(s, types[0])
	for _, t := range types[1:] {
		if p.areaAs(s, t) != area {
			return rules.AreaUndetermined
		}
	}
	return area
}

// areaOf is area for a card taken to be of a type. Where no zones are drawn or
// the card lies in none, the engine's answer stands.
func (p *pack) areaOf(s rules.Subject, cardType string) rules.Area {
	if s.Zone.ID == "" {
		return s.Area
	}
	return p.areaAs(s, cardType)
}

func (p *pack) areaAs(s rules.Subject, cardType string) rules.Area {
	env := placeEnv{p.place(s, cardType)}
	for _, a := range p.areas {
		if a.when.holds(&env) {
			return a.area
		}
	}
	return rules.AreaUndetermined
}

// meaning reads the state from a turn. A turn that isn't known, one that means
// nothing, and one whose meaning depends on a type that isn't known leave the
// state as it was.
func (p *pack) meaning(s rules.Subject, last board.State) board.State {
	types := p.mayBe(s)
	state := p.meaningAs(s, last, types[0])
	for _, t := range types[1:] {
		if !p.meaningAs(s, last, t).Equal(state) {
			state = last
			break
		}
	}
	if s.Area == rules.AreaOutOfPlay {
		state = slices.DeleteFunc(slices.Clone(state), func(w string) bool { return !p.outWords[w] })
	}
	return state
}

func (p *pack) meaningAs(s rules.Subject, last board.State, cardType string) board.State {
	env := placeEnv{p.place(s, cardType)}
	for _, t := range p.turns {
		if t.turned == s.Copy.Pose.Rotation && (t.when == nil || t.when.holds(&env)) {
			return t.means
		}
	}
	return last
}

// says are the words of the game that clients show: types, places, states, what
// actions take.
func (p *pack) says() []string {
	var ids []string
	for _, t := range p.typeIDs {
		ids = append(ids, "type."+t)
	}
	for _, z := range p.file.Zones {
		ids = append(ids, "place."+z.Kind, "zone."+z.Kind)
	}
	for _, w := range p.file.Words {
		ids = append(ids, "word."+w.Word, "event."+strings.TrimPrefix(w.Gained, "card."), "event."+strings.TrimPrefix(w.Lost, "card."))
	}
	for _, a := range p.file.Actions {
		for _, param := range a.Params {
			ids = append(ids, "param."+param.Name)
			for _, v := range param.Values {
				ids = append(ids, "param."+v)
			}
		}
	}
	return ids
}
