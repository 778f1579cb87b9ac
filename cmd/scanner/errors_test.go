package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBeginnersErrors: whatever a beginner does wrong, the program says what is
// wrong, with what, and what to do next, and ends with the right status.
func TestBeginnersErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := write("text.jpg", "hello")
	empty := write("empty.png", "")
	misspelt := write("misspelt.yaml", "camra: \"sim:\"\n")
	noYAML := write("no.yaml", "camera: [1\n")
	notJournal := write("not.db", strings.Repeat("this is no database ", 60))
	script := write("script.game", "frobnicate c1\n")
	noCards := filepath.Join(dir, "cards")
	if err := os.Mkdir(noCards, 0o755); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	journal := filepath.Join(dir, "j.db")

	for name, c := range map[string]struct {
		args   []string
		status int
		says   []string // on either output
	}{
		"no picture named":        {[]string{"scan"}, exitUsage, []string{"at least one picture"}},
		"no such picture":         {[]string{"scan", "nowhere.jpg"}, exitFailed, []string{"nowhere.jpg", "no such file"}},
		"a picture that is none":  {[]string{"scan", text}, exitFailed, []string{text, "not a picture"}},
		"the same as JSON":        {[]string{"scan", "--json", text}, exitFailed, []string{`"error":"this is not a picture`}},
		"an empty picture":        {[]string{"scan", empty}, exitFailed, []string{"empty", "copied whole"}},
		"no cards folder":         {[]string{"scan", "--cards", "nowhere", text}, exitFailed, []string{"nowhere", "make it"}},
		"an empty cards folder":   {[]string{"scan", "--cards", noCards, text}, exitFailed, []string{"holds no picture", "<id>.png"}},
		"a size that is none":     {[]string{"scan", "--size-mm", "big", text}, exitUsage, []string{"--size-mm", "63x88"}},
		"unknown command":         {[]string{"scna"}, exitUsage, []string{"scna", "--help"}},
		"unknown flag":            {[]string{"scan", "--nmae", text}, exitUsage, []string{"--nmae", "--help"}},
		"no camera":               {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "v4l2:/dev/video99"}, exitFailed, []string{"/dev/video99", "there is no"}},
		"no Pi camera":            {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "rpicam:"}, exitFailed, []string{"rpicam-vid", "apt install"}},
		"unknown kind of camera":  {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "simm:"}, exitFailed, []string{`did you mean "sim:"`}},
		"no such video":           {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "file:" + dir + "/x.mp4"}, exitFailed, []string{"no such file"}},
		"a video that is none":    {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "file:" + misspelt}, exitFailed, []string{misspelt}},
		"a folder of no pictures": {[]string{"run", "--listen", "127.0.0.1:0", "--journal", journal, "--camera", "dir:" + noCards}, exitFailed, []string{"holds no pictures"}},
		"port in use":             {[]string{"demo", "--journal", journal, "--width", "320", "--height", "240", "--listen", busy.Addr().String()}, exitFailed, []string{"another program uses this port", "choose another"}},
		"no config file":          {[]string{"run", "--config", "nowhere.yaml"}, exitFailed, []string{"nowhere.yaml", "scanner config >"}},
		"unknown setting":         {[]string{"run", "--config", misspelt}, exitFailed, []string{"misspelt.yaml:1", `did you mean "camera"`}},
		"unreadable config":       {[]string{"run", "--config", noYAML}, exitFailed, []string{"no.yaml:1", "no YAML"}},
		"unknown game":            {[]string{"run", "--game", "chess"}, exitFailed, []string{"chess", "l5r-emperor"}},
		"no journal folder":       {[]string{"demo", "--width", "320", "--height", "240", "--listen", "127.0.0.1:0", "--journal", dir + "/no/j.db"}, exitFailed, []string{"folder does not exist", "mkdir"}},
		"not a journal":           {[]string{"replay", "--journal", notJournal}, exitFailed, []string{notJournal, "not a journal"}},
		"no journal":              {[]string{"replay", "--journal", "nowhere.db"}, exitFailed, []string{"nowhere.db", "no journal"}},
		"unknown level":           {[]string{"demo", "--level", "insane"}, exitUsage, []string{"insane", "easy"}},
		"a bad game script":       {[]string{"demo", "--script", script}, exitUsage, []string{"script.game:1", "frobnicate"}},
		"labels that are none":    {[]string{"eval", text}, exitFailed, []string{"not a label file"}},
		"calibrate with nothing":  {[]string{"calibrate"}, exitUsage, []string{"--image", "--camera"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			var out, errs bytes.Buffer
			status := Main(ctx, c.args, &out, &errs)
			said := out.String() + errs.String()
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, said)
			}
			for _, word := range c.says {
				if !strings.Contains(said, word) {
					t.Errorf("%q does not say %q", said, word)
				}
			}
			if strings.Contains(said, "panic") || strings.Contains(said, "goroutine") {
				t.Errorf("not for people: %s", said)
			}
		})
	}
}
