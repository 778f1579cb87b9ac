package watch

import (
	"fmt"
	"time"

	"tabletop/board"
)

// Options tune a Watcher. The zero value is the default.
type Options struct {
	// Sensitivity is the smallest difference that counts as change, in grey
	// levels of 255 averaged over a cell of the low-resolution grid, above the
	// noise measured there. Default 5; lower sees darker cards on dark cloth,
	// and more shadows.
	Sensitivity float64
	// LookAgain is the time between scans of a part that keeps still while the
	// rest of it moves on, as when a finger stays on a card. Default 400 ms. The
	// first is in the first frame in which it keeps still.
	LookAgain time.Duration
	// AcceptAfter is how long a thing that is no card must lie still to be
	// taken for a part of the table. Never while it may cover a card.
	// Default 3 s.
	AcceptAfter time.Duration
	// Refresh is the time between scans of the whole frame while nothing
	// moves, so that a card missed in a poor frame is found in a better one.
	// Default 10 s; negative: never.
	Refresh time.Duration
	// Clock measures durations for Stats. Default: the machine's.
	Clock board.Clock
}

func (o Options) withDefaults() (Options, error) {
	if o.Sensitivity < 0 || o.Sensitivity > 100 {
		return o, fmt.Errorf("watch: sensitivity is a difference in grey levels, 1 to 100 (0: the default 5), not %g", o.Sensitivity)
	}
	if o.LookAgain < 0 || o.AcceptAfter < 0 {
		return o, fmt.Errorf("watch: look-again (%v) and accept-after (%v) are durations and can't be negative", o.LookAgain, o.AcceptAfter)
	}
	if o.Sensitivity == 0 {
		o.Sensitivity = 5
	}
	if o.LookAgain == 0 {
		o.LookAgain = 400 * time.Millisecond
	}
	if o.AcceptAfter == 0 {
		o.AcceptAfter = 3 * time.Second
	}
	if o.Refresh == 0 {
		o.Refresh = 10 * time.Second
	}
	if o.Clock == nil {
		o.Clock = board.SystemClock{}
	}
	return o, nil
}

// Stats says what one Look did, for metrics and the debug page.
type Stats struct {
	Changed float64       // share of the frame that differs from the table at rest, [0,1]
	Moving  float64       // share that differs from the frame before, [0,1]
	Gain    [3]float64    // blue, green, red: exposure against the table at rest; 1: the same
	Repeat  bool          // the frame was the one before once more; nothing was judged
	Whole   bool          // the whole frame was scanned
	Regions int           // regions scanned
	Scanned float64       // share of the frame scanned, [0,1]
	Covered int           // cards known but wholly covered
	Gate    time.Duration // spent on comparing and judging
	Scan    time.Duration // spent in the scanner
}
