package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tabletop/board"
	"tabletop/internal/tablesim/script"
	"tabletop/web"
)

// arrival is an event and when a client had it.
type arrival struct {
	event board.Event
	at    time.Time
}

// BenchmarkRestToClient plays a film in real time (15 frames a second at
// 1920×1080, JPEG) to the whole live program and takes the time from the moment
// at which the script brings a card to rest to the arrival of its event at a
// judge's websocket. The time holds the wait for the next frame (up to 67 ms),
// its decoding, and the settle time of 250 ms. One op is a film of 12 cards, so
// run it with -benchtime 1x.
func BenchmarkRestToClient(b *testing.B) {
	f := mustFilm(b)
	var waits []time.Duration
	var dropped uint64
	for b.Loop() {
		took, lost := playLive(b, f)
		waits, dropped = append(waits, took...), dropped+lost
	}
	b.ReportMetric(0, "ns/op") // the length of the film
	b.ReportMetric(quantile(0.5, waits), "median-ms")
	b.ReportMetric(quantile(0.99, waits), "p99-ms")
	b.ReportMetric(float64(dropped)/float64(b.N), "dropped")
}

// playLive plays the film once. It returns how long each of the acts' events
// took, and how many frames were dropped.
func playLive(b *testing.B, f *film) ([]time.Duration, uint64) {
	b.Helper()
	source := &projector{film: f}
	l := openFilmed(b, f, source)
	ctx, stop := context.WithTimeout(b.Context(), f.table.game.Length+10*time.Second)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	conn := subscribe(b, l)
	defer conn.Close()
	arrivals := follow(conn)
	var waits []time.Duration
	open := actsOf(f)
	for len(open) > 0 {
		select {
		case a := <-arrivals:
			i := slices.IndexFunc(open, func(w script.Expected) bool {
				return a.event.Kind == w.Kind && a.event.After != nil && a.event.After.Card != nil && a.event.After.Card.ID == w.Card
			})
			if i >= 0 {
				waits = append(waits, a.at.Sub(source.start().Add(open[i].At)))
				open = slices.Delete(open, i, i+1)
			}
		case err := <-done:
			b.Fatalf("the program ended: %v", err)
		case <-ctx.Done():
			b.Fatalf("%d events never came, the first: %v", len(open), open[0])
		}
	}
	stop()
	if err := <-done; err != nil {
		b.Error(err)
	}
	return waits, source.Stats().Dropped
}

// follow gives the events that come to a client until its connection is closed.
func follow(conn *websocket.Conn) <-chan arrival {
	arrivals := make(chan arrival, 1024)
	go func() {
		defer close(arrivals)
		for {
			_, data, err := conn.ReadMessage()
			at := time.Now()
			if err != nil {
				return
			}
			var message struct{ Type string }
			var event board.Event
			if json.Unmarshal(data, &message) == nil && message.Type == "event" && json.Unmarshal(data, &event) == nil {
				arrivals <- arrival{event, at}
			}
		}
	}()
	return arrivals
}

// actsOf are the reports of the film's acts, without those of the cards that
// lie there from the beginning.
func actsOf(f *film) []script.Expected {
	return slices.DeleteFunc(f.table.game.Expected(), func(e script.Expected) bool {
		return e.Kind != "card.bowed" && e.Kind != "card.straightened"
	})
}

// subscribe connects a judge who wants every event from the match's first on.
func subscribe(b testing.TB, l *live) *websocket.Conn {
	b.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{web.Subprotocol}}
	conn, _, err := dialer.Dial("ws://"+hostFor(l.server.Addr())+"/ws", http.Header{})
	if err != nil {
		b.Fatal(err)
	}
	since := &web.Position{Epoch: l.match.Info().Epoch}
	if err := conn.WriteJSON(web.Subscribe{Type: "subscribe", View: web.ViewLog, Token: judgeToken, Since: since}); err != nil {
		b.Fatal(err)
	}
	return conn
}
