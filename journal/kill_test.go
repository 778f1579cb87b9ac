package journal_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/journal"
)

// writerPath is the variable that turns the test binary into the writer that
// TestKill kills.
const writerPath = "JOURNAL_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerPath); path != "" {
		if err := writeForever(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1) // it is meant to be killed
	}
	os.Exit(m.Run())
}

// writeForever appends batches of one to four events and prints the number of
// each once Append has returned it: that is the moment a client would be sent it.
func writeForever(path string) error {
	ctx := context.Background()
	j, err := journal.Open(ctx, path, board.SystemClock{})
	if err != nil {
		return err
	}
	matches, err := j.Matches(ctx)
	if err != nil {
		return err
	}
	var m *journal.Match
	if len(matches) == 0 {
		m, err = j.Begin(ctx, journal.MatchInfo{Game: "l5r-emperor"})
	} else {
		m, err = j.Resume(ctx, matches[0].ID)
	}
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		batch := make([]board.Event, i%4+1)
		for k := range batch {
			batch[k] = placed(board.CopyID(fmt.Sprint("c", i)))
		}
		numbered, err := m.Append(ctx, batch)
		if err != nil {
			return err
		}
		for _, e := range numbered {
			fmt.Println(e.Seq)
		}
	}
}

// TestKill kills a real writer with SIGKILL at random moments, several times
// over the same file, and looks for every number it had let out.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	random := rand.New(rand.NewPCG(1, 2))
	var printed uint64
	for round := range 12 {
		printed = max(printed, killWriter(t, path, random.IntN(60)))
		j, err := journal.Open(t.Context(), path, board.SystemClock{})
		if err != nil {
			t.Fatalf("round %d: after the kill: %v", round, err)
		}
		info, err := j.Resolve(t.Context(), "latest")
		if err != nil && printed > 0 {
			t.Fatalf("round %d: %v", round, err)
		}
		var n uint64
		if err == nil {
			for _, e := range collect(t, j, info.ID, 0) {
				if n++; e.Seq != n {
					t.Fatalf("round %d: event %d has number %d", round, n, e.Seq)
				}
			}
		}
		if n < printed {
			t.Fatalf("round %d: %d events in the journal, but %d was let out", round, n, printed)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if printed < 100 {
		t.Fatalf("only %d events were written in all: the writer hardly ran", printed)
	}
}

// killWriter lets a writer print lines numbers, kills it, and returns the
// highest number that came out, also of those printed before the kill struck.
func killWriter(t *testing.T, path string, lines int) uint64 {
	t.Helper()
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerPath+"="+path)
	var complaints strings.Builder
	writer.Stderr = &complaints
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	var last uint64
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		if last, err = strconv.ParseUint(scanner.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
		if n == lines {
			if err := writer.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	writer.Wait() // always "signal: killed"
	if complaints.Len() > 0 {
		t.Fatalf("the writer failed by itself: %s", complaints.String())
	}
	return last
}
