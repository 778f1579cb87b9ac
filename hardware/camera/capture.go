package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gocv.io/x/gocv"
)

// Properties of OpenCV's capture that gocv has no name for
// (opencv2/videoio.hpp).
const (
	propOpenTimeoutMsec = 53
	propReadTimeoutMsec = 54
)

// openCapture opens OpenCV's reader; unlike gocv's function it leaks nothing
// when that fails.
func openCapture(uri string, api gocv.VideoCaptureAPI, params ...gocv.VideoCaptureProperties) (*gocv.VideoCapture, bool) {
	var vc *gocv.VideoCapture
	var err error
	if len(params) == 0 {
		vc, err = gocv.VideoCaptureFileWithAPI(uri, api)
	} else {
		vc, err = gocv.VideoCaptureFileWithAPIParams(uri, api, params)
	}
	if err != nil {
		vc.Close()
		return nil, false
	}
	return vc, true
}

// captureFeed reads through OpenCV, whose reading can't be cancelled: an
// interrupt takes effect when the read under way returns, and the reader is
// closed only after that.
type captureFeed struct {
	vc          *gocv.VideoCapture
	interrupted atomic.Bool
	now         func() time.Time
	failure     func() error // says why a read failed
}

func (f *captureFeed) read() (shot, error) {
	if f.interrupted.Load() {
		return nil, errInterrupted
	}
	m := gocv.NewMat()
	ok := f.vc.Read(&m)
	if f.interrupted.Load() {
		m.Close()
		return nil, errInterrupted
	}
	if !ok || m.Empty() {
		m.Close()
		return nil, f.failure()
	}
	return matShot{m, f.now()}, nil
}

func (f *captureFeed) interrupt()   { f.interrupted.Store(true) }
func (f *captureFeed) close() error { return f.vc.Close() }

// OpenV4L2 opens a USB camera through Video4Linux. Without a device it takes
// the first camera there is. It asks for MJPG unless fourcc says otherwise:
// uncompressed, most USB cameras manage only a few frames a second at full
// size. A size or speed the camera does not have gives the nearest it has,
// with a warning in the log.
func OpenV4L2(ctx context.Context, a Address, opt Options) (Source, error) {
	if err := a.allow("width", "height", "fps", "fourcc", "rotation"); err != nil {
		return nil, err
	}
	width, err1 := a.whole("width", 0, 16, 16384)
	height, err2 := a.whole("height", 0, 16, 16384)
	fps, err3 := a.number("fps", 0, 0.1, 1000)
	turn, err4 := a.rotation()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	fourcc := a.Options.Get("fourcc")
	if fourcc == "" {
		fourcc = "MJPG"
	}
	if len(fourcc) != 4 {
		return nil, fmt.Errorf("%s: fourcc=%s must be four letters, such as MJPG or YUYV", a, fourcc)
	}
	opt = opt.withDefaults()
	dial := func(context.Context) (feed, error) {
		device, err := chooseDevice(a.Path, SystemDevices())
		if err != nil {
			return nil, err
		}
		vc, ok := openCapture(device, gocv.VideoCaptureV4L2)
		if !ok {
			return nil, fmt.Errorf("%s can't be read as a camera: another program may hold it (see: fuser %s), or it is no camera that gives pictures; %s", device, device, listDevices(SystemDevices()))
		}
		vc.Set(gocv.VideoCaptureBufferSize, 1)
		vc.Set(gocv.VideoCaptureFOURCC, vc.ToCodec(fourcc))
		if width > 0 {
			vc.Set(gocv.VideoCaptureFrameWidth, float64(width))
		}
		if height > 0 {
			vc.Set(gocv.VideoCaptureFrameHeight, float64(height))
		}
		if fps > 0 {
			vc.Set(gocv.VideoCaptureFPS, fps)
		}
		gotWidth, gotHeight := int(vc.Get(gocv.VideoCaptureFrameWidth)), int(vc.Get(gocv.VideoCaptureFrameHeight))
		if (width > 0 && gotWidth != width) || (height > 0 && gotHeight != height) {
			opt.Logger.Warn("the camera has not the size asked for and gives its nearest",
				"camera", a.String(), "asked", fmt.Sprintf("%dx%d", width, height), "gives", fmt.Sprintf("%dx%d", gotWidth, gotHeight))
		}
		return &captureFeed{vc: vc, now: opt.Clock.Now, failure: func() error {
			if _, err := os.Stat(device); err != nil {
				return fmt.Errorf("%s is gone: the camera was unplugged", device)
			}
			return fmt.Errorf("%s gives no picture", device)
		}}, nil
	}
	return asSource(openLive(ctx, a, opt, turn, false, dial))
}

// chooseDevice checks what can be checked about a device before OpenCV, which
// only says no, is asked.
func chooseDevice(path string, devices []Device) (string, error) {
	if path == "" {
		if len(devices) == 0 {
			return "", fmt.Errorf("no camera found; %s", listDevices(devices))
		}
		path = devices[0].Path
	}
	if strings.Trim(path, "0123456789") == "" {
		path = "/dev/video" + path
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case err == nil:
		return path, file.Close()
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no %s; %s", path, listDevices(devices))
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("no permission to use %s: add yourself to the group that owns cameras (sudo usermod -aG video $USER) and log in again", path)
	default:
		return "", fmt.Errorf("%s can't be opened: %w; another program may hold it (see: fuser %s)", path, err, path)
	}
}

func listDevices(devices []Device) string {
	if len(devices) == 0 {
		return "this machine has no /dev/video* device: plug the camera in, or for a camera on a Raspberry Pi's ribbon cable use rpicam:"
	}
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = fmt.Sprintf("%s (%s)", d.Path, d.Name)
	}
	return "this machine has " + strings.Join(names, ", ")
}

// OpenRTSP opens a network camera through OpenCV and FFmpeg.
func OpenRTSP(ctx context.Context, a Address, opt Options) (Source, error) {
	if err := a.allow("rotation"); err != nil {
		return nil, err
	}
	turn, err := a.rotation()
	if err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	// FFmpeg gives up by itself, so that a silent camera can be closed; a little
	// after the source has, which knows better what to say.
	open := gocv.VideoCaptureProperties(opt.StartWithin.Milliseconds())
	read := gocv.VideoCaptureProperties((opt.StallAfter + 500*time.Millisecond).Milliseconds())
	dial := func(context.Context) (feed, error) {
		vc, ok := openCapture(a.Path, gocv.VideoCaptureFFmpeg, propOpenTimeoutMsec, open, propReadTimeoutMsec, read)
		if !ok {
			return nil, errors.New("no RTSP stream there: check the address, name and password in the camera's manual (rtsp://name:password@address:554/path), and that a player such as VLC opens it")
		}
		return &captureFeed{vc: vc, now: opt.Clock.Now, failure: func() error { return errors.New("the camera ended the stream") }}, nil
	}
	return asSource(openLive(ctx, a, opt, turn, false, dial))
}

// asSource keeps a nil *live from becoming a Source that is not nil.
func asSource(l *live, err error) (Source, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// OpenFile opens a video. It gives every frame as fast as they are asked for;
// Frame.At is the moment of opening plus the frame's place in the film, so that
// what happens in the film takes as long as it took. With realtime=1 it plays
// at its own speed like a camera, and frames not asked for in time are dropped.
func OpenFile(ctx context.Context, a Address, opt Options) (Source, error) {
	if err := a.allow("realtime", "rotation"); err != nil {
		return nil, err
	}
	realtime, err1 := a.flag("realtime")
	turn, err2 := a.rotation()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	info, err := os.Stat(a.Path)
	switch {
	case a.Path == "":
		return nil, fmt.Errorf("%s: name the video, such as file:game.mp4", a)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; give the path from where the program is started, or the whole path", a)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", a, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; for its pictures write dir:%s", a, a.Path)
	}
	opt = opt.withDefaults()
	open := func() (*film, error) {
		vc, ok := openCapture(a.Path, gocv.VideoCaptureFFmpeg)
		if !ok {
			return nil, fmt.Errorf("%s is not a video that can be read; a single picture is read from its folder, with dir:FOLDER", a.Path)
		}
		return &film{vc: vc, opened: opt.Clock.Now(), fps: vc.Get(gocv.VideoCaptureFPS)}, nil
	}
	if realtime {
		dial := func(ctx context.Context) (feed, error) {
			f, err := open()
			if err != nil {
				return nil, err
			}
			ctx, cancel := context.WithCancel(ctx)
			return &filmFeed{film: f, ctx: ctx, cancel: cancel, started: time.Now()}, nil
		}
		return asSource(openLive(ctx, a, opt, turn, true, dial))
	}
	f, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	return &fileSource{address: a, film: f, turn: turn, stats: Stats{Connected: true}}, nil
}

// film is a video being read.
type film struct {
	vc     *gocv.VideoCapture
	opened time.Time
	fps    float64
	count  int
	last   time.Duration
}

// next reads a frame and its place in the film, or io.EOF.
func (f *film) next() (gocv.Mat, time.Duration, error) {
	m := gocv.NewMat()
	if !f.vc.Read(&m) || m.Empty() {
		m.Close()
		return gocv.Mat{}, 0, io.EOF
	}
	at := time.Duration(f.vc.Get(gocv.VideoCapturePosMsec) * float64(time.Millisecond))
	if f.count > 0 && at <= f.last && f.fps > 0 { // a film without usable time stamps
		at = f.last + time.Duration(float64(time.Second)/f.fps)
	}
	f.count++
	f.last = at
	return m, at, nil
}

// filmFeed plays a film at its own speed.
type filmFeed struct {
	film    *film
	ctx     context.Context
	cancel  context.CancelFunc
	started time.Time
}

func (f *filmFeed) read() (shot, error) {
	m, at, err := f.film.next()
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(at - time.Since(f.started))
	defer timer.Stop()
	select {
	case <-timer.C:
		return matShot{m, f.film.opened.Add(at)}, nil
	case <-f.ctx.Done():
		m.Close()
		return nil, errInterrupted
	}
}

func (f *filmFeed) interrupt() { f.cancel() }

func (f *filmFeed) close() error {
	f.cancel()
	return f.film.vc.Close()
}

// fileSource gives every frame of a film.
type fileSource struct {
	address Address
	turn    rotation

	mu     sync.Mutex // also held while reading, so that Close waits for that
	film   *film      // nil once closed
	ended  bool
	stats  Stats
	statMu sync.Mutex
}

func (s *fileSource) Next(ctx context.Context) (Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.film == nil:
		return Frame{}, ErrClosed
	case ctx.Err() != nil:
		return Frame{}, ctx.Err()
	case s.ended:
		return Frame{}, io.EOF
	}
	m, at, err := s.film.next()
	if err == nil {
		if err = s.turn.apply(&m); err != nil {
			m.Close()
		}
	}
	s.statMu.Lock()
	defer s.statMu.Unlock()
	if err != nil {
		s.ended = errors.Is(err, io.EOF)
		s.stats.Connected = !s.ended
		if s.ended && s.stats.Received == 0 {
			s.stats.LastError = fmt.Sprintf("%s holds no picture that can be decoded", s.address)
			return Frame{}, errors.New(s.stats.LastError)
		}
		return Frame{}, err
	}
	s.stats.Received++
	s.stats.Delivered++
	s.stats.LastFrame = s.film.opened.Add(at)
	s.stats.Width, s.stats.Height = m.Cols(), m.Rows()
	return Frame{Image: m, Seq: s.stats.Received, At: s.stats.LastFrame}, nil
}

func (s *fileSource) Stats() Stats {
	s.statMu.Lock()
	defer s.statMu.Unlock()
	return s.stats
}

func (s *fileSource) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.film == nil {
		return nil
	}
	err := s.film.vc.Close()
	s.film = nil
	s.statMu.Lock()
	s.stats.Connected = false
	s.statMu.Unlock()
	return err
}

func (s *fileSource) String() string { return s.address.String() }
