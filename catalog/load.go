package catalog

import (
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the folder's pictures are PNG or JPEG
	_ "image/png"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"tabletop/board"
)

// BacksFolder is the name of the subfolder that holds the pictures of backs.
const BacksFolder = "backs"

// Load reads a folder of cards:
//
//	DIR/<id>.png|jpg          a card's face, its print upright, cut edge to edge
//	DIR/backs/<id>.png|jpg    a card back
//	DIR/cards.json|yaml       optional: name, type, landscape, back, the rest
//
// The card list is a list of objects with an id, or an object whose keys are
// the ids; either may stand under the key "cards". Fields it does not know
// become attributes. A picture that the list does not name is a card all the
// same, with a name made of its id.
//
// The error names the file and says what is to be done. What is odd but does
// not hinder, such as a listed card without a picture, is in Warnings.
func Load(dir string) (*Catalog, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no cards folder %q: make it and put one picture of each card in it, named <id>.png or <id>.jpg", dir)
	case err != nil:
		return nil, fmt.Errorf("cards folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%q is a file: name the folder that holds the card pictures", dir)
	}

	list, listFile, err := loadList(dir)
	if err != nil {
		return nil, err
	}
	facePaths, err := pictures(dir)
	if err != nil {
		return nil, err
	}
	backPaths, err := pictures(filepath.Join(dir, BacksFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(facePaths) == 0 && len(backPaths) == 0 {
		return nil, fmt.Errorf("cards folder %q holds no picture: put one of each card in it, named <id>.png or <id>.jpg", dir)
	}
	images, err := decodeAll(append(slices.Clone(facePaths), backPaths...))
	if err != nil {
		return nil, err
	}

	var warnings []string
	backs := make([]Back, len(backPaths))
	known := make(map[board.BackID]bool, len(backPaths))
	for i, path := range backPaths {
		id := board.BackID(idOf(path))
		backs[i] = Back{ID: id, Image: images[len(facePaths)+i]}
		known[id] = true
	}
	entries := make([]Entry, len(facePaths))
	for i, path := range facePaths {
		id := board.CardID(idOf(path))
		item, listed := list[id]
		delete(list, id)
		item.card.ID = id
		if listed && item.landscape != nil && *item.landscape != isWide(images[i]) {
			return nil, contradiction(listFile, path, id, *item.landscape)
		}
		if back := item.card.Back; back != "" && len(backs) > 0 && !known[back] {
			warnings = append(warnings, fmt.Sprintf("%s gives card %q the back %q, of which there is no picture in %s: it will not be recognised face down", listFile, id, back, filepath.Join(dir, BacksFolder)))
		}
		entries[i] = Entry{Card: item.card, Face: images[i]}
	}
	if len(list) > 0 {
		var missing []string
		for id := range list {
			missing = append(missing, string(id))
		}
		slices.Sort(missing)
		warnings = append(warnings, fmt.Sprintf("%s names %d card(s) without a picture, which can't be recognised: %s", listFile, len(missing), strings.Join(firstFew(missing), ", ")))
	}

	c, err := New(entries, backs)
	if err != nil {
		return nil, fmt.Errorf("cards folder %q: %w", dir, err)
	}
	c.warnings = warnings
	return c, nil
}

func contradiction(listFile, path string, id board.CardID, landscape bool) error {
	if landscape {
		return fmt.Errorf("%s says that card %q is printed in landscape, but %s is not wider than tall: turn the picture so that its print is upright, or take landscape out of the list", listFile, id, path)
	}
	return fmt.Errorf("%s says that card %q is not printed in landscape, but %s is wider than tall: turn the picture so that its print is upright, or take landscape out of the list", listFile, id, path)
}

func firstFew(names []string) []string {
	const few = 5
	if len(names) <= few {
		return names
	}
	return append(slices.Clone(names[:few]), fmt.Sprintf("and %d more", len(names)-few))
}

// pictures lists the picture files of a folder, sorted by name. Files that are
// no pictures (notes, card lists) are passed over; pictures of a kind that is
// not read are an error, since a card would silently be missing.
func pictures(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cards folder: %w", err)
	}
	var paths []string
	byID := make(map[string]string)
	for _, f := range files {
		if f.IsDir() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, f.Name())
		switch strings.ToLower(filepath.Ext(f.Name())) {
		case ".png", ".jpg", ".jpeg":
		case ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".heic":
			return nil, fmt.Errorf("%s: card pictures must be PNG or JPEG: convert it, or move it out of the folder", path)
		default:
			continue
		}
		id := idOf(path)
		if other, twice := byID[id]; twice {
			return nil, fmt.Errorf("%s and %s are pictures of the same card %q: keep one", other, path, id)
		}
		byID[id] = path
		paths = append(paths, path)
	}
	return paths, nil
}

func idOf(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// decodeAll reads the pictures, some at a time, and shrinks them at once so
// that a folder of large scans does not fill the memory.
func decodeAll(paths []string) ([]image.Image, error) {
	images := make([]image.Image, len(paths))
	errs := make([]error, len(paths))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			img, err := decode(path)
			if err == nil {
				err = checkPicture(img)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", path, err)
				return
			}
			images[i] = shrink(img)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return images, nil
}

func decode(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("it is not a readable PNG or JPEG picture (%w): save it again, or take it out of the folder", err)
	}
	return img, nil
}
