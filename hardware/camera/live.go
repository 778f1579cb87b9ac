package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"gocv.io/x/gocv"
)

// feed is one connection to a camera.
type feed interface {
	// read blocks for the next picture. It is called from one goroutine.
	read() (shot, error)
	// interrupt makes a read that blocks return an error, as soon as that can
	// be done. It may be called from any goroutine, more than once, also while
	// or after close is called.
	interrupt()
	// close frees the connection. It is called once, after the last read.
	close() error
}

// dialer makes a connection. The context ends when the source is closed.
type dialer func(ctx context.Context) (feed, error)

// shot is a picture as the camera sent it. Decoding is put off until somebody
// wants the picture: most pictures of a fast camera are dropped.
type shot interface {
	// decode returns the picture as BGR; the caller closes it. It is called at
	// most once and leaves nothing to be freed, also when it fails.
	decode() (gocv.Mat, error)
	// free is called instead of decode for a picture nobody wants.
	free()
}

var (
	errStalled     = errors.New("the camera has fallen silent")
	errInterrupted = errors.New("the connection was interrupted")
)

// closeWithin bounds how long Close waits for a driver: OpenCV's V4L2 reader
// gives up on a silent camera after 10 s by itself.
const closeWithin = 15 * time.Second

// live is a source over a camera: one goroutine keeps it connected and puts
// the newest picture into a slot, where Next takes it.
type live struct {
	address Address
	opt     Options
	dial    dialer
	turn    rotation
	finite  bool // io.EOF from the feed is the end, not a loss

	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended
	wake   chan struct{} // one token: the slot or the end has changed

	mu      sync.Mutex
	slot    shot // nil: empty
	slotAt  time.Time
	slotSeq uint64
	end     error // what Next returns once the slot is empty
	stats   Stats
}

// openLive connects and waits for the first picture, so that what is wrong
// with an address or a camera is known at once.
func openLive(ctx context.Context, a Address, opt Options, turn rotation, finite bool, dial dialer) (*live, error) {
	own, cancel := context.WithCancel(context.Background())
	l := &live{
		address: a, opt: opt.withDefaults(), dial: dial, turn: turn, finite: finite,
		cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	opened := make(chan error, 1)
	go l.run(own, opened)
	select {
	case err := <-opened:
		if err == nil {
			return l, nil
		}
		return nil, errors.Join(err, l.Close())
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("%s: gave up waiting for its first picture: %w", a, ctx.Err()), l.Close())
	}
}

// run keeps the camera connected until the context ends. The outcome of the
// first connection goes to opened; if that fails, there is no second one.
func (l *live) run(ctx context.Context, opened chan<- error) {
	defer close(l.done)
	pause := &backoff.ExponentialBackOff{
		InitialInterval: l.opt.RetryFirst, MaxInterval: l.opt.RetryMax,
		RandomizationFactor: 0.5, Multiplier: 2,
	}
	pause.Reset()
	first := true
	for {
		worked, err := l.session(ctx, func() {
			if first {
				opened <- nil
			} else {
				l.mu.Lock()
				l.stats.Reconnects++
				l.mu.Unlock()
				l.opt.Logger.Info("the camera is back", "camera", l.String())
			}
		})
		switch {
		case ctx.Err() != nil:
			l.finish(ErrClosed)
			return
		case l.finite && worked && errors.Is(err, io.EOF):
			l.finish(io.EOF)
			return
		case first && !worked:
			opened <- err
			l.finish(err)
			return
		}
		first = false
		l.lost(err)
		if worked {
			pause.Reset()
		}
		select {
		case <-time.After(pause.NextBackOff()):
		case <-ctx.Done():
		}
	}
}

// session is one connection from dialling to its failure. It calls up at the
// first picture and says whether there was one.
func (l *live) session(ctx context.Context, up func()) (worked bool, err error) {
	f, err := l.dial(ctx)
	if err != nil {
		return false, fmt.Errorf("%s: %w", l, err)
	}
	defer func() {
		if closeErr := f.close(); err == nil {
			err = closeErr
		}
	}()
	defer context.AfterFunc(ctx, f.interrupt)()

	var stalled atomic.Bool
	var allowed atomic.Int64 // silence, as a time.Duration
	allowed.Store(int64(l.opt.StartWithin))
	silence := func() error {
		return fmt.Errorf("%s: %w: no picture for %v; check its cable, its power and the network", l, errStalled, time.Duration(allowed.Load()))
	}
	watchdog := time.AfterFunc(l.opt.StartWithin, func() {
		stalled.Store(true)
		l.lost(silence()) // now: a driver that hangs may return much later
		f.interrupt()
	})
	defer watchdog.Stop()

	for {
		s, err := f.read()
		if err != nil {
			switch {
			case stalled.Load():
				return worked, silence()
			case errors.Is(err, io.EOF) && !l.finite:
				err = fmt.Errorf("the camera ended the stream: %w", err)
			}
			return worked, fmt.Errorf("%s: %w", l, err)
		}
		allowed.Store(int64(l.opt.StallAfter))
		watchdog.Reset(l.opt.StallAfter)
		l.put(s)
		if !worked {
			worked = true
			up()
		}
	}
}

// put makes s the newest picture.
func (l *live) put(s shot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slot != nil {
		l.slot.free()
		l.stats.Dropped++
	}
	l.stats.Received++
	l.stats.Connected = true
	l.stats.LastFrame = l.opt.Clock.Now()
	l.slot, l.slotAt, l.slotSeq = s, l.stats.LastFrame, l.stats.Received
	if timed, ok := s.(interface{ taken() time.Time }); ok {
		l.slotAt = timed.taken()
	}
	l.signal()
}

// lost notes that the connection is down, and why.
func (l *live) lost(err error) {
	l.mu.Lock()
	was := l.stats.Connected
	l.stats.Connected = false
	l.stats.LastError = err.Error()
	l.mu.Unlock()
	if was {
		l.opt.Logger.Warn("the camera is lost; trying again until it is back", "camera", l.String(), "error", err)
	}
}

// finish makes err what Next returns from now on.
func (l *live) finish(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = err
	l.stats.Connected = false
	if l.slot != nil && !errors.Is(err, io.EOF) {
		l.slot.free()
		l.slot = nil
	}
	l.signal()
}

// signal wakes Next. The caller holds mu.
func (l *live) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Next implements Source.
func (l *live) Next(ctx context.Context) (Frame, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Frame{}, err
		}
		l.mu.Lock()
		s, at, seq, end := l.slot, l.slotAt, l.slotSeq, l.end
		l.slot = nil
		l.mu.Unlock()
		if s != nil {
			image, err := l.decode(s)
			if err != nil {
				continue
			}
			return Frame{Image: image, Seq: seq, At: at}, nil
		}
		if end != nil {
			return Frame{}, end
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}

func (l *live) decode(s shot) (gocv.Mat, error) {
	image, err := s.decode()
	if err == nil {
		if err = l.turn.apply(&image); err != nil {
			image.Close()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.stats.Broken++
		l.stats.LastError = err.Error()
		return gocv.Mat{}, err
	}
	l.stats.Delivered++
	l.stats.Width, l.stats.Height = image.Cols(), image.Rows()
	return image, nil
}

// Stats implements Source.
func (l *live) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// Close implements Source. It returns an error when the camera's driver does
// not let go; what it holds is freed when it does.
func (l *live) Close() error {
	l.cancel()
	select {
	case <-l.done:
	case <-time.After(closeWithin):
		return fmt.Errorf("%s: the camera's driver still holds on after %v", l, closeWithin)
	}
	l.finish(ErrClosed)
	return nil
}

// String implements Source.
func (l *live) String() string { return l.address.String() }

// matShot is a picture that came decoded.
type matShot struct {
	mat gocv.Mat
	at  time.Time
}

func (s matShot) decode() (gocv.Mat, error) { return s.mat, nil }
func (s matShot) free()                     { s.mat.Close() }
func (s matShot) taken() time.Time          { return s.at }
