package hardware

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gocv.io/x/gocv"

	"tabletop/hardware/camera"
	"tabletop/hardware/light"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string // "USB cameras"
	OK     bool   // it can be used
	Detail string // what was found
	Help   string // what to do when it should be usable and is not; empty when OK
}

// Inspect looks at cameras, GPIO and OpenCV. What is not OK need not be wrong:
// few machines have all of it.
func Inspect(ctx context.Context) []Check {
	return []Check{checkOpenCV(), checkUSB(camera.SystemDevices()), checkRPiCam(ctx), checkGPIO()}
}

func checkOpenCV() Check {
	c := Check{Name: "OpenCV", OK: true, Detail: fmt.Sprintf("OpenCV %s, gocv %s", gocv.OpenCVVersion(), gocv.Version())}
	var missing []string
	for _, backend := range []struct {
		name string
		api  gocv.VideoCaptureAPI
	}{{"V4L2 (USB cameras)", gocv.VideoCaptureV4L2}, {"FFmpeg (videos and RTSP)", gocv.VideoCaptureFFmpeg}} {
		if !gocv.VideoRegistry.HasBackend(backend.api) {
			missing = append(missing, backend.name)
		}
	}
	if len(missing) > 0 {
		c.OK = false
		c.Detail += ", without " + strings.Join(missing, " and ")
		c.Help = "install the distribution's OpenCV (sudo apt install libopencv-dev) and build again"
	}
	return c
}

func checkUSB(devices []camera.Device) Check {
	c := Check{Name: "USB cameras"}
	if len(devices) == 0 {
		c.Detail = "none (no /dev/video* device that is a camera)"
		c.Help = "plug a camera in; in a virtual machine or container, pass the device on to it"
		return c
	}
	var found []string
	for _, d := range devices {
		address := d.Path
		if d.ByID != "" { // stays right when it is plugged in elsewhere
			address = d.ByID
		}
		text := fmt.Sprintf("%s (v4l2:%s)", d.Name, address)
		file, err := os.OpenFile(d.Path, os.O_RDWR, 0)
		switch {
		case err == nil:
			c.OK = true
			file.Close()
		case errors.Is(err, os.ErrPermission):
			text += ", no permission"
			c.Help = "add yourself to the group that owns cameras (sudo usermod -aG video $USER) and log in again"
		default:
			text += ", " + err.Error()
			c.Help = "another program may hold it: end that, or unplug the camera and plug it in again"
		}
		found = append(found, text)
	}
	c.Detail = strings.Join(found, "; ")
	if c.OK {
		c.Help = ""
	}
	return c
}

func checkRPiCam(ctx context.Context) Check {
	c := Check{Name: "Raspberry Pi camera"}
	program, err := camera.FindRPiCam()
	if err != nil {
		c.Detail = "rpicam-vid is not installed"
		c.Help = "on a Raspberry Pi: sudo apt install rpicam-apps-lite"
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	names, err := camera.ListRPiCams(ctx, program)
	switch {
	case err != nil:
		c.Detail = err.Error()
		c.Help = "run that command in a terminal and see what it says"
	case len(names) == 0:
		c.Detail = program + " sees no camera"
		c.Help = "switch the Raspberry Pi off and check both ends of the ribbon cable"
	default:
		c.OK = true
		c.Detail = strings.Join(names, ", ") + " (rpicam:)"
	}
	return c
}

func checkGPIO() Check {
	c := Check{Name: "GPIO"}
	machine, err := light.Inspect()
	if err == nil {
		err = machine.Err()
	}
	switch {
	case err == nil:
		c.OK = true
		c.Detail = fmt.Sprintf("%d pins, %s to %s", len(machine.Pins), machine.Pins[0], machine.Pins[len(machine.Pins)-1])
	case errors.Is(err, light.ErrNoGPIO):
		c.Detail = "not on this machine"
		c.Help = "only needed for the light, the buzzer and the button at the table, on a Raspberry Pi or the like"
	default:
		c.Detail = err.Error()
		c.Help = "the light, the buzzer and the button at the table do not work until this is solved"
	}
	return c
}
