package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/stores"
)

// statements are the prepared writes. The writer's goroutine owns them.
type statements struct {
	begin, commit, rollback       *sql.Stmt
	create, replace, drop, wakeAt *sql.Stmt
	inbox, addKey, append, number *sql.Stmt
	load, hasKey                  *sql.Stmt
	hide, byRow                   *sql.Stmt
	lease, due, owned, nextDue    *sql.Stmt
	foreign                       *sql.Stmt
	old, forget, remove           *sql.Stmt
	forgetMessages, forgetKeys    *sql.Stmt
	forgetLeases                  *sql.Stmt
	all                           []*sql.Stmt
}

// served selects what a worker serves: ?1 are its functions, ?2 its steps, ?3 its layouts; null
// means all.
//
// SQLite keeps a value of any type in any column. An order by a time, or a scan of it, must not
// depend on what is in a damaged row.
const (
	ownedAt = `max(CAST(coalesce(wake, 0) AS INTEGER), CAST(coalesce(until, 0) AS INTEGER))`

	called = `function IN (SELECT value FROM json_each(?1)) AND (step = '' OR ?2 = 'null' OR step IN (SELECT value FROM json_each(?2)))`
	loaded = `(layout = '' OR ?3 = 'null' OR layout IN (SELECT value FROM json_each(?3)))`
	served = called + " AND " + loaded
)

// preparer is a connection or a transaction.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// statement is a statement that is to be prepared.
type statement struct {
	to    **sql.Stmt
	query string
}

// prepare prepares all statements on the writer's connection.
func prepare(ctx context.Context, c *sql.Conn) (*statements, error) {
	t := &statements{}
	return t, t.prepare(ctx, c, slices.Concat(t.ofInstance(), t.others()))
}

// prepare prepares statements.
func (t *statements) prepare(ctx context.Context, c preparer, list []statement) error {
	for _, p := range list {
		stmt, err := c.PrepareContext(ctx, p.query) //nolint:sqlclosecheck // close closes all
		if err != nil {
			return errors.Join(err, t.close())
		}
		*p.to, t.all = stmt, append(t.all, stmt)
	}
	return nil
}

// ofInstance returns the statements about one instance, which are also made in transactions of the
// program.
func (t *statements) ofInstance() []statement {
	return []statement{
		{&t.load, "SELECT " + columns + " FROM instances WHERE id = ?"},
		{&t.create, `INSERT INTO instances (` + columns + `, wake)
			VALUES (?1, ?2, ?3, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, CASE WHEN ?10 = '' THEN ?12 END)
			ON CONFLICT (id) DO NOTHING RETURNING last > seen`},
		{&t.replace, `UPDATE instances SET function = ?2, run = ?3, version = version + 1, status = ?5, reason = ?6, labels = ?7, created = ?8,
			updated = ?9, owner = ?10, epoch = ?11, due = ?12, seen = ?13, floor = ?14, state = ?15, step = ?16, layout = ?17, takes = 0,
			wake = CASE WHEN ?10 <> '' THEN NULL WHEN last > ?13 AND ?5 IN ('running', 'waiting') THEN 0 ELSE ?12 END
			WHERE id = ?1 AND version = ?4 RETURNING last > seen`},
		{&t.drop, "DELETE FROM messages WHERE id = ? AND seq <= ?"},
		{&t.wakeAt, "UPDATE instances SET wake = ? WHERE id = ?"},
		{&t.inbox, "SELECT status, owner FROM instances WHERE id = ?"},
		{&t.addKey, "INSERT INTO keys (id, key) VALUES (?, ?) ON CONFLICT DO NOTHING"},
		{&t.hasKey, "SELECT EXISTS (SELECT 1 FROM keys WHERE id = ? AND key = ?)"},
		{&t.number, "UPDATE instances SET last = last + 1 WHERE id = ? RETURNING last"},
		{&t.append, "INSERT INTO messages (id, seq, name, key, payload, sent) VALUES (?, ?, ?, ?, ?, ?)"},
	}
}

// others returns the other statements.
func (t *statements) others() []statement {
	return []statement{
		{&t.begin, "BEGIN IMMEDIATE"},
		{&t.commit, "COMMIT"},
		{&t.rollback, "ROLLBACK"},
		{&t.lease, "INSERT INTO leases (worker, until) VALUES (?, ?) ON CONFLICT (worker) DO UPDATE SET until = excluded.until"},
		{&t.hide, "UPDATE instances SET wake = ?1, takes = takes + 1 WHERE rowid IN (SELECT value FROM json_each(?2))"},
		{&t.byRow, "SELECT " + takenColumns + " FROM instances WHERE rowid = ?"},
		{&t.due, `SELECT rowid, CAST(wake AS INTEGER), ` + takenColumns + ` FROM instances WHERE owner = '' AND wake <= ?4
			AND ` + served + ` ORDER BY wake, id LIMIT ?5`},
		{&t.owned, `SELECT instances.rowid, ` + ownedAt + ` AS at FROM instances LEFT JOIN leases ON worker = owner
			WHERE owner <> '' AND ` + served + ` ORDER BY at, id`},
		{&t.nextDue, `SELECT wake FROM instances WHERE owner = '' AND wake IS NOT NULL AND typeof(wake) = 'integer'
			AND ` + served + ` ORDER BY wake, id LIMIT 1`},
		{&t.foreign, `SELECT count(*) FROM (SELECT 1 FROM instances LEFT JOIN leases ON worker = owner
			WHERE (owner = '' AND wake <= ?4 OR owner <> '' AND ` + ownedAt + ` <= ?4)
			AND ` + called + ` AND NOT ` + loaded + ` LIMIT ?5)`},
		{&t.old, `SELECT id FROM instances WHERE status IN ('completed', 'failed', 'canceled', 'terminated') AND updated < ? LIMIT ?`},
		{&t.forget, "DELETE FROM instances WHERE id = ?"},
		{&t.remove, "DELETE FROM instances WHERE id = ? AND version = ?"},
		{&t.forgetMessages, "DELETE FROM messages WHERE id = ?"},
		{&t.forgetKeys, "DELETE FROM keys WHERE id = ?"},
		{&t.forgetLeases, "DELETE FROM leases WHERE until < ? AND NOT EXISTS (SELECT 1 FROM instances WHERE owner = worker)"},
	}
}

func (t *statements) close() (err error) {
	for _, s := range t.all {
		err = errors.Join(err, s.Close())
	}
	t.all = nil
	return err
}

// swap writes a record. It does not change r: the transaction may still fail.
func (t *statements) swap(ctx context.Context, r *stores.Record, labels string) (mail bool, err error) {
	stmt := t.replace
	if r.Version == 0 {
		stmt = t.create
	}
	err = stmt.QueryRowContext(ctx, r.ID, r.Function, r.Run, r.Version, string(r.Status), r.Reason, labels, nanos.Nullable(r.Created), nanos.Nullable(r.Updated),
		r.Owner, r.Epoch, nanos.Nullable(r.Due), r.Seen, r.Floor, r.State, r.Step, r.Layout).Scan(&mail)
	if errors.Is(err, sql.ErrNoRows) {
		return false, stores.ErrConflict
	}
	if err == nil && r.Floor > 0 {
		_, err = t.drop.ExecContext(ctx, r.ID, r.Floor)
	}
	return mail, err
}

// send appends a message.
func (t *statements) send(ctx context.Context, id string, m stores.Message) error {
	var status stores.Status
	var owner string
	err := t.inbox.QueryRowContext(ctx, id).Scan(&status, &owner)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return stores.ErrNotFound
	case err != nil:
		return err
	case status.Ended():
		return t.sendToEnded(ctx, id, m.Key)
	}
	if m.Key != "" {
		done, err := t.addKey.ExecContext(ctx, id, m.Key)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err // the message has been sent before
		}
	}
	var seq int64
	if err := t.number.QueryRowContext(ctx, id).Scan(&seq); err != nil {
		return err
	}
	if _, err := t.append.ExecContext(ctx, id, seq, m.Name, m.Key, m.Payload, nanos.Nullable(m.Sent)); err != nil {
		return err
	}
	if owner != "" || status == stores.Stuck {
		return nil
	}
	_, err = t.wakeAt.ExecContext(ctx, sql.NullInt64{Valid: true}, id)
	return err
}

// sendToEnded answers a message to an ended instance: it may have been sent before.
func (t *statements) sendToEnded(ctx context.Context, id, key string) error {
	var known bool
	if err := t.hasKey.QueryRowContext(ctx, id, key).Scan(&known); err != nil || known {
		return err
	}
	return stores.ErrEnded
}

// delete deletes an instance of a version.
func (t *statements) delete(ctx context.Context, id string, version int64) error {
	done, err := t.remove.ExecContext(ctx, id, version)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		var status, owner any // damaged ones have another type
		err := t.inbox.QueryRowContext(ctx, id).Scan(&status, &owner)
		if errors.Is(err, sql.ErrNoRows) {
			return stores.ErrNotFound
		}
		return cmp.Or(err, stores.ErrConflict)
	}
	for _, s := range []*sql.Stmt{t.forgetMessages, t.forgetKeys} {
		if _, err := s.ExecContext(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// purge deletes instances that ended before a time, and the leases of workers gone since then.
func (t *statements) purge(ctx context.Context, before time.Time, limit int) (n int, err error) {
	var old []any // a damaged id may have another type
	err = each(ctx, func(rows *sql.Rows) error {
		var id any
		err := rows.Scan(&id)
		old = append(old, id)
		return err
	}, t.old, nanos.Nullable(before), limit)
	if err != nil {
		return 0, err
	}
	for _, id := range old {
		for _, s := range []*sql.Stmt{t.forget, t.forgetMessages, t.forgetKeys} {
			if _, err := s.ExecContext(ctx, id); err != nil {
				return 0, err
			}
		}
	}
	_, err = t.forgetLeases.ExecContext(ctx, nanos.Nullable(before))
	return len(old), err
}
