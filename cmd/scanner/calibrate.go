package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/hardware/camera"
	"tabletop/vision"
	"tabletop/web"
)

func newCalibrateCommand() *cobra.Command {
	var (
		image, source, corners, area, size, game, packs, out, listen string
		force, click                                                 bool
	)
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Tell the program where the table is in the camera's picture",
		Long: `Write a calibration file: where the play area lies in the picture, its size, the
seats and the zones. Click the corners of the play area on a page (--click), give
them in pixels (--corners), or leave them out and lay at least three cards flat
and apart on the table: the plane is then found from them. The zones it writes are a table for two players to begin with;
move them in the file as your table is laid out.`,
		Example: `  scanner calibrate --camera v4l2:/dev/video0 --output table.yaml
  scanner calibrate --camera rpicam:0 --click --play-area-mm 610x350
  scanner calibrate --image table.jpg --corners '212,80 1710,95 1800,1010 130,990' --play-area-mm 900x600`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (image == "") == (source == "") {
				return usageError{errors.New("say where the picture comes from: either --image FILE or --camera ADDRESS")}
			}
			cardSize, err := parseSize(size)
			if err != nil {
				return usageError{fmt.Errorf("--size-mm: %w", err)}
			}
			layout, err := startLayout(game, packs)
			if err != nil {
				return usageError{fmt.Errorf("--game: %w", err)}
			}
			if _, err := os.Stat(out); err == nil && !force {
				return fmt.Errorf("%s is there already; give --force to write over it, or another --output", out)
			}
			picture, err := onePicture(cmd, image, source)
			if err != nil {
				return err
			}
			defer picture.Close()
			c := &calibration.Calibration{
				Image: calibration.ImageSize{Width: picture.Cols(), Height: picture.Rows()},
				Seats: layout.Seats, Zones: layout.Zones,
			}
			how := "from the corners given"
			switch {
			case click && corners != "":
				return usageError{errors.New("give the corners with --corners or click them with --click, not both")}
			case click:
				if how, err = cornersFromClicks(cmd, c, picture, area, listen); err != nil {
					return err
				}
			case corners != "":
				if c.PlayArea, err = parseArea(area); err != nil {
					return usageError{fmt.Errorf("--play-area-mm: %w", err)}
				}
				if c.Corners, err = parseCorners(corners); err != nil {
					return usageError{fmt.Errorf("--corners: %w", err)}
				}
			default:
				if how, err = cornersFromCards(cmd, c, picture, cardSize, area); err != nil {
					return err
				}
			}
			if err := c.Save(out); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: play area of %.0f x %.0f mm, %s. Look at it on /debug with --calibration %s.\n",
				out, c.PlayArea.Width, c.PlayArea.Height, how, out)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&image, "image", "", "picture `FILE` that the camera took")
	flags.StringVar(&source, "camera", "", "camera `ADDRESS` to take a picture from")
	flags.StringVar(&corners, "corners", "", "corners of the play area in pixels, `'X,Y X,Y X,Y X,Y'` clockwise from the top left")
	flags.StringVar(&area, "play-area-mm", "", "size of the play area in millimetres, `WxH`; needed with --corners, asked with --click, otherwise as much as the picture shows")
	flags.BoolVar(&click, "click", false, "click the corners of the play area on a page in a browser")
	flags.StringVar(&listen, "listen", ":8081", "`ADDRESS` of the page for --click, host:port")
	flags.StringVar(&size, "size-mm", "63x88", "card size in millimetres, `WxH`")
	flags.StringVar(&game, "game", DefaultConfig().Game, "`GAME` whose zones to begin with")
	flags.StringVar(&packs, "packs", "", "`DIR` of further games")
	flags.StringVarP(&out, "output", "o", "table.yaml", "calibration `FILE` to write")
	flags.BoolVar(&force, "force", false, "write over an existing file")
	return cmd
}

// onePicture reads the image, or takes one from the camera.
func onePicture(cmd *cobra.Command, image, source string) (gocv.Mat, error) {
	if image != "" {
		img, err := readImage(image)
		if err != nil {
			return gocv.Mat{}, fmt.Errorf("%s: %w", image, err)
		}
		return img, nil
	}
	openers := camera.DefaultOpeners()
	openers["sim"] = openSim
	s, err := openers.Open(cmd.Context(), source, camera.Options{})
	if err != nil {
		return gocv.Mat{}, err
	}
	defer s.Close()
	frame, err := s.Next(cmd.Context())
	if err != nil {
		return gocv.Mat{}, fmt.Errorf("%s: no picture: %w", s, err)
	}
	return frame.Image, nil
}

func cornersFromCards(cmd *cobra.Command, c *calibration.Calibration, picture gocv.Mat, size board.Size, area string) (string, error) {
	scanner, err := vision.New(vision.Options{CardSize: size})
	if err != nil {
		return "", err
	}
	defer scanner.Close()
	cards, err := scanner.Scan(cmd.Context(), picture, nil)
	if err != nil {
		return "", err
	}
	fit, err := calibration.FitCards(c.Image, calibration.FreeCards(cards), size, nil)
	if err != nil {
		return "", fmt.Errorf("%w; lay three or more cards flat and apart, spread over the table, or give --corners", err)
	}
	if area == "" {
		if c.PlayArea, err = fit.Visible(); err != nil {
			return "", err
		}
	} else if c.PlayArea, err = parseArea(area); err != nil {
		return "", usageError{fmt.Errorf("--play-area-mm: %w", err)}
	}
	if c.Corners, err = fit.Corners(c.PlayArea); err != nil {
		return "", err
	}
	return fmt.Sprintf("from %d cards, good to %.1f mm", len(fit.Used), fit.ResidualMM), nil
}

// cornersFromClicks asks a person with a browser.
func cornersFromClicks(cmd *cobra.Command, c *calibration.Calibration, picture gocv.Mat, area, listen string) (string, error) {
	start := board.Size{Width: 900, Height: 600}
	if area != "" {
		var err error
		if start, err = parseArea(area); err != nil {
			return "", usageError{fmt.Errorf("--play-area-mm: %w", err)}
		}
	}
	jpeg, err := gocv.IMEncodeWithParams(gocv.JPEGFileExt, picture, []int{gocv.IMWriteJpegQuality, 90})
	if err != nil {
		return "", fmt.Errorf("the picture can't be encoded: %w", err)
	}
	defer jpeg.Close()
	l, err := web.Listen(listen)
	if err != nil {
		return "", err
	}
	question := web.CornersQuestion{
		JPEG: jpeg.GetBytes(), Width: picture.Cols(), Height: picture.Rows(), PlayArea: start,
		Check: func(corners board.Quad, playArea board.Size) error {
			if err := checkArea(playArea); err != nil {
				return err
			}
			_, err := calibration.NewPlane(corners, playArea, c.Lens)
			return err
		},
	}
	answer, err := web.AskCorners(cmd.Context(), l, question, func(path string) {
		fmt.Fprintf(cmd.OutOrStdout(), "Open http://%s%s in a browser and drag the handles onto the corners of the play area.\n", hostFor(l.Addr()), path)
		if host, err := os.Hostname(); err == nil && strings.HasPrefix(listen, ":") {
			_, port, _ := net.SplitHostPort(l.Addr().String())
			fmt.Fprintf(cmd.OutOrStdout(), "From another machine of this network: http://%s%s\n", net.JoinHostPort(host, port), path)
		}
	})
	if err != nil {
		return "", err
	}
	c.Corners, c.PlayArea = answer.Corners, answer.PlayArea
	return "from the corners clicked", nil
}

// parseArea reads the size of a play area, "900x600".
func parseArea(s string) (board.Size, error) {
	w, h, _ := strings.Cut(strings.ToLower(s), "x")
	width, errW := strconv.ParseFloat(w, 64)
	height, errH := strconv.ParseFloat(h, 64)
	size := board.Size{Width: width, Height: height}
	if errW != nil || errH != nil || checkArea(size) != nil {
		return board.Size{}, fmt.Errorf("%q: give width x height in millimetres, each from %d to %d, like 900x600", s, leastArea, mostArea)
	}
	return size, nil
}

// Sides of a play area, in millimetres: from a few cards to the largest table a
// camera can read.
const leastArea, mostArea = 100, 5000

func checkArea(s board.Size) error {
	within := func(side float64) bool { return side >= leastArea && side <= mostArea }
	if !within(s.Width) || !within(s.Height) {
		return fmt.Errorf("the play area is %g x %g mm: each side must be from %d to %d mm", s.Width, s.Height, leastArea, mostArea)
	}
	return nil
}

// parseCorners reads four "X,Y".
func parseCorners(s string) (board.Quad, error) {
	fields := strings.Fields(s)
	var q board.Quad
	if len(fields) != 4 {
		return q, fmt.Errorf("%d corners; give four as X,Y in pixels, clockwise from the top left", len(fields))
	}
	for i, field := range fields {
		x, y, _ := strings.Cut(field, ",")
		px, errX := strconv.ParseFloat(x, 64)
		py, errY := strconv.ParseFloat(y, 64)
		if errX != nil || errY != nil {
			return q, fmt.Errorf("corner %d is %q; give X,Y in pixels, like 212,80", i+1, field)
		}
		q[i] = board.Point{X: px, Y: py}
	}
	return q, nil
}
