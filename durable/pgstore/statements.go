package pgstore

import (
	"strings"

	"github.com/jackc/pgx/v5"
)

// # Statements
//
// Statements name their tables with the schema, since a search_path would not survive a pooler:
// a connection of the server serves many clients, and keeps what one of them has set. In the
// texts below, an @ before a table is replaced by the name of the schema.
//
// Each call of the store is one statement, or a few that are sent together and have one commit.
// Nothing is read in Go between two statements of a transaction. Locks are therefore held for no
// round trip, and a pooler in statement mode, which permits no transaction, can be used too.

// statements are the texts of a store's statements.
type statements struct {
	load, list, inbox, send, lease, leased, delete, purge string
	createOne, replaceOne, dropBelow                      string // a Swap of one record
	createAll, replaceAll                                 string // of a group
	take, next, foreign                                   string
}

// inSchema returns a text whose tables are in a schema.
func inSchema(schema, text string) string {
	return strings.ReplaceAll(text, "@", pgx.Identifier{schema}.Sanitize()+".")
}

const (
	// deleteText deletes an instance of a version, its messages and its keys. It says whether it
	// has, and whether the instance is there in any version.
	deleteText = `WITH gone AS (
			DELETE FROM @instances WHERE id = $1 AND version = $2 RETURNING 1
		), mail AS (
			DELETE FROM @messages WHERE id = $1 AND EXISTS (SELECT FROM gone)
		), known AS (
			DELETE FROM @keys WHERE id = $1 AND EXISTS (SELECT FROM gone)
		) SELECT EXISTS (SELECT FROM gone), EXISTS (SELECT FROM @instances WHERE id = $1)`

	// purgeText deletes instances that ended before a time, and the leases of workers gone since
	// then.
	purgeText = `WITH old AS (
			SELECT id FROM @instances WHERE status IN ('completed', 'failed', 'canceled', 'terminated') AND updated < $1
			LIMIT $2 FOR UPDATE SKIP LOCKED
		), forgotten AS (
			DELETE FROM @instances AS i USING old WHERE i.id = old.id RETURNING 1
		), mail AS (
			DELETE FROM @messages AS m USING old WHERE m.id = old.id
		), known AS (
			DELETE FROM @keys AS k USING old WHERE k.id = old.id
		), gone AS (
			DELETE FROM @leases WHERE until < $1 AND NOT EXISTS (SELECT FROM @instances WHERE owner = worker)
		) SELECT count(*) FROM forgotten`
)

// newStatements returns the statements on the tables of a schema.
func newStatements(schema string) *statements {
	s := &statements{
		load: `SELECT ` + columns + ` FROM @instances WHERE id = $1`,
		list: `SELECT ` + listedColumns + ` FROM @instances
			WHERE id > $1 AND ($2 = '' OR function = $2) AND ($3 = '' OR status = $3)
			AND ($6::bigint IS NULL OR created >= $6) AND ($7::bigint IS NULL OR created < $7)
			AND ($8::bigint IS NULL OR updated >= $8) AND ($9::bigint IS NULL OR updated < $9) ORDER BY id LIMIT $4`,

		// One row without a message shows that the instance exists.
		inbox: `SELECT seq, name, key, payload, sent FROM @instances AS i
			LEFT JOIN @messages AS m ON m.id = i.id AND m.seq > $2 WHERE i.id = $1 ORDER BY seq`,

		lease: `INSERT INTO @leases (worker, until) VALUES ($1, $2)
			ON CONFLICT (worker) DO UPDATE SET until = excluded.until`,
		leased: `SELECT until FROM @leases WHERE worker = $1`,

		// One statement, so that the row is locked only for one round trip.
		send: `WITH target AS (
				SELECT status, owner FROM @instances WHERE id = $1 FOR UPDATE
			), open AS (
				SELECT FROM target WHERE status NOT IN ('completed', 'failed', 'canceled', 'terminated')
			), fresh AS (
				INSERT INTO @keys (id, key) SELECT $1, $3 FROM open WHERE $3 <> '' ON CONFLICT DO NOTHING RETURNING 1
			), numbered AS (
				UPDATE @instances SET last = last + 1, wake = CASE WHEN owner = '' AND status <> 'stuck' THEN 0 ELSE wake END
				WHERE id = $1 AND EXISTS (SELECT FROM open) AND ($3 = '' OR EXISTS (SELECT FROM fresh)) RETURNING last
			), kept AS (
				INSERT INTO @messages (id, seq, name, key, payload, sent) SELECT $1, last, $2, $3, $4, $5 FROM numbered
			) SELECT status, $3 <> '' AND NOT EXISTS (SELECT FROM open) AND EXISTS (SELECT FROM @keys WHERE id = $1 AND key = $3) FROM target`,

		// If two transactions meet at a row, the second waits for the first and then reads the row
		// again, including its version and last. So a Swap without an owner and a Send always see
		// each other: the later one finds the changes of the earlier one.
		createOne: `INSERT INTO @instances (` + columns + `, wake) VALUES (` + insertedValues(param) + `)
			ON CONFLICT (id) DO NOTHING RETURNING last > seen AS mail`,
		replaceOne: `UPDATE @instances AS i SET ` + assignments(param) + ` WHERE ` + versionMatches(param) + ` RETURNING i.last > i.seen AS mail`,
		createAll: `WITH made AS (
				INSERT INTO @instances (` + columns + `, wake) SELECT ` + insertedValues(element) + ` FROM ` + input + `
				ON CONFLICT (id) DO NOTHING RETURNING id, last > seen AS mail
			) SELECT n.number, mail FROM made JOIN unnest($1::bigint[], $2::text[]) AS n (number, id) USING (id)`,
		replaceAll: `WITH swapped AS (
				UPDATE @instances AS i SET ` + assignments(element) + ` FROM ` + input + `
				WHERE ` + versionMatches(element) + ` RETURNING n.number, i.id, i.floor, i.last > i.seen AS mail
			), dropped AS (
				DELETE FROM @messages AS m USING swapped WHERE swapped.floor > 0 AND m.id = swapped.id AND m.seq <= swapped.floor
			) SELECT number, mail FROM swapped`,

		take: takeText, next: nextText, foreign: foreignText, delete: deleteText, purge: purgeText,
	}
	s.dropBelow = `WITH swapped AS (` + s.replaceOne + `), dropped AS (
		DELETE FROM @messages WHERE id = ` + param("id") + ` AND seq <= ` + param("floor") + ` AND EXISTS (SELECT FROM swapped))
		SELECT mail FROM swapped`
	for _, text := range []*string{
		&s.load, &s.list, &s.inbox, &s.send, &s.lease, &s.leased, &s.delete, &s.purge, &s.createOne, &s.replaceOne, &s.dropBelow,
		&s.createAll, &s.replaceAll, &s.take, &s.next, &s.foreign,
	} {
		*text = inSchema(schema, *text)
	}
	return s
}
