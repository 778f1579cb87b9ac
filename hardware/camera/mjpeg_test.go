package camera_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
)

// studio is an MJPEG camera under the test's control: what is sent into
// pictures goes out in the connection that is up; hangUp ends it.
type studio struct {
	*httptest.Server
	pictures    chan []byte
	hangUp      chan struct{}
	connections atomic.Int32
}

func newStudio(t *testing.T) *studio {
	s := &studio{pictures: make(chan []byte), hangUp: make(chan struct{})}
	done := make(chan struct{})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.connections.Add(1)
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=frame")
		for {
			select {
			case p := <-s.pictures:
				fmt.Fprintf(w, "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n", len(p), p)
				w.(http.Flusher).Flush()
			case <-s.hangUp:
				return
			case <-r.Context().Done():
				return
			case <-done:
				return
			}
		}
	}))
	t.Cleanup(s.Server.Close)
	t.Cleanup(func() { close(done) })
	return s
}

// openStudio opens the studio, sending it a first picture meanwhile.
func openStudio(t *testing.T, s *studio, address string, opt camera.Options) camera.Source {
	first := encoded(t, gocv.JPEGFileExt, 64, 48, 0)
	go func() {
		select {
		case s.pictures <- first:
		case <-t.Context().Done():
		}
	}()
	return open(t, address, opt)
}

func TestMJPEGNewestFrameWins(t *testing.T) {
	studio := newStudio(t)
	s := openStudio(t, studio, studio.URL+"/stream#rotation=270", eager())
	for i := 1; i <= 4; i++ {
		studio.pictures <- encoded(t, gocv.JPEGFileExt, 64, 48, uint8(50*i))
	}
	eventually(t, "five pictures arrived", func() bool { return s.Stats().Received == 5 })
	f := next(t, s)
	if f.Seq != 5 || math.Abs(shade(f.Image)-200) > 2 || f.Image.Cols() != 48 || f.Image.Rows() != 64 {
		t.Errorf("seq %d, shade %g, %d×%d", f.Seq, shade(f.Image), f.Image.Cols(), f.Image.Rows())
	}
	// The same picture is not given twice.
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if f, err := s.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		f.Image.Close()
		t.Errorf("got %v, want no picture", err)
	}
	stats := s.Stats()
	if stats.Dropped != 4 || stats.Delivered != 1 || !stats.Connected || stats.LastFrame.IsZero() || stats.Width != 48 {
		t.Errorf("%+v", stats)
	}
}

func TestMJPEGReconnects(t *testing.T) {
	studio := newStudio(t)
	var log lockedBuffer
	opt := eager()
	opt.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := openStudio(t, studio, studio.URL, opt)
	next(t, s)
	studio.hangUp <- struct{}{}
	studio.pictures <- encoded(t, gocv.JPEGFileExt, 64, 48, 90) // to the next connection
	f := next(t, s)
	if math.Abs(shade(f.Image)-90) > 2 {
		t.Errorf("shade %g", shade(f.Image))
	}
	stats := s.Stats()
	if studio.connections.Load() < 2 || stats.Reconnects != 1 || !stats.Connected || !strings.Contains(stats.LastError, "ended the stream") {
		t.Errorf("%d connections, %+v", studio.connections.Load(), stats)
	}
	eventually(t, "the log tells of the loss and the return", func() bool {
		return strings.Contains(log.String(), "the camera is lost") && strings.Contains(log.String(), "the camera is back")
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A camera that stays connected and sends nothing is given up and dialled anew.
func TestMJPEGStalls(t *testing.T) {
	studio := newStudio(t)
	opt := eager()
	opt.StallAfter = 30 * time.Millisecond
	s := openStudio(t, studio, studio.URL, opt)
	next(t, s)
	eventually(t, "the stall is noticed", func() bool {
		stats := s.Stats()
		return !stats.Connected && strings.Contains(stats.LastError, "fallen silent")
	})
	eventually(t, "it dials anew", func() bool { return studio.connections.Load() > 1 })
	// The connection that is up when the picture comes may be given up while it
	// is sent; a camera that is back sends more than one.
	ctx, cancel := context.WithCancel(t.Context())
	picture := encoded(t, gocv.JPEGFileExt, 64, 48, 90)
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			select {
			case studio.pictures <- picture:
			case <-ctx.Done():
				return
			}
		}
	})
	next(t, s)
	cancel()
	sending.Wait()
	if stats := s.Stats(); stats.Reconnects == 0 {
		t.Errorf("%+v", stats)
	}
}

func TestMJPEGCloseEndsNext(t *testing.T) {
	studio := newStudio(t)
	s := openStudio(t, studio, studio.URL, eager())
	next(t, s)
	ended := make(chan error)
	go func() {
		f, err := s.Next(context.Background())
		if err == nil {
			f.Image.Close()
		}
		ended <- err
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, camera.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

// Opening a camera that answers and gives no picture ends with the context.
func TestMJPEGOpenCancelled(t *testing.T) {
	studio := newStudio(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	opt := eager()
	opt.StallAfter = time.Minute
	_, err := camera.DefaultOpeners().Open(ctx, studio.URL, opt)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "gave up waiting for its first picture") {
		t.Errorf("got %v", err)
	}
}

// Cameras differ in what they call multipart.
func TestMJPEGDialects(t *testing.T) {
	picture := string(encoded(t, gocv.JPEGFileExt, 64, 48, 120))
	tests := []struct {
		name, contentType, body string
		shade                   float64
	}{
		{"plain", "multipart/x-mixed-replace; boundary=frame", "--frame\r\nContent-Type: image/jpeg\r\n\r\n" + picture + "\r\n--frame\r\n", 120},
		{"quoted", `multipart/x-mixed-replace; boundary="frame"`, "--frame\r\n\r\n" + picture + "\r\n--frame\r\n", 120},
		{"empty line first", "multipart/x-mixed-replace; boundary=frame", "\r\n--frame\r\n\r\n" + picture + "\r\n--frame\r\n", 120},
		{"dashes in the header", "multipart/x-mixed-replace; boundary=--frame", "--frame\r\n\r\n" + picture + "\r\n--frame\r\n", 120},
		{"colon, no quotes", "multipart/x-mixed-replace;boundary=ip:cam", "--ip:cam\r\n\r\n" + picture + "\r\n--ip:cam\r\n", 120},
		{"another boundary than it says", "multipart/x-mixed-replace; boundary=foo", "--bar\r\n\r\n" + picture + "\r\n--bar\r\n", 120},
		{"no boundary in the header", "multipart/x-mixed-replace", "--bar\r\n\r\n" + picture + "\r\n--bar\r\n", 120},
		{"line feeds only", "multipart/x-mixed-replace; boundary=frame", "--frame\nContent-Type: image/jpeg\n\n" + picture + "\n--frame\n", 120},
		{"text before", "multipart/x-mixed-replace; boundary=frame", "hello\r\n--frame\r\n\r\n" + picture + "\r\n--frame\r\n", 120},
		{"padded picture", "multipart/x-mixed-replace; boundary=frame", "--frame\r\n\r\n" + picture + "\x00\x00\x00\r\n--frame\r\n", 120},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				io.WriteString(w, test.body)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}))
			defer server.Close()
			s, err := camera.DefaultOpeners().Open(t.Context(), server.URL, eager())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if f := next(t, s); math.Abs(shade(f.Image)-test.shade) > 2 {
				t.Errorf("shade %g", shade(f.Image))
			}
		})
	}
}

// With its length given, a picture is there before the next one begins.
func TestMJPEGDoesNotWaitForTheNextBoundary(t *testing.T) {
	picture := encoded(t, gocv.JPEGFileExt, 64, 48, 120)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=frame")
		fmt.Fprintf(w, "--frame\r\nContent-Length: %d\r\n\r\n%s", len(picture), picture)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	s, err := camera.DefaultOpeners().Open(t.Context(), server.URL, eager())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	next(t, s)
}

func TestMJPEGBrokenPictureIsPassedOver(t *testing.T) {
	studio := newStudio(t)
	s := openStudio(t, studio, studio.URL, eager())
	next(t, s)
	whole := encoded(t, gocv.JPEGFileExt, 640, 480, 90)
	got := make(chan camera.Frame)
	go func() {
		f, err := s.Next(t.Context())
		if err != nil {
			t.Error(err)
		}
		got <- f
	}()
	studio.pictures <- whole[:len(whole)/2]
	eventually(t, "the broken picture was tried", func() bool { return s.Stats().Broken == 1 })
	studio.pictures <- whole
	f := <-got
	defer f.Image.Close()
	if f.Seq != 3 || !strings.Contains(s.Stats().LastError, "cut short") {
		t.Errorf("seq %d, %+v", f.Seq, s.Stats())
	}
}

func TestMJPEGMistakes(t *testing.T) {
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"password", answer(401, "text/html", ""), "wants a name and a password"},
		{"path", answer(404, "text/html", ""), "the path in the address may be wrong"},
		{"web page", answer(200, "text/html; charset=utf-8", "<html>"), "is a web page"},
		{"one picture", answer(200, "image/jpeg", "x"), "gives one picture (image/jpeg), not a stream"},
		{"something else", answer(200, "application/json", "{}"), `gives "application/json", not an MJPEG stream`},
		{"no pictures in it", answer(200, "multipart/x-mixed-replace; boundary=f", "--f\r\nContent-Type: text/plain\r\n\r\nhello\r\n--f\r\n"), "parts (text/plain) are no pictures"},
		{"nothing in it", answer(200, "multipart/x-mixed-replace; boundary=f", ""), "the stream ended before its first picture"},
		{"too large", answer(200, "multipart/x-mixed-replace; boundary=f", "--f\r\nContent-Length: 99999999999\r\n\r\nx"), "more than the 33554432 allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			address := strings.Replace(server.URL, "http://", "http://pi:secret@", 1)
			s, err := camera.DefaultOpeners().Open(t.Context(), address, eager())
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the password stands in the error: %v", err)
			}
		})
	}
}

func TestMJPEGSendsThePassword(t *testing.T) {
	picture := encoded(t, gocv.JPEGFileExt, 64, 48, 120)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, ok := r.BasicAuth(); !ok || name != "pi" || password != "secret" || r.URL.RawQuery != "q=1" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=frame")
		fmt.Fprintf(w, "--frame\r\n\r\n%s\r\n--frame\r\n", picture)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	s, err := camera.DefaultOpeners().Open(t.Context(), strings.Replace(server.URL, "http://", "http://pi:secret@", 1)+"/?q=1", eager())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if strings.Contains(s.String(), "secret") {
		t.Error(s)
	}
}
