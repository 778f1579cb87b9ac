package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tabletop/board"
	"tabletop/journal"
)

// openArchive opens the journal that must already be there: reading an old
// match from a file that this very command has just made would hide a wrong
// path.
func openArchive(ctx context.Context, path string) (*journal.Journal, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no journal here; name the one that 'scanner run' wrote with --journal", path)
	}
	return journal.Open(ctx, path, board.SystemClock{})
}

// matchArg is the optional name of a match; without it, the latest.
func matchArg(args []string) string {
	if len(args) == 0 {
		return "latest"
	}
	return args[0]
}

func newMatchesCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "matches",
		Short: "List the matches in the journal",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			j, err := openArchive(cmd.Context(), path)
			if err != nil {
				return err
			}
			defer j.Close()
			matches, err := j.Matches(cmd.Context())
			if err != nil {
				return err
			}
			if len(matches) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "The journal holds no match yet.")
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "MATCH\tTABLE\tGAME\tSTARTED\tENDED\tEVENTS")
			for _, m := range matches {
				ended := "open"
				if !m.Ended.IsZero() {
					ended = m.Ended.Local().Format(time.DateTime)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", m.ID, m.Table, m.Game, m.Started.Local().Format(time.DateTime), ended, m.Head)
			}
			return w.Flush()
		},
	}
	addJournalFlag(cmd, &path)
	return cmd
}

func newExportCommand() *cobra.Command {
	var path, out, format string
	cmd := &cobra.Command{
		Use:   "export [MATCH]",
		Short: "Write what happened in a match, secrets included",
		Long: `Write a match as JSON lines, one event each, as a judge was sent them, or with
--format text as lines for people. The identities of face-down cards are in it,
and what judges decided. MATCH is an id from 'scanner matches', its beginning or
end, or "latest", which is also what is taken without it.`,
		Args: atMostOneMatch,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := oneOf("json", "text")(format); err != nil {
				return usageError{fmt.Errorf("--format: %w", err)}
			}
			j, err := openArchive(cmd.Context(), path)
			if err != nil {
				return err
			}
			defer j.Close()
			match, err := j.Resolve(cmd.Context(), matchArg(args))
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if out != "" {
				file, err := os.Create(out)
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, file.Close()) }()
				w = file
			}
			if format == "json" {
				return j.Export(cmd.Context(), match.ID, w)
			}
			return exportText(cmd.Context(), j, match, w)
		},
	}
	addJournalFlag(cmd, &path)
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	cmd.Flags().StringVar(&format, "format", "json", "`FORM` of the lines: json, or text for people")
	return cmd
}

// exportText writes a match for people.
func exportText(ctx context.Context, j *journal.Journal, match journal.MatchInfo, w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Match %s, %s at %s, %s\n", match.ID, match.Game, match.Table, match.Started.Local().Format(time.DateTime))
	for e, err := range j.Events(ctx, match.ID, 0) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, tell(e, match.Layout))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing match %s: %w", match.ID, err)
	}
	return nil
}

func newEndCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "end [MATCH]",
		Short: "Mark a match as over, so that nobody goes on with it",
		Long: `Mark a match as over. The program can't see that a game has ended, and a stop of
the program is no end: 'scanner run --match latest' goes on with an open match.
Stop the program that writes the match before you end it.`,
		Args: atMostOneMatch,
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := openArchive(cmd.Context(), path)
			if err != nil {
				return err
			}
			defer j.Close()
			info, err := j.Resolve(cmd.Context(), matchArg(args))
			if err != nil {
				return err
			}
			match, err := j.Resume(cmd.Context(), info.ID)
			if err != nil {
				return err
			}
			if err := match.End(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Match %s has ended with %d events.\n", info.ID, info.Head)
			return nil
		},
	}
	addJournalFlag(cmd, &path)
	return cmd
}

func addJournalFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "journal", "scanner.db", "journal `FILE`")
}

func atMostOneMatch(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s takes one match, not %d", cmd.CommandPath(), len(args))}
	}
	return nil
}
