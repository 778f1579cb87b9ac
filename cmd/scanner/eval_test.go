package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tabletop/internal/tablesim/deck"
	"tabletop/vision/eval"
)

func runMain(t *testing.T, args ...string) (status int, out, problems string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = Main(context.Background(), args, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// paintedTable writes a labelled picture of four cards to a folder, with the
// cards' pictures in its folder "cards".
func paintedTable(t *testing.T, dir string) {
	t.Helper()
	const w, h = 126, 176
	cards := filepath.Join(dir, "cards")
	if err := os.MkdirAll(cards, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path string, img image.Image) {
		t.Helper()
		var data bytes.Buffer
		if err := png.Encode(&data, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	table := image.NewRGBA(image.Rect(0, 0, 800, 360))
	draw.Draw(table, table.Bounds(), image.NewUniform(color.RGBA{40, 90, 60, 255}), image.Point{}, draw.Src)
	var labels []string
	for i := range 4 {
		id := fmt.Sprintf("painting-%d", i)
		face := deck.Painting(uint64(i), w, h)
		write(filepath.Join(cards, id+".png"), face)
		x, y := 60+180*i, 90
		draw.Draw(table, image.Rect(x, y, x+w, y+h), face, face.Bounds().Min, draw.Src)
		labels = append(labels, fmt.Sprintf(`{"corners":[[%d,%d],[%d,%d],[%d,%d],[%d,%d]],"rotation":0,"face":"up","id":%q}`, x, y, x+w, y, x+w, y+h, x, y+h, id))
	}
	write(filepath.Join(dir, "table.png"), table)
	text := `{"image":"table.png","level":"easy","cards":[` + strings.Join(labels, ",") + `]}`
	if err := os.WriteFile(filepath.Join(dir, "table.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A folder's own cards are used for it, unless --cards says otherwise, and
// several folders give a block each.
func TestEvalOfFolders(t *testing.T) {
	scenes, others := filepath.Join(t.TempDir(), "scenes"), filepath.Join(t.TempDir(), "others")
	paintedTable(t, scenes)
	paintedTable(t, others)
	report := func(args ...string) (r struct {
		Images   int
		All      struct{ ID eval.Answer }
		BySource []struct {
			Name  string
			Cards int
		} `json:"by_source"`
	}) {
		t.Helper()
		status, out, problems := runMain(t, append([]string{"eval", "--json"}, args...)...)
		if status != exitOK {
			t.Fatal(problems)
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	own := report(scenes, others)
	if own.Images != 2 || len(own.BySource) != 2 || own.BySource[0].Name != "scenes" || own.BySource[1].Name != "others" {
		t.Errorf("two sources: %+v", own)
	}
	if own.All.ID != (eval.Answer{Right: 8}) {
		t.Errorf("with the folders' own cards not all are named: %+v", own.All.ID)
	}
	if none := report("--cards", "", scenes); none.All.ID != (eval.Answer{}) || none.BySource[0].Cards == 0 {
		t.Errorf("without cards: %+v", none)
	}

	status, out, problems := runMain(t, "eval", "--fit", "--strangers", scenes)
	if status != exitOK || !regexp.MustCompile(`name +return curve\{-?[0-9.]+, [0-9.]+, (never|[0-9.]+)\} // \d+ of \d+ right`).MatchString(out) {
		t.Errorf("status %d, no curve in:\n%s%s", status, out, problems)
	}
	if status, _, problems := runMain(t, "eval", "--strangers", "--cards", "", scenes); status != exitFailed || !strings.Contains(problems, "give --cards") {
		t.Errorf("strangers to no cards: status %d, %s", status, problems)
	}
}
