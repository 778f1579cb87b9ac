package light_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"periph.io/x/conn/v3/driver/driverreg"
	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/gpio/gpioreg"
	"periph.io/x/conn/v3/gpio/gpiotest"

	"tabletop/hardware/light"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a panel over fake pins.
type bench struct {
	green, amber, red, buzzer gpiotest.Pin
}

func (b *bench) lines() light.Lines {
	b.green.N, b.amber.N, b.red.N, b.buzzer.N = "GPIO17", "GPIO27", "GPIO22", "GPIO23"
	return light.Lines{Green: &b.green, Amber: &b.amber, Red: &b.red, Buzzer: &b.buzzer}
}

// lit is a letter for each pin that is high.
func (b *bench) lit() string {
	s := ""
	for _, p := range []struct {
		pin    *gpiotest.Pin
		letter string
	}{{&b.green, "G"}, {&b.amber, "A"}, {&b.red, "R"}, {&b.buzzer, "B"}} {
		if p.pin.Read() == gpio.High {
			s += p.letter
		}
	}
	return s
}

func TestShow(t *testing.T) {
	for _, test := range []struct {
		name                               string
		activeLow                          bool
		off, legal, unsure, finding, after string
	}{
		{"active high", false, "", "G", "A", "R", ""},
		{"active low", true, "GARB", "ARB", "GRB", "GAB", "GARB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bench
			b.red.L = gpio.High // left by a program that was killed
			panel, err := light.New(b.lines(), light.Options{ActiveLow: test.activeLow})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct {
				status light.Status
				want   string
			}{{light.Off, test.off}, {light.Legal, test.legal}, {light.Unsure, test.unsure}, {light.Finding, test.finding}} {
				if err := panel.Show(step.status); err != nil {
					t.Fatal(err)
				}
				if got := b.lit(); got != step.want {
					t.Errorf("%v: %q are high, want %q", step.status, got, step.want)
				}
			}
			for range 2 {
				if err := panel.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := b.lit(); got != test.after {
				t.Errorf("after Close %q are high, want %q", got, test.after)
			}
			if err := panel.Show(light.Legal); !errors.Is(err, light.ErrClosed) {
				t.Errorf("got %v, want ErrClosed", err)
			}
			if err := panel.Buzz(); !errors.Is(err, light.ErrClosed) {
				t.Errorf("got %v, want ErrClosed", err)
			}
		})
	}
}

func TestBuzzEndsByItself(t *testing.T) {
	var b bench
	panel, err := light.New(b.lines(), light.Options{BuzzFor: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer panel.Close()
	for range 3 {
		if err := panel.Buzz(); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.After(10 * time.Second)
	for b.buzzer.Read() == gpio.High {
		select {
		case <-deadline:
			t.Fatal("it buzzes on")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestCloseSilences(t *testing.T) {
	var b bench
	panel, err := light.New(b.lines(), light.Options{BuzzFor: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := panel.Buzz(); err != nil || b.lit() != "B" {
		t.Fatalf("%v, %q are high", err, b.lit())
	}
	if err := panel.Close(); err != nil || b.lit() != "" {
		t.Errorf("%v, %q are high", err, b.lit())
	}
}

// What is not fitted is not used.
func TestNothingFitted(t *testing.T) {
	panel, err := light.New(light.Lines{}, light.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(panel.Show(light.Finding), panel.Buzz(), panel.Watch(ctx, nil), panel.Close()); err != nil {
		t.Error(err)
	}
}

// loose is a pin whose wire came off.
type loose struct{ gpiotest.Pin }

func (*loose) Out(gpio.Level) error { return errors.New("no such line") }

func TestBrokenPinIsNamed(t *testing.T) {
	_, err := light.New(light.Lines{Red: &loose{gpiotest.Pin{N: "GPIO22", Num: 22}}}, light.Options{})
	if err == nil || !strings.Contains(err.Error(), "pin GPIO22(22) can't be switched: no such line") {
		t.Errorf("got %v", err)
	}
	_, err = light.New(light.Lines{Button: &gpiotest.Pin{N: "GPIO5"}}, light.Options{}) // gpiotest: no edges without a channel
	if err == nil || !strings.Contains(err.Error(), "can't be read as the button") {
		t.Errorf("got %v", err)
	}
}

// button is a fake button under the test's control: each wait for an edge is
// announced, and answered with an edge or with none.
type button struct {
	gpiotest.Pin
	waits   chan time.Duration
	answers chan answer
}

type answer struct {
	edge  bool
	level gpio.Level
}

func (b *button) WaitForEdge(timeout time.Duration) bool {
	b.waits <- timeout
	a := <-b.answers
	b.Lock()
	defer b.Unlock()
	b.L = a.level
	return a.edge
}

func TestButton(t *testing.T) {
	var (
		low   = answer{true, gpio.Low}
		high  = answer{true, gpio.High}
		isLow = answer{false, gpio.Low} // no edge, and the level is this
		isUp  = answer{false, gpio.High}
	)
	press := []answer{low, high, low, isLow} // with a bounce, then quiet
	release := []answer{high, low, high, isUp}
	tests := []struct {
		name  string
		start gpio.Level
		steps [][]answer
		want  int
	}{
		{"not touched", gpio.High, [][]answer{{isUp, isUp, isUp}}, 0},
		{"pressed", gpio.High, [][]answer{press}, 1},
		{"held", gpio.High, [][]answer{press, {isLow, isLow, isLow}}, 1},
		{"released", gpio.High, [][]answer{press, release}, 1},
		{"pressed three times", gpio.High, [][]answer{press, release, press, release, press}, 3},
		{"a spike", gpio.High, [][]answer{{low, high, isUp}}, 0},
		{"a spike while held", gpio.High, [][]answer{press, {high, low, isLow}}, 1},
		{"held from the start", gpio.Low, [][]answer{{isLow}, release, press}, 1},
		{"an edge that got lost", gpio.High, [][]answer{{isLow, isLow}, {isUp, isUp}, {isLow, isLow}}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &button{waits: make(chan time.Duration), answers: make(chan answer)}
			b.EdgesChan = make(chan gpio.Level)
			panel, err := light.New(light.Lines{Button: b}, light.Options{Debounce: 20 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer panel.Close()
			if b.P != gpio.PullUp {
				t.Errorf("pulled %v", b.P)
			}
			b.L = test.start
			ctx, cancel := context.WithCancel(t.Context())
			presses := 0
			var watching sync.WaitGroup
			watching.Go(func() {
				if err := panel.Watch(ctx, func(time.Time) { presses++ }); err != nil {
					t.Error(err)
				}
			})
			waited := <-b.waits
			for _, step := range test.steps {
				for _, a := range step {
					b.answers <- a
					waited = <-b.waits
				}
				if waited == 20*time.Millisecond {
					t.Error("it still waits for quiet")
				}
			}
			cancel()
			b.answers <- answer{false, b.Read()}
			watching.Wait()
			if presses != test.want {
				t.Errorf("%d presses, want %d", presses, test.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	for i, name := range []string{"TESTPIN2", "TESTPIN10", "TESTPIN3"} {
		if err := gpioreg.Register(&gpiotest.Pin{N: name, Num: 1000 + i}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { gpioreg.Unregister(name) })
	}
	if err := gpioreg.RegisterAlias("TESTALIAS", "TESTPIN2"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gpioreg.Unregister("TESTALIAS") })

	lines, err := light.Find(light.Pins{Green: "TESTPIN2", Button: "TESTPIN3"})
	if err != nil || lines.Green == nil || lines.Button == nil || lines.Red != nil || lines.Buzzer != nil {
		t.Errorf("got %+v, %v", lines, err)
	}
	for want, pins := range map[string]light.Pins{
		`no pin "GPIO99" for the buzzer; there are TESTPIN2, TESTPIN3, TESTPIN10`: {Buzzer: "GPIO99"},
		"the green lamp and the red lamp are both on pin TESTPIN3":                {Green: "TESTPIN3", Red: "TESTPIN3"},
		"the green lamp and the button are both on pin TESTPIN2":                  {Green: "TESTPIN2", Button: "TESTALIAS"},
	} {
		if _, err := light.Find(pins); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// driver is a periph.io driver by name.
type driver string

func (d driver) String() string          { return string(d) }
func (d driver) Prerequisites() []string { return nil }
func (d driver) After() []string         { return nil }
func (d driver) Init() (bool, error)     { return true, nil }

func TestMachine(t *testing.T) {
	broken := driverreg.DriverFailure{D: driver("bcm283x-gpio"), Err: errors.New("permission denied")}
	other := driverreg.DriverFailure{D: driver("sysfs-spi"), Err: errors.New("odd")}
	tests := []struct {
		name    string
		machine light.Machine
		none    bool
		want    string
	}{
		{"a laptop", light.Machine{}, true, "no GPIO pins"},
		{"a laptop with an odd driver", light.Machine{Failed: []driverreg.DriverFailure{other}}, true, "no GPIO pins"},
		{"a Pi", light.Machine{Pins: []string{"GPIO2"}, Chips: []string{"/dev/gpiochip0"}}, false, ""},
		{"a Pi with one way broken", light.Machine{Pins: []string{"GPIO2"}, Failed: []driverreg.DriverFailure{broken}}, false, ""},
		{"no permission", light.Machine{Chips: []string{"/dev/gpiochip0"}}, false, "usermod -aG gpio"},
		{"no permission, said", light.Machine{Chips: []string{"/dev/gpiochip0"}, Failed: []driverreg.DriverFailure{broken}}, false, "bcm283x-gpio: permission denied"},
		{"a driver that failed", light.Machine{Failed: []driverreg.DriverFailure{broken}}, false, "driver bcm283x-gpio failed: permission denied"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.machine.Err()
			if errors.Is(err, light.ErrNoGPIO) != test.none {
				t.Errorf("got %v", err)
			}
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// On whatever machine the tests run, the answers of Inspect and Open agree.
func TestOpenHere(t *testing.T) {
	machine, err := light.Inspect()
	if err != nil {
		t.Fatal(err)
	}
	panel, err := light.Open(light.Pins{}, light.Options{})
	if (machine.Err() == nil) != (err == nil) {
		t.Errorf("Inspect says %v, Open %v", machine.Err(), err)
	}
	if err == nil {
		panel.Close()
	}
}
