package scenario

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/rules/nearest"
)

// ParseDir reads the scenarios of all files *.txt of a folder, in the order of
// their names. A folder without any is an error.
func ParseDir(fsys fs.FS, dir string) ([]Scenario, error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no file *.txt, so there are no scenarios", dir)
	}
	var all []Scenario
	for _, name := range names {
		scenarios, err := ParseFile(fsys, name)
		if err != nil {
			return nil, err
		}
		all = append(all, scenarios...)
	}
	return all, nil
}

// ParseFile reads the scenarios of one file, as [Parse].
func ParseFile(fsys fs.FS, name string) ([]Scenario, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(name, f)
}

// Parse reads the scenarios of one file; name stands in its errors, all of which
// are told at once. A scenario for several games is given once for each.
func Parse(name string, r io.Reader) ([]Scenario, error) {
	p := parser{file: name, table: Table()}
	lines := bufio.NewScanner(r)
	var errs []error
	for lines.Scan() {
		p.line++
		words, err := split(lines.Text())
		if err == nil && len(words) > 0 {
			err = p.statement(words)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, p.line, err))
		}
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	}
	for _, s := range p.scenarios {
		switch {
		case len(s.Steps) == 0 || len(s.Steps) == 1 && s.Steps[0].empty():
			errs = append(errs, fmt.Errorf("%s:%d: nothing is in this scenario: write a board, or something that happens (act, declare, …)", name, s.Line))
		case s.Shows != "" && len(s.Rules) == 0:
			errs = append(errs, fmt.Errorf("%s:%d: it says what it shows and of no rule: write rule: RULE beside shows: %s", name, s.Line, s.Shows))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var each []Scenario
	for i, s := range p.scenarios {
		for _, game := range p.gamesOf[i] {
			s.Game = game
			each = append(each, s)
		}
	}
	return each, nil
}

// parser holds what earlier lines said.
type parser struct {
	file         string
	line         int
	games        []string
	lang, source string
	table        board.Layout
	scenarios    []Scenario
	gamesOf      [][]string
	onBoard      bool // copies of the board follow
}

func (p *parser) statement(words []string) error {
	verb, rest := strings.TrimSuffix(words[0], ":"), words[1:]
	if verb == "scenario" {
		p.onBoard = false
		p.scenarios = append(p.scenarios, Scenario{
			Title: strings.Join(rest, " "), File: p.file, Line: p.line, Lang: p.lang, Source: p.source, Table: p.table, Pace: 5 * time.Second,
		})
		p.gamesOf = append(p.gamesOf, p.games)
		if len(p.games) == 0 {
			p.gamesOf[len(p.gamesOf)-1] = []string{""}
		}
		if len(rest) != 1 {
			return fmt.Errorf(`a scenario has one title: scenario "A Holding is never upside down"`)
		}
		return nil
	}
	if p.current() == nil {
		return p.preamble(verb, rest)
	}
	if known, err := p.heading(verb, rest); known || err != nil {
		return err
	}
	step := Step{Line: p.line}
	var err error
	switch verb {
	case "board":
		if len(p.current().Steps) > 0 {
			return fmt.Errorf("the board stands before the first act and only once")
		}
		p.onBoard = true
		p.current().Steps = []Step{step}
		return nil
	case "act":
		p.onBoard = false
		if err := p.act(rest); err != nil {
			p.current().Steps = append(p.current().Steps, step) // what is expected of it isn't wrong for that
			return err
		}
		return nil
	case "expect":
		p.onBoard = false
		return p.expect(rest)
	case "declare":
		step.Declare, err = p.declare(rest)
	case "correct":
		step.Correct, err = p.correct(rest)
	case "accept":
		step.Accept = true
	case "decide":
		step.Decide, err = p.decide(rest)
	case "restart":
		step.Restart = true
	default:
		return p.onTheBoard(words)
	}
	p.onBoard = false
	p.current().Steps = append(p.current().Steps, step)
	return err
}

// heading reads what stands above a scenario's board.
func (p *parser) heading(verb string, rest []string) (known bool, err error) {
	s := p.current()
	one := func(into *string) error {
		if len(rest) != 1 {
			return fmt.Errorf("%s takes one word, or several in quotes", verb)
		}
		*into = rest[0]
		return nil
	}
	switch verb {
	case "game":
		p.gamesOf[len(p.gamesOf)-1] = rest
		if len(rest) == 0 {
			err = fmt.Errorf("game takes the ids of packs: game: l5r-emperor")
		}
	case "lang":
		err = one(&s.Lang)
	case "source":
		err = one(&s.Source)
	case "rule":
		for _, rule := range rest {
			s.Rules = append(s.Rules, board.RuleID(rule))
		}
	case "shows":
		var shows string
		err = one(&shows)
		s.Shows = Showing(shows)
		if err == nil && !slices.Contains([]Showing{ShowsObeyed, ShowsBroken, ShowsPrompt}, s.Shows) {
			err = fmt.Errorf("a scenario shows its rules obeyed, broken or a prompt, not %q%s", shows, near(shows, "obeyed", "broken", "prompt"))
		}
	case "pace":
		var pace string
		if err = one(&pace); err == nil {
			if s.Pace, err = time.ParseDuration(pace); err != nil || s.Pace <= 0 {
				err = fmt.Errorf("pace takes a duration such as 200ms, not %q", pace)
			}
		}
	default:
		return false, nil
	}
	return true, err
}

func (p *parser) onTheBoard(words []string) error {
	if !p.onBoard {
		known := []string{"scenario", "game", "lang", "source", "rule", "shows", "pace", "board", "act", "declare", "correct", "accept", "decide", "restart", "expect"}
		return fmt.Errorf("unknown statement %q%s; known are %s", words[0], near(words[0], known...), strings.Join(known, ", "))
	}
	act, err := p.placement(words)
	if err != nil {
		return err
	}
	step := &p.current().Steps[0]
	step.Acts = append(step.Acts, act)
	return nil
}

func (p *parser) current() *Scenario {
	if len(p.scenarios) == 0 {
		return nil
	}
	return &p.scenarios[len(p.scenarios)-1]
}

func (p *parser) preamble(verb string, rest []string) error {
	switch arg := strings.Join(rest, " "); {
	case verb == "game" && len(rest) > 0:
		p.games = rest
	case verb == "lang" && len(rest) == 1:
		p.lang = arg
	case verb == "source" && len(rest) == 1:
		p.source = arg
	case verb == "table" && arg == "with zones":
		p.table = Table()
	case verb == "table" && arg == "without zones":
		p.table = bareTable()
	case verb == "table" && len(rest) > 1 && rest[0] == "areas":
		kinds := [2][]board.ZoneKind{}
		part := 0
		for _, word := range rest[1:] {
			if word == "shared" && part == 0 {
				part = 1
				continue
			}
			kinds[part] = append(kinds[part], board.ZoneKind(word))
		}
		p.table = tableOf(kinds[0], kinds[1])
	default:
		return fmt.Errorf("before the first scenario stand game ID, lang TAG, source \"PASSAGE\", table with zones, table without zones, table areas KIND; not %q", verb+" "+arg)
	}
	return nil
}

// declare reads: KIND [by SEAT] [with ID ...] [target ID ...] [at ZONE]
// [amount N] [NAME=VALUE ...] [ruled] [as NAME].
func (p *parser) declare(words []string) (*Declaration, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("declare what? declare target by south with p1 target f1")
	}
	d := &Declaration{Action: board.Action{Kind: board.ActionKind(words[0]), Params: map[string]string{}}}
	a := &d.Action
	for i := 1; i < len(words); i++ {
		word := words[i]
		if name, value, ok := strings.Cut(word, "="); ok {
			if value == "" && i+1 < len(words) { // NAME="several words"
				i++
				value = words[i]
			}
			a.Params[name] = value
			continue
		}
		if word == "ruled" {
			a.Ruled = true
			continue
		}
		if i+1 == len(words) {
			return nil, fmt.Errorf("%q lacks its value, or is no word of declare: known are by, with, target, at, amount, NAME=VALUE, ruled, as", word)
		}
		i++
		value := words[i]
		switch word {
		case "by":
			a.Seat = board.SeatID(value)
		case "with", "target":
			into := &a.Copies
			if word == "target" {
				into = &a.Targets
			}
			*into = append(*into, board.CopyID(value))
			for i+1 < len(words) && !declareWord(words[i+1]) {
				i++
				*into = append(*into, board.CopyID(words[i]))
			}
		case "at":
			a.Zone = board.ZoneID(value)
		case "amount":
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("amount takes a number, not %q", value)
			}
			a.Amount = n
		case "as":
			d.As = value
		default:
			return nil, fmt.Errorf("unknown word %q: known are by, with, target, at, amount, NAME=VALUE, ruled, as", word)
		}
	}
	return d, nil
}

func declareWord(word string) bool {
	return strings.Contains(word, "=") || slices.Contains([]string{"by", "with", "target", "at", "amount", "ruled", "as"}, word)
}

// correct reads: ID card CARD, ID face F, ID owner SEAT, ID controller SEAT, ID nothing.
func (p *parser) correct(words []string) (*Correction, error) {
	if len(words) < 2 {
		return nil, fmt.Errorf(`correct what to what? correct x1 card holding "Copper Mine"`)
	}
	c := &Correction{ID: board.CopyID(words[0])}
	for words = words[1:]; len(words) > 0; {
		key := words[0]
		if key == "nothing" {
			return c, nil
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%q lacks its value", key)
		}
		seat := board.SeatID(words[1])
		switch key {
		case "card":
			card, more, err := parseCard(words[1:])
			if err != nil || card == nil {
				return nil, fmt.Errorf(`a card is a type and a name (holding "Copper Mine")`)
			}
			c.Card, c.Said.Card = card, card.Ref()
			words = more
			continue
		case "face":
			c.Said.Face = board.Face(words[1])
		case "owner":
			c.Said.Owner = &seat
		case "controller":
			c.Said.Controller = &seat
		default:
			return nil, fmt.Errorf("unknown word %q: known are card, face, owner, controller, nothing", key)
		}
		words = words[2:]
	}
	return c, nil
}

// decide reads: RULE ID DECISION, or prompt RULE DECISION.
func (p *parser) decide(words []string) (*Decision, error) {
	if len(words) != 3 {
		return nil, fmt.Errorf("write it: decide RULE ID DECISION, or: decide prompt RULE DECISION")
	}
	if d := board.Decision(words[2]); !slices.Contains(board.Decisions(), d) {
		return nil, fmt.Errorf("there is no decision %q%s; they are %s", d, near(words[2], texts(board.Decisions())...), strings.Join(texts(board.Decisions()), ", "))
	}
	if words[0] == "prompt" {
		return &Decision{Prompt: true, Rule: board.RuleID(words[1]), Decision: board.Decision(words[2])}, nil
	}
	return &Decision{Rule: board.RuleID(words[0]), ID: board.CopyID(words[1]), Decision: board.Decision(words[2])}, nil
}

func (p *parser) act(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("an act says what happens to what: act turn h1 90")
	}
	verb, rest := words[0], words[1:]
	step := Step{Line: p.line}
	if verb == "wait" {
		d, err := time.ParseDuration(rest[0])
		if err != nil || d < 0 || len(rest) > 1 {
			return fmt.Errorf("act wait takes a duration such as 90s or 2m, not %q", strings.Join(rest, " "))
		}
		step.Wait = d
		p.current().Steps = append(p.current().Steps, step)
		return nil
	}
	act, err := p.copyAct(verb, rest)
	if err != nil {
		return err
	}
	step.Acts = []Act{act}
	p.current().Steps = append(p.current().Steps, step)
	return nil
}

func (p *parser) copyAct(verb string, rest []string) (Act, error) {
	act := Act{Line: p.line, ID: board.CopyID(rest[0])}
	args := rest[1:]
	switch verb {
	case "place":
		return p.placement(rest)
	case "move":
		act.Kind = board.ChangeMoved
		if len(args) < 2 || !slices.Contains([]string{"to", "on", "under", "beside"}, args[0]) {
			return act, fmt.Errorf("act move says where to: act move h1 to south.home, act move f1 under p1")
		}
	case "turn":
		act.Kind = board.ChangeTurned
		if len(args) > 0 && !slices.Contains(optionWords(), args[0]) { // act turn h1 90
			args = append([]string{"turned"}, args...)
		}
	case "flip":
		act.Kind = board.ChangeFlipped
		args = append([]string{"face"}, args...)
	case "name":
		act.Kind = board.ChangeNamed
		card, more, err := parseCard(args)
		if err != nil {
			return act, err
		}
		act.Card, args = card, more
	case "remove":
		act.Kind = board.ChangeRemoved
		if len(args) > 0 {
			return act, fmt.Errorf("act remove takes the copy's id alone")
		}
	default:
		known := []string{"place", "move", "turn", "flip", "name", "remove", "wait"}
		return act, fmt.Errorf("unknown act %q%s; known are %s", verb, near(verb, known...), strings.Join(known, ", "))
	}
	return act, p.options(&act, args)
}

// placement reads: ID CARD [at ZONE] [turned N] [face F].
func (p *parser) placement(words []string) (Act, error) {
	act := Act{Line: p.line, Kind: board.ChangePlaced, ID: board.CopyID(words[0]), Turn: new(board.Turn), Face: board.FaceUp}
	card, rest, err := parseCard(words[1:])
	if err != nil {
		return act, err
	}
	act.Card = card
	return act, p.options(&act, rest)
}

// parseCard reads a type and a name, or "unknown".
func parseCard(words []string) (*board.Card, []string, error) {
	if len(words) > 0 && words[0] == "unknown" {
		return nil, words[1:], nil
	}
	if len(words) < 2 {
		return nil, nil, fmt.Errorf(`a card is a type and a name (holding "Copper Mine"), or unknown`)
	}
	slug := strings.ReplaceAll(strings.ToLower(words[1]), " ", "-")
	card := &board.Card{ID: board.CardID(slug), Name: words[1], Type: words[0], Attributes: map[string]string{}}
	rest := words[2:]
	for len(rest) > 1 && rest[0] == "with" {
		name, value, ok := strings.Cut(rest[1], "=")
		if !ok {
			return nil, nil, fmt.Errorf("an attribute is written with NAME=VALUE, not %q", rest[1])
		}
		rest = rest[2:]
		if value == "" && len(rest) > 0 { // NAME="several words"
			value, rest = rest[0], rest[1:]
		}
		card.Attributes[name] = value
		if name == "landscape" {
			card.Landscape = value == "true"
		}
	}
	return card, rest, nil
}

// optionWords are the words of the pairs that end a placement or an act.
func optionWords() []string {
	return []string{"at", "to", "on", "under", "beside", "turned", "slanted", "face", "owner", "controller"}
}

// options reads the pairs that end a placement or an act.
func (p *parser) options(act *Act, words []string) error {
	for ; len(words) > 0; words = words[2:] {
		if !slices.Contains(optionWords(), words[0]) {
			return fmt.Errorf("unknown word %q%s; known are with, %s", words[0], near(words[0], optionWords()...), strings.Join(optionWords(), ", "))
		}
		if len(words) < 2 {
			return fmt.Errorf("%q lacks its value", words[0])
		}
		key, value := words[0], words[1]
		var err error
		switch key {
		case "at", "to":
			act.Zone = board.ZoneID(value)
			if _, ok := p.current().Table.Zone(act.Zone); !ok {
				err = fmt.Errorf("the table has no zone %q", value)
			}
		case "on", "under", "beside":
			act.Beside, act.Next = Beside(key), board.CopyID(value)
		case "owner":
			act.Owner = board.SeatID(value)
		case "controller":
			act.Controller = board.SeatID(value)
		case "turned":
			act.Turn, act.AngleDeg, err = parseTurn(value)
		case "slanted":
			unknown := board.TurnUnknown
			act.Turn = &unknown
			if act.AngleDeg, err = strconv.ParseFloat(value, 64); err != nil {
				err = fmt.Errorf("slanted takes degrees, not %q", value)
			}
		case "face":
			act.Face = board.Face(value)
			if !slices.Contains([]board.Face{board.FaceUp, board.FaceDown, board.FaceUnknown}, act.Face) {
				err = fmt.Errorf("a face is up, down or unknown, not %q", value)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func parseTurn(value string) (*board.Turn, float64, error) {
	if value == "unknown" {
		unknown := board.TurnUnknown
		return &unknown, 0, nil
	}
	for _, t := range []board.Turn{0, 90, 180, 270} {
		if strconv.Itoa(int(t)) == value {
			return &t, float64(t), nil
		}
	}
	return nil, 0, fmt.Errorf("a turn is 0, 90, 180, 270 or unknown (or: slanted 45), not %q", value)
}

func (p *parser) expect(words []string) error {
	steps := p.current().Steps
	if len(steps) == 0 {
		return fmt.Errorf("expect stands after the board or an act")
	}
	x, err := parseExpect(words)
	if err != nil {
		return err
	}
	x.Line = p.line
	last := &steps[len(steps)-1]
	last.Expects = append(last.Expects, x)
	return nil
}

// usage is how each kind of expectation is written.
func usage(what Expectation) string {
	return map[Expectation]string{
		ExpectNothing:   "expect nothing",
		ExpectFinding:   "expect finding RULE SEVERITY ID",
		ExpectEnded:     "expect ended RULE ID [ENDING]",
		ExpectEvent:     "expect event KIND ID",
		ExpectState:     "expect state ID WORD ...",
		ExpectText:      `expect text ID "PART"`,
		ExpectLegal:     "expect legal",
		ExpectIllegal:   "expect illegal RULE [ID]",
		ExpectSays:      `expect says "PART"`,
		ExpectEffect:    `expect effect "PART"`,
		ExpectNoEffect:  `expect no effect "PART"`,
		ExpectPrompt:    `expect prompt RULE ["PART"]`,
		ExpectPossible:  `expect possible prompt RULE ["PART"]`,
		ExpectSettled:   "expect settled RULE",
		ExpectHonor:     "expect honor SEAT N",
		ExpectMark:      "expect mark ID WORD ...",
		ExpectFact:      `expect fact ID NAME "VALUE"`,
		ExpectOutOfStep: "expect out-of-step ID ...",
		ExpectInStep:    "expect in-step",
	}[what]
}

func parseExpect(words []string) (Expect, error) {
	x := Expect{}
	if len(words) > 0 {
		x.What = Expectation(words[0])
	}
	set := func(s []string) board.State {
		if len(s) == 1 && s[0] == "none" {
			return nil
		}
		return board.NewState(s...)
	}
	switch n := len(words); {
	case (x.What == ExpectNothing || x.What == ExpectLegal || x.What == ExpectInStep) && n == 1:
	case x.What == ExpectFinding && n == 4:
		x.Rule, x.Severity, x.ID = board.RuleID(words[1]), board.Severity(words[2]), board.CopyID(words[3])
		if known := []string{string(board.SeverityIllegal), string(board.SeveritySuspicious), string(board.SeverityInfo)}; !slices.Contains(known, words[2]) {
			return x, fmt.Errorf("a finding is illegal, suspicious or info, not %q%s", words[2], near(words[2], known...))
		}
	case x.What == ExpectEnded && (n == 3 || n == 4):
		x.Rule, x.ID = board.RuleID(words[1]), board.CopyID(words[2])
		if n == 4 {
			x.Ending = board.Ending(words[3])
			known := texts([]board.Ending{board.EndMended, board.EndTakenBack, board.EndGone, board.EndAccepted, board.EndRejudged})
			if !slices.Contains(known, words[3]) {
				return x, fmt.Errorf("a finding doesn't end %q%s; it ends %s", words[3], near(words[3], known...), strings.Join(known, ", "))
			}
		}
	case x.What == ExpectEvent && n == 3:
		x.Event, x.ID = board.EventKind(words[1]), board.CopyID(words[2])
	case (x.What == ExpectState || x.What == ExpectMark) && n >= 3:
		x.ID, x.State = board.CopyID(words[1]), set(words[2:])
	case x.What == ExpectText && n == 3:
		x.ID, x.Text = board.CopyID(words[1]), words[2]
	case x.What == ExpectIllegal && (n == 2 || n == 3):
		x.Rule = board.RuleID(words[1])
		if n == 3 {
			x.ID = board.CopyID(words[2])
		}
	case (x.What == ExpectSays || x.What == ExpectEffect) && n == 2:
		x.Text = words[1]
	case x.What == ExpectNoEffect && n == 3 && words[1] == "effect":
		x.Text = words[2]
	case x.What == ExpectPrompt && (n == 2 || n == 3):
		x.Rule, x.Text = board.RuleID(words[1]), strings.Join(words[2:], "")
	case x.What == ExpectPossible && (n == 3 || n == 4) && words[1] == "prompt":
		x.What, x.Possible = ExpectPrompt, true
		x.Rule, x.Text = board.RuleID(words[2]), strings.Join(words[3:], "")
	case x.What == ExpectSettled && n == 2:
		x.Rule = board.RuleID(words[1])
	case x.What == ExpectHonor && n == 3:
		amount, err := strconv.Atoi(words[2])
		if err != nil {
			return x, fmt.Errorf("write it: %s", usage(x.What))
		}
		x.Seat, x.Amount = board.SeatID(words[1]), amount
	case x.What == ExpectFact && n == 4:
		x.ID, x.Name, x.Text = board.CopyID(words[1]), words[2], words[3]
	case x.What == ExpectOutOfStep && n > 1:
		for _, id := range words[1:] {
			x.IDs = append(x.IDs, board.CopyID(id))
		}
	case usage(x.What) != "":
		return x, fmt.Errorf("write it: %s", usage(x.What))
	default:
		known := []string{"nothing", "finding", "ended", "event", "state", "text", "legal", "illegal", "says", "effect", "no effect", "prompt", "possible prompt", "settled", "honor", "mark", "fact", "out-of-step", "in-step"}
		if x.What == "" {
			return x, fmt.Errorf("expect what? known are %s", strings.Join(known, ", "))
		}
		return x, fmt.Errorf("nothing can be expected by the word %q%s; known are %s", x.What, near(string(x.What), known...), strings.Join(known, ", "))
	}
	return x, nil
}

// near suggests the known word that was likely meant; empty if none is near.
func near(word string, known ...string) string {
	best := nearest.Word(word, known)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

func texts[T ~string](words []T) []string {
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = string(w)
	}
	return plain
}

// split cuts a line into words; a quoted part is one, # begins a comment.
func split(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed: %s", line)
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("bad quoted name %s", quoted)
			}
			words, line = append(words, word), line[len(quoted):]
		default:
			end := strings.IndexAny(line, " \t\"#")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
		}
	}
}
