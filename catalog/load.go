package catalog

import (
	"errors"
	"fmt"
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
// become attributes, with a warning when the name is like one that it does
// know. A picture that the list does not name is a card all the
// same, with a name made of its id.
//
// Of the cards' pictures only the heads are read; the rest is when it is asked
// for. The error names the file and says what is to be done. What is odd but
// does not hinder, such as a listed card without a picture, is in Warnings.
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
	pics, err := readHeads(append(slices.Clone(facePaths), backPaths...))
	if err != nil {
		return nil, err
	}

	c := newCatalog(len(facePaths), len(backPaths))
	c.warnings = misspelt(listFile, list)
	known := make(map[board.BackID]bool, len(backPaths))
	for _, path := range backPaths {
		known[board.BackID(idOf(path))] = true
	}
	for i, path := range facePaths {
		id := board.CardID(idOf(path))
		item, listed := list[id]
		delete(list, id)
		item.card.ID = id
		if listed && item.landscape != nil && *item.landscape != pics[i].Wide {
			return nil, contradiction(listFile, path, id, *item.landscape)
		}
		if back := item.card.Back; back != "" && len(backPaths) > 0 && !known[back] {
			c.warnings = append(c.warnings, fmt.Sprintf("%s gives card %q the back %q, of which there is no picture in %s: it will not be recognised face down", listFile, id, back, filepath.Join(dir, BacksFolder)))
		}
		if err := c.addCard(item.card, pics[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for i, path := range backPaths {
		if err := c.addBack(board.BackID(idOf(path)), pics[len(facePaths)+i]); err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		var missing []string
		for id := range list {
			missing = append(missing, string(id))
		}
		slices.Sort(missing)
		c.warnings = append(c.warnings, fmt.Sprintf("%s names %d card(s) without a picture, which can't be recognised: %s", listFile, len(missing), strings.Join(firstFew(missing), ", ")))
	}
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

// readHeads looks at the heads of picture files, some at a time: whether they
// are pictures and of a card's shape.
func readHeads(paths []string) ([]Picture, error) {
	pics := make([]Picture, len(paths))
	errs := make([]error, len(paths))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(paths); i += workers {
				if pics[i], errs[i] = pictureOfFile(paths[i]); errs[i] != nil {
					errs[i] = fmt.Errorf("%s: %w", paths[i], errs[i])
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return pics, nil
}
