// Command scanner watches a card table through a camera, keeps the state of
// the game and streams it. See `scanner help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent is how much garbage, in percent of what is in use, may pile up
// before it is collected. Memory is what a Raspberry Pi has least of, and a
// frame leaves little behind; GOGC in the environment still wins.
const gcPercent = 40

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
