package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// # Tables
//
// instances has a row for each instance. wake is when an instance without an owner is due: at its
// due time, at once if there is an unseen message, or later if it was just taken; NULL is never.
// Times are nanoseconds since 1970, since those of Postgres are microseconds; NULL means no time.
// last is the sequence number of the newest message. keys outlive the messages that they arrived
// with, because a second message with the same key may arrive after the first was received and
// dropped.
//
// Texts are compared by their bytes, as in Go. Indexes are partial: of a million suspended
// instances, those that wait only for a message are in no index but the primary key. The engine's
// codec may compress state, so Postgres does not try to.

// migrations bring tables from version i to i+1. A released migration is never changed.
var migrations = []string{`
CREATE TABLE instances (
	id TEXT COLLATE "C" PRIMARY KEY,
	function TEXT COLLATE "C" NOT NULL,
	run TEXT NOT NULL,
	version BIGINT NOT NULL,
	status TEXT NOT NULL,
	reason TEXT NOT NULL,
	step TEXT COLLATE "C" NOT NULL,
	labels TEXT NOT NULL,
	created BIGINT,
	updated BIGINT,
	owner TEXT COLLATE "C" NOT NULL,
	epoch BIGINT NOT NULL,
	due BIGINT,
	seen BIGINT NOT NULL,
	floor BIGINT NOT NULL,
	last BIGINT NOT NULL DEFAULT 0,
	wake BIGINT,
	state BYTEA
);
ALTER TABLE instances ALTER COLUMN state SET STORAGE EXTERNAL;
CREATE INDEX instances_wake ON instances (wake, id) WHERE owner = '' AND wake IS NOT NULL;
CREATE INDEX instances_owner ON instances (owner) WHERE owner <> '';
CREATE INDEX instances_ended ON instances (updated) WHERE status IN ('completed', 'failed', 'canceled', 'terminated');
CREATE INDEX instances_stuck ON instances (function, id) WHERE status = 'stuck';
CREATE TABLE messages (
	id TEXT COLLATE "C" NOT NULL,
	seq BIGINT NOT NULL,
	name TEXT NOT NULL,
	key TEXT NOT NULL,
	payload BYTEA,
	sent BIGINT,
	PRIMARY KEY (id, seq)
);
CREATE TABLE keys (
	id TEXT COLLATE "C" NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id, key)
);
CREATE TABLE leases (
	worker TEXT COLLATE "C" PRIMARY KEY,
	until BIGINT
);
`}

// ErrVersion is matched by the error for tables made by a newer version of this package.
var ErrVersion = errors.New("pgstore: the tables have a newer version")

// ErrForeign is matched by the error for a schema that contains another program's tables of the
// same names.
var ErrForeign = errors.New("pgstore: the tables are not of this package")

// migrationLock is the number of the advisory lock that one Open at a time holds. Any number that
// other programs do not use will do.
const migrationLock = 0x6d6f76656e657874

// migrate makes the tables in a schema, or brings them up to date, in one transaction.
func migrate(ctx context.Context, c *pgx.Conn, schema string) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		has, err := useSchema(ctx, tx, schema)
		switch {
		case err != nil:
			return err
		case has > len(migrations):
			return fmt.Errorf("%w: the schema %q has %d, and this program knows %d", ErrVersion, schema, has, len(migrations))
		case has == len(migrations):
			return nil
		}
		for _, m := range migrations[has:] {
			_, err := tx.Exec(ctx, m)
			var refused *pgconn.PgError
			if errors.As(err, &refused) && refused.Code == "42P07" {
				return fmt.Errorf("%w: the schema %q: %w", ErrForeign, schema, err)
			}
			if err != nil {
				return fmt.Errorf("migrating the schema %q: %w", schema, err)
			}
		}
		_, err = tx.Exec(ctx, "UPDATE movenext_version SET version = $1", len(migrations))
		return err
	})
}

// useSchema makes the schema current, creates it if it is missing, and returns the version of
// its tables, or 0 if there are none.
func useSchema(ctx context.Context, tx pgx.Tx, schema string) (version int, err error) {
	name := pgx.Identifier{schema}.Sanitize()
	var exists bool
	if err := tx.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL", name).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		if _, err := tx.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
			return 0, err
		}
	}
	if _, err := tx.Exec(ctx, "SET LOCAL search_path TO "+name); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", name+".movenext_version").Scan(&exists); err != nil {
		return 0, err
	}
	if exists {
		return version, tx.QueryRow(ctx, "SELECT version FROM movenext_version").Scan(&version)
	}
	_, err = tx.Exec(ctx, "CREATE TABLE movenext_version (version INTEGER NOT NULL); INSERT INTO movenext_version VALUES (0)")
	return 0, err
}
