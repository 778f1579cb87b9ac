package calibration_test

import (
	"errors"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/calibration"
)

// go test ./calibration -run TestBadFiles -update writes the messages anew;
// read the difference before keeping it.
var update = flag.Bool("update", false, "write the golden files anew")

func TestLoad(t *testing.T) {
	c, err := calibration.Load("testdata/good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &calibration.Calibration{
		Image:    hd(),
		Corners:  board.Quad{{X: 310, Y: 90}, {X: 1604, Y: 75}, {X: 1790, Y: 1010}, {X: 95, Y: 1034.5}},
		PlayArea: table(),
		Lens:     &calibration.Lens{FX: 1400, FY: 1400, CX: 955, CY: 548, K1: -0.12},
		Seats:    []board.Seat{{ID: "south", Name: "Anna"}, {ID: "north", UpDeg: 180}},
		Zones: []board.Zone{
			{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: board.Polygon{{X: 0, Y: 0.4}, {X: 1, Y: 0.4}, {X: 1, Y: 0.6}, {X: 0, Y: 0.6}}},
			{ID: "south.home", Kind: board.ZoneHome, Seat: "south", Outline: board.Polygon{{X: 0, Y: 0.6}, {X: 1, Y: 0.6}, {X: 1, Y: 1}, {X: 0, Y: 1}}},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if zone, ok := c.Layout().ZoneAt(board.Point{X: 450, Y: 500}); !ok || zone.ID != "south.home" {
		t.Errorf("at (450, 500) mm lies %q", zone.ID)
	}
	if _, err := c.Plane(); err != nil {
		t.Error(err)
	}
}

// Each file of testdata/bad has what Parse says about it beside it.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = calibration.Parse("table.yaml", data)
			var fileErr *calibration.FileError
			if !errors.As(err, &fileErr) || len(fileErr.Problems) == 0 {
				t.Fatalf("got %v, want a FileError", err)
			}
			golden := strings.TrimSuffix(path, ".yaml") + ".txt"
			got := err.Error() + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestLoadMissing(t *testing.T) {
	_, err := calibration.Load(filepath.Join(t.TempDir(), "table.yaml"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "calibrate the table first") {
		t.Errorf("got %v", err)
	}
}

// What is saved is what is loaded.
func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.yaml")
	rapid.Check(t, func(t *rapid.T) {
		c := drawCalibration(t)
		if err := c.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := calibration.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c) {
			t.Fatalf("got %+v, want %+v", got, c)
		}
	})
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("saving leaves %v behind (%v)", entries, err)
	}
}

func drawCalibration(t *rapid.T) *calibration.Calibration {
	thousandths := func(low, high int, name string) float64 {
		return float64(rapid.IntRange(low, high).Draw(t, name)) / 1000
	}
	c := &calibration.Calibration{Image: hd(), Corners: tilted(), PlayArea: board.Size{
		Width: thousandths(50_000, 2_000_000, "width"), Height: thousandths(50_000, 2_000_000, "height"),
	}}
	for i := range c.Corners {
		c.Corners[i] = board.Point{
			X: math.Round((c.Corners[i].X+thousandths(-50_000, 50_000, "dx"))*1000) / 1000,
			Y: math.Round((c.Corners[i].Y+thousandths(-50_000, 50_000, "dy"))*1000) / 1000,
		}
	}
	if rapid.Bool().Draw(t, "lens") {
		c.Lens = wideLens()
	}
	text := rapid.StringOf(rapid.RuneFrom([]rune("aZ0 .:-#'\"[]{}é&*!|>%@`")))
	for i := range rapid.IntRange(0, 3).Draw(t, "seats") {
		c.Seats = append(c.Seats, board.Seat{
			ID: board.SeatID(string(rune('a'+i)) + text.Draw(t, "seat")), Name: text.Draw(t, "name"), UpDeg: thousandths(0, 359_999, "up"),
		})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "zones") {
		x, y := thousandths(0, 900, "x"), thousandths(0, 900, "y")
		z := board.Zone{
			ID: board.ZoneID(string(rune('a'+i)) + text.Draw(t, "zone")), Kind: board.ZoneHome,
			Outline: board.Polygon{{X: x, Y: y}, {X: 1, Y: y}, {X: x, Y: 1}},
		}
		if len(c.Seats) > 0 {
			z.Seat = c.Seats[0].ID
		}
		c.Zones = append(c.Zones, z)
	}
	return c
}

func TestSaveRefusesWhatCouldNotBeLoaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.yaml")
	good, err := calibration.Load("testdata/good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Save(path); err != nil {
		t.Fatal(err)
	}
	bad := *good
	bad.Zones = append(bad.Zones[:1:1], bad.Zones[0])
	var fileErr *calibration.FileError
	if err := bad.Save(path); !errors.As(err, &fileErr) {
		t.Errorf("got %v, want a FileError", err)
	}
	again, err := calibration.Load(path)
	if err != nil || !reflect.DeepEqual(again, good) {
		t.Errorf("the old file is harmed: %v", err)
	}
	if err := good.Save(filepath.Join(t.TempDir(), "no such folder", "table.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A link in a folder of configuration stays one.
func TestSaveThroughLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "table.yaml")
	c, err := calibration.Load("testdata/good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if _, err := calibration.Load(real); err != nil {
		t.Error(err)
	}
}

func TestForImage(t *testing.T) {
	c, err := calibration.Load("testdata/good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	original, err := c.Plane()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []calibration.ImageSize{hd(), {Width: 1280, Height: 720}, {Width: 3840, Height: 2160}, {Width: 854, Height: 480}} {
		scaled, err := c.ForImage(size)
		if err != nil {
			t.Errorf("%s: %v", size, err)
			continue
		}
		plane, err := scaled.Plane()
		if err != nil {
			t.Fatal(err)
		}
		// The same place of the scene lies on the same place of the table.
		f := board.Point{X: float64(size.Width) / 1920, Y: float64(size.Height) / 1080}
		for _, p := range []board.Point{{X: 400, Y: 300}, {X: 1500, Y: 900}} {
			there := board.Point{X: (p.X+0.5)*f.X - 0.5, Y: (p.Y+0.5)*f.Y - 0.5}
			near(t, size.String(), plane.MM(there), original.MM(p), 1e-6)
		}
	}
	_, err = c.ForImage(calibration.ImageSize{Width: 1280, Height: 960})
	if !errors.Is(err, calibration.ErrImageSize) || !strings.Contains(err.Error(), "set the camera to 1920×1080") {
		t.Errorf("got %v", err)
	}
	if _, err = c.ForImage(calibration.ImageSize{}); !errors.Is(err, calibration.ErrImageSize) {
		t.Errorf("got %v", err)
	}
}

// Whatever bytes come, Parse answers and does not break.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(files, "testdata/good.yaml") {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := calibration.Parse("fuzz", data)
		if err == nil {
			if _, err := c.Plane(); err != nil {
				t.Errorf("accepted, and yet %v", err)
			}
		}
	})
}
