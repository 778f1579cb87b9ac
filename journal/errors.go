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
	ErrNoMatch       = errors.New("no such match")
	ErrAmbiguous     = errors.New("more than one match fits")
	ErrEnded         = errors.New("the match has ended")
	ErrNoEvidence    = errors.New("no picture was kept")
)

// explain turns an error of SQLite into one that says what to do. doing is
// what was being done, in the form "writing 3 events of match …".
func explain(err error, path, doing string) error {
	if err == nil {
		return nil
	}
	kind, advice := classify(err)
	if kind == nil {
		return fmt.Errorf("journal %s: %s: %w", path, doing, err)
	}
	return fmt.Errorf("journal %s: %s: %w (%w); %s", path, doing, kind, err, advice)
}

func classify(err error) (kind error, advice string) {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil, ""
	}
	switch e.Code {
	case sqlite3.ErrNotADB:
		return ErrNotJournal, "move it away, or name another file for the journal"
	case sqlite3.ErrFull:
		return ErrDiskFull, "free some space; what was not written can be appended again"
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen, sqlite3.ErrAuth:
		return ErrReadOnly, "check who owns the file and its folder, and that the disk is not mounted read-only"
	case sqlite3.ErrIoErr:
		return ErrDisk, "check its free space, its cable or card, and what dmesg says"
	case sqlite3.ErrCorrupt:
		return ErrDamaged, "keep a copy of it and of its -wal file, and start a new one; `sqlite3 FILE .recover` may save the rest"
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return ErrBusy, "another program holds it: close that one, or try again"
	}
	return nil, ""
}
