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

// Options is several options in one, in their order.
func Options(opts ...Option) Option {
	return func(s *settings) {
		for _, o := range opts {
			o(s)
		}
	}
}

type settings struct {
	workers   int
	client    bool
	lease     time.Duration
	poll      time.Duration
	retention time.Duration
	trail     int
	retries   map[string]Retry
	steps     []string // nil: all
	codec     Codec
	place     Place
	now       func() time.Time // tests have clocks that jump
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

// Steps makes an engine call only the steps of these names (package.Function, as [Point] has
// them), for workers that have what these need: a device, a licence, memory. It leaves
// instances that are at other steps to other engines, and runs the code between all points.
func Steps(names ...string) Option {
	return func(s *settings) { s.steps = append(make([]string, 0, len(names)), names...) }
}

// Log sets where an engine reports what operators need to know: instances that are stuck, stores
// that fail. The default is slog.Default.
func Log(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

// Engine runs durable functions whose instances are in a store. Any number of engines, in any
// number of processes, may share one store. All methods are safe for concurrent use.
type Engine struct {
	settings
	store      Store
	transactor Transactor      // the store, if it is one; nil: it is not
	worker     string          // the owner's name in records
	ctx        context.Context // of steps; ends when they have to stop
	stop       context.CancelCauseFunc
	wake       chan struct{} // something may be due: one pending is enough
	permits    chan struct{} // one for each instance that runs
	asking     asking        // of the dispatcher
	quiet      chan struct{} // closed: the dispatcher and all runs have ended
	leased     chan struct{} // nothing renews the lease any more
	unhook     func()
	counts     counters

	mu        sync.Mutex
	functions map[string]*described
	running   map[string]*attended       // the instances that run here
	waiters   map[string][]chan struct{} // of handles, by id
	draining  chan struct{}              // closed: start no more steps
	hooks     []*func(Event)
	closed    bool
	active    int // the dispatcher, and the runs that it has started
}

// Open starts an engine on a store. Steps see the values of ctx; its end does not stop the
// engine. Open fails if the store cannot be written to. [Engine.Shutdown] stops the engine,
// whose goroutines live until then.
func Open(ctx context.Context, store Store, opts ...Option) (*Engine, error) {
	if store == nil {
		return nil, errors.New("durable: Open needs a store")
	}
	e := &Engine{
		settings: settings{
			workers: 128, lease: 10 * time.Second, poll: time.Second,
			retention: 7 * 24 * time.Hour, retries: map[string]Retry{}, log: slog.Default(), place: process{}, now: time.Now,
		},
		store: store, worker: "worker-" + rand.Text(),
		wake: make(chan struct{}, 1), quiet: make(chan struct{}), leased: make(chan struct{}), draining: make(chan struct{}),
		functions: map[string]*described{}, running: map[string]*attended{},
		waiters: map[string][]chan struct{}{}, unhook: func() {}, active: 1,
	}
	for _, opt := range opts {
		opt(&e.settings)
	}
	ctx = background(ctx)
	if err := store.Lease(ctx, e.worker, e.now().Add(e.lease)); err != nil {
		return nil, fmt.Errorf("durable: the store cannot be used: %w", err)
	}
	e.permits = make(chan struct{}, e.workers)
	e.ctx, e.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if n, ok := store.(Notifier); ok {
		e.unhook = n.Notify(e.changed)
	}
	if e.codec != nil {
		e.store = coded{store, e.codec}
	}
	if t, ok := store.(Transactor); ok {
		e.transactor = t
		if e.codec != nil {
			e.transactor = codedTransactor{t, e.codec}
		}
	}
	if e.place != Place(process{}) {
		e.store = inTurn{e.store, e.place}
	}
	e.place.Go(e.ctx, "durable: dispatcher", func(context.Context) { e.serve() })
	e.place.Go(e.ctx, "durable: lease", func(context.Context) { e.keepLease() })
	return e, nil
}

// changed says that something may be due or may have ended.
func (e *Engine) changed() { ring(e.wake) }

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
	e.changed() // the dispatcher looks whether it is to end
	for _, over := range []chan struct{}{e.quiet, e.leased} {
		for !isClosed(over) && ctx.Err() == nil {
			e.place.Wait(ctx, over, Forever)
		}
		e.end()
	}
	if !isClosed(e.quiet) || !isClosed(e.leased) {
		return context.Cause(ctx)
	}
	if err := e.store.Lease(ctx, e.worker, time.Unix(1, 0)); err != nil {
		return fmt.Errorf("durable: giving up the lease: %w", err)
	}
	return nil
}

// end ends steps, and the waits for outcomes.
func (e *Engine) end() {
	e.stop(ErrShutdown)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, list := range e.waiters {
		for _, bell := range list {
			ring(bell)
		}
	}
}

// began counts a run; over ends it: the last one ends the engine's work.
func (e *Engine) began() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active++
}

func (e *Engine) over() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active--; e.active == 0 {
		close(e.quiet)
	}
}

// isDraining reports whether Shutdown has been called.
func (e *Engine) isDraining() bool { return isClosed(e.draining) }

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

// runs reports whether the engine calls a step; an empty name is no step.
func (e *Engine) runs(step string) bool {
	return step == "" || e.steps == nil || slices.Contains(e.steps, step)
}
