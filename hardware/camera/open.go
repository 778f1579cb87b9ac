package camera

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Opener opens one kind of source. It returns once the source has given its
// first picture or has failed to, so that a wrong address is known at once.
type Opener func(ctx context.Context, a Address, opt Options) (Source, error)

// Openers are the kinds of sources by scheme. A program adds its own to what
// DefaultOpeners returns.
type Openers map[string]Opener

// DefaultOpeners returns a new map of every kind of source in this package.
func DefaultOpeners() Openers {
	return Openers{
		"dir":    OpenDir,
		"file":   OpenFile,
		"v4l2":   OpenV4L2,
		"http":   OpenMJPEG,
		"https":  OpenMJPEG,
		"rtsp":   OpenRTSP,
		"rtsps":  OpenRTSP,
		"rpicam": OpenRPiCam,
	}
}

// Open opens the source that an address names. Cancelling the context stops
// the opening; the source itself lives until Close.
func (o Openers) Open(ctx context.Context, address string, opt Options) (Source, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	open, ok := o[a.Scheme]
	if !ok {
		schemes := slices.Sorted(maps.Keys(o))
		if near, ok := nearest(a.Scheme, schemes); ok {
			return nil, fmt.Errorf("%s: no kind of camera is called %q; did you mean %q?", a, a.Scheme, near+":")
		}
		return nil, fmt.Errorf("%s: no kind of camera is called %q; there are %s", a, a.Scheme, strings.Join(schemes, ":, ")+":")
	}
	return open(ctx, a, opt.withDefaults())
}
