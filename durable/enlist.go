package durable

import (
	"context"
	"errors"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # The program's own transaction
//
// A program that writes an order and starts its instance needs both or none. If its tables are in
// the database of the store, the write that creates the instance can be part of the program's own
// transaction. So nothing has to be repaired after a crash, and no table of things to be started
// is needed.
//
// The store cannot know when that transaction is committed. So no engine is notified: each finds
// the instance when it polls.

// enlist returns the store's calls in a transaction of the program.
func (e *Engine) enlist(tx any) (stores.Enlisted, error) {
	if e.enlister == nil {
		return nil, ErrNoTx
	}
	enlisted, err := e.enlister.Enlist(tx)
	if err == nil && e.codec != nil {
		enlisted = codedEnlisted{enlisted, codedStore{codec: e.codec}}
	}
	return enlisted, err
}

// StartTx is like Start, but starts the instance in a transaction that the program has begun in
// the database of the store: the instance exists exactly if that is committed. It is a pgx.Tx or a
// *sql.Tx for package pgstore, and a *sql.Tx or a *sql.Conn with a transaction for package
// sqlitestore; also the transaction of a step: see [Tx]. An engine runs the instance when it polls
// after the commit. With [WithSignal], the same holds for the signal.
//
// The transaction keeps its locks until it ends, so end it soon: a second start with the same id,
// and all writes of an instance that gets a signal, wait for it; in SQLite all writes of the store
// do. After ErrOther and ErrEnded the transaction can go on; after another error of the store it
// must be rolled back. The error is [ErrNoTx] if the store has no transactions, or none of the
// type of tx.
func (s *Served[Req, Res]) StartTx(ctx context.Context, tx any, id string, request Req, opts ...StartOption) (Handle[Res], error) {
	ctx = nilctx.Background(ctx)
	h, doc, err := s.begin(id, request)
	if err != nil {
		return h, err
	}
	enlisted, err := s.e.enlist(tx)
	if err != nil {
		return h, err
	}
	how := newStarting(opts)
	_, err = s.e.create(ctx, enlisted, s.e.now(), id, s.name, doc, how)
	for _, m := range how.signals {
		if err == nil {
			err = enlisted.Send(ctx, id, m)
		}
	}
	return h, err
}

// SignalTx is like Signal, but sends the signal in a transaction that the program has begun in the
// database of the store: it arrives exactly if that is committed. See [Served.StartTx] for the
// types of transactions, and for what waits until the transaction ends.
func (e *Engine) SignalTx(ctx context.Context, tx any, id, name string, value any, opts ...SignalOption) error {
	m, err := newSignal(name, value, opts)
	if err != nil {
		return err
	}
	m.Sent = e.now()
	if err := errors.Join(checkSignal(m), checkID(id)); err != nil {
		return err
	}
	enlisted, err := e.enlist(tx)
	if err != nil {
		return err
	}
	return enlisted.Send(nilctx.Background(ctx), id, m)
}

// codedEnlisted is an Enlisted whose data passes through a codec.
type codedEnlisted struct {
	stores.Enlisted
	store codedStore
}

func (t codedEnlisted) Load(ctx context.Context, id string) (*stores.Record, error) {
	r, err := t.Enlisted.Load(ctx, id)
	if err == nil {
		t.store.read(r)
	}
	return r, err
}

func (t codedEnlisted) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	return t.store.swap(r, func(stored *stores.Record) (bool, error) { return t.Enlisted.Swap(ctx, stored) })
}

func (t codedEnlisted) Send(ctx context.Context, id string, m stores.Message) (err error) {
	if m.Payload, err = t.store.encode(id, m.Payload); err != nil {
		return err
	}
	return t.Enlisted.Send(ctx, id, m)
}
