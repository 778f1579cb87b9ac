package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/catalog"
	"tabletop/vision"
	"tabletop/vision/identify"
)

// scanFlags are the flags of every command that looks at single pictures.
type scanFlags struct {
	cards       string
	sizeMM      string
	pxPerMM     float64
	calibration string
}

func (f *scanFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cards, "cards", "", "`DIR` of upright card pictures, <id>.png or .jpg, backs in DIR/backs; without it cards are found but not named")
	flags.StringVar(&f.sizeMM, "size-mm", "63x88", "card size in millimetres, that of the sleeve where cards wear one, `WxH`")
	flags.Float64Var(&f.pxPerMM, "px-per-mm", 0, "scale of the pictures in pixels per millimetre (`N`), when the camera looks straight down; 0: found out from the cards")
	flags.StringVar(&f.calibration, "calibration", "", "calibration `FILE` of the camera that took the pictures")
}

// pictureScanner looks at pictures of any size with one catalogue. A
// calibration holds for one size of picture, so there is a scanner for each.
type pictureScanner struct {
	opts     vision.Options
	cal      *calibration.Calibration
	scanners map[calibration.ImageSize]*vision.Scanner
	index    *identify.Index // of the catalogue, made for the first scanner
	tell     io.Writer       // of what is odd or takes long
}

// open builds the picture scanner that the flags describe.
func (f *scanFlags) open(ctx context.Context, warn io.Writer) (*pictureScanner, error) {
	p, err := f.prepare(warn)
	if err != nil {
		return nil, err
	}
	// Without a calibration one scanner serves every size. It is made now, so
	// that loading the catalogue is over before the first picture is timed.
	if p.cal == nil {
		if _, err := p.forSize(ctx, calibration.ImageSize{}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// prepare reads what the flags name; scanners are made when they are needed.
func (f *scanFlags) prepare(warn io.Writer) (*pictureScanner, error) {
	size, err := parseSize(f.sizeMM)
	if err != nil {
		return nil, usageError{fmt.Errorf("--size-mm: %w", err)}
	}
	if f.pxPerMM < 0 {
		return nil, usageError{fmt.Errorf("--px-per-mm is %g; it is a scale, so give a positive number, or leave it out", f.pxPerMM)}
	}
	if f.pxPerMM > 0 && f.calibration != "" {
		return nil, usageError{errors.New("--px-per-mm and --calibration both tell the scale; give one of them")}
	}
	p := &pictureScanner{
		opts:     vision.Options{CardSize: size, PxPerMM: f.pxPerMM},
		scanners: map[calibration.ImageSize]*vision.Scanner{},
		tell:     warn,
	}
	if f.calibration != "" {
		if p.cal, err = calibration.Load(f.calibration); err != nil {
			return nil, err
		}
	}
	if f.cards != "" {
		if p.opts.Catalog, err = catalog.Load(f.cards); err != nil {
			return nil, err
		}
		for _, w := range p.opts.Catalog.Warnings() {
			fmt.Fprintln(warn, "scanner:", w)
		}
	}
	return p, nil
}

func (p *pictureScanner) forSize(ctx context.Context, size calibration.ImageSize) (*vision.Scanner, error) {
	if p.cal == nil {
		size = calibration.ImageSize{}
	}
	if s, ok := p.scanners[size]; ok {
		return s, nil
	}
	opts := p.opts
	if p.cal != nil {
		scaled, err := p.cal.ForImage(size)
		if err != nil {
			return nil, err
		}
		h, err := planeHomography(scaled)
		if err != nil {
			return nil, err
		}
		opts.Plane = &h
	}
	if opts.Catalog != nil && p.index == nil {
		say := func(text string) { fmt.Fprintln(p.tell, "scanner:", text) }
		var err error
		if p.index, err = openIndex(ctx, opts.Catalog, say, say); err != nil {
			return nil, err
		}
	}
	opts.Index = p.index
	s, err := vision.New(opts)
	if err != nil {
		return nil, err
	}
	p.scanners[size] = s
	return s, nil
}

// Scan finds and names the cards in one picture.
func (p *pictureScanner) Scan(ctx context.Context, img gocv.Mat, regions []image.Rectangle) ([]board.Observation, error) {
	s, err := p.forSize(ctx, calibration.ImageSize{Width: img.Cols(), Height: img.Rows()})
	if err != nil {
		return nil, err
	}
	return s.Scan(ctx, img, regions)
}

func (p *pictureScanner) Close() error {
	var errs []error
	for _, s := range p.scanners {
		errs = append(errs, s.Close())
	}
	if p.index != nil {
		errs = append(errs, p.index.Close())
	}
	return errors.Join(errs...)
}

// planeHomography is the plane of a calibration as vision takes it: without
// the lens, whose bend is small beside what vision allows for.
func planeHomography(c *calibration.Calibration) (board.Homography, error) {
	area := board.RectQuad(board.Point{X: c.PlayArea.Width / 2, Y: c.PlayArea.Height / 2}, c.PlayArea, 0)
	return board.HomographyFromQuads(c.Corners, area)
}

// parseSize reads "63x88".
func parseSize(s string) (board.Size, error) {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	width, errW := strconv.ParseFloat(w, 64)
	height, errH := strconv.ParseFloat(h, 64)
	if !ok || errW != nil || errH != nil || width < 10 || height < 10 || width > 500 || height > 500 {
		return board.Size{}, fmt.Errorf("card size %q: give width x height in millimetres, each from 10 to 500, like 63x88", s)
	}
	return board.Size{Width: width, Height: height}, nil
}

// scanResult is one line of `scanner scan --json`.
type scanResult struct {
	Image     string              `json:"image"`
	Width     int                 `json:"width"`
	Height    int                 `json:"height"`
	ElapsedMS float64             `json:"elapsed_ms"`
	Cards     []board.Observation `json:"cards"`
}

// scanFailure is the line of an image that could not be read.
type scanFailure struct {
	Image string `json:"image"`
	Error string `json:"error"`
}

func newScanCommand() *cobra.Command {
	var (
		flags    scanFlags
		asJSON   bool
		annotate string
	)
	cmd := &cobra.Command{
		Use:   "scan IMAGE...",
		Short: "Find and name the cards in pictures",
		Example: `  scanner scan --json --cards cards/ table.jpg
  scanner scan --annotate out/ *.jpg`,
		Args: atLeast(1, "at least one picture: scanner scan table.jpg"),
		RunE: func(cmd *cobra.Command, images []string) error {
			setGCPercent(batchGCPercent)
			scanner, err := flags.open(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer scanner.Close()
			var annotated []string
			if annotate != "" {
				if annotated, err = annotatedNames(annotate, images); err != nil {
					return err
				}
			}
			failed := false
			for i, name := range images {
				out := ""
				if annotated != nil {
					out = annotated[i]
				}
				result, err := scanFile(cmd.Context(), scanner, name, out)
				if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				if err != nil {
					failed = true
				}
				if err := writeScan(cmd.OutOrStdout(), asJSON, name, result, err); err != nil {
					return err
				}
			}
			if failed {
				return errSilent
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per image, one to a line")
	cmd.Flags().StringVar(&annotate, "annotate", "", "also write each picture with what was seen drawn in, to `DIR`")
	return cmd
}

// annotatedNames makes the folder and names the annotated pictures. None is one
// of the pictures themselves, and no two are the same.
func annotatedNames(dir string, images []string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--annotate: the folder %s can't be made; name one that is there or can be: %w", dir, err)
	}
	names := make([]string, len(images))
	taken := map[string]bool{}
	for i, image := range images {
		base := filepath.Base(image)
		ext := filepath.Ext(base)
		stem := strings.TrimSuffix(base, ext)
		out := filepath.Join(dir, base)
		for n := 2; taken[out]; n++ {
			out = filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, ext))
		}
		taken[out] = true
		names[i] = out
	}
	for i, out := range names {
		target, err := os.Stat(out)
		if err != nil {
			continue // not there yet
		}
		for _, image := range images {
			if source, err := os.Stat(image); err == nil && os.SameFile(source, target) {
				return nil, fmt.Errorf("--annotate %s would write over the picture %s; name another folder", dir, images[i])
			}
		}
	}
	return names, nil
}

func scanFile(ctx context.Context, scanner *pictureScanner, name, annotated string) (scanResult, error) {
	img, err := readImage(name)
	if err != nil {
		return scanResult{}, err
	}
	defer img.Close()
	start := time.Now()
	cards, err := scanner.Scan(ctx, img, nil)
	elapsed := time.Since(start)
	if err != nil {
		return scanResult{}, err
	}
	if cards == nil {
		cards = []board.Observation{}
	}
	for i := range cards {
		c := &cards[i]
		c.AngleDeg, c.Confidence, c.Visible = board.NormalizeDeg(round(c.AngleDeg, 2)), round(c.Confidence, 4), round(c.Visible, 3)
	}
	if annotated != "" {
		if err := vision.Annotate(&img, cards); err != nil {
			return scanResult{}, err
		}
		if !gocv.IMWrite(annotated, img) {
			return scanResult{}, fmt.Errorf("could not write %s: is there room, and is its ending one of .jpg or .png?", annotated)
		}
	}
	return scanResult{
		Image: name, Width: img.Cols(), Height: img.Rows(),
		ElapsedMS: float64(elapsed.Microseconds()) / 1000,
		Cards:     cards,
	}, nil
}

// readImage decodes a picture file as BGR, turned as its EXIF data says.
func readImage(name string) (gocv.Mat, error) {
	data, err := os.ReadFile(name)
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return gocv.Mat{}, fmt.Errorf("this is a folder; name the pictures in it, like %s", filepath.Join(name, "*.jpg"))
	}
	if err != nil {
		var pathErr *os.PathError
		if errors.As(err, &pathErr) {
			return gocv.Mat{}, fmt.Errorf("can't read it: %w", pathErr.Err)
		}
		return gocv.Mat{}, err
	}
	if len(data) == 0 {
		return gocv.Mat{}, errors.New("the file is empty; was it copied whole?")
	}
	img, err := gocv.IMDecode(data, gocv.IMReadColor)
	if err != nil || img.Empty() {
		if err == nil {
			img.Close()
		}
		return gocv.Mat{}, errors.New("this is not a picture that can be decoded (JPEG and PNG always can), or it is damaged")
	}
	return img, nil
}

func writeScan(w io.Writer, asJSON bool, name string, result scanResult, err error) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err != nil {
			return enc.Encode(scanFailure{name, err.Error()})
		}
		return enc.Encode(result)
	}
	if err != nil {
		_, werr := fmt.Fprintf(w, "%s: %v\n", name, err)
		return werr
	}
	fmt.Fprintf(w, "%s: %s, %d×%d px, %.0f ms\n", name, countCards(len(result.Cards)), result.Width, result.Height, result.ElapsedMS)
	for _, c := range result.Cards {
		fmt.Fprintln(w, "  "+describe(c))
	}
	return nil
}

func countCards(n int) string {
	if n == 1 {
		return "1 card"
	}
	return fmt.Sprintf("%d cards", n)
}

// describe puts an observation into a line for people.
func describe(o board.Observation) string {
	name := "a card, not named"
	switch {
	case o.Card != nil:
		name = o.Card.Name
	case o.Face == board.FaceDown:
		name = "face-down card"
	case len(o.Alternatives) > 0:
		name = "unsure: " + o.Alternatives[0].Card.Name + "?"
	}
	turn := "turn unknown"
	if o.Rotation.Known() {
		turn = fmt.Sprintf("turned %d°", o.Rotation)
	}
	angle := fmt.Sprintf("%.1f°", board.NormalizeDeg(round(o.AngleDeg, 1)))
	if o.AngleModulo == 180 {
		angle += " or the other way up"
	}
	c := o.Corners.Centre()
	return fmt.Sprintf("%-32s %.0f %% sure, %s (%s), face %s, at %.0f,%.0f", name, 100*o.Confidence, turn, angle, o.Face, c.X, c.Y)
}
