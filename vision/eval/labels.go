package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures are measured without decoding them whole
	_ "image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"gocv.io/x/gocv"

	"tabletop/board"
)

// Load yields the cases of label files and of folders that hold them, in the
// order given and by name within a folder. A file may be
//
//   - one picture's labels: {"image": "a.jpg", "cards": [{"corners": …}]};
//   - several in one file, as {"frames": […]} or as a plain list, with corners
//     or with upright boxes ({"boxes": [{"class": …, "box": [x0,y0,x1,y1]}]});
//   - magic-card-zoom's info.yml, which says only which card input.png shows,
//     or, with "video" and no "card", that none in it may be named.
//
// A folder stands for the label files in it, or else in its subfolders. An
// error names the file and what is wrong with it, and comes last.
func Load(paths ...string) Cases {
	return func(yield func(Case, error) bool) {
		for _, path := range paths {
			files, err := labelFiles(path)
			if err != nil {
				yield(Case{}, err)
				return
			}
			for _, file := range files {
				cases, err := readFile(file)
				if err != nil {
					yield(Case{}, err)
					return
				}
				for _, c := range cases {
					if !yield(c, nil) {
						return
					}
				}
			}
		}
	}
}

// labelFiles is path itself, or the label files below the folder it names.
func labelFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file or folder; give label files (.json, info.yml) or a folder that holds them", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	for _, pattern := range []string{"labels.json", "*.json", "info.yml", "*/info.yml", "*/labels.json", "*/*.json"} {
		files, err := filepath.Glob(filepath.Join(escapeGlob(path), pattern))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: no labels in this folder; expected .json files beside the pictures, or info.yml", path)
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func readFile(file string) ([]Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []Case
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
		cases, err = readJSON(file, data)
	case ".yml", ".yaml":
		cases, err = readZoom(file, data)
	default:
		err = errors.New("not a label file: expected .json or .yml (to score a picture, give its labels, not the picture)")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cases, nil
}

type labelJSON struct {
	Image  string `json:"image"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	State  string `json:"state"` // of a frame: "moving" ones show a card that is not labelled
	Level  string `json:"level"`
	// Unverified: a program wrote these labels (see Folder.Save).
	Unverified bool          `json:"unverified"`
	Cards      []cardJSON    `json:"cards"`
	Boxes      []boxJSON     `json:"boxes"`
	Frames     *[]*labelJSON `json:"frames"`
}

type cardJSON struct {
	Corners     *board.Quad  `json:"corners"`
	Outline     *board.Quad  `json:"outline"`
	AngleDeg    *float64     `json:"angle_deg"`
	AngleModulo float64      `json:"angle_modulo"`
	Rotation    *board.Turn  `json:"rotation"`
	Face        board.Face   `json:"face"`
	ID          board.CardID `json:"id"`
	Back        board.BackID `json:"back"`
	Copy        string       `json:"copy"`
	Visible     *float64     `json:"visible"`
}

type boxJSON struct {
	Box []float64 `json:"box"`
}

func readJSON(file string, data []byte) ([]Case, error) {
	var labels []*labelJSON
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(data, &labels); err != nil {
			return nil, badJSON(err)
		}
	} else {
		var one labelJSON
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, badJSON(err)
		}
		labels = []*labelJSON{&one}
		if one.Frames != nil {
			labels = *one.Frames
			for _, l := range labels {
				if l != nil && l.Width == 0 {
					l.Width, l.Height = one.Width, one.Height
				}
			}
		}
	}
	var cases []Case
	for i, l := range labels {
		if l == nil || l.Image == "" || l.Frames != nil || (l.Cards == nil && l.Boxes == nil) {
			return nil, fmt.Errorf(`entry %d is no label: it needs "image" and "cards" (or "boxes"); is this file about something else?`, i+1)
		}
		truth, err := l.truth()
		if err != nil {
			return nil, fmt.Errorf("entry %d (%s): %w", i+1, l.Image, err)
		}
		picture := filepath.Join(filepath.Dir(file), filepath.FromSlash(l.Image))
		cases = append(cases, Case{Source: filepath.Base(filepath.Dir(abs(file))), Level: l.Level, Name: l.Image, Truth: truth,
			Image: func() (gocv.Mat, error) { return readImage(picture, l.Width, l.Height) }})
	}
	return cases, nil
}

func badJSON(err error) error {
	return fmt.Errorf("not a label file: %w", err)
}

func (l *labelJSON) truth() (Truth, error) {
	truth := Truth{Partial: l.State == "moving", Unverified: l.Unverified}
	for i, c := range l.Cards {
		card, err := c.card()
		if err != nil {
			return Truth{}, fmt.Errorf("card %d: %w", i+1, err)
		}
		truth.Cards = append(truth.Cards, card)
	}
	for i, b := range l.Boxes {
		if len(b.Box) != 4 || b.Box[0] >= b.Box[2] || b.Box[1] >= b.Box[3] {
			return Truth{}, fmt.Errorf("box %d: expected [x0, y0, x1, y1] with x0 < x1 and y0 < y1, not %v", i+1, b.Box)
		}
		truth.Cards = append(truth.Cards, Card{Box: &Box{b.Box[0], b.Box[1], b.Box[2], b.Box[3]}, Visible: 1})
	}
	return truth, nil
}

func (c cardJSON) card() (Card, error) {
	if c.Corners == nil {
		return Card{}, errors.New(`"corners" is missing`)
	}
	if !c.Corners.IsConvex() {
		return Card{}, errors.New(`"corners" must go clockwise from the printed top left and enclose a convex card`)
	}
	if c.Outline != nil && !c.Outline.IsConvex() {
		return Card{}, errors.New(`"outline" must go clockwise around the sleeve, beginning at the card's printed top left`)
	}
	card := Card{Corners: c.Corners, Outline: c.Outline, AngleDeg: c.Corners.AngleDeg(), AngleModulo: c.AngleModulo, Rotation: c.Rotation,
		Face: c.Face, ID: c.ID, Back: c.Back, Copy: c.Copy, Visible: 1}
	if c.AngleDeg != nil {
		card.AngleDeg = *c.AngleDeg
	}
	if c.Visible != nil {
		card.Visible = *c.Visible
	}
	switch c.Face {
	case "", board.FaceUp, board.FaceDown, board.FaceUnknown:
	default:
		return Card{}, fmt.Errorf(`"face" is up, down or unknown, not %q`, c.Face)
	}
	if card.Visible < 0 || card.Visible > 1 {
		return Card{}, fmt.Errorf(`"visible" is a share from 0 to 1, not %g`, card.Visible)
	}
	return card, nil
}

// readZoom reads magic-card-zoom's info.yml. Its pictures are cut from a video
// around one card and may show others; one that names no card is negative.
func readZoom(file string, data []byte) ([]Case, error) {
	var info struct {
		Card  board.CardID `yaml:"card"`
		Video string       `yaml:"video"`
	}
	if err := yaml.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("not a label file: %w", err)
	}
	truth := Truth{Partial: true}
	switch {
	case info.Card != "":
		truth.Cards = []Card{{ID: info.Card, Visible: 1}}
	case info.Video != "":
		truth.Nameless = true
	default:
		return nil, errors.New(`no label: it needs "card", the set code and number, or else "video", of which it shows no card that can be named`)
	}
	folder := filepath.Dir(abs(file))
	return []Case{{Source: filepath.Base(filepath.Dir(folder)), Name: filepath.Base(folder) + "/input.png",
		Truth: truth,
		Image: func() (gocv.Mat, error) { return readImage(filepath.Join(folder, "input.png"), 0, 0) }}}, nil
}

// readImage reads a picture as it is stored, its EXIF orientation left alone:
// labels are in pixels of the stored file. A size of 0 is not checked.
func readImage(path string, width, height int) (gocv.Mat, error) {
	f, err := os.Open(path)
	if err != nil {
		return gocv.Mat{}, fmt.Errorf("the labelled picture can't be read: %w", err)
	}
	defer f.Close()
	size, _, err := image.DecodeConfig(f)
	if err != nil {
		return gocv.Mat{}, fmt.Errorf("%s is not a JPEG or PNG picture: %w", path, err)
	}
	if width > 0 && (size.Width != width || size.Height != height) {
		return gocv.Mat{}, fmt.Errorf("%s is %d×%d, but its labels are for %d×%d; was it scaled?", path, size.Width, size.Height, width, height)
	}
	img := gocv.IMRead(path, gocv.IMReadColor|gocv.IMReadIgnoreOrientation)
	if img.Empty() {
		img.Close()
		return gocv.Mat{}, fmt.Errorf("%s can't be decoded; is the file complete?", path)
	}
	return img, nil
}

func abs(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
