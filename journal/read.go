package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"tabletop/board"
)

// page is how many events are read at a time. Between two pages no read
// transaction is open, so that a slow reader never keeps the WAL from being
// checkpointed.
const page = 256

// row is an event as it is stored: its number, and its JSON.
type row struct {
	seq  uint64
	json string
}

// rows walks the stored events of a match after since, in order, up to the last
// one there is when it gets there.
func (j *Journal) rows(ctx context.Context, match string, since uint64) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for {
			batch, err := j.batch(ctx, match, since)
			if err != nil {
				yield(row{}, explain(err, j.path, "reading the events of match "+match))
				return
			}
			for _, r := range batch {
				if !yield(r, nil) {
					return
				}
				since = r.seq
			}
			if len(batch) < page {
				return
			}
		}
	}
}

func (j *Journal) batch(ctx context.Context, match string, since uint64) ([]row, error) {
	rows, err := j.read.QueryContext(ctx, "SELECT seq, json FROM events WHERE match = ? AND seq > ? ORDER BY seq LIMIT ?", match, since, page)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.json); err != nil {
			return nil, err
		}
		batch = append(batch, r)
	}
	return batch, rows.Err()
}

// Events walks the events of a match whose number is greater than since, in
// order. It ends after the first error, which is ErrNoMatch for a match that
// does not exist.
func (j *Journal) Events(ctx context.Context, match string, since uint64) iter.Seq2[board.Event, error] {
	return func(yield func(board.Event, error) bool) {
		if _, err := j.Match(ctx, match); err != nil {
			yield(board.Event{}, err)
			return
		}
		for r, err := range j.rows(ctx, match, since) {
			if err != nil {
				yield(board.Event{}, err)
				return
			}
			var e board.Event
			if err := json.Unmarshal([]byte(r.json), &e); err != nil {
				yield(board.Event{}, fmt.Errorf("journal %s: %w: event %d of match %s: %w", j.path, ErrDamaged, r.seq, match, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Export writes the events of a match as JSON lines: as they are stored, which
// is as a judge's client is sent them.
func (j *Journal) Export(ctx context.Context, match string, w io.Writer) error {
	if _, err := j.Match(ctx, match); err != nil {
		return err
	}
	for r, err := range j.rows(ctx, match, 0) {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, r.json+"\n"); err != nil {
			return fmt.Errorf("journal: exporting match %s: %w", match, err)
		}
	}
	return nil
}

// Copies lists the ids that the events of a match are about: those of every
// copy that ever lay there, whether it still does or not. ErrNoMatch: there is
// no such match.
func (j *Journal) Copies(ctx context.Context, match string) ([]board.CopyID, error) {
	if _, err := j.Match(ctx, match); err != nil {
		return nil, err
	}
	doing := "reading the copies of match " + match
	rows, err := j.read.QueryContext(ctx, "SELECT DISTINCT copy FROM events WHERE match = ? AND copy <> '' ORDER BY copy", match)
	if err != nil {
		return nil, explain(err, j.path, doing)
	}
	defer rows.Close()
	var copies []board.CopyID
	for rows.Next() {
		var id board.CopyID
		if err := rows.Scan(&id); err != nil {
			return nil, explain(err, j.path, doing)
		}
		copies = append(copies, id)
	}
	return copies, explain(rows.Err(), j.path, doing)
}

// Board folds the events of a match into the board as it stands after them,
// and returns the number of the last one.
func (j *Journal) Board(ctx context.Context, match string) (board.Board, uint64, error) {
	return j.fold(ctx, match, math.MaxUint64)
}

// BoardAfter is the board as it stood right after an event of a match; 0 is
// before the first. ErrNoEvent: the match has none of that number.
func (j *Journal) BoardAfter(ctx context.Context, match string, seq uint64) (board.Board, error) {
	b, last, err := j.fold(ctx, match, seq)
	if err == nil && last != seq {
		err = fmt.Errorf("journal %s: %w: %d; match %s has 1 to %d", j.path, ErrNoEvent, seq, match, last)
	}
	return b, err
}

// fold folds the events up to one, and returns the number of the last.
func (j *Journal) fold(ctx context.Context, match string, upTo uint64) (board.Board, uint64, error) {
	info, err := j.Match(ctx, match)
	if err != nil {
		return board.Board{}, 0, err
	}
	b, head := board.NewBoard(info.Layout), uint64(0)
	for e, err := range j.Events(ctx, match, 0) {
		if err != nil {
			return board.Board{}, 0, err
		}
		if e.Seq > upTo {
			break
		}
		b.Apply(e)
		head = e.Seq
	}
	return b, head, nil
}

// ReplayOptions says how a match is played back.
type ReplayOptions struct {
	// Speed is how many times faster than it was played: 1 is as it was, 0
	// without any pause.
	Speed float64
	// MaxPause cuts longer pauses between two events down to it, before Speed
	// counts; 0 keeps them.
	MaxPause time.Duration
	// Since leaves out the pauses of the events up to that number, which are
	// played at once.
	Since uint64
	// Sleep waits for a pause or until the context ends, with its error; nil
	// sleeps on the system's timer.
	Sleep func(ctx context.Context, pause time.Duration) error
}

// Replay calls play for each event of a match, in order, at the pace it was
// played. It keeps to the journal's clock, so that the time play takes does not
// add up. An error of play ends it and is returned.
func (j *Journal) Replay(ctx context.Context, match string, o ReplayOptions, play func(board.Event) error) error {
	if o.Speed < 0 {
		return fmt.Errorf("journal: a replay's speed is 0 (no pauses) or more, not %v", o.Speed)
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	start := j.clock.Now()
	var due time.Duration // of the next event, after start
	var last time.Time
	for e, err := range j.Events(ctx, match, 0) {
		if err != nil {
			return err
		}
		if !last.IsZero() && e.Seq > o.Since && o.Speed > 0 {
			pause := max(e.At.Sub(last), 0)
			if o.MaxPause > 0 {
				pause = min(pause, o.MaxPause)
			}
			due += time.Duration(float64(pause) / o.Speed)
		}
		last = e.At
		if wait := due - j.clock.Now().Sub(start); wait > 0 {
			if err := o.Sleep(ctx, wait); err != nil {
				return err
			}
		}
		if err := play(e); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
