package web

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"tabletop/board"
)

// CookieName is the cookie that /login sets and that a websocket may come with.
const CookieName = "tabletop_token"

// cookieLife is longer than any tournament.
const cookieLife = 7 * 24 * time.Hour

// NewToken returns a token that can't be guessed, for whoever was given none in
// the configuration.
func NewToken() string { return rand.Text() }

// tokens knows what each token is worth. They are held as digests, so that the
// time a look-up takes says nothing about a token.
type tokens map[[sha256.Size]byte]Role

func newTokens(given map[string]Role) (tokens, error) {
	t := tokens{}
	for token, role := range given {
		if token == "" {
			return nil, fmt.Errorf("web: the token of role %s is empty; leave it out, or make one", role)
		}
		if _, err := ParseRole(string(role)); err != nil {
			return nil, err
		}
		t[sha256.Sum256([]byte(token))] = role
	}
	return t, nil
}

func (t tokens) role(token string) (Role, bool) {
	role, ok := t[sha256.Sum256([]byte(token))]
	return role, ok
}

// ofRequest is the role a request's cookie gives it.
func (t tokens) ofRequest(r *http.Request) Role {
	// A page without an origin (a file, a sandboxed frame of any site) may hold a
	// token of its own; it does not get the one of the person at the browser.
	if r.Header.Get("Origin") == "null" {
		return RoleViewer
	}
	if cookie, err := r.Cookie(CookieName); err == nil {
		if role, ok := t.role(cookie.Value); ok {
			return role
		}
	}
	return RoleViewer
}

// sameOrigin lets in pages of this server, programs (they send no origin) and
// pages without one, such as a local file in OBS.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return true
	}
	_, host, ok := strings.Cut(origin, "://")
	return ok && strings.EqualFold(host, r.Host)
}

// atThisMachine says whether a request comes from this machine and means it: the
// host in it must be this machine's too, or a page of some other site could have
// sent it under a name of its own (DNS rebinding).
func atThisMachine(r *http.Request) bool {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !net.ParseIP(peer).IsLoopback() {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

var errTooManyTries = errors.New("too many wrong tokens; wait a minute and try again")

// tries slows down whoever guesses at /login: per address, a number of wrong
// tokens a minute.
type tries struct {
	clock board.Clock
	most  int

	mu    sync.Mutex
	since time.Time
	wrong map[string]int
}

func (t *tries) allow(address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.clock.Now(); t.wrong == nil || now.Sub(t.since) >= time.Minute {
		t.since, t.wrong = now, map[string]int{}
	}
	if t.wrong[address] >= t.most {
		return errTooManyTries
	}
	return nil
}

func (t *tries) failed(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong != nil {
		t.wrong[address]++
	}
}
