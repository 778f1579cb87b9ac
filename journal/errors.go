package journal

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

// Errors that a caller may want to tell apart with errors.Is. The text of what
// is returned names the file and says what to do.
var (
	ErrFolderMissing = errors.New("the folder does not exist")
	ErrNotJournal    = errors.New("the file is not a journal")
	ErrNewerSchema   = errors.New("the journal was written by a newer version of this program")
	ErrReadOnly      = errors.New("the journal can't be written to")
	ErrDiskFull      = errors.New("the disk is full")
	ErrDisk          = errors.New("the disk failed")
	ErrDamaged       = errors.New("the journal is damaged")
	ErrBusy          = errors.New("the journal is in use")
	ErrWriter        = errors.New("it is being written by another scanner")
	ErrNoMatch       = errors.New("no such match")
	ErrAmbiguous     = errors.New("more than one match fits")
	ErrEnded         = errors.New("the match has ended")
	ErrNoEvent       = errors.New("no such event")
	ErrNoEvidence    = errors.New("no picture was kept")
)

// explain turns an error of SQLite into one that says what to do. doing is
// what was being done, in the form "writing 3 events of match …".
func explain(err error, path, doing string) error {
	if err == nil {
		return nil
	}
	advice, kind := classify(err)
	if kind == nil {
		return fmt.Errorf("journal %s: %s: %w", path, doing, err)
	}
	return fmt.Errorf("journal %s: %s: %w (%w); %s", path, doing, kind, err, advice)
}

func classify(err error) (advice string, kind error) {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return "", nil
	}
	switch e.Code {
	case sqlite3.ErrNotADB:
		return "move it away, or name another file for the journal", ErrNotJournal
	case sqlite3.ErrFull:
		return "free some space; what was not written can be appended again", ErrDiskFull
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen, sqlite3.ErrAuth:
		return "check who owns the file and its folder, and that the disk is not mounted read-only", ErrReadOnly
	case sqlite3.ErrIoErr:
		return "check its free space, its cable or card, and what dmesg says", ErrDisk
	case sqlite3.ErrCorrupt:
		return "keep a copy of it and of its -wal file, and start a new one; `sqlite3 FILE .recover` may save the rest", ErrDamaged
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "another program holds it: close that one, or try again", ErrBusy
	}
	return "", nil
}
