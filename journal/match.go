package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tabletop/board"
)

// MatchInfo describes a match. To Begin, only Game, Table and Layout are
// given; the rest is filled in.
type MatchInfo struct {
	ID      string       `json:"id"`    // "2026-11-30-0752-k3f9q": start in UTC and five random letters
	Epoch   string       `json:"epoch"` // names the numbering of its events on the websocket
	Game    string       `json:"game"`  // the rules pack
	Table   string       `json:"table"`
	Layout  board.Layout `json:"layout"`
	Started time.Time    `json:"started"`
	Ended   time.Time    `json:"ended,omitzero"` // zero while it goes on
	Head    uint64       `json:"head"`           // number of its last event; 0: none yet
}

// Match is a match that is being written. It is safe for concurrent use.
type Match struct {
	journal *Journal
	info    MatchInfo
}

// Info is what was known of the match when it was begun or resumed.
func (m *Match) Info() MatchInfo { return m.info }

// Begin starts a match. ErrWriter: another program writes the journal.
func (j *Journal) Begin(ctx context.Context, info MatchInfo) (*Match, error) {
	if info.Started.IsZero() {
		info.Started = j.clock.Now()
	}
	info.Started = info.Started.UTC().Truncate(time.Millisecond)
	if info.ID == "" {
		info.ID = info.Started.Format("2006-01-02-1504-") + randomWord(5)
	}
	if info.Epoch == "" {
		info.Epoch = randomWord(16)
	}
	info.Ended, info.Head = time.Time{}, 0
	layout, err := json.Marshal(info.Layout)
	if err != nil {
		return nil, fmt.Errorf("journal: the layout of the match: %w", err)
	}
	if err := j.claim(info.ID); err != nil {
		return nil, err
	}
	_, err = j.write.ExecContext(ctx,
		"INSERT INTO matches (id, epoch, game, table_name, layout, started_ms) VALUES (?, ?, ?, ?, ?, ?)",
		info.ID, info.Epoch, info.Game, info.Table, string(layout), info.Started.UnixMilli())
	if err != nil {
		return nil, explain(err, j.path, "beginning match "+info.ID)
	}
	return &Match{journal: j, info: info}, nil
}

// Resume goes on with a match that has not ended, after a crash or a restart.
// Errors: ErrNoMatch, ErrEnded, ErrWriter (another program writes the journal).
func (j *Journal) Resume(ctx context.Context, id string) (*Match, error) {
	if _, err := j.Match(ctx, id); err != nil {
		return nil, err
	}
	if err := j.claim(id); err != nil {
		return nil, err
	}
	info, err := j.Match(ctx, id) // as the program that wrote it before has left it
	if err != nil {
		return nil, err
	}
	if !info.Ended.IsZero() {
		return nil, fmt.Errorf("journal %s: %w: %s ended at %s; begin a new one", j.path, ErrEnded, id, info.Ended.Format(time.RFC3339))
	}
	return &Match{journal: j, info: info}, nil
}

// End marks the match as ended. Nothing can be appended afterwards; to end it
// twice is no error and keeps the first time.
func (m *Match) End(ctx context.Context) error {
	_, err := m.journal.write.ExecContext(ctx, "UPDATE matches SET ended_ms = ? WHERE id = ? AND ended_ms IS NULL",
		m.journal.clock.Now().UnixMilli(), m.info.ID)
	return explain(err, m.journal.path, "ending match "+m.info.ID)
}

// Append numbers the events, writes them in one transaction and returns them,
// numbered, once they are committed; publish what it returns. Numbers start at
// 1 and have no gap. An event without a time gets the clock's.
//
// On an error nothing of the events was written and no number was used: the
// caller still has them and may append them again.
func (m *Match) Append(ctx context.Context, events []board.Event) ([]board.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	doing := fmt.Sprintf("writing %d event(s) of match %s", len(events), m.info.ID)
	tx, err := m.journal.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, explain(err, m.journal.path, doing)
	}
	defer tx.Rollback() // after a commit this does nothing
	numbered, err := m.insert(ctx, tx, events)
	if err != nil {
		return nil, explain(err, m.journal.path, doing)
	}
	if err := tx.Commit(); err != nil {
		return nil, explain(err, m.journal.path, doing)
	}
	return numbered, nil
}

func (m *Match) insert(ctx context.Context, tx *sql.Tx, events []board.Event) ([]board.Event, error) {
	// The number comes from the table, inside the transaction, not from a
	// counter: so it is right after a failed commit too.
	var head uint64
	var ended sql.NullInt64
	err := tx.QueryRowContext(ctx,
		"SELECT coalesce((SELECT max(seq) FROM events WHERE match = id), 0), ended_ms FROM matches WHERE id = ?",
		m.info.ID).Scan(&head, &ended)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, ErrNoMatch
	case err != nil:
		return nil, err
	case ended.Valid:
		return nil, ErrEnded
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO events (match, seq, at_ms, kind, copy, json) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	numbered := slices.Clone(events)
	for i := range numbered {
		e := &numbered[i]
		e.Seq = head + uint64(i) + 1
		if e.At.IsZero() {
			e.At = m.journal.clock.Now()
		}
		text, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("event %s of %s: %w", e.Kind, e.Card, err)
		}
		if _, err := insert.ExecContext(ctx, m.info.ID, e.Seq, e.At.UnixMilli(), string(e.Kind), string(e.Card), string(text)); err != nil {
			return nil, err
		}
	}
	return numbered, nil
}

// AddEvidence keeps a clean JPEG of the moment of an event. A second picture
// of the same event takes the place of the first.
func (m *Match) AddEvidence(ctx context.Context, seq uint64, jpeg []byte) error {
	_, err := m.journal.write.ExecContext(ctx, "INSERT OR REPLACE INTO evidence (match, seq, jpeg) VALUES (?, ?, ?)", m.info.ID, seq, jpeg)
	return explain(err, m.journal.path, fmt.Sprintf("keeping the picture of event %d of match %s", seq, m.info.ID))
}

// Evidence returns the picture kept for an event, or ErrNoEvidence.
func (j *Journal) Evidence(ctx context.Context, match string, seq uint64) ([]byte, error) {
	var jpeg []byte
	err := j.read.QueryRowContext(ctx, "SELECT jpeg FROM evidence WHERE match = ? AND seq = ?", match, seq).Scan(&jpeg)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("journal %s: %w for event %d of match %s", j.path, ErrNoEvidence, seq, match)
	}
	return jpeg, explain(err, j.path, "reading a picture")
}

const selectMatch = `SELECT id, epoch, game, table_name, layout, started_ms, ended_ms,
	coalesce((SELECT max(seq) FROM events WHERE match = id), 0) FROM matches `

// Matches lists all matches, the latest first.
func (j *Journal) Matches(ctx context.Context) ([]MatchInfo, error) {
	rows, err := j.read.QueryContext(ctx, selectMatch+"ORDER BY started_ms DESC, id DESC")
	if err != nil {
		return nil, explain(err, j.path, "listing the matches")
	}
	defer rows.Close()
	var list []MatchInfo
	for rows.Next() {
		info, err := scanMatch(rows)
		if err != nil {
			return nil, explain(err, j.path, "listing the matches")
		}
		list = append(list, info)
	}
	return list, explain(rows.Err(), j.path, "listing the matches")
}

// Match returns the match of that id, or ErrNoMatch.
func (j *Journal) Match(ctx context.Context, id string) (MatchInfo, error) {
	info, err := scanMatch(j.read.QueryRowContext(ctx, selectMatch+"WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return MatchInfo{}, fmt.Errorf("journal %s: %w: %q", j.path, ErrNoMatch, id)
	}
	return info, explain(err, j.path, "reading match "+id)
}

func scanMatch(row interface{ Scan(...any) error }) (MatchInfo, error) {
	var info MatchInfo
	var layout string
	var started int64
	var ended sql.NullInt64
	if err := row.Scan(&info.ID, &info.Epoch, &info.Game, &info.Table, &layout, &started, &ended, &info.Head); err != nil {
		return MatchInfo{}, err
	}
	if err := json.Unmarshal([]byte(layout), &info.Layout); err != nil {
		return MatchInfo{}, fmt.Errorf("the layout of match %s: %w", info.ID, err)
	}
	info.Started = time.UnixMilli(started).UTC()
	if ended.Valid {
		info.Ended = time.UnixMilli(ended.Int64).UTC()
	}
	return info, nil
}

// Resolve finds the match a person means: "latest", an id, or the beginning or
// the end of one ("k3f9q"). Errors: ErrNoMatch, ErrAmbiguous.
func (j *Journal) Resolve(ctx context.Context, name string) (MatchInfo, error) {
	list, err := j.Matches(ctx)
	if err != nil {
		return MatchInfo{}, err
	}
	if len(list) == 0 {
		return MatchInfo{}, fmt.Errorf("journal %s: %w: it holds none yet; `scanner run` or `scanner demo` writes one", j.path, ErrNoMatch)
	}
	if name == "latest" {
		return list[0], nil
	}
	var fits []MatchInfo
	for _, info := range list {
		if info.ID == name {
			return info, nil
		}
		if name != "" && (strings.HasPrefix(info.ID, name) || strings.HasSuffix(info.ID, name)) {
			fits = append(fits, info)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return MatchInfo{}, fmt.Errorf("journal %s: %w: %q; it has %s", j.path, ErrNoMatch, name, some(list))
	}
	return MatchInfo{}, fmt.Errorf("journal %s: %w %q: %s; give more of the name", j.path, ErrAmbiguous, name, some(fits))
}

// some names a few matches, for a message.
func some(list []MatchInfo) string {
	const most = 5
	var names []string
	for i, info := range list {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		names = append(names, info.ID)
	}
	return strings.Join(names, ", ")
}

// randomWord returns n letters that are not mistaken for one another when read
// aloud or typed.
func randomWord(n int) string {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's 32: every byte maps evenly
	word := make([]byte, n)
	rand.Read(word) // never fails (crypto/rand)
	for i := range word {
		word[i] = letters[int(word[i])%len(letters)]
	}
	return string(word)
}
