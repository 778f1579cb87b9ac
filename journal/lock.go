package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// writerLock lets one program at a time write a journal: two that fold the same
// match into two boards would mix what they see. It is flock(2) on a file beside
// the journal, so the operating system frees it when the process dies, however
// it dies. It isn't taken on the journal's own file, for closing a second
// descriptor of that one would drop SQLite's locks (https://www.sqlite.org/howtocorrupt.html).
//
// The lock file says who holds it. It stays when the lock is freed: to remove it
// would let a third program lock a new file while a second waits for the old one.
type writerLock struct{ file *os.File }

// lockName is the lock file of a journal, the same by whatever symbolic link
// the journal is named.
func lockName(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path + ".lock"
}

// lockWriter takes the lock, or returns an error that is ErrWriter where another
// program has it.
func lockWriter(path string) (*writerLock, error) {
	name := lockName(path)
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		kind := err
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			kind = fmt.Errorf("%w (%w)", ErrReadOnly, err)
		}
		return nil, fmt.Errorf("journal %s: its lock file: %w; check who owns the file and its folder", path, kind)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &writerLock{file}, nil
	}
	defer file.Close()
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("journal %s: %s can't be locked: %w; put the journal on a disk of this machine", path, name, err)
	}
	holder := ""
	if text, err := io.ReadAll(io.LimitReader(file, 200)); err == nil && len(text) > 0 {
		holder = " (" + strings.TrimSpace(string(text)) + ")"
	}
	return nil, fmt.Errorf("journal %s: %w%s; stop that one first, or name another file for the journal", path, ErrWriter, holder)
}

// tell writes into the file who holds the lock.
func (l *writerLock) tell(match string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt(fmt.Appendf(nil, "process %d, match %s\n", os.Getpid(), match), 0)
	return err
}

// free gives the lock up.
func (l *writerLock) free() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

// claim makes this journal the one that writes, until it is closed.
func (j *Journal) claim(match string) error {
	j.lockMu.Lock()
	defer j.lockMu.Unlock()
	if j.lock == nil {
		lock, err := lockWriter(j.path)
		if err != nil {
			return err
		}
		j.lock = lock
	}
	if err := j.lock.tell(match); err != nil {
		return fmt.Errorf("journal %s: its lock file: %w", j.path, err)
	}
	return nil
}

// release lets others write.
func (j *Journal) release() error {
	j.lockMu.Lock()
	defer j.lockMu.Unlock()
	if j.lock == nil {
		return nil
	}
	lock := j.lock
	j.lock = nil
	return lock.free()
}
