package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

var _ stores.Enlister = (*Store)(nil)

// Enlist implements [stores.Enlister], for a pgx.Tx or a *sql.Tx of the program in the same
// database, with any driver. Its user needs the rights of the store. With the isolation level
// REPEATABLE READ or SERIALIZABLE the server may give up the transaction in favour of a write of
// the store, as of any other.
func (s *Store) Enlist(tx any) (stores.Enlisted, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch tx := tx.(type) {
	case pgx.Tx:
		return &enlisted{s, func(ctx context.Context, query string, params []any) (rows, error) {
			found, err := tx.Query(ctx, query, params...)
			return pgxRows{found}, err
		}}, nil
	case *sql.Tx:
		return &enlisted{s, func(ctx context.Context, query string, params []any) (rows, error) {
			return tx.QueryContext(ctx, query, params...) //nolint:rowserrcheck // the caller does
		}}, nil
	}
	return nil, fmt.Errorf("%w of type %T: pgstore needs a pgx.Tx or a *sql.Tx", stores.ErrNoTx, tx)
}

// rows are the rows of a result.
type rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
	Close() error
}

// pgxRows are rows of pgx.
type pgxRows struct{ pgx.Rows }

// Close implements rows.
func (r pgxRows) Close() error {
	r.Rows.Close()
	return nil
}

// enlisted makes calls in a transaction of the program.
type enlisted struct {
	s     *Store
	query func(ctx context.Context, query string, params []any) (rows, error)
}

// one makes a statement that returns at most one row, and reports whether it did.
func (e *enlisted) one(ctx context.Context, query string, params []any, scan func(rows) error) (found bool, err error) {
	r, err := e.query(nilctx.Background(ctx), query, params)
	if err != nil {
		return false, e.s.wrap(err)
	}
	if found = r.Next(); found {
		err = scan(r)
	}
	return found, e.s.wrap(errors.Join(err, r.Close(), r.Err()))
}

// Load implements [stores.Enlisted].
func (e *enlisted) Load(ctx context.Context, id string) (r *stores.Record, err error) {
	if err := e.s.check(id); err != nil {
		return nil, err
	}
	found, err := e.one(ctx, e.s.text.load, []any{id}, func(row rows) error {
		r, err = scan(row)
		return err
	})
	if err == nil && !found {
		err = stores.ErrNotFound
	}
	return r, err
}

// Swap implements [stores.Enlisted].
func (e *enlisted) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := e.s.check(r.ID, r.Function, r.Run, r.Owner, r.Step, r.Layout); err != nil {
		return false, err
	}
	query, params, err := e.s.text.swapOf(r)
	if err != nil {
		return false, err
	}
	written, err := e.one(ctx, query, params, func(row rows) error { return row.Scan(&mail) })
	switch {
	case err != nil:
		return false, err
	case !written:
		return false, stores.ErrConflict
	}
	r.Version++
	return mail, nil
}

// Send implements [stores.Enlisted].
func (e *enlisted) Send(ctx context.Context, id string, m stores.Message) error {
	if err := e.s.check(id, m.Name, m.Key); err != nil {
		return err
	}
	var answer sendAnswer
	params := []any{id, m.Name, m.Key, m.Payload, nanos.Nullable(m.Sent)}
	_, err := e.one(ctx, e.s.text.send, params, func(row rows) error { return row.Scan(&answer.status, &answer.known) })
	if err != nil {
		return err
	}
	return answer.failure()
}
