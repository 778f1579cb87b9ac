package journal_test

import (
	"path/filepath"
	"testing"

	"tabletop/board"
	"tabletop/journal"
)

// BenchmarkAppend is one event, written and on the disk.
func BenchmarkAppend(b *testing.B) {
	j, err := journal.Open(b.Context(), filepath.Join(b.TempDir(), "j.db"), board.SystemClock{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	m, err := j.Begin(b.Context(), journal.MatchInfo{Game: "l5r-emperor"})
	if err != nil {
		b.Fatal(err)
	}
	event := []board.Event{placed("c1")}
	for b.Loop() {
		if _, err := m.Append(b.Context(), event); err != nil {
			b.Fatal(err)
		}
	}
}
