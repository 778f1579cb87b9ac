package camera_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
)

// standing is a clock that stands still.
type standing time.Time

func (c standing) Now() time.Time { return time.Time(c) }

func noon() time.Time { return time.Date(2024, 5, 4, 12, 0, 0, 0, time.UTC) }

func TestDir(t *testing.T) {
	dir := t.TempDir()
	write(t, encoded(t, gocv.PNGFileExt, 40, 30, 200), dir, "c.PNG")
	write(t, encoded(t, gocv.JPEGFileExt, 64, 48, 50), dir, "a.jpg")
	write(t, encoded(t, gocv.PNGFileExt, 40, 30, 100), dir, "b.png")
	write(t, []byte("[]"), dir, "labels.json")
	write(t, []byte("no picture"), dir, ".hidden.png")

	s := open(t, "dir:"+dir+"?fps=4", camera.Options{Clock: standing(noon())})
	for i, want := range []float64{50, 100, 200} {
		f := next(t, s)
		if f.Seq != uint64(i+1) || math.Abs(shade(f.Image)-want) > 2 || !f.At.Equal(noon().Add(time.Duration(i)*250*time.Millisecond)) {
			t.Errorf("frame %d: seq %d, shade %g, at %v", i, f.Seq, shade(f.Image), f.At)
		}
	}
	wantEnd(t, s)
	stats := s.Stats()
	if stats.Delivered != 3 || stats.Dropped != 0 || stats.Connected || stats.Width != 40 || stats.Height != 30 {
		t.Errorf("%+v", stats)
	}
	if s.String() != "dir:"+dir+"?fps=4" {
		t.Error(s)
	}
}

// Real pictures of a game come whole and in order.
func TestDirOfPhotos(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "photos", "cardspotter_auto")
	pictures, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pictures) == 0 {
		t.Skip("the photos are not here: " + dir)
	}
	s := open(t, "dir:"+dir, camera.Options{})
	for i := range pictures {
		f, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.Seq != uint64(i+1) || f.Image.Cols() < 100 {
			t.Errorf("seq %d, %d pixels wide", f.Seq, f.Image.Cols())
		}
		f.Image.Close()
	}
	wantEnd(t, s)
}

// A picture that is none is named, and the others still come.
func TestDirPictureThatIsNone(t *testing.T) {
	dir := t.TempDir()
	write(t, encoded(t, gocv.PNGFileExt, 40, 30, 10), dir, "1.png")
	write(t, []byte("<html>"), dir, "2.png")
	write(t, nil, dir, "3.png")
	write(t, encoded(t, gocv.PNGFileExt, 40, 30, 40), dir, "4.png")
	s := open(t, "dir:"+dir, camera.Options{Clock: standing(noon())})
	if f := next(t, s); !f.At.Equal(noon()) {
		t.Errorf("at %v", f.At)
	}
	for _, want := range []string{"2.png: not a picture that can be read (6 bytes, beginning with \"<html>\")", "3.png: the picture is empty"} {
		_, err := s.Next(t.Context())
		var bad *camera.PictureError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || filepath.Dir(bad.Path) != dir {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if f := next(t, s); f.Seq != 4 || shade(f.Image) != 40 {
		t.Errorf("seq %d", f.Seq)
	}
	wantEnd(t, s)
	if stats := s.Stats(); stats.Broken != 2 || stats.Delivered != 2 || stats.LastError == "" {
		t.Errorf("%+v", stats)
	}
}

func TestNextAfterCloseAndCancel(t *testing.T) {
	dir := t.TempDir()
	write(t, encoded(t, gocv.PNGFileExt, 40, 30, 10), dir, "1.png")
	film := writeFilm(t, 3)
	for _, address := range []string{"dir:" + dir, "file:" + film, "file:" + film + "?realtime=1"} {
		s, err := camera.DefaultOpeners().Open(t.Context(), address, camera.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Next(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", s, err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, camera.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", s, err)
		}
		if s.Stats().Connected {
			t.Errorf("%s is still connected", s)
		}
	}
}

// writeFilm writes a video of n frames at 25 a second, each a shade lighter.
func writeFilm(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.avi")
	w, err := gocv.VideoWriterFile(path, "MJPG", 25, 64, 48, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range n {
		m := grey(64, 48, uint8(10*i))
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	return path
}

func TestFileGivesEveryFrame(t *testing.T) {
	s := open(t, "file:"+writeFilm(t, 12), camera.Options{Clock: standing(noon())})
	for i := range 12 {
		f := next(t, s)
		at := noon().Add(time.Duration(i) * 40 * time.Millisecond)
		if f.Seq != uint64(i+1) || math.Abs(shade(f.Image)-float64(10*i)) > 3 || f.At.Sub(at).Abs() > time.Millisecond {
			t.Errorf("frame %d: seq %d, shade %g, at %v", i, f.Seq, shade(f.Image), f.At)
		}
	}
	wantEnd(t, s)
	if stats := s.Stats(); stats.Delivered != 12 || stats.Dropped != 0 || stats.Connected || stats.Width != 64 {
		t.Errorf("%+v", stats)
	}
}

// In real time the film runs on whether or not anybody looks; the newest frame
// is there to the end.
func TestFileRealtime(t *testing.T) {
	s := open(t, "file:"+writeFilm(t, 6)+"?realtime=1&rotation=90", camera.Options{Clock: standing(noon())})
	eventually(t, "all frames played", func() bool { return s.Stats().Received == 6 })
	f := next(t, s)
	if f.Seq != 6 || f.At.Sub(noon().Add(200*time.Millisecond)).Abs() > time.Millisecond || f.Image.Cols() != 48 || f.Image.Rows() != 64 {
		t.Errorf("seq %d at %v, %d×%d", f.Seq, f.At, f.Image.Cols(), f.Image.Rows())
	}
	wantEnd(t, s)
	if stats := s.Stats(); stats.Dropped != 5 || stats.Delivered != 1 || stats.Reconnects != 0 {
		t.Errorf("%+v", stats)
	}
}
