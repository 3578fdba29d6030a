package durable

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrShutdown says that the engine has been shut down.
var ErrShutdown = errors.New("durable: the engine has been shut down")

// Option changes an engine.
type Option func(*settings)

type settings struct {
	workers   int
	client    bool
	lease     time.Duration
	poll      time.Duration
	retention time.Duration
	retries   map[string]Retry
	log       *slog.Logger
}

// Workers is how many instances an engine runs at a time, 128 by default. A waiting instance
// does not count.
func Workers(n int) Option { return func(s *settings) { s.workers = max(n, 1) } }

// Client makes an engine that runs nothing: for processes that start instances, signal them, wait
// for them and look at them, while others do the work.
func Client() Option { return func(s *settings) { s.client = true } }

// Lease is how long the instances that an engine runs stay its own if the process dies, 10
// seconds by default. A running engine renews it at each third.
func Lease(d time.Duration) Option { return func(s *settings) { s.lease = max(d, time.Millisecond) } }

// Poll is the interval at which an engine asks its store for instances that are due, and for
// the outcomes that handles wait for, one second by default. A store that is a [Notifier] says
// itself when to ask.
func Poll(d time.Duration) Option { return func(s *settings) { s.poll = max(d, time.Millisecond) } }

// Retention is how long an ended instance is kept, a week by default. Then its id is free.
// Zero or less keeps it forever.
func Retention(d time.Duration) Option { return func(s *settings) { s.retention = d } }

// RetryStep sets when a step is tried again, by the step's name; the empty name is for all
// steps without a Retry of their own.
func RetryStep(step string, r Retry) Option { return func(s *settings) { s.retries[step] = r } }

// Log sets where an engine reports what operators need to know: instances that are stuck, stores
// that fail. The default is slog.Default.
func Log(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

// Engine runs durable functions whose instances are in a store. Any number of engines, in any
// number of processes, may share one store. All methods are safe for concurrent use.
type Engine struct {
	settings
	store  Store
	worker string          // the owner's name in records
	ctx    context.Context // of steps; ends when they have to stop
	stop   context.CancelCauseFunc
	wake   chan struct{} // something may be due: one pending is enough
	slots  chan struct{} // one for each instance that runs
	ended  chan struct{} // the dispatcher has ended
	leased chan struct{} // nothing renews the lease any more
	unhook func()

	mu        sync.Mutex
	functions map[string]*described
	running   map[string]*attended              // the instances that run here
	waiters   map[string]map[chan struct{}]bool // of handles, by id
	draining  chan struct{}                     // closed: start no more steps
	closed    bool
	active    sync.WaitGroup
}

// Open starts an engine on a store. Values of ctx are seen by steps; its end does not stop the
// engine. Open fails if the store cannot be written to. [Engine.Shutdown] stops the engine,
// whose goroutines live until then.
func Open(ctx context.Context, store Store, opts ...Option) (*Engine, error) {
	if store == nil {
		return nil, errors.New("durable: Open needs a store")
	}
	e := &Engine{
		settings: settings{
			workers: 128, lease: 10 * time.Second, poll: time.Second,
			retention: 7 * 24 * time.Hour, retries: map[string]Retry{}, log: slog.Default(),
		},
		store: store, worker: "worker-" + rand.Text(),
		wake: make(chan struct{}, 1), ended: make(chan struct{}), leased: make(chan struct{}), draining: make(chan struct{}),
		functions: map[string]*described{}, running: map[string]*attended{},
		waiters: map[string]map[chan struct{}]bool{}, unhook: func() {},
	}
	for _, opt := range opts {
		opt(&e.settings)
	}
	ctx = background(ctx)
	if err := store.Lease(ctx, e.worker, time.Now().Add(e.lease)); err != nil {
		return nil, fmt.Errorf("durable: the store cannot be used: %w", err)
	}
	e.slots = make(chan struct{}, e.workers)
	e.ctx, e.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if n, ok := store.(Notifier); ok {
		e.unhook = n.Notify(e.changed)
	}
	go e.serve()
	go e.keepLease()
	return e, nil
}

// changed says that something may be due or may have ended.
func (e *Engine) changed() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Shutdown stops the engine: it takes no more instances, and those that run stop at their next
// point, for another engine to continue. It blocks until then. If ctx ends first, the contexts
// of running steps end too, and Shutdown returns its error without waiting for them: their
// instances are continued elsewhere when the lease has expired. A second call does the same.
func (e *Engine) Shutdown(ctx context.Context) error {
	ctx = background(ctx)
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.draining)
	}
	e.mu.Unlock()
	e.unhook()
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-e.ended
		e.active.Wait()
		e.stop(ErrShutdown)
		<-e.leased
	}()
	select {
	case <-done:
	case <-ctx.Done():
		e.stop(ErrShutdown)
		return context.Cause(ctx)
	}
	if err := e.store.Lease(ctx, e.worker, time.Unix(1, 0)); err != nil {
		return fmt.Errorf("durable: giving up the lease: %w", err)
	}
	return nil
}

// isDraining reports whether Shutdown has been called.
func (e *Engine) isDraining() bool {
	select {
	case <-e.draining:
		return true
	default:
		return false
	}
}

// served are the names of the functions that the engine serves.
func (e *Engine) served() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.functions))
}

// function is a served function; nil: it is not served.
func (e *Engine) function(name string) *described {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.functions[name]
}

// retry is the policy of a step.
func (e *Engine) retry(step string) Retry {
	if r, ok := e.retries[step]; ok {
		return r
	}
	return e.retries[""]
}
