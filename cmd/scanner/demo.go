package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tabletop/hardware/camera"
	"tabletop/internal/tablesim"
	"tabletop/web"
)

func newDemoCommand() *cobra.Command {
	sim := defaultSim()
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run on a simulated table, with no camera and no cards needed",
		Long: `Run the live program on a simulated table: two players, fictional cards, a game
that begins again when it is over. Everything behind the camera is real: the
pictures are looked at, judged, written to a journal and streamed.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig("", cmd.Flags())
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("journal") {
				cfg.Journal = "demo.db"
			}
			if !cmd.Flags().Changed("table") {
				cfg.Table = "Simulated table"
			}
			if !cmd.Flags().Changed("log-level") {
				cfg.LogLevel = "warn"
			}
			if err := sim.check(); err != nil {
				return usageError{err}
			}
			opt, err := liveFromConfig(cfg, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Drawing the cards and laying the table …")
			if err := useSim(&opt, sim, tablesim.SystemPacer{}); err != nil {
				return err
			}
			if len(opt.Config.Tokens) == 0 {
				// Findings are for judges, and without a token everyone is a
				// viewer.
				opt.DemoToken = web.NewToken()
				opt.Config.Tokens[web.RoleJudge] = []string{opt.DemoToken}
			}
			return runLive(cmd.Context(), opt, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&sim.Script, "script", "", "game script `FILE` to play, or judge: a game with twelve mistakes; empty: the demo game")
	flags.StringVar(&sim.Level, "level", sim.Level, "how hard the pictures are to read")
	flags.Uint64Var(&sim.Seed, "seed", sim.Seed, "which table, light and noise")
	flags.IntVar(&sim.Width, "width", sim.Width, "picture width in pixels")
	flags.IntVar(&sim.Height, "height", sim.Height, "picture height in pixels")
	flags.Float64Var(&sim.FPS, "fps", sim.FPS, "frames a second")
	AddConfigFlags(flags)
	for _, unused := range []string{"camera", "cards", "calibration", "card-size-mm", "px-per-mm"} {
		flags.MarkHidden(unused)
	}
	return cmd
}

// useSim makes the simulated table the camera, with its own cards and plane.
func useSim(opt *liveOptions, sim simOptions, pacer tablesim.Pacer) error {
	table, err := newSimTable(sim)
	if err != nil {
		return usageError{err}
	}
	if opt.Catalog, err = deckCatalog(table.deck); err != nil {
		return err
	}
	if opt.Cal, err = table.calibration(); err != nil {
		return err
	}
	opt.Config.Camera = fmt.Sprintf("sim:%s?level=%s&seed=%d&width=%d&height=%d&fps=%g", sim.Script, sim.Level, sim.Seed, sim.Width, sim.Height, sim.FPS)
	opt.Openers["sim"] = func(_ context.Context, a camera.Address, _ camera.Options) (camera.Source, error) {
		return table.open(pacer, a.String())
	}
	return nil
}
