package bridge

import (
	"context"
	"sync/atomic"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// FromCallback calls start, which begins an operation that later calls done, and returns
// the operation's job. done may be called on any goroutine, even before start returns;
// the first call counts. Its arguments are treated like a function's results: if ctx has
// ended and err is its error, the job is Canceled.
//
// When ctx ends first, the job is Canceled, and the function stop that start returned is
// called on a new goroutine. stop may be nil; a panic in it is contained: see
// [dispatch.NewHook0]. If start panics, the job has faulted with a *job.PanicError. If
// done is never called and ctx never ends, the job never ends. No goroutine is held.
func FromCallback[T any](ctx context.Context, start func(done func(T, error)) (stop func())) *job.Job[T] {
	if start == nil {
		return job.FromError[T](ErrNil)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c := &call[T]{ctx: ctx}
	promise.Init(&c.promise.Job)
	if ctx.Err() != nil {
		c.done(*new(T), ctxwatch.Reason(ctx))
		return &c.promise.Job
	}
	c.begin(start)
	return &c.promise.Job
}

// call is a call in progress. It may end, by done or by its context, before start has
// returned. Two flags in one word decide whether stop is called: one records that stop
// exists, the other that the context has ended the call. The side that sets the second
// flag calls stop.
type call[T any] struct {
	promise promise.Promise[T]
	watch   ctxwatch.Watch
	ctx     context.Context
	stop    func() // set before hasStop
	flags   atomic.Uint32
}

const (
	hasStop uint32 = 1 << iota
	wantsStop
)

func (c *call[T]) begin(start func(func(T, error)) func()) {
	returned := false
	defer func() {
		if !returned {
			c.crash(recover())
		}
	}()
	c.watch.Start(c.ctx, c)
	c.stop = start(c.done)
	returned = true
	if c.promise.Job.IsCompleted() {
		c.watch.Stop() // done may have been called before there was a watch to stop
	}
	if c.flags.Or(hasStop)&wantsStop != 0 {
		c.callStop()
	}
}

// done is the callback that start receives.
func (c *call[T]) done(v T, err error) {
	if settle(c.ctx, &c.promise, v, err) {
		c.watch.Stop()
	}
}

// crash ends the call after start, or a method of the context, panicked or called Goexit, which
// then continues. It reports whether the call had not ended.
func (c *call[T]) crash(v any) (ended bool) {
	err := job.ErrGoexit
	if v != nil {
		err = promise.Panic(v)
	}
	ended = settle(context.Background(), &c.promise, *new(T), err)
	c.watch.Stop()
	return ended
}

// ContextEnded implements ctxwatch.Listener.
func (c *call[T]) ContextEnded(*ctxwatch.Watch) {
	ended, returned := false, false
	defer func() {
		if !returned {
			ended = c.crash(recover())
		}
		if ended && c.flags.Or(wantsStop)&hasStop != 0 {
			c.callStop()
		}
	}()
	ended = settle(c.ctx, &c.promise, *new(T), ctxwatch.Reason(c.ctx))
	returned = true
}

func (c *call[T]) callStop() {
	if c.stop != nil {
		go dispatch.NewHook0("bridge.FromCallback", c.stop).Call(struct{}{})
	}
}
