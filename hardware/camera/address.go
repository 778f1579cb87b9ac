package camera

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"gocv.io/x/gocv"
)

// Address is a source's name taken apart.
type Address struct {
	Raw    string // as given
	Scheme string // lower case
	// Path is what follows the scheme, without the options: a path as it
	// stands on disk (nothing is unescaped), except after "scheme://", where
	// it is the whole URL for network cameras and an unescaped path for files.
	Path    string
	Options url.Values
}

// ParseAddress takes a source's name apart. Options follow the last "?" for
// sources on this machine; a network address keeps its own query and takes
// options after "#".
func ParseAddress(raw string) (Address, error) {
	raw = strings.TrimSpace(raw)
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok || scheme == "" || strings.ContainsAny(scheme, `/\?#. `) {
		return Address{}, fmt.Errorf("%q is not a camera address: it must begin with what kind of source it is%s", raw, guessKind(raw))
	}
	a := Address{Raw: raw, Scheme: strings.ToLower(scheme), Path: rest}
	separator := "?"
	network := strings.HasPrefix(rest, "//") && a.Scheme != "file" && a.Scheme != "dir"
	if network {
		separator, a.Path = "#", raw
	}
	if i := strings.LastIndex(a.Path, separator); i >= 0 {
		values, err := url.ParseQuery(a.Path[i+1:])
		if err != nil {
			return Address{}, fmt.Errorf("%s: the options %q can't be read: %w; write them as name=value, joined by &", redact(raw), a.Path[i:], err)
		}
		a.Path, a.Options = a.Path[:i], values
	}
	if network {
		if _, err := url.Parse(a.Path); err != nil {
			return Address{}, fmt.Errorf("%s is not a web address: %w", redact(raw), errors.Unwrap(err))
		}
		return a, nil
	}
	if after, ok := strings.CutPrefix(a.Path, "//"); ok { // file:///home/pi/a%20game.mp4, as browsers write it
		if p, err := url.PathUnescape(after); err == nil {
			a.Path = p
		}
	}
	return a, nil
}

// guessKind is the end of the error for an address without a scheme.
func guessKind(raw string) string {
	if _, err := strconv.Atoi(raw); err == nil {
		return fmt.Sprintf("; did you mean v4l2:/dev/video%s (a USB camera)?", raw)
	}
	if strings.HasPrefix(raw, "/dev/") {
		return fmt.Sprintf("; did you mean v4l2:%s?", raw)
	}
	if info, err := os.Stat(raw); err == nil && raw != "" {
		if info.IsDir() {
			return fmt.Sprintf("; did you mean dir:%s?", raw)
		}
		return fmt.Sprintf("; did you mean file:%s?", raw)
	}
	return ", such as v4l2:/dev/video0, rpicam:, http://camera.local/stream, file:game.mp4 or dir:pictures"
}

// String is the address without any password in it.
func (a Address) String() string { return redact(a.Raw) }

func redact(raw string) string {
	if !strings.Contains(raw, "@") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		if i := strings.Index(raw, "://"); i >= 0 { // not parseable: hide everything before the @
			return raw[:i+3] + "xxxxx" + raw[strings.LastIndex(raw, "@"):]
		}
		return raw
	}
	return u.Redacted()
}

// allow returns an error when the address has an option that is none of names.
func (a Address) allow(names ...string) error {
	for _, given := range slices.Sorted(maps.Keys(a.Options)) {
		if slices.Contains(names, given) {
			continue
		}
		if len(names) == 0 {
			return fmt.Errorf("%s: a %s source takes no options, and %q is one", a, a.Scheme, given)
		}
		if near, ok := nearest(given, names); ok {
			return fmt.Errorf("%s: no option %q for a %s source; did you mean %q?", a, given, a.Scheme, near)
		}
		return fmt.Errorf("%s: no option %q for a %s source; there are %s", a, given, a.Scheme, strings.Join(names, ", "))
	}
	return nil
}

// number reads an option between low and high; absent gives fallback.
func (a Address) number(name string, fallback, low, high float64) (float64, error) {
	s := a.Options.Get(name)
	if s == "" {
		return fallback, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= low && v <= high) {
		return 0, fmt.Errorf("%s: %s=%s must be a number from %g to %g", a, name, s, low, high)
	}
	return v, nil
}

// whole reads an option that is a whole number.
func (a Address) whole(name string, fallback, low, high int) (int, error) {
	v, err := a.number(name, float64(fallback), float64(low), float64(high))
	if err == nil && v != float64(int(v)) {
		err = fmt.Errorf("%s: %s=%s must be a whole number", a, name, a.Options.Get(name))
	}
	return int(v), err
}

// flag reads an option that is on or off.
func (a Address) flag(name string) (bool, error) {
	switch s := a.Options.Get(name); s {
	case "", "0", "false", "no":
		return false, nil
	case "1", "true", "yes":
		return true, nil
	default:
		return false, fmt.Errorf("%s: %s=%s must be 1 or 0", a, name, s)
	}
}

// rotation reads how far the picture must be turned clockwise to stand upright.
func (a Address) rotation() (rotation, error) {
	switch s := a.Options.Get("rotation"); s {
	case "", "0":
		return rotateNone, nil
	case "90":
		return rotation(gocv.Rotate90Clockwise), nil
	case "180":
		return rotation(gocv.Rotate180Clockwise), nil
	case "270":
		return rotation(gocv.Rotate90CounterClockwise), nil
	default:
		return rotateNone, fmt.Errorf("%s: rotation=%s must be 0, 90, 180 or 270", a, s)
	}
}

// rotation is a gocv.RotateFlag or rotateNone.
type rotation int

const rotateNone rotation = -1

// apply turns the image in place.
func (r rotation) apply(m *gocv.Mat) error {
	if r == rotateNone {
		return nil
	}
	turned := gocv.NewMat()
	if err := gocv.Rotate(*m, &turned, gocv.RotateFlag(r)); err != nil {
		turned.Close()
		return err
	}
	m.Close()
	*m = turned
	return nil
}

// nearest is the word closest to a mistyped one, when it is close at all.
func nearest(word string, among []string) (string, bool) {
	best, distance := "", 3
	for _, w := range slices.Sorted(slices.Values(among)) {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), w); d < distance && d < len(w) {
			best, distance = w, d
		}
	}
	return best, best != ""
}
