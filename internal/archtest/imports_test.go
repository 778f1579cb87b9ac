package archtest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed says, for each folder at the top (or internal/…), which others it
// may import outside its tests. It is the table of docs/architecture.md: when
// the design changes, change both.
var allowed = map[string][]string{
	"board":             {},
	"catalog":           {"board"},
	"hardware":          {"board"},
	"calibration":       {"board"},
	"vision":            {"board", "catalog"},
	"orientation":       {"board"},
	"tracker":           {"board", "orientation"},
	"rules":             {"board"},
	"journal":           {"board"},
	"web":               {"board", "journal", "rules"},
	"internal/tablesim": {"board"},
	"internal/archtest": {},
	"cmd/scanner": {"board", "catalog", "hardware", "calibration", "vision", "orientation", "tracker",
		"rules", "journal", "web", "internal/tablesim"},
}

const module = "tabletop/"

// part is the row of the table that a folder belongs to: its first element, or
// two under internal/ and cmd/.
func part(dir string) string {
	elems := strings.Split(filepath.ToSlash(dir), "/")
	if len(elems) > 1 && (elems[0] == "internal" || elems[0] == "cmd") {
		return elems[0] + "/" + elems[1]
	}
	return elems[0]
}

func TestImportsFollowTheDesign(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if name := d.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		from := part(filepath.Dir(rel))
		to, known := allowed[from]
		if !known {
			t.Errorf("%s lies in a folder that the design does not name; add it to the table here and in docs/architecture.md", rel)
			return nil
		}
		seen[from] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range file.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			ours, ok := strings.CutPrefix(name, module)
			if !ok {
				if from == "board" && strings.Contains(name, ".") {
					t.Errorf("%s imports %s; board needs only the standard library", rel, name)
				}
				continue
			}
			if target := part(ours); target != from && !slices.Contains(to, target) {
				t.Errorf("%s imports %s: %s may import only %v", rel, name, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range allowed {
		if !seen[name] && name != "internal/archtest" {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil {
				t.Errorf("%s is in the table but holds no Go file", name)
			}
		}
	}
}
