package journal

import "context"

// FillDisk makes SQLite answer SQLITE_FULL to whatever needs another page, as
// it does when the disk is full; FreeDisk ends that.
func (j *Journal) FillDisk(ctx context.Context) error { return j.pragma(ctx, "max_page_count = 1") }

// FreeDisk lifts FillDisk.
func (j *Journal) FreeDisk(ctx context.Context) error {
	return j.pragma(ctx, "max_page_count = 1073741823")
}

// SetReadOnly makes SQLite answer SQLITE_READONLY to every write. (File modes
// do not stop a test that runs as root.)
func (j *Journal) SetReadOnly(ctx context.Context) error { return j.pragma(ctx, "query_only = ON") }

// PretendNewerSchema records a migration this program does not know.
func (j *Journal) PretendNewerSchema(ctx context.Context) error {
	_, err := j.write.ExecContext(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	return err
}

// Synchronous is the level that commits are made at: 2 is FULL.
func (j *Journal) Synchronous(ctx context.Context) (level int, mode string, err error) {
	if err := j.write.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level); err != nil {
		return 0, "", err
	}
	err = j.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode)
	return level, mode, err
}

func (j *Journal) pragma(ctx context.Context, text string) error {
	_, err := j.write.ExecContext(ctx, "PRAGMA "+text)
	return err
}
