package identify_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/draw"

	"tabletop/board"
	"tabletop/catalog"
	"tabletop/vision/identify"
)

// cardsFolder is a folder of some pictures of the simulated deck and a back, all
// written an hour ago.
func cardsFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), catalog.BacksFolder) // a name that might mislead
	must(t, os.MkdirAll(filepath.Join(dir, catalog.BacksFolder), 0o755))
	d := simDeck()
	for _, c := range d.Cards()[:12] {
		writeCard(t, filepath.Join(dir, string(c.ID)+".png"), d.Face(c.ID))
	}
	for _, id := range d.Backs() {
		writeCard(t, filepath.Join(dir, catalog.BacksFolder, string(id)+".png"), d.Back(id))
	}
	return dir
}

const cardsInFolder = 12 + 4 // the backs

// writeCard writes a smaller picture, as if an hour ago.
func writeCard(t *testing.T, path string, img image.Image) {
	t.Helper()
	b := img.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()/3, b.Dy()/3))
	draw.BiLinear.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	var data bytes.Buffer
	must(t, png.Encode(&data, small))
	must(t, os.WriteFile(path, data.Bytes(), 0o644))
	setAge(t, path, time.Hour)
}

func setAge(t *testing.T, path string, age time.Duration) {
	t.Helper()
	at := time.Now().Add(-age).Truncate(time.Second)
	must(t, os.Chtimes(path, at, at))
}

// opened is what opening an index did.
type opened struct {
	index    *identify.Index
	computed int
	warnings []string
}

func open(t *testing.T, dir, file string) opened {
	t.Helper()
	o, err := tryOpen(t.Context(), dir, file)
	must(t, err)
	t.Cleanup(func() { must(t, o.index.Close()) })
	return o
}

func tryOpen(ctx context.Context, dir, file string) (opened, error) {
	var o opened
	cat, err := catalog.Load(dir)
	if err != nil {
		return o, err
	}
	o.index, err = identify.Open(ctx, cat, identify.Options{}, identify.Keeping{
		File:     file,
		Progress: func(done, total int) { o.computed = done },
		Warn:     func(err error) { o.warnings = append(o.warnings, err.Error()) },
	})
	return o, err
}

// answers are what an index says of some pictures, all of it.
func answers(t *testing.T, ix *identify.Index) []identify.Result {
	t.Helper()
	d := simDeck()
	var all []identify.Result
	for _, i := range []int{0, 1, 11, 13} { // the last is a stranger
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		frame, _, outline := randomShot(rng, 60).take(t, rng, d.Face(d.Cards()[i].ID), nil)
		res, err := ix.Identify(frame, outline)
		must(t, err)
		all = append(all, res)
	}
	return all
}

func TestStoredIndexIsTheSame(t *testing.T) {
	dir, file := cardsFolder(t), filepath.Join(t.TempDir(), "deep", "cards.index")
	fresh := open(t, dir, "")
	if fresh.computed != cardsInFolder {
		t.Fatalf("computed %d pictures of %d", fresh.computed, cardsInFolder)
	}
	want := answers(t, fresh.index)
	named := slices.IndexFunc(want, func(r identify.Result) bool { return r.Card != nil })
	if named < 0 {
		t.Fatal("no card is named at all")
	}
	for i, computed := range []int{cardsInFolder, 0, 0} {
		o := open(t, dir, file)
		if o.computed != computed || o.warnings != nil {
			t.Errorf("opened for the %d. time: computed %d pictures, want %d; warnings %q", i+1, o.computed, computed, o.warnings)
		}
		if got := answers(t, o.index); !reflect.DeepEqual(got, want) {
			t.Errorf("opened for the %d. time it answers otherwise than a fresh one", i+1)
		}
	}
	left, err := os.ReadDir(filepath.Dir(file))
	must(t, err)
	if len(left) != 1 {
		t.Errorf("there is more in the folder than the index: %v", left)
	}
}

// TestStoredIndexFollowsTheFolder changes the folder of cards step by step.
func TestStoredIndexFollowsTheFolder(t *testing.T) {
	d := simDeck()
	dir, file := cardsFolder(t), filepath.Join(t.TempDir(), "cards.index")
	first, second, new := d.Cards()[0], d.Cards()[1], d.Cards()[20]
	path := func(c board.Card) string { return filepath.Join(dir, string(c.ID)+".png") }
	open(t, dir, file)
	steps := []struct {
		name     string
		change   func()
		computed int
	}{
		{"another size", func() { writeCard(t, path(first), d.Face(second.ID)) }, 1},
		{"another time", func() { setAge(t, path(second), time.Minute) }, 1},
		{"one more", func() { writeCard(t, path(new), d.Face(new.ID)) }, 1},
		{"one less", func() { must(t, os.Remove(path(second))) }, 0},
		{"another name", func() { must(t, os.Rename(path(new), path(second))) }, 1},
		{"a back that has a card's name", func() {
			writeCard(t, filepath.Join(dir, catalog.BacksFolder, string(first.ID)+".png"), d.Face(new.ID))
		}, 1},
		{"written this moment", func() { setAge(t, path(first), 0) }, 1},
		{"and so not to be trusted", func() {}, 1},
	}
	for _, step := range steps {
		step.change()
		o := open(t, dir, file)
		if o.computed != step.computed || o.warnings != nil {
			t.Errorf("%s: computed %d pictures, want %d; warnings %q", step.name, o.computed, step.computed, o.warnings)
		}
		if got, want := answers(t, o.index), answers(t, open(t, dir, "").index); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it answers otherwise than a fresh index", step.name)
		}
	}
}

func TestStoredIndexThatIsDamaged(t *testing.T) {
	dir, good := cardsFolder(t), filepath.Join(t.TempDir(), "good.index")
	o := open(t, dir, good)
	want := answers(t, o.index)
	data, err := os.ReadFile(good)
	must(t, err)
	changed := func(at int) []byte {
		c := bytes.Clone(data)
		c[(at+len(c))%len(c)] ^= 0x10
		return c
	}
	tests := map[string]struct {
		data []byte
		want string
	}{
		"empty":                 {nil, "damaged"},
		"three bytes":           {data[:3], "damaged"},
		"head alone":            {data[:16], "damaged"},
		"end missing":           {data[:len(data)-4], "damaged"},
		"half":                  {data[:len(data)/2], "damaged"},
		"longer":                {append(bytes.Clone(data), 1, 2, 3), "damaged"},
		"another kind of file":  {bytes.Repeat([]byte("not an index "), 1000), "damaged"},
		"another version":       {changed(8), "another version"},
		"another recipe":        {changed(12), "another version"},
		"length of a name":      {changed(17), "damaged"},
		"a name":                {changed(20), "damaged"},
		"one bit in the middle": {changed(len(data) / 2), "damaged"},
		"the check sum":         {changed(-1), "damaged"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cards.index")
			must(t, os.WriteFile(file, test.data, 0o644))
			o := open(t, dir, file)
			if len(o.warnings) != 1 || !strings.Contains(o.warnings[0], test.want) || !strings.Contains(o.warnings[0], file) {
				t.Errorf("warnings %q; want one that says %q and names the file", o.warnings, test.want)
			}
			if o.computed != cardsInFolder {
				t.Errorf("computed %d pictures; want all, for nothing of a damaged file can be trusted", o.computed)
			}
			if got := answers(t, o.index); !reflect.DeepEqual(got, want) {
				t.Error("it answers otherwise than a good one")
			}
			if again := open(t, dir, file); again.computed != 0 || again.warnings != nil {
				t.Errorf("it was not put right: computed %d, warnings %q", again.computed, again.warnings)
			}
		})
	}
}

func TestStoredIndexWrittenByManyAtOnce(t *testing.T) {
	dir, file := cardsFolder(t), filepath.Join(t.TempDir(), "cards.index")
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			o, err := tryOpen(t.Context(), dir, file)
			if err != nil || o.warnings != nil {
				t.Errorf("number %d: %v, warnings %q", i, err, o.warnings)
			}
		})
	}
	group.Wait()
	if o := open(t, dir, file); o.computed != 0 {
		t.Errorf("computed %d pictures after all", o.computed)
	}
}

func TestStoredIndexThatCantBeWritten(t *testing.T) {
	dir := cardsFolder(t)
	notAFolder := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(notAFolder, nil, 0o644))
	o := open(t, dir, filepath.Join(notAFolder, "cards.index"))
	if o.computed != cardsInFolder || o.index.Len() != cardsInFolder {
		t.Errorf("computed %d pictures, the index has %d", o.computed, o.index.Len())
	}
	if said := strings.Join(o.warnings, "\n"); !strings.Contains(said, "can't be stored") {
		t.Errorf("warnings %q don't say that it can't be stored", said)
	}
}

// TestStoredIndexGoesOn ends the computing early, by the context and by a picture
// that can't be read: what was done is kept.
func TestStoredIndexGoesOn(t *testing.T) {
	dir, file := cardsFolder(t), filepath.Join(t.TempDir(), "cards.index")
	cat, err := catalog.Load(dir)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	_, err = identify.Open(ctx, cat, identify.Options{}, identify.Keeping{File: file, Progress: func(d, total int) {
		if done = d; d == 5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was ended", err)
	}

	broken := filepath.Join(dir, string(simDeck().Cards()[11].ID)+".png")
	data, err := os.ReadFile(broken)
	must(t, err)
	must(t, os.WriteFile(broken, data[:len(data)/2], 0o644))
	if _, err := tryOpen(t.Context(), dir, file); err == nil || !strings.Contains(err.Error(), broken) {
		t.Fatalf("got %v, want an error that names %s", err, broken)
	}

	must(t, os.WriteFile(broken, data, 0o644))
	setAge(t, broken, time.Hour)
	if o := open(t, dir, file); o.computed > cardsInFolder-done || o.warnings != nil {
		t.Errorf("computed %d pictures, though %d of %d were done before; warnings %q", o.computed, done, cardsInFolder, o.warnings)
	}
}

// TestPicturesInMemoryAreNotStored: there is nothing to find them by.
func TestPicturesInMemoryAreNotStored(t *testing.T) {
	cat, err := deckCatalog(func(i int, _ board.Card) bool { return i < 2 })
	must(t, err)
	file := filepath.Join(t.TempDir(), "cards.index")
	ix, err := identify.Open(t.Context(), cat, identify.Options{}, identify.Keeping{File: file})
	must(t, err)
	must(t, ix.Close())
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an index was stored: %v", err)
	}
}
