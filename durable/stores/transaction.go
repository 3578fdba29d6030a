package stores

import (
	"context"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

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

// transactorKey is the context key of the Transactor of WithTransactor.
type transactorKey struct{}

// WithTransactor returns a context under which durable.Tx works outside an engine: each call is a
// transaction, which is committed when f has returned.
func WithTransactor(ctx context.Context, t Transactor) context.Context {
	return context.WithValue(nilctx.Background(ctx), transactorKey{}, t)
}

// TransactorOf returns the Transactor of a context, and whether it has one.
func TransactorOf(ctx context.Context) (Transactor, bool) {
	t, ok := nilctx.Background(ctx).Value(transactorKey{}).(Transactor)
	return t, ok
}

// Enlister is a [Store] whose instances can be started and signaled in a transaction that the
// program has begun.
type Enlister interface {
	// Enlist returns the calls of the store that are made in a transaction. ErrNoTx: tx is not one
	// of the types that the store can use. It does not block.
	Enlist(tx any) (Enlisted, error)
}

// Enlisted are methods of a [Store] in a transaction of the program. They do not end it. After
// ErrConflict, ErrNotFound and ErrEnded it can go on.
type Enlisted interface {
	Load(ctx context.Context, id string) (*Record, error)
	Swap(ctx context.Context, r *Record) (mail bool, err error)
	Send(ctx context.Context, id string, m Message) error
}
