package packfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

// fileName is the pack file in a pack's folder.
const fileName = "pack.yaml"

// Load reads the pack whose folder fsys is. name stands before the names of its
// files in errors ("packs/tapper"); the error joins one [Problem] for each thing
// that is wrong.
func Load(fsys fs.FS, name string) (rules.Pack, error) {
	data, err := readFile(fsys, fileName)
	if errors.Is(err, fs.ErrNotExist) {
		return rules.Pack{}, Problem{File: path.Join(name, fileName), Text: "there is no such file; a pack's folder has one, with its texts in messages/ beside it"}
	}
	if err != nil {
		return rules.Pack{}, fmt.Errorf("%s: %w", path.Join(name, fileName), err)
	}
	src, err := parseSource(path.Join(name, fileName), data)
	if err != nil {
		return rules.Pack{}, err
	}
	if err := conform(src); err != nil {
		return rules.Pack{}, err
	}
	var file packFile
	if err := src.decode(&file); err != nil {
		return rules.Pack{}, err
	}
	pack, err := compile(src, file, fsys)
	if err != nil {
		return rules.Pack{}, err
	}
	return pack, checkMessages(fsys, name, pack)
}

// LoadDir reads every pack in a folder of packs: each folder in it that holds a
// pack.yaml. Packs come by the name of their folder.
func LoadDir(dir string) (rules.Packs, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s; it holds a folder for each pack, with a %s in it", dir, fileName)
	}
	if err != nil {
		return nil, err
	}
	var packs rules.Packs
	var errs []error
	from := map[string]string{}
	for _, e := range entries {
		folder := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(folder, fileName)); err != nil {
			continue
		}
		pack, err := Load(os.DirFS(folder), folder)
		switch {
		case err != nil:
			errs = append(errs, err)
		case from[pack.ID] != "":
			errs = append(errs, fmt.Errorf("%s and %s both hold the game %q; give one of them another name", from[pack.ID], folder, pack.ID))
		default:
			from[pack.ID] = folder
			packs = append(packs, pack)
		}
	}
	if len(packs) == 0 && len(errs) == 0 {
		return nil, fmt.Errorf("%s holds no pack: no folder in it has a %s", dir, fileName)
	}
	return packs, errors.Join(errs...)
}

// readFile reads no more than a pack file may have.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// checkMessages holds the texts of every language against what the pack needs:
// none missing, none that nothing says, each a template that can be filled.
func checkMessages(fsys fs.FS, name string, pack rules.Pack) error {
	var errs []error
	need := pack.MessageIDs()
	for _, lang := range pack.Languages {
		file := path.Join("messages", pack.ID+"."+lang+".yaml")
		shown := path.Join(name, file)
		data, err := readFile(fsys, file)
		if errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, Problem{File: shown, Text: fmt.Sprintf("there is no such file; the pack says that it has texts in %q: write it, or take the language out", lang)})
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", shown, err))
			continue
		}
		src, err := parseSource(shown, data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var tree map[string]any
		if err := src.decode(&tree); err != nil {
			errs = append(errs, err)
			continue
		}
		has := map[string][]string{}
		gather(has, nil, tree)
		for _, id := range need {
			if _, ok := has[id]; !ok {
				errs = append(errs, Problem{File: shown, Key: id, Text: "this text is missing; write it"})
			}
		}
		for _, id := range sortedKeys(has) {
			if !slices.Contains(need, id) {
				errs = append(errs, src.problem(has[id], "nothing says this text; is the id right? take it out if it is not needed"))
			}
		}
		if len(errs) == 0 {
			errs = append(errs, checkTemplates(pack, lang, shown)...)
		}
	}
	return errors.Join(errs...)
}

// checkTemplates tries every text as an engine does.
func checkTemplates(pack rules.Pack, lang, file string) []error {
	if _, err := rules.New(pack, rules.Options{Lang: lang, Layout: board.Layout{}}); err != nil {
		return []error{Problem{File: file, Text: err.Error()}}
	}
	return nil
}

// gather finds the texts of a message file by id, each with its path of keys.
func gather(into map[string][]string, at []string, tree map[string]any) {
	for key, v := range tree {
		where := append(slices.Clone(at), key)
		if inner, ok := v.(map[string]any); ok {
			gather(into, where, inner)
			continue
		}
		into[strings.Join(where, ".")] = where
	}
}
