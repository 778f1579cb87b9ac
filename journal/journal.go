package journal

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"github.com/pressly/goose/v3"

	"tabletop/board"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID stands in the file's header ("TBLT") and tells a journal from
// the SQLite file of some other program.
const applicationID = 0x54424c54

// Journal is one open journal file. It is safe for concurrent use. Any number of
// programs may have the same file open and read it; one at a time may write
// matches, from its first Begin or Resume until Close.
type Journal struct {
	path  string
	clock board.Clock
	write *sql.DB // one connection: SQLite has one writer at a time
	read  *sql.DB // its own connections, so that a long export never holds up a writer

	lockMu sync.Mutex
	lock   *writerLock // nil: nothing was written yet
}

// Open opens the journal at path and brings its schema up to date; a file that
// does not exist is made, its folder is not. The clock dates what is given
// without a time.
//
// Errors: ErrFolderMissing, ErrNotJournal, ErrNewerSchema, ErrReadOnly,
// ErrDiskFull, ErrDisk, ErrDamaged, ErrBusy.
func Open(ctx context.Context, path string, clock board.Clock) (*Journal, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	j := &Journal{path: path, clock: clock}
	var err error
	if j.write, err = sql.Open("sqlite3", dsn(path, "rwc")); err != nil {
		return nil, explain(err, path, "opening")
	}
	j.write.SetMaxOpenConns(1)
	if err := j.prepare(ctx); err != nil {
		j.write.Close()
		return nil, err
	}
	if j.read, err = sql.Open("sqlite3", dsn(path, "rw")+"&_query_only=true"); err != nil {
		j.write.Close()
		return nil, explain(err, path, "opening for reading")
	}
	j.read.SetMaxOpenConns(4)
	return j, nil
}

// Path is the file's name as it was given to Open.
func (j *Journal) Path() string { return j.path }

// Close closes the file and lets others write it. Iterators that are still in
// use end with an error.
func (j *Journal) Close() error {
	return errors.Join(j.read.Close(), j.write.Close(), j.release())
}

// Ping says whether the journal can be read; a health check asks it.
func (j *Journal) Ping(ctx context.Context) error {
	var n int
	err := j.read.QueryRowContext(ctx, "SELECT count(*) FROM matches WHERE id = ''").Scan(&n)
	return explain(err, j.path, "reading")
}

func checkPath(path string) error {
	if path == "" {
		return errors.New("journal: no file was named; give a path such as tabletop.db")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("journal %s: %w: it is a folder; name a file in it, such as %s",
			path, ErrNotJournal, filepath.Join(path, "tabletop.db"))
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("journal %s: %w: %s; make it (mkdir -p) or name another place", path, ErrFolderMissing, folder)
	case err != nil:
		return fmt.Errorf("journal %s: its folder can't be read: %w", path, err)
	case !info.IsDir():
		return fmt.Errorf("journal %s: %w: %s is a file", path, ErrFolderMissing, folder)
	}
	return nil
}

// dsn writes the path as a URI, so that a '?' or '#' in a folder's name stays a
// part of it.
func dsn(path, mode string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path}
	if !filepath.IsAbs(path) {
		u = url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	}
	u.RawQuery = "mode=" + mode + "&_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_foreign_keys=on&_txlock=immediate"
	return u.String()
}

// prepare refuses what is not ours before anything is written, then migrates.
func (j *Journal) prepare(ctx context.Context) error {
	var app, tables int
	if err := j.write.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return explain(err, j.path, "opening")
	}
	if err := j.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return explain(err, j.path, "opening")
	}
	switch {
	case app == applicationID:
	case app == 0 && tables == 0:
		if _, err := j.write.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return explain(err, j.path, "making it")
		}
	default:
		return fmt.Errorf("journal %s: %w: it is the database of another program; name another file for the journal", j.path, ErrNotJournal)
	}
	return j.migrate(ctx)
}

func (j *Journal) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("journal: the embedded migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, j.write, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return explain(err, j.path, "reading the migrations")
	}
	have, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return explain(err, j.path, "reading its version")
	}
	if have > newest {
		return fmt.Errorf("journal %s: %w: it has schema %d, this program knows up to %d; update the program, or name another file",
			j.path, ErrNewerSchema, have, newest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return explain(err, j.path, fmt.Sprintf("bringing it from schema %d to %d", have, newest))
	}
	return nil
}
