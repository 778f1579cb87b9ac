package tablesim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"tabletop/board"
)

// Labels is the truth of one still picture, in the form in which labelled
// photographs come too; Copy, Back, AngleModulo and Outline are only known here.
type Labels struct {
	Image  string      `json:"image"`
	Width  int         `json:"width"`
	Height int         `json:"height"`
	Note   string      `json:"note,omitempty"`
	Level  string      `json:"level,omitempty"`
	Cards  []CardLabel `json:"cards"`
}

// CardLabel is one card of Labels. Name and ID are null for a card that lies
// face down.
type CardLabel struct {
	Corners     board.Quad   `json:"corners"` // px; (0,0) is the middle of the top-left pixel
	AngleDeg    float64      `json:"angle_deg"`
	AngleModulo float64      `json:"angle_modulo,omitempty"` // 180: which end is the top can't be told
	Rotation    board.Turn   `json:"rotation"`
	Face        board.Face   `json:"face"`
	Name        *string      `json:"name"`
	ID          *string      `json:"id"`
	Back        board.BackID `json:"back,omitempty"`
	Visible     float64      `json:"visible"` // share not covered and within the picture
	Copy        board.CopyID `json:"copy,omitempty"`
	Outline     *board.Quad  `json:"outline,omitempty"` // of the sleeve, when sleeved
	TokenOnTop  bool         `json:"token_on_top,omitempty"`
}

// NewLabels puts truths into the form of a labels file. Cards of which less
// than minVisible shows are left out.
func NewLabels(imageName string, size image.Point, level string, truths []Truth, minVisible float64) Labels {
	l := Labels{Image: imageName, Width: size.X, Height: size.Y, Level: level, Cards: []CardLabel{}}
	for _, t := range truths {
		if t.Visible < minVisible {
			continue
		}
		c := CardLabel{
			Corners: t.Corners, AngleDeg: round(t.AngleDeg, 10), Rotation: t.Rotation, Face: t.Face, Back: t.Back,
			Visible: round(t.Visible, 1000), Copy: t.Copy, TokenOnTop: t.TokenOnTop,
		}
		if t.AngleModulo == 180 {
			c.AngleModulo = 180
		}
		if t.Card != nil {
			id := string(t.Card.ID)
			c.Name, c.ID = &t.Card.Name, &id
		}
		if t.Outline != t.Corners {
			c.Outline = &t.Outline
		}
		l.Cards = append(l.Cards, c)
	}
	return l
}

func round(v, per float64) float64 {
	return float64(int(v*per+0.5)) / per
}

// WriteStill saves a picture as DIR/NAME.jpg (NAME.png for quality 0) with its
// labels as DIR/NAME.json.
func WriteStill(dir, name string, img image.Image, quality int, level string, truths []Truth, minVisible float64) error {
	var buf bytes.Buffer
	file := name + ".png"
	err := error(nil)
	if quality > 0 {
		file = name + ".jpg"
		err = jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&buf, img)
	}
	if err != nil {
		return fmt.Errorf("tablesim: encoding %s: %w", file, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("tablesim: making the folder for stills: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), buf.Bytes(), 0o644); err != nil {
		return fmt.Errorf("tablesim: writing a still: %w", err)
	}
	labels := NewLabels(file, img.Bounds().Size(), level, truths, minVisible)
	data, err := json.MarshalIndent(labels, "", " ")
	if err != nil {
		return fmt.Errorf("tablesim: writing the labels of %s: %w", file, err)
	}
	path := filepath.Join(dir, strings.TrimSuffix(file, filepath.Ext(file))+".json")
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("tablesim: writing the labels of %s: %w", file, err)
	}
	return nil
}
