package hardware_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tabletop/hardware"
)

func check(t *testing.T, name string) hardware.Check {
	t.Helper()
	checks := hardware.Inspect(t.Context())
	i := slices.IndexFunc(checks, func(c hardware.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %q in %+v", name, checks)
	}
	return checks[i]
}

// Whatever the machine has: each check says what it found, and what to do
// exactly when it is not OK.
func TestInspect(t *testing.T) {
	checks := hardware.Inspect(t.Context())
	if len(checks) != 4 {
		t.Errorf("%d checks", len(checks))
	}
	for _, c := range checks {
		t.Logf("%+v", c)
		if c.Name == "" || c.Detail == "" || c.OK != (c.Help == "") {
			t.Errorf("%+v", c)
		}
	}
	if c := check(t, "OpenCV"); !c.OK || !strings.Contains(c.Detail, "OpenCV 4.") {
		t.Errorf("%+v", c)
	}
}

func TestInspectRPiCam(t *testing.T) {
	for _, test := range []struct {
		name, script string
		ok           bool
		want         string
	}{
		{"two cameras", "echo Available cameras; echo -----------------; echo '0 : imx708 [4608x2592 10-bit RGGB] (/base/imx708@1a)'; echo \"    Modes: 'SRGGB10_CSI2P'\"; echo '1 : ov5647 [2592x1944] (/base/ov5647@36)'", true, "imx708, ov5647 (rpicam:)"},
		{"no camera", "echo 'No cameras available!'", false, "sees no camera"},
		{"no camera, failing", "echo 'ERROR: *** no cameras available ***' >&2; exit 255", false, "sees no camera"},
		{"broken", "echo 'error while loading shared libraries' >&2; exit 127", false, "shared libraries"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\n[ \"$1\" = --list-cameras ] || exit 9\n" + test.script + "\n"
			if err := os.WriteFile(filepath.Join(dir, "rpicam-vid"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			if c := check(t, "Raspberry Pi camera"); c.OK != test.ok || !strings.Contains(c.Detail, test.want) {
				t.Errorf("%+v", c)
			}
		})
	}
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if c := check(t, "Raspberry Pi camera"); c.OK || !strings.Contains(c.Help, "rpicam-apps-lite") {
			t.Errorf("%+v", c)
		}
	})
}
