package journal_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/journal"
)

// fakeClock stands still until it is told to move.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 11, 30, 7, 52, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t *testing.T, path string, clock board.Clock) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func begin(t *testing.T, j *journal.Journal) *journal.Match {
	t.Helper()
	m, err := j.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor", Table: "Table 7", Layout: board.Layout{
		Size:  board.Size{Width: 900, Height: 600},
		Seats: []board.Seat{{ID: "south"}, {ID: "north", UpDeg: 180}},
		Zones: []board.Zone{{ID: "south.home", Kind: board.ZoneHome, Seat: "south", Outline: board.Polygon{{X: 0, Y: 0.5}, {X: 1, Y: 0.5}, {X: 1, Y: 1}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func placed(id board.CopyID) board.Event {
	return board.Event{Kind: board.EventPlaced, Card: id, After: &board.Copy{
		ID: id, Card: &board.CardRef{ID: "hida-o-ushi", Name: "Hida O-Ushi"}, State: board.NewState(), Pose: board.Pose{Face: board.FaceUp},
	}}
}

func collect(t *testing.T, j *journal.Journal, match string, since uint64) []board.Event {
	t.Helper()
	var all []board.Event
	for e, err := range j.Events(t.Context(), match, since) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestAppendNumbersWithoutGaps(t *testing.T) {
	clock := newClock()
	path := filepath.Join(t.TempDir(), "odd name?#%.db")
	j := open(t, path, clock)
	first, second := begin(t, j), begin(t, j)
	const batches, size = 120, 3 // more events than one page of reading
	for i := range batches {
		clock.Advance(time.Second)
		got, err := first.Append(t.Context(), []board.Event{placed("c1"), placed("c2"), placed("c3")})
		if err != nil {
			t.Fatal(err)
		}
		for k, e := range got {
			if want := uint64(i*size + k + 1); e.Seq != want {
				t.Fatalf("event %d of batch %d has number %d, want %d", k, i, e.Seq, want)
			}
			if !e.At.Equal(clock.Now()) {
				t.Fatalf("at = %v, want the clock's %v", e.At, clock.Now())
			}
		}
	}
	if got, err := second.Append(t.Context(), []board.Event{placed("c9")}); err != nil || got[0].Seq != 1 {
		t.Fatalf("another match starts at its own 1, got %v, %v", got, err)
	}
	if got, err := second.Append(t.Context(), nil); err != nil || got != nil {
		t.Fatalf("nothing to append gives %v, %v", got, err)
	}
	all := collect(t, j, first.Info().ID, 0)
	if len(all) != batches*size {
		t.Fatalf("%d events, want %d", len(all), batches*size)
	}
	for i, e := range all {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
	if tail := collect(t, j, first.Info().ID, 357); len(tail) != 3 || tail[0].Seq != 358 {
		t.Fatalf("since 357 gives %v", tail)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the path is taken literally: %v", err)
	}
}

func TestCommitsWaitForTheDisk(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
	level, mode, err := j.Synchronous(t.Context())
	if err != nil || level != 2 || mode != "wal" {
		t.Fatalf("synchronous %d, journal mode %q, %v; want 2 (FULL), wal", level, mode, err)
	}
}

func TestReopenKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	clock := newClock()
	j, err := journal.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	m := begin(t, j)
	if _, err := m.Append(t.Context(), []board.Event{placed("c1"), placed("c2")}); err != nil {
		t.Fatal(err)
	}
	if err := m.AddEvidence(t.Context(), 2, []byte("jpeg")); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	j = open(t, path, clock)
	info, err := j.Match(t.Context(), m.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	if info.Head != 2 || info.Epoch != m.Info().Epoch || info.Game != "l5r-emperor" || info.Table != "Table 7" || !info.Ended.IsZero() {
		t.Fatalf("match after reopening: %+v", info)
	}
	if got, want := fmt.Sprint(info.Layout), fmt.Sprint(m.Info().Layout); got != want {
		t.Fatalf("layout %s, want %s", got, want)
	}
	b, head, err := j.Board(t.Context(), info.ID)
	if err != nil || head != 2 || len(b.Copies) != 2 {
		t.Fatalf("board %v, head %d, %v", b, head, err)
	}
	if jpeg, err := j.Evidence(t.Context(), info.ID, 2); err != nil || string(jpeg) != "jpeg" {
		t.Fatalf("evidence %q, %v", jpeg, err)
	}
	if _, err := j.Evidence(t.Context(), info.ID, 1); !errors.Is(err, journal.ErrNoEvidence) {
		t.Fatalf("no picture: %v", err)
	}

	resumed, err := j.Resume(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := resumed.Append(t.Context(), []board.Event{placed("c3")}); err != nil || got[0].Seq != 3 {
		t.Fatalf("after resuming: %v, %v", got, err)
	}
	clock.Advance(time.Minute)
	if err := resumed.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := resumed.Append(t.Context(), []board.Event{placed("c4")}); !errors.Is(err, journal.ErrEnded) {
		t.Fatalf("appending to an ended match: %v", err)
	}
	if _, err := j.Resume(t.Context(), info.ID); !errors.Is(err, journal.ErrEnded) {
		t.Fatalf("resuming an ended match: %v", err)
	}
	if info, err = j.Match(t.Context(), info.ID); err != nil || !info.Ended.Equal(clock.Now()) {
		t.Fatalf("ended %v, %v; want %v", info.Ended, err, clock.Now())
	}
}

func TestResolve(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
	if _, err := j.Resolve(t.Context(), "latest"); !errors.Is(err, journal.ErrNoMatch) || !strings.Contains(err.Error(), "scanner run") {
		t.Fatalf("an empty journal: %v", err)
	}
	start := newClock().Now()
	for i, id := range []string{"2026-11-30-0752-aaaaa", "2026-11-30-0752-bbbbb", "2026-12-01-0900-ccccc"} {
		if _, err := j.Begin(t.Context(), journal.MatchInfo{ID: id, Started: start.Add(time.Duration(i) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, want string
		err        error
	}{
		{name: "latest", want: "2026-12-01-0900-ccccc"},
		{name: "2026-11-30-0752-aaaaa", want: "2026-11-30-0752-aaaaa"},
		{name: "bbbbb", want: "2026-11-30-0752-bbbbb"},
		{name: "2026-12", want: "2026-12-01-0900-ccccc"},
		{name: "2026-11", err: journal.ErrAmbiguous},
		{name: "zzz", err: journal.ErrNoMatch},
		{name: "", err: journal.ErrNoMatch},
	} {
		t.Run("name "+test.name, func(t *testing.T) {
			info, err := j.Resolve(t.Context(), test.name)
			if !errors.Is(err, test.err) || info.ID != test.want {
				t.Fatalf("%q, %v; want %q, %v", info.ID, err, test.want, test.err)
			}
		})
	}
}

// A match knows every copy that ever lay there, each once.
func TestCopiesAreAllThatEverLayThere(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
	m := begin(t, j)
	gone := placed("c10").After
	if _, err := m.Append(t.Context(), []board.Event{
		placed("c1"), placed("c10"), {Kind: board.EventAccepted},
		{Kind: board.EventRemoved, Card: "c10", Before: gone},
	}); err != nil {
		t.Fatal(err)
	}
	other := begin(t, j)
	if _, err := other.Append(t.Context(), []board.Event{placed("c77")}); err != nil {
		t.Fatal(err)
	}
	got, err := j.Copies(t.Context(), m.Info().ID)
	if want := []board.CopyID{"c1", "c10"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("copies %v, %v; want %v", got, err, want)
	}
	if _, err := j.Copies(t.Context(), "none"); !errors.Is(err, journal.ErrNoMatch) {
		t.Errorf("a match there isn't: %v", err)
	}
}

func TestExportIsOneEventALine(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
	m := begin(t, j)
	sent, err := m.Append(t.Context(), []board.Event{placed("c1"), {Kind: board.EventRemoved, Card: "c1", Before: placed("c1").After}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := j.Export(t.Context(), m.Info().ID, &out); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(true)
	for _, e := range sent {
		if err := encoder.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != want.String() {
		t.Fatalf("export\n%s\nwant\n%s", out.String(), want.String())
	}
	if err := j.Export(t.Context(), "none", &out); !errors.Is(err, journal.ErrNoMatch) {
		t.Fatalf("exporting what is not there: %v", err)
	}
}

func TestReplayKeepsThePace(t *testing.T) {
	for _, test := range []struct {
		name    string
		options journal.ReplayOptions
		want    []time.Duration // after the start
	}{
		{"as it was", journal.ReplayOptions{Speed: 1}, []time.Duration{0, 2 * time.Second, 62 * time.Second}},
		{"twice as fast", journal.ReplayOptions{Speed: 2}, []time.Duration{0, time.Second, 31 * time.Second}},
		{"long pauses cut", journal.ReplayOptions{Speed: 2, MaxPause: 10 * time.Second}, []time.Duration{0, time.Second, 6 * time.Second}},
		{"no pauses", journal.ReplayOptions{}, []time.Duration{0, 0, 0}},
		{"from the second on", journal.ReplayOptions{Speed: 1, Since: 2}, []time.Duration{0, 0, 60 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newClock()
			j := open(t, filepath.Join(t.TempDir(), "j.db"), clock)
			m := begin(t, j)
			for i, pause := range []time.Duration{0, 2 * time.Second, time.Minute} {
				clock.Advance(pause)
				if _, err := m.Append(t.Context(), []board.Event{placed(board.CopyID(fmt.Sprint("c", i)))}); err != nil {
					t.Fatal(err)
				}
			}
			start := clock.Now()
			test.options.Sleep = func(_ context.Context, d time.Duration) error { clock.Advance(d); return nil }
			var got []time.Duration
			err := j.Replay(t.Context(), m.Info().ID, test.options, func(board.Event) error {
				got = append(got, clock.Now().Sub(start))
				if test.options.Speed > 0 {
					clock.Advance(100 * time.Millisecond) // playing takes time, which must not add up
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if test.options.Since > 0 { // played at once, one after the other
				got[1] -= 100 * time.Millisecond
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Fatalf("played at %v, want %v", got, test.want)
			}
		})
	}
}

func TestReplayEnds(t *testing.T) {
	clock := newClock()
	j := open(t, filepath.Join(t.TempDir(), "j.db"), clock)
	m := begin(t, j)
	for range 2 {
		clock.Advance(time.Hour)
		if _, err := m.Append(t.Context(), []board.Event{placed("c1")}); err != nil {
			t.Fatal(err)
		}
	}
	stop := errors.New("stop")
	if err := j.Replay(t.Context(), m.Info().ID, journal.ReplayOptions{Speed: 1}, func(board.Event) error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("an error of play: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := j.Replay(ctx, m.Info().ID, journal.ReplayOptions{Speed: 1}, func(board.Event) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled in an hour's pause: %v", err)
	}
	if err := j.Replay(t.Context(), m.Info().ID, journal.ReplayOptions{Speed: -1}, nil); err == nil {
		t.Fatal("a negative speed is accepted")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	db, err := sql.Open("sqlite3", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE recipes (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.db")
	j, err := journal.Open(t.Context(), newer, newClock())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.PretendNewerSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name, path, says string
		err              error
	}{
		{"no folder", filepath.Join(dir, "none", "j.db"), "mkdir", journal.ErrFolderMissing},
		{"a folder", dir, "name a file in it", journal.ErrNotJournal},
		{"a file as folder", filepath.Join(write("plain", "x"), "j.db"), "", nil},
		{"a text file", write("notes.txt", strings.Repeat("shopping list ", 100)), "move it away", journal.ErrNotJournal},
		{"another program's", foreign, "another program", journal.ErrNotJournal},
		{"a newer schema", newer, "update the program", journal.ErrNewerSchema},
		{"no name", "", "give a path", nil},
		{"a folder nobody can write to", "/proc/tabletop-journal.db", "read-only", journal.ErrReadOnly},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, err := journal.Open(t.Context(), test.path, newClock())
			if err == nil {
				j.Close()
				t.Fatal("it opened")
			}
			if test.err != nil && !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.path) {
				t.Errorf("message %q does not name the file or say %q", err, test.says)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || !strings.HasPrefix(string(text), "shopping") {
		t.Fatalf("a foreign file was changed: %q, %v", text, err)
	}
}

func TestWriteFailsMidGame(t *testing.T) {
	for _, test := range []struct {
		name string
		fail func(*journal.Journal, context.Context) error
		err  error
	}{
		{"disk full", (*journal.Journal).FillDisk, journal.ErrDiskFull},
		{"read-only", (*journal.Journal).SetReadOnly, journal.ErrReadOnly},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
			m := begin(t, j)
			// Enough for one append not to fit into pages that are there.
			batch := make([]board.Event, 50)
			for i := range batch {
				batch[i] = placed(board.CopyID(fmt.Sprint("c", i)))
			}
			if _, err := m.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			if err := test.fail(j, t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := m.Append(t.Context(), batch)
			if !errors.Is(err, test.err) || got != nil {
				t.Fatalf("returned %d events, %v; want none, %v", len(got), err, test.err)
			}
			if n := len(collect(t, j, m.Info().ID, 0)); n != 50 {
				t.Fatalf("%d events after the failure, want the 50 from before", n)
			}
			if test.err != journal.ErrDiskFull {
				return
			}
			if err := j.FreeDisk(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err = m.Append(t.Context(), batch)
			if err != nil || got[0].Seq != 51 {
				t.Fatalf("once there is room: %v; the numbers go on without a gap", err)
			}
		})
	}
}

func TestReadingHoldsUpNoWriter(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j.db"), newClock())
	m := begin(t, j)
	if _, err := m.Append(t.Context(), []board.Event{placed("c1"), placed("c2")}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range j.Events(t.Context(), m.Info().ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			if _, err := m.Append(t.Context(), []board.Event{placed("c3")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, err := range j.Events(t.Context(), "none", 0) {
		if !errors.Is(err, journal.ErrNoMatch) {
			t.Fatalf("a match that is not there: %v", err)
		}
	}
}

// judging is an event of every kind that judging gives, with all that it can
// carry.
func judging() []board.Event {
	hida, north := &board.CardRef{ID: "hida-o-ushi", Name: "Hida O-Ushi", Type: "personality"}, board.SeatID("north")
	cite := board.Citation{Source: "Rules", Passage: "Bowed", Quote: "A card is bowed."}
	before := placed("c1").After
	after := *before
	after.Card, after.Owner, after.Corrected = hida, north, &board.Correction{Card: hida, Face: board.FaceDown, Owner: &north, Controller: &north}
	finding := board.Finding{ID: "f1", Rule: "bow.turn", Severity: board.SeverityIllegal, Possible: true, Copies: []board.CopyID{"c1"}, Seat: "south", Seen: "s", Text: "t", Lang: "en", Citation: cite}
	decided, ended := finding, finding
	decided.Decision, decided.BackTo = board.DecisionBackedUp, 3
	ended.ID, ended.Ended = "f2", board.EndTakenBack
	prompt := board.Prompt{
		ID: "p1", Rule: "honor.destroyed", Message: "loss", Seat: "south", Copies: []board.CopyID{"c1"}, Amount: 2, Zone: "south.home",
		Params: map[string]string{"by": "battle"}, Action: "a1", Possible: true, Text: "t", Lang: "de", Citation: cite,
	}
	done := prompt
	done.Decision = board.DecisionUpheld
	game := &board.Game{
		Honor:    map[board.SeatID]int{"south": 7},
		Battle:   &board.Battle{Attacker: "south", Defender: "north", Zone: "battlefield", Province: "north.province", Assigned: []board.CopyID{"c1"}},
		Attached: map[board.CopyID]board.CopyID{"c2": "c1"}, Marks: map[board.CopyID]board.State{"c1": board.NewState("dead")},
		Overlays: map[board.CopyID]board.CopyID{"c3": "c1"}, Controllers: map[board.CopyID]board.SeatID{"c1": "north"},
		Removed: []board.CopyID{"c4"}, Barred: []board.Barred{{Copy: "c5", Card: hida, Owner: "south"}},
		Past:      []board.Past{{Action: "a1", Kind: "target", Copies: map[board.CopyID]board.State{"c1": board.NewState("bowed")}}},
		Dismissed: []board.Dismissal{{Copy: "c1", Rule: "bow.turn"}},
		OutOfStep: &board.OutOfStep{Differences: []board.Difference{{Copy: "c1", Expected: before, Text: "t"}}, Lang: "en"},
	}
	return []board.Event{
		placed("c1"),
		{Kind: board.EventFindingOpened, Finding: &finding},
		{Kind: board.EventActionDeclared, Game: game,
			Action: &board.Action{ID: "a1", Kind: "target", Seat: "south", Copies: []board.CopyID{"c1"}, Targets: []board.CopyID{"c1"}, Zone: "south.home", Amount: 2, Params: map[string]string{"by": "x"}, At: newClock().Now(), Ruled: true},
			Answer: &board.Answer{Legal: true, Breaches: []board.Breach{{Rule: "bow.turn", Copies: []board.CopyID{"c1"}, Text: "t", Citation: cite}}, Effects: []string{"e"}, Prompts: []board.PromptID{"p1"}, Lang: "en"}},
		{Kind: board.EventPromptOpened, Prompt: &prompt},
		{Kind: board.EventPromptDecided, Prompt: &done},
		{Kind: board.EventCorrected, Card: "c1", Before: before, After: &after},
		{Kind: board.EventFindingDecided, Finding: &decided, Game: game},
		{Kind: board.EventOutOfStep, Game: game},
		{Kind: board.EventFindingEnded, Finding: &ended},
		{Kind: board.EventAccepted, Game: &board.Game{Honor: map[board.SeatID]int{"south": 7}}},
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What judges do is kept as it was, and the board can be had as it was after any
// event.
func TestJudgingIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	j := open(t, path, newClock())
	m := begin(t, j)
	written, err := m.Append(t.Context(), judging())
	if err != nil {
		t.Fatal(err)
	}
	again := open(t, path, newClock())
	if kept := asJSON(t, collect(t, again, m.Info().ID, 0)); kept != asJSON(t, written) {
		t.Errorf("kept\n%s\nwritten\n%s", kept, asJSON(t, written))
	}
	want := board.NewBoard(m.Info().Layout)
	for seq := range uint64(len(written)) + 1 {
		if seq > 0 {
			want.Apply(written[seq-1])
		}
		got, err := again.BoardAfter(t.Context(), m.Info().ID, seq)
		if err != nil || asJSON(t, got) != asJSON(t, want) {
			t.Errorf("after %d: %v\n%s\nwant\n%s", seq, err, asJSON(t, got), asJSON(t, want))
		}
	}
	if last, head, err := again.Board(t.Context(), m.Info().ID); err != nil || head != uint64(len(written)) || asJSON(t, last) != asJSON(t, want) {
		t.Errorf("at the end %d, %v: %s", head, err, asJSON(t, last))
	}
	if len(want.Prompts) != 1 || len(want.Findings) != 0 || want.Game.Honor["south"] != 7 || want.Copies["c1"].Corrected == nil {
		t.Errorf("the board at the end is %+v", want)
	}
	if _, err := again.BoardAfter(t.Context(), m.Info().ID, 99); !errors.Is(err, journal.ErrNoEvent) || !strings.Contains(err.Error(), "1 to 10") {
		t.Errorf("after an event there isn't: %v", err)
	}
	if _, err := again.BoardAfter(t.Context(), "none", 1); !errors.Is(err, journal.ErrNoMatch) {
		t.Errorf("of a match there isn't: %v", err)
	}
}
