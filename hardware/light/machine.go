package light

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"periph.io/x/conn/v3/driver/driverreg"
	"periph.io/x/conn/v3/gpio/gpioreg"
	"periph.io/x/host/v3"
)

// ErrNoGPIO says that this machine has no GPIO pins, as a laptop has none.
var ErrNoGPIO = errors.New("light: this machine has no GPIO pins")

// Machine is what there is of GPIO on a machine.
type Machine struct {
	Pins   []string                  // by the names that Pins may use
	Chips  []string                  // the kernel's devices, "/dev/gpiochip0"
	Failed []driverreg.DriverFailure // drivers for which there is hardware, and which don't work
}

// Inspect starts periph.io's drivers (once; later calls tell the same) and
// tells what they found.
func Inspect() (Machine, error) {
	state, err := host.Init()
	if err != nil {
		return Machine{}, fmt.Errorf("light: the GPIO drivers can't be started: %w", err)
	}
	chips, err := filepath.Glob("/dev/gpiochip*")
	if err != nil {
		return Machine{}, err // the pattern is constant and right
	}
	m := Machine{Chips: chips, Failed: state.Failed}
	for _, pin := range gpioreg.All() {
		m.Pins = append(m.Pins, pin.Name())
	}
	return m, nil
}

// Err is nil when there are pins to use. It wraps ErrNoGPIO when the machine
// has none; any other error says why those it has can't be used. A driver that
// fails beside another that works is no error: several of them reach the same
// pins in different ways.
func (m Machine) Err() error {
	switch {
	case len(m.Pins) > 0:
		return nil
	case len(m.Chips) > 0:
		reason := ""
		for _, f := range m.Failed {
			reason += fmt.Sprintf(" (%s: %v)", f.D, f.Err)
		}
		return fmt.Errorf("light: the GPIO pins of %s can't be used%s: add yourself to the group that owns them (sudo usermod -aG gpio $USER) and log in again", strings.Join(m.Chips, ", "), reason)
	case len(m.Failed) > 0 && !slices.ContainsFunc(m.Failed, isGPIO):
		return ErrNoGPIO // a broken driver for something else
	case len(m.Failed) > 0:
		return fmt.Errorf("light: the GPIO driver %s failed: %w", m.Failed[0].D, m.Failed[0].Err)
	}
	return ErrNoGPIO
}

func isGPIO(f driverreg.DriverFailure) bool {
	return strings.Contains(strings.ToLower(f.D.String()), "gpio")
}
