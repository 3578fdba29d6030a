package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

var _ stores.Enlister = (*Store)(nil)

// Enlist implements [stores.Enlister], for a *sql.Tx or a *sql.Conn of the program on the same
// file, with any driver. The transaction has to be one that writes from its beginning (BEGIN
// IMMEDIATE): SQLite refuses to make one that has only read into one that writes, if others have
// written in between. Its connection needs a busy_timeout. All writes of the store wait until it
// ends, so it must not call methods of the engine that write, but those with a Tx at the end.
func (s *Store) Enlist(tx any) (stores.Enlisted, error) {
	if err := s.w.checkOpen(); err != nil {
		return nil, err
	}
	switch tx := tx.(type) {
	case *sql.Tx:
		return enlisted{tx}, nil
	case *sql.Conn:
		return enlisted{tx}, nil
	}
	return nil, fmt.Errorf("%w of type %T: sqlitestore needs a *sql.Tx or a *sql.Conn", stores.ErrNoTx, tx)
}

// enlisted makes calls in a transaction of the program.
type enlisted struct{ tx preparer }

// do makes a call with prepared statements.
func (e enlisted) do(ctx context.Context, call func(context.Context, *statements) error) error {
	ctx = nilctx.Background(ctx)
	t := &statements{}
	if err := t.prepare(ctx, e.tx, t.ofInstance()); err != nil {
		return wrap(err)
	}
	err := call(ctx, t)
	if closed := t.close(); err == nil {
		err = closed
	}
	if isAnswer(err) {
		return err
	}
	return wrap(err)
}

// Load implements [stores.Enlisted].
func (e enlisted) Load(ctx context.Context, id string) (r *stores.Record, err error) {
	err = e.do(ctx, func(ctx context.Context, t *statements) error {
		r, err = scan(t.load.QueryRowContext(ctx, id))
		if errors.Is(err, sql.ErrNoRows) {
			err = stores.ErrNotFound
		}
		return err
	})
	return r, err
}

// Swap implements [stores.Enlisted].
func (e enlisted) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	labels, err := json.Marshal(r.Labels)
	if err != nil {
		return false, wrap(err)
	}
	err = e.do(ctx, func(ctx context.Context, t *statements) error {
		mail, err = t.swap(ctx, r, string(labels))
		return err
	})
	if err == nil {
		r.Version++
	}
	return mail, err
}

// Send implements [stores.Enlisted].
func (e enlisted) Send(ctx context.Context, id string, m stores.Message) error {
	return e.do(ctx, func(ctx context.Context, t *statements) error { return t.send(ctx, id, m) })
}
