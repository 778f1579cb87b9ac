package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/rules"
	"tabletop/rules/nearest"
	"tabletop/rules/scenario"
	"tabletop/web"
)

// textWidth is how many characters a line of a rule's text has at most.
const textWidth = 80

func newRulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Show a game's rules, judge a board from a file, run scenarios",
		Long: `Show the rules that the program judges by, each with the passage it stands on;
judge a board from a file; run scenarios, which are stories at the table with
what the rules must say to them, written as plain text.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usageError{fmt.Errorf("there is no command \"rules %s\"%s", args[0], suggest(cmd.SuggestionsFor(args[0])))}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newRulesListCommand(), newRulesShowCommand(), newRulesExplainCommand(), newRulesTestCommand(), newRulesNewCommand())
	return cmd
}

// gameFlags say which rules are meant.
type gameFlags struct{ game, lang, packs string }

func (f *gameFlags) add(cmd *cobra.Command) {
	defaults := DefaultConfig()
	cmd.Flags().StringVar(&f.game, "game", defaults.Game, "`GAME` whose rules are meant: "+strings.Join(builtinIDs(), ", ")+", or one of --packs")
	cmd.Flags().StringVar(&f.lang, "lang", "", "`LANGUAGE` of titles and texts; empty: the game's first")
	cmd.Flags().StringVar(&f.packs, "packs", "", "`DIR` of further games, a folder with a pack.yaml for each")
}

// engine judges by the rules that are meant, on a table without zones.
func (f *gameFlags) engine() (rules.Pack, *rules.Engine, error) {
	pack, err := gamePack(f.game, f.packs)
	if err != nil {
		return pack, nil, err
	}
	if f.lang != "" && !slices.Contains(pack.Languages, f.lang) {
		return pack, nil, usageError{fmt.Errorf("--lang: the rules of %s are there in %s, not in %q", pack.ID, strings.Join(pack.Languages, ", "), f.lang)}
	}
	engine, err := rules.New(pack, rules.Options{Lang: f.lang, Layout: uncalibratedLayout()})
	return pack, engine, err
}

func newRulesListCommand() *cobra.Command {
	var flags gameFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules of a game, each with its source",
		Example: "  scanner rules list --game marvel-champions --lang de",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pack, engine, err := flags.engine()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSONLines(cmd.OutOrStdout(), engine.Rules())
			}
			say, err := wordsOf(engine)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, say["list.rules"]+"\n", pack.Name, len(engine.Rules()))
			for _, r := range engine.Rules() {
				fmt.Fprintf(w, "\n%s\n", r.ID)
				writeWrapped(w, "  ", r.Title)
				writeWrapped(w, "  ", cited(r.Citation))
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object a rule and line")
	return cmd
}

func newRulesShowCommand() *cobra.Command {
	var flags gameFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show RULE...",
		Short:   "Show rules with the passage of the source they stand on",
		Example: "  scanner rules show honor.personality",
		Args:    atLeast(1, "a rule's id, such as bow.turn; 'scanner rules list' names them all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, engine, err := flags.engine()
			if err != nil {
				return err
			}
			all := engine.Rules()
			var found []rules.RuleText
			for _, id := range args {
				i := slices.IndexFunc(all, func(r rules.RuleText) bool { return string(r.ID) == id })
				if i < 0 {
					return fmt.Errorf("%s has no rule %q%s", flags.game, id, nearRule(id, all))
				}
				found = append(found, all[i])
			}
			if asJSON {
				return writeJSONLines(cmd.OutOrStdout(), found)
			}
			say, err := wordsOf(engine)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			for i, r := range found {
				if i > 0 {
					fmt.Fprintln(w)
				}
				fmt.Fprintln(w, r.ID)
				writeWrapped(w, "  ", r.Title)
				if r.Citation.Quote != "" {
					fmt.Fprintln(w)
					writeWrapped(w, "    ", "“"+strings.Trim(r.Citation.Quote, "“”\"")+"”")
				}
				fmt.Fprintln(w)
				writeWrapped(w, "  ", cited(r.Citation))
				fmt.Fprintf(w, "  "+say["show.severity"]+"\n", say.of(string(r.Severity), "severity"))
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object a rule and line")
	return cmd
}

// nearRule names the rule that was likely meant, or the command that lists them.
func nearRule(id string, all []rules.RuleText) string {
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = string(r.ID)
	}
	if best := nearest.Word(id, ids); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; 'scanner rules list' names those it has"
}

func cited(c board.Citation) string {
	if c.Passage == "" {
		return c.Source
	}
	return c.Source + " — " + c.Passage
}

func newRulesExplainCommand() *cobra.Command {
	var flags gameFlags
	var asJSON bool
	var cards string
	cmd := &cobra.Command{
		Use:   "explain BOARD.json",
		Short: "Judge a board from a file: what each card means, what is wrong",
		Long: `Judge a board from a file: what each card means, and what is wrong with it.
BOARD.json has the form of the board in the websocket's snapshot (or is a whole
snapshot message); "-" reads standard input. Nothing is known of how the cards
came to lie so, so rules about changes say nothing.`,
		Example: "  scanner rules explain board.json --game l5r-emperor --lang de",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s takes one file with a board, or - for standard input", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			pack, engine, err := flags.engine()
			if err != nil {
				return err
			}
			options := rules.Options{Lang: engine.Lang()}
			if cards != "" {
				known, err := catalog.Load(cards)
				if err != nil {
					return err
				}
				options.Card = cardLookup(known)
			}
			b, err := readBoard(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			if err := checkBoard(pack, b); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			x, err := rules.Explain(pack, options, b)
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(x)
			}
			say, err := wordsOf(engine)
			if err != nil {
				return err
			}
			writeExplanation(cmd.OutOrStdout(), say, pack.Name, b.Layout, x)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the answer as JSON, as POST /api/explain gives it")
	cmd.Flags().StringVar(&cards, "cards", "", "`DIR` of card pictures with cards.json, for rules that need what stands on a card; empty: name and type are all that is known")
	return cmd
}

// readBoard reads a board as the snapshot has it, and says where it is none.
func readBoard(path string, stdin io.Reader) (board.Board, error) {
	var data []byte
	var err error
	if path == "-" {
		path = "standard input"
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return board.Board{}, fmt.Errorf("there is no file %s", path)
	case err != nil:
		return board.Board{}, fmt.Errorf("the board can't be read: %w", err)
	case len(bytes.TrimSpace(data)) == 0:
		return board.Board{}, fmt.Errorf("%s is empty; it should hold a board as JSON", path)
	}
	var message struct {
		Type  string          `json:"type"`
		Board json.RawMessage `json:"board"`
	}
	text := data
	if json.Unmarshal(data, &message) == nil && message.Type == "snapshot" {
		text = message.Board
	}
	var b board.Board
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil {
		return board.Board{}, fmt.Errorf("%s: this is no board: %w", whereInJSON(path, text, data, err), web.PlainJSONError(err))
	}
	if len(b.Copies) == 0 {
		return board.Board{}, fmt.Errorf("%s: there is no card on this board: copies is empty or missing", path)
	}
	return b, nil
}

// whereInJSON is the file and, if the error tells, the line.
func whereInJSON(path string, text, whole []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case len(text) != len(whole): // a part of the file: its lines are counted from elsewhere
		return path
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind) && error(kind) == err:
		offset = kind.Offset
	case errors.As(err, &kind): // told by what reads a part, which counts from its own beginning
		return path
	default:
		_, field, unknown := strings.Cut(err.Error(), "unknown field ")
		at := bytes.Index(text, []byte(field))
		if !unknown || at < 0 {
			return path
		}
		offset = int64(at)
	}
	return path + ":" + strconv.Itoa(1+bytes.Count(text[:min(int(offset), len(text))], []byte("\n")))
}

func joined(ids []board.CopyID) string {
	var texts []string
	for _, id := range ids {
		texts = append(texts, string(id))
	}
	return strings.Join(texts, ", ")
}

func newRulesTestCommand() *cobra.Command {
	var flags gameFlags
	var verbose bool
	cmd := &cobra.Command{
		Use:   "test FILE...",
		Short: "Run scenarios from plain-text files and say what came out otherwise",
		Long: `Run scenarios from plain-text files: a board, what happens on it, and what the
rules must say. A folder stands for the files *.txt in it. Whatever comes out
otherwise is told with file and line, and the exit status is then 1.

A file names its game itself; for one that doesn't, --game must be given. --lang
counts for those that name no language.`,
		Example: "  scanner rules test my-game/scenarios/ --packs .",
		Args:    atLeast(1, "at least one file of scenarios: scanner rules test scenarios/bow.txt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			packs, err := gamePacks(flags.packs)
			if err != nil {
				return err
			}
			files, err := scenarioFiles(args)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			run, failed := 0, 0
			for _, file := range files {
				scenarios, err := parseScenarios(file)
				if err != nil {
					failed++
					fmt.Fprintf(w, "FAIL  %s\n", strings.ReplaceAll(err.Error(), "\n", "\n      "))
					continue
				}
				good := 0
				for _, s := range scenarios {
					if s.Game == "" && !cmd.Flags().Changed("game") {
						failed++
						fmt.Fprintf(w, "FAIL  %s:%d: %s: no game is named; write it in the file's first line (game %s), or give --game\n", file, s.Line, s.Title, flags.game)
						continue
					}
					if s.Game == "" {
						s.Game = flags.game
					}
					if s.Lang == "" {
						s.Lang = flags.lang
					}
					run++
					_, err := scenario.Run(s, packs)
					if err != nil {
						failed++
						fmt.Fprintf(w, "FAIL  %s:%d: %s (%s)\n", file, s.Line, s.Title, s.Game)
						for _, line := range failures(file, err) {
							fmt.Fprintf(w, "        %s\n", line)
						}
						continue
					}
					good++
					if verbose {
						fmt.Fprintf(w, "ok    %s:%d: %s (%s)\n", file, s.Line, s.Title, s.Game)
					}
				}
				if good == len(scenarios) {
					fmt.Fprintf(w, "ok    %s: %s\n", file, counted(good, "scenario"))
				}
			}
			if failed > 0 {
				fmt.Fprintf(w, "%d failed, %s run.\n", failed, counted(run, "scenario"))
				return errSilent
			}
			fmt.Fprintf(w, "%s run, all as expected.\n", counted(run, "scenario"))
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "name each scenario that is as expected too")
	return cmd
}

// scenarioFiles takes folders for the files *.txt in them.
func scenarioFiles(args []string) ([]string, error) {
	var files []string
	for _, path := range args {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file %s", path)
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		inside, err := filepath.Glob(filepath.Join(path, "*.txt"))
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, fmt.Errorf("%s holds no file *.txt; name the folder that the scenarios are in", path)
		}
		files = append(files, inside...)
	}
	return files, nil
}

func parseScenarios(path string) ([]scenario.Scenario, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	scenarios, err := scenario.Parse(path, file)
	if err == nil && len(scenarios) == 0 {
		err = fmt.Errorf(`%s: there is no scenario in it; one begins with: scenario "A title"`, path)
	}
	return scenarios, err
}

// failures are the lines of a scenario's error, each with its file.
func failures(file string, err error) []string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "line "); ok {
			line = file + ":" + rest
		}
		lines = append(lines, line)
	}
	return lines
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeJSONLines[T any](w io.Writer, items []T) error {
	encoder := json.NewEncoder(w)
	for _, item := range items {
		if err := encoder.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

// writeWrapped writes a text in lines of at most textWidth characters.
func writeWrapped(w io.Writer, indent, text string) {
	line, width := "", 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if width > 0 && len(indent)+width+1+n > textWidth {
			fmt.Fprintf(w, "%s%s\n", indent, line)
			line, width = "", 0
		}
		if width > 0 {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+n
	}
	if width > 0 {
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}
