package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// Exit statuses of the command line.
const (
	exitOK     = 0
	exitFailed = 1 // something went wrong, and stderr says what
	exitUsage  = 2 // the words on the command line are off
)

// errSilent ends a command with exitFailed when it has said all there is to
// say on its own output.
var errSilent = errors.New("failed")

// usageError is a mistake on the command line rather than in the world.
type usageError struct{ error }

// Main runs the program with the given arguments (without the program's name)
// and returns its exit status. Tests start the whole program through it.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	out := &outWriter{to: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	failed := out.failure()
	switch {
	case failed != nil && (err == nil || errors.Is(err, errSilent) || errors.Is(err, failed)):
		fmt.Fprintf(stderr, "scanner: the output could not all be written: %v; is the disk full, or has its reader gone?\n", failed)
		return exitFailed
	case err == nil:
		return exitOK
	case errors.Is(err, errSilent):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "scanner: %v\nSee '%s --help'.\n", err, cmd.CommandPath())
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "scanner: interrupted")
		return exitFailed
	default:
		fmt.Fprintf(stderr, "scanner: %v\n", err)
		return exitFailed
	}
}

// outWriter is a command's standard output. It remembers the first error of
// writing to it, so that commands may print line by line and yet none ends well
// with half of what it had to say.
type outWriter struct {
	to  io.Writer
	mu  sync.Mutex
	err error
}

func (w *outWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

func (w *outWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "scanner",
		Short: "Reads a card table through a camera and streams the state of the game",
		Long: `A camera looks down on a table where a card game is played. scanner finds every
card, reads which way it is turned and whether it lies face up, tells which card
it is and what that means in the game, and streams it to overlays and judges.

Start with 'scanner demo', then 'scanner doctor' on the machine with the camera.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usageError{fmt.Errorf("there is no command %q%s", args[0], suggest(cmd.SuggestionsFor(args[0])))}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{plainFlagError(err)} })
	root.AddCommand(
		newDemoCommand(),
		newRunCommand(),
		newDoctorCommand(),
		newConfigCommand(),
		newCalibrateCommand(),
		newScanCommand(),
		newEvalCommand(),
		newRulesCommand(),
		newRenderCommand(),
		newReplayCommand(),
		newMatchesCommand(),
		newExportCommand(),
		newEndCommand(),
	)
	return root
}

// version is what was built, as far as the Go tool knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}

// plainFlagError says of a number that is none what it should be, where the
// library shows the name of the function that failed.
func plainFlagError(err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		head, _, _ := strings.Cut(err.Error(), ": ")
		return fmt.Errorf("%s: it must be a number", head)
	}
	return err
}

// atLeast wants n arguments and says what they are.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s needs %s", cmd.CommandPath(), what)}
		}
		return nil
	}
}

// noArgs refuses words that a command has no use for.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no %q", cmd.CommandPath(), args[0])}
	}
	return nil
}

func suggest(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", names[0])
}
