package light

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/gpio/gpioreg"

	"tabletop/board"
)

// Status is what the lamps show.
type Status int

// One lamp is lit for each but Off.
const (
	Off     Status = iota
	Legal          // green: nothing is wrong
	Unsure         // amber: the program can't tell, or something may be wrong or is owed
	Finding        // red: something is illegal
)

func (s Status) String() string {
	switch s {
	case Off:
		return "off"
	case Legal:
		return "legal"
	case Unsure:
		return "unsure"
	case Finding:
		return "finding"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// Pins names the pins; an empty name is for what is not fitted.
type Pins struct {
	Green, Amber, Red, Buzzer, Button string
}

// Lines are the pins themselves; nil is for what is not fitted.
type Lines struct {
	Green, Amber, Red, Buzzer gpio.PinOut
	Button                    gpio.PinIn
}

// Options say how the panel is wired and behaves. The zero value is good.
type Options struct {
	ActiveLow bool          // a lamp lights when its pin is low
	BuzzFor   time.Duration // 0: 150 ms
	// Debounce is how long the button must be quiet to count. Contacts bounce
	// for up to 10 ms and nobody presses for less than 50. 0: 20 ms.
	Debounce time.Duration
	Clock    board.Clock // for the time of a press; nil: the machine's
}

// Panel is the lamps, the buzzer and the button. Its methods may be called from
// any goroutine.
type Panel struct {
	lines Lines
	opt   Options

	mu      sync.Mutex
	closed  bool
	silence *time.Timer // ends the buzz; nil before the first
	buzz    error       // what went wrong when the last buzz was to end
}

// ErrClosed says that the panel is closed.
var ErrClosed = errors.New("light: the panel is closed")

// Open finds the pins by name and returns the panel, dark and silent. The error
// wraps ErrNoGPIO on a machine that has no pins at all.
func Open(pins Pins, opt Options) (*Panel, error) {
	machine, err := Inspect()
	if err != nil {
		return nil, err
	}
	if err := machine.Err(); err != nil {
		return nil, err
	}
	lines, err := Find(pins)
	if err != nil {
		return nil, err
	}
	return New(lines, opt)
}

// Find looks the pins up in periph.io's registry.
func Find(pins Pins) (Lines, error) {
	var lines Lines
	used := map[string]string{}
	var wrong []error
	find := func(what, name string) gpio.PinIO {
		if name == "" {
			return nil
		}
		pin := gpioreg.ByName(name)
		if pin == nil {
			wrong = append(wrong, fmt.Errorf("light: no pin %q for the %s; there are %s", name, what, pinNames()))
			return nil
		}
		name = realName(pin)
		if other, ok := used[name]; ok {
			wrong = append(wrong, fmt.Errorf("light: the %s and the %s are both on pin %s; each needs its own", other, what, name))
		}
		used[name] = what
		return pin
	}
	set := func(to *gpio.PinOut, what, name string) {
		if pin := find(what, name); pin != nil {
			*to = pin
		}
	}
	set(&lines.Green, "green lamp", pins.Green)
	set(&lines.Amber, "amber lamp", pins.Amber)
	set(&lines.Red, "red lamp", pins.Red)
	set(&lines.Buzzer, "buzzer", pins.Buzzer)
	if pin := find("button", pins.Button); pin != nil {
		lines.Button = pin
	}
	return lines, errors.Join(wrong...)
}

// realName is a pin's own name, also when it was found by an alias.
func realName(pin gpio.PinIO) string {
	for {
		alias, ok := pin.(gpio.RealPin)
		if !ok {
			return pin.Name()
		}
		pin = alias.Real()
	}
}

func pinNames() string {
	var names []string
	for _, p := range gpioreg.All() {
		names = append(names, p.Name())
	}
	slices.SortFunc(names, func(a, b string) int { // GPIO2 before GPIO10
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// New returns the panel over pins, dark and silent.
func New(lines Lines, opt Options) (*Panel, error) {
	if opt.BuzzFor <= 0 {
		opt.BuzzFor = 150 * time.Millisecond
	}
	if opt.Debounce <= 0 {
		opt.Debounce = 20 * time.Millisecond
	}
	if opt.Clock == nil {
		opt.Clock = board.SystemClock{}
	}
	p := &Panel{lines: lines, opt: opt}
	if err := p.dark(); err != nil {
		return nil, err
	}
	if lines.Button != nil {
		if err := lines.Button.In(gpio.PullUp, gpio.BothEdges); err != nil {
			return nil, fmt.Errorf("light: pin %s can't be read as the button: %w", lines.Button, err)
		}
	}
	return p, nil
}

// Show lights the lamp of a status and darkens the others.
func (p *Panel) Show(s Status) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	return errors.Join(
		p.set(p.lines.Green, s == Legal),
		p.set(p.lines.Amber, s == Unsure),
		p.set(p.lines.Red, s == Finding),
	)
}

// Buzz sounds the buzzer for a moment and does not wait for its end; a call
// meanwhile makes that one longer. It also returns what went wrong when the
// buzz before was to end.
func (p *Panel) Buzz() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	last := p.buzz
	p.buzz = nil
	err := p.set(p.lines.Buzzer, true)
	if p.silence != nil {
		p.silence.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(p.opt.BuzzFor, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.silence == timer && !p.closed { // else a later buzz goes on, or all is off
			p.buzz = p.set(p.lines.Buzzer, false)
		}
	})
	p.silence = timer
	return errors.Join(last, err)
}

// Watch calls press for each press of the button, from this goroutine, until
// the context ends; it then returns nil. A button that is down when Watch
// begins counts once it has been released and pressed again. Without a button
// it only waits. Call it once at a time.
func (p *Panel) Watch(ctx context.Context, press func(at time.Time)) error {
	button := p.lines.Button
	if button == nil {
		<-ctx.Done()
		return nil
	}
	// An edge may get lost in the driver, and a wait can't be cancelled: look
	// now and then.
	const lookEvery = 100 * time.Millisecond
	down := button.Read() == gpio.Low
	for ctx.Err() == nil {
		if !button.WaitForEdge(lookEvery) && (button.Read() == gpio.Low) == down {
			continue
		}
		for ctx.Err() == nil && button.WaitForEdge(p.opt.Debounce) { // until it is quiet
		}
		if now := button.Read() == gpio.Low; now != down {
			down = now
			if down && ctx.Err() == nil {
				press(p.opt.Clock.Now())
			}
		}
	}
	return nil
}

// Close turns everything off. End Watch first. Closing twice is harmless.
func (p *Panel) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	if p.silence != nil {
		p.silence.Stop()
	}
	err := p.dark()
	if p.lines.Button != nil {
		err = errors.Join(err, p.lines.Button.Halt())
	}
	return err
}

// dark turns everything off.
func (p *Panel) dark() error {
	return errors.Join(
		p.set(p.lines.Green, false), p.set(p.lines.Amber, false),
		p.set(p.lines.Red, false), p.set(p.lines.Buzzer, false),
	)
}

func (p *Panel) set(line gpio.PinOut, on bool) error {
	if line == nil {
		return nil
	}
	if err := line.Out(gpio.Level(on != p.opt.ActiveLow)); err != nil {
		return fmt.Errorf("light: pin %s can't be switched: %w", line, err)
	}
	return nil
}
