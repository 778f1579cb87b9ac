package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Folder keeps frames with what was seen in them, as cases that [Load] reads:
// NAME.png, not compressed with loss, and NAME.json beside it. The labels are
// what the scanner saw, and marked as unverified, for a person to correct.
type Folder struct {
	Dir string // made when the first case is saved

	// MaxCases and MaxBytes bound what may lie in the folder, so that nobody
	// fills a disk by pressing a key.
	MaxCases int
	MaxBytes int64
}

// ErrFull says that a folder holds as many cases as it may.
var ErrFull = errors.New("the folder for cases is full")

// SavedCase is where a case was put.
type SavedCase struct {
	Image, Labels string // paths
	Cards         int    // labelled
}

// caseLabels are the labels of a saved case. They hold more than [Load] asks
// for: what helps the person who corrects them.
type caseLabels struct {
	Image      string      `json:"image"`
	Width      int         `json:"width"`
	Height     int         `json:"height"`
	Unverified bool        `json:"unverified"`
	Note       string      `json:"note"`
	At         time.Time   `json:"at"`
	Frame      uint64      `json:"frame"`
	Cards      []caseLabel `json:"cards"`
}

type caseLabel struct {
	Corners     board.Quad    `json:"corners"`
	AngleDeg    float64       `json:"angle_deg"`
	AngleModulo float64       `json:"angle_modulo,omitempty"`
	Rotation    board.Turn    `json:"rotation"`
	Face        board.Face    `json:"face"`
	Name        *string       `json:"name"`
	ID          *board.CardID `json:"id"`
	Back        board.BackID  `json:"back,omitempty"`
	Visible     float64       `json:"visible"`
	Confidence  float64       `json:"confidence"` // of the scanner
}

const howToCorrect = "What the scanner saw; nobody has looked at it yet. Correct the cards, add those that are missing, " +
	"take out what is none, then take out \"unverified\". Corners go clockwise from the printed top left."

// Save keeps an 8-bit BGR frame, taken at a time under a number, with the cards
// seen in it, in pixels. A case is there as a whole or not at all. The error says
// what to do when the folder is full ([ErrFull]) or can't be written.
func (f Folder) Save(img gocv.Mat, at time.Time, frame uint64, seen []board.Observation) (SavedCase, error) {
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return SavedCase{}, fmt.Errorf("the folder for cases can't be made: %w", f.explain(err))
	}
	png, err := gocv.IMEncode(gocv.PNGFileExt, img)
	if err != nil {
		return SavedCase{}, fmt.Errorf("the frame can't be made a PNG: %w", err)
	}
	defer png.Close()
	if err := f.room(int64(png.Len())); err != nil {
		return SavedCase{}, err
	}
	name := fmt.Sprintf("case-%s-%d", at.UTC().Format("20060102-150405.000"), frame)
	saved := SavedCase{
		Image: filepath.Join(f.Dir, name+".png"), Labels: filepath.Join(f.Dir, name+".json"), Cards: len(seen),
	}
	if _, err := os.Stat(saved.Labels); err == nil {
		return SavedCase{}, fmt.Errorf("this frame is a case already: %s", saved.Labels)
	}
	labels, err := json.MarshalIndent(labelsOf(filepath.Base(saved.Image), img, at, frame, seen), "", " ")
	if err != nil {
		return SavedCase{}, err
	}
	// The labels make it a case, so they come last.
	if err := f.write(saved.Image, png.GetBytes()); err != nil {
		return SavedCase{}, err
	}
	if err := f.write(saved.Labels, append(labels, '\n')); err != nil {
		return SavedCase{}, errors.Join(err, os.Remove(saved.Image))
	}
	return saved, nil
}

func labelsOf(image string, img gocv.Mat, at time.Time, frame uint64, seen []board.Observation) caseLabels {
	l := caseLabels{Image: image, Width: img.Cols(), Height: img.Rows(), Unverified: true, Note: howToCorrect,
		At: at, Frame: frame, Cards: []caseLabel{}}
	for _, o := range seen {
		c := caseLabel{Corners: o.Corners, AngleDeg: o.AngleDeg, Rotation: o.Rotation, Face: o.Face, Back: o.Back,
			Visible: o.Visible, Confidence: o.Confidence}
		if o.AngleModulo == 180 {
			c.AngleModulo = 180
		}
		if o.Card != nil {
			c.Name, c.ID = &o.Card.Name, &o.Card.ID
		}
		l.Cards = append(l.Cards, c)
	}
	return l
}

// room says whether the folder may take so many bytes more.
func (f Folder) room(bytes int64) error {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return fmt.Errorf("the folder for cases can't be read: %w", f.explain(err))
	}
	cases := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // gone since
		}
		bytes += info.Size()
		if strings.EqualFold(filepath.Ext(e.Name()), ".json") {
			cases++
		}
	}
	switch {
	case cases >= f.MaxCases:
		return fmt.Errorf("%w: %s holds %d cases; move those that are done to another folder", ErrFull, f.Dir, cases)
	case bytes > f.MaxBytes:
		return fmt.Errorf("%w: with this one %s would hold %d MB, and %d may; move the cases that are done to another folder", ErrFull, f.Dir, bytes>>20, f.MaxBytes>>20)
	}
	return nil
}

// write puts a file there whole: a program that is killed, or a full disk,
// leaves none with half of its bytes.
func (f Folder) write(path string, data []byte) error {
	part := path + ".part"
	err := os.WriteFile(part, data, 0o644)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
		return fmt.Errorf("%s: %w", filepath.Base(path), f.explain(err))
	}
	return nil
}

func (f Folder) explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk is full; make room, or set another folder for cases than %s (%w)", f.Dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the program may not write there; give it the right to, or set another folder for cases than %s (%w)", f.Dir, err)
	}
	return err
}
