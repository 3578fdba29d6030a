package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// # Tables
//
// instances has a row for each instance. wake is when it is due if it has no owner: its due
// time, at once if a message was not seen, later if it was just handed out; NULL is never. The
// times are nanoseconds since 1970, NULL is no time. last is the sequence number of the newest
// message. keys outlive the messages that they came with, because a second message with the
// same key may come after the first was received and dropped.
//
// Indexes are partial: of a million suspended instances those that wait for a message alone
// are in none but the primary key.

// version is that of the tables, which a file carries as its user_version.
const version = 2

const schema = `
CREATE TABLE instances (
	id TEXT PRIMARY KEY,
	function TEXT NOT NULL,
	run TEXT NOT NULL,
	version INTEGER NOT NULL,
	status TEXT NOT NULL,
	reason TEXT NOT NULL,
	step TEXT NOT NULL,
	labels TEXT NOT NULL,
	created INTEGER,
	updated INTEGER,
	owner TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	due INTEGER,
	seen INTEGER NOT NULL,
	floor INTEGER NOT NULL,
	last INTEGER NOT NULL DEFAULT 0,
	wake INTEGER,
	state BLOB
);
CREATE INDEX instances_wake ON instances (wake, id) WHERE owner = '' AND wake IS NOT NULL;
CREATE INDEX instances_owner ON instances (owner) WHERE owner <> '';
CREATE INDEX instances_ended ON instances (updated) WHERE status IN ('completed', 'failed', 'canceled', 'terminated');
CREATE INDEX instances_stuck ON instances (function, id) WHERE status = 'stuck';
CREATE TABLE messages (
	id TEXT NOT NULL,
	seq INTEGER NOT NULL,
	name TEXT NOT NULL,
	key TEXT NOT NULL,
	payload BLOB,
	sent INTEGER,
	PRIMARY KEY (id, seq)
) WITHOUT ROWID;
CREATE TABLE keys (
	id TEXT NOT NULL,
	key TEXT NOT NULL,
	PRIMARY KEY (id, key)
) WITHOUT ROWID;
CREATE TABLE leases (
	worker TEXT PRIMARY KEY,
	until INTEGER
) WITHOUT ROWID;
`

// ErrVersion is the error of a file that another version of this package, or something else,
// has written.
var ErrVersion = errors.New("sqlitestore: the file has another version")

// migrate creates the tables in an empty file, and refuses a file that has others.
func migrate(ctx context.Context, c *sql.Conn) (err error) {
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		end := "COMMIT"
		if err != nil {
			end = "ROLLBACK"
		}
		_, failed := c.ExecContext(context.WithoutCancel(ctx), end)
		err = errors.Join(err, failed)
	}()
	var has, tables int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&has); err != nil {
		return err
	}
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	switch {
	case has == version:
		return nil
	case has != 0 || tables != 0:
		return fmt.Errorf("%w: it has %d, and this program knows %d", ErrVersion, has, version)
	}
	_, err = c.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", schema, version))
	return err
}
