package vision_test

import (
	"context"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/vision"
)

// crop is a card of a video frame, about 78 pixels tall in the middle of its
// picture, among parts of others.
type crop struct {
	file    string
	id      board.CardID
	img     gocv.Mat
	outline board.Quad
}

// zoomCrops reads those of which an outline is found in the middle.
func zoomCrops(t *testing.T) []crop {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(photosDir(t), "magic-card-zoom", "*", "input.png"))
	must(t, err)
	cardLine := regexp.MustCompile(`card: "(.+)"`)
	outlines := newScanner(t, vision.Options{})
	var crops []crop
	for _, f := range files {
		info, err := os.ReadFile(filepath.Join(filepath.Dir(f), "info.yml"))
		must(t, err)
		id := cardLine.FindSubmatch(info)
		img := gocv.IMRead(f, gocv.IMReadColor)
		t.Cleanup(func() { img.Close() })
		obs, err := outlines.Scan(context.Background(), img, nil)
		must(t, err)
		for _, o := range obs {
			if id != nil && inTheMiddle(o) {
				crops = append(crops, crop{f, board.CardID(id[1]), img, o.Corners})
				break
			}
		}
	}
	return crops
}

func inTheMiddle(o board.Observation) bool {
	return o.Corners.Contains(board.Point{X: 100, Y: 100})
}

func TestSmallCardsOfAVideo(t *testing.T) {
	crops := zoomCrops(t)
	// The first crop of a card gives its picture; those after it are asked.
	reference := map[board.CardID]string{}
	var entries []catalog.Entry
	for _, c := range crops {
		if reference[c.id] != "" {
			continue
		}
		reference[c.id] = c.file
		w, h := c.outline.Edges()
		w, h = 2*w, 2*h
		hom, err := board.HomographyFromQuads(c.outline, board.Quad{{X: -0.5, Y: -0.5}, {X: w - 0.5, Y: -0.5}, {X: w - 0.5, Y: h - 0.5}, {X: -0.5, Y: h - 0.5}})
		must(t, err)
		face := warped(t, c.img, hom, image.Pt(int(w), int(h)))
		picture, err := face.ToImage()
		must(t, err)
		entries = append(entries, catalog.Entry{Card: board.Card{ID: c.id}, Face: picture})
	}
	cat, err := catalog.New(entries, nil)
	must(t, err)
	scanner := newScanner(t, vision.Options{Catalog: cat})
	asked, named := 0, 0
	for _, c := range crops {
		if reference[c.id] == c.file {
			continue
		}
		asked++
		obs, err := scanner.Scan(context.Background(), c.img, nil)
		must(t, err)
		for _, o := range obs {
			switch {
			case !inTheMiddle(o) || o.Card == nil:
			case o.Card.ID == c.id:
				named++
			default:
				t.Errorf("%s: %s was taken for %s with confidence %.3f", c.file, c.id, o.Card.ID, o.Confidence)
			}
		}
	}
	t.Logf("%d of %d named among %d cards", named, asked, cat.Len())
	if asked > 0 && float64(named) < 0.8*float64(asked) {
		t.Errorf("named %d of %d", named, asked)
	}
}

func TestStrangersOfAVideo(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	scanner := newScanner(t, vision.Options{Catalog: firstCopies(t, img, labels)})
	for _, c := range zoomCrops(t) {
		obs, err := scanner.Scan(context.Background(), c.img, nil)
		must(t, err)
		for _, o := range obs {
			if o.Face != board.FaceUnknown {
				t.Errorf("%s: a stranger was taken for %v with confidence %.3f", c.file, o.Card, o.Confidence)
			}
		}
	}
}
