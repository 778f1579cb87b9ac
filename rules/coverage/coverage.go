// Package coverage holds the list of rules that the games' packs must judge, and
// says which scenario shows each of them obeyed, broken or as a prompt. The table
// of docs/rules-coverage.md is made from it:
//
//	go test ./rules/coverage -update
//
// A row counts as shown by what a scenario says it shows; the scenario's run
// holds it to that. The package refuses rows that a pack doesn't have and those
// that no scenario shows both obeyed and broken.
package coverage

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/scenario"
)

//go:embed matrix.yaml
var matrixYAML []byte

// Row is one rule of the source documents.
type Row struct {
	ID    string         `yaml:"id"`
	How   []How          `yaml:"how"`
	Games []string       `yaml:"games"` // ids of the packs whose sources have it
	Rules []board.RuleID `yaml:"rules"` // of the packs; the one of its id if the list has none
	Text  string         `yaml:"text"`
}

// How says how the program can know of a breach.
type How string

// The ways to know.
const (
	Seen     How = "S" // by the camera
	Declared How = "D" // by a person, as no camera can see it
	Prompted How = "P" // the table is owed something
)

// Matrix returns the rows.
func Matrix() ([]Row, error) {
	var file struct {
		Rows []Row `yaml:"rows"`
	}
	if err := yaml.UnmarshalWithOptions(matrixYAML, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("matrix.yaml: %w", err)
	}
	for i, r := range file.Rows {
		if len(r.Rules) == 0 {
			file.Rows[i].Rules = []board.RuleID{board.RuleID(r.ID)}
		}
		if len(r.Games) == 0 || len(r.How) == 0 || r.Text == "" {
			return nil, fmt.Errorf("matrix.yaml: row %s lacks its games, how or text", r.ID)
		}
	}
	return file.Rows, nil
}

// Scenarios reads every scenario file of a folder's scenarios/ folders
// ("rules"), in the order of their paths.
func Scenarios(fsys fs.FS) ([]scenario.Scenario, error) {
	var all []scenario.Scenario
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(path.Dir(name)) != "scenarios" || path.Ext(name) != ".txt" {
			return err
		}
		scenarios, err := scenario.ParseFile(fsys, name)
		all = append(all, scenarios...)
		return err
	})
	return all, err
}

// Cell is one row of the matrix in one game, with the scenarios that show it.
type Cell struct {
	Row                     Row
	Game                    string
	Obeyed, Broken, Prompts []scenario.Scenario
}

// Table gives a cell for each row and game. The error names each of them that
// lacks a rule of the pack, a scenario that obeys it, or one that breaks it or
// is given its prompt; and each rule of a pack that stands in no row.
func Table(rows []Row, packs rules.Packs, scenarios []scenario.Scenario) ([]Cell, error) {
	covered := scenario.Cover(scenarios)
	var cells []Cell
	var errs []error
	listed := map[string][]board.RuleID{}
	for _, row := range rows {
		for _, game := range row.Games {
			pack, err := packs.Find(game)
			if err != nil {
				errs = append(errs, fmt.Errorf("row %s: %w", row.ID, err))
				continue
			}
			cell := Cell{Row: row, Game: game}
			for _, id := range row.Rules {
				listed[game] = append(listed[game], id)
				if _, ok := pack.Rule(id); !ok {
					errs = append(errs, fmt.Errorf("row %s: game %s has no rule %s", row.ID, game, id))
					continue
				}
				shown := covered[game][id]
				cell.Obeyed = append(cell.Obeyed, shown[scenario.ShowsObeyed]...)
				cell.Broken = append(cell.Broken, shown[scenario.ShowsBroken]...)
				cell.Prompts = append(cell.Prompts, shown[scenario.ShowsPrompt]...)
				errs = append(errs, lacks(row, game, id, shown))
			}
			cells = append(cells, cell)
		}
	}
	for _, pack := range packs {
		for _, r := range pack.Rules {
			if len(listed[pack.ID]) > 0 && !slices.Contains(listed[pack.ID], r.ID) {
				errs = append(errs, fmt.Errorf("game %s: rule %s stands in no row of the matrix", pack.ID, r.ID))
			}
		}
	}
	return cells, errors.Join(errs...)
}

// lacks says what no scenario shows of a rule.
func lacks(row Row, game string, id board.RuleID, shown map[scenario.Showing][]scenario.Scenario) error {
	var missing []string
	if len(shown[scenario.ShowsObeyed]) == 0 {
		missing = append(missing, "obeyed")
	}
	if slices.Contains(row.How, Prompted) && len(shown[scenario.ShowsPrompt]) == 0 {
		missing = append(missing, "as a prompt")
	}
	if len(shown[scenario.ShowsBroken])+len(shown[scenario.ShowsPrompt]) == 0 {
		missing = append(missing, "broken")
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("row %s: no scenario of %s shows %s %s", row.ID, game, id, strings.Join(missing, " or "))
}

// Write writes the table as Markdown. link is what stands before the path of a
// scenario file in a link to it.
func Write(w io.Writer, cells []Cell, packs rules.Packs, link string) error {
	var b strings.Builder
	b.WriteString(heading)
	for _, pack := range packs {
		var mine []Cell
		for _, c := range cells {
			if c.Game == pack.ID {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s (`%s`)\n\n", pack.Name, pack.ID)
		b.WriteString("| rule | what it says | how | obeyed | broken | prompt |\n|---|---|---|---|---|---|\n")
		for _, c := range mine {
			how := make([]string, len(c.Row.How))
			for i, h := range c.Row.How {
				how[i] = string(h)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.Row.ID, escape(c.Row.Text), strings.Join(how, " "),
				links(c.Obeyed, link), links(c.Broken, link), links(c.Prompts, link))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const heading = `# Rules and the scenarios that show them

Made by ` + "`go test ./rules/coverage -update`" + ` from rules/coverage/matrix.yaml and the
scenario files; a test fails when it is out of date or a row lacks a scenario.

**how**: S seen by the camera, D declared by a person, P a prompt that the table
is owed. A scenario that several rules share stands in each of their rows.
`

// links are the scenarios as links to their files.
func links(scenarios []scenario.Scenario, prefix string) string {
	var list []string
	for _, s := range scenarios {
		link := fmt.Sprintf("[%s](%s)", escape(s.Title), prefix+s.File)
		if !slices.Contains(list, link) {
			list = append(list, link)
		}
	}
	return strings.Join(list, "<br>")
}

func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "[", `\[`, "]", `\]`, "<", "&lt;").Replace(s)
}
