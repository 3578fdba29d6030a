package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// bad is a store as seen by a worker with a wrong clock or a slow disk.
type bad struct {
	stores.Store
	ahead time.Duration // how far the worker's clock is ahead of the others; negative: behind
	slow  time.Duration // the longest delay of a call
}

// Notify implements [stores.Notifier].
func (b bad) Notify(f func()) (stop func()) {
	if n, ok := b.Store.(stores.Notifier); ok {
		return n.Notify(f)
	}
	return func() {}
}

// wait delays a call.
func (b bad) wait(ctx context.Context) {
	if b.slow > 0 {
		select {
		case <-time.After(rand.N(b.slow)):
		case <-ctx.Done():
		}
	}
}

// A worker whose clock is an hour ahead writes times that are an hour later. Times that others
// write are an hour earlier for it.

// told is what the store is told for a time of the worker, and read the opposite.
func (b bad) told(t time.Time) time.Time { return moved(t, b.ahead) }
func (b bad) read(t time.Time) time.Time { return moved(t, -b.ahead) }

func moved(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// Load implements [stores.Store].
func (b bad) Load(ctx context.Context, id string) (*stores.Record, error) {
	b.wait(ctx)
	r, err := b.Store.Load(ctx, id)
	if err == nil {
		b.skew(r)
	}
	return r, err
}

// skew turns the times of a record that has been read into those of this worker.
func (b bad) skew(r *stores.Record) {
	r.Created, r.Updated, r.Due = b.read(r.Created), b.read(r.Updated), b.read(r.Due)
}

// Swap implements [stores.Store].
func (b bad) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	b.wait(ctx)
	kept := *r
	kept.Created, kept.Updated, kept.Due = b.told(r.Created), b.told(r.Updated), b.told(r.Due)
	mail, err = b.Store.Swap(ctx, &kept)
	r.Version = kept.Version
	return mail, err
}

// Take implements [stores.Store].
func (b bad) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	b.wait(ctx)
	t.Now = b.told(t.Now)
	due, next, err = b.Store.Take(ctx, t)
	for _, d := range due {
		b.skew(d.Record)
	}
	return due, b.read(next), err
}

// Lease implements [stores.Store].
func (b bad) Lease(ctx context.Context, worker string, until time.Time) error {
	b.wait(ctx)
	return b.Store.Lease(ctx, worker, b.told(until))
}

// Leased implements [stores.Store].
func (b bad) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	b.wait(ctx)
	until, err = b.Store.Leased(ctx, worker)
	return b.read(until), err
}
