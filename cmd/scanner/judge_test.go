package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/journal"
	"tabletop/rules"
	"tabletop/web"
)

// silent is a camera that gave one picture and then gives none any more.
type silent struct{ given bool }

func (s *silent) Next(ctx context.Context) (camera.Frame, error) {
	if s.given {
		<-ctx.Done()
		return camera.Frame{}, ctx.Err()
	}
	s.given = true
	return camera.Frame{Image: gocv.NewMatWithSizeFromScalar(gocv.NewScalar(90, 100, 95, 0), 360, 640, gocv.MatTypeCV8UC3), Seq: 1, At: time.Now()}, nil
}
func (*silent) Stats() camera.Stats { return camera.Stats{Connected: true} }
func (*silent) String() string      { return "silent:" }
func (*silent) Close() error        { return nil }

// laid is a journal with a match in which a Holding was turned upside down.
func laid(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j.db")
	j, err := journal.Open(t.Context(), path, board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	layout := uncalibratedLayout()
	m, err := j.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor", Table: "Table 1", Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	pack, err := gamePack("l5r-emperor", "")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := rules.New(pack, rules.Options{Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	lie := func(id board.CopyID, name, kind string, x, angle float64) *board.Copy {
		centre := board.Point{X: x, Y: 100}
		return &board.Copy{
			ID: id, Card: &board.CardRef{ID: board.CardID(id), Name: name, Type: kind}, Owner: "south", Controller: "south", State: board.NewState(),
			Pose: board.Pose{Centre: centre, AngleDeg: angle, Rotation: board.NearestTurn(angle), Face: board.FaceUp, Visible: 1, Confidence: 1, Corners: board.RectQuad(centre, board.StandardCard(), angle)},
		}
	}
	at := time.Now().Add(-time.Minute)
	events := engine.Apply([]board.Change{
		{Kind: board.ChangePlaced, At: at, After: lie("c1", "Iron Mine", "holding", 100, 0)},
		{Kind: board.ChangePlaced, At: at, After: lie("c2", "Hida O-Ushi", "personality", 300, 0)},
	})
	events = append(events, engine.Apply([]board.Change{
		{Kind: board.ChangeTurned, At: at.Add(20 * time.Second), Before: lie("c1", "Iron Mine", "holding", 100, 0), After: lie("c1", "Iron Mine", "holding", 100, 180)},
	})...)
	if _, err := m.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	return path
}

// openSilent opens the live program before a silent camera. It is not running
// yet, and the caller's to close.
func openSilent(t *testing.T, cfg Config) *live {
	t.Helper()
	opt, err := liveFromConfig(cfg, testWriter{t})
	if err != nil {
		t.Fatal(err)
	}
	opt.Log = slog.New(slog.DiscardHandler)
	opt.Openers["silent"] = func(context.Context, camera.Address, camera.Options) (camera.Source, error) { return &silent{}, nil }
	l, err := openLive(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestJudgeOfALiveMatch: whatever judges ask for is done by the goroutine that
// owns the board, also while the camera gives nothing; it is in the journal, and
// is there again when the program goes on with the match.
func TestJudgeOfALiveMatch(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Camera, cfg.Listen, cfg.Journal, cfg.Match = "silent:", "127.0.0.1:0", laid(t), "latest"
	cfg.Tokens = map[web.Role][]string{web.RoleJudge: {"a-judge"}}
	start := func() (*live, func()) {
		t.Helper()
		l := openSilent(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		return l, func() {
			t.Helper()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	l, stop := start()
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+hostFor(l.server.Addr())+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer a-judge")
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(data)
	}
	must := func(path, body string) string {
		t.Helper()
		status, answer := ask(http.MethodPost, path, body)
		if status >= 300 {
			t.Fatalf("POST %s %s: status %d: %s", path, body, status, answer)
		}
		return answer
	}

	var answered struct{ Answer board.Answer }
	if err := json.Unmarshal([]byte(must("/api/actions", `{"kind":"honor.total","seat":"south","amount":7}`)), &answered); err != nil || !answered.Answer.Legal {
		t.Errorf("declared: %+v, %v", answered, err)
	}
	must("/api/actions", `{"kind":"destroy","targets":["c2"]}`)
	must("/api/copies/c1/correction", `{"owner":"north"}`)
	finding := ""
	for id := range boardOf(t, cfg.Journal).Findings {
		finding = string(id)
	}
	must("/api/findings/"+finding+"/decision", `{"decision":"upheld"}`)
	if status, answer := ask(http.MethodPost, "/api/copies/c1/correction", `{"card":"no-such-card"}`); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "no-such-card") {
		t.Errorf("an unknown card: status %d: %s", status, answer)
	}
	if status, answer := ask(http.MethodPost, "/api/findings/"+finding+"/decision", `{"decision":"backed-up","back_to":99}`); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "99") {
		t.Errorf("a backup to an event there isn't: status %d: %s", status, answer)
	}
	if status, answer := ask(http.MethodGet, "/api/rules/honor.personality", ""); status != http.StatusOK || !strings.Contains(answer, "quote") {
		t.Errorf("a rule: status %d: %s", status, answer)
	}
	stop()

	was := boardOf(t, cfg.Journal)
	if f := was.Findings[board.FindingID(finding)]; f.Decision != board.DecisionUpheld {
		t.Errorf("the finding is %+v", f)
	}
	if was.Game == nil || was.Game.Honor["south"] != 7 || len(was.Prompts) == 0 || was.Copies["c1"].Owner != "north" || was.Copies["c1"].Corrected == nil {
		t.Errorf("the journal has %+v", was)
	}

	// The program goes on where it was, also where it looks at few frames.
	cfg.MaxFPS = 0.01
	l, stop = start()
	if status, answer := ask(http.MethodGet, "/api/events?limit=1", ""); status != http.StatusOK || !strings.Contains(answer, string(board.EventFindingDecided)) {
		t.Errorf("after a restart, the last event: status %d: %s", status, answer)
	}
	must("/api/findings/"+finding+"/decision", `{"decision":"dismissed"}`) // it is known still
	must("/api/accept", `{}`)
	must("/api/copies/c1/correction", `{}`)
	stop()
	now := boardOf(t, cfg.Journal)
	if len(now.Findings) != 0 || now.Game.Honor["south"] != 7 || len(now.Prompts) == 0 {
		t.Errorf("after a restart %+v", now)
	}

	var out, errs strings.Builder
	if status := Main(t.Context(), []string{"export", "--journal", cfg.Journal, "--format", "text"}, &out, &errs); status != exitOK {
		t.Fatal(errs.String())
	}
	for _, line := range []string{
		"Iron Mine (c1) came, ", "finding honor.personality (c1), illegal: ", "declared: honor.total by South of 7: legal (honor: South 7)",
		"declared: destroy on c2: legal", "owed by discard.destroyed: ", "Iron Mine (c1): a person says that its owner is North",
		"finding honor.personality (c1): a person decides: upheld", "a person takes the table as it lies",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the export does not say %q:\n%s", line, out.String())
		}
	}
}

// A copy that left the table keeps its id also over a restart: prompts and
// declarations name it still, so no other card may get it.
func TestIDsAreNotGivenAgainAfterARestart(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Camera, cfg.Listen, cfg.Journal, cfg.Match = "silent:", "127.0.0.1:0", laid(t), "latest"
	was := boardOf(t, cfg.Journal)
	j, err := journal.Open(t.Context(), cfg.Journal, board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := j.Resolve(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	m, err := j.Resume(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	c2 := was.Copies["c2"]
	if _, err := m.Append(t.Context(), []board.Event{{Kind: board.EventRemoved, Card: "c2", Before: &c2}}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil { // only one may write
		t.Fatal(err)
	}

	l := openSilent(t, cfg)
	defer l.Close()
	centre := board.Point{X: 500, Y: 100}
	card := board.Observation{
		Corners: board.RectQuad(centre, board.StandardCard(), 0), AngleModulo: 360, Face: board.FaceUp, Confidence: 0.99, Visible: 1,
		Card: &board.CardRef{ID: "doji-hoturi", Name: "Doji Hoturi", Type: "personality"},
	}
	var placed []board.CopyID
	for i := range 20 {
		at := time.Now().Add(time.Duration(i) * 100 * time.Millisecond)
		for _, c := range l.pipe.tracker.Observe(board.View{Frame: uint64(i), At: at, Cards: []board.Observation{card}}) {
			if c.Kind == board.ChangePlaced {
				placed = append(placed, c.After.ID)
			}
		}
	}
	if len(placed) != 1 || placed[0] != "c3" {
		t.Errorf("the new card is %v, want c3: c2 was another", placed)
	}
}

// boardOf folds what the only match of a journal holds.
func boardOf(t *testing.T, path string) board.Board {
	t.Helper()
	j, err := journal.Open(t.Context(), path, board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	info, err := j.Resolve(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := j.Board(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A picture is kept of what a judge may have to decide about, and of nothing else.
func TestEvidence(t *testing.T) {
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "j.db"), board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	m, err := j.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor"})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := m.Append(t.Context(), []board.Event{
		{Kind: "card.bowed", Card: "c1", After: &board.Copy{ID: "c1"}},
		{Kind: board.EventFindingOpened, Finding: &board.Finding{ID: "f1"}},
		{Kind: board.EventFindingEnded, Finding: &board.Finding{ID: "f1"}},
		{Kind: board.EventPromptOpened, Prompt: &board.Prompt{ID: "p1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	picture := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(90, 100, 95, 0), 1080, 1920, gocv.MatTypeCV8UC3)
	defer picture.Close()
	l := &live{match: m, log: slog.New(slog.DiscardHandler)}
	l.keepEvidence(t.Context(), picture, stored)
	desk := &readingDesk{journal: j, match: m.Info().ID}
	for i, want := range []bool{false, true, false, true} {
		data, err := desk.Picture(t.Context(), uint64(i+1))
		if want != (err == nil) || !want && !errors.Is(err, web.ErrUnknown) {
			t.Errorf("event %d: %d bytes, %v", i+1, len(data), err)
		}
		if !want || err != nil {
			continue
		}
		kept, err := gocv.IMDecode(data, gocv.IMReadColor)
		if err != nil {
			t.Fatal(err)
		}
		if kept.Cols() != evidenceWidth || kept.Rows() != 900 {
			t.Errorf("event %d: the picture has %d×%d pixels", i+1, kept.Cols(), kept.Rows())
		}
		kept.Close()
	}
}

func TestFindingCards(t *testing.T) {
	pack, err := gamePack("l5r-emperor", "")
	if err != nil {
		t.Fatal(err)
	}
	var cards []board.Card
	for _, name := range []string{"Matsu Hiroru", "Hiruma Kage", "Hida O-Ushi", "Moto Tsume", "Shiba Tsukune"} {
		cards = append(cards, board.Card{ID: board.CardID(strings.ToLower(strings.ReplaceAll(name, " ", "-"))), Name: name})
	}
	desk, err := newReadingDesk(pack, rules.Options{Layout: uncalibratedLayout()}, cards)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"":            "Hida O-Ushi, Hiruma Kage, 2 of 5",
		"hi":          "Hida O-Ushi, Hiruma Kage, 2 of 4", // names that begin with it come first
		"tsu":         "Moto Tsume, Shiba Tsukune, 2 of 3",
		"kage hiruma": "Hiruma Kage, 1 of 1",
		"o-ushi":      "Hida O-Ushi, 1 of 1",
		"nobody":      "0 of 0",
	} {
		found := desk.Cards(query, 2)
		var names []string
		for _, c := range found.Cards {
			names = append(names, c.Name)
		}
		if got := strings.Join(append(names, fmt.Sprintf("%d of %d", len(names), found.Of)), ", "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	if err := desk.Accept(t.Context()); err == nil || !strings.Contains(err.Error(), "replay") {
		t.Errorf("in a replay: %v", err)
	}
}

// In a replay rules can be read in a language that the game has; a game that the
// program doesn't know has none, and is played back all the same.
func TestReplayDesk(t *testing.T) {
	j, err := journal.Open(t.Context(), laid(t), board.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	info, err := j.Resolve(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.Lang = "fr"
	desk, err := replayDesk(j, info, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if d := desk.Desk(); !d.ReadOnly || d.Lang != "en" || len(desk.Rules()) == 0 {
		t.Errorf("desk %+v with %d rules", d, len(desk.Rules()))
	}
	if _, err := desk.Picture(t.Context(), 1); !errors.Is(err, web.ErrUnknown) {
		t.Errorf("a picture that was not kept: %v", err)
	}
	for what, err := range map[string]error{
		"correct": desk.Correct(t.Context(), "c1", board.Correction{}), "decide": desk.Decide(t.Context(), web.Ruling{Finding: "f1"}),
	} {
		if !errors.Is(err, web.ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	info.Game = "chess"
	if desk, err := replayDesk(j, info, cfg, slog.New(slog.DiscardHandler)); desk != nil || err != nil {
		t.Errorf("an unknown game: %v, %v", desk, err)
	}
}
