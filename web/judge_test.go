package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/web"
)

// judged is a table with a real rules engine, as the live program has it: what
// happens on it and what a judge does goes through the engine and is published.
type judged struct {
	*table
	desk  web.Desk
	pack  rules.Pack
	cards []board.CardRef

	mu     sync.Mutex // the engine, between the test and the server
	engine *rules.Engine
	boards []board.Board // after each event, for backups
	seq    uint64
	now    time.Time
	fails  error // what the next request is answered

	pictures map[uint64][]byte // of events
}

// newJudged lays copies out on a table and begins to judge.
func newJudged(t *testing.T, pack rules.Pack, lang string, layout board.Layout, copies ...board.Copy) *judged {
	t.Helper()
	engine, err := rules.New(pack, rules.Options{Layout: layout, Lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	j := &judged{
		pack: pack, engine: engine, pictures: map[uint64][]byte{},
		desk: web.Desk{
			Game: pack.ID, GameName: pack.Name, Lang: engine.Lang(), Words: engine.Words(),
			Actions: engine.Acts(), Decisions: board.Decisions(),
		},
		boards: []board.Board{board.NewBoard(layout)},
		cards: []board.CardRef{
			{ID: "doji-hoturi", Name: "Doji Hoturi", Type: "personality"}, {ID: "hida-kisada", Name: "Hida Kisada", Type: "personality"},
			{ID: "hida-o-ushi", Name: "Hida O-Ushi", Type: "personality"}, {ID: "iron-mine", Name: "Iron Mine", Type: "holding"},
			{ID: "kuni-yori", Name: "Kuni Yori", Type: "personality"}, {ID: "silver-mine", Name: "Silver Mine", Type: "holding"},
		},
	}
	j.table = newTableOf(t, web.HubOptions{Match: web.Match{Epoch: "judged", Table: "Table 7", Game: pack.ID, Board: board.NewBoard(layout)}}, web.Options{Judge: j})
	j.now = j.clock.Now()
	var placed []board.Change
	for _, c := range copies {
		placed = append(placed, board.Change{Kind: board.ChangePlaced, At: j.now, After: &c})
	}
	j.publishAll(engine.Apply(placed))
	return j
}

// publishAll needs the lock once the server runs requests.
func (j *judged) publishAll(events []board.Event) {
	b := j.boards[len(j.boards)-1]
	for i := range events {
		j.seq++
		events[i].Seq = j.seq
		b = b.Clone()
		b.Apply(events[i])
		j.boards = append(j.boards, b)
	}
	if err := j.hub.Publish(events); err != nil {
		j.t.Error(err)
	}
}

// act changes one copy on the table, some time after what was before.
func (j *judged) act(id board.CopyID, change func(*board.Copy), kinds ...board.ChangeKind) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = j.now.Add(20 * time.Second)
	before := j.engine.Board().Copies[id]
	after := before
	change(&after)
	seat, _ := j.boards[0].Layout.Seat(after.Controller)
	after.Pose.Rotation = board.NearestTurn(after.Pose.AngleDeg - seat.UpDeg)
	after.Pose.Corners = board.RectQuad(after.Pose.Centre, board.StandardCard(), after.Pose.AngleDeg)
	if z, ok := j.boards[0].Layout.ZoneAt(after.Pose.Centre); ok {
		after.Zone = z.ID
	}
	var changes []board.Change
	for _, k := range kinds {
		changes = append(changes, board.Change{Kind: k, At: j.now, Before: &before, After: &after})
	}
	j.publishAll(j.engine.Apply(changes))
}

func (j *judged) turn(id board.CopyID, angle float64) {
	j.act(id, func(c *board.Copy) { c.Pose.AngleDeg = angle }, board.ChangeTurned)
}

// do is what the frame loop does with a judge's request.
func (j *judged) do(act func(at time.Time) ([]board.Event, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fails != nil {
		return j.fails
	}
	j.now = j.now.Add(time.Second)
	events, err := act(j.now)
	if err != nil {
		return fmt.Errorf("%w: %w", web.ErrRefused, err)
	}
	j.publishAll(events)
	return nil
}

func (j *judged) Desk() web.Desk          { return j.desk }
func (j *judged) Rules() []rules.RuleText { return j.engine.Rules() }

func (j *judged) Cards(query string, most int) web.FoundCards {
	found := web.FoundCards{Catalogue: len(j.cards)}
	for _, c := range j.cards {
		if strings.Contains(strings.ToLower(c.Name), strings.ToLower(query)) {
			found.Cards = append(found.Cards, c)
		}
	}
	found.Of = len(found.Cards)
	found.Cards = found.Cards[:min(most, found.Of)]
	return found
}

func (j *judged) Declare(_ context.Context, a board.Action) (action board.Action, answer board.Answer, err error) {
	err = j.do(func(at time.Time) ([]board.Event, error) {
		a.At = at
		events, err := j.engine.Declare(a)
		if err == nil {
			action, answer = *events[0].Action, *events[0].Answer
		}
		return events, err
	})
	return action, answer, err
}

func (j *judged) Correct(_ context.Context, id board.CopyID, c board.Correction) error {
	if c.Card != nil {
		i := slices.IndexFunc(j.cards, func(known board.CardRef) bool { return known.ID == c.Card.ID })
		if i < 0 {
			return fmt.Errorf("%w: the catalogue has no card %q", web.ErrRefused, c.Card.ID)
		}
		c.Card = &j.cards[i]
	}
	return j.do(func(at time.Time) ([]board.Event, error) { return j.engine.Correct(id, c, at) })
}

func (j *judged) Accept(context.Context) error {
	return j.do(func(at time.Time) ([]board.Event, error) { return j.engine.Accept(at), nil })
}

func (j *judged) Decide(_ context.Context, r web.Ruling) error {
	return j.do(func(at time.Time) ([]board.Event, error) {
		ruling := rules.Ruling{Finding: r.Finding, Prompt: r.Prompt, Decision: r.Decision, BackTo: r.BackTo}
		if r.BackTo >= uint64(len(j.boards)) {
			return nil, fmt.Errorf("there is no event %d", r.BackTo)
		}
		if r.BackTo > 0 {
			ruling.Board = &j.boards[r.BackTo]
		}
		return j.engine.Decide(ruling, at)
	})
}

func (j *judged) Picture(_ context.Context, seq uint64) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if picture, ok := j.pictures[seq]; ok {
		return picture, nil
	}
	return nil, fmt.Errorf("%w: no picture of %d", web.ErrUnknown, seq)
}

func (j *judged) Explain(_ context.Context, b board.Board) (rules.Explanation, error) {
	return rules.Explain(j.pack, rules.Options{Lang: j.desk.Lang}, b)
}

// emperorTable is the game of the pages' pictures, judged by its rules.
func emperorTable(t *testing.T, lang string) *judged {
	t.Helper()
	b := showBoard()
	var copies []board.Copy
	for id, c := range b.Copies {
		switch id {
		case "c4": // lies well until the test turns it
			c = lie("c4", "Forest of Thorns", "holding", "south", "south.home", 700, 570, 1)
		case "c15":
			c = lie("c15", "Silver Mine", "holding", "north", "north.home", 650, 228, 180)
		}
		seat, _ := b.Layout.Seat(c.Controller)
		c.Pose.Rotation = board.NearestTurn(c.Pose.AngleDeg - seat.UpDeg)
		copies = append(copies, c)
	}
	slices.SortFunc(copies, func(a, b board.Copy) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return newJudged(t, l5r.EmperorEdition(), lang, b.Layout, copies...)
}

// request is one to the judges' interface, as a program sends it.
type request struct {
	method, path, body string
	token              string
	change             func(*http.Request)
}

func (tb *table) ask(t *testing.T, q request) (status int, body string) {
	t.Helper()
	if q.method == "" {
		q.method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(t.Context(), q.method, tb.url+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	if q.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.change != nil {
		q.change(r)
	}
	response, body := send(t, r)
	return response.StatusCode, body
}

// post sends a judge's request that must succeed, and reads its answer into v.
func (tb *table) post(t *testing.T, path, body string, v any) {
	t.Helper()
	status, answer := tb.ask(t, request{method: http.MethodPost, path: path, body: body, token: "judge-token"})
	if status >= 300 {
		t.Fatalf("POST %s %s: status %d: %s", path, body, status, answer)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(answer), v); err != nil {
			t.Fatalf("POST %s: %v: %s", path, err, answer)
		}
	}
}

func TestAJudgeCorrectsDecidesAndAccepts(t *testing.T) {
	j := emperorTable(t, "en")
	judge := j.dial(cookie("judge-token"))
	judge.hello()
	judge.subscribe("board", nil)
	judge.snapshot()
	next := func(kind board.EventKind) board.Event {
		t.Helper()
		for {
			if e := judge.event(); e.Kind == kind {
				return e
			}
		}
	}
	j.turn("c4", 180)
	opened := next(board.EventFindingOpened).Finding
	if opened.Rule != "honor.personality" {
		t.Fatalf("finding %+v", opened)
	}

	var seen web.Seen
	status, body := j.ask(t, request{path: "/api/findings/" + string(opened.ID) + "/seen", token: "operator-token"})
	if err := json.Unmarshal([]byte(body), &seen); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	if len(seen.Copies) != 1 || seen.Copies[0].Before.Pose.Rotation != 0 || seen.Copies[0].After.Pose.Rotation != 180 || seen.Event.Finding.ID != opened.ID {
		t.Errorf("seen %+v", seen)
	}

	picture := fmt.Sprintf("/api/events/%d/picture", seen.Event.Seq)
	if status, body := j.ask(t, request{path: picture, token: "judge-token"}); status != http.StatusNotFound || seen.Picture != "" {
		t.Errorf("a picture that was not kept: status %d: %s", status, body)
	}
	j.mu.Lock()
	j.pictures[seen.Event.Seq] = newCamera(t).frame.JPEG
	j.mu.Unlock()
	if status, body := j.ask(t, request{path: picture, token: "judge-token"}); status != http.StatusOK || !strings.HasPrefix(body, "\xff\xd8") {
		t.Errorf("a picture: status %d, %d bytes", status, len(body))
	}
	if status, _ := j.ask(t, request{path: picture}); status != http.StatusForbidden {
		t.Errorf("a picture for nobody: status %d", status)
	}

	j.post(t, "/api/findings/"+string(opened.ID)+"/decision", `{"decision":"upheld"}`, nil)
	if f := next(board.EventFindingDecided).Finding; f.Decision != board.DecisionUpheld {
		t.Errorf("decided %+v", f)
	}
	j.post(t, "/api/copies/c4/correction", `{"card":"kuni-yori"}`, nil)
	if e := next(board.EventCorrected); e.After.Card.Name != "Kuni Yori" || e.Before.Card.Name != "Forest of Thorns" {
		t.Errorf("corrected %+v", e)
	}
	next(board.EventFindingEnded) // a Personality may lie so
	j.post(t, "/api/accept", `{}`, nil)
	next(board.EventAccepted)

	j.turn("c15", 90)
	second := next(board.EventFindingOpened).Finding
	j.post(t, "/api/findings/"+string(second.ID)+"/decision", fmt.Sprintf(`{"decision":"backed-up","back_to":%d}`, len(showBoard().Copies)), nil)
	if f := next(board.EventFindingDecided).Finding; f.BackTo != uint64(len(showBoard().Copies)) {
		t.Errorf("backed up %+v", f)
	}
	if o := next(board.EventOutOfStep).Game.OutOfStep; o == nil || len(o.Differences) == 0 {
		t.Errorf("after a backup nothing differs: %+v", o)
	}
	keepsToTheDocument(t, document(t), judge.raw.String())
}

func TestWhoMayJudge(t *testing.T) {
	j := emperorTable(t, "en")
	with := func(change func(*http.Request)) func(*http.Request) { return change }
	asCookie := func(token string) func(*http.Request) {
		return with(func(r *http.Request) { r.AddCookie(&http.Cookie{Name: web.CookieName, Value: token}) })
	}
	from := func(origin string) func(*http.Request) {
		return with(func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: web.CookieName, Value: "judge-token"})
			r.Header.Set("Origin", origin)
		})
	}
	for _, test := range []struct {
		name   string
		token  string
		change func(*http.Request)
		status int
	}{
		{"nobody", "", nil, http.StatusForbidden},
		{"an unknown token", "guess", nil, http.StatusUnauthorized},
		{"the overlay", "overlay-token", nil, http.StatusForbidden},
		{"the overlay's cookie", "", asCookie("overlay-token"), http.StatusForbidden},
		{"an unknown cookie", "", asCookie("guess"), http.StatusForbidden},
		{"a judge", "judge-token", nil, http.StatusNoContent},
		{"an operator", "operator-token", nil, http.StatusNoContent},
		{"a judge's cookie", "", asCookie("judge-token"), http.StatusNoContent},
		{"this server's page", "", from(j.url), http.StatusNoContent},
		{"another site's page", "", from("http://evil.example"), http.StatusForbidden},
		{"a page of nowhere", "", from("null"), http.StatusForbidden},
		{"another site, as the browser says", "", with(func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: web.CookieName, Value: "judge-token"})
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}), http.StatusForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body := j.ask(t, request{method: http.MethodPost, path: "/api/accept", body: `{}`, token: test.token, change: test.change})
			if status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, body)
			}
			if status >= 400 && !strings.Contains(body, `"detail":"`) {
				t.Errorf("it doesn't say why: %s", body)
			}
		})
	}
	// None of it is for viewers, reading neither.
	for _, path := range []string{"/api/desk", "/api/rules", "/api/rules/bow.turn", "/api/cards?q=hida", "/api/events", "/api/findings/f1/seen", "/api/prompts/p1/seen", "/api/nothing"} {
		for _, token := range []string{"", "overlay-token"} {
			if status, body := j.ask(t, request{path: path, token: token}); status != http.StatusForbidden || strings.Contains(body, "Hida") {
				t.Errorf("GET %s by %q: status %d: %s", path, token, status, body)
			}
		}
	}
	if response, _ := get(t, j.url+"/judge", nil); response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/login?next=/judge" {
		t.Errorf("the page for nobody: status %d to %q", response.StatusCode, response.Header.Get("Location"))
	}
	if response, _ := get(t, serve(t, web.Options{})+"/judge", nil); response.StatusCode != http.StatusForbidden {
		t.Errorf("the page where there are no tokens: status %d", response.StatusCode)
	}
	// The game's own words are no secret.
	if status, body := j.ask(t, request{path: "/api/words"}); status != http.StatusOK || !strings.Contains(body, `"lang":"en"`) {
		t.Errorf("words: status %d: %s", status, body)
	}
}

func TestGuessingTokensOfJudges(t *testing.T) {
	j := newTableOf(t, web.HubOptions{}, web.Options{Clock: newClock()})
	for range 10 {
		if status, _ := j.ask(t, request{path: "/api/desk", token: "guess"}); status != http.StatusUnauthorized {
			t.Fatalf("status %d", status)
		}
	}
	if status, _ := j.ask(t, request{path: "/api/desk", token: "judge-token"}); status != http.StatusTooManyRequests {
		t.Errorf("after ten wrong tokens: status %d", status)
	}
}

// What a judge may meet on a German page is in German: the engine says it so, or
// it has a code that the page has a text for.
func TestRefusalsOnAGermanTable(t *testing.T) {
	j := emperorTable(t, "de")
	for path, c := range map[string]struct{ body, says string }{
		"/api/copies/c99/correction": {`{"face":"down"}`, `"detail":"auf dem Tisch liegt keine Karte c99"`},
		"/api/findings/f99/decision": {`{"decision":"upheld"}`, `"detail":"es gibt keinen offenen Befund „f99“`},
		"/api/prompts/p99/decision":  {`{"decision":"upheld"}`, `"detail":"es gibt keine offene Aufforderung „p99“`},
	} {
		if _, body := j.ask(t, request{method: http.MethodPost, path: path, body: c.body, token: "judge-token"}); !strings.Contains(body, c.says) {
			t.Errorf("%s: %s, want %s", path, body, c.says)
		}
	}
	code := func(fails error, token, want string) {
		t.Helper()
		j.mu.Lock()
		j.fails = fails
		j.mu.Unlock()
		_, body := j.ask(t, request{method: http.MethodPost, path: "/api/accept", body: `{}`, token: token})
		if !strings.Contains(body, `"code":"`+want+`"`) {
			t.Errorf("%v: %s, want the code %s", fails, body, want)
		}
		for _, lang := range []string{"en", "de"} {
			if pageTexts(t, lang)["problem."+want] == "" {
				t.Errorf("the pages have no text for %s in %s", want, lang)
			}
		}
	}
	code(web.ErrNotKept, "judge-token", "not-kept")
	code(fmt.Errorf("busy: %w", context.DeadlineExceeded), "judge-token", "busy")
	code(errors.New("oh"), "judge-token", "internal")
	code(nil, "", "login")
}

func TestRequestsThatAreWrong(t *testing.T) {
	j := emperorTable(t, "en")
	for _, test := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"no body", "/api/accept", ``, http.StatusBadRequest, "empty"},
		{"no JSON", "/api/accept", `yes`, http.StatusBadRequest, "JSON"},
		{"two objects", "/api/accept", `{} {}`, http.StatusBadRequest, "more follows"},
		{"an unknown field", "/api/copies/c1/correction", `{"crad":"hida-o-ushi"}`, http.StatusBadRequest, "crad"},
		{"a field of another type", "/api/copies/c1/correction", `{"card":7}`, http.StatusBadRequest, "card"},
		{"too large", "/api/accept", `{"x":"` + strings.Repeat("x", 100<<10) + `"}`, http.StatusRequestEntityTooLarge, "65536"},
		{"no such copy", "/api/copies/c99/correction", `{"face":"down"}`, http.StatusUnprocessableEntity, "c99"},
		{"no such card", "/api/copies/c1/correction", `{"card":"nobody"}`, http.StatusUnprocessableEntity, "nobody"},
		{"no such face", "/api/copies/c1/correction", `{"face":"sideways"}`, http.StatusUnprocessableEntity, "sideways"},
		{"no such seat", "/api/copies/c1/correction", `{"owner":"west"}`, http.StatusUnprocessableEntity, "west"},
		{"no such finding", "/api/findings/f99/decision", `{"decision":"upheld"}`, http.StatusUnprocessableEntity, "f99"},
		{"no such prompt", "/api/prompts/p99/decision", `{"decision":"upheld"}`, http.StatusUnprocessableEntity, "p99"},
		{"no such decision", "/api/findings/f1/decision", `{"decision":"shrugged"}`, http.StatusUnprocessableEntity, "shrugged"},
		{"a backup to nowhere", "/api/findings/f1/decision", `{"decision":"backed-up"}`, http.StatusUnprocessableEntity, "back_to"},
		{"a backup that is none", "/api/findings/f1/decision", `{"decision":"upheld","back_to":3}`, http.StatusUnprocessableEntity, "back_to"},
		{"no such action", "/api/actions", `{"kind":"juggle"}`, http.StatusUnprocessableEntity, "juggle"},
		{"no such thing", "/api/juggle", `{}`, http.StatusNotFound, "/api/juggle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body := j.ask(t, request{method: http.MethodPost, path: test.path, body: test.body, token: "judge-token"})
			var p struct {
				Status int
				Detail string
			}
			if err := json.Unmarshal([]byte(body), &p); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if status != test.status || p.Status != status || !strings.Contains(p.Detail, test.says) {
				t.Errorf("status %d, want %d; it says %q, and not %q", status, test.status, p.Detail, test.says)
			}
		})
	}
	t.Run("in plain words", func(t *testing.T) {
		for _, body := range []string{`{"card":7}`, `[]`} {
			if _, said := j.ask(t, request{method: http.MethodPost, path: "/api/copies/c1/correction", body: body, token: "judge-token"}); strings.Contains(said, "Go ") || strings.Contains(said, "board.") {
				t.Errorf("%s: %s", body, said)
			}
		}
	})
	t.Run("no content type", func(t *testing.T) {
		status, body := j.ask(t, request{method: http.MethodPost, path: "/api/accept", body: `{}`, token: "judge-token", change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }})
		if status != http.StatusUnsupportedMediaType {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		j.mu.Lock()
		j.fails = web.ErrNotKept
		j.mu.Unlock()
		status, body := j.ask(t, request{method: http.MethodPost, path: "/api/accept", body: `{}`, token: "judge-token"})
		if status != http.StatusServiceUnavailable || !strings.Contains(body, "journal") {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("no judging", func(t *testing.T) {
		tb := newTable(t, web.HubOptions{})
		if status, body := tb.ask(t, request{path: "/api/desk", token: "judge-token"}); status != http.StatusNotFound {
			t.Errorf("status %d: %s", status, body)
		}
	})
}

func TestRulesOverHTTP(t *testing.T) {
	j := emperorTable(t, "de")
	var list struct {
		Lang  string
		Rules []rules.RuleText
	}
	_, body := j.ask(t, request{path: "/api/rules", token: "judge-token"})
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	if want := j.engine.Rules(); list.Lang != "de" || len(list.Rules) != len(want) || list.Rules[0].Title != want[0].Title {
		t.Errorf("rules in %s: %d, want %d; the first is %q", list.Lang, len(list.Rules), len(want), list.Rules[0].Title)
	}
	var rule rules.RuleText
	_, body = j.ask(t, request{path: "/api/rules/honor.personality", token: "judge-token"})
	if err := json.Unmarshal([]byte(body), &rule); err != nil || rule.Citation.Quote == "" || rule.Citation.Passage == "" {
		t.Errorf("%v: %s", err, body)
	}
	if status, body := j.ask(t, request{path: "/api/rules/honour", token: "judge-token"}); status != http.StatusNotFound || !strings.Contains(body, "honour") {
		t.Errorf("a rule there isn't: status %d: %s", status, body)
	}

	b := showBoard() // with a Holding upside down
	clear(b.Findings)
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var x rules.Explanation
	j.post(t, "/api/explain", string(bytes.TrimSpace(data)), &x)
	if !slices.ContainsFunc(x.Findings, func(f board.Finding) bool {
		return f.Rule == "honor.personality" && f.Copies[0] == "c4" && f.Lang == "de"
	}) {
		t.Errorf("findings %+v", x.Findings)
	}
	if len(x.Copies) != len(b.Copies) {
		t.Errorf("%d copies, want %d", len(x.Copies), len(b.Copies))
	}
	if n := len(j.engine.Board().Findings); n != 0 {
		t.Errorf("explaining a board left %d findings at the table", n)
	}
}

// The log is what the role's stream was, a page at a time.
func TestEventsOverHTTP(t *testing.T) {
	j := emperorTable(t, "en")
	placed := uint64(len(showBoard().Copies))
	events := func(query string) (seqs []uint64) {
		t.Helper()
		var page struct{ Events []board.Event }
		status, body := j.ask(t, request{path: "/api/events" + query, token: "judge-token"})
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			t.Fatalf("%s: status %d, %v: %s", query, status, err, body)
		}
		for _, e := range page.Events {
			seqs = append(seqs, e.Seq)
		}
		return seqs
	}
	if got := events(""); uint64(len(got)) != placed || got[0] != 1 || got[placed-1] != placed {
		t.Errorf("all: %v", got)
	}
	if got := events("?limit=2"); !slices.Equal(got, []uint64{placed - 1, placed}) {
		t.Errorf("the newest two: %v", got)
	}
	if got := events("?limit=2&before=3"); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("before the third: %v", got)
	}
	if got := events("?before=1"); len(got) != 0 {
		t.Errorf("before the first: %v", got)
	}
	if status, _ := j.ask(t, request{path: "/api/events?before=x", token: "judge-token"}); status != http.StatusBadRequest {
		t.Errorf("before x: status %d", status)
	}
}
