package camera

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Frame is one picture of the table.
type Frame struct {
	// Image is BGR, 8 bits a channel. Whoever took the frame closes it.
	Image gocv.Mat
	// Seq counts the pictures the source has received, from 1. A gap means
	// that pictures were dropped.
	Seq uint64
	// At is when the picture was taken, as nearly as can be told: when it
	// arrived for a camera, the place in the film for a video, added to the
	// time it was opened.
	At time.Time
}

// Source gives frames, one after the other.
type Source interface {
	// Next blocks for a frame newer than the last one given. It returns
	//
	//   - io.EOF when there are no more, now and ever after,
	//   - the context's error when that ends first,
	//   - ErrClosed once the source is closed,
	//   - a *PictureError when one picture of a folder could not be read: the
	//     source is still good, and the next call goes on with the next one,
	//   - any other error when the source can't go on.
	//
	// A camera that is lost is none of these: Next waits until it is back.
	// Call Next from one goroutine at a time.
	Next(ctx context.Context) (Frame, error)

	// Stats may be called at any time from any goroutine, also after Close.
	Stats() Stats

	// Close ends a Next that waits, waits for the source's goroutines and
	// frees what it holds. Closing twice is harmless. Frames already given
	// stay good.
	Close() error

	// String is the source's address, without any password in it.
	String() string
}

// Stats is what a source has been through.
type Stats struct {
	Connected  bool      // pictures are coming
	LastError  string    // the last thing that went wrong, also when it is over
	Received   uint64    // pictures that arrived
	Delivered  uint64    // pictures that Next gave
	Dropped    uint64    // pictures that a newer one replaced before Next was called
	Broken     uint64    // pictures that arrived and could not be decoded
	Reconnects uint64    // connections after the first
	LastFrame  time.Time // when the last picture arrived; zero before the first
	Width      int       // of the last frame given, pixels
	Height     int
}

// ErrClosed is what Next returns after Close.
var ErrClosed = errors.New("camera: the source is closed")

// PictureError says that one picture could not be read. The source goes on
// with the next one.
type PictureError struct {
	Path   string
	Reason string
}

func (e *PictureError) Error() string {
	return fmt.Sprintf("%s: %s", e.Path, e.Reason)
}

// Options are what the program, not the address, decides. The zero value is
// good: the machine's clock, no log, the times below.
type Options struct {
	Clock  board.Clock  // for Frame.At; nil: the machine's
	Logger *slog.Logger // told of every loss and return of a camera; nil: nobody

	// StartWithin is how long a connection may take to its first picture: some
	// cameras wake up slowly. 0: 10 s.
	StartWithin time.Duration
	// StallAfter is how long a camera may give no further picture before it
	// counts as lost and is reconnected. 0: 5 s.
	StallAfter time.Duration
	// RetryFirst and RetryMax bound the pauses between attempts to reconnect;
	// each is about twice the one before, give or take a half, so that many
	// clients of one camera do not return in step. 0: 500 ms and 10 s.
	RetryFirst, RetryMax time.Duration
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = board.SystemClock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.StartWithin <= 0 {
		o.StartWithin = 10 * time.Second
	}
	if o.StallAfter <= 0 {
		o.StallAfter = 5 * time.Second
	}
	if o.RetryFirst <= 0 {
		o.RetryFirst = 500 * time.Millisecond
	}
	if o.RetryMax <= 0 {
		o.RetryMax = 10 * time.Second
	}
	return o
}
