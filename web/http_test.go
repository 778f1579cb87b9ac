package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tabletop/web"
)

// gate passes everything on to a server that can be changed.
type gate struct{ target atomic.Pointer[url.URL] }

func newGate(to string) *gate {
	g := &gate{}
	g.lead(to)
	return g
}

func (g *gate) lead(to string) {
	u, err := url.Parse(to)
	if err != nil {
		panic(err)
	}
	g.target.Store(u)
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(g.target.Load())
		p.Out.Host = p.In.Host // the origin check compares with it
	}}
	proxy.ServeHTTP(w, r)
}

// serve runs a server with those options and an empty hub, and returns its URL.
func serve(t *testing.T, o web.Options) string {
	t.Helper()
	hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); hub.Run(ctx) }()
	o.Hub = hub
	server, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server.Handler())
	t.Cleanup(func() { cancel(); <-ended; front.Close() })
	return front.URL
}

// get asks without following a redirect.
func get(t *testing.T, address string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	return send(t, r)
}

func send(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestPages(t *testing.T) {
	front := serve(t, web.Options{})
	for path, kind := range map[string]string{
		"/":                 "text/html; charset=utf-8",
		"/overlay":          "text/html; charset=utf-8",
		"/debug":            "text/html; charset=utf-8",
		"/login":            "text/html; charset=utf-8",
		"/static/board.js":  "text/javascript; charset=utf-8",
		"/static/base.css":  "text/css; charset=utf-8",
		"/static/icon.svg":  "image/svg+xml",
		"/static/stream.js": "text/javascript; charset=utf-8",
	} {
		t.Run(path, func(t *testing.T) {
			response, body := get(t, front+path, nil)
			if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != kind {
				t.Fatalf("status %d, content type %q; want 200, %q", response.StatusCode, response.Header.Get("Content-Type"), kind)
			}
			h := response.Header
			if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'self'") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") == "" {
				t.Errorf("headers %v", h)
			}
			for _, outside := range []string{"http://", "https://", " style=", " onclick="} {
				rest := strings.ReplaceAll(body, "http://www.w3.org/2000/svg", "") // a name, not an address
				if strings.Contains(rest, outside) && outside != " style=" || strings.Contains(rest, " style=\"") {
					t.Errorf("it contains %q", outside)
				}
			}
			if etag := h.Get("ETag"); etag != "" {
				again, _ := get(t, front+path, func(r *http.Request) { r.Header.Set("If-None-Match", etag) })
				if again.StatusCode != http.StatusNotModified {
					t.Errorf("asked again: status %d, want 304", again.StatusCode)
				}
			}
		})
	}
	for _, path := range []string{"/none", "/static/none.js", "/static/login.html", "/static/", "/static/../server.go"} {
		if response, _ := get(t, front+path, nil); response.StatusCode == http.StatusOK {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}

func TestHealth(t *testing.T) {
	health := web.Health{"camera": {OK: true, Detail: "30 fps"}, "journal": {OK: true}}
	front := serve(t, web.Options{Health: func(context.Context) web.Health { return health }})
	var answer struct {
		OK     bool       `json:"ok"`
		Checks web.Health `json:"checks"`
	}
	ask := func() int {
		response, body := get(t, front+"/healthz", nil)
		if err := json.Unmarshal([]byte(body), &answer); err != nil || response.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%q: %v", body, err)
		}
		return response.StatusCode
	}
	if status := ask(); status != http.StatusOK || !answer.OK || answer.Checks["camera"].Detail != "30 fps" {
		t.Fatalf("all well: status %d, %+v", status, answer)
	}
	health = web.Health{"camera": {OK: true}, "journal": {Detail: "the disk is full"}}
	if status := ask(); status != http.StatusServiceUnavailable || answer.OK || answer.Checks["journal"].OK {
		t.Fatalf("the disk is full: status %d, %+v", status, answer)
	}
	if response, _ := get(t, serve(t, web.Options{})+"/healthz", nil); response.StatusCode != http.StatusOK {
		t.Fatalf("without checks: status %d", response.StatusCode)
	}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	tb := newTable(t, web.HubOptions{Registry: registry})
	server, err := web.New(web.Options{Hub: tb.hub, Registry: registry})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server.Handler())
	defer front.Close()
	c := tb.dial(nil)
	c.hello()
	c.subscribe("board", nil)
	c.snapshot()
	tb.publish(bow("c1")...)
	c.event()
	_, body := get(t, front.URL+"/metrics", nil)
	for _, line := range []string{
		`tabletop_web_clients{role="viewer"} 1`, `tabletop_web_events_published_total 2`,
		`tabletop_web_events_released_total{role="viewer"} 2`, `tabletop_web_snapshots_total{why="subscribe"} 1`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no line %q in\n%s", line, body)
		}
	}
	if response, _ := get(t, tb.url+"/metrics", nil); response.StatusCode != http.StatusNotFound {
		t.Errorf("without a registry: status %d", response.StatusCode)
	}
	if _, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}, Registry: registry}); err == nil {
		t.Error("two hubs share a registry")
	}
}

func TestWhoMaySeeTheCamera(t *testing.T) {
	open := serve(t, web.Options{Debug: newCamera(t)})
	closed := serve(t, web.Options{Debug: newCamera(t), Tokens: testTokens})
	with := func(token, host string) func(*http.Request) {
		return func(r *http.Request) {
			if token != "" {
				r.AddCookie(&http.Cookie{Name: web.CookieName, Value: token})
			}
			if host != "" {
				r.Host = host
			}
		}
	}
	for _, test := range []struct {
		name, front, token, host string
		page, frame              int
	}{
		{"no tokens, this machine", open, "", "", 200, 200},
		{"no tokens, localhost", open, "", "localhost:8080", 200, 200},
		{"no tokens, this machine under a foreign name", open, "", "evil.example", 403, 403},
		{"nobody", closed, "", "", 303, 403},
		{"a viewer's guess", closed, "guess", "", 303, 403},
		{"the overlay", closed, "overlay-token", "", 303, 403},
		{"a judge", closed, "judge-token", "", 200, 200},
		{"an operator", closed, "operator-token", "", 200, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			if page, _ := get(t, test.front+"/debug", with(test.token, test.host)); page.StatusCode != test.page {
				t.Errorf("page: status %d, want %d", page.StatusCode, test.page)
			}
			frame, body := get(t, test.front+"/debug/frame", with(test.token, test.host))
			if frame.StatusCode != test.frame || strings.Contains(body, "Hida") != (test.frame == 200) {
				t.Errorf("frame: status %d, want %d", frame.StatusCode, test.frame)
			}
		})
	}
}

func TestDebugFrameErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		source web.DebugSource
		status int
	}{
		{"no camera", nil, http.StatusNotFound},
		{"no picture yet", &camera{err: web.ErrNoFrame}, http.StatusServiceUnavailable},
		{"it fails", &camera{err: errors.New("the cable")}, http.StatusInternalServerError},
	} {
		t.Run(test.name, func(t *testing.T) {
			front := serve(t, web.Options{Debug: test.source})
			if response, body := get(t, front+"/debug/frame", nil); response.StatusCode != test.status || strings.TrimSpace(body) == "" {
				t.Fatalf("status %d, %q", response.StatusCode, body)
			}
		})
	}
}

func TestLogin(t *testing.T) {
	front := serve(t, web.Options{Tokens: testTokens, Clock: newClock()})
	post := func(path string, form url.Values, origin string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		response, _ := send(t, r)
		return response
	}
	for _, test := range []struct{ name, next, leads string }{
		{"to the board", "", "/"},
		{"to the camera", "/debug", "/debug"},
		{"nowhere else", "https://evil.example", "/"},
		{"nowhere else by two slashes", "//evil.example", "/"},
		{"nowhere else by a backslash", "/\\evil.example", "/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			response := post("/login", url.Values{"token": {" judge-token "}, "next": {test.next}}, front)
			if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != test.leads {
				t.Fatalf("status %d, leads to %q, want %q", response.StatusCode, response.Header.Get("Location"), test.leads)
			}
			c := response.Cookies()
			if len(c) != 1 || c[0].Value != "judge-token" || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
				t.Fatalf("cookies %v", c)
			}
		})
	}
	if response := post("/login", url.Values{"token": {"judge-token"}}, "http://evil.example"); response.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: status %d", response.StatusCode)
	}
	if response := post("/logout", nil, front); len(response.Cookies()) != 1 || response.Cookies()[0].MaxAge >= 0 {
		t.Errorf("logging out sets %v", response.Cookies())
	}
	for range 10 {
		if response := post("/login", url.Values{"token": {"guess"}}, front); response.StatusCode != http.StatusUnauthorized || len(response.Cookies()) != 0 {
			t.Fatalf("a wrong token: status %d, cookies %v", response.StatusCode, response.Cookies())
		}
	}
	if response := post("/login", url.Values{"token": {"judge-token"}}, front); response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("after ten wrong tokens in a minute: status %d", response.StatusCode)
	}
}

func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct{ name, addr, says string }{
		{"port in use", taken.Addr().String(), "another program uses this port"},
		{"no port", "localhost", "HOST:PORT"},
		{"not this machine's", "192.0.2.1:8080", "leave the host out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}})
			if err != nil {
				t.Fatal(err)
			}
			server, err := web.New(web.Options{Addr: test.addr, Hub: hub})
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Listen(); err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.addr) {
				t.Fatalf("error %v; it should name %s and say %q", err, test.addr, test.says)
			}
			if _, alone := web.Listen(test.addr); alone == nil || !strings.Contains(alone.Error(), test.says) {
				t.Fatalf("Listen alone: error %v; it should say %q", alone, test.says)
			}
		})
	}
}

func TestNewErrors(t *testing.T) {
	hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]web.Options{
		"no hub":       {},
		"empty token":  {Hub: hub, Tokens: map[string]web.Role{"": web.RoleJudge}},
		"unknown role": {Hub: hub, Tokens: map[string]web.Role{"x": "boss"}},
	} {
		if _, err := web.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A server that is told to stop says so to its websockets and then is gone.
func TestRunAndStop(t *testing.T) {
	t.Run("an address", func(t *testing.T) { runAndStop(t, web.Options{Addr: "127.0.0.1:0"}) })
	t.Run("an open listener", func(t *testing.T) {
		listener, err := web.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := web.Listen(listener.Addr().String()); err == nil {
			t.Error("the port is not taken yet")
		}
		runAndStop(t, web.Options{Listener: listener})
	})
}

func runAndStop(t *testing.T, o web.Options) {
	hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e"}})
	if err != nil {
		t.Fatal(err)
	}
	o.Hub = hub
	server, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Listen(); err != nil {
		t.Fatal(err)
	}
	if o.Listener != nil && server.Addr() != o.Listener.Addr() {
		t.Fatalf("it listens on %v, not on the open %v", server.Addr(), o.Listener.Addr())
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 2)
	go func() { ended <- hub.Run(ctx) }()
	go func() { ended <- server.Run(ctx) }()
	c := dialVia(t, &websocket.Dialer{Subprotocols: []string{web.Subprotocol}}, "http://"+server.Addr().String(), nil)
	c.hello()
	cancel()
	c.expectClose(websocket.CloseGoingAway)
	for range 2 {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("it does not end")
		}
	}
	if conn, err := net.Dial("tcp", server.Addr().String()); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}
