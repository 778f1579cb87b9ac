package camera_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
)

// playRPiCam does what rpicam-vid does as far as the source can tell: it takes
// the same arguments and writes YUV 4:2:0 pictures with padded rows. What it
// does besides, act says. It returns the exit status.
func playRPiCam(act string, args []string) int {
	flags := flag.NewFlagSet("rpicam-vid", flag.ContinueOnError)
	codec := flags.String("codec", "h264", "")
	output := flags.String("output", "", "")
	timeout := flags.String("timeout", "5000", "")
	width := flags.Int("width", 0, "")
	height := flags.Int("height", 0, "")
	rotation := flags.Int("rotation", 0, "")
	fps := flags.Float64("framerate", 30, "")
	flags.Int("camera", 0, "")
	flags.Bool("nopreview", false, "")
	flags.Bool("flush", false, "")
	if flags.Parse(args) != nil || *codec != "yuv420" || *output != "-" || *timeout != "0" || *width == 0 || *height == 0 || *fps == 0 {
		fmt.Fprintln(os.Stderr, "wrong arguments", args)
		return 2
	}
	if note := os.Getenv("STAND_IN_NOTE"); note != "" {
		file, err := os.OpenFile(note, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		fmt.Fprintln(file, os.Getpid())
		file.Close()
	}
	fmt.Fprintln(os.Stderr, "[0:00:01] [1] INFO Camera camera_manager.cpp:325 libcamera v0.3.2")
	switch act {
	case "no camera":
		fmt.Fprintln(os.Stderr, "ERROR: *** no cameras available ***")
		return 255
	case "broken":
		fmt.Fprintln(os.Stderr, "ERROR: *** failed to start ***")
		return 255
	case "with child": // as when rpicam-vid is started through a script
		child := exec.Command(os.Args[0], args...)
		child.Env = append(os.Environ(), "STAND_IN_RPICAM=good")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Run() != nil {
			return 1
		}
		return 0
	}
	frames := math.MaxInt
	if after, ok := strings.CutPrefix(act, "crash after "); ok {
		frames, _ = strconv.Atoi(after)
	}
	stride := (*width + 63) / 64 * 64
	for range frames {
		// The left half is dark, the right half light, the upper half of it
		// red; the padding is garbage.
		picture := make([]byte, 0, stride**height*3/2)
		for range *height {
			for x := range stride {
				switch {
				case x >= *width:
					picture = append(picture, 255)
				case (x < *width/2) != (*rotation == 180):
					picture = append(picture, 60)
				default:
					picture = append(picture, 180)
				}
			}
		}
		for _, upper := range []byte{100, 200} { // U, V of the upper half
			for y := range *height / 2 {
				for x := range stride / 2 {
					switch {
					case x >= *width/2:
						picture = append(picture, 0)
					case (y < *height/4) != (*rotation == 180):
						picture = append(picture, upper)
					default:
						picture = append(picture, 128)
					}
				}
			}
		}
		if _, err := os.Stdout.Write(picture); err != nil {
			return 0
		}
		time.Sleep(time.Duration(float64(time.Second) / *fps))
		if act == "silent" {
			time.Sleep(time.Hour)
		}
	}
	fmt.Fprintln(os.Stderr, "ERROR: *** the sensor fell off ***")
	return 134
}

// standIn is the source over the stand-in that plays act.
func standIn(t *testing.T, act, address string, opt camera.Options) (camera.Source, error) {
	t.Helper()
	t.Setenv("STAND_IN_RPICAM", act)
	openers := camera.DefaultOpeners()
	openers["rpicam"] = camera.RPiCam(os.Executable)
	return openers.Open(t.Context(), address, opt)
}

func TestRPiCamPicture(t *testing.T) {
	for _, test := range []struct {
		options       string
		width, height int
		dark, red     [2]int // a place in the dark half, one in the red quarter
	}{
		{"", 200, 120, [2]int{50, 90}, [2]int{150, 20}},
		{"&rotation=180", 200, 120, [2]int{150, 20}, [2]int{50, 90}},
		{"&rotation=90", 120, 200, [2]int{20, 50}, [2]int{100, 150}},
		{"&rotation=270", 120, 200, [2]int{100, 150}, [2]int{20, 50}},
	} {
		t.Run("rotation "+test.options, func(t *testing.T) {
			s, err := standIn(t, "good", "rpicam:?width=200&height=120&fps=100"+test.options, eager())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			f := next(t, s)
			if f.Image.Cols() != test.width || f.Image.Rows() != test.height || f.Image.Type() != gocv.MatTypeCV8UC3 || !f.Image.IsContinuous() {
				t.Fatalf("%d×%d %v", f.Image.Cols(), f.Image.Rows(), f.Image.Type())
			}
			at := func(p [2]int) gocv.Vecb { return f.Image.GetVecbAt(p[1], p[0]) }
			if p := at(test.dark); p[0] > 90 || p[2] > 90 {
				t.Errorf("the dark half is %v", p)
			}
			if p := at(test.red); p[2] < 200 || p[0] > 180 {
				t.Errorf("the red quarter is %v", p)
			}
		})
	}
}

func TestRPiCamRestartsAfterACrash(t *testing.T) {
	note := filepath.Join(t.TempDir(), "started")
	t.Setenv("STAND_IN_NOTE", note)
	s, err := standIn(t, "crash after 2", "rpicam:?width=64&height=64&fps=200", eager())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it was started three times", func() bool {
		f := next(t, s)
		return f.Seq > 4 && s.Stats().Reconnects >= 2
	})
	if stats := s.Stats(); !strings.Contains(stats.LastError, "the sensor fell off") {
		t.Errorf("%+v", stats)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantGone(t, note, 3)
}

// Close ends the child and what the child started.
func TestRPiCamCloseKillsTheGroup(t *testing.T) {
	note := filepath.Join(t.TempDir(), "started")
	t.Setenv("STAND_IN_NOTE", note)
	s, err := standIn(t, "with child", "rpicam:?width=64&height=64&fps=50", eager())
	if err != nil {
		t.Fatal(err)
	}
	next(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantGone(t, note, 2)
}

func TestRPiCamStall(t *testing.T) {
	note := filepath.Join(t.TempDir(), "started")
	t.Setenv("STAND_IN_NOTE", note)
	opt := eager()
	opt.StallAfter = 300 * time.Millisecond
	s, err := standIn(t, "silent", "rpicam:?width=64&height=64", opt)
	if err != nil {
		t.Fatal(err)
	}
	next(t, s)
	next(t, s) // of the second child
	if stats := s.Stats(); stats.Reconnects == 0 || !strings.Contains(stats.LastError, "fallen silent") {
		t.Errorf("%+v", stats)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantGone(t, note, 2)
}

// wantGone checks that at least n processes were started and none is left.
func wantGone(t *testing.T, note string, n int) {
	t.Helper()
	data, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(string(data))
	if len(ids) < n {
		t.Errorf("%d were started, want %d", len(ids), n)
	}
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "process "+id+" is gone", func() bool {
			return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || isZombie(id)
		})
	}
}

// isZombie says whether a process has ended and waits for whoever adopted it to
// take note.
func isZombie(id string) bool {
	data, err := os.ReadFile("/proc/" + id + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}

func TestRPiCamMistakes(t *testing.T) {
	for act, want := range map[string]string{
		"no camera":     "check both ends of the ribbon cable",
		"broken":        "failed to start",
		"crash after 0": "the sensor fell off",
	} {
		t.Run(act, func(t *testing.T) {
			s, err := standIn(t, act, "rpicam:?width=64&height=64", eager())
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := camera.DefaultOpeners().Open(t.Context(), "rpicam:", eager())
		if err == nil || !strings.Contains(err.Error(), "sudo apt install rpicam-apps-lite") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("not a program", func(t *testing.T) {
		opener := camera.RPiCam(func() (string, error) { return filepath.Join(t.TempDir(), "nothing"), nil })
		_, err := camera.Openers{"rpicam": opener}.Open(t.Context(), "rpicam:", eager())
		if err == nil || !strings.Contains(err.Error(), "can't be started") {
			t.Errorf("got %v", err)
		}
	})
}
