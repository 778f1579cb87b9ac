// Package light runs the little panel at the table: a green, an amber and a
// red lamp, a buzzer, and a button that a judge presses to acknowledge, each on
// a GPIO pin named as periph.io names it ("GPIO17").
//
// A machine without GPIO is no failure and is told from one where it fails
// (ErrNoGPIO). The package refuses to judge: it shows what it is told. It uses
// no PWM, which does not work on every Raspberry Pi.
//
// Each lamp and the buzzer hang between its pin and ground (with a resistor or
// a transistor), or with ActiveLow between its pin and 3.3 V; the button joins
// its pin to ground. When the program is killed outright the pins stay as they
// were; the next start turns them off.
package light
