package scenario

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tabletop/board"
)

// Parse reads the scenarios of one file; name stands in its errors.
func Parse(name string, r io.Reader) ([]Scenario, error) {
	p := parser{table: Table()}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		p.line++
		words, err := split(lines.Text())
		if err == nil && len(words) > 0 {
			err = p.statement(words)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p.scenarios, nil
}

// parser holds what earlier lines said.
type parser struct {
	line       int
	game, lang string
	table      board.Layout
	scenarios  []Scenario
	onBoard    bool // copies of the board follow
}

func (p *parser) statement(words []string) error {
	verb, rest := words[0], words[1:]
	if verb != "scenario" && p.current() == nil {
		return p.preamble(verb, rest)
	}
	switch verb {
	case "scenario":
		if len(rest) != 1 {
			return fmt.Errorf(`a scenario has one title: scenario "A Holding is never upside down"`)
		}
		p.onBoard = false
		p.scenarios = append(p.scenarios, Scenario{Title: rest[0], Line: p.line, Game: p.game, Lang: p.lang, Table: p.table})
		return nil
	case "cites":
		for _, rule := range rest {
			p.current().Cites = append(p.current().Cites, board.RuleID(rule))
		}
		return nil
	case "board":
		if len(p.current().Steps) > 0 {
			return fmt.Errorf("the board stands before the first act and only once")
		}
		p.onBoard = true
		p.current().Steps = []Step{{Line: p.line}}
		return nil
	case "act":
		p.onBoard = false
		return p.act(rest)
	case "expect":
		p.onBoard = false
		return p.expect(rest)
	}
	if !p.onBoard {
		return fmt.Errorf("unknown statement %q: known are scenario, cites, board, act, expect", verb)
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
	case verb == "game" && len(rest) == 1:
		p.game = arg
	case verb == "lang" && len(rest) == 1:
		p.lang = arg
	case verb == "table" && arg == "with zones":
		p.table = Table()
	case verb == "table" && arg == "without zones":
		p.table = bareTable()
	default:
		return fmt.Errorf("before the first scenario stand game ID, lang TAG, table with zones, table without zones; not %q", verb+" "+arg)
	}
	return nil
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
		if len(args) < 2 || args[0] != "to" {
			return act, fmt.Errorf("act move says where to: act move h1 to south.home")
		}
	case "turn":
		act.Kind = board.ChangeTurned
		if len(args) == 1 {
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
		return act, fmt.Errorf("unknown act %q: known are place, move, turn, flip, name, remove, wait", verb)
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
func parseCard(words []string) (*board.CardRef, []string, error) {
	if len(words) > 0 && words[0] == "unknown" {
		return nil, words[1:], nil
	}
	if len(words) < 2 {
		return nil, nil, fmt.Errorf(`a card is a type and a name (holding "Copper Mine"), or unknown`)
	}
	slug := strings.ReplaceAll(strings.ToLower(words[1]), " ", "-")
	return &board.CardRef{ID: board.CardID(slug), Name: words[1], Type: words[0]}, words[2:], nil
}

// options reads the pairs that end a placement or an act.
func (p *parser) options(act *Act, words []string) error {
	for ; len(words) > 0; words = words[2:] {
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
		default:
			err = fmt.Errorf("unknown word %q: known are at, to, turned, slanted, face", key)
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
	x := Expect{Line: p.line}
	if len(words) > 0 {
		x.What = Expectation(words[0])
	}
	usage := map[Expectation]string{
		ExpectNothing: "expect nothing",
		ExpectFinding: "expect finding RULE SEVERITY ID",
		ExpectEnded:   "expect ended RULE ID",
		ExpectEvent:   "expect event KIND ID",
		ExpectState:   "expect state ID WORD ...",
		ExpectText:    `expect text ID "PART"`,
	}[x.What]
	switch n := len(words); {
	case x.What == ExpectNothing && n == 1:
	case x.What == ExpectFinding && n == 4:
		x.Rule, x.Severity, x.ID = board.RuleID(words[1]), board.Severity(words[2]), board.CopyID(words[3])
	case x.What == ExpectEnded && n == 3:
		x.Rule, x.ID = board.RuleID(words[1]), board.CopyID(words[2])
	case x.What == ExpectEvent && n == 3:
		x.Event, x.ID = board.EventKind(words[1]), board.CopyID(words[2])
	case x.What == ExpectState && n >= 3:
		x.ID = board.CopyID(words[1])
		if n > 3 || words[2] != "none" {
			x.State = board.NewState(words[2:]...)
		}
	case x.What == ExpectText && n == 3:
		x.ID, x.Text = board.CopyID(words[1]), words[2]
	case usage != "":
		return fmt.Errorf("write it: %s", usage)
	default:
		return fmt.Errorf("expect what? known are nothing, finding, ended, event, state, text")
	}
	last := &steps[len(steps)-1]
	last.Expects = append(last.Expects, x)
	return nil
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
