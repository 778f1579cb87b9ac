package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tabletop/board"
)

// ErrStopped says that the hub runs no longer.
var ErrStopped = errors.New("web: the hub has stopped")

// Match is what a stream is about. The board is how the table stood when it
// began; every role sees it at once, whatever its delay.
type Match struct {
	// Epoch must be another one for every match, and the same one when the same
	// match is gone on with from its first event (History): then clients that
	// come back go on where they were.
	Epoch string
	Table string
	Game  string
	Board board.Board
}

// HubOptions sets up a hub. Only Match is needed.
type HubOptions struct {
	Match Match
	// History is what already happened in the match, from its first event on,
	// as journal.Events gives it. A delay counts from each event's own time.
	History iter.Seq2[board.Event, error]
	// Delays is by how much a role sees things later than they happen.
	Delays map[Role]time.Duration
	// KeepEvents and KeepBytes bound, per role, what is held for clients that
	// come back: 10,000 events and 8 MiB if 0.
	KeepEvents, KeepBytes int
	// QueueBytes bounds what waits for one client: 256 KiB if 0.
	QueueBytes int
	// MaxClients bounds the connections: 500 if 0.
	MaxClients int
	Clock      Clock                 // the machine's if nil
	Registry   prometheus.Registerer // gets the hub's metrics; nil: nobody does
	Logger     *slog.Logger          // nil: nothing is logged
}

// heartbeatEvery is the contract's.
const heartbeatEvery = 10 * time.Second

// longestProblem bounds a problem's text, in characters: it goes out with every
// heartbeat, and has to fit on a phone.
const longestProblem = 160

// Hub holds what each role sees and the clients that look at it. All of it
// belongs to the goroutine of Run; the methods ask that goroutine, so they wait
// until it runs.
type Hub struct {
	asks    chan func()
	stopped chan struct{}
	clock   Clock
	logger  *slog.Logger
	metrics *metrics
	queue   int
	most    int

	// Owned by Run's goroutine.
	streams map[Role]*stream
	clients map[*client]struct{}
	problem string
}

// NewHub makes a hub and reads the history.
func NewHub(o HubOptions) (*Hub, error) {
	setDefault(&o.KeepEvents, 10_000)
	setDefault(&o.KeepBytes, 8<<20)
	setDefault(&o.QueueBytes, 256<<10)
	setDefault(&o.MaxClients, 500)
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	if o.Match.Epoch == "" {
		return nil, errors.New("web: a match needs an epoch, a word that no other match has")
	}
	for role, delay := range o.Delays {
		if _, err := ParseRole(string(role)); err != nil {
			return nil, err
		}
		if delay < 0 {
			return nil, fmt.Errorf("web: the delay of role %s is %v; it must be 0 or more", role, delay)
		}
	}
	m, err := newMetrics(o.Registry)
	if err != nil {
		return nil, fmt.Errorf("web: registering the metrics: %w", err)
	}
	h := &Hub{
		asks: make(chan func()), stopped: make(chan struct{}),
		clock: o.Clock, logger: o.Logger, metrics: m, queue: o.QueueBytes, most: o.MaxClients,
		streams: map[Role]*stream{}, clients: map[*client]struct{}{},
	}
	for _, role := range Roles() {
		h.streams[role] = newStream(role, o.Delays[role], keep{o.KeepEvents, o.KeepBytes}, o.Match, o.Logger)
	}
	if o.History != nil {
		for e, err := range o.History {
			if err != nil {
				return nil, fmt.Errorf("web: reading what happened so far: %w", err)
			}
			for _, s := range h.streams {
				s.wait(pending{due: e.At.Add(s.delay), event: e})
			}
			h.release()
		}
	}
	return h, nil
}

func setDefault(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}

// Publish gives events to every role, in order. Publish only what the journal
// has written. It waits for no client. The events and the copies they point to
// must not be changed afterwards. The only error is ErrStopped.
func (h *Hub) Publish(events []board.Event) error {
	return h.ask(func() {
		now := h.clock.Now()
		for _, e := range events {
			for _, s := range h.streams {
				s.wait(pending{due: now.Add(s.delay), event: e})
			}
		}
		h.metrics.published.Add(float64(len(events)))
	})
}

// Begin leaves the match for another: each role sees it begin after its delay,
// gets a hello with the new epoch and, where it was subscribed, a snapshot.
func (h *Hub) Begin(m Match) error {
	if m.Epoch == "" {
		return errors.New("web: a match needs an epoch, a word that no other match has")
	}
	m.Board = m.Board.Clone()
	return h.ask(func() {
		now := h.clock.Now()
		for _, s := range h.streams {
			s.wait(pending{due: now.Add(s.delay), match: &m})
		}
	})
}

// SetProblem says what keeps the program from seeing or keeping what happens at
// the table, so that nobody takes an old board for the present; "" says that all
// is well again. Every connection of every role is told at once, whatever its
// delay: so the text must be for people, short (160 characters are sent), and
// without anything secret, addresses or paths. The text that already stands
// changes nothing. Any goroutine may call it; like Publish it waits until the
// hub runs, and after the hub's end it does nothing.
func (h *Hub) SetProblem(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestProblem {
		text = string(runes[:longestProblem-1]) + "…"
	}
	h.ask(func() { // a stopped hub has nobody left to tell
		if text == h.problem {
			return
		}
		h.problem = text
		h.heartbeat()
	})
}

// ask runs f in the goroutine of Run and waits until it has.
func (h *Hub) ask(f func()) error {
	done := make(chan struct{})
	select {
	case h.asks <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-h.stopped:
		return ErrStopped
	}
}

// Run owns the state until the context ends; then it closes every connection
// with code 1001 (going away) and returns nil. A hub runs once.
func (h *Hub) Run(ctx context.Context) error {
	defer close(h.stopped)
	beat, stopBeat := h.clock.Timer(heartbeatEvery)
	defer func() { stopBeat() }()
	var due time.Time
	var release <-chan time.Time
	stopRelease := func() {}
	defer func() { stopRelease() }()
	for {
		h.release()
		if next, ok := h.due(); !ok {
			stopRelease()
			release, due, stopRelease = nil, time.Time{}, func() {}
		} else if !next.Equal(due) {
			stopRelease()
			due = next
			release, stopRelease = h.clock.Timer(next.Sub(h.clock.Now()))
		}
		select {
		case <-ctx.Done():
			h.closeAll(websocket.CloseGoingAway, "the server is shutting down")
			return nil
		case f := <-h.asks:
			f()
		case <-release:
			due = time.Time{} // it has fired: the next one needs a new timer
		case <-beat:
			h.heartbeat()
			h.ping()
			beat, stopBeat = h.clock.Timer(heartbeatEvery)
		}
	}
}

func (h *Hub) due() (first time.Time, ok bool) {
	for _, s := range h.streams {
		if t, waits := s.due(); waits && (!ok || t.Before(first)) {
			first, ok = t, true
		}
	}
	return first, ok
}

// release lets out what is due and hands it to the clients.
func (h *Hub) release() {
	now := h.clock.Now()
	for role, s := range h.streams {
		events, began := s.release(now)
		h.metrics.waiting.WithLabelValues(string(role)).Set(float64(len(s.waiting)))
		h.metrics.released.WithLabelValues(string(role)).Add(float64(events))
		if events == 0 && !began {
			continue
		}
		for c := range h.clients {
			switch {
			case c.role != role:
			case began:
				h.greetAgain(c)
			default:
				h.feed(c)
			}
		}
	}
}

func (h *Hub) heartbeat() {
	for role, s := range h.streams {
		data := encode(Heartbeat{"heartbeat", s.head, h.problem})
		for c := range h.clients {
			if c.role == role {
				c.out.push(outHeartbeat, data)
			}
		}
	}
}

func (h *Hub) ping() {
	for c := range h.clients {
		c.out.sendPing()
	}
}

func (h *Hub) closeAll(code int, text string) {
	for c := range h.clients {
		c.out.close(code, text)
	}
}

// join greets a new client.
func (h *Hub) join(c *client) error {
	var full bool
	if err := h.ask(func() {
		if full = len(h.clients) >= h.most; full {
			return
		}
		h.clients[c] = struct{}{}
		h.metrics.clients.WithLabelValues(string(c.role)).Inc()
		h.greet(c)
	}); err != nil {
		return err
	}
	if full {
		return fmt.Errorf("web: there are already %d connections", h.most)
	}
	return nil
}

func (h *Hub) leave(c *client) {
	h.ask(func() {
		delete(h.clients, c)
		h.metrics.clients.WithLabelValues(string(c.role)).Dec()
	})
}

// promote gives a client the role its token is worth and says so.
func (h *Hub) promote(c *client, role Role, always bool) {
	if role == c.role && !always {
		return
	}
	h.metrics.clients.WithLabelValues(string(c.role)).Dec()
	h.metrics.clients.WithLabelValues(string(role)).Inc()
	c.role, c.view = role, ""
	c.out.restart(nil)
	h.greet(c)
}

func (h *Hub) greet(c *client) {
	hello := h.streams[c.role].hello()
	hello.Problem = h.problem
	if !c.out.push(outControl, encode(hello)) {
		h.slow(c) // so many hellos were asked for that they do not fit
	}
}

// greetAgain tells a client that another match began.
func (h *Hub) greetAgain(c *client) {
	c.out.restart(nil)
	h.greet(c)
	if c.view != "" {
		h.sendSnapshot(c, "match")
	}
}

// subscribe answers with what the client lacks, or with a snapshot.
func (h *Hub) subscribe(c *client, view string, since *Position) {
	s := h.streams[c.role]
	c.view, c.catchingUp = view, false
	resume := since != nil && s.has(*since)
	if resume && view == ViewBoard && s.size(since.Seq) > h.queue {
		resume = false // a board is cheaper than a long way to it
	}
	if !resume {
		h.sendSnapshot(c, "subscribe")
		return
	}
	c.out.restart(nil) // what was queued is part of the answer
	c.cursor, c.catchingUp = since.Seq, true
	h.feed(c)
}

// sendSnapshot puts a fresh snapshot in place of whatever is queued.
func (h *Hub) sendSnapshot(c *client, why string) {
	s := h.streams[c.role]
	data, err := s.snapshot()
	if err != nil {
		h.logger.Error("no snapshot", "error", err)
		c.out.close(websocket.CloseInternalServerErr, "the board can't be written as JSON")
		return
	}
	c.out.restart(data)
	c.cursor, c.catchingUp = s.head, false
	h.metrics.snapshots.WithLabelValues(why).Inc()
}

// feed queues the events a subscribed client does not have yet, as far as they
// fit. A client that is catching up on what it missed gets the rest when it has
// read these; one that was up to date and has no room is slow.
func (h *Hub) feed(c *client) {
	if c.view == "" {
		return
	}
	s := h.streams[c.role]
	for c.cursor < s.head {
		data, kept := s.event(c.cursor + 1)
		if !kept {
			h.slow(c)
			return
		}
		if !c.out.push(outStream, data) {
			if !c.catchingUp {
				h.slow(c)
				return
			}
			c.out.wantRefill()
			return
		}
		c.cursor++
	}
	c.catchingUp = false
}

// slow deals with a client that does not read fast enough: the board view can
// skip to the present, the log view can't.
func (h *Hub) slow(c *client) {
	h.metrics.slow.WithLabelValues(c.view).Inc()
	if c.view == ViewBoard {
		h.sendSnapshot(c, "slow")
		return
	}
	c.out.close(CloseSlowClient, "events come faster than you read them; subscribe again with since")
}

// encode writes a message of ours; none of those it is used for can fail.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("web: %T as JSON: %v", v, err))
	}
	return data
}
