package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tabletop/rules/packfile"
	"tabletop/rules/tapper"
)

// gameID is what a game may be called, as the schema of pack files has it.
var gameID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func newRulesNewCommand() *cobra.Command {
	var packs string
	cmd := &cobra.Command{
		Use:   "new GAME",
		Short: "Write a game to begin with: a pack file, texts, scenarios",
		Long: `Write a folder for a game of your own, which works as it stands: a pack file that
says what cards, turns and areas mean and which rules hold, its texts in English
and German, scenarios, and the schema by which an editor completes and checks the
pack file. It is the example of a tapping game; change it step by step and run its
scenarios after each.`,
		Example: "  scanner rules new my-game --packs packs\n  scanner rules test packs/my-game/scenarios/ --packs packs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s needs the one name that the game gets: scanner rules new my-game", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			id := args[0]
			if !gameID.MatchString(id) {
				return usageError{fmt.Errorf("%q is no name for a game: small letters and digits, words joined by -, such as my-game", id)}
			}
			if slices.Contains(builtinIDs(), id) {
				return fmt.Errorf("the game %q is in the program already; give yours another name", id)
			}
			dir := filepath.Join(packs, id)
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is there already; take another name, or another folder with --packs", dir)
			}
			if err := writePack(dir, id); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: a game to begin with. Change %s, then run:\n  scanner rules test %s --packs %s\n",
				dir, filepath.Join(dir, "pack.yaml"), filepath.Join(dir, "scenarios"), packs)
			return nil
		},
	}
	cmd.Flags().StringVar(&packs, "packs", "packs", "`DIR` of games, in which the game gets a folder")
	return cmd
}

// writePack writes the example under another name.
func writePack(dir, id string) error {
	err := fs.WalkDir(tapper.Folder(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tapper.Folder(), name)
		if err != nil {
			return err
		}
		return writeNew(filepath.Join(dir, strings.Replace(name, "messages/tapper.", "messages/"+id+".", 1)), renamed(string(data), id))
	})
	if err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, "pack.schema.json"), string(packfile.Schema()))
}

// renamed is a file of the example with the game's name in it changed.
func renamed(text, id string) string {
	return strings.NewReplacer(
		"\ngame: tapper\n", "\ngame: "+id+"\n",
		"\ngame tapper\n", "\ngame "+id+"\n",
		"$schema=../packfile/pack.schema.json", "$schema=pack.schema.json",
	).Replace(text)
}

func writeNew(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
