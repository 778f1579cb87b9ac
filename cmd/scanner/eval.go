package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/catalog"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/vision"
	"tabletop/vision/eval"
)

func newEvalCommand() *cobra.Command {
	var (
		flags     scanFlags
		asJSON    bool
		fit       bool
		strangers bool
	)
	cmd := &cobra.Command{
		Use:   "eval LABELS...",
		Short: "Score the scanner against labelled pictures",
		Long: `Score the scanner against labelled pictures: how many cards it finds, how many
of its answers are wrong, how exact they are, how far its confidence can be
trusted and how long it takes; for all and for each of several LABELS.

LABELS is a label file, a folder of them, a folder of cases that were saved in
the debug view, or scenes of the simulated table:
sim:LEVEL?scenes=N&seed=S&width=W&height=H (levels: ` + strings.Join(levelNames(), ", ") + `).
Simulated scenes bring their own cards, and so does a folder with a folder
"cards" in it; --cards takes the place of both, and --cards "" looks without any.`,
		Example: `  scanner eval 'sim:easy?scenes=100'
  scanner eval --cards cards/ photos/
  scanner eval scenes/table scenes/hard photos/`,
		Args: atLeast(1, "labels to score against: a label file, a folder of them, or sim:easy"),
		RunE: func(cmd *cobra.Command, sources []string) error {
			setGCPercent(batchGCPercent)
			e := evaluation{flags: flags, cardsGiven: cmd.Flags().Changed("cards"), raw: fit, strangers: strangers, warn: cmd.ErrOrStderr(), scorer: eval.NewScorer()}
			defer e.close()
			for _, source := range sources {
				if err := e.score(cmd.Context(), source); err != nil {
					return err
				}
			}
			switch {
			case fit:
				return writeFit(cmd.OutOrStdout(), e.scorer.Samples())
			case asJSON:
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(e.scorer.Report())
			}
			return e.scorer.Report().WriteText(cmd.OutOrStdout())
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().BoolVar(&strangers, "strangers", false, "look twice, each time with every other card taken out of the catalogue, so that half of the cards are ones it does not know; none of them may be named")
	cmd.Flags().BoolVar(&fit, "fit", false, "print the curves that turn scores into confidences, fitted to these labels, in place of the report")
	cmd.MarkFlagsMutuallyExclusive("json", "fit")
	return cmd
}

// evaluation scores one source after the other, each with a scanner that knows
// the source's cards. Sources with the same cards share one.
type evaluation struct {
	flags      scanFlags
	cardsGiven bool // by --cards, though it may be to have none
	raw        bool // keep scores as they are, to fit curves to them
	strangers  bool
	warn       io.Writer
	scorer     *eval.Scorer
	scanners   map[string][]*pictureScanner // by what their cards come from
}

func (e *evaluation) close() {
	for _, scanners := range e.scanners {
		for _, s := range scanners {
			s.Close()
		}
	}
}

func (e *evaluation) score(ctx context.Context, source string) error {
	cases, err := evalCases(source)
	if err != nil {
		return err
	}
	scanners, err := e.scannersFor(source)
	if err != nil {
		return err
	}
	for _, scanner := range scanners {
		known := scanner.opts.Catalog
		options := []eval.Option{
			eval.WithCatalogue(func(id board.CardID) bool {
				if known == nil {
					return false
				}
				_, ok := known.Card(id)
				return ok
			}),
			eval.WithEvidence(func(o board.Observation) string { return string(vision.EvidenceOf(o, known != nil)) }),
		}
		if err := e.scorer.Score(ctx, scanner, cases, options...); err != nil {
			return err
		}
	}
	return nil
}

// deckCards stands for the cards of the simulated table, where a folder's name
// stands for others.
const deckCards = "sim:"

// cardsOf says where the cards of a source are: in a folder, on the simulated
// table, or nowhere.
func (e *evaluation) cardsOf(source string) string {
	if e.cardsGiven {
		return e.flags.cards
	}
	if strings.HasPrefix(source, deckCards) {
		return deckCards
	}
	own := filepath.Join(source, "cards")
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return own
	}
	return ""
}

func (e *evaluation) scannersFor(source string) ([]*pictureScanner, error) {
	cards := e.cardsOf(source)
	if scanners, ok := e.scanners[cards]; ok {
		return scanners, nil
	}
	flags := e.flags
	if flags.cards = cards; cards == deckCards {
		flags.cards = ""
	}
	whole, err := flags.prepare(e.warn)
	if err != nil {
		return nil, err
	}
	if cards == deckCards {
		if whole.opts.Catalog, err = deckCatalog(deck.New()); err != nil {
			return nil, err
		}
	}
	whole.opts.RawConfidence = e.raw
	scanners := []*pictureScanner{whole}
	if e.strangers {
		if scanners, err = halves(whole); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	if e.scanners == nil {
		e.scanners = map[string][]*pictureScanner{}
	}
	e.scanners[cards] = scanners
	return scanners, nil
}

// halves are two scanners that know every other card each, and all backs.
func halves(whole *pictureScanner) ([]*pictureScanner, error) {
	known := whole.opts.Catalog
	if known == nil || known.Len() < 2 {
		return nil, errors.New("--strangers takes out half of a catalogue, but there are no cards here; give --cards")
	}
	pictures := known.Pictures()
	var backs []catalog.Back
	for i, id := range known.Backs() {
		img, err := pictures[known.Len()+i].Read()
		if err != nil {
			return nil, err
		}
		backs = append(backs, catalog.Back{ID: id, Image: img})
	}
	var out []*pictureScanner
	for half := range 2 {
		var entries []catalog.Entry
		for i, card := range known.Cards() {
			if i%2 != half {
				continue
			}
			img, err := pictures[i].Read()
			if err != nil {
				return nil, err
			}
			entries = append(entries, catalog.Entry{Card: card, Face: img})
		}
		p := *whole
		p.scanners = map[calibration.ImageSize]*vision.Scanner{}
		var err error
		if p.opts.Catalog, err = catalog.New(entries, backs); err != nil {
			return nil, err
		}
		out = append(out, &p)
	}
	return out, nil
}

// evalCases are the cases of one source.
func evalCases(source string) (eval.Cases, error) {
	rest, simulated := strings.CutPrefix(source, deckCards)
	if !simulated {
		return eval.Load(source), nil
	}
	cases, err := simulatedCases(rest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return cases, nil
}

// writeFit prints the curves as vision/confidence.go has them, and how well each
// holds for a source that it was not fitted to.
func writeFit(w io.Writer, samples []eval.Sample) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Curves fitted to %d answers, for vision/confidence.go:\n\n", len(samples))
	for _, f := range eval.Curves(samples) {
		sure := "never"
		if f.SureFrom < eval.Never {
			sure = fmt.Sprintf("%.6f", math.Ceil(f.SureFrom*1e6)/1e6)
		}
		fmt.Fprintf(b, "  %-8s return curve{%.2f, %.2f, %s} // %d of %d right, %.4f bits an answer\n", f.Evidence, f.Bias, f.Slope, sure, f.Right.N, f.Right.Of, f.Loss)
	}
	var sources []string
	for _, s := range samples {
		if !slices.Contains(sources, s.Source) {
			sources = append(sources, s.Source)
		}
	}
	if len(sources) > 1 {
		fmt.Fprintf(b, "\nEach source by the curves of the others:\n\n")
		for _, source := range sources {
			holdAgainst(b, source, samples)
		}
	}
	return b.Flush()
}

// holdAgainst says how the curves fitted to all other sources do on one.
func holdAgainst(w io.Writer, source string, samples []eval.Sample) {
	var own, others []eval.Sample
	for _, s := range samples {
		if s.Source == source {
			own = append(own, s)
		} else {
			others = append(others, s)
		}
	}
	for _, f := range eval.Curves(others) {
		var expected float64
		var right, sureWrong eval.Share
		for _, s := range own {
			if s.Evidence != f.Evidence {
				continue
			}
			expected += f.At(s.Score)
			right.Of++
			if s.Right {
				right.N++
			}
			if s.Score >= f.SureFrom {
				sureWrong.Of++
				if !s.Right {
					sureWrong.N++
				}
			}
		}
		if right.Of > 0 {
			fmt.Fprintf(w, "  %-20s %-8s expected %.1f right, counted %d of %d; %d of %d sure ones wrong\n", source, f.Evidence, expected, right.N, right.Of, sureWrong.N, sureWrong.Of)
		}
	}
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
			truth := truthOf(still.Truths)
			if truth.Things, err = thingsOf(still); err != nil {
				yield(eval.Case{}, err)
				return
			}
			c := eval.Case{
				Source: "sim:" + s.level.Name, Level: s.level.Name,
				Name:  fmt.Sprintf("%s-%d", s.level.Name, seed),
				Image: func() (gocv.Mat, error) { return photograph(still.Image, s.level.JPEGQuality) },
				Truth: truth,
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
		if outline := truth.Outline; outline != corners {
			card.Outline = &outline
		}
		t.Cards = append(t.Cards, card)
	}
	return t
}

// thingsOf are the things of a scene that may be taken for cards and are none.
// What is printed on the table is anywhere that they are not.
func thingsOf(still tablesim.Still) ([]eval.Thing, error) {
	projection, err := still.Camera.Projection()
	if err != nil {
		return nil, err
	}
	var things []eval.Thing
	add := func(kind string, at board.Point, reachMM float64) {
		centre := projection.ToImage(at, 0)
		edge := projection.ToImage(at.Add(board.Point{X: reachMM}), 0)
		things = append(things, eval.Thing{Kind: kind, Centre: centre, Reach: centre.Distance(edge)})
	}
	for _, item := range still.Scene.Items {
		if item.InHand {
			add("card in a hand", item.Centre, board.StandardCard().Width)
		}
	}
	for _, o := range still.Scene.Objects {
		add(string(o.Kind), o.Centre, 60)
	}
	area := still.Camera.Area
	add("the table itself", board.Point{X: area.Width / 2, Y: area.Height / 2}, area.Width+area.Height)
	return things, nil
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
