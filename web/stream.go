package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"tabletop/board"
)

// filterVersion is part of every epoch: a program whose filters number a match
// differently must not be taken for the one that a client talked to before.
// Raise it whenever redact.go lets more or less through.
const filterVersion = 2

// pending is something on its way through a role's delay: an event, or, if
// match is set, the beginning of another match.
type pending struct {
	due   time.Time
	event board.Event
	match *Match
}

// stream is what one role sees: delayed, then filtered, then numbered. It
// belongs to the hub's goroutine.
type stream struct {
	role   Role
	delay  time.Duration
	limits keep

	waiting []pending // by due time

	match  Match
	view   filter
	head   uint64   // number of the last released event
	kept   [][]byte // the last of them, encoded; the newest has number head
	bytes  int      // of kept
	fresh  []byte   // the snapshot at head, encoded; nil when it was not asked for yet
	logger *slog.Logger
}

// keep bounds what a stream holds for clients that come back.
type keep struct{ events, bytes int }

func newStream(role Role, delay time.Duration, limits keep, match Match, logger *slog.Logger) *stream {
	s := &stream{role: role, delay: delay, limits: limits, logger: logger}
	s.begin(match)
	return s
}

func (s *stream) begin(m Match) {
	s.match, s.view = m, newFilter(s.role, m.Board)
	s.head, s.kept, s.bytes, s.fresh = 0, nil, 0, nil
}

// epoch names the numbering of this role's view of the match.
func (s *stream) epoch() string { return fmt.Sprintf("%s/%s/%d", s.match.Epoch, s.role, filterVersion) }

// wait puts something into the delay. The order is kept even if the clock was
// set back.
func (s *stream) wait(p pending) {
	if n := len(s.waiting); n > 0 && p.due.Before(s.waiting[n-1].due) {
		p.due = s.waiting[n-1].due
	}
	s.waiting = append(s.waiting, p)
}

// due says when the next thing leaves the delay.
func (s *stream) due() (time.Time, bool) {
	if len(s.waiting) == 0 {
		return time.Time{}, false
	}
	return s.waiting[0].due, true
}

// release takes what is due out of the delay. It returns how many events became
// visible, and whether another match began.
func (s *stream) release(now time.Time) (events int, began bool) {
	n := 0
	for ; n < len(s.waiting) && !s.waiting[n].due.After(now); n++ {
		if m := s.waiting[n].match; m != nil {
			s.begin(*m)
			events, began = 0, true
			continue
		}
		if s.show(s.waiting[n].event) {
			events++
		}
	}
	clear(s.waiting[:n])
	s.waiting = s.waiting[n:]
	return events, began
}

func (s *stream) show(e board.Event) bool {
	seen, ok := s.view.event(e)
	if !ok {
		return false
	}
	seen.Seq = s.head + 1
	data, err := json.Marshal(seen)
	if err != nil {
		// Only a number that is not finite gets here. The event can't be sent,
		// and no number is used for it; who asks for the board gets an error.
		s.logger.Error("an event can't be written as JSON and is not sent", "role", s.role, "kind", e.Kind, "copy", e.Card, "error", err)
		return false
	}
	s.head++
	s.kept, s.bytes, s.fresh = append(s.kept, data), s.bytes+len(data), nil
	for len(s.kept) > s.limits.events || (s.bytes > s.limits.bytes && len(s.kept) > 1) {
		s.bytes -= len(s.kept[0])
		s.kept[0] = nil
		s.kept = s.kept[1:]
	}
	return true
}

// event returns the encoded event of a number, if it is still kept.
func (s *stream) event(seq uint64) ([]byte, bool) {
	first := s.head - uint64(len(s.kept)) + 1
	if seq < first || seq > s.head {
		return nil, false
	}
	return s.kept[seq-first], true
}

// has says whether every event after seq is still kept.
func (s *stream) has(p Position) bool {
	return p.Epoch == s.epoch() && p.Seq <= s.head && p.Seq >= s.head-uint64(len(s.kept))
}

// size is how many bytes the events after seq have.
func (s *stream) size(seq uint64) (n int) {
	for ; seq < s.head; seq++ {
		data, _ := s.event(seq + 1)
		n += len(data)
	}
	return n
}

func (s *stream) hello() Hello {
	return Hello{
		Type: "hello", Protocol: protocolVersion, Epoch: s.epoch(), Role: s.role, DelayMS: s.delay.Milliseconds(),
		Table: s.match.Table, Game: s.match.Game, Head: s.head,
	}
}

// snapshot returns the board at head, encoded.
func (s *stream) snapshot() ([]byte, error) {
	if s.fresh == nil {
		data, err := json.Marshal(Snapshot{"snapshot", s.head, s.view.board()})
		if err != nil {
			return nil, fmt.Errorf("web: the board of role %s can't be written as JSON: %w", s.role, err)
		}
		s.fresh = data
	}
	return s.fresh, nil
}
