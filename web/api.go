package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

// Limits of the judges' interface.
const (
	requestLimit = 64 << 10 // bytes of a body
	boardLimit   = 4 << 20  // bytes of a board to explain; one of 120 copies has 60 KiB
	mostCards    = 50       // of a catalogue search
	mostEvents   = 500      // of one page of the log
)

// problem is an error answer in the form of RFC 9457, problem+json.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"` // for a person: what is wrong, and what to do

	// Code is what the pages have a text for in each language, "problem.CODE", in
	// place of Detail; empty: Detail is in the language of the table, or nothing
	// that a page's reader meets.
	Code string `json:"code,omitempty"`
}

func (p problem) Error() string { return p.Detail }

func problemf(status int, format string, args ...any) problem {
	return problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// coded is the problem with a code.
func (p problem) coded(code string) problem {
	p.Code = code
	return p
}

// why is what an error says beside which kind it is: what the asker reads in a
// sentence that begins with the kind.
func why(err, kind error) string {
	return strings.TrimPrefix(err.Error(), kind.Error()+": ")
}

// asked is a request of a judge that was let in.
type asked struct {
	*http.Request
	judge Judge
	role  Role
	limit int64
}

// judgeRoutes are the page of judges and what it asks for. All of it is for
// judges and operators.
func (s *Server) judgeRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /judge", s.judgePage)
	mux.HandleFunc("GET /api/words", s.words)
	api := func(pattern string, answer func(asked) (any, error)) {
		mux.HandleFunc(pattern, s.forJudges(requestLimit, answer))
	}
	api("GET /api/desk", func(r asked) (any, error) { return r.judge.Desk(), nil })
	api("GET /api/rules", listRules)
	api("GET /api/rules/{id}", showRule)
	api("GET /api/cards", findCards)
	api("GET /api/events", s.listEvents)
	mux.HandleFunc("GET /api/events/{seq}/picture", s.forJudges(requestLimit, showPicture))
	api("GET /api/findings/{id}/seen", s.seenOfFinding)
	api("GET /api/prompts/{id}/seen", s.seenOfPrompt)
	api("POST /api/actions", declare)
	api("POST /api/copies/{id}/correction", correct)
	api("POST /api/accept", accept)
	api("POST /api/findings/{id}/decision", decideFinding)
	api("POST /api/prompts/{id}/decision", decidePrompt)
	mux.HandleFunc("POST /api/explain", s.forJudges(boardLimit, explain))
	mux.HandleFunc("/api/", s.forJudges(requestLimit, func(r asked) (any, error) {
		return nil, problemf(http.StatusNotFound, "There is no %s %s here.", r.Method, r.URL.Path)
	}))
}

// judgePage shows the page to judges, and leads others to the login.
func (s *Server) judgePage(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.tokens.ofRequest(r).SeesEverything():
		s.pages.serve("judge.html")(w, r)
	case len(s.tokens) == 0:
		http.Error(w, "Nobody can be a judge here yet: set a token for judges or operators in the configuration, and log in with it.", http.StatusForbidden)
	default:
		http.Redirect(w, r, "/login?next=/judge", http.StatusSeeOther)
	}
}

// words are the language of the table and the game's own words in it, for the
// pages of everyone.
func (s *Server) words(w http.ResponseWriter, r *http.Request) {
	desk := Desk{Lang: "en", Words: map[string]string{}}
	if s.options.Judge != nil {
		desk = s.options.Judge.Desk()
	}
	w.Header().Set("Cache-Control", "no-cache")
	s.writeJSON(w, http.StatusOK, struct {
		Game     string            `json:"game"`
		GameName string            `json:"game_name"`
		Lang     string            `json:"lang"`
		Words    map[string]string `json:"words"`
	}{desk.Game, desk.GameName, desk.Lang, desk.Words})
}

// forJudges lets in judges and operators, whose browser was not sent here by
// another site, and writes the answer, or what is wrong, as JSON.
func (s *Server) forJudges(limit int64, answer func(asked) (any, error)) http.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		role, err := s.letIn(r)
		if err == nil {
			if crossOrigin.Check(r) != nil {
				err = problemf(http.StatusForbidden, "This was sent by a page of another site; judges' requests come from this server's own pages.")
			}
		}
		if err == nil && s.options.Judge == nil {
			err = problemf(http.StatusNotFound, "There is no judging in this run.")
		}
		var v any
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			v, err = answer(asked{r, s.options.Judge, role, limit})
		}
		picture, isPicture := v.(jpeg)
		switch {
		case err != nil:
			s.writeProblem(w, r, err)
		case v == nil:
			w.WriteHeader(http.StatusNoContent)
		case isPicture:
			w.Header().Set("Content-Type", "image/jpeg")
			w.Write(picture)
		default:
			s.writeJSON(w, http.StatusOK, v)
		}
	}
}

// letIn says whose request this is; only judges and operators are let in.
// Guesses count as those at /login do.
func (s *Server) letIn(r *http.Request) (Role, error) {
	token, given := bearer(r)
	if !given {
		if role := s.tokens.ofRequest(r); role.SeesEverything() {
			return role, nil
		}
		return "", problemf(http.StatusForbidden, "This is for judges and operators: log in at /login, or send the header Authorization: Bearer TOKEN.").coded("login")
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if err := s.tries.allow(address); err != nil {
		return "", problemf(http.StatusTooManyRequests, "Sorry: %v.", err)
	}
	role, known := s.tokens.role(token)
	switch {
	case !known:
		s.tries.failed(address)
		return "", problemf(http.StatusUnauthorized, "Nobody knows this token: look at it in the configuration again.")
	case !role.SeesEverything():
		return "", problemf(http.StatusForbidden, "This is for judges and operators; the token is one of role %s.", role)
	}
	return role, nil
}

// bearer is the token of the request's Authorization header.
func bearer(r *http.Request) (token string, given bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var p problem
	switch {
	case errors.As(err, &p):
	case errors.Is(err, ErrUnknown):
		p = problemf(http.StatusNotFound, "%s", why(err, ErrUnknown))
	case errors.Is(err, ErrRefused):
		p = problemf(http.StatusUnprocessableEntity, "%s", why(err, ErrRefused))
	case errors.Is(err, ErrNotKept):
		p = problemf(http.StatusServiceUnavailable, "%v", err).coded("not-kept")
	case r.Context().Err() != nil:
		return // nobody waits for it any more
	case errors.Is(err, context.DeadlineExceeded):
		p = problemf(http.StatusServiceUnavailable, "%v", err).coded("busy")
	default:
		s.options.Logger.Error("a judge's request failed", "path", r.URL.Path, "error", err)
		p = problemf(http.StatusInternalServerError, "%v", err).coded("internal")
	}
	data, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("web: a problem as JSON: %v", err)) // two strings and a number
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="tabletop"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	w.Write(data)
}

// read decodes the body, one JSON object without unknown fields.
func (r asked) read(v any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problemf(http.StatusUnsupportedMediaType, "Send JSON, with the header Content-Type: application/json.")
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more follows after it")
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return problemf(http.StatusRequestEntityTooLarge, "The body is too large: at most %d bytes are read.", r.limit)
	case errors.Is(err, io.EOF):
		return problemf(http.StatusBadRequest, "The body is empty; send one JSON object.")
	}
	return problemf(http.StatusBadRequest, "The body can't be understood as one JSON object: %v.", PlainJSONError(err))
}

func listRules(r asked) (any, error) {
	return struct {
		Lang  string           `json:"lang"`
		Rules []rules.RuleText `json:"rules"`
	}{r.judge.Desk().Lang, r.judge.Rules()}, nil
}

func showRule(r asked) (any, error) {
	id := board.RuleID(r.PathValue("id"))
	list := r.judge.Rules()
	i := slices.IndexFunc(list, func(rule rules.RuleText) bool { return rule.ID == id })
	if i < 0 {
		return nil, problemf(http.StatusNotFound, "This game has no rule %q; /api/rules lists those it has.", id)
	}
	return list[i], nil
}

func findCards(r asked) (any, error) {
	found := r.judge.Cards(r.URL.Query().Get("q"), mostCards)
	if found.Cards == nil {
		found.Cards = []board.CardRef{}
	}
	return found, nil
}

// listEvents is the log of the asker's role, a page of it: the newest, or those
// before an event.
func (s *Server) listEvents(r asked) (any, error) {
	before, err := number(r, "before", 0)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", 100)
	if err != nil {
		return nil, err
	}
	events, err := s.options.Hub.events(r.role, before, int(min(limit, mostEvents)))
	if err != nil {
		return nil, err
	}
	return struct {
		Events []json.RawMessage `json:"events"` // the oldest first
	}{events}, nil
}

func number(r asked, name string, otherwise uint64) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, problemf(http.StatusBadRequest, "%s is %q; it must be a whole number.", name, text)
	}
	return n, nil
}

func (s *Server) seenOfFinding(r asked) (any, error) {
	id := board.FindingID(r.PathValue("id"))
	return s.seen(r, func(e board.Event) ([]board.CopyID, bool) {
		if e.Kind == board.EventFindingOpened && e.Finding != nil && e.Finding.ID == id {
			return e.Finding.Copies, true
		}
		return nil, false
	})
}

func (s *Server) seenOfPrompt(r asked) (any, error) {
	id := board.PromptID(r.PathValue("id"))
	return s.seen(r, func(e board.Event) ([]board.CopyID, bool) {
		if e.Kind == board.EventPromptOpened && e.Prompt != nil && e.Prompt.ID == id {
			return e.Prompt.Copies, true
		}
		return nil, false
	})
}

func (s *Server) seen(r asked, opened func(board.Event) ([]board.CopyID, bool)) (any, error) {
	seen, ok, err := s.options.Hub.seen(r.role, opened)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, problemf(http.StatusNotFound, "What was seen then is not kept any more, or it has no event at all.").coded("not-seen")
	}
	if _, err := r.judge.Picture(r.Context(), seen.Event.Seq); err == nil {
		seen.Picture = fmt.Sprintf("/api/events/%d/picture", seen.Event.Seq)
	}
	return seen, nil
}

// jpeg is an answer that is a picture.
type jpeg []byte

func showPicture(r asked) (any, error) {
	seq, err := strconv.ParseUint(r.PathValue("seq"), 10, 32)
	if err != nil {
		return nil, problemf(http.StatusNotFound, "There is no event %q.", r.PathValue("seq"))
	}
	picture, err := r.judge.Picture(r.Context(), seq)
	return jpeg(picture), err
}

func declare(r asked) (any, error) {
	var given struct {
		Kind    board.ActionKind  `json:"kind"`
		Seat    board.SeatID      `json:"seat"`
		Copies  []board.CopyID    `json:"copies"`
		Targets []board.CopyID    `json:"targets"`
		Zone    board.ZoneID      `json:"zone"`
		Amount  int               `json:"amount"`
		Params  map[string]string `json:"params"`
		Ruled   bool              `json:"ruled"`
	}
	if err := r.read(&given); err != nil {
		return nil, err
	}
	action, answer, err := r.judge.Declare(r.Context(), board.Action{
		Kind: given.Kind, Seat: given.Seat, Copies: given.Copies, Targets: given.Targets,
		Zone: given.Zone, Amount: given.Amount, Params: given.Params, Ruled: given.Ruled,
	})
	if err != nil {
		return nil, err
	}
	return struct {
		Action board.Action `json:"action"`
		Answer board.Answer `json:"answer"`
	}{action, answer}, nil
}

func correct(r asked) (any, error) {
	var given struct {
		Card       board.CardID  `json:"card"`
		Face       board.Face    `json:"face"`
		Owner      *board.SeatID `json:"owner"`
		Controller *board.SeatID `json:"controller"`
	}
	if err := r.read(&given); err != nil {
		return nil, err
	}
	switch given.Face {
	case "", board.FaceUp, board.FaceDown:
	default:
		return nil, problemf(http.StatusUnprocessableEntity, "A card lies up or down; %q is neither.", given.Face)
	}
	c := board.Correction{Face: given.Face, Owner: given.Owner, Controller: given.Controller}
	if given.Card != "" {
		c.Card = &board.CardRef{ID: given.Card}
	}
	return nil, r.judge.Correct(r.Context(), board.CopyID(r.PathValue("id")), c)
}

func accept(r asked) (any, error) {
	if err := r.read(&struct{}{}); err != nil {
		return nil, err
	}
	return nil, r.judge.Accept(r.Context())
}

func decideFinding(r asked) (any, error) {
	return decide(r, Ruling{Finding: board.FindingID(r.PathValue("id"))})
}

func decidePrompt(r asked) (any, error) {
	return decide(r, Ruling{Prompt: board.PromptID(r.PathValue("id"))})
}

func decide(r asked, ruling Ruling) (any, error) {
	var given struct {
		Decision board.Decision `json:"decision"`
		BackTo   uint64         `json:"back_to"`
	}
	if err := r.read(&given); err != nil {
		return nil, err
	}
	if !slices.Contains(board.Decisions(), given.Decision) {
		return nil, problemf(http.StatusUnprocessableEntity, "There is no decision %q; they are %s.", given.Decision, list(board.Decisions()))
	}
	if (given.Decision == board.DecisionBackedUp) != (given.BackTo > 0) {
		return nil, problemf(http.StatusUnprocessableEntity, "back_to is the number of the event after which the game goes on; it comes with the decision %s and with no other.", board.DecisionBackedUp)
	}
	ruling.Decision, ruling.BackTo = given.Decision, given.BackTo
	return nil, r.judge.Decide(r.Context(), ruling)
}

func list[T ~string](words []T) string {
	var texts []string
	for _, w := range words {
		texts = append(texts, string(w))
	}
	return strings.Join(texts, ", ")
}

func explain(r asked) (any, error) {
	var b board.Board
	if err := r.read(&b); err != nil {
		return nil, err
	}
	return r.judge.Explain(r.Context(), b)
}
