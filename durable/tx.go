package durable

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Transactions
//
// A step that writes to the database in which the store keeps its checkpoints can have its
// statements committed together with its result. The result of a step is part of the next
// checkpoint. So the transaction stays open after the step has returned, and writes that
// checkpoint too. A run:
//
//	1. swaps in the checkpoint before the step, as always
//	2. the step begins a transaction and makes its statements
//	3. runs the function to its next point
//	4. in the transaction: reads the inbox, swaps in the next checkpoint; commits
//
// Step 4 compares the version that step 1, or a later heartbeat, has written. So the statements
// are committed exactly if the instance moves on from the step, and that happens once. A worker
// that has lost the instance in the meantime loses its statements together with its swap.
// Anything that ends the run before step 4 rolls back: a crash, an error or a panic of the step,
// a function that gets stuck after it.

// Tx calls f with a transaction of the database that holds the step's instance. The statements of
// f are committed together with the result of the step, both or none. So their effect happens
// exactly once, where other effects of a step may happen twice. T is the store's type of
// transactions, which is pgx.Tx for package pgstore:
//
//	err := durable.Tx(ctx, func(tx pgx.Tx) error {
//		_, err := tx.Exec(ctx, "INSERT INTO payments VALUES ($1, $2)", card, price)
//		return err
//	})
//
// If f returns an error, nothing of that call is kept, and Tx returns the error. If the step
// fails, nothing of all its calls is kept. All calls of one step share one transaction, which
// stays open until the next checkpoint is written and keeps its locks until then. As long as
// nothing is committed, f may run again, with the whole step.
//
// The error is ErrNoTx if the store has no transactions, or none of type T. Tx blocks until a
// transaction is free. It is safe for concurrent use; calls of f do not overlap.
//
// In the plain form, and in tests that call a step directly, the context comes from
// [stores.WithTransactor], and each call is a separate transaction.
func Tx[T any](ctx context.Context, f func(tx T) error) error {
	ctx = nilctx.Background(ctx)
	own := func(tx any) error {
		mine, ok := tx.(T)
		if !ok {
			return fmt.Errorf("%w that are a %v: they are a %T", ErrNoTx, reflect.TypeFor[T](), tx)
		}
		return f(mine)
	}
	if info, ok := ctx.Value(stepKey{}).(stepInfo); ok {
		return info.live.tx.run(ctx, own)
	}
	if turn, between := ctx.Value(turnKey{}).(*turn); between {
		turn.misused.Store(true)
		return errMisplaced
	}
	t, ok := stores.TransactorOf(ctx)
	if !ok {
		return ErrNoTx
	}
	once := &stepTx{transactor: t}
	defer once.rollback()
	if err := once.run(ctx, own); err != nil {
		return err
	}
	return once.commit(ctx)
}

// stepTx is the transaction of an attempt of a step, begun when the step first needs it.
type stepTx struct {
	transactor stores.Transactor // nil: the store has none

	mu    sync.Mutex
	tx    stores.Transaction // nil: not begun
	wrote bool               // a Run has succeeded
	ended bool               // the step has returned
}

// run begins the transaction if necessary, and calls f in it.
func (s *stepTx) run(ctx context.Context, f func(any) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return errStepOver
	case s.transactor == nil:
		return ErrNoTx
	case s.tx == nil:
		tx, err := s.transactor.Begin(ctx)
		if err != nil {
			return err
		}
		s.tx = tx
	}
	err := s.tx.Run(ctx, f)
	s.wrote = s.wrote || err == nil
	return err
}

// end ends the step's use of the transaction. It returns the transaction if the step has
// succeeded and has written something; otherwise it rolls back. The error is the step's.
func (s *stepTx) end(ctx context.Context, failure error) (stores.Transaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.tx == nil {
		return nil, failure
	}
	if failure == nil && s.wrote {
		if failure = s.tx.Settle(ctx); failure == nil {
			return s.tx, nil
		}
	}
	s.tx.Rollback()
	return nil, failure
}

// commit commits a transaction outside an engine.
func (s *stepTx) commit(ctx context.Context) error {
	tx, err := s.end(ctx, nil)
	if err != nil || tx == nil {
		return err
	}
	return tx.Commit(ctx)
}

// rollback rolls back unless commit has succeeded.
func (s *stepTx) rollback() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tx != nil {
		s.tx.Rollback()
	}
}

// rollback discards the transaction of a step whose result was not written.
func (r *run) rollback() {
	if r.tx != nil {
		r.tx.Rollback()
		r.tx = nil
	}
}

// swap writes the record, in the step's transaction if it has one.
func (r *run) swap() (mail bool, err error) {
	if r.tx == nil {
		return r.e.store.Swap(r.e.ctx, r.record)
	}
	r.e.place.Turn(r.e.ctx)
	mail, err = r.tx.Swap(r.e.ctx, r.record)
	r.rollback()
	return mail, err
}

// messages reads the inbox after a message, in the step's transaction if it has one: a run that
// holds a transaction waits for no other connection.
func (r *run) messages(after int64) ([]stores.Message, error) {
	if r.inboxEmpty {
		return nil, nil
	}
	if r.tx == nil {
		return r.e.store.Inbox(r.e.ctx, r.record.ID, after)
	}
	return r.tx.Inbox(r.e.ctx, r.record.ID, after)
}
