package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision/eval"
)

func newEvalCommand() *cobra.Command {
	var (
		flags  scanFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "eval LABELS...",
		Short: "Score the scanner against labelled pictures",
		Long: `Score the scanner against labelled pictures: how many cards it finds, how many
of its answers are wrong, how exact they are and how long they take.

LABELS is a label file, a folder of them, or scenes of the simulated table:
sim:LEVEL?scenes=N&seed=S&width=W&height=H (levels: ` + strings.Join(levelNames(), ", ") + `).
Simulated scenes bring their own cards; --cards is for the others.`,
		Example: `  scanner eval 'sim:easy?scenes=100'
  scanner eval --cards cards/ photos/`,
		Args: atLeast(1, "labels to score against: a label file, a folder of them, or sim:easy"),
		RunE: func(cmd *cobra.Command, sources []string) error {
			cases, simulated, err := evalCases(sources)
			if err != nil {
				return err
			}
			scanner, err := flags.prepare(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if simulated && flags.cards == "" {
				if scanner.opts.Catalog, err = deckCatalog(deck.New()); err != nil {
					return err
				}
			}
			defer scanner.Close()
			var options []eval.Option
			if c := scanner.opts.Catalog; c != nil {
				options = append(options, eval.WithCatalogue(func(id board.CardID) bool { _, ok := c.Card(id); return ok }))
			} else {
				options = append(options, eval.WithCatalogue(func(board.CardID) bool { return false }))
			}
			report, err := eval.Run(cmd.Context(), scanner, cases, options...)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(report)
			}
			return report.WriteText(cmd.OutOrStdout())
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// evalCases are the cases of all sources, and whether any is simulated.
func evalCases(sources []string) (eval.Cases, bool, error) {
	var parts []eval.Cases
	simulated := false
	for _, source := range sources {
		if rest, ok := strings.CutPrefix(source, "sim:"); ok {
			cases, err := simulatedCases(rest)
			if err != nil {
				return nil, false, fmt.Errorf("%s: %w", source, err)
			}
			parts = append(parts, cases)
			simulated = true
			continue
		}
		parts = append(parts, eval.Load(source))
	}
	return func(yield func(eval.Case, error) bool) {
		for _, cases := range parts {
			for c, err := range cases {
				if !yield(c, err) {
					return
				}
			}
		}
	}, simulated, nil
}

// simScenes is a parsed "easy?scenes=100&seed=1".
type simScenes struct {
	level         tablesim.Level
	scenes        int
	seed          uint64
	width, height int
}

func parseSimScenes(rest string) (simScenes, error) {
	name, query, _ := strings.Cut(rest, "?")
	level, err := tablesim.LevelByName(name)
	if err != nil {
		return simScenes{}, err
	}
	s := simScenes{level: level, scenes: 20, seed: 1, width: 1920, height: 1080}
	values, err := url.ParseQuery(query)
	if err != nil {
		return s, fmt.Errorf("the options %q can't be read: write name=value, joined by &", query)
	}
	for key, v := range values {
		n, err := strconv.Atoi(v[0])
		if err != nil || n < 1 {
			return s, fmt.Errorf("%s=%s: give a whole number above 0", key, v[0])
		}
		switch key {
		case "scenes":
			s.scenes = n
		case "seed":
			s.seed = uint64(n)
		case "width":
			s.width = n
		case "height":
			s.height = n
		default:
			return s, fmt.Errorf("there is no option %q; there are scenes, seed, width and height", key)
		}
	}
	return s, nil
}

func simulatedCases(rest string) (eval.Cases, error) {
	s, err := parseSimScenes(rest)
	if err != nil {
		return nil, err
	}
	cards := deck.New()
	return func(yield func(eval.Case, error) bool) {
		for i := range s.scenes {
			seed := s.seed + uint64(i)
			still, err := tablesim.NewStill(cards, s.level, s.width, s.height, seed)
			if err != nil {
				yield(eval.Case{}, err)
				return
			}
			c := eval.Case{
				Source: "sim:" + s.level.Name,
				Name:   fmt.Sprintf("%s-%d", s.level.Name, seed),
				Image:  func() (gocv.Mat, error) { return photograph(still.Image, s.level.JPEGQuality) },
				Truth:  truthOf(still.Truths),
			}
			if !yield(c, nil) {
				return
			}
		}
	}, nil
}

func truthOf(truths []tablesim.Truth) eval.Truth {
	var t eval.Truth
	for _, truth := range truths {
		corners, rotation := truth.Corners, truth.Rotation
		card := eval.Card{
			Corners: &corners, AngleDeg: truth.AngleDeg, AngleModulo: truth.AngleModulo,
			Rotation: &rotation, Face: truth.Face, Back: truth.Back, Copy: string(truth.Copy), Visible: truth.Visible,
		}
		if truth.Card != nil {
			card.ID = truth.Card.ID
		}
		t.Cards = append(t.Cards, card)
	}
	return t
}

// photograph is the picture as a camera would hand it over: through JPEG.
func photograph(img *image.RGBA, quality int) (gocv.Mat, error) {
	bgr, err := matOfRGBA(img)
	if err != nil || quality <= 0 {
		return bgr, err
	}
	defer bgr.Close()
	data, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, bgr, []int{gocv.IMWriteJpegQuality, quality})
	if err != nil {
		return gocv.Mat{}, err
	}
	defer data.Close()
	return gocv.IMDecode(data.GetBytes(), gocv.IMReadColor)
}

// matOfRGBA copies a picture into a BGR Mat.
func matOfRGBA(img *image.RGBA) (gocv.Mat, error) {
	b := img.Bounds()
	rgba, err := gocv.NewMatFromBytes(b.Dy(), b.Dx(), gocv.MatTypeCV8UC4, img.Pix)
	if err != nil {
		return gocv.Mat{}, err
	}
	defer rgba.Close()
	bgr := gocv.NewMat()
	if err := gocv.CvtColor(rgba, &bgr, gocv.ColorRGBAToBGR); err != nil {
		bgr.Close()
		return gocv.Mat{}, err
	}
	return bgr, nil
}

// deckCatalog is the catalogue of the simulated table's cards.
func deckCatalog(d *deck.Deck) (*catalog.Catalog, error) { return catalog.New(deckPictures(d)) }

func deckPictures(d *deck.Deck) (entries []catalog.Entry, backs []catalog.Back) {
	for _, card := range d.Cards() {
		entries = append(entries, catalog.Entry{Card: card, Face: d.Face(card.ID)})
	}
	for _, id := range d.Backs() {
		backs = append(backs, catalog.Back{ID: id, Image: d.Back(id)})
	}
	return entries, backs
}

func levelNames() []string {
	var names []string
	for _, l := range tablesim.Levels() {
		names = append(names, l.Name)
	}
	return names
}

// newRenderCommand writes simulated scenes to disk, for other tools and eyes.
func newRenderCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "render LEVEL?scenes=N&seed=S...",
		Short: "Write labelled pictures of the simulated table, and its cards",
		Example: `  scanner render --output scenes/ 'easy?scenes=10'
  scanner eval --cards scenes/cards scenes/`,
		Args: atLeast(1, "what to draw: scanner render easy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d := deck.New()
			for _, arg := range args {
				if err := render(cmd.Context(), d, strings.TrimPrefix(arg, "sim:"), out); err != nil {
					return err
				}
			}
			cards := filepath.Join(out, "cards")
			if err := d.WriteDir(cards); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Pictures and labels are in %s, the cards in %s.\n", out, cards)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "scenes", "write to `DIR`")
	return cmd
}

func render(ctx context.Context, d *deck.Deck, what, out string) error {
	s, err := parseSimScenes(what)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for i := range s.scenes {
		if err := ctx.Err(); err != nil {
			return err
		}
		seed := s.seed + uint64(i)
		still, err := tablesim.NewStill(d, s.level, s.width, s.height, seed)
		if err != nil {
			return err
		}
		if err := still.Write(out, fmt.Sprintf("%s-%d", s.level.Name, seed)); err != nil {
			return err
		}
	}
	return nil
}
