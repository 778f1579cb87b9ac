package deck_test

import (
	"bytes"
	"encoding/json"
	"image"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

var shared = deck.New()

func TestCards(t *testing.T) {
	cards := shared.Cards()
	if len(cards) < 60 {
		t.Fatalf("%d cards", len(cards))
	}
	slug := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen, types, wide := map[board.CardID]bool{}, map[string]int{}, 0
	for _, c := range cards {
		if seen[c.ID] || !slug.MatchString(string(c.ID)) || c.Name == "" {
			t.Errorf("card %q named %q", c.ID, c.Name)
		}
		seen[c.ID] = true
		types[c.Type]++
		if c.Landscape {
			wide++
		}
		if c.Type == "personality" && (c.Attributes["force"] == "" || c.Attributes["chi"] == "" || c.Attributes["personal_honor"] == "") {
			t.Errorf("personality %q lacks figures: %v", c.ID, c.Attributes)
		}
		if shared.Back(c.Back) == nil {
			t.Errorf("card %q has the unknown back %q", c.ID, c.Back)
		}
		if got, ok := shared.Card(c.ID); !ok || got.Name != c.Name {
			t.Errorf("Card(%q) gives %v, %v", c.ID, got, ok)
		}
	}
	for _, typ := range []string{"personality", "follower", "item", "holding", "strategy", "event", "region", "stronghold"} {
		if types[typ] < 4 {
			t.Errorf("%d cards of type %s", types[typ], typ)
		}
	}
	if wide < 5 {
		t.Errorf("%d cards in landscape", wide)
	}
	if shared.Face("nobody") != nil || shared.Back("nothing") != nil {
		t.Error("an unknown card or back has a picture")
	}
}

// thumb is a picture's grey values on a coarse grid.
func thumb(img *image.RGBA) []float64 {
	const n = 20
	b := img.Bounds()
	out := make([]float64, n*n)
	for y := range n {
		for x := range n {
			var s float64
			k := 0
			for py := b.Dy() * y / n; py < b.Dy()*(y+1)/n; py += 3 {
				for px := b.Dx() * x / n; px < b.Dx()*(x+1)/n; px += 3 {
					c := img.RGBAAt(px, py)
					s += 0.3*float64(c.R) + 0.59*float64(c.G) + 0.11*float64(c.B)
					k++
				}
			}
			out[y*n+x] = s / float64(k)
		}
	}
	return out
}

func distance(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += math.Abs(a[i] - b[i])
	}
	return s / float64(len(a))
}

func TestFacesDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("draws the whole deck")
	}
	alike := map[[2]board.CardID]bool{}
	for _, p := range shared.LookAlikes() {
		alike[p] = true
	}
	if len(alike) < 3 {
		t.Errorf("%d pairs of look-alikes", len(alike))
	}
	cards := shared.Cards()
	thumbs := make([][]float64, len(cards))
	for i, c := range cards {
		img := shared.Face(c.ID)
		want := image.Pt(500, 700)
		if c.Landscape {
			want = image.Pt(700, 500)
		}
		if img.Bounds().Size() != want {
			t.Errorf("%s is %v", c.ID, img.Bounds())
		}
		thumbs[i] = thumb(img)
	}
	for i := range cards {
		for j := range i {
			if cards[i].Landscape != cards[j].Landscape {
				continue
			}
			d := distance(thumbs[i], thumbs[j])
			same := alike[[2]board.CardID{cards[i].ID, cards[j].ID}] || alike[[2]board.CardID{cards[j].ID, cards[i].ID}]
			if same != (d < 6) {
				t.Errorf("%s and %s: grey values differ by %.1f; look-alikes: %v", cards[i].ID, cards[j].ID, d, same)
			}
		}
	}
}

func TestBacks(t *testing.T) {
	if len(shared.Backs()) < 3 {
		t.Fatalf("%d backs", len(shared.Backs()))
	}
	symmetric := 0
	for _, id := range shared.Backs() {
		img := shared.Back(id)
		w, h := img.Bounds().Dx(), img.Bounds().Dy()
		differ := 0
		for y := range h {
			for x := range w {
				if img.RGBAAt(x, y) != img.RGBAAt(w-1-x, h-1-y) {
					differ++
				}
			}
		}
		if deck.SymmetricBack(id) {
			symmetric++
			if differ > 0 {
				t.Errorf("back %s differs from itself turned round in %d pixels", id, differ)
			}
		} else if differ < w*h/4 {
			t.Errorf("back %s looks nearly the same both ways: only %d pixels differ", id, differ)
		}
	}
	if symmetric != 1 {
		t.Errorf("%d backs are the same both ways", symmetric)
	}
}

func TestTwoDecksDrawTheSamePixels(t *testing.T) {
	other := deck.New()
	for _, id := range []board.CardID{"minasato-okihiro", "coast-of-bells", "great-wave", "one-clean-cut"} {
		if string(shared.Face(id).Pix) != string(other.Face(id).Pix) {
			t.Errorf("%s was drawn differently the second time", id)
		}
	}
	first, second := deck.Painting(3, 200, 100), deck.Painting(3, 200, 100)
	if !bytes.Equal(first.Pix, second.Pix) {
		t.Error("a painting was drawn differently the second time")
	}
}

func TestPicturesOutliveTheirUse(t *testing.T) {
	for i, c := range shared.Cards() {
		if i%12 != 0 {
			continue
		}
		first := bytes.Clone(shared.Face(c.ID).Pix)
		runtime.GC() // nobody holds the picture any more
		if again := shared.Face(c.ID); !bytes.Equal(again.Pix, first) {
			t.Errorf("%s looks otherwise the second time", c.ID)
		}
	}
	for _, id := range shared.Backs() {
		first := bytes.Clone(shared.Back(id).Pix)
		runtime.GC()
		if again := shared.Back(id); !bytes.Equal(again.Pix, first) {
			t.Errorf("the back %s looks otherwise the second time", id)
		}
	}
	held := shared.Face(shared.Cards()[1].ID)
	if runtime.GC(); shared.Face(shared.Cards()[1].ID) != held {
		t.Error("a picture in use is unpacked a second time")
	}
	runtime.KeepAlive(held)
}

func TestWriteDir(t *testing.T) {
	if testing.Short() {
		t.Skip("draws the whole deck")
	}
	dir := t.TempDir()
	if err := shared.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "cards.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Cards []board.Card }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Cards) != len(shared.Cards()) {
		t.Errorf("cards.json lists %d of %d cards", len(list.Cards), len(shared.Cards()))
	}
	for _, c := range list.Cards {
		if _, err := os.Stat(filepath.Join(dir, string(c.ID)+".png")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "backs", string(c.Back)+".png")); err != nil {
			t.Error(err)
		}
	}
	if err := shared.WriteDir(filepath.Join(dir, "cards.json")); err == nil {
		t.Error("a file was taken for a folder")
	}
}
