package catalog_test

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/catalog"
)

// picture draws blobs of colour that differ from seed to seed.
func picture(w, h int, seed uint64) *image.RGBA {
	rng := rand.New(rand.NewPCG(seed, 7))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	const cells = 6
	var colours [cells][cells]color.RGBA
	for y := range cells {
		for x := range cells {
			colours[y][x] = color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255}
		}
	}
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, colours[y*cells/h][x*cells/w])
		}
	}
	return img
}

// symmetric makes the lower half of a picture the upper one, turned.
func symmetric(img *image.RGBA) *image.RGBA {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for y := h / 2; y < h; y++ {
		for x := range w {
			img.SetRGBA(x, y, img.RGBAAt(w-1-x, h-1-y))
		}
	}
	return img
}

func write(t *testing.T, dir, name string, content any) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch c := content.(type) {
	case string:
		_, err = f.WriteString(c)
	case image.Image:
		if strings.HasSuffix(name, ".png") {
			err = png.Encode(f, c)
		} else {
			err = jpeg.Encode(f, c, nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	lists := map[string]struct{ name, text string }{
		"list": {"cards.json", `[
			{"id":"hida-o-ushi","name":"Hida O-Ushi","type":"personality","back":"dynasty","force":4,"keywords":["Unique","<b>"],"attributes":{"clan":"Crab"}},
			{"id":"breakin-and-takin","type":"side scheme","landscape":true}]`},
		"under cards": {"cards.json", `{"cards":[
			{"id":"hida-o-ushi","name":"Hida O-Ushi","type":"personality","back":"dynasty","force":4,"keywords":["Unique","<b>"],"clan":"Crab"},
			{"id":"breakin-and-takin","type":"side scheme"}]}`},
		"by id": {"cards.json", `{
			"hida-o-ushi":{"name":"Hida O-Ushi","type":"personality","back":"dynasty","force":4,"keywords":["Unique","<b>"],"clan":"Crab"},
			"breakin-and-takin":{"type":"side scheme","landscape":true}}`},
		"yaml": {"cards.yaml", "- id: hida-o-ushi\n  name: Hida O-Ushi\n  type: personality\n  back: dynasty\n  force: 4\n  keywords: [Unique, <b>]\n  clan: Crab\n- id: breakin-and-takin\n  type: side scheme\n"},
	}
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "hida-o-ushi.png", picture(500, 700, 1))
			write(t, dir, "breakin-and-takin.jpg", picture(280, 200, 2))
			write(t, dir, "ide_tadaji.JPG", picture(200, 280, 3))
			write(t, dir, "backs/dynasty.png", picture(200, 280, 4))
			write(t, dir, "backs/sleeve.png", symmetric(picture(200, 280, 5)))
			write(t, dir, "README.md", "pictures of cards")
			write(t, dir, list.name, list.text)

			c, err := catalog.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if c.Len() != 3 || len(c.Backs()) != 2 || len(c.Warnings()) != 0 {
				t.Fatalf("got %d cards, %d backs, warnings %q; want 3, 2, none", c.Len(), len(c.Backs()), c.Warnings())
			}
			hida, ok := c.Card("hida-o-ushi")
			if !ok || hida.Name != "Hida O-Ushi" || hida.Type != "personality" || hida.Back != "dynasty" || hida.Landscape {
				t.Errorf("hida-o-ushi: %+v", hida)
			}
			for key, want := range map[string]string{"force": "4", "keywords": `["Unique","<b>"]`, "clan": "Crab"} {
				if got := hida.Attributes[key]; got != want {
					t.Errorf("attribute %s is %q, want %q", key, got, want)
				}
			}
			if pictures := c.Pictures(); len(pictures) != 5 || c.Cards()[1].ID != "hida-o-ushi" {
				t.Errorf("%d pictures, the second card is %s; want 5 in the order of their names", len(pictures), c.Cards()[1].ID)
			} else if img, err := pictures[1].Read(); err != nil || img.Bounds().Dy() != catalog.MaxPictureEdge {
				t.Errorf("the large picture is read as %v (%v), want it shrunk to %d", img.Bounds(), err, catalog.MaxPictureEdge)
			}
			scheme, _ := c.Card("breakin-and-takin")
			if !scheme.Landscape || scheme.Name != "Breakin And Takin" {
				t.Errorf("breakin-and-takin: %+v", scheme)
			}
			if tadaji, ok := c.Card("ide_tadaji"); !ok || tadaji.Name != "Ide Tadaji" {
				t.Errorf("ide_tadaji: %+v", tadaji)
			}
			if symmetric, ok := c.Symmetric("dynasty"); symmetric || !ok {
				t.Error("the dynasty back is not the same both ways")
			}
			if symmetric, _ := c.Symmetric("sleeve"); !symmetric {
				t.Error("the sleeve back is the same both ways")
			}
			if _, ok := c.Card("nobody"); ok {
				t.Error("found a card that is not there")
			}
		})
	}
}

func TestPicturesAreReadOnceWhileTheyAreInUse(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		write(t, dir, string(rune('a'+i))+".png", picture(100, 140, uint64(i)))
	}
	c, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range c.Pictures() {
		img, err := p.Read()
		if err != nil || img != all[i] {
			t.Errorf("%s is read again (%v)", p.File, err)
		}
	}
	runtime.KeepAlive(all)
	write(t, dir, "c.png", "no picture any more")
	all = nil
	runtime.GC()
	if _, err := c.ReadAll(); err == nil || !strings.Contains(err.Error(), "c.png") {
		t.Errorf("got %v, want an error that names c.png", err)
	}
}

func TestLoadWarns(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.png", picture(100, 140, 1))
	write(t, dir, "backs/fate.png", picture(100, 140, 2))
	write(t, dir, "cards.json", `[{"id":"a","back":"fete"},{"id":"b"}]`)
	c, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	warnings := strings.Join(c.Warnings(), "\n")
	for _, want := range []string{`back "fete"`, "1 card(s) without a picture", ": b"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings %q do not say %q", warnings, want)
		}
	}
}

func TestLoadWarnsOfMisspeltKeys(t *testing.T) {
	tests := map[string]struct {
		card string
		want string // "" for no warning
	}{
		"letters swapped":     {`"nmae":"A"`, `"name"`},
		"letter missing":      {`"nam":"A"`, `"name"`},
		"first letter gone":   {`"ype":"event"`, `"type"`},
		"plural":              {`"backs":"fate"`, `"back"`},
		"capital":             {`"Name":"A"`, `"name"`},
		"long word":           {`"lanscpae":true`, `"landscape"`},
		"other word":          {`"pack":"Core","game":"x","force":3,"keywords":["Unique"]`, ""},
		"known key as well":   {`"name":"A","names":"Many"`, ""},
		"under attributes":    {`"attributes":{"nmae":"A"}`, ""},
		"empty":               {`"nmae":null`, ""},
		"two letters":         {`"hp":3,"i":1`, ""},
		"letters not Latin":   {`"名前":"A"`, ""},
		"no letter at all":    {`"":"A"`, ""},
		"attributes misspelt": {`"atributes":{"force":3}`, `"attributes"`},
	}
	for name, test := range tests {
		for _, file := range []string{"cards.json", "cards.yaml"} { // JSON is YAML
			t.Run(name+" in "+file, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, "a.png", picture(100, 140, 1))
				write(t, dir, file, `[{"id":"a",`+test.card+`}]`)
				c, err := catalog.Load(dir)
				if err != nil {
					t.Fatal(err)
				}
				warnings := strings.Join(c.Warnings(), "\n")
				switch {
				case test.want == "" && warnings != "":
					t.Errorf("warned: %s", warnings)
				case test.want != "" && !(strings.Contains(warnings, test.want) && strings.Contains(warnings, file) && strings.Contains(warnings, "(a)")):
					t.Errorf("the warnings %q don't name %s, %s and card a", warnings, file, test.want)
				}
			})
		}
	}
}

func TestLoadErrors(t *testing.T) {
	good := picture(100, 140, 1)
	tests := map[string]struct {
		files map[string]any
		want  []string // parts of the sentence
	}{
		"empty folder":       {map[string]any{"notes.txt": "x"}, []string{"holds no picture", "<id>.png"}},
		"not a picture":      {map[string]any{"a.png": "hello"}, []string{"a.png", "not a readable PNG or JPEG"}},
		"unread kind":        {map[string]any{"a.webp": "hello"}, []string{"a.webp", "convert it"}},
		"two pictures":       {map[string]any{"a.png": good, "a.jpg": good}, []string{"a.jpg", "a.png", "keep one"}},
		"tiny picture":       {map[string]any{"a.png": picture(20, 28, 1)}, []string{"a.png", "20×28", "at least 40"}},
		"no card's shape":    {map[string]any{"backs/a.png": picture(600, 100, 1)}, []string{"a.png", "600×100", "cut it to one card"}},
		"broken json":        {map[string]any{"a.png": good, "cards.json": "[\n{\"id\":}\n]"}, []string{"cards.json", "line 2"}},
		"two values":         {map[string]any{"a.png": good, "cards.json": "[] []"}, []string{"cards.json", "more after the end"}},
		"broken yaml":        {map[string]any{"a.png": good, "cards.yaml": "- id: [a"}, []string{"cards.yaml", "correct it"}},
		"two lists":          {map[string]any{"a.png": good, "cards.json": "[]", "cards.yaml": "[]"}, []string{"keep one card list"}},
		"list of texts":      {map[string]any{"a.png": good, "cards.json": `["a"]`}, []string{"card 1 of the list is a text"}},
		"number as id":       {map[string]any{"a.png": good, "cards.yaml": "- id: 1001"}, []string{"card 1", "needs quotes"}},
		"listed twice":       {map[string]any{"a.png": good, "cards.json": `[{"id":"a"},{"id":"a"}]`}, []string{"card 2", "twice"}},
		"name is a number":   {map[string]any{"a.png": good, "cards.json": `[{"id":"a","name":3}]`}, []string{"(a)", "name is a number"}},
		"landscape is text":  {map[string]any{"a.png": good, "cards.json": `[{"id":"a","landscape":"yes"}]`}, []string{"true or false"}},
		"landscape is wrong": {map[string]any{"a.png": good, "cards.json": `[{"id":"a","landscape":true}]`}, []string{"a.png", "turn the picture"}},
		"portrait is wrong":  {map[string]any{"a.png": picture(140, 100, 1), "cards.json": `{"a":{"landscape":false}}`}, []string{"a.png", "not printed in landscape"}},
		"ids disagree":       {map[string]any{"a.png": good, "cards.json": `{"a":{"id":"b"}}`}, []string{`card "a"`, "make them the same"}},
		"list is a number":   {map[string]any{"a.png": good, "cards.json": `3`}, []string{"holds a number"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range test.files {
				write(t, dir, file, content)
			}
			_, err := catalog.Load(dir)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
		})
	}
	if _, err := catalog.Load(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "no cards folder") {
		t.Errorf("missing folder: %v", err)
	}
	file := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Dir(file), "f", "x")
	if _, err := catalog.Load(file); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("file for a folder: %v", err)
	}
}

func TestNewErrors(t *testing.T) {
	good := picture(100, 140, 1)
	entry := func(c board.Card, img image.Image) []catalog.Entry { return []catalog.Entry{{Card: c, Face: img}} }
	tests := map[string]struct {
		entries []catalog.Entry
		backs   []catalog.Back
		want    string
	}{
		"nothing":               {nil, nil, "no card and no back"},
		"no id":                 {entry(board.Card{Name: "A"}, good), nil, "no id"},
		"no picture":            {entry(board.Card{ID: "a"}, nil), nil, "no picture"},
		"twice":                 {append(entry(board.Card{ID: "a"}, good), entry(board.Card{ID: "a"}, good)...), nil, "twice"},
		"upright but landscape": {entry(board.Card{ID: "a", Landscape: true}, good), nil, "turn the picture"},
		"back twice":            {nil, []catalog.Back{{ID: "b", Image: good}, {ID: "b", Image: good}}, "twice"},
		"back without id":       {nil, []catalog.Back{{Image: good}}, "no id"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.New(test.entries, test.backs)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestNewKeepsTheCallersPictures(t *testing.T) {
	img := picture(140, 100, 1)
	c, err := catalog.New([]catalog.Entry{{Card: board.Card{ID: "a"}, Face: img}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := c.Pictures()[0].Read()
	if err != nil {
		t.Fatal(err)
	}
	before := kept.At(5, 5)
	img.Set(5, 5, color.White)
	if after := kept.At(5, 5); after != before {
		t.Error("the catalogue's picture changed with the caller's")
	}
	if card, _ := c.Card("a"); !card.Landscape {
		t.Error("a picture wider than tall is a landscape card")
	}
}
