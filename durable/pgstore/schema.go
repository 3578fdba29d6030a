package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
// dropped. takes counts how often the instance was taken since its record was written.
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
`, `
ALTER TABLE instances ADD COLUMN layout TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE instances ADD COLUMN takes BIGINT NOT NULL DEFAULT 0;
`}

// ErrVersion is matched by the error for tables made by a newer version of this package.
var ErrVersion = errors.New("pgstore: the tables have a newer version")

// ErrForeign is matched by the error for a schema that contains another program's tables of the
// same names.
var ErrForeign = errors.New("pgstore: the tables are not of this package")

// migrationLock is the number of the advisory lock that one Open at a time holds. Any number that
// other programs do not use will do.
const migrationLock = 0x6d6f76656e657874

// migrate makes the tables in a schema, or brings them up to date. If they are up to date, it only
// reads. Otherwise all is one script, which the server runs as one transaction even over a pooler
// that permits none. Of two workers that start at the same time, one waits and then finds that the
// other was faster.
func migrate(ctx context.Context, c *pgx.Conn, schema string) error {
	for range maxTries {
		has, exists, err := versionOf(ctx, c, schema)
		switch {
		case err != nil:
			return err
		case has > len(migrations):
			return fmt.Errorf("%w: the schema %q has %d, and this program knows %d", ErrVersion, schema, has, len(migrations))
		case has == len(migrations):
			return nil
		}
		_, err = c.PgConn().Exec(ctx, migration(schema, has, exists)).ReadAll()
		var refused *pgconn.PgError
		if !errors.As(err, &refused) {
			if err != nil {
				return fmt.Errorf("migrating the schema %q: %w", schema, err)
			}
			continue // and check
		}
		switch now, _, failure := versionOf(ctx, c, schema); {
		case failure != nil:
			return errors.Join(failure, err)
		case now != has || gaveWay(err):
			continue // another worker was faster
		case refused.Code == "42P07":
			return fmt.Errorf("%w: the schema %q: %w", ErrForeign, schema, err)
		}
		return fmt.Errorf("migrating the schema %q: %w", schema, err)
	}
	return fmt.Errorf("migrating the schema %q: other workers were faster each time", schema)
}

// versionOf returns the version of the tables in a schema, 0 if there are none, and whether the
// schema exists.
func versionOf(ctx context.Context, c *pgx.Conn, schema string) (version int, exists bool, err error) {
	name := pgx.Identifier{schema}.Sanitize()
	var tables bool
	err = c.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
		pgx.QueryExecModeExec, name, name+".movenext_version").Scan(&exists, &tables)
	if err != nil || !tables {
		return 0, exists, err
	}
	return version, exists, c.QueryRow(ctx, inSchema(schema, "SELECT version FROM @movenext_version"), pgx.QueryExecModeExec).Scan(&version)
}

// migration returns the script that brings tables from a version to the present one. It sets the
// search_path and the time limit of its own transaction alone.
func migration(schema string, has int, exists bool) string {
	name := pgx.Identifier{schema}.Sanitize()
	script := []string{
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET LOCAL statement_timeout = 0",
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", int64(migrationLock)),
	}
	if !exists {
		script = append(script, "CREATE SCHEMA "+name)
	}
	script = append(script, "SET LOCAL search_path TO "+name)
	if has == 0 {
		script = append(script, "CREATE TABLE movenext_version (version INTEGER NOT NULL)", "INSERT INTO movenext_version VALUES (0)")
	}
	// A worker that was faster has changed the version: the division by zero ends the script.
	script = append(script, fmt.Sprintf("SELECT 1 / (CASE WHEN version = %d THEN 1 ELSE 0 END) FROM movenext_version", has))
	script = append(script, migrations[has:]...)
	script = append(script, fmt.Sprintf("UPDATE movenext_version SET version = %d", len(migrations)))
	return strings.Join(script, ";\n")
}
