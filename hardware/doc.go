// Package hardware says what of this machine the program can use (Inspect). The
// hardware itself is reached through its subpackages: camera reads pictures,
// light runs the lamps, the buzzer and the button.
//
// The package refuses to change anything: to look does not open a camera's
// stream nor switch a pin.
package hardware
