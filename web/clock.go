package web

import (
	"time"

	"tabletop/board"
)

// Clock tells the time and wakes the hub; tests pass their own.
type Clock interface {
	board.Clock
	// Timer returns a channel that receives once, after d, and a function that
	// gives the timer up.
	Timer(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the machine's clock.
type SystemClock struct{ board.SystemClock }

// Timer starts a timer of the runtime.
func (SystemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
