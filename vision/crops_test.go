package vision_test

import (
	"context"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// cutOut is the card of a crop, upright as far as its outline tells, at twice
// its size.
func (c crop) cutOut(t *testing.T) image.Image {
	t.Helper()
	w, h := c.outline.Edges()
	w, h = 2*w, 2*h
	hom, err := board.HomographyFromQuads(c.outline, board.Quad{{X: -0.5, Y: -0.5}, {X: w - 0.5, Y: -0.5}, {X: w - 0.5, Y: h - 0.5}, {X: -0.5, Y: h - 0.5}})
	must(t, err)
	face := warped(t, c.img, hom, image.Pt(int(w), int(h)))
	picture, err := face.ToImage()
	must(t, err)
	return picture
}

// cropPool is a catalogue of the crops' own cards, those that belong: the first
// crop of a card, from which it can be cut, gives its picture. It says which
// crops these are.
func cropPool(t *testing.T, crops []crop, belongs func(card int) bool) (*catalog.Catalog, map[board.CardID]string) {
	t.Helper()
	references := map[board.CardID]string{}
	var distinct []board.CardID
	var entries []catalog.Entry
	for _, c := range crops {
		if slices.Contains(distinct, c.id) {
			continue
		}
		distinct = append(distinct, c.id)
		if belongs(len(distinct) - 1) {
			references[c.id] = c.file
			entries = append(entries, catalog.Entry{Card: board.Card{ID: c.id}, Face: c.cutOut(t)})
		}
	}
	cat, err := catalog.New(entries, nil)
	must(t, err)
	return cat, references
}

// inMiddle is the card that a scanner names in the middle of a crop, "" if none.
// Of cards that overlap there it is the one on top, which the crop was cut for;
// those below may be in the pool as well.
func inMiddle(t *testing.T, scanner *vision.Scanner, c crop) (name board.CardID, confidence float64) {
	t.Helper()
	obs, err := scanner.Scan(context.Background(), c.img, nil)
	must(t, err)
	layer := -1
	for _, o := range obs {
		if !inTheMiddle(o) || o.Layer <= layer {
			continue
		}
		layer, name, confidence = o.Layer, "", 0
		if o.Card != nil {
			name, confidence = o.Card.ID, o.Confidence
		}
	}
	return name, confidence
}

// With a pool of the crops' own distinct cards none is taken for another, and
// most of those that appear a second time are named.
func TestCropsOfAVideo(t *testing.T) {
	crops := zoomCrops(t)
	pool, references := cropPool(t, crops, func(int) bool { return true })
	scanner := newScanner(t, vision.Options{Catalog: pool})
	asked, named := 0, 0
	for _, c := range crops {
		name, confidence := inMiddle(t, scanner, c)
		if name != "" && name != c.id {
			t.Errorf("%s: %s was taken for %s with confidence %.3f", c.file, c.id, name, confidence)
		}
		if references[c.id] == c.file {
			continue // names itself
		}
		asked++
		if name == c.id {
			named++
		}
	}
	t.Logf("a reference could be cut from %d crops, of %d cards; %d of the %d other crops of these are named, none wrongly unless said above", len(crops), pool.Len(), named, asked)
	if asked > 0 && float64(named) < 0.8*float64(asked) {
		t.Errorf("named %d of %d", named, asked)
	}
}

// With half of the cards in the pool the crops of the others are negative: they
// show cards of the same game, in the same video, that the pool does not hold.
func TestNegativeCropsOfAVideo(t *testing.T) {
	crops := zoomCrops(t)
	negative := 0
	for half := range 2 {
		pool, _ := cropPool(t, crops, func(card int) bool { return card%2 == half })
		scanner := newScanner(t, vision.Options{Catalog: pool})
		for _, c := range crops {
			if _, known := pool.Card(c.id); known {
				continue
			}
			negative++
			if name, confidence := inMiddle(t, scanner, c); name != "" {
				t.Errorf("%s: %s, which the pool does not hold, was taken for %s with confidence %.3f", c.file, c.id, name, confidence)
			}
		}
	}
	t.Logf("%d negative crops, none named unless said above", negative)
}

func TestStrangersOfAVideo(t *testing.T) {
	img, labels := photo(t, "alpha_deck")
	scanner := newScanner(t, vision.Options{Catalog: firstCopies(t, img, labels)})
	for i, c := range zoomCrops(t) {
		if i%3 > 0 {
			continue // each takes a third of a second
		}
		obs, err := scanner.Scan(context.Background(), c.img, nil)
		must(t, err)
		for _, o := range obs {
			if o.Face != board.FaceUnknown {
				t.Errorf("%s: a stranger was taken for %v with confidence %.3f", c.file, o.Card, o.Confidence)
			}
		}
	}
}
