package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tabletop/board"
)

// Options sets up a server. Hub, and Addr or Listener, are needed.
type Options struct {
	Addr string // "host:port"; ":8080" for every address of this machine
	// Listener, if it is set, is served instead of Addr, which is not looked at
	// then: Listen opens one before there is a server. Run closes it; until Run is
	// called it is the caller's to close.
	Listener net.Listener
	Hub      *Hub
	// Tokens is what each token is worth. Without any, everyone is a viewer, and
	// /debug is shown to browsers on this machine only.
	Tokens map[string]Role
	// Health says how the parts of the program are; nil leaves /healthz at "the
	// server answers".
	Health func(context.Context) Health
	// Debug shows the camera's picture; nil: there is none to show.
	Debug DebugSource
	// Judge does what judges ask for; nil: there is no judging.
	Judge Judge
	// Registry is what /metrics shows; nil: it is not there.
	Registry *prometheus.Registry
	Logger   *slog.Logger // nil: nothing is logged
	Clock    board.Clock  // the machine's if nil
}

// Health is the answer of /healthz. It is ok (status 200) when every check is;
// otherwise the status is 503.
type Health map[string]Check

// Check is how one part of the program is: "camera", "journal", ….
type Check struct {
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"` // what is wrong and what to do, or a figure
}

// OK says whether every part is well.
func (h Health) OK() bool {
	for _, c := range h {
		if !c.OK {
			return false
		}
	}
	return true
}

// Server serves the pages and the websocket.
type Server struct {
	options  Options
	tokens   tokens
	tries    tries
	pages    *pages
	handler  http.Handler
	upgrader websocket.Upgrader

	listener net.Listener

	sockets sync.WaitGroup
	// stop ends connections that are still open after a shutdown's grace.
	stop    context.CancelFunc
	stopped context.Context
}

// Times of a shutdown and of plain HTTP.
const (
	shutdownGrace     = 3 * time.Second
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	wrongTokensMinute = 10
)

// New makes a server; nothing is opened yet.
func New(o Options) (*Server, error) {
	if o.Hub == nil {
		return nil, errors.New("web: a server needs a hub")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = board.SystemClock{}
	}
	known, err := newTokens(o.Tokens)
	if err != nil {
		return nil, err
	}
	p, err := newPages()
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, tokens: known, pages: p, listener: o.Listener, tries: tries{clock: o.Clock, most: wrongTokensMinute}}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.upgrader = websocket.Upgrader{
		HandshakeTimeout: readHeaderTimeout, ReadBufferSize: 1 << 10, WriteBufferSize: 4 << 10,
		Subprotocols: []string{Subprotocol}, CheckOrigin: sameOrigin,
	}
	s.handler = s.routes()
	return s, nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.board)
	mux.HandleFunc("GET /ws", s.socket)
	mux.HandleFunc("GET /overlay", s.pages.serve("overlay.html"))
	mux.HandleFunc("GET /debug", s.debugPage)
	mux.HandleFunc("GET /debug/frame", s.debugFrame)
	s.debugRoutes(mux)
	mux.HandleFunc("GET /login", s.loginPage)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("GET /static/{name...}", s.pages.asset)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/static/icon.svg", http.StatusMovedPermanently)
	})
	s.judgeRoutes(mux)
	mux.HandleFunc("GET /healthz", s.healthz)
	if s.options.Registry != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(s.options.Registry, promhttp.HandlerOpts{}))
	}
	return secured(mux)
}

// secured sets the headers that every answer carries.
func secured(next http.Handler) http.Handler {
	const policy = "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// Handler serves everything, for a test or a server of one's own.
func (s *Server) Handler() http.Handler { return s.handler }

// Listen opens the options' address, so that an error shows before anything else
// starts; a listener that the options gave is open already. Run does it if
// nobody did.
func (s *Server) Listen() error {
	if s.listener != nil {
		return nil
	}
	l, err := Listen(s.options.Addr)
	if err != nil {
		return err
	}
	s.listener = l
	return nil
}

// Listen opens an address, "host:port" or ":port", for Options.Listener. Its
// errors say what to do about the port.
func Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, explainListen(addr, err)
	}
	return l, nil
}

func explainListen(addr string, err error) error {
	var advice string
	var dns *net.DNSError
	var parse *net.AddrError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another program uses this port, perhaps another scanner: close it, or choose another port, such as :8081"
	case errors.Is(err, syscall.EACCES):
		advice = "ports below 1024 need special rights: choose one above, such as :8080"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &dns):
		advice = "this machine does not have that address: leave the host out, such as :8080, to use all it has"
	case errors.As(err, &parse):
		advice = "an address is HOST:PORT or :PORT, such as :8080"
	default:
		return fmt.Errorf("web: can't listen on %s: %w", addr, err)
	}
	return fmt.Errorf("web: can't listen on %s: %s (%w)", addr, advice, err)
}

// Addr is the address that is listened on, with the real port if 0 was asked
// for; nil before Listen.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Run serves until the context ends, then closes what is open: websockets with
// code 1001, requests after a grace of 3 s. It returns nil after that, or the
// error that kept it from serving.
func (s *Server) Run(ctx context.Context) error {
	if err := s.Listen(); err != nil {
		return err
	}
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.listener) }()
	select {
	case err := <-failed:
		s.stop()
		return fmt.Errorf("web: serving on %s: %w", s.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	err := server.Shutdown(grace)
	s.closeSockets(grace)
	<-failed
	if errors.Is(err, context.DeadlineExceeded) {
		server.Close()
		return nil
	}
	return err
}

func (s *Server) closeSockets(grace context.Context) {
	// A hub that has stopped has closed them already.
	s.options.Hub.ask(func() { s.options.Hub.closeAll(websocket.CloseGoingAway, "the server is shutting down") })
	done := make(chan struct{})
	go func() { s.sockets.Wait(); close(done) }()
	select {
	case <-done:
	case <-grace.Done():
	}
	s.stop()
	<-done
}

// socket upgrades to the websocket and stays with it.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if offered := websocket.Subprotocols(r); len(offered) > 0 && !slices.Contains(offered, Subprotocol) {
		http.Error(w, "this server speaks the websocket subprotocol "+Subprotocol+" only", http.StatusBadRequest)
		return
	}
	s.sockets.Add(1) // before the upgrade: until then a shutdown waits for the request
	defer s.sockets.Done()
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.options.Logger.Debug("no websocket", "remote", r.RemoteAddr, "error", err)
		return
	}
	defer context.AfterFunc(s.stopped, func() { conn.Close() })()
	s.options.Hub.Serve(conn, s.tokens.ofRequest(r), s.tokens.role)
}

// board shows the live board. Clients that were given only the host open their
// websocket here.
func (s *Server) board(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		s.socket(w, r)
		return
	}
	s.pages.serve("board.html")(w, r)
}

// mayDebug says whether the camera's picture is for this request; it shows hands
// and everything else.
func (s *Server) mayDebug(r *http.Request) bool {
	if len(s.tokens) == 0 {
		return atThisMachine(r)
	}
	return s.tokens.ofRequest(r).SeesEverything()
}

func (s *Server) debugPage(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.mayDebug(r):
		s.pages.serve("debug.html")(w, r)
	case len(s.tokens) == 0:
		http.Error(w, "The debug view shows hands too, so without tokens it opens only in a browser on this machine (http://localhost…). "+
			"To open it elsewhere, set a token for judges or operators in the configuration.", http.StatusForbidden)
	default:
		http.Redirect(w, r, "/login?next=/debug", http.StatusSeeOther)
	}
}

func (s *Server) debugFrame(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !s.mayDebug(r) {
		http.Error(w, "The camera's picture is for judges and operators: log in at /login.", http.StatusForbidden)
		return
	}
	if s.options.Debug == nil {
		http.Error(w, "There is no camera in this run (a replay has none).", http.StatusNotFound)
		return
	}
	frame, err := s.options.Debug.DebugFrame(r.Context())
	switch {
	case errors.Is(err, ErrNoFrame):
		http.Error(w, "There is no camera picture yet.", http.StatusServiceUnavailable)
		return
	case err != nil:
		s.options.Logger.Error("no debug frame", "error", err)
		http.Error(w, "The camera's picture can't be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	s.writeJSON(w, http.StatusOK, frame)
}

func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	health := Health{}
	if s.options.Health != nil {
		health = s.options.Health(r.Context())
	}
	status := http.StatusOK
	if !health.OK() {
		status = http.StatusServiceUnavailable
	}
	s.writeJSON(w, status, struct {
		OK     bool   `json:"ok"`
		Checks Health `json:"checks"`
	}{health.OK(), health})
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		s.options.Logger.Error("an answer can't be written as JSON", "error", err)
		http.Error(w, "the answer can't be written as JSON: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(data)
}

// nextPage is where a login leads: a path of this server, nothing else.
func nextPage(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	s.pages.login(w, http.StatusOK, loginData{
		Next: nextPage(r.URL.Query().Get("next")), Role: s.tokens.ofRequest(r), NoTokens: len(s.tokens) == 0,
	})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, readLimit)
	if !sameOrigin(r) {
		http.Error(w, "Log in from this server's own page.", http.StatusForbidden)
		return
	}
	data := loginData{Next: nextPage(r.PostFormValue("next")), Role: RoleViewer, NoTokens: len(s.tokens) == 0}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if err := s.tries.allow(address); err != nil {
		data.Problem, data.ProblemText = "login.too-many", "That did not work: "+err.Error()+"."
		s.pages.login(w, http.StatusTooManyRequests, data)
		return
	}
	token := strings.TrimSpace(r.PostFormValue("token"))
	if _, ok := s.tokens.role(token); !ok {
		s.tries.failed(address)
		data.Problem, data.ProblemText = "login.unknown", "That did not work: nobody knows this token; look at it in the configuration again."
		s.pages.login(w, http.StatusUnauthorized, data)
		return
	}
	setCookie(w, r, token, int(cookieLife.Seconds()))
	http.Redirect(w, r, data.Next, http.StatusSeeOther)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	setCookie(w, r, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func setCookie(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: CookieName, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}
