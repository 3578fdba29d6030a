package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// BusyTimeout is how long a write waits for another process that writes.
const BusyTimeout = 10 * time.Second

// ErrClosed is the error of a store that has been closed.
var ErrClosed = errors.New("sqlitestore: the store is closed")

// Store is a [stores.Store] in a file, and a [stores.Notifier]. All methods are safe for
// concurrent use.
type Store struct {
	reads     *sql.DB
	w         *writer
	listeners listeners.Set
}

var (
	_ stores.Store    = (*Store)(nil)
	_ stores.Notifier = (*Store)(nil)
)

// Open opens or creates a file, which only its owner can read. It fails if the file is not a
// database, or has tables of another version ([ErrVersion]). The store has a goroutine and file
// descriptors, which [Store.Close] releases.
func Open(file string) (*Store, error) {
	s, err := open(file)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: opening %s: %w", file, err)
	}
	return s, nil
}

func open(file string) (*Store, error) {
	if file == "" {
		return nil, errors.New("the name of the file is empty")
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	ctx := context.Background()
	writes, err := sql.Open("sqlite", source(path, "journal_mode(WAL)", "synchronous(FULL)"))
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	c, t, err := begin(ctx, writes)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads, err := sql.Open("sqlite", source(path, "query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, t.close(), c.Close(), writes.Close())
	}
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	s := &Store{reads: reads}
	s.w = newWriter(writes, c, t, s.listeners.Tell)
	return s, nil
}

// makePrivate makes the file for its owner alone, if it does not exist. SQLite gives the files of
// its journal the same rights.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// readers is the number of concurrent reads.
const readers = 8

// begin opens the connection for writes.
func begin(ctx context.Context, db *sql.DB) (*sql.Conn, *statements, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := migrate(ctx, c); err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	t, err := prepare(ctx, c)
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return c, t, nil
}

// source returns the driver's name for a file.
func source(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append(pragmas, fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds()))}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String()
}

// Close waits for the writes that have begun, and closes the file. Later calls of other methods
// return [ErrClosed]. Shut down engines first. A second call does nothing.
func (s *Store) Close() error {
	return errors.Join(s.w.close(), s.reads.Close())
}

// Load implements [stores.Store].
func (s *Store) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := s.w.checkOpen(); err != nil {
		return nil, err
	}
	row := s.reads.QueryRowContext(nilctx.Background(ctx), "SELECT "+columns+" FROM instances WHERE id = ?", id)
	r, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, stores.ErrNotFound
	}
	return r, wrap(err)
}

// Swap implements [stores.Store].
func (s *Store) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	labels, err := json.Marshal(r.Labels)
	if err != nil {
		return false, wrap(err)
	}
	err = s.w.do(ctx, r.Owner == "", func(ctx context.Context, t *statements) error {
		mail, err = t.swap(ctx, r, string(labels))
		return err
	})
	if err == nil {
		r.Version++
	}
	return mail && err == nil, err
}

// Send implements [stores.Store].
func (s *Store) Send(ctx context.Context, id string, m stores.Message) error {
	return s.w.do(ctx, true, func(ctx context.Context, t *statements) error { return t.send(ctx, id, m) })
}

// inboxText leaves out a message whose number is none, and the time of one that has none.
const inboxText = `SELECT seq, name, key, payload, CAST(sent AS INTEGER) FROM messages
	WHERE id = ? AND seq > ? AND typeof(seq) = 'integer' ORDER BY seq`

// Inbox implements [stores.Store].
func (s *Store) Inbox(ctx context.Context, id string, after int64) (list []stores.Message, err error) {
	if err := s.w.checkOpen(); err != nil {
		return nil, err
	}
	ctx = nilctx.Background(ctx)
	err = each(ctx, func(rows *sql.Rows) error {
		var m stores.Message
		var sent *int64
		if err := rows.Scan(&m.Seq, &m.Name, &m.Key, &m.Payload, &sent); err != nil {
			return err
		}
		m.Sent = nanos.Time(sent)
		list = append(list, m)
		return nil
	}, poolQuery{s.reads, inboxText}, id, after)
	if err != nil || len(list) > 0 {
		return list, wrap(err)
	}
	var found int
	err = s.reads.QueryRowContext(ctx, "SELECT 1 FROM instances WHERE id = ?", id).Scan(&found)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, stores.ErrNotFound
	}
	return nil, wrap(err)
}

// Take implements [stores.Store].
func (s *Store) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	err = s.w.do(ctx, false, func(ctx context.Context, st *statements) error {
		due, next, err = st.take(ctx, t)
		return err
	})
	return due, next, err
}

// Foreign implements [stores.Store].
func (s *Store) Foreign(ctx context.Context, t stores.Taking) (n int, err error) {
	err = s.w.do(ctx, false, func(ctx context.Context, st *statements) error {
		n, err = st.countForeign(ctx, t)
		return err
	})
	return n, err
}

// Lease implements [stores.Store].
func (s *Store) Lease(ctx context.Context, worker string, until time.Time) error {
	over := !until.After(time.Now()) // the worker's instances become due
	return s.w.do(ctx, over, func(ctx context.Context, t *statements) error {
		_, err := t.lease.ExecContext(ctx, worker, nanos.Nullable(until))
		return err
	})
}

// Leased implements [stores.Store].
func (s *Store) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	if err := s.w.checkOpen(); err != nil {
		return time.Time{}, err
	}
	var expiry *int64
	err = s.reads.QueryRowContext(nilctx.Background(ctx), "SELECT CAST(until AS INTEGER) FROM leases WHERE worker = ?", worker).Scan(&expiry)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return nanos.Time(expiry), wrap(err)
}

// List implements [stores.Store].
func (s *Store) List(ctx context.Context, f stores.Filter) (list []*stores.Record, err error) {
	if err := s.w.checkOpen(); err != nil {
		return nil, err
	}
	conditions, args := []string{"id > ?"}, []any{f.After}
	if f.Function != "" {
		conditions, args = append(conditions, "function = ?"), append(args, f.Function)
	}
	if f.Status != "" {
		conditions, args = append(conditions, "status = ?"), append(args, string(f.Status))
	}
	for _, bound := range []struct {
		condition string
		at        time.Time
	}{
		{"created >= ?", f.Created.From}, {"created < ?", f.Created.Until}, {"updated >= ?", f.Updated.From}, {"updated < ?", f.Updated.Until},
	} {
		if !bound.at.IsZero() {
			conditions, args = append(conditions, bound.condition), append(args, nanos.Of(bound.at))
		}
	}
	selected := columns
	if f.Bare {
		selected = strings.Replace(columns, " state,", " NULL,", 1)
	}
	// Labels are compared here: a label's name may be any text, even one that is not a JSON path.
	query := "SELECT " + selected + " FROM instances WHERE " + strings.Join(conditions, " AND ") + " ORDER BY id"
	err = each(nilctx.Background(ctx), func(rows *sql.Rows) error {
		r, err := scan(rows)
		if err != nil {
			return nil //nolint:nilerr // this row cannot be read; an error of the query is its Err
		}
		if f.Matches(r) {
			list = append(list, r)
		}
		if len(list) == f.Most() {
			return errEnough
		}
		return nil
	}, poolQuery{s.reads, query}, args...)
	return list, wrap(err)
}

// Delete implements [stores.Store].
func (s *Store) Delete(ctx context.Context, id string, version int64) error {
	return s.w.do(ctx, false, func(ctx context.Context, t *statements) error { return t.delete(ctx, id, version) })
}

// Purge implements [stores.Store].
func (s *Store) Purge(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = s.w.do(ctx, false, func(ctx context.Context, t *statements) error {
		n, err = t.purge(ctx, before, limit)
		return err
	})
	return n, err
}

// Notify implements [stores.Notifier]: f is called after commits of this process.
func (s *Store) Notify(f func()) (stop func()) { return s.listeners.Add(f) }

// columns of a record, in the order of scan.
const columns = "id, function, run, version, status, reason, labels, created, updated, owner, epoch, due, seen, floor, state, step, layout"

// scanner is a row.
type scanner interface{ Scan(to ...any) error }

// scan reads a record from a row, after other columns.
func scan(row scanner, before ...any) (*stores.Record, error) {
	var r stores.Record
	var labels string
	var created, updated, due *int64
	err := row.Scan(append(before, &r.ID, &r.Function, &r.Run, &r.Version, &r.Status, &r.Reason, &labels, &created, &updated,
		&r.Owner, &r.Epoch, &due, &r.Seen, &r.Floor, &r.State, &r.Step, &r.Layout)...)
	if err != nil {
		return nil, err
	}
	r.Created, r.Updated, r.Due = nanos.Time(created), nanos.Time(updated), nanos.Time(due)
	if err := json.Unmarshal([]byte(labels), &r.Labels); err != nil {
		return nil, fmt.Errorf("%w: the labels of %q: %w", stores.ErrCorrupt, r.ID, err)
	}
	return &r, nil
}

// errEnough stops a query early.
var errEnough = errors.New("enough")

// poolQuery is a query on a pool.
type poolQuery struct {
	db    *sql.DB
	query string
}

func (a poolQuery) QueryContext(ctx context.Context, args ...any) (*sql.Rows, error) {
	return a.db.QueryContext(ctx, a.query, args...)
}

// each calls f for each row of a query until f returns an error.
func each(ctx context.Context, f func(*sql.Rows) error, query interface {
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
}, args ...any) error {
	rows, err := query.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err already has the error
	for rows.Next() {
		if err := f(rows); err != nil {
			if err == errEnough {
				return nil
			}
			return err
		}
	}
	return rows.Err()
}

// wrap adds the package name to an error.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlitestore: %w", err)
}
