package web_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"tabletop/web"
)

// When hub and server have ended, nothing of theirs runs on: neither for clients
// that left by themselves, nor for those that were closed, nor for one that
// never answers.
func TestNothingRunsOn(t *testing.T) {
	before := goleak.IgnoreCurrent()
	hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	server, err := web.New(web.Options{Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server.Handler())
	tb := &table{t: t, hub: hub, url: front.URL}

	left, stayed, silent := tb.dial(nil), tb.dial(nil), tb.dial(nil)
	for _, c := range []*client{left, stayed} {
		c.hello()
		c.subscribe("log", nil)
		c.snapshot()
	}
	left.conn.Close()
	silent.conn.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	stayed.expectClose(1001)
	stayed.conn.Close()
	front.Close()
	goleak.VerifyNone(t, before)
}
