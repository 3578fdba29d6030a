package pgstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Transactions of steps
//
// These transactions have connections of their own. A step that holds one may wait for a long
// time, or call durable.Heartbeat, which writes. If both came from one pool, steps that hold all
// of its connections would wait for a heartbeat's connection forever, and no lease would be
// renewed.
//
// These connections find the tables of the program as its address or its role specifies: the
// store's own statements name their schema.

// Transactions sets how many steps can have a transaction at a time, [Connections] by default;
// more steps wait. Connections are made when they are needed.
func Transactions(n int) Option {
	return func(s *Store) { s.maxTransactions = int32(max(1, min(n, 1<<15))) }
}

// rollbackTime limits a rollback; after that its connection is closed.
const rollbackTime = 5 * time.Second

// transaction is a transaction of a step.
type transaction struct {
	s     *Store
	tx    pgx.Tx
	wrote bool // a Run has succeeded
}

var _ stores.Transactor = (*Store)(nil)

// Begin implements [stores.Transactor]: steps call [durable.Tx] with a func(pgx.Tx) error. Each
// call is a savepoint, so that a Commit or Rollback in it ends only the savepoint.
func (s *Store) Begin(ctx context.Context) (stores.Transaction, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	tx, err := s.steps.Begin(nilctx.Background(ctx))
	if err != nil {
		return nil, s.wrap(err)
	}
	return &transaction{s: s, tx: tx}, nil
}

// openSteps makes the pool of steps' transactions from the settings of the program.
func (s *Store) openSteps(ctx context.Context, config *pgxpool.Config) (err error) {
	config.MaxConns, config.MinConns, config.MinIdleConns = s.maxTransactions, 0, 0
	s.steps, err = pgxpool.NewWithConfig(ctx, config)
	return err
}

// Run implements [stores.Transaction]. If the server gives up the transaction in favour of
// another one before a Run has succeeded, Run begins a new one and calls f again.
func (t *transaction) Run(ctx context.Context, f func(tx any) error) error {
	run := func() error { return pgx.BeginFunc(ctx, t.tx, func(tx pgx.Tx) error { return f(tx) }) }
	err := run()
	for try := 1; gaveWay(err) && !t.wrote && try < maxTries; try++ {
		t.Rollback()
		pauseBefore(ctx, try)
		fresh, failure := t.s.steps.Begin(ctx)
		if failure != nil {
			return t.s.wrap(errors.Join(failure, err))
		}
		t.tx = fresh
		err = run()
	}
	t.wrote = t.wrote || err == nil
	t.s.notice(err)
	return err
}

// ask is the asker of the transaction.
func (t *transaction) ask(ctx context.Context, queue func(*pgx.Batch)) error {
	b := &pgx.Batch{}
	queue(b)
	return t.tx.SendBatch(ctx, b).Close()
}

// Settle implements [stores.Transaction]: it checks deferred constraints.
func (t *transaction) Settle(ctx context.Context) error {
	_, err := t.tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	if !concernsStep(err) {
		return nil // Swap fails too
	}
	return t.s.wrap(err)
}

// concernsStep reports whether an error is about the step's statements, and not about the
// connection, the order of transactions, or the state of the server.
func concernsStep(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || len(refused.Code) < 2 {
		return false
	}
	return refused.Code != readOnly && !slices.Contains([]string{"08", "40", "53", "57", "58", "XX"}, refused.Code[:2])
}

// Inbox implements [stores.Transaction].
func (t *transaction) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	list, err := t.s.text.readInbox(ctx, t.ask, id, after)
	return list, t.s.wrap(err)
}

// Swap implements [stores.Transaction].
func (t *transaction) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := t.s.check(r.ID, r.Function, r.Run, r.Owner, r.Step, r.Layout); err != nil {
		return false, err
	}
	mail, err = t.s.text.swap(ctx, t.ask, r)
	if errors.Is(err, stores.ErrConflict) {
		return false, err
	}
	if err == nil {
		err = t.tx.Commit(ctx)
	}
	if err != nil {
		return false, t.s.wrap(err)
	}
	t.s.finishSwap(r)
	return mail, nil
}

// Commit implements [stores.Transaction].
func (t *transaction) Commit(ctx context.Context) error { return t.s.wrap(t.tx.Commit(ctx)) }

// Rollback implements [stores.Transaction].
func (t *transaction) Rollback() {
	ctx, cancel := context.WithTimeout(context.Background(), rollbackTime)
	defer cancel()
	_ = t.tx.Rollback(ctx) // already ended, or its connection is closed, which also rolls back
}
