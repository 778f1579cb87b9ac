package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gocv.io/x/gocv"
)

// pictureExtensions are what OpenCV reads and cameras write.
func pictureExtensions() []string {
	return []string{".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"}
}

// OpenDir opens the pictures of a folder (not of those below it) in the order
// of their names. Files that are no pictures by their extension, and hidden
// ones, are passed over; one that has the extension and can't be read gives a
// *PictureError from Next, and the source goes on. With fps the pictures count
// as taken that many a second apart from the moment of opening; without it, at
// the moment they are read.
func OpenDir(_ context.Context, a Address, opt Options) (Source, error) {
	if err := a.allow("fps"); err != nil {
		return nil, err
	}
	fps, err := a.number("fps", 0, 0.001, 1000)
	if err != nil {
		return nil, err
	}
	if a.Path == "" {
		return nil, fmt.Errorf("%s: name the folder of pictures, such as dir:pictures", a)
	}
	entries, err := os.ReadDir(a.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such folder; give the path from where the program is started, or the whole path", a)
	case err != nil:
		if info, statErr := os.Stat(a.Path); statErr == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file, not a folder; for a video write file:%s", a, a.Path)
		}
		return nil, fmt.Errorf("%s can't be listed: %w", a, err)
	}
	s := &dirSource{address: a, opt: opt.withDefaults(), closed: make(chan struct{})}
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && slices.Contains(pictureExtensions(), ext) {
			s.paths = append(s.paths, filepath.Join(a.Path, e.Name()))
		}
	}
	if len(s.paths) == 0 {
		return nil, fmt.Errorf("%s holds no pictures (%s)", a, strings.Join(pictureExtensions(), ", "))
	}
	if fps > 0 {
		s.step = time.Duration(float64(time.Second) / fps)
	}
	s.opened = s.opt.Clock.Now()
	s.stats.Connected = true
	return s, nil
}

type dirSource struct {
	address Address
	opt     Options
	paths   []string
	opened  time.Time
	step    time.Duration // 0: each picture is as old as its reading
	closed  chan struct{}
	once    sync.Once

	mu    sync.Mutex
	next  int
	stats Stats
}

func (s *dirSource) Next(ctx context.Context) (Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return Frame{}, ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return Frame{}, err
	}
	if s.next == len(s.paths) {
		s.stats.Connected = false
		return Frame{}, io.EOF
	}
	path := s.paths[s.next]
	s.next++
	s.stats.Received++
	image, err := readPicture(path)
	if err != nil {
		s.stats.Broken++
		s.stats.LastError = err.Error()
		return Frame{}, err
	}
	at := s.opt.Clock.Now()
	if s.step > 0 {
		at = s.opened.Add(time.Duration(s.next-1) * s.step)
	}
	s.stats.Delivered++
	s.stats.LastFrame = at
	s.stats.Width, s.stats.Height = image.Cols(), image.Rows()
	return Frame{Image: image, Seq: s.stats.Received, At: at}, nil
}

func readPicture(path string) (gocv.Mat, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return gocv.Mat{}, &PictureError{Path: path, Reason: err.Error()}
	}
	image, err := decodePicture(data)
	if err != nil {
		return gocv.Mat{}, &PictureError{Path: path, Reason: err.Error()}
	}
	return image, nil
}

// decodePicture decodes a JPEG, PNG or other picture into BGR.
func decodePicture(data []byte) (gocv.Mat, error) {
	if len(data) == 0 {
		return gocv.Mat{}, errors.New("the picture is empty (0 bytes)")
	}
	// gocv's error is OpenCV's last one of any thread, so only the picture
	// itself tells whether this decoding worked.
	image, _ := gocv.IMDecode(data, gocv.IMReadColor)
	if !image.Empty() {
		return image, nil
	}
	image.Close()
	return gocv.Mat{}, fmt.Errorf("not a picture that can be read (%d bytes, beginning with %q); it may be cut short or be something else by its name", len(data), data[:min(len(data), 8)])
}

func (s *dirSource) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *dirSource) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.mu.Lock() // a Next under way ends first
	defer s.mu.Unlock()
	s.stats.Connected = false
	return nil
}

func (s *dirSource) String() string { return s.address.String() }
