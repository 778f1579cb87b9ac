package camera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"gocv.io/x/gocv"
)

// rpicamPrograms are the names of the program that reads a Raspberry Pi camera,
// the older one last.
func rpicamPrograms() []string { return []string{"rpicam-vid", "libcamera-vid"} }

// FindRPiCam returns the path of the program that reads a Raspberry Pi camera.
func FindRPiCam() (string, error) {
	for _, name := range rpicamPrograms() {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("rpicam-vid is not installed, which reads the camera of a Raspberry Pi (sudo apt install rpicam-apps-lite); for a USB camera use v4l2:DEVICE")
}

// OpenRPiCam opens the camera of a Raspberry Pi, which only libcamera can
// read, by running rpicam-vid and reading the pictures from its output.
func OpenRPiCam(ctx context.Context, a Address, opt Options) (Source, error) {
	return RPiCam(FindRPiCam)(ctx, a, opt)
}

// RPiCam opens the camera with the program that find names. The program is
// started again when it ends, and is killed with all its children on Close.
func RPiCam(find func() (string, error)) Opener {
	return func(ctx context.Context, a Address, opt Options) (Source, error) {
		if err := a.allow("width", "height", "fps", "rotation", "camera"); err != nil {
			return nil, err
		}
		width, err1 := a.whole("width", 1920, 64, 16384)
		height, err2 := a.whole("height", 1080, 64, 16384)
		fps, err3 := a.number("fps", 15, 0.1, 240)
		camera, err4 := a.whole("camera", 0, 0, 15)
		turn, err5 := a.rotation()
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return nil, err
		}
		if a.Path != "" {
			return nil, fmt.Errorf("%s: rpicam: takes no path; write rpicam:?width=1920&height=1080, and camera=1 for the second camera", a)
		}
		if width%2 != 0 || height%2 != 0 {
			return nil, fmt.Errorf("%s: width and height must be even", a)
		}
		args := []string{
			"--codec", "yuv420", "--output", "-", "--timeout", "0", "--nopreview", "--flush",
			"--width", strconv.Itoa(width), "--height", strconv.Itoa(height),
			"--framerate", strconv.FormatFloat(fps, 'g', -1, 64), "--camera", strconv.Itoa(camera),
		}
		if turn == rotation(gocv.Rotate180Clockwise) { // the sensor does that for nothing; it knows no quarter turns
			args = append(args, "--rotation", "180")
			turn = rotateNone
		}
		dial := func(context.Context) (feed, error) {
			program, err := find()
			if err != nil {
				return nil, err
			}
			return startRPiCam(program, args, newYUVLayout(width, height))
		}
		return asSource(openLive(ctx, a, opt.withDefaults(), turn, false, dial))
	}
}

// yuvLayout is how rpicam-vid writes a YUV 4:2:0 picture: the Y plane, then U,
// then V, as the image processor left them in memory. It pads rows of Y to 64
// bytes, so rows of U and V to 32.
type yuvLayout struct{ width, height, stride int }

func newYUVLayout(width, height int) yuvLayout {
	return yuvLayout{width, height, (width + 63) &^ 63}
}

// size is the bytes of one picture.
func (y yuvLayout) size() int { return y.stride * y.height * 3 / 2 }

// rpicamFeed is a running child.
type rpicamFeed struct {
	layout yuvLayout
	output *os.File
	errors tailBuffer
	spare  chan []byte // buffers of pictures that have been decoded or dropped

	mu  sync.Mutex
	cmd *exec.Cmd // nil once its end has been collected: its id may be another's
}

func startRPiCam(program string, args []string, layout yuvLayout) (*rpicamFeed, error) {
	// Our own pipe, since the one of StdoutPipe is closed by Wait, which must
	// not race with reading.
	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &rpicamFeed{layout: layout, output: output, spare: make(chan []byte, 3)}
	f.cmd = exec.Command(program, args...)
	f.cmd.Stdout = input
	f.cmd.Stderr = &f.errors
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	f.cmd.WaitDelay = time.Second // a grandchild may hold on to stderr
	if err := f.cmd.Start(); err != nil {
		input.Close()
		output.Close()
		return nil, fmt.Errorf("%s can't be started: %w", program, err)
	}
	input.Close()
	return f, nil
}

func (f *rpicamFeed) read() (shot, error) {
	var buffer []byte
	select {
	case buffer = <-f.spare:
	default:
		buffer = make([]byte, f.layout.size())
	}
	if _, err := io.ReadFull(f.output, buffer); err != nil {
		return nil, f.failure(err)
	}
	return &yuvShot{layout: f.layout, data: buffer, spare: f.spare}, nil
}

// failure says why the child gives no more pictures.
func (f *rpicamFeed) failure(readErr error) error {
	f.collect()
	said := f.errors.String()
	switch {
	case strings.Contains(strings.ToLower(said), "no cameras available"):
		return errors.New("the Raspberry Pi sees no camera: switch it off, check both ends of the ribbon cable, and see what rpicam-hello --list-cameras says")
	case strings.Contains(said, "Device or resource busy") || strings.Contains(said, "failed to acquire camera"):
		return errors.New("another program uses the Raspberry Pi's camera; end it first")
	case said != "":
		return fmt.Errorf("rpicam-vid ended (%w); it said: %s", readErr, said)
	}
	return fmt.Errorf("rpicam-vid ended and said nothing: %w", readErr)
}

func (f *rpicamFeed) interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cmd != nil {
		// The whole group: rpicam-vid may have been started through a script.
		syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// collect kills what still runs and waits for its end.
func (f *rpicamFeed) collect() {
	f.interrupt()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cmd == nil {
		return
	}
	f.cmd.Wait() // killed: how it ended says nothing
	f.cmd = nil
}

func (f *rpicamFeed) close() error {
	f.collect()
	return f.output.Close()
}

// yuvShot is one picture of the child.
type yuvShot struct {
	layout yuvLayout
	data   []byte
	spare  chan<- []byte
}

func (s *yuvShot) decode() (gocv.Mat, error) {
	defer s.free()
	y := s.layout
	planes, err := gocv.NewMatFromBytes(y.height*3/2, y.stride, gocv.MatTypeCV8U, s.data)
	if err != nil {
		return gocv.Mat{}, fmt.Errorf("the picture of rpicam-vid can't be read: %w", err)
	}
	defer planes.Close()
	padded := gocv.NewMat()
	defer padded.Close()
	if err := gocv.CvtColor(planes, &padded, gocv.ColorYUVToBGRIYUV); err != nil {
		return gocv.Mat{}, fmt.Errorf("the picture of rpicam-vid can't be read: %w", err)
	}
	visible := padded.Region(image.Rect(0, 0, y.width, y.height))
	defer visible.Close()
	return visible.Clone(), nil
}

func (s *yuvShot) free() {
	select {
	case s.spare <- s.data:
	default:
	}
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	data []byte
}

const tailBytes = 2048

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - tailBytes; over > 0 {
		t.data = bytes.Clone(t.data[over:])
	}
	return len(p), nil
}

// String is the last few lines, joined.
func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.data)), "\n")
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-3):], " / "))
}

// ListRPiCams asks the program that FindRPiCam found which cameras are attached
// and returns what it calls each, such as "imx708". None is no error.
func ListRPiCams(ctx context.Context, program string) ([]string, error) {
	// "No cameras available!" comes with a failing exit status in some versions.
	out, err := exec.CommandContext(ctx, program, "--list-cameras").CombinedOutput()
	var names []string
	// 0 : imx708 [4608x2592 10-bit RGGB] (/base/axi/pcie@120000/rp1/i2c@88000/imx708@1a)
	line := regexp.MustCompile(`(?m)^\d+ : (\S+)`)
	for _, found := range line.FindAllSubmatch(out, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) == 0 && err != nil && !bytes.Contains(bytes.ToLower(out), []byte("no cameras available")) {
		return nil, fmt.Errorf("%s --list-cameras: %w: %s", program, err, bytes.TrimSpace(out))
	}
	return names, nil
}
