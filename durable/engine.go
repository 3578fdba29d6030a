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

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// Option is an option of [Open].
type Option func(*settings)

// Options combines several options into one; they apply in their order.
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
	crashes   int
	retries   map[string]Retry
	steps     []string // nil: all
	codec     Codec
	place     Place
	now       func() time.Time // some tests use clocks that jump
	log       *slog.Logger
}

// Workers sets how many instances an engine runs at a time, 128 by default. A waiting instance
// does not count.
func Workers(n int) Option { return func(s *settings) { s.workers = max(n, 1) } }

// Client makes an engine that runs no instances, for processes that only start, signal, await and
// inspect instances that other processes run.
func Client() Option { return func(s *settings) { s.client = true } }

// Lease sets how long the instances that an engine runs remain its own if the process dies, 10
// seconds by default. A running engine renews its lease three times in that period.
func Lease(d time.Duration) Option { return func(s *settings) { s.lease = max(d, time.Millisecond) } }

// Poll sets the interval at which an engine queries its store for instances that are due, and for
// the outcomes that handles wait for; the default is one second. A store that is a
// [stores.Notifier] also tells the engine when to query it.
func Poll(d time.Duration) Option { return func(s *settings) { s.poll = max(d, time.Millisecond) } }

// Retention sets how long an ended instance is kept, a week by default. Then its id is free. With
// zero or less, it is kept forever.
func Retention(d time.Duration) Option { return func(s *settings) { s.retention = d } }

// RetryStep sets the retry policy of a step, by the step's name. The empty name sets it for all
// steps without a policy of their own. Open refuses negative times and factors below one.
func RetryStep(step string, r Retry) Option { return func(s *settings) { s.retries[step] = r } }

// Steps makes an engine call only the steps with these names (package.Function, as in
// [gen.Point]). It is for steps that need something only certain workers have: a device, a
// licence, memory. The engine leaves instances that are at other steps to other engines, but runs
// the code between all points.
func Steps(names ...string) Option {
	return func(s *settings) { s.steps = append(make([]string, 0, len(names)), names...) }
}

// Log sets the logger on which an engine reports what operators need to know: stuck instances and
// failing stores. The default is slog.Default.
func Log(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

// Engine runs durable functions whose instances are in a store. Any number of engines, in any
// number of processes, may share one store. All methods are safe for concurrent use.
type Engine struct {
	settings
	store      stores.Store
	transactor stores.Transactor // the store, if it is one; otherwise nil
	enlister   stores.Enlister   // likewise
	worker     string            // the name under which it owns records
	ctx        context.Context   // of steps; canceled when they have to stop
	stop       context.CancelCauseFunc
	wake       chan struct{} // something may be due: one pending is enough
	permits    chan struct{} // one for each instance that runs
	lastTake   lastTake      // state of the dispatcher
	runsEnded  chan struct{} // closed: the dispatcher and all runs have ended
	leaseEnded chan struct{} // closed: the lease is no longer renewed
	unhook     func()
	counts     counters

	mu        sync.Mutex
	functions map[string]*definition
	running   map[string]*runningInstance // the instances that run here
	taken     map[string]int              // takings whose runs have not ended, by id
	waiters   map[string][]chan struct{}  // of handles, by id
	draining  chan struct{}               // closed: start no more steps
	hooks     []*func(Event)

	suspect      string // the suspected instance that was admitted last
	suspectSince time.Time

	closed bool
	active int // the dispatcher, and the runs that it has started
}

// Open starts an engine on a store. Steps see the values of ctx, but the end of ctx does not stop
// the engine. Open fails if the store cannot be written to. [Engine.Shutdown] stops the engine
// and its goroutines.
func Open(ctx context.Context, store stores.Store, opts ...Option) (*Engine, error) {
	if store == nil {
		return nil, errors.New("durable: Open needs a store")
	}
	e := &Engine{
		settings: settings{
			workers: 128, crashes: 5, lease: 10 * time.Second, poll: time.Second,
			retention: 7 * 24 * time.Hour, retries: map[string]Retry{}, log: slog.Default(), place: process{}, now: time.Now,
		},
		store: store, worker: "worker-" + rand.Text(),
		wake: make(chan struct{}, 1), runsEnded: make(chan struct{}), leaseEnded: make(chan struct{}), draining: make(chan struct{}),
		functions: map[string]*definition{}, running: map[string]*runningInstance{}, taken: map[string]int{},
		waiters: map[string][]chan struct{}{}, unhook: func() {}, active: 1,
	}
	for _, opt := range opts {
		opt(&e.settings)
	}
	e.log = contained(e.log)
	for step, r := range e.retries {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("durable: RetryStep of %q: %w", step, err)
		}
	}
	for _, step := range slices.Concat(e.steps, slices.Collect(maps.Keys(e.retries))) {
		if err := checkText("name of a step", step); err != nil {
			return nil, err
		}
	}
	ctx = nilctx.Background(ctx)
	if err := store.Lease(ctx, e.worker, e.now().Add(e.lease)); err != nil {
		return nil, fmt.Errorf("durable: the store cannot be used: %w", err)
	}
	e.permits = make(chan struct{}, e.workers)
	e.ctx, e.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	if n, ok := store.(stores.Notifier); ok {
		e.unhook = n.Notify(e.wakeDispatcher)
	}
	if e.codec != nil {
		e.store = codedStore{store, e.codec}
	}
	if t, ok := store.(stores.Transactor); ok {
		e.transactor = t
		if e.codec != nil {
			e.transactor = codedTransactor{t, e.codec}
		}
	}
	e.enlister, _ = store.(stores.Enlister)
	if e.place != Place(process{}) {
		e.store = orderedStore{e.store, e.place}
	}
	e.place.Go(e.ctx, "durable: dispatcher", func(context.Context) { e.serve() })
	e.place.Go(e.ctx, "durable: lease", func(context.Context) { e.keepLease() })
	return e, nil
}

// wakeDispatcher notifies the dispatcher that an instance may be due or may have ended.
func (e *Engine) wakeDispatcher() { notify(e.wake) }

// Shutdown stops the engine: it takes no more instances, and the running ones stop at their next
// point, where another engine continues them. It blocks until then. If ctx ends first, Shutdown
// also cancels the contexts of running steps, and returns the error of ctx without waiting for
// the steps: other engines continue their instances when the lease has expired. A second call
// does the same.
func (e *Engine) Shutdown(ctx context.Context) error {
	ctx = nilctx.Background(ctx)
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.draining)
	}
	e.mu.Unlock()
	e.unhook()
	e.wakeDispatcher() // the dispatcher checks whether it should end
	for _, over := range []chan struct{}{e.runsEnded, e.leaseEnded} {
		for !isClosed(over) && ctx.Err() == nil {
			e.place.Wait(ctx, over, Forever)
		}
		e.end()
	}
	if !isClosed(e.runsEnded) || !isClosed(e.leaseEnded) {
		return context.Cause(ctx)
	}
	if err := e.store.Lease(ctx, e.worker, givenUp); err != nil {
		return fmt.Errorf("durable: giving up the lease: %w", err)
	}
	return nil
}

// end cancels the steps, and the waits for outcomes.
func (e *Engine) end() {
	e.stop(ErrShutdown)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, list := range e.waiters {
		for _, wake := range list {
			notify(wake)
		}
	}
}

// addRun counts a run, and endRun ends it. The end of the last one ends the engine's work.
func (e *Engine) addRun() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active++
}

func (e *Engine) endRun() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active--; e.active == 0 {
		close(e.runsEnded)
	}
}

// isDraining reports whether Shutdown has been called.
func (e *Engine) isDraining() bool { return isClosed(e.draining) }

// functionNames returns the names of the functions that the engine serves.
func (e *Engine) functionNames() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.functions))
}

// function returns the served function of that name, or nil.
func (e *Engine) function(name string) *definition {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.functions[name]
}

// retry returns the policy of a step.
func (e *Engine) retry(step string) Retry {
	if r, ok := e.retries[step]; ok {
		return r
	}
	return e.retries[""]
}

// runs reports whether the engine calls a step. It reports true for the empty name, which is not
// a step.
func (e *Engine) runs(step string) bool {
	return step == "" || e.steps == nil || slices.Contains(e.steps, step)
}
