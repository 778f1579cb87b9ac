package web

import (
	"slices"
	"sync"
)

// kind of a queued message: what may be dropped depends on it.
type outKind uint8

const (
	outControl   outKind = iota // hello, error: never dropped
	outHeartbeat                // only the newest counts
	outStream                   // events and snapshots: void when a fresh snapshot follows
)

type outMessage struct {
	kind outKind
	data []byte // shared between connections; not to be changed
}

// outbox is the queue between the hub, which must never wait, and the writer of
// one connection. It is bounded in bytes. It is the one place of this package
// where two goroutines share memory, hence the lock.
type outbox struct {
	limit int
	wake  chan struct{} // one token: there is something to do for the writer

	mu      sync.Mutex
	queue   []outMessage
	bytes   int
	ping    bool
	closing *closeReason
	refill  bool // the hub has more for this client once the queue is empty
}

type closeReason struct {
	code int
	text string
}

func newOutbox(limit int) *outbox {
	return &outbox{limit: limit, wake: make(chan struct{}, 1)}
}

// push queues a message. It reports false, and queues nothing, when the message
// does not fit; one message always fits into an empty queue, and a heartbeat,
// of which there is never more than one, into any. A new heartbeat takes the
// last place, not that of the old one: it may contradict a hello between them.
func (o *outbox) push(kind outKind, data []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing != nil {
		return true // whatever is still said to it goes nowhere
	}
	if kind == outHeartbeat {
		if i := slices.IndexFunc(o.queue, func(m outMessage) bool { return m.kind == outHeartbeat }); i >= 0 {
			o.bytes -= len(o.queue[i].data)
			o.queue = slices.Delete(o.queue, i, i+1)
		}
		o.append(kind, data)
		return true
	}
	if len(o.queue) > 0 && o.bytes+len(data) > o.limit {
		return false
	}
	o.append(kind, data)
	return true
}

// restart drops what is queued of the stream. If with is not nil it is queued
// in its place, whatever its size.
func (o *outbox) restart(with []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := o.queue[:0]
	for _, m := range o.queue {
		if m.kind == outStream {
			o.bytes -= len(m.data)
			continue
		}
		kept = append(kept, m)
	}
	clear(o.queue[len(kept):])
	o.queue, o.refill = kept, false
	if with != nil && o.closing == nil {
		o.append(outStream, with)
	}
}

// append needs the lock.
func (o *outbox) append(kind outKind, data []byte) {
	o.queue = append(o.queue, outMessage{kind, data})
	o.bytes += len(data)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// wantRefill asks the writer to tell the hub when the queue is empty.
func (o *outbox) wantRefill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refill = true
	o.signal()
}

// sendPing asks the writer for a ping between two messages.
func (o *outbox) sendPing() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ping = true
	o.signal()
}

// close ends the connection. What is queued is dropped, except, unless the
// client is too slow anyway, what is not of the stream: the error that explains
// the close.
func (o *outbox) close(code int, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing != nil {
		return
	}
	kept := o.queue[:0]
	o.bytes = 0
	for _, m := range o.queue {
		if m.kind == outControl && code != CloseSlowClient {
			kept = append(kept, m)
			o.bytes += len(m.data)
		}
	}
	clear(o.queue[len(kept):])
	o.queue, o.closing = kept, &closeReason{code, text}
	o.signal()
}

// work is what the writer is to do next.
type work struct {
	message []byte
	ping    bool
	refill  bool
	closing *closeReason
}

// take returns the next thing to do; ok is false when there is nothing.
func (o *outbox) take() (w work, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ping && o.closing == nil:
		o.ping = false
		return work{ping: true}, true
	case len(o.queue) > 0:
		m := o.queue[0]
		o.queue[0] = outMessage{}
		o.queue = o.queue[1:]
		o.bytes -= len(m.data)
		return work{message: m.data}, true
	case o.closing != nil:
		return work{closing: o.closing}, true
	case o.refill:
		o.refill = false
		return work{refill: true}, true
	}
	return work{}, false
}
