package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// bench is the state that the operations share.
type bench struct {
	slot             *slot
	ctx, cancelable  context.Context
	cancel           context.CancelFunc
	done             *job.Job[int]
	hundred, pending []*job.Job[int]
}

func newBench() *bench {
	b := &bench{slot: &slot{}, done: job.FromResult(1000)}
	b.ctx = schedulers.With(context.Background(), b.slot)
	b.cancelable, b.cancel = context.WithCancel(b.ctx)
	for range 100 {
		b.hundred = append(b.hundred, job.FromResult(1000))
		b.pending = append(b.pending, job.NewSource[int]().Job())
	}
	job.WaitAsync(b.cancelable, b.pending[0]) // the first wait on the context
	return b
}

func one(context.Context) (int, error) { return 1000, nil }

func nothing(context.Context) error { return nil }

func askDone(ctx context.Context) (int, error) { ctx.Done(); return 1, nil }

func fail(context.Context) (int, error) { return 0, io.EOF }

func follow(context.Context, *job.Job[int]) (int, error) { return 1000, nil }

func double(_ context.Context, v int) (int, error) { return 2 * v, nil }

// source makes a source and completes it: the baseline of operations on a pending job.
func (b *bench) source() { job.NewSource[int]().TrySetResult(1000) }

// scheduler makes an operation on the pending job of a source.
func (b *bench) scheduler(do func(j *job.Job[int])) func() {
	return func() {
		s := job.NewSource[int]()
		do(s.Job())
		s.TrySetResult(1000)
		b.slot.run()
	}
}

func (b *bench) operations() []operation {
	return slices.Concat(b.jobs(), b.combinators(), b.selects(), b.shims(), b.machines())
}

// selects are the composite operations of package coord.
func (b *bench) selects() []operation {
	c, other := coord.NewUnbounded[int](), coord.NewUnbounded[int]()
	var v int
	cases := []coord.Case{coord.OnReceive(other, &v), coord.OnReceive(c, &v)}
	anObject := func(context.Context) *job.Job[int] { return job.FromResult(1000) }
	p := coord.NewObjectPool(1, anObject)
	send := func() { _ = c.TrySend(1) }
	return []operation{
		{name: "Select of two channels, one of them ready", beside: func() { send(); _, _ = c.TryReceive() }, do: func() {
			send()
			_, _ = coord.Select(b.ctx, cases...)
		}},
		{name: "Select of two channels that has to wait", beside: func() { send(); _, _ = c.TryReceive() }, do: func() {
			coord.SelectAsync(b.ctx, cases...)
			send()
			b.slot.run()
		}},
		{name: "ObjectPool.Get of an object that is in, and Put", do: func() {
			v, _ := p.Get(b.ctx)
			p.Put(v)
		}},
	}
}

// idle is a work item that does nothing.
type idle struct{}

func (idle) Run(schedulers.Worker) {}
func (idle) Abandon(error)         {}

// shims are submissions to schedulers on top of another one.
func (b *bench) shims() (all []operation) {
	for _, s := range []struct {
		name      string
		scheduler schedulers.Scheduler
	}{
		{"the scheduler itself", b.slot},
		{"observed", observed.New(b.slot, func(observed.Event) {})},
		{"cancellable", cancellable.New(b.slot)},
		{"limited", limited.New(b.slot, 1)},
		{"a strand of exclusive", exclusive.NewStrand(b.slot)},
		{"roundrobin", roundrobin.New(b.slot)},
		{"priority", priority.New(b.slot, 3)},
	} {
		all = append(all, operation{name: "Submit to " + s.name, do: func() {
			_ = s.scheduler.Submit(idle{}, schedulers.Hint{})
			b.slot.run()
		}})
	}
	return all
}

func (b *bench) jobs() []operation {
	var mu coord.Mutex
	sem := coord.NewSemaphore(1)
	return []operation{
		{name: "Run", do: func() { job.Run(b.ctx, one); b.slot.run() }},
		{name: "Run, in a context that can end", do: func() { job.Run(b.cancelable, one); b.slot.run() }},
		{name: "Go", do: func() { job.Go(b.ctx, nothing); b.slot.run() }},
		{name: "Run, and the function returns an error", do: func() { job.Run(b.ctx, fail); b.slot.run() }},
		{name: "Run, and the function asks its context for Done", do: func() { job.Run(b.ctx, askDone); b.slot.run() }},
		{name: "FromResult of a frequent value", do: func() { job.FromResult(job.Void{}) }},
		{name: "FromResult of any other", do: func() { job.FromResult(1000) }},
		{name: "Await of a complete job", do: func() { _, _ = b.done.Await() }},
		{name: "Source, and its completion", do: b.source},
		{name: "ContinueWith of a complete job", do: func() { job.ContinueWith(b.ctx, b.done, follow); b.slot.run() }},
		{name: "ContinueWith of a pending job", beside: b.source, do: b.scheduler(func(j *job.Job[int]) { job.ContinueWith(b.ctx, j, follow) })},
		{name: "ContinueWith of a pending job, in a context that can end", beside: b.source, do: b.scheduler(func(j *job.Job[int]) { job.ContinueWith(b.cancelable, j, follow) })},
		{name: "Then of a pending job", beside: b.source, do: b.scheduler(func(j *job.Job[int]) { job.Then(b.ctx, j, double) })},
		{name: "WaitAsync, which a context bounds", beside: b.source, do: b.scheduler(func(j *job.Job[int]) { job.WaitAsync(b.cancelable, j) })},
		{name: "SleepAsync", do: func() { job.SleepAsync(b.ctx, time.Hour); b.slot.run() }},
		{name: "SleepAsync, in a context that can end", do: func() { job.SleepAsync(b.cancelable, time.Hour); b.slot.run() }},
		{name: "Mutex.LockAsync, uncontended, and Unlock", do: func() { mu.LockAsync(b.ctx); mu.Unlock() }},
		{name: "Semaphore.AcquireAsync, uncontended, and Release", do: func() { sem.AcquireAsync(b.ctx, 1); sem.Release(1) }},
	}
}

func (b *bench) combinators() []operation {
	scope := job.NewScope(b.ctx)
	return []operation{
		{name: "WhenAll of 100 complete jobs", do: func() { job.WhenAll(b.hundred...) }},
		{name: "WhenAll of 100 jobs, one of them pending", beside: b.source, do: b.scheduler(func(j *job.Job[int]) {
			b.hundred[99] = j
			job.WhenAll(b.hundred...)
		})},
		{name: "WhenAny of 100 pending jobs", beside: b.source, do: b.scheduler(func(j *job.Job[int]) {
			b.pending[99] = j
			job.WhenAny(b.pending...)
		})},
		{name: "Scope.Go, a child without a handle", do: func() { scope.Go(nothing); b.slot.run() }},
		{name: "Spawn, a child with a handle", do: func() { job.Spawn(scope, one); b.slot.run() }},
	}
}

func (b *bench) machines() []operation {
	tick, tock := b.server(false), b.server(true)
	return []operation{
		{name: "async function that does not suspend, as a job", do: func() { pauseAsync(b.ctx, b.done) }},
		{name: "async function that suspends once, as a job", beside: b.source, do: b.scheduler(func(j *job.Job[int]) { pauseAsync(b.ctx, j) })},
		{name: "Await of a pending job, without that job", beside: b.source, do: tick},
		{name: "call of an async function that suspends, without the awaited job", beside: b.source, do: tock},
		{name: "range over a stream, and its first value", beside: func() { job.FromResult(1000) }, do: func() { sumAsync(1) }},
		{name: "100 more values of a stream", beside: func() { sumAsync(1) }, do: func() { sumAsync(101) }},
	}
}

// server starts a machine that awaits one job after another, and returns a
// function that completes the next of them.
func (b *bench) server(calls bool) (tick func()) {
	var s *job.Source[int]
	next := func() *job.Job[int] {
		s = job.NewSource[int]()
		return s.Job()
	}
	serveAsync(b.ctx, next, calls)
	return func() {
		s.TrySetResult(1000)
		b.slot.run()
	}
}
