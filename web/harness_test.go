package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tabletop/board"
	"tabletop/web"
)

// patience is how long a test waits for something that must come. It is never
// waited out when all is well, so it is long enough for a machine with one core
// and much else to do.
const patience = time.Minute

// fakeClock moves when it is told to, and fires the timers that are due then.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*fakeTimer]struct{}
}

type fakeTimer struct {
	at time.Time
	c  chan time.Time
}

func newClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), timers: map[*fakeTimer]struct{}{}}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c.now.Add(d), make(chan time.Time, 1)}
	c.timers[t] = struct{}{}
	c.fire()
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

func (c *fakeClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.fire()
}

func (c *fakeClock) fire() {
	for t := range c.timers {
		if !t.at.After(c.now) {
			t.c <- c.now
			delete(c.timers, t)
		}
	}
}

// Tokens of the tests' server.
var testTokens = map[string]web.Role{"overlay-token": web.RoleOverlay, "judge-token": web.RoleJudge, "operator-token": web.RoleOperator}

// table is a running hub and server.
type table struct {
	t     *testing.T
	hub   *web.Hub
	clock *fakeClock
	url   string // of the server, http://…
	stop  func() // the hub; waits for its end
}

func testLayout() board.Layout {
	half := func(top, bottom float64) board.Polygon {
		return board.Polygon{{X: 0, Y: top}, {X: 1, Y: top}, {X: 1, Y: bottom}, {X: 0, Y: bottom}}
	}
	return board.Layout{
		Size:  board.Size{Width: 1200, Height: 800},
		Seats: []board.Seat{{ID: "south", Name: "Aiko"}, {ID: "north", Name: "Ben", UpDeg: 180}},
		Zones: []board.Zone{
			{ID: "north.home", Kind: board.ZoneHome, Seat: "north", Outline: half(0, 0.4)},
			{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: half(0.4, 0.6)},
			{ID: "south.home", Kind: board.ZoneHome, Seat: "south", Outline: half(0.6, 0.9)},
			{ID: "south.hand", Kind: board.ZoneHand, Seat: "south", Outline: half(0.9, 1)},
		},
	}
}

func newTable(t *testing.T, o web.HubOptions) *table {
	t.Helper()
	return newTableOf(t, o, web.Options{})
}

// newTableOf is newTable with more of a server.
func newTableOf(t *testing.T, o web.HubOptions, s web.Options) *table {
	t.Helper()
	clock := newClock()
	o.Clock = clock
	if o.Match.Epoch == "" {
		o.Match = web.Match{Epoch: "first", Table: "Table 7", Game: "l5r-emperor", Board: board.NewBoard(testLayout())}
	}
	hub, err := web.NewHub(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := hub.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop := func() { cancel(); <-ended }
	s.Hub, s.Tokens = hub, testTokens
	server, err := web.New(s)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server.Handler())
	t.Cleanup(func() { stop(); front.Close() })
	return &table{t: t, hub: hub, clock: clock, url: front.URL, stop: stop}
}

func (tb *table) publish(events ...board.Event) {
	tb.t.Helper()
	for i := range events {
		if events[i].At.IsZero() {
			events[i].At = tb.clock.Now()
		}
	}
	if err := tb.hub.Publish(events); err != nil {
		tb.t.Fatal(err)
	}
}

// settle waits until the hub has handled what the clock fired.
func (tb *table) settle() {
	tb.t.Helper()
	for range 2 { // a timer that is due may be picked after the first
		if err := tb.hub.Publish(nil); err != nil {
			tb.t.Fatal(err)
		}
	}
}

// client is a websocket client that knows only the contract.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	raw  strings.Builder // everything that came
}

func (tb *table) dial(header http.Header) *client {
	tb.t.Helper()
	return dialVia(tb.t, &websocket.Dialer{Subprotocols: []string{web.Subprotocol}}, tb.url, header)
}

// dialSmall connects with a small receive buffer, so that a client that reads
// nothing is felt by the server soon.
func (tb *table) dialSmall() *client {
	tb.t.Helper()
	dialer := &websocket.Dialer{Subprotocols: []string{web.Subprotocol}, NetDial: func(network, addr string) (net.Conn, error) {
		conn, err := net.Dial(network, addr)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(32 << 10)
		}
		return conn, err
	}}
	return dialVia(tb.t, dialer, tb.url, nil)
}

func dialVia(t *testing.T, dialer *websocket.Dialer, url string, header http.Header) *client {
	t.Helper()
	conn, response, err := dialer.Dial("ws"+strings.TrimPrefix(url, "http")+"/ws", header)
	if err != nil {
		t.Fatalf("dialling: %v", err)
	}
	response.Body.Close()
	if got := conn.Subprotocol(); got != web.Subprotocol {
		t.Fatalf("subprotocol %q, want %q", got, web.Subprotocol)
	}
	c := &client{t: t, conn: conn}
	t.Cleanup(func() { conn.Close() })
	return c
}

func cookie(token string) http.Header {
	return http.Header{"Cookie": {web.CookieName + "=" + token}}
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatalf("sending %s: %v", text, err)
	}
}

func (c *client) subscribe(view string, since *web.Position) {
	c.t.Helper()
	data, err := json.Marshal(web.Subscribe{Type: "subscribe", View: view, Since: since})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(data))
}

// receive returns the next message and its type.
func (c *client) receive() (kind string, data []byte, err error) {
	c.conn.SetReadDeadline(time.Now().Add(patience))
	_, data, err = c.conn.ReadMessage()
	if err != nil {
		return "", nil, err
	}
	c.raw.Write(data)
	c.raw.WriteByte('\n')
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", nil, fmt.Errorf("a message that is not JSON: %q", data)
	}
	return head.Type, data, nil
}

// expect returns the next message, which must be of the type of T.
func expect[T any](c *client, kind string) T {
	c.t.Helper()
	got, data, err := c.receive()
	if err != nil {
		c.t.Fatalf("waiting for %s: %v", kind, err)
	}
	if got != kind {
		c.t.Fatalf("got %s, want %s: %s", got, kind, data)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		c.t.Fatalf("%s: %v", data, err)
	}
	return v
}

func (c *client) hello() web.Hello       { c.t.Helper(); return expect[web.Hello](c, "hello") }
func (c *client) snapshot() web.Snapshot { c.t.Helper(); return expect[web.Snapshot](c, "snapshot") }
func (c *client) event() board.Event     { c.t.Helper(); return expect[board.Event](c, "event") }
func (c *client) heartbeat() web.Heartbeat {
	c.t.Helper()
	return expect[web.Heartbeat](c, "heartbeat")
}

// expectClose reads until the connection ends, and wants that code.
func (c *client) expectClose(code int) {
	c.t.Helper()
	for {
		_, _, err := c.receive()
		if err == nil {
			continue
		}
		if !websocket.IsCloseError(err, code) {
			c.t.Fatalf("ended with %v, want close code %d", err, code)
		}
		return
	}
}

// Copies and events to publish.

func copyOf(id, card string, face board.Face, zone board.ZoneID, state ...string) *board.Copy {
	c := &board.Copy{
		ID: board.CopyID(id), Back: "l5r-fate", Owner: "south", Controller: "south", Zone: zone, State: board.NewState(state...),
		Pose: board.Pose{Centre: board.Point{X: 600, Y: 560}, Face: face, Visible: 1, Confidence: 0.97,
			Corners: board.RectQuad(board.Point{X: 600, Y: 560}, board.StandardCard(), 0)},
	}
	if card != "" {
		c.Card = &board.CardRef{ID: board.CardID(card), Name: "Name of " + card, Type: "personality"}
	}
	return c
}

func change(kind board.EventKind, before, after *board.Copy) board.Event {
	e := board.Event{Kind: kind, Before: before, After: after}
	if after != nil {
		e.Card = after.ID
	} else {
		e.Card = before.ID
	}
	return e
}

// bow is a pair of events that leave the board as it was.
func bow(id string) []board.Event {
	up, bowed := copyOf(id, "hida", board.FaceUp, "south.home"), copyOf(id, "hida", board.FaceUp, "south.home", "bowed")
	bowed.Pose.Rotation = 90
	return []board.Event{change("card.bowed", up, bowed), change("card.straightened", bowed, up)}
}
