package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// # Transactions
//
// A step that writes to the database in which the store keeps its checkpoints can have its
// statements committed together with its result. The result of a step is in the next
// checkpoint. So the transaction stays open when the step has returned, and that checkpoint is
// swapped in within it:
//
//	1. swaps in the checkpoint before the step, as always
//	2. the step begins a transaction and makes its statements
//	3. runs the function to its next point
//	4. in the transaction: reads the inbox, swaps in the next checkpoint; commits
//
// The version that 4 compares is the one that 1 has written, or a heartbeat since. So the
// statements are committed exactly if the instance moves on from the step, and that happens
// once. A worker that has lost the instance in between loses its statements with its swap.
// Whatever ends the run before 4 rolls back: a crash, an error or a panic of the step, a function
// that gets stuck behind it.

// ErrNoTx says that there is no transaction for a step: its engine's store has none, or it runs
// outside of an engine and of [WithTransactor].
var ErrNoTx = errors.New("durable: the store has no transactions for steps")

// Transactor is a [Store] in whose database steps can work. Its other methods must not need what a
// transaction holds: while steps have all transactions that there are, checkpoints are still
// written.
type Transactor interface {
	// Begin starts a transaction. It blocks until one is free, or fails with the cause of
	// ctx, which it does not keep. ErrNoTx: there are none.
	Begin(ctx context.Context) (Transaction, error)
}

// Transaction is begun by a step and ended by its engine. Its methods are called one at a time.
// One of Swap, Commit and Rollback ends it.
type Transaction interface {
	// Run calls f with the transaction in the database's own terms (pgstore: a pgx.Tx).
	// If f returns an error, or does not return, nothing of what it did is kept.
	Run(ctx context.Context, f func(tx any) error) error

	// Settle checks what the database would check at the commit, as far as it can. No Run
	// follows. The error is that of the step. One that says nothing of what the step has
	// written, as a broken connection, is for Swap to return: then the step is repeated.
	Settle(ctx context.Context) error

	// Inbox is that of the store.
	Inbox(ctx context.Context, id string, after int64) ([]Message, error)

	// Swap is that of the store, and commits. After an error nothing is written, unless
	// the answer was lost.
	Swap(ctx context.Context, r *Record) (mail bool, err error)

	// Commit commits without a record.
	Commit(ctx context.Context) error

	// Rollback gives up what is not committed. It may be called after the end.
	Rollback()
}

// Tx calls f with a transaction of the database in which the instance of the step is kept: what f
// writes is committed together with the result of the step, both or none. So its effect
// happens exactly once, where other effects of a step may happen twice. T is the type that
// the store has, which is pgx.Tx for package pgstore:
//
//	err := durable.Tx(ctx, func(tx pgx.Tx) error {
//		_, err := tx.Exec(ctx, "INSERT INTO payments VALUES ($1, $2)", card, price)
//		return err
//	})
//
// If f returns an error, nothing of that call is kept, and Tx returns the error. If the step
// fails, nothing of all its calls is kept. All calls of one step share one transaction, which
// stays open until the next checkpoint is written: what it has locked is locked until then. f may
// run again, with all of the step, as long as nothing is committed.
//
// The error is ErrNoTx if the store has no transactions, or none that are a T. Tx blocks until a
// transaction is free. It is safe for concurrent use; calls of f follow each other.
//
// In the plain form, and in tests of a step alone, the context is one of [WithTransactor], and
// each call is a transaction of its own.
func Tx[T any](ctx context.Context, f func(tx T) error) error {
	ctx = background(ctx)
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
	t, ok := ctx.Value(transactorKey{}).(Transactor)
	if !ok {
		return ErrNoTx
	}
	once := &stepTx{from: t}
	defer once.rollback()
	if err := once.run(ctx, own); err != nil {
		return err
	}
	return once.commit(ctx)
}

// transactorKey is the context key of the Transactor of WithTransactor.
type transactorKey struct{}

// WithTransactor returns a context under which [Tx] works outside of an engine: each call is a
// transaction, which is committed when f has returned.
func WithTransactor(ctx context.Context, t Transactor) context.Context {
	return context.WithValue(background(ctx), transactorKey{}, t)
}

// stepTx is the transaction of an attempt of a step, if it asks for one.
type stepTx struct {
	from Transactor // nil: the store has none

	mu    sync.Mutex
	tx    Transaction // nil: not begun
	kept  bool        // a Run has succeeded
	ended bool        // the step has returned
}

// run begins the transaction, unless it is begun, and calls f in it.
func (s *stepTx) run(ctx context.Context, f func(any) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return errStepOver
	case s.from == nil:
		return ErrNoTx
	case s.tx == nil:
		tx, err := s.from.Begin(ctx)
		if err != nil {
			return err
		}
		s.tx = tx
	}
	err := s.tx.Run(ctx, f)
	s.kept = s.kept || err == nil
	return err
}

// end ends the part of the step. It returns the transaction if the step has not failed and has
// written something, and else rolls back. The error is the step's.
func (s *stepTx) end(ctx context.Context, failure error) (Transaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.tx == nil {
		return nil, failure
	}
	if failure == nil && s.kept {
		if failure = s.tx.Settle(ctx); failure == nil {
			return s.tx, nil
		}
	}
	s.tx.Rollback()
	return nil, failure
}

// commit is for a transaction outside of an engine.
func (s *stepTx) commit(ctx context.Context) error {
	tx, err := s.end(ctx, nil)
	if err != nil || tx == nil {
		return err
	}
	return tx.Commit(ctx)
}

// rollback ends what commit has not.
func (s *stepTx) rollback() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tx != nil {
		s.tx.Rollback()
	}
}

// rollback gives up the transaction of a step whose result is not written.
func (r *run) rollback() {
	if r.tx != nil {
		r.tx.Rollback()
		r.tx = nil
	}
}

// swap writes the record, in the transaction of the step if it has one.
func (r *run) swap() (mail bool, err error) {
	if r.tx == nil {
		return r.e.store.Swap(r.e.ctx, r.record)
	}
	r.e.place.Turn(r.e.ctx)
	mail, err = r.tx.Swap(r.e.ctx, r.record)
	r.rollback()
	return mail, err
}

// messages reads the inbox, in the transaction of the step if it has one: a run that holds one
// waits for no other connection.
func (r *run) messages() ([]Message, error) {
	if r.noMail {
		return nil, nil
	}
	if r.tx == nil {
		return r.e.store.Inbox(r.e.ctx, r.record.ID, r.record.Floor)
	}
	return r.tx.Inbox(r.e.ctx, r.record.ID, r.record.Floor)
}
