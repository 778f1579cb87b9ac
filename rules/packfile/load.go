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
	"text/template/parse"

	"tabletop/board"
	"tabletop/rules"
)

// fileName is the pack file in a pack's folder.
const fileName = "pack.yaml"

// Load reads the pack whose folder fsys is. name stands before the names of its
// files in errors ("packs/tapper"); the error joins one [Problem] for each thing
// that is wrong in the first step that fails: the form of the pack file, then its
// conditions and names, then the texts. What a wrong form or a wrong condition
// leaves out would make the later steps tell of faults that are none.
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

// reserved are the keys that go-i18n reads as parts of one message.
var reserved = []string{"id", "description", "hash", "leftdelim", "rightdelim", "zero", "one", "two", "few", "many", "other"}

// checkMessages holds the texts of every language against what the pack needs:
// none missing, none that nothing says, each a template that can be filled.
func checkMessages(fsys fs.FS, name string, pack rules.Pack) error {
	var errs []error
	need := pack.MessageIDs()
	for _, id := range need {
		for _, part := range strings.Split(id, ".") {
			if slices.Contains(reserved, part) {
				errs = append(errs, Problem{File: path.Join(name, fileName), Key: id, Text: fmt.Sprintf("the name %q means something else in message files; take another", part)})
			}
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
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
		has := map[string]entry{}
		gather(has, nil, tree)
		for _, id := range need {
			if _, ok := has[id]; !ok {
				errs = append(errs, Problem{File: shown, Key: id, Text: "this text is missing; write it"})
			}
		}
		for _, id := range sortedKeys(has) {
			m := has[id]
			if !slices.Contains(need, id) {
				errs = append(errs, src.problem(m.at, "nothing says this text; is the id right? take it out if it is not needed"))
			}
			if err := checkTemplate(m.value); err != nil {
				errs = append(errs, src.problem(m.at, "%v", err))
			}
		}
		if len(errs) == 0 {
			errs = append(errs, fillTemplates(pack, lang, shown)...)
		}
	}
	return errors.Join(errs...)
}

// checkTemplate holds a text to what a text needs: fields and if. A loop could
// run for ever, a call could fail.
func checkTemplate(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a text stands here, in quotes if need be, not %v", value)
	}
	tree, err := parse.New("text").Parse(text, "", "", map[string]*parse.Tree{})
	if err != nil {
		return fmt.Errorf("the template can't be read: %s", strings.TrimPrefix(err.Error(), "template: text:"))
	}
	return checkNode(tree.Root)
}

func checkNode(node parse.Node) error {
	switch n := node.(type) {
	case *parse.TextNode, *parse.FieldNode, *parse.CommentNode:
		return nil
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, inner := range n.Nodes {
			if err := checkNode(inner); err != nil {
				return err
			}
		}
		return nil
	case *parse.ActionNode:
		return checkNode(n.Pipe)
	case *parse.PipeNode:
		if len(n.Decl) == 0 && len(n.Cmds) == 1 && len(n.Cmds[0].Args) == 1 {
			return checkNode(n.Cmds[0].Args[0])
		}
	case *parse.IfNode:
		return errors.Join(checkNode(n.Pipe), checkNode(n.List), checkNode(n.ElseList))
	}
	return fmt.Errorf("%s is not read in a text; known are {{.Name}} and the like, {{if .Seat}}…{{else}}…{{end}}", node)
}

// fillTemplates tries every text as an engine does.
func fillTemplates(pack rules.Pack, lang, file string) []error {
	if _, err := rules.New(pack, rules.Options{Lang: lang, Layout: board.Layout{}}); err != nil {
		return []error{Problem{File: file, Text: err.Error()}}
	}
	return nil
}

// entry is one entry of a message file, and the keys that lead to it.
type entry struct {
	at    []string
	value any
}

// gather finds the texts of a message file by id.
func gather(into map[string]entry, at []string, tree map[string]any) {
	for key, v := range tree {
		where := append(slices.Clone(at), key)
		if inner, ok := v.(map[string]any); ok {
			gather(into, where, inner)
			continue
		}
		into[strings.Join(where, ".")] = entry{where, v}
	}
}
