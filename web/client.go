package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Limits of a connection. Deadlines are those of the network and go by the
// machine's clock.
const (
	readLimit = 4 << 10 // bytes of a client's message; the longest real one has a few hundred
	// A client that reads nothing answers no ping either. Two minutes let one
	// that stalled (a laptop that slept, OBS that loaded a scene) catch up.
	silenceLimit = 2 * time.Minute
	writeLimit   = 2 * time.Minute
	// closeLimit is how long the other side has to answer a close. Closing
	// earlier could take from it what it has not read, and the reason with it.
	closeLimit = 10 * time.Second
	// drainLimit is how long the rest of a message that is too long is read.
	drainLimit = 5 * time.Second
	// sendBuffer is what the kernel may hold of what is on its way to a client. By
	// itself Linux lets it grow to some MiB: memory that slow clients would take,
	// and a backlog that no snapshot can replace.
	sendBuffer = 128 << 10
	// tokenTries is how many unknown tokens one connection may try.
	tokenTries = 5
)

// client is one connection.
type client struct {
	out *outbox

	// Owned by the hub's goroutine.
	role       Role
	view       string // "" before subscribe
	cursor     uint64 // number of the last event queued for it
	catchingUp bool   // it resumed and the rest is not queued yet

	// Owned by the reader.
	errors    int
	badTokens int
}

// authenticate says which role a token is worth; ok is false for an unknown one.
type authenticate func(token string) (role Role, ok bool)

// Serve talks the protocol on an open connection until it ends, then closes it.
// role is what the client is without a token.
func (h *Hub) Serve(conn *websocket.Conn, role Role, auth authenticate) {
	if tcp, ok := conn.NetConn().(*net.TCPConn); ok {
		tcp.SetWriteBuffer(sendBuffer) // if it can't be set, the default works too
	}
	c := &client{out: newOutbox(h.queue), role: role}
	if err := h.join(c); err != nil {
		h.logger.Warn("a connection was refused", "remote", conn.RemoteAddr(), "error", err)
		conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseTryAgainLater, "try again later"), time.Now().Add(closeLimit))
		conn.Close()
		return
	}
	readerDone, writerDone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(writerDone)
		h.write(conn, c, readerDone)
	}()
	h.read(conn, c, auth)
	close(readerDone)
	<-writerDone
	h.leave(c)
}

// read handles what the client says until the connection ends.
func (h *Hub) read(conn *websocket.Conn, c *client, auth authenticate) {
	conn.SetReadLimit(readLimit)
	alive := func() { conn.SetReadDeadline(time.Now().Add(silenceLimit)) }
	alive()
	conn.SetPongHandler(func(string) error { alive(); return nil })
	for {
		kind, data, err := conn.ReadMessage()
		if errors.Is(err, websocket.ErrReadLimit) {
			drain(conn)
		}
		if err != nil {
			return
		}
		alive()
		if problem := h.handle(c, kind, data, auth); problem != nil {
			h.complain(c, *problem)
		}
	}
}

// drain reads on for a moment what can't be used. Closing a TCP connection with
// unread data resets it, and the reset would take the reason from the client.
func drain(conn *websocket.Conn) {
	conn.SetReadDeadline(time.Now().Add(drainLimit))
	io.CopyN(io.Discard, conn.NetConn(), 1<<20) // however it ends, the connection is closed next
}

// complain sends the error; the second one ends the connection.
func (h *Hub) complain(c *client, problem Error) {
	h.metrics.malformed.Inc()
	c.errors++
	c.out.push(outControl, encode(problem))
	if c.errors > 1 {
		c.out.close(CloseMalformed, "too many messages that can't be understood")
	}
}

// handle answers one message. It returns what is wrong with it, if anything.
func (h *Hub) handle(c *client, kind int, data []byte, auth authenticate) *Error {
	if kind != websocket.TextMessage || !utf8.Valid(data) {
		return malformed("send text messages with JSON in UTF-8")
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return malformed(fmt.Sprintf("send one JSON object a message: %v", err))
	}
	switch head.Type {
	case "auth":
		var m Auth
		if err := json.Unmarshal(data, &m); err != nil {
			return malformed(fmt.Sprintf("auth: %v", err))
		}
		h.login(c, m.Token, auth, true)
		return nil
	case "subscribe":
		var m Subscribe
		if err := json.Unmarshal(data, &m); err != nil {
			return malformed(fmt.Sprintf("subscribe: %v", err))
		}
		if m.View != ViewBoard && m.View != ViewLog {
			return &Error{"error", CodeUnknownView, fmt.Sprintf("there is no view %.40q; the views are board and log", m.View)}
		}
		if m.Token != "" {
			h.login(c, m.Token, auth, false)
		}
		h.ask(func() { h.subscribe(c, m.View, m.Since) }) // a stopped hub closes the connection
		return nil
	case "":
		return malformed(`a message needs a "type"; start with {"type":"subscribe","view":"board"}`)
	}
	return &Error{"error", CodeUnknownType, fmt.Sprintf("there is no message %.40q; a client sends auth and subscribe", head.Type)}
}

func malformed(text string) *Error { return &Error{"error", CodeMalformed, text} }

// login changes the client's role to what the token is worth. If always, it is
// told so even when that changes nothing.
func (h *Hub) login(c *client, token string, auth authenticate, always bool) {
	role, known := auth(token)
	if !known {
		role = RoleViewer
		if c.badTokens++; c.badTokens > tokenTries {
			c.out.close(CloseMalformed, "too many unknown tokens")
			return
		}
	}
	h.ask(func() { h.promote(c, role, always) })
}

// write is the connection's only writer. It ends when the reader did, when
// writing fails, or after a close.
func (h *Hub) write(conn *websocket.Conn, c *client, readerDone <-chan struct{}) {
	defer conn.Close() // ends the reader, if it did not end first
	for {
		w, ok := c.out.take()
		if !ok {
			select {
			case <-c.out.wake:
			case <-readerDone:
				return
			}
			continue
		}
		deadline := time.Now().Add(writeLimit)
		var err error
		switch {
		case w.message != nil:
			conn.SetWriteDeadline(deadline)
			err = conn.WriteMessage(websocket.TextMessage, w.message)
		case w.ping:
			err = conn.WriteControl(websocket.PingMessage, nil, deadline)
		case w.refill:
			h.ask(func() { h.feed(c) }) // a stopped hub has left a close to send instead
		case w.closing != nil:
			conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(w.closing.code, w.closing.text), deadline)
			select {
			case <-readerDone: // it answered
			case <-time.After(closeLimit):
			}
			return
		}
		if err != nil {
			return
		}
	}
}
