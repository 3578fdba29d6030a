package durable

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/movenext/movenext/durable/internal/nilctx"
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

// Transactor is a [Store] whose database steps can write to. Its other methods must not need a
// resource that a transaction holds: checkpoints must still be written while steps use all
// available transactions.
type Transactor interface {
	// Begin starts a transaction. It blocks until one is free, or fails with the cause of ctx.
	// The transaction does not retain ctx. ErrNoTx: there are none.
	Begin(ctx context.Context) (Transaction, error)
}

// Transaction is begun by a step and ended by its engine. Its methods are called one at a time.
// One of Swap, Commit and Rollback ends it.
type Transaction interface {
	// Run calls f with the transaction in the database's own type (pgstore: a pgx.Tx). If f
	// returns an error, or does not return, nothing that it did is kept.
	Run(ctx context.Context, f func(tx any) error) error

	// Settle checks, as far as possible, what the database would check at the commit. No Run
	// follows. The error becomes the step's error. An error that is not about the step's
	// statements, such as a broken connection, must be left to Swap: then the step is repeated.
	Settle(ctx context.Context) error

	// Inbox is the store's method, in the transaction.
	Inbox(ctx context.Context, id string, after int64) ([]Message, error)

	// Swap is the store's method, in the transaction, and commits. After an error nothing is
	// written, unless the answer was lost.
	Swap(ctx context.Context, r *Record) (mail bool, err error)

	// Commit commits without writing a record.
	Commit(ctx context.Context) error

	// Rollback discards what is not committed. It may be called after the end.
	Rollback()
}

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
// [WithTransactor], and each call is a separate transaction.
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
	if turn, between := ctx.Value(turnKey{}).(*Turn); between {
		turn.misused.Store(true)
		return errMisplaced
	}
	t, ok := ctx.Value(transactorKey{}).(Transactor)
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

// transactorKey is the context key of the Transactor of WithTransactor.
type transactorKey struct{}

// WithTransactor returns a context under which [Tx] works outside an engine: each call is a
// transaction, which is committed when f has returned.
func WithTransactor(ctx context.Context, t Transactor) context.Context {
	return context.WithValue(nilctx.Background(ctx), transactorKey{}, t)
}

// stepTx is the transaction of an attempt of a step, begun when the step first needs it.
type stepTx struct {
	transactor Transactor // nil: the store has none

	mu    sync.Mutex
	tx    Transaction // nil: not begun
	wrote bool        // a Run has succeeded
	ended bool        // the step has returned
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
func (s *stepTx) end(ctx context.Context, failure error) (Transaction, error) {
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
func (r *run) messages(after int64) ([]Message, error) {
	if r.inboxEmpty {
		return nil, nil
	}
	if r.tx == nil {
		return r.e.store.Inbox(r.e.ctx, r.record.ID, after)
	}
	return r.tx.Inbox(r.e.ctx, r.record.ID, after)
}
