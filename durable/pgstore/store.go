package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/movenext/movenext/durable/internal/groups"
	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// Connections is the maximum number of connections that a store uses for its own records, unless
// its address sets pool_max_conns. The transactions of steps use up to [Transactions] more.
const Connections = 16

// ErrClosed is the error of a store that has been closed.
var ErrClosed = errors.New("pgstore: the store is closed")

// ErrRights is matched by the error for a user who lacks a right that the store needs. The
// server's message names the table.
var ErrRights = errors.New("pgstore: the user lacks a right")

// Store is a [stores.Store] in a Postgres database, and a [stores.Notifier]. All methods are
// safe for concurrent use. A nil context never ends.
type Store struct {
	pool            *pgxpool.Pool
	steps           *pgxpool.Pool // for the transactions of steps
	maxTransactions int32         // connections in steps
	schema          string
	server          server
	text            *statements
	writer          writer
	sends           groups.Queue[*pendingSend]
	closed          atomic.Bool
	listeners       listeners.Set
}

var (
	_ stores.Store    = (*Store)(nil)
	_ stores.Notifier = (*Store)(nil)
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
		return nil, fmt.Errorf("pgstore: opening the store: %w", mark(err))
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
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	if s.server, err = lookAt(ctx, c); err == nil {
		err = migrate(ctx, c, s.schema)
	}
	if err = errors.Join(err, c.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if s.server.pooled && !strings.Contains(address, "default_query_exec_mode") {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if s.server.begins, err = s.server.allowsTransactions(ctx, config.ConnConfig); err != nil {
		return err
	}
	s.text = newStatements(s.schema)
	s.writer.s = s
	s.sends.Write = s.sendGroup
	steps := config.Copy()
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if err := s.openSteps(ctx, steps); err != nil {
		s.pool.Close()
		return err
	}
	return nil
}

// Close waits for the calls that have begun, and closes the connections. Later calls return
// [ErrClosed]. Shut down engines first. A second call does nothing.
func (s *Store) Close() error {
	if !s.closed.Swap(true) {
		s.sends.Close()
		s.pool.Close()
		s.steps.Close()
	}
	return nil
}

// Load implements [stores.Store].
func (s *Store) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := s.check(id); err != nil {
		return nil, err
	}
	var r *stores.Record
	err := s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		r = nil
		b.Queue(s.text.load, id).Query(func(rows pgx.Rows) error {
			return atMostOne(rows, func() (err error) {
				r, err = scan(rows)
				return err
			})
		})
	})
	if err == nil && r == nil {
		return nil, stores.ErrNotFound
	}
	return r, s.wrap(err)
}

// atMostOne calls f for the row of a result that may have none. A missing row is no error, or
// pgx would forget what it knows of the statement.
func atMostOne(rows pgx.Rows, f func() error) error {
	defer rows.Close()
	if rows.Next() {
		if err := f(); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// Swap implements [stores.Store]. If it returns an error of the connection, the record may have
// been written.
func (s *Store) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := s.check(r.ID, r.Function, r.Run, r.Owner, r.Step, r.Layout); err != nil {
		return false, err
	}
	mail, err = s.writer.swap(nilctx.Background(ctx), r)
	switch {
	case errors.Is(err, stores.ErrConflict):
		return false, err
	case err != nil:
		return false, s.wrap(err)
	}
	s.finishSwap(r)
	return mail, nil
}

// finishSwap increments the version, and notifies the listeners if an instance may be due or have
// ended.
func (s *Store) finishSwap(r *stores.Record) {
	r.Version++
	if r.Owner == "" {
		s.listeners.Tell()
	}
}

// asker sends the statements that queue puts into a batch, which have one commit or are part of a
// transaction, and calls their functions. It may repeat all of this if nothing was written.
type asker func(ctx context.Context, queue func(*pgx.Batch)) error

// swapOf returns the statement that writes a record, and its parameters.
func (t *statements) swapOf(r *stores.Record) (query string, params []any, err error) {
	labels, err := json.Marshal(r.Labels)
	query = t.replaceOne
	switch {
	case r.Version == 0:
		query = t.createOne
	case r.Floor > 0:
		query = t.dropBelow
	}
	return query, []any{
		r.ID, r.Function, r.Run, r.Version, string(r.Status), toPrintable(r.Reason), string(labels),
		nanos.Nullable(r.Created), nanos.Nullable(r.Updated), r.Owner, r.Epoch, nanos.Nullable(r.Due), r.Seen, r.Floor, r.State, r.Step,
		r.Layout,
	}, err
}

// swap writes a record. It does not update r.Version.
func (t *statements) swap(ctx context.Context, ask asker, r *stores.Record) (mail bool, err error) {
	query, params, err := t.swapOf(r)
	if err != nil {
		return false, err
	}
	written := false
	err = ask(ctx, func(b *pgx.Batch) {
		written = false
		b.Queue(query, params...).Query(func(rows pgx.Rows) error {
			return atMostOne(rows, func() error {
				written = true
				return rows.Scan(&mail)
			})
		})
	})
	if err == nil && !written {
		err = stores.ErrConflict
	}
	return mail, err
}

// Send implements [stores.Store]. If its context ends, the message may have been written.
func (s *Store) Send(ctx context.Context, id string, m stores.Message) error {
	if err := s.check(id, m.Name, m.Key); err != nil {
		return err
	}
	ctx = nilctx.Background(ctx)
	m.Payload = slices.Clone(m.Payload)
	one := &pendingSend{ctx: ctx, m: m}
	err := s.sends.Do(ctx, id, one)
	if errors.Is(err, groups.ErrClosed) {
		return ErrClosed
	}
	if err == nil {
		err = one.err
	}
	if err == nil {
		err = one.failure()
	} else {
		err = s.wrap(err)
	}
	if err == nil {
		s.listeners.Tell()
	}
	return err
}

// sendAnswer is the answer of the statement that sends a message.
type sendAnswer struct {
	status stores.Status // of the instance; empty: there is none
	known  bool          // it has ended, and knows the key
}

// failure returns the error of Send.
func (a sendAnswer) failure() error {
	switch {
	case a.status == "":
		return stores.ErrNotFound
	case a.status.Ended() && !a.known:
		return stores.ErrEnded
	}
	return nil
}

// pendingSend is a call of Send, and its answer.
type pendingSend struct {
	sendAnswer
	ctx context.Context
	m   stores.Message
	err error
}

// sendGroup sends messages to one instance, whose row the server locks once for all of them. If it
// refuses one, they are sent one by one.
func (s *Store) sendGroup(ctx context.Context, id string, group []*pendingSend) error {
	err := s.sendTogether(ctx, id, group)
	if len(group) == 1 || !errors.As(err, new(*pgconn.PgError)) {
		return err
	}
	for _, one := range group {
		one.err = s.sendTogether(one.ctx, id, []*pendingSend{one})
	}
	return nil
}

// sendTogether sends messages to one instance, with one commit.
func (s *Store) sendTogether(ctx context.Context, id string, group []*pendingSend) error {
	return s.ask(ctx, func(b *pgx.Batch) {
		for _, one := range group {
			one.sendAnswer = sendAnswer{}
			b.Queue(s.text.send, id, one.m.Name, one.m.Key, one.m.Payload, nanos.Nullable(one.m.Sent)).Query(func(rows pgx.Rows) error {
				return atMostOne(rows, func() error { return rows.Scan(&one.status, &one.known) })
			})
		}
	})
}

// Inbox implements [stores.Store].
func (s *Store) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	if err := s.check(id); err != nil {
		return nil, err
	}
	list, err := s.text.readInbox(nilctx.Background(ctx), s.ask, id, after)
	if errors.Is(err, stores.ErrNotFound) {
		return nil, err
	}
	return list, s.wrap(err)
}

// readInbox reads the messages of an instance.
func (t *statements) readInbox(ctx context.Context, ask asker, id string, after int64) (list []stores.Message, err error) {
	found := false
	err = ask(ctx, func(b *pgx.Batch) {
		list, found = nil, false
		b.Queue(t.inbox, id, after).Query(func(rows pgx.Rows) error {
			var seq, sent *int64
			var name, key *string
			var payload []byte
			_, err := pgx.ForEachRow(rows, []any{&seq, &name, &key, &payload, &sent}, func() error {
				if found = true; seq != nil {
					list = append(list, stores.Message{Seq: *seq, Name: *name, Key: *key, Payload: payload, Sent: nanos.Time(sent)})
				}
				return nil
			})
			return err
		})
	})
	if err == nil && !found {
		err = stores.ErrNotFound
	}
	return list, err
}

// Lease implements [stores.Store].
func (s *Store) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := s.check(worker); err != nil {
		return err
	}
	return s.wrap(s.ask(nilctx.Background(ctx), func(b *pgx.Batch) { b.Queue(s.text.lease, worker, nanos.Nullable(until)) }))
}

// Leased implements [stores.Store].
func (s *Store) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	if err := s.check(worker); err != nil {
		return time.Time{}, err
	}
	var expiry *int64
	err = s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		b.Queue(s.text.leased, worker).Query(func(rows pgx.Rows) error {
			return atMostOne(rows, func() error { return rows.Scan(&expiry) })
		})
	})
	return nanos.Time(expiry), s.wrap(err)
}

// List implements [stores.Store].
func (s *Store) List(ctx context.Context, f stores.Filter) (list []*stores.Record, err error) {
	if err := s.check(f.After, f.Function, string(f.Status)); err != nil {
		return nil, err
	}
	// Labels are compared here: their names may be any text. So pages are read until the result
	// is full.
	for after := f.After; ; {
		var page []*stores.Record // those that cannot be read have no Version
		err := s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
			b.Queue(s.text.list, after, f.Function, string(f.Status), f.Most(), f.Bare, nanos.Nullable(f.Created.From), nanos.Nullable(f.Created.Until),
				nanos.Nullable(f.Updated.From), nanos.Nullable(f.Updated.Until)).Query(func(rows pgx.Rows) (err error) {
				page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*stores.Record, error) {
					r, err := scan(row)
					if errors.Is(err, errDamaged) {
						return &stores.Record{ID: r.ID}, nil
					}
					return r, err
				})
				return err
			})
		})
		if err != nil {
			return nil, s.wrap(err)
		}
		for _, r := range page {
			if after = r.ID; r.Version > 0 && f.Matches(r) {
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

// Delete implements [stores.Store].
func (s *Store) Delete(ctx context.Context, id string, version int64) error {
	if err := s.check(id); err != nil {
		return err
	}
	var gone, found bool
	err := s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		b.Queue(s.text.delete, id, version).QueryRow(func(row pgx.Row) error { return row.Scan(&gone, &found) })
	})
	switch {
	case err != nil:
		return s.wrap(err)
	case gone:
		return nil
	case found:
		return stores.ErrConflict
	}
	return stores.ErrNotFound
}

// Purge implements [stores.Store].
func (s *Store) Purge(ctx context.Context, before time.Time, limit int) (n int, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	err = s.ask(nilctx.Background(ctx), func(b *pgx.Batch) {
		b.Queue(noTimeout)
		b.Queue(s.text.purge, nanos.Nullable(before), limit).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	return n, s.wrap(err)
}

// Notify implements [stores.Notifier]: f is called after writes of this process.
func (s *Store) Notify(f func()) (stop func()) { return s.listeners.Add(f) }

// scan reads a record from a row, after other columns.
func scan(row pgx.Row, before ...any) (*stores.Record, error) {
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
		return &r, fmt.Errorf("%w: the labels of %q: %w", errDamaged, r.ID, err)
	}
	return &r, nil
}

// errDamaged says that a row has a value that is none of its column. Take and List go on with the
// other rows.
var errDamaged = fmt.Errorf("the row cannot be read: %w", stores.ErrCorrupt)

// check returns why a call with these texts cannot be made, or nil.
func (s *Store) check(texts ...string) error {
	if s.closed.Load() {
		return ErrClosed
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
			return fmt.Errorf("pgstore: %w: %.40q is not UTF-8 without zero bytes", stores.ErrUnstorable, t)
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
	return fmt.Errorf("pgstore: %w", mark(err))
}

// mark adds to an error of the server the error that programs match it by.
func mark(err error) error {
	var refused *pgconn.PgError
	switch {
	case !errors.As(err, &refused):
	case refused.Code == "42501":
		return fmt.Errorf("%w: %w", ErrRights, err)
	case refused.Code == "54000": // program_limit_exceeded: a key is too long for an index
		return fmt.Errorf("%w: %w", stores.ErrUnstorable, err)
	}
	return err
}
