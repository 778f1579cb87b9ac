package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/journal"
	"tabletop/rules"
	"tabletop/web"
)

func newReplayCommand() *cobra.Command {
	var (
		configFile string
		speed      float64
		maxPause   time.Duration
		stopAtEnd  bool
	)
	cmd := &cobra.Command{
		Use:   "replay [MATCH]",
		Short: "Play a match from the journal back over the websocket",
		Long: `Play a match from the journal back over the websocket, to the same pages and
clients as when it was live. MATCH is an id from 'scanner matches', its
beginning or end, or "latest", which is also what is taken without it.`,
		Args: atMostOneMatch,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := LoadConfig(configFile, cmd.Flags())
			if err != nil {
				return err
			}
			if speed < 0 {
				return usageError{fmt.Errorf("--speed is %g; it is how many times faster than played: 1 or 2.5, and 0 for no pauses at all", speed)}
			}
			log, err := newLogger(cmd.ErrOrStderr(), cfg)
			if err != nil {
				return err
			}
			j, err := openArchive(cmd.Context(), cfg.Journal)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, j.Close()) }()
			info, err := j.Resolve(cmd.Context(), matchArg(args))
			if err != nil {
				return err
			}
			desk, err := replayDesk(j, info, cfg, log)
			if err != nil {
				return err
			}
			registry := prometheus.NewRegistry()
			hub, err := web.NewHub(web.HubOptions{
				// Its own epoch: a client of the live match must not take the
				// numbers of the replay for those it has.
				Match:    web.Match{Epoch: fmt.Sprintf("%s-replay-%d", info.Epoch, time.Now().UnixMilli()), Table: info.Table, Game: info.Game, Board: board.NewBoard(info.Layout)},
				Delays:   cfg.Delay,
				Registry: registry,
				Logger:   log,
			})
			if err != nil {
				return err
			}
			server, err := web.New(web.Options{Addr: cfg.Listen, Hub: hub, Tokens: cfg.RoleOfToken(), Judge: desk, Registry: registry, Logger: log})
			if err != nil {
				return err
			}
			if err := server.Listen(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Match %s, %d events: http://%s/\n", info.ID, info.Head, hostFor(server.Addr()))

			group, ctx := errgroup.WithContext(cmd.Context())
			group.Go(func() error { return hub.Run(ctx) })
			group.Go(func() error { return server.Run(ctx) })
			group.Go(func() error {
				err := j.Replay(ctx, info.ID, journal.ReplayOptions{Speed: speed, MaxPause: maxPause}, func(e board.Event) error {
					return hub.Publish([]board.Event{e})
				})
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), "That was the last event. The board stays open; Ctrl-C stops.")
				if stopAtEnd {
					return errReplayOver
				}
				return nil
			})
			if err := group.Wait(); err != nil && !errors.Is(err, errReplayOver) && cmd.Context().Err() == nil {
				return err
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&configFile, "config", "", "settings `FILE` of the live program")
	flags.Float64Var(&speed, "speed", 1, "how many times faster than it was played; 0: without any pause")
	flags.DurationVar(&maxPause, "max-pause", 10*time.Second, "longest pause between two events; 0: as it was")
	flags.BoolVar(&stopAtEnd, "stop-at-end", false, "end after the last event")
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddConfigFlags(all)
	for _, name := range []string{"journal", "listen", "token", "delay", "packs", "lang", "log-level", "log-format"} {
		flags.AddFlag(all.Lookup(name))
	}
	return cmd
}

// replayDesk lets judges read the rules of a match that is played back. A match
// of a game that this program doesn't know has none.
func replayDesk(j *journal.Journal, info journal.MatchInfo, cfg Config, log *slog.Logger) (web.Judge, error) {
	pack, err := gamePack(info.Game, cfg.Packs)
	if err != nil {
		log.Warn("the rules can't be read in this replay", "error", err)
		return nil, nil
	}
	lang := cfg.Lang
	if !slices.Contains(pack.Languages, lang) {
		lang = pack.Languages[0]
	}
	desk, err := newReadingDesk(pack, rules.Options{Layout: info.Layout, Lang: lang}, nil)
	if err != nil {
		return nil, err
	}
	desk.journal, desk.match = j, info.ID
	return desk, nil
}

var errReplayOver = errors.New("the replay is over")
