package calibration

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tabletop/board"
)

// Version is the version of the calibration file that this program writes, and
// the newest it reads.
const Version = 1

// Calibration is what the calibration file holds.
type Calibration struct {
	Image    ImageSize  // of the picture the corners were given in
	Corners  board.Quad // of the play area, in its pixels: top-left, top-right, bottom-right, bottom-left as the camera sees it
	PlayArea board.Size // mm
	Lens     *Lens      // nil: taken to be without distortion
	Seats    []board.Seat
	Zones    []board.Zone // where zones overlap, the first one counts
}

// Plane returns the plane for pictures of the size c.Image.
func (c *Calibration) Plane() (*Plane, error) { return NewPlane(c.Corners, c.PlayArea, c.Lens) }

// Layout returns the table's seats and zones.
func (c *Calibration) Layout() board.Layout {
	return board.Layout{Size: c.PlayArea, Seats: c.Seats, Zones: c.Zones}
}

// ErrImageSize says that a calibration was made for pictures of another shape.
var ErrImageSize = errors.New("calibration: made for another picture")

// ForImage returns the calibration for pictures of another size: scaled when
// they have the same proportions, to within a pixel or 0.5 %, since cameras
// then show the same view. Other proportions show another part of the table and
// give an error that wraps ErrImageSize.
func (c *Calibration) ForImage(size ImageSize) (*Calibration, error) {
	if size == c.Image {
		return c, nil
	}
	if size.Width <= 0 || size.Height <= 0 {
		return nil, fmt.Errorf("%w: a picture of %s is empty", ErrImageSize, size)
	}
	sx := float64(size.Width) / float64(c.Image.Width)
	sy := float64(size.Height) / float64(c.Image.Height)
	tolerance := max(0.005, 1/float64(min(size.Width, size.Height)))
	if sx/sy > 1+tolerance || sy/sx > 1+tolerance {
		return nil, fmt.Errorf("%w: the corners were given in a picture of %s and the camera now gives %s, which has other proportions and shows another part of the table; set the camera to %s or calibrate again",
			ErrImageSize, c.Image, size, c.Image)
	}
	scaled := *c
	scaled.Image = size
	scaled.Corners = c.Corners.Map(func(p board.Point) board.Point {
		return board.Point{X: scalePixel(p.X, sx), Y: scalePixel(p.Y, sy)}
	})
	if c.Lens != nil {
		lens := c.Lens.scaled(sx, sy)
		scaled.Lens = &lens
	}
	return &scaled, nil
}

// Load reads a calibration file. What is wrong with its content is a
// *FileError; a file that is not there wraps fs.ErrNotExist.
func Load(path string) (*Calibration, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no calibration %s yet: calibrate the table first, or check the path: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the calibration can't be read: %w", err)
	}
	return Parse(path, data)
}

// Save writes the calibration file, whole or not at all: a program or machine
// that stops in the middle leaves the old file. A calibration that Load would
// refuse is refused here.
func (c *Calibration) Save(path string) error {
	data, err := c.Marshal()
	if err != nil {
		return err
	}
	if _, err := Parse(path, data); err != nil {
		return fmt.Errorf("the calibration is not saved, as it could not be read again: %w", err)
	}
	// The file that a link names is replaced, not the link.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("the calibration can't be saved: %w", err)
	}
	defer os.Remove(temp.Name()) // it is gone by then when all went well
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("the calibration can't be saved: %w", err)
	}
	return nil
}

// syncDir makes a rename last through a power cut.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
