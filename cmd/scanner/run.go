package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/catalog"
	"tabletop/hardware/camera"
)

func newRunCommand() *cobra.Command {
	var (
		configFile string
		stopAtEnd  bool
	)
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Watch a table and stream the game",
		Long: `Watch a table through a camera and stream the game until stopped with Ctrl-C.

Every setting can stand in a file ('scanner config > scanner.yaml' writes one to
start from) or be given as a flag; the flag wins.`,
		Example: `  scanner run --config scanner.yaml
  scanner run --camera v4l2:/dev/video0 --cards cards/`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig(configFile, cmd.Flags())
			if err != nil {
				return err
			}
			opt, err := liveFromConfig(cfg, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			opt.StopAtNoMore = stopAtEnd
			return runLive(cmd.Context(), opt, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&configFile, "config", "", "settings `FILE`; without it the defaults and the flags count")
	cmd.Flags().BoolVar(&stopAtEnd, "stop-at-end", false, "end when the camera has no more pictures (dir:, file:), rather than going on serving the board")
	AddConfigFlags(cmd.Flags())
	return cmd
}

// liveFromConfig loads what the configuration names.
func liveFromConfig(cfg Config, logTo io.Writer) (liveOptions, error) {
	opt := liveOptions{Config: cfg, Openers: camera.DefaultOpeners(), Clock: board.SystemClock{}}
	var err error
	if opt.Log, err = newLogger(logTo, cfg); err != nil {
		return opt, err
	}
	if opt.Pack, err = gamePack(cfg.Game, cfg.Packs); err != nil {
		return opt, err
	}
	if cfg.Cards != "" {
		if opt.Catalog, err = catalog.Load(cfg.Cards); err != nil {
			return opt, err
		}
		for _, w := range opt.Catalog.Warnings() {
			opt.Log.Warn(w)
		}
	}
	if cfg.Calibration != "" {
		if opt.Cal, err = calibration.Load(cfg.Calibration); err != nil {
			return opt, err
		}
	}
	opt.Openers["sim"] = openSim
	return opt, nil
}

func newLogger(w io.Writer, cfg Config) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		return nil, fmt.Errorf("log-level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}

// liveGCPercent and batchGCPercent are how much garbage, in percent of what is in
// use, may pile up before it is collected. A live program runs for hours beside
// others on a small computer, so memory counts; one that looks at some pictures
// and ends is to be quick. GOGC in the environment wins.
const (
	liveGCPercent  = 25
	batchGCPercent = 400
)

func setGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// runLive opens and runs the live program, and says where to look.
func runLive(ctx context.Context, opt liveOptions, out io.Writer) (err error) {
	setGCPercent(liveGCPercent)
	if opt.Catalog != nil {
		log := opt.Log
		index, err := openIndex(ctx, opt.Catalog, func(text string) { log.Info(text) }, func(text string) { log.Warn(text) })
		if err != nil {
			return err
		}
		if index != nil {
			defer index.Close() // which only lets memory go
		}
		opt.Index = index
	}
	l, err := openLive(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	greet(out, l.server.Addr(), l.match.Info().ID, opt)
	return l.Run(ctx)
}

// greet says where to look.
func greet(out io.Writer, addr net.Addr, match string, opt liveOptions) {
	cfg := opt.Config
	base := "http://" + hostFor(addr)
	fmt.Fprintf(out, "The live board        %s/\n", base)
	fmt.Fprintf(out, "For the stream        %s/overlay   (OBS browser source, 1920x1080)\n", base)
	fmt.Fprintf(out, "What the camera sees  %s/debug\n", base)
	if opt.DemoToken != "" {
		fmt.Fprintf(out, "For the judge         %s/judge   with the judge's token of this run, %s\n", base, opt.DemoToken)
	} else if len(cfg.Tokens) > 0 {
		fmt.Fprintf(out, "For the judge         %s/judge   (log in with a judge's token)\n", base)
	} else {
		fmt.Fprintf(out, "Everyone is a viewer: set a token for judges to let them see findings.\n")
	}
	fmt.Fprintf(out, "Match %s is kept in %s. Ctrl-C stops.\n", match, cfg.Journal)
}

// hostFor is the host and port a browser on this machine opens.
func hostFor(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
