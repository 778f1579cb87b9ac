package camera_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"tabletop/hardware/camera"
)

func TestParseAddress(t *testing.T) {
	tests := []struct {
		raw, scheme, path, options, shown string
	}{
		{"dir:../my pictures", "dir", "../my pictures", "", ""},
		{"DIR:/a?fps=2", "dir", "/a", "fps=2", ""},
		{"file:what?.mp4?realtime=1", "file", "what?.mp4", "realtime=1", ""},
		{"file:///home/pi/a%20game.mp4", "file", "/home/pi/a game.mp4", "", ""},
		{"file:/home/pi/100%.mp4", "file", "/home/pi/100%.mp4", "", ""},
		{"v4l2:/dev/video0?width=1920&height=1080", "v4l2", "/dev/video0", "height=1080&width=1920", ""},
		{"rpicam:", "rpicam", "", "", ""},
		{"http://cam/stream?user=a&b=c#rotation=90", "http", "http://cam/stream?user=a&b=c", "rotation=90", ""},
		{"rtsp://pi:secret@10.0.0.2:554/1", "rtsp", "rtsp://pi:secret@10.0.0.2:554/1", "", "rtsp://pi:xxxxx@10.0.0.2:554/1"},
	}
	for _, test := range tests {
		t.Run(test.raw, func(t *testing.T) {
			a, err := camera.ParseAddress(test.raw)
			if err != nil {
				t.Fatal(err)
			}
			if a.Scheme != test.scheme || a.Path != test.path || a.Options.Encode() != test.options {
				t.Errorf("got %+v", a)
			}
			shown := test.shown
			if shown == "" {
				shown = test.raw
			}
			if a.String() != shown {
				t.Errorf("shown as %s, want %s", a, shown)
			}
		})
	}
}

// Every mistake a beginner makes has a sentence that helps.
func TestOpenMistakes(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	video := filepath.Join(dir, "game.mp4")
	write(t, []byte("this is no film"), video)
	tests := []struct{ name, address, want string }{
		{"nothing", "", "it must begin with what kind of source it is, such as v4l2:/dev/video0"},
		{"number", "0", "did you mean v4l2:/dev/video0 (a USB camera)?"},
		{"device", "/dev/video2", "did you mean v4l2:/dev/video2?"},
		{"folder", dir, "did you mean dir:" + dir + "?"},
		{"file", video, "did you mean file:" + video + "?"},
		{"misspelled kind", "rpi-cam:", `did you mean "rpicam:"?`},
		{"unknown kind", "webcam:0", "there are dir:, file:, http:, https:, rpicam:, rtsp:, rtsps:, v4l2:"},
		{"misspelled option", "v4l2:/dev/video0?widht=3", `did you mean "width"?`},
		{"unknown option", "dir:.?loop=1", `no option "loop" for a dir source; there are fps`},
		{"option out of range", "v4l2:/dev/video0?width=3", "width=3 must be a number from 16 to 16384"},
		{"option no number", "rpicam:?fps=fast", "fps=fast must be a number from 0.1 to 240"},
		{"option no whole number", "rpicam:?width=640.5", "width=640.5 must be a whole number"},
		{"odd size", "rpicam:?width=641", "width and height must be even"},
		{"rotation", "rpicam:?rotation=45", "rotation=45 must be 0, 90, 180 or 270"},
		{"flag", "file:" + video + "?realtime=maybe", "realtime=maybe must be 1 or 0"},
		{"fourcc", "v4l2:/dev/video0?fourcc=MJPEG", "fourcc=MJPEG must be four letters"},
		{"bad options", "dir:.?fps=%zz", "write them as name=value"},
		{"no folder", "dir:" + dir + "/nothing", "there is no such folder"},
		{"no folder named", "dir:", "name the folder of pictures"},
		{"file as folder", "dir:" + video, "is a file, not a folder; for a video write file:" + video},
		{"empty folder", "dir:" + empty, "holds no pictures (.jpg, "},
		{"no file", "file:" + dir + "/nothing.mp4", "there is no such file"},
		{"no file named", "file:", "name the video"},
		{"folder as file", "file:" + dir, "is a folder; for its pictures write dir:" + dir},
		{"no film", "file:" + video, "is not a video that can be read"},
		{"no film, realtime", "file:" + video + "?realtime=1", "is not a video that can be read"},
		{"no camera", "v4l2:/dev/video93", "there is no /dev/video93; this machine has "},
		{"no camera by number", "v4l2:93", "there is no /dev/video93; this machine has "},
		{"device that is no camera", "v4l2:" + video, "can't be read as a camera"},
		{"rpicam with a path", "rpicam:/dev/video0", "takes no path"},
		{"web address", "http://ca mera/", "is not a web address"},
		{"no server", "http://127.0.0.1:9/stream", "the camera does not answer"},
		{"no rtsp server", "rtsp://127.0.0.1:9/1", "no RTSP stream there"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := camera.DefaultOpeners().Open(t.Context(), test.address, eager())
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// A program adds kinds of sources of its own; the defaults are not touched.
func TestOpenersAreAValue(t *testing.T) {
	mine := errors.New("mine")
	openers := maps.Clone(camera.DefaultOpeners())
	openers["sim"] = func(context.Context, camera.Address, camera.Options) (camera.Source, error) { return nil, mine }
	if _, err := openers.Open(t.Context(), "sim:?seed=3", camera.Options{}); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
	if _, ok := camera.DefaultOpeners()["sim"]; ok {
		t.Error("the defaults share their map")
	}
}

func TestDevices(t *testing.T) {
	root := fstest.MapFS{
		"dev/video0":                                      {},
		"dev/video1":                                      {},
		"dev/video2":                                      {},
		"dev/video10":                                     {},
		"dev/video13":                                     {},
		"dev/videos":                                      {},
		"sys/class/video4linux/video0/name":               {Data: []byte("HD Pro Webcam C920\n")},
		"sys/class/video4linux/video0/index":              {Data: []byte("0\n")},
		"sys/class/video4linux/video1/name":               {Data: []byte("HD Pro Webcam C920\n")},
		"sys/class/video4linux/video1/index":              {Data: []byte("1\n")},
		"sys/class/video4linux/video13/name":              {Data: []byte("bcm2835-isp\n")},
		"sys/class/video4linux/video10/name":              {Data: []byte("Microscope\n")},
		"dev/v4l/by-id/usb-046d_HD_Pro_C920-video-index0": {Data: []byte("../../video0"), Mode: os.ModeSymlink},
	}
	got := camera.Devices(root)
	want := []camera.Device{
		{Path: "/dev/video0", Name: "HD Pro Webcam C920", ByID: "/dev/v4l/by-id/usb-046d_HD_Pro_C920-video-index0"},
		{Path: "/dev/video2", Name: "unnamed"},
		{Path: "/dev/video10", Name: "Microscope"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	if none := camera.Devices(fstest.MapFS{}); len(none) != 0 {
		t.Errorf("got %v on a machine without", none)
	}
}
