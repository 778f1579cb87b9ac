package camera_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
)

// The test binary also plays the part of rpicam-vid; see rpicam_test.go.
func TestMain(m *testing.M) {
	if act := os.Getenv("STAND_IN_RPICAM"); act != "" {
		os.Exit(playRPiCam(act, os.Args[1:]))
	}
	warmUp()
	mats, files := openMats(), openFiles()
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		if n := openMats() - mats; n != 0 {
			fmt.Fprintf(os.Stderr, "%d Mats were not closed\n", n)
			code = 1
		}
		if n := openFiles() - files; n > 0 {
			fmt.Fprintf(os.Stderr, "%d files were not closed\n", n)
			code = 1
		}
	}
	os.Exit(code)
}

// warmUp starts what the Go runtime keeps files open for: its network poller.
func warmUp() {
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		l.Close()
	}
}

// openFiles is the number of files this process has open.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // no /proc: not counted
	}
	return len(entries)
}

// eager are options under which tests need not wait.
func eager() camera.Options {
	return camera.Options{StallAfter: 2 * time.Second, RetryFirst: time.Millisecond, RetryMax: 5 * time.Millisecond}
}

func open(t *testing.T, address string, opt camera.Options) camera.Source {
	t.Helper()
	s, err := camera.DefaultOpeners().Open(t.Context(), address, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// next returns a frame whose Image is closed when the test ends.
func next(t *testing.T, s camera.Source) camera.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	f, err := s.Next(ctx)
	if err != nil {
		t.Fatalf("Next: %v (%+v)", err, s.Stats())
	}
	t.Cleanup(func() { f.Image.Close() })
	return f
}

func wantEnd(t *testing.T, s camera.Source) {
	t.Helper()
	for range 2 {
		if f, err := s.Next(t.Context()); err != io.EOF {
			if err == nil {
				f.Image.Close()
			}
			t.Fatalf("got %v, want io.EOF", err)
		}
	}
}

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never came to pass: %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// grey returns a picture of one shade.
func grey(width, height int, shade uint8) gocv.Mat {
	v := float64(shade)
	return gocv.NewMatWithSizeFromScalar(gocv.NewScalar(v, v, v, 0), height, width, gocv.MatTypeCV8UC3)
}

// shade is the mean shade of a picture.
func shade(m gocv.Mat) float64 {
	s := m.Mean()
	return (s.Val1 + s.Val2 + s.Val3) / 3
}

// encoded returns a picture of one shade as a JPEG (".jpg") or PNG (".png").
func encoded(t testing.TB, kind gocv.FileExt, width, height int, shade uint8) []byte {
	t.Helper()
	m := grey(width, height, shade)
	defer m.Close()
	return encodeMat(t, kind, m)
}

func encodeMat(t testing.TB, kind gocv.FileExt, m gocv.Mat) []byte {
	t.Helper()
	buffer, err := gocv.IMEncode(kind, m)
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Close()
	return append([]byte(nil), buffer.GetBytes()...)
}

func write(t *testing.T, data []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
