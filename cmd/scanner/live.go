package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"gocv.io/x/gocv"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/catalog"
	"tabletop/hardware/camera"
	"tabletop/hardware/light"
	"tabletop/journal"
	"tabletop/rules"
	"tabletop/tracker"
	"tabletop/vision"
	"tabletop/vision/identify"
	"tabletop/vision/watch"
	"tabletop/web"
)

// liveOptions are what a live program is made of, beside its configuration.
type liveOptions struct {
	Config       Config
	Openers      camera.Openers
	Catalog      *catalog.Catalog         // nil: no card is named
	Index        *identify.Index          // of the catalogue; nil: made when it is needed
	Cal          *calibration.Calibration // nil: the plane is found from the cards
	Pack         rules.Pack
	Log          *slog.Logger
	Clock        board.Clock
	DemoToken    string // a judge's token made for this run, to be shown; empty: none
	StopAtNoMore bool   // end when the source has no more frames, rather than going on serving
}

// live is the running program: a camera at one end, a journal, a websocket and
// a light at the other.
type live struct {
	opt      liveOptions
	log      *slog.Logger
	source   camera.Source
	scanner  *vision.Scanner
	pipe     *pipeline
	size     image.Point  // of the first frame, to which others are brought
	first    camera.Frame // taken to know the pictures' size, not yet looked at
	journal  *journal.Journal
	match    *journal.Match
	hub      *web.Hub
	listener net.Listener
	server   *web.Server
	panel    *light.Panel // nil: none fitted
	metrics  *liveMetrics
	eye      *debugEye

	desk *readingDesk

	// acknowledge carries presses of the judge's button, and asks what judges
	// want done, to the goroutine that owns the board.
	acknowledge chan time.Time
	asks        chan ask

	frameAt  time.Time // of the newest frame that was looked at
	lookedAt time.Time // when that was, by the machine's clock

	// unwritten are events that happened and that the journal could not take
	// yet. They are not published before it has.
	unwritten []board.Event
	warned    time.Time // when that was last logged

	state liveState
}

// liveState is what /healthz tells, shared between goroutines.
type liveState struct {
	mu         sync.Mutex
	frames     uint64
	lastFrame  time.Time // by the machine's clock
	ended      bool
	over       error // why nothing can be written ever again
	misfit     error // why the newest frames can't be used
	journalErr error
	planeKnown bool
	unwritten  int
}

// openLive opens everything the program needs; nothing runs yet. Whatever is
// wrong shows here. The camera and the port come first: without them no match is
// begun.
func openLive(ctx context.Context, opt liveOptions) (_ *live, err error) {
	cfg := opt.Config
	l := &live{
		opt: opt, log: opt.Log,
		acknowledge: make(chan time.Time, 1),
		asks:        make(chan ask),
		eye:         newDebugEye(cfg.Cases),
	}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if l.source, err = opt.Openers.Open(ctx, cfg.Camera, camera.Options{Clock: opt.Clock, Logger: l.log}); err != nil {
		return nil, err
	}
	if err := l.openPipeline(ctx); err != nil {
		return nil, err
	}
	if l.listener, err = web.Listen(cfg.Listen); err != nil {
		return nil, err
	}
	if err := l.openJournal(ctx); err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if l.metrics, err = newLiveMetrics(registry, l.source); err != nil {
		return nil, err
	}
	if l.panel, err = openPanel(cfg, l.log); err != nil {
		return nil, err
	}
	return l, l.openWeb(ctx, registry)
}

// openPipeline makes everything from vision to rules, for pictures of the size
// that the camera's first one has.
func (l *live) openPipeline(ctx context.Context) (err error) {
	cfg, opt := l.opt.Config, l.opt
	if l.first, err = l.nextFrame(ctx); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: no picture in it can be read", l.source)
		}
		return err
	}
	size := calibration.ImageSize{Width: l.first.Image.Cols(), Height: l.first.Image.Rows()}
	layout := uncalibratedLayout()
	seeing := vision.Options{CardSize: cfg.CardSizeMM, PxPerMM: cfg.PxPerMM, Catalog: opt.Catalog, Index: opt.Index}
	cal := opt.Cal
	if cal != nil {
		if cal, err = cal.ForImage(size); err != nil {
			return fmt.Errorf("%s: %w", cfg.Calibration, err)
		}
		plane, err := planeHomography(cal)
		if err != nil {
			return fmt.Errorf("%s: %w", cfg.Calibration, err)
		}
		seeing.Plane, seeing.PxPerMM = &plane, 0
		layout = cal.Layout()
	}
	known, err := knownPlane(cal, size, cfg.PxPerMM)
	if err != nil {
		return err
	}
	judging := rules.Options{Layout: layout, Lang: cfg.Lang}
	var cards []board.Card
	if opt.Catalog != nil {
		judging.Card, cards = cardLookup(opt.Catalog), opt.Catalog.Cards()
	}
	engine, err := rules.New(opt.Pack, judging)
	if err != nil {
		return err
	}
	if l.desk, err = newReadingDesk(opt.Pack, judging, cards); err != nil {
		return err
	}
	if l.scanner, err = vision.New(seeing); err != nil {
		return err
	}
	l.opt.Catalog = nil // the pictures are not needed any more
	watcher, err := watch.New(l.scanner, watch.Options{})
	if err != nil {
		return err
	}
	patience := 20
	if cfg.SettleFrames > 0 {
		patience = 1 // stills: every one of them counts
	}
	l.pipe = &pipeline{
		watcher: watcher, calibrated: cal != nil,
		surface: &surface{known: known, cardSize: cfg.CardSizeMM, patience: patience, log: l.log},
		tracker: tracker.New(tracker.Options{Layout: layout, Settle: cfg.Settle, SettleFrames: cfg.SettleFrames}),
		engine:  engine,
	}
	return nil
}

// cardLookup knows the cards of a catalogue without holding their pictures.
func cardLookup(c *catalog.Catalog) func(board.CardID) (board.Card, bool) {
	cards := make(map[board.CardID]board.Card, c.Len())
	for _, card := range c.Cards() {
		cards[card.ID] = card
	}
	return func(id board.CardID) (board.Card, bool) {
		card, ok := cards[id]
		return card, ok
	}
}

// uncalibratedLayout is a table of which nothing is known but that two players
// sit at it, at the near and the far side.
func uncalibratedLayout() board.Layout {
	return board.Layout{Seats: []board.Seat{{ID: "south", Name: "South"}, {ID: "north", Name: "North", UpDeg: 180}}}
}

// openJournal begins a match, or goes on with the one the configuration names.
func (l *live) openJournal(ctx context.Context) (err error) {
	cfg, layout := l.opt.Config, l.pipe.tracker.Board().Layout
	if l.journal, err = journal.Open(ctx, cfg.Journal, l.opt.Clock); err != nil {
		return err
	}
	if cfg.Match == "" {
		l.match, err = l.journal.Begin(ctx, journal.MatchInfo{Game: l.opt.Pack.ID, Table: cfg.Table, Layout: layout})
		return err
	}
	info, err := l.journal.Resolve(ctx, cfg.Match)
	if err != nil {
		return err
	}
	if info.Game != l.opt.Pack.ID {
		return fmt.Errorf("match %s is a game of %s, and `game` says %s; set game to %s to go on with it", info.ID, info.Game, l.opt.Pack.ID, info.Game)
	}
	if l.match, err = l.journal.Resume(ctx, info.ID); err != nil {
		return err
	}
	was, _, err := l.journal.Board(ctx, info.ID)
	if err != nil {
		return err
	}
	given, err := l.journal.Copies(ctx, info.ID)
	if err != nil {
		return err
	}
	l.pipe.engine.Restore(was)
	if err := l.pipe.tracker.Restore(slices.Collect(maps.Values(was.Copies)), given); err != nil {
		return fmt.Errorf("match %s: %w", info.ID, err)
	}
	l.log.Info("going on with a match", "match", info.ID, "copies", len(was.Copies))
	return nil
}

func (l *live) openWeb(ctx context.Context, registry *prometheus.Registry) (err error) {
	cfg, info := l.opt.Config, l.match.Info()
	hub := web.HubOptions{
		Match:    web.Match{Epoch: info.Epoch, Table: info.Table, Game: info.Game, Board: board.NewBoard(info.Layout)},
		Delays:   cfg.Delay,
		Registry: registry,
		Logger:   l.log,
	}
	if info.Head > 0 {
		hub.History = l.journal.Events(ctx, info.ID, 0)
	}
	if l.hub, err = web.NewHub(hub); err != nil {
		return err
	}
	l.server, err = web.New(web.Options{
		Listener: l.listener, Hub: l.hub, Tokens: cfg.RoleOfToken(),
		Health: l.health, Debug: l.eye, Judge: newLiveDesk(l, l.desk), Registry: registry, Logger: l.log,
	})
	return err
}

// openPanel opens the light and button, where any pin is named. A machine
// without pins is no error, for the same settings serve the laptop at home.
func openPanel(cfg Config, log *slog.Logger) (*light.Panel, error) {
	pins := light.Pins{Green: cfg.LightGreen, Amber: cfg.LightAmber, Red: cfg.LightRed, Buzzer: cfg.Buzzer, Button: cfg.Button}
	if pins == (light.Pins{}) {
		return nil, nil
	}
	panel, err := light.Open(pins, light.Options{})
	if errors.Is(err, light.ErrNoGPIO) {
		log.Warn("no light, buzzer or button: this machine has no GPIO pins")
		return nil, nil
	}
	return panel, err
}

// Run runs until the context ends or a part of the program can't go on.
func (l *live) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() error { return l.hub.Run(ctx) })
	group.Go(func() error { return l.server.Run(ctx) })
	group.Go(func() error { return l.tellProblems(ctx) })
	group.Go(func() error {
		err := l.watch(ctx)
		if err == nil && l.opt.StopAtNoMore {
			stop()
		}
		return err
	})
	if l.panel != nil {
		group.Go(func() error {
			return l.panel.Watch(ctx, func(at time.Time) {
				select {
				case l.acknowledge <- at:
				default: // one press that waits is enough
				}
			})
		})
	}
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	if err == nil { // stopped for another reason before it was noticed
		l.state.set(func(s *liveState) { err = s.over })
	}
	return errors.Join(err, l.lastWords())
}

// lastWords writes what the journal could not take before.
func (l *live) lastWords() error {
	if len(l.unwritten) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := l.match.Append(ctx, l.unwritten); err != nil {
		return fmt.Errorf("%d events are lost: %w", len(l.unwritten), err)
	}
	return nil
}

// Close frees everything. It is safe on a live that was opened in part.
func (l *live) Close() error {
	var errs []error
	if !l.first.Image.Closed() {
		errs = append(errs, l.first.Image.Close())
	}
	if l.source != nil {
		errs = append(errs, l.source.Close())
	}
	if l.pipe != nil && l.pipe.watcher != nil {
		errs = append(errs, l.pipe.watcher.Close())
	}
	if l.scanner != nil {
		errs = append(errs, l.scanner.Close())
	}
	if l.panel != nil {
		errs = append(errs, l.panel.Close())
	}
	if l.listener != nil {
		if err := l.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if l.journal != nil {
		errs = append(errs, l.journal.Close())
	}
	l.eye.close()
	return errors.Join(errs...)
}

// watch takes frame after frame. It owns the board.
func (l *live) watch(ctx context.Context) error {
	var gap time.Duration
	if l.opt.Config.MaxFPS > 0 {
		gap = time.Duration(float64(time.Second) / l.opt.Config.MaxFPS)
	}
	for frame := l.first; ; {
		began := time.Now()
		err := l.step(ctx, &frame)
		l.eye.show(frame) // takes the picture over
		l.first = camera.Frame{}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		l.rest(ctx, gap-time.Since(began))
		frame, err = l.await(ctx)
		switch {
		case errors.Is(err, io.EOF):
			l.log.Info("the camera has no more pictures; the board stays as it is", "camera", l.source)
			l.state.set(func(s *liveState) { s.ended = true })
			return l.idle(ctx)
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

// nextFrame waits for the next frame. Pictures that can't be read are told of
// and passed over.
func (l *live) nextFrame(ctx context.Context) (camera.Frame, error) {
	for {
		frame, err := l.source.Next(ctx)
		var broken *camera.PictureError
		if !errors.As(err, &broken) {
			return frame, err
		}
		l.log.Warn("a picture could not be read; going on with the next", "picture", broken.Path, "error", broken.Reason)
	}
}

// idle goes on after the last frame: what is still to be written is written,
// and the judge's button still works.
func (l *live) idle(ctx context.Context) error {
	if l.opt.StopAtNoMore {
		return nil
	}
	attend(ctx, l, ctx.Done())
	return nil
}

// fit brings a frame to the size of the first one: a camera that comes back may
// give smaller pictures of the same view. It refuses pictures of another shape,
// which show another part of the table.
func (l *live) fit(frame *camera.Frame) error {
	w, h := frame.Image.Cols(), frame.Image.Rows()
	if l.size == (image.Point{}) {
		l.size = image.Pt(w, h)
	}
	if w == l.size.X && h == l.size.Y {
		return nil
	}
	if shape := float64(w) * float64(l.size.Y) / (float64(h) * float64(l.size.X)); math.Abs(shape-1) > 0.005 {
		return fmt.Errorf("the camera's pictures are now %d×%d and were %d×%d: they show another view; set the camera back, or start anew and calibrate again", w, h, l.size.X, l.size.Y)
	}
	fitted := gocv.NewMat()
	if err := gocv.Resize(frame.Image, &fitted, l.size, 0, 0, gocv.InterpolationLinear); err != nil {
		fitted.Close()
		return err
	}
	frame.Image.Close()
	frame.Image = fitted
	return nil
}

// step takes one frame through everything.
func (l *live) step(ctx context.Context, frame *camera.Frame) error {
	misfit := l.fit(frame)
	l.state.set(func(s *liveState) {
		if misfit != nil && s.misfit == nil {
			l.log.Error("frames can't be used", "camera", l.source, "error", misfit)
		}
		s.misfit = misfit
	})
	if misfit != nil {
		l.record(ctx, nil)
		return nil
	}
	look, err := l.pipe.frame(ctx, *frame)
	if err != nil {
		return fmt.Errorf("frame %d of %s: %w", frame.Seq, l.source, err)
	}
	l.frameAt, l.lookedAt = frame.At, time.Now()
	l.metrics.frame(look)
	l.eye.saw(look, l.pipe)
	l.state.set(func(s *liveState) {
		s.frames++
		s.lastFrame = time.Now()
		s.planeKnown = l.pipe.surface.known != nil
	})
	l.keepEvidence(ctx, frame.Image, l.record(ctx, look.events))
	return nil
}

// record writes events, then publishes them: nothing that a client was sent can
// be missing in the journal. What can't be written now is kept and tried again
// with the next frame. It returns what was written.
func (l *live) record(ctx context.Context, events []board.Event) []board.Event {
	l.unwritten = append(l.unwritten, events...)
	if len(l.unwritten) == 0 {
		l.show(nil)
		return nil
	}
	// What happened is written also while the program is being stopped.
	stored, err := l.match.Append(context.WithoutCancel(ctx), l.unwritten)
	l.state.set(func(s *liveState) {
		s.journalErr, s.unwritten = err, 0
		if err != nil {
			s.unwritten = len(l.unwritten)
		}
	})
	if errors.Is(err, journal.ErrEnded) || errors.Is(err, journal.ErrNoMatch) {
		// No later try would do better.
		over := fmt.Errorf("%d events are lost: %w; start again, which begins a new match", len(l.unwritten), err)
		l.state.set(func(s *liveState) {
			if s.over == nil {
				s.over = over
			}
		})
		l.unwritten = nil
		return nil
	}
	if err != nil {
		if time.Since(l.warned) > 10*time.Second {
			l.warned = time.Now()
			l.log.Error("events can't be written, so they are not sent; trying again", "events", len(l.unwritten), "error", err)
		}
		return nil
	}
	l.unwritten = nil
	if err := l.hub.Publish(stored); err != nil && ctx.Err() == nil {
		l.log.Error("events can't be sent", "error", err)
	}
	for _, e := range stored {
		l.log.Debug("event", "seq", e.Seq, "kind", e.Kind, "card", e.Card)
		l.metrics.event(e)
	}
	l.show(stored)
	return stored
}

// blindAfter is how long no picture may have been looked at before people are
// told.
const blindAfter = 5 * time.Second

// problem is why what people are shown isn't what happens on the table. Call it
// with the lock held.
func (s *liveState) problem(now time.Time) trouble {
	switch {
	case s.journalErr != nil:
		return troubleJournal
	case s.ended:
		return troubleOver
	case s.misfit != nil:
		return troubleView
	case !s.lastFrame.IsZero() && now.Sub(s.lastFrame) > blindAfter:
		return troubleBlind
	}
	return ""
}

// tellProblems keeps everybody told of what keeps the program blind.
func (l *live) tellProblems(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := trouble("")
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var now trouble
		var over error
		l.state.set(func(s *liveState) { now, over = s.problem(time.Now()), s.over })
		if over != nil {
			return over
		}
		if now == last {
			continue
		}
		if now == "" {
			l.log.Info("all is well again", "was", last)
		} else {
			l.log.Warn("people are told", "problem", now)
		}
		last = now
		l.hub.SetProblem(now.text(l.desk.desk.Lang))
	}
}

func (s *liveState) set(f func(*liveState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// health is the answer of /healthz.
func (l *live) health(ctx context.Context) web.Health {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	health := web.Health{}
	stats := l.source.Stats()
	switch {
	case l.state.ended:
		health["camera"] = web.Check{OK: true, Detail: "the recording is over; all its pictures have been looked at"}
	case l.state.misfit != nil:
		health["camera"] = web.Check{Detail: l.state.misfit.Error()}
	case stats.Connected && !l.state.lastFrame.IsZero() && time.Since(l.state.lastFrame) > blindAfter:
		health["camera"] = web.Check{Detail: fmt.Sprintf("no picture from %s that can be read for %v; %d were broken", l.source, time.Since(l.state.lastFrame).Round(time.Second), stats.Broken)}
	case !stats.Connected:
		health["camera"] = web.Check{Detail: "no pictures from " + l.source.String() + ": " + stats.LastError}
	default:
		health["camera"] = web.Check{OK: true, Detail: fmt.Sprintf("%d frames looked at, %d dropped", l.state.frames, stats.Dropped)}
	}
	health["calibration"] = web.Check{OK: true}
	if !l.state.planeKnown {
		health["calibration"] = web.Check{OK: true, Detail: "waiting for cards to find the table's plane from"}
	}
	switch err := l.state.journalErr; {
	case err != nil:
		health["journal"] = web.Check{Detail: fmt.Sprintf("%d events wait to be written: %v", l.state.unwritten, err)}
	default:
		if err := l.journal.Ping(ctx); err != nil {
			health["journal"] = web.Check{Detail: err.Error()}
		} else {
			health["journal"] = web.Check{OK: true, Detail: l.match.Info().ID}
		}
	}
	return health
}
