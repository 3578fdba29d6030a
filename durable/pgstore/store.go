package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
)

// Connections is the maximum number of connections that a store uses for its own records, unless
// its address sets pool_max_conns. The transactions of steps use up to [Transactions] more.
const Connections = 16

// ErrClosed is the error of a store that has been closed.
var ErrClosed = errors.New("pgstore: the store is closed")

// ErrText is matched by the error for an id or a name that Postgres cannot keep: text that is not
// UTF-8, or contains a zero byte.
var ErrText = errors.New("pgstore: the text is not UTF-8, or has a zero byte")

// ErrRights is matched by the error for a user who lacks a right that the store needs. The
// server's message names the table.
var ErrRights = errors.New("pgstore: the user lacks a right")

// Store is a [durable.Store] in a Postgres database, and a [durable.Notifier]. All methods are
// safe for concurrent use. A nil context never ends.
type Store struct {
	pool            *pgxpool.Pool
	steps           *pgxpool.Pool // for the transactions of steps
	maxTransactions int32         // connections in steps
	schema          string
	writer          writer
	closed          atomic.Bool
	listeners       listeners.Set
}

var (
	_ durable.Store    = (*Store)(nil)
	_ durable.Notifier = (*Store)(nil)
)

// Option configures a store that is being opened.
type Option func(*Store)

// Schema sets the schema of the tables. The default is "movenext". Stores with different schemas
// in one database are independent.
func Schema(name string) Option { return func(s *Store) { s.schema = name } }

// Open connects to a database, makes or migrates the tables, and returns the store. The address
// is a URL or a list of settings, as for [pgxpool.ParseConfig]. Open blocks until the server has
// answered or ctx has ended. The store has goroutines and connections, which [Store.Close]
// releases.
func Open(ctx context.Context, address string, opts ...Option) (*Store, error) {
	s := &Store{schema: "movenext", maxTransactions: Connections}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if err := s.open(nilctx.Background(ctx), address); err != nil {
		return nil, fmt.Errorf("pgstore: opening the store: %w", markRights(err))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, address string) error {
	if s.schema == "" {
		return errors.New("the name of the schema is empty")
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return err
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = Connections
	}
	own := config.Copy()
	config.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{s.schema}.Sanitize()
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	err = migrate(ctx, c, s.schema)
	if err = errors.Join(err, c.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	s.writer.pool = s.pool
	if err := s.openSteps(ctx, own); err != nil {
		s.pool.Close()
		return err
	}
	return nil
}

// Close waits for the calls that have begun, and closes the connections. Later calls return
// [ErrClosed]. Shut down engines first. A second call does nothing.
func (s *Store) Close() error {
	if !s.closed.Swap(true) {
		s.pool.Close()
		s.steps.Close()
	}
	return nil
}

// Load implements [durable.Store].
func (s *Store) Load(ctx context.Context, id string) (*durable.Record, error) {
	if err := s.check(id); err != nil {
		return nil, err
	}
	r, err := scan(s.pool.QueryRow(nilctx.Background(ctx), "SELECT "+columns+" FROM instances WHERE id = $1", id))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, durable.ErrNotFound
	}
	return r, s.wrap(err)
}

// If two transactions meet at a row, the second waits for the first and then reads the row again,
// including its version and last. So a Swap without an owner and a Send always see each other:
// the later one finds the changes of the earlier one.
var (
	createOne  = `INSERT INTO instances (` + columns + `, wake) VALUES (` + insertedValues(param) + `) ON CONFLICT (id) DO NOTHING RETURNING last > seen AS mail`
	replaceOne = `UPDATE instances AS i SET ` + assignments(param) + ` WHERE ` + versionMatches(param) + ` RETURNING i.last > i.seen AS mail`
	dropBelow  = `WITH swapped AS (` + replaceOne + `), dropped AS (
		DELETE FROM messages WHERE id = ` + param("id") + ` AND seq <= ` + param("floor") + ` AND EXISTS (SELECT FROM swapped))
		SELECT mail FROM swapped`
)

// Swap implements [durable.Store]. If it returns an error of the connection, the record may have
// been written.
func (s *Store) Swap(ctx context.Context, r *durable.Record) (mail bool, err error) {
	if err := s.check(r.ID, r.Function, r.Run, r.Owner, r.Step); err != nil {
		return false, err
	}
	mail, err = s.writer.swap(nilctx.Background(ctx), r)
	switch {
	case errors.Is(err, durable.ErrConflict):
		return false, err
	case err != nil:
		return false, s.wrap(err)
	}
	s.finishSwap(r)
	return mail, nil
}

// finishSwap increments the version, and notifies the listeners if an instance may be due or have
// ended.
func (s *Store) finishSwap(r *durable.Record) {
	r.Version++
	if r.Owner == "" {
		s.listeners.Tell()
	}
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// swap writes a record. It does not update r.Version.
func swap(ctx context.Context, db querier, r *durable.Record) (mail bool, err error) {
	labels, err := json.Marshal(r.Labels)
	if err != nil {
		return false, err
	}
	query := replaceOne
	switch {
	case r.Version == 0:
		query = createOne
	case r.Floor > 0:
		query = dropBelow
	}
	err = db.QueryRow(ctx, query, r.ID, r.Function, r.Run, r.Version, string(r.Status), toPrintable(r.Reason), string(labels),
		nanos.Nullable(r.Created), nanos.Nullable(r.Updated), r.Owner, r.Epoch, nanos.Nullable(r.Due), r.Seen, r.Floor, r.State, r.Step).Scan(&mail)
	if errors.Is(err, pgx.ErrNoRows) {
		err = durable.ErrConflict
	}
	return mail, err
}

// One statement, so that the row is locked only for one round trip.
const send = `WITH target AS (
		SELECT status, owner FROM instances WHERE id = $1 FOR UPDATE
	), open AS (
		SELECT FROM target WHERE status NOT IN ('completed', 'failed', 'canceled', 'terminated')
	), fresh AS (
		INSERT INTO keys (id, key) SELECT $1, $3 FROM open WHERE $3 <> '' ON CONFLICT DO NOTHING RETURNING 1
	), numbered AS (
		UPDATE instances SET last = last + 1, wake = CASE WHEN owner = '' AND status <> 'stuck' THEN 0 ELSE wake END
		WHERE id = $1 AND EXISTS (SELECT FROM open) AND ($3 = '' OR EXISTS (SELECT FROM fresh)) RETURNING last
	), kept AS (
		INSERT INTO messages (id, seq, name, key, payload, sent) SELECT $1, last, $2, $3, $4, $5 FROM numbered
	) SELECT status FROM target`

// Send implements [durable.Store].
func (s *Store) Send(ctx context.Context, id string, m durable.Message) error {
	if err := s.check(id, m.Name, m.Key); err != nil {
		return err
	}
	var status durable.Status
	err := s.pool.QueryRow(nilctx.Background(ctx), send, id, m.Name, m.Key, m.Payload, nanos.Nullable(m.Sent)).Scan(&status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return durable.ErrNotFound
	case err != nil:
		return s.wrap(err)
	case status.Ended():
		return durable.ErrEnded
	}
	s.listeners.Tell()
	return nil
}

// Inbox implements [durable.Store].
func (s *Store) Inbox(ctx context.Context, id string, after int64) ([]durable.Message, error) {
	if err := s.check(id); err != nil {
		return nil, err
	}
	list, err := inbox(nilctx.Background(ctx), s.pool, id, after)
	if errors.Is(err, durable.ErrNotFound) {
		return nil, err
	}
	return list, s.wrap(err)
}

// inbox reads the messages of an instance.
func inbox(ctx context.Context, db querier, id string, after int64) ([]durable.Message, error) {
	rows, err := db.Query(ctx, "SELECT seq, name, key, payload, sent FROM messages WHERE id = $1 AND seq > $2 ORDER BY seq", id, after)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m durable.Message, err error) {
		var sent *int64
		err = row.Scan(&m.Seq, &m.Name, &m.Key, &m.Payload, &sent)
		m.Sent = nanos.Time(sent)
		return m, err
	})
	if err != nil || len(list) > 0 {
		return list, err
	}
	var found int
	err = db.QueryRow(ctx, "SELECT 1 FROM instances WHERE id = $1", id).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, durable.ErrNotFound
	}
	return nil, err
}

// Lease implements [durable.Store].
func (s *Store) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := s.check(worker); err != nil {
		return err
	}
	_, err := s.pool.Exec(nilctx.Background(ctx), `INSERT INTO leases (worker, until) VALUES ($1, $2)
		ON CONFLICT (worker) DO UPDATE SET until = excluded.until`, worker, nanos.Nullable(until))
	return s.wrap(err)
}

// Leased implements [durable.Store].
func (s *Store) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	if err := s.check(worker); err != nil {
		return time.Time{}, err
	}
	var expiry *int64
	err = s.pool.QueryRow(nilctx.Background(ctx), "SELECT until FROM leases WHERE worker = $1", worker).Scan(&expiry)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return nanos.Time(expiry), s.wrap(err)
}

// List implements [durable.Store].
func (s *Store) List(ctx context.Context, f durable.Filter) (list []*durable.Record, err error) {
	if err := s.check(f.After, f.Function, string(f.Status)); err != nil {
		return nil, err
	}
	// Labels are compared here: their names may be any text. So pages are read until the result
	// is full.
	for after := f.After; ; {
		rows, err := s.pool.Query(nilctx.Background(ctx), "SELECT "+columns+` FROM instances
			WHERE id > $1 AND ($2 = '' OR function = $2) AND ($3 = '' OR status = $3) ORDER BY id LIMIT $4`,
			after, f.Function, string(f.Status), f.Most())
		if err != nil {
			return nil, s.wrap(err)
		}
		page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*durable.Record, error) { return scan(row) })
		if err != nil {
			return nil, s.wrap(err)
		}
		for _, r := range page {
			if after = r.ID; f.Matches(r) {
				list = append(list, r)
			}
			if len(list) == f.Most() {
				return list, nil
			}
		}
		if len(page) < f.Most() {
			return list, nil
		}
	}
}

// Purge implements [durable.Store].
func (s *Store) Purge(ctx context.Context, before time.Time, limit int) (n int, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	err = s.pool.QueryRow(nilctx.Background(ctx), `WITH old AS (
			SELECT id FROM instances WHERE status IN ('completed', 'failed', 'canceled', 'terminated') AND updated < $1
			LIMIT $2 FOR UPDATE SKIP LOCKED
		), forgotten AS (
			DELETE FROM instances USING old WHERE instances.id = old.id RETURNING 1
		), mail AS (
			DELETE FROM messages USING old WHERE messages.id = old.id
		), known AS (
			DELETE FROM keys USING old WHERE keys.id = old.id
		), gone AS (
			DELETE FROM leases WHERE until < $1 AND NOT EXISTS (SELECT FROM instances WHERE owner = worker)
		) SELECT count(*) FROM forgotten`, nanos.Nullable(before), limit).Scan(&n)
	return n, s.wrap(err)
}

// Notify implements [durable.Notifier]: f is called after writes of this process.
func (s *Store) Notify(f func()) (stop func()) { return s.listeners.Add(f) }

// scan reads a record from a row, after other columns.
func scan(row pgx.Row, before ...any) (*durable.Record, error) {
	var r durable.Record
	var labels string
	var created, updated, due *int64
	err := row.Scan(append(before, &r.ID, &r.Function, &r.Run, &r.Version, &r.Status, &r.Reason, &labels, &created, &updated,
		&r.Owner, &r.Epoch, &due, &r.Seen, &r.Floor, &r.State, &r.Step)...)
	if err != nil {
		return nil, err
	}
	r.Created, r.Updated, r.Due = nanos.Time(created), nanos.Time(updated), nanos.Time(due)
	return &r, json.Unmarshal([]byte(labels), &r.Labels)
}

// check returns why a call with these texts cannot be made, or nil.
func (s *Store) check(texts ...string) error {
	if s.closed.Load() {
		return ErrClosed
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
			return fmt.Errorf("%w: %q", ErrText, t)
		}
	}
	return nil
}

// toPrintable returns a text for human readers in a form that Postgres can keep.
func toPrintable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// wrap adds the package name to an error.
func (s *Store) wrap(err error) error {
	if err == nil {
		return nil
	}
	if s.closed.Load() {
		err = errors.Join(ErrClosed, err)
	}
	return fmt.Errorf("pgstore: %w", markRights(err))
}

// markRights adds to an error of the server the error that programs match it by.
func markRights(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" {
		return fmt.Errorf("%w: %w", ErrRights, err)
	}
	return err
}
