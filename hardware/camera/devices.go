package camera

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Device is a Video4Linux device that may be a camera.
type Device struct {
	Path string // "/dev/video0"
	Name string // what the driver calls it
	// ByID is a path that stays the same when the camera is plugged into
	// another port; empty when there is none.
	ByID string
}

// SystemDevices lists this machine's cameras in the order of their numbers.
func SystemDevices() []Device { return Devices(os.DirFS("/")) }

// Devices lists the cameras of a file system with dev and sys in it. Left out
// are a USB camera's second device, which gives data about the pictures and no
// pictures, and the codecs and image processors of a Raspberry Pi, which are
// video devices but no cameras.
func Devices(root fs.FS) []Device {
	matches, err := fs.Glob(root, "dev/video*")
	if err != nil {
		return nil // the pattern is constant and right
	}
	number := regexp.MustCompile(`^dev/video(\d+)$`)
	var devices []Device
	var numbers []int
	byID := devicesByID(root)
	for _, m := range matches {
		found := number.FindStringSubmatch(m)
		if found == nil {
			continue
		}
		class := "sys/class/video4linux/" + path.Base(m)
		name := readLine(root, class+"/name")
		if index := readLine(root, class+"/index"); index != "" && index != "0" {
			continue
		}
		if isProcessor(name) {
			continue
		}
		if name == "" {
			name = "unnamed"
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			continue
		}
		at, _ := slices.BinarySearch(numbers, n)
		numbers = slices.Insert(numbers, at, n)
		devices = slices.Insert(devices, at, Device{Path: "/" + m, Name: name, ByID: byID[path.Base(m)]})
	}
	return devices
}

// isProcessor tells the video devices of a Raspberry Pi that are no cameras,
// and the raw receivers of its camera port, which speak libcamera only.
func isProcessor(name string) bool {
	for _, prefix := range []string{"bcm2835-", "rpi-hevc", "rpivid", "pispbe", "rp1-cfe", "unicam"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func devicesByID(root fs.FS) map[string]string {
	byID := map[string]string{}
	links, ok := root.(fs.ReadLinkFS)
	if !ok {
		return byID
	}
	entries, err := fs.ReadDir(root, "dev/v4l/by-id")
	if err != nil {
		return byID // no such folder where no USB camera is plugged in
	}
	for _, e := range entries {
		target, err := links.ReadLink("dev/v4l/by-id/" + e.Name())
		if err == nil {
			byID[path.Base(target)] = fmt.Sprintf("/dev/v4l/by-id/%s", e.Name())
		}
	}
	return byID
}

func readLine(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return "" // sysfs may lack any of these files
	}
	return strings.TrimSpace(string(data))
}
