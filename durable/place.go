package durable

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// Place is the environment of an engine: it supplies concurrency, waiting and time. The default
// is a process, with goroutines and the system clock. Package durabletest has one that is a
// simulation. All methods are safe for concurrent use.
type Place interface {
	// Now returns the time.
	Now() time.Time

	// Go runs f concurrently with its caller, even if ctx has ended. f gets a context with the
	// values of ctx. The name is for human readers.
	Go(ctx context.Context, name string, f func(ctx context.Context))

	// Wait blocks until wake is closed or has a value, which it receives; until ctx has ended; or
	// for d, unless that is Forever. It may also return early.
	Wait(ctx context.Context, wake <-chan struct{}, d time.Duration)

	// WithTimeout returns a context that ends after d with context.DeadlineExceeded.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)

	// Turn is called before each call of the store, so that other work can go first.
	Turn(ctx context.Context)
}

// On sets the [Place] in which an engine runs.
func On(p Place) Option {
	return func(s *settings) { s.place, s.now = p, p.Now }
}

// process is the default Place.
type process struct{}

func (process) Now() time.Time { return time.Now() }

func (process) Go(ctx context.Context, _ string, f func(ctx context.Context)) { go f(ctx) }

func (process) Wait(ctx context.Context, wake <-chan struct{}, d time.Duration) {
	var late <-chan time.Time // never
	if d != Forever {
		t := time.NewTimer(d)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-wake:
	case <-ctx.Done():
	case <-late:
	}
}

func (process) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (process) Turn(context.Context) {}

// notify puts a value into a channel with room for one, unless it has one.
func notify(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// isClosed reports whether a channel without values is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// orderedStore is a store whose calls happen in an order that a Place chooses.
type orderedStore struct {
	stores.Store
	place Place
}

func (s orderedStore) Load(ctx context.Context, id string) (*stores.Record, error) {
	s.place.Turn(ctx)
	return s.Store.Load(ctx, id)
}

func (s orderedStore) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	s.place.Turn(ctx)
	return s.Store.Swap(ctx, r)
}

func (s orderedStore) Send(ctx context.Context, id string, m stores.Message) error {
	s.place.Turn(ctx)
	return s.Store.Send(ctx, id, m)
}

func (s orderedStore) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	s.place.Turn(ctx)
	return s.Store.Inbox(ctx, id, after)
}

func (s orderedStore) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	s.place.Turn(ctx)
	return s.Store.Take(ctx, t)
}

func (s orderedStore) Foreign(ctx context.Context, t stores.Taking) (int, error) {
	s.place.Turn(ctx)
	return s.Store.Foreign(ctx, t)
}

func (s orderedStore) Lease(ctx context.Context, worker string, until time.Time) error {
	s.place.Turn(ctx)
	return s.Store.Lease(ctx, worker, until)
}

func (s orderedStore) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	s.place.Turn(ctx)
	return s.Store.Leased(ctx, worker)
}

func (s orderedStore) List(ctx context.Context, f Filter) ([]*stores.Record, error) {
	s.place.Turn(ctx)
	return s.Store.List(ctx, f)
}

func (s orderedStore) Delete(ctx context.Context, id string, version int64) error {
	s.place.Turn(ctx)
	return s.Store.Delete(ctx, id, version)
}

func (s orderedStore) Purge(ctx context.Context, before time.Time, limit int) (int, error) {
	s.place.Turn(ctx)
	return s.Store.Purge(ctx, before, limit)
}
