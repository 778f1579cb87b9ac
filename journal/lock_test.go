package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/journal"
)

// One program at a time writes a journal; the others read it.
func TestOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	first, second := open(t, path, board.SystemClock{}), open(t, path, board.SystemClock{})
	m, err := first.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor"})
	if err != nil {
		t.Fatal(err)
	}
	match := m.Info().ID
	if _, err := second.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor"}); !errors.Is(err, journal.ErrWriter) {
		t.Errorf("a second match: %v", err)
	}
	_, err = second.Resume(t.Context(), match)
	if !errors.Is(err, journal.ErrWriter) {
		t.Fatalf("the same match: %v", err)
	}
	for _, word := range []string{path, match, fmt.Sprint("process ", os.Getpid()), "stop that one"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	link := filepath.Join(t.TempDir(), "other.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, link, board.SystemClock{}).Resume(t.Context(), match); !errors.Is(err, journal.ErrWriter) {
		t.Errorf("by another name: %v", err)
	}
	if list, err := second.Matches(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("while it is written: matches %v, %v", list, err)
	}
	if _, err := m.Append(t.Context(), []board.Event{placed("c1")}); err != nil {
		t.Errorf("the writer itself: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if _, err := open(t, path, board.SystemClock{}).Resume(t.Context(), match); !errors.Is(err, journal.ErrWriter) {
		t.Errorf("after a reader closed: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path, board.SystemClock{}).Resume(t.Context(), match); err != nil {
		t.Errorf("after the writer closed: %v", err)
	}
}

// A writer that is killed leaves nothing locked.
func TestKilledWriterLeavesNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerPath+"="+path)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	defer writer.Process.Kill()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	j := open(t, path, board.SystemClock{})
	info, err := j.Resolve(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Resume(t.Context(), info.ID)
	if !errors.Is(err, journal.ErrWriter) || !strings.Contains(err.Error(), fmt.Sprint("process ", writer.Process.Pid, ",")) {
		t.Errorf("while another process writes: %v", err)
	}
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	writer.Wait() // says that it was killed
	if _, err := j.Resume(t.Context(), info.ID); err != nil {
		t.Errorf("after it was killed: %v", err)
	}
}
