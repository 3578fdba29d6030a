package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// # Tables
//
// instances has a row for each instance. wake is when an instance without an owner is due: at its
// due time, at once if there is an unseen message, or later if it was just taken; NULL is never.
// Times are nanoseconds since 1970; NULL means no time. last is the sequence number of the newest
// message. keys outlive the messages that they arrived with, because a second message with the
// same key may arrive after the first was received and dropped.
//
// takes counts how often the instance was taken since its record was written.
//
// Indexes are partial: of a million suspended instances, those that wait only for a message are
// in no index but the primary key.

// migrations bring tables from version i to i+1; a file carries its version as its user_version.
// A released migration is never changed. There was no version 1.
var migrations = []string{"", `
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
`, `
ALTER TABLE instances ADD COLUMN layout TEXT NOT NULL DEFAULT '';
ALTER TABLE instances ADD COLUMN takes INTEGER NOT NULL DEFAULT 0;
`}

// ErrVersion is the error for a file that was written by a later version of this package, or by
// another program.
var ErrVersion = errors.New("sqlitestore: the file has another version")

// migrate creates the tables in an empty file, brings those of earlier versions up to date, and
// refuses a file with other tables. Programs of an earlier version that have the file open can
// still use it.
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
	case has == len(migrations):
		return nil
	case has > len(migrations) || has == 1 || has == 0 && tables != 0:
		return fmt.Errorf("%w: it has %d, and this program knows %d", ErrVersion, has, len(migrations))
	}
	_, err = c.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", strings.Join(migrations[has:], ""), len(migrations)))
	return err
}
