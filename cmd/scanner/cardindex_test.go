package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tabletop/catalog"
)

// largeFolder is a folder of just as many cards as are worth an index that is
// stored, written an hour ago.
func largeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range storedFrom {
		img := image.NewRGBA(image.Rect(0, 0, 40, 56))
		for y := range 56 {
			for x := range 40 {
				img.SetRGBA(x, y, color.RGBA{uint8(rng.IntN(256)), uint8(x * i), uint8(y * i), 255})
			}
		}
		var data bytes.Buffer
		if err := png.Encode(&data, img); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("card-%d.png", i))
		if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		hourAgo := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestIndexOfALargeFolderIsStored(t *testing.T) {
	dir, cache := largeFolder(t), t.TempDir()
	t.Setenv("CACHE_DIRECTORY", cache)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-forgottenAfter - time.Hour)
	leave := func(name string, at time.Time) string {
		path := filepath.Join(cache, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{leave("x-1"+indexSuffix, old), leave("y-2"+indexSuffix+".part-3", old)}
	kept := []string{leave("notes.txt", old), leave("z-3"+indexSuffix, time.Now()), leave("z-3"+indexSuffix+".part-4", time.Now())}

	for i, want := range []string{"indexed 250 of 250 card pictures", ""} {
		cat, err := catalog.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		var said, warned []string
		index, err := openIndex(t.Context(), cat,
			func(s string) { said = append(said, s) }, func(s string) { warned = append(warned, s) })
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		if index.Len() != storedFrom || warned != nil {
			t.Errorf("the index has %d cards; warnings %q", index.Len(), warned)
		}
		if got := strings.Join(said, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("opened for the %d. time it says %q, want %q", i+1, got, want)
		}
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("the folder of the cards has %d files, and had %d", len(after), len(before))
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is of no use any more and still there", path)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s was deleted", path)
		}
	}
}

func TestIndexFileIsOfOneFolder(t *testing.T) {
	root := t.TempDir()
	t.Setenv("CACHE_DIRECTORY", filepath.Join(root, "first")+":"+filepath.Join(root, "second"))
	names := map[string]string{}
	for _, folder := range []string{"a/cards", "b/cards", "b/cards/../other", "mit Umlaut ä/..", "x/" + strings.Repeat("long", 60)} {
		file, err := indexFile(filepath.Join(root, folder))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(file) != filepath.Join(root, "first") || len(filepath.Base(file)) > 100 || strings.ContainsAny(filepath.Base(file), " ä") {
			t.Errorf("%s: stored in %s", folder, file)
		}
		if other, twice := names[file]; twice {
			t.Errorf("%s and %s share %s", folder, other, file)
		}
		names[file] = folder
	}
	link := filepath.Join(root, "link")
	target := filepath.Join(root, "target")
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links here")
	}
	a, _ := indexFile(link)
	if b, _ := indexFile(target); a != b {
		t.Errorf("a folder has one index by its name and another by a link to it: %s, %s", a, b)
	}
}

func TestIndexWithoutAPlaceToBeKept(t *testing.T) {
	for _, name := range []string{"CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"} {
		t.Setenv(name, "")
	}
	cat, err := catalog.Load(largeFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	index, err := openIndex(context.Background(), cat, func(string) {}, func(s string) { warned = append(warned, s) })
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if len(warned) != 1 || !strings.Contains(warned[0], "XDG_CACHE_HOME") {
		t.Errorf("warnings %q; want one that says what to do", warned)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 20000: "20,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
