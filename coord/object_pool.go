package coord

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// ObjectPool lends objects that are expensive to make: connections, parsers, large buffers. It
// makes up to a given number of them, each when it is first needed, and lends each to one
// caller at a time. Make one with [NewObjectPool].
//
// While all are out, callers wait in order of arrival, and a newcomer never overtakes
// them: an object that comes back goes to the first of them. Of the idle objects, the
// one that came back last is lent first; so under a low load the same few are used, and
// [ObjectPool.Trim] can discard the others.
//
// A sync.Pool differs: it has no bound, its Get never waits, and the garbage collector
// empties it. An ObjectPool is like the pool of connections in database/sql, for objects
// of any type, or like deadpool in Rust.
type ObjectPool[T any] struct{ hiddenObjectPool[T] }

// objectPool is an ObjectPool as its entry sees it; see entered.go for the two names.
type objectPool[T any] struct {
	// Constant after NewObjectPool.

	objectPoolOptions[T]
	limit int
	maker func(context.Context) *job.Job[T]

	mu        interleave.Mutex
	idle      []T // in the order in which they came back
	onLoan    int
	pending   int // being made, or examined after a loan
	queue     queue
	closed    bool
	made      uint64
	discarded uint64
}

type hiddenObjectPool[T any] = objectPool[T]

// ObjectPoolOption configures an [ObjectPool] of T.
type ObjectPoolOption[T any] func(*objectPoolOptions[T])

type objectPoolOptions[T any] struct {
	onPut     schedulers.Hook[*exam[T]]
	hasOnPut  bool // onPut has a function
	onDiscard schedulers.Hook[T]
}

// OnPut sets fn to be called with each object that comes back, before another caller
// gets it: to reset and to test it. If fn returns an error, the object is discarded. Put
// calls fn, holding no lock. A panic in fn is contained, and the object is discarded:
// see [schedulers.Hook].
func OnPut[T any](fn func(T) error) ObjectPoolOption[T] {
	return func(o *objectPoolOptions[T]) {
		o.onPut = schedulers.NewHook("coord.OnPut", func(e *exam[T]) { e.ok = fn(e.object) == nil })
		o.hasOnPut = fn != nil
	}
}

// exam is an object that comes back.
type exam[T any] struct {
	object T
	ok     bool
}

// OnDiscard sets fn to be called with each object that the pool discards: to close it. The
// call that discards the object calls fn before it returns, holding no lock, and before
// the pool makes another in its place. A panic in fn is contained: see [schedulers.Hook].
func OnDiscard[T any](fn func(T)) ObjectPoolOption[T] {
	return func(o *objectPoolOptions[T]) { o.onDiscard = schedulers.NewHook("coord.OnDiscard", fn) }
}

// NewObjectPool returns a pool of up to limit objects; none is made yet. maker starts to
// make one object and returns the job of that. Usually it is the twin of an annotated
// function, or calls [job.Blocking]. It gets the context of the caller that needs the
// object; the object may outlive that context. NewObjectPool panics if limit is less than
// one or maker is nil: no object could ever be lent.
func NewObjectPool[T any](limit int, maker func(context.Context) *job.Job[T], opts ...ObjectPoolOption[T]) *ObjectPool[T] {
	if limit < 1 {
		panic("coord: object pool without room for an object")
	}
	if maker == nil {
		panic("coord: object pool that cannot make an object")
	}
	var all objectPoolOptions[T]
	for _, set := range opts {
		if set != nil {
			set(&all)
		}
	}
	return &ObjectPool[T]{objectPool[T]{objectPoolOptions: all, limit: limit, maker: maker}}
}

// Get lends an idle object, or a new one if the pool may have more, or waits. It returns
// the reason why ctx ended, the error of the maker's job, or [ErrClosed]. It does not wait for
// a maker that ignores the end of ctx: an object made late goes to another caller. After a nil
// error the caller must end the loan, once, with [ObjectPool.Put] or [ObjectPool.Discard]. It
// blocks; its twin is [ObjectPool.GetAsync].
func (p *ObjectPool[T]) Get(ctx context.Context) (T, error) {
	return getObject(ctx, &p.hiddenObjectPool)
}

// GetAsync returns a job that completes with an object, is Canceled when ctx ends first, or
// has failed with an error of [ObjectPool.Get]. Dropping the job loses the object: to
// give up, cancel ctx, and then check whether the job has completed nevertheless.
func (p *ObjectPool[T]) GetAsync(ctx context.Context) *job.Job[T] {
	return getObjectAsync(ctx, &p.hiddenObjectPool)
}

// GetEnter is [ObjectPool.Get] as generated machines call it.
func (p *objectPool[T]) GetEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[T], T, error) {
	m, v, err := getObjectEnter(r, ctx, p)
	return statemachine.WaitingFor(m), v, err
}

// Put ends the loan of v, which the next caller may get. If the pool is closed, or the
// function of [OnPut] returns an error, v is discarded instead. It panics if no object is
// on loan.
func (p *ObjectPool[T]) Put(v T) { p.put(v) }

func (p *objectPool[T]) put(v T) {
	p.endLoan()
	if !p.hasOnPut {
		p.endPending(v, true)
		return
	}
	e := &exam[T]{object: v}
	defer func() { p.endPending(v, e.ok) }()
	p.onPut.Call(e)
}

// Discard ends the loan of v, which is broken: no other caller gets it, and the pool may
// make another. It panics if no object is on loan.
func (p *ObjectPool[T]) Discard(v T) { p.discard(v) }

func (p *objectPool[T]) discard(v T) {
	p.endLoan()
	p.endPending(v, false)
}

// Use calls fn with an object, on the calling goroutine, and ends the loan: with Discard
// if fn panics, calls runtime.Goexit, or returns an error that matches [ErrBroken] or
// wraps a panic, and with Put otherwise. It returns the error of fn, job.ErrNilFunc, or
// an error of [ObjectPool.Get]. It blocks; its twin is [ObjectPool.UseAsync].
func (p *ObjectPool[T]) Use(ctx context.Context, fn func(context.Context, T) error) error {
	return useHere(ctx, &p.hiddenObjectPool, fn)
}

// UseEnter is [ObjectPool.Use] as generated machines call it.
func (p *objectPool[T]) UseEnter(r *statemachine.Run, fnEnter func(*statemachine.Run, context.Context, T) (statemachine.ActionCallee, error), ctx context.Context, fn func(context.Context, T) error) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := useHereEnter(r, fnEnter, ctx, p, fn)
	return statemachine.WaitingForVoid(m), err
}

// UseAsync returns a job that calls fn as [ObjectPool.Use] does, as a job on the ambient
// scheduler of ctx, or the default.
func (p *ObjectPool[T]) UseAsync(ctx context.Context, fn root.ActionOf[T]) *job.Job[job.Void] {
	if fn == nil {
		return job.FromError[job.Void](job.ErrNilFunc)
	}
	return useObjectAsync(ctx, &p.hiddenObjectPool, fn)
}

// Trim discards the idle objects, except for the keep objects that came back last, and
// returns how many it has discarded. Called now and then, it frees objects that are no
// longer needed.
func (p *ObjectPool[T]) Trim(keep int) (discarded int) {
	p.mu.Lock()
	n := max(0, len(p.idle)-max(0, keep))
	old := append([]T(nil), p.idle[:n]...)
	rest := copy(p.idle, p.idle[n:])
	clear(p.idle[rest:])
	p.idle = p.idle[:rest]
	p.discarded += uint64(n)
	p.mu.Unlock()
	p.discardAll(old)
	return n
}

// Close discards the idle objects now, and those on loan when they come back. Calls of
// Get fail with [ErrClosed], including those that wait. Closing again does nothing.
func (p *ObjectPool[T]) Close() {
	p.mu.Lock()
	p.closed = true
	old := p.idle
	p.idle = nil
	p.discarded += uint64(len(old))
	decided := p.queue.serveAll(ErrClosed)
	p.mu.Unlock()
	decided.deliver(nil)
	p.discardAll(old)
}

// ObjectPoolMetrics is the state of an [ObjectPool] at one moment, and what it has done so
// far.
type ObjectPoolMetrics struct {
	In        int    // objects that the next callers get
	Out       int    // objects on loan
	Waiting   int    // calls of Get that wait for an object
	Made      uint64 // objects made so far
	Discarded uint64 // objects discarded so far
}

// Metrics returns the current numbers.
func (p *ObjectPool[T]) Metrics() ObjectPoolMetrics {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ObjectPoolMetrics{len(p.idle), p.onLoan, p.queue.count, p.made, p.discarded}
}
