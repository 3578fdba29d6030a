package bridge

import (
	"container/list"
	"context"
	"io"
	"iter"
	"sync"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
)

// Puller returns the elements of a sequence one by one, as iter.Pull does, without
// blocking the caller on the sequence's goroutine. Make one with [Pull], and call Stop
// when no more elements are needed. All methods are safe for concurrent use: several
// callers may wait for the next element, and are served in the order of their requests.
type Puller[T any] struct {
	seq   iter.Seq[T]
	watch ctxwatch.Watch
	wake  chan struct{} // holds one token when there is a new request, or Stop was called

	mu       sync.Mutex
	begun    bool      // the goroutine was started
	stopped  bool      // no more elements are wanted
	end      error     // what callers get; nil while there may be more
	requests list.List // of *request[T]: the callers that wait for an element
}

// Pull returns a Puller of the elements of seq. seq runs on its own goroutine, from the
// first call of Next until it returns or Stop is called, and never ahead of its callers:
// an element is made when it is requested. The end of ctx acts as a call of Stop. It
// does not block.
func Pull[T any](ctx context.Context, seq iter.Seq[T]) *Puller[T] {
	p := &Puller[T]{seq: seq, wake: make(chan struct{}, 1)}
	if seq == nil {
		p.end = ErrNil
		return p
	}
	if ctx != nil {
		p.watch.Start(ctx, p)
	}
	return p
}

// Next returns the next element, and io.EOF when there is none or Stop was called. When
// ctx ends first it returns a *job.WaitError, and the element goes to the next caller.
// A panic of the sequence, or its runtime.Goexit, continues once, in a caller of Next.
// It blocks; its twin is [Puller.NextAsync].
func (p *Puller[T]) Next(ctx context.Context) (T, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := p.ask(ctx)
	if r == nil {
		return known.GetResult()
	}
	v, err := r.promise.Job().Wait(context.WithoutCancel(ctx))
	if err != nil && !r.giveUp(err) { // the wait was not refused: the error is the request's
		v, err = r.promise.Job().GetResult()
	}
	rethrow.From(err)
	return v, err
}

// NextAsync returns the job of the next element. It is the twin of [Puller.Next]; a
// panic of the sequence is the job's *job.PanicError.
func (p *Puller[T]) NextAsync(ctx context.Context) *job.Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := p.ask(ctx)
	if r == nil {
		return known
	}
	return r.promise.Job()
}

// Stop ends the sequence: the yield that it waits in returns false. Present and later
// callers of Next get io.EOF. It does not wait for the sequence's deferred calls, and
// does not block. Calling it again does nothing.
func (p *Puller[T]) Stop() {
	p.watch.Stop()
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	p.finish(io.EOF)
	p.alert()
}

// ContextEnded implements ctxwatch.Listener.
func (p *Puller[T]) ContextEnded(*ctxwatch.Watch) { p.Stop() }

// ask returns a completed job if the outcome is known at once, else a request.
func (p *Puller[T]) ask(ctx context.Context) (known *job.Job[T], r *request[T]) {
	r = &request[T]{ctx: ctx, of: p}
	r.promise.Init()
	r.promise.SetExclusive()
	p.mu.Lock()
	if p.end != nil {
		defer p.mu.Unlock()
		return job.FromError[T](p.end), nil
	}
	r.element = p.requests.PushBack(r)
	if !p.begun {
		p.begun = true
		go p.run()
	}
	p.mu.Unlock()

	r.watch.Start(ctx, r)
	if r.promise.Job().IsCompleted() {
		r.watch.Stop()
	}
	p.alert()
	return nil, r
}

func (p *Puller[T]) alert() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run is the sequence's goroutine.
func (p *Puller[T]) run() {
	returned := false
	defer func() {
		p.watch.Stop()
		switch v := recover(); {
		case returned:
			p.finish(io.EOF)
		case v != nil:
			p.finish(promise.Panic(v))
		default:
			p.finish(job.ErrGoexit)
		}
	}()
	if p.wanted() {
		p.seq(p.yield)
	}
	returned = true
}

// yield delivers v to the first request that has not given up, and waits until another
// element is wanted.
func (p *Puller[T]) yield(v T) bool {
	for given := false; !given; {
		r := p.first()
		if r == nil {
			return false
		}
		given = r.end(context.Background(), v, nil)
		p.remove(r)
	}
	return p.wanted()
}

func (p *Puller[T]) wanted() bool { return p.first() != nil }

// first waits for a request; nil: no more elements are wanted.
func (p *Puller[T]) first() *request[T] {
	for {
		p.mu.Lock()
		stopped := p.stopped
		var r *request[T]
		if oldest := p.requests.Front(); oldest != nil {
			r = oldest.Value.(*request[T])
		}
		p.mu.Unlock()
		switch {
		case stopped:
			return nil
		case r != nil:
			return r
		}
		<-p.wake
	}
}

func (p *Puller[T]) remove(r *request[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests.Remove(r.element) // does nothing if it has been taken out
}

// finish delivers how, the error that the sequence ended with, to the first waiter; the
// others learn only that it has ended.
func (p *Puller[T]) finish(how error) {
	p.mu.Lock()
	requests := make([]*request[T], 0, p.requests.Len())
	for oldest := p.requests.Front(); oldest != nil; oldest = p.requests.Front() {
		requests = append(requests, p.requests.Remove(oldest).(*request[T]))
	}
	if p.end == nil {
		p.end = io.EOF
	}
	p.mu.Unlock()
	for _, r := range requests {
		var zero T
		if r.end(context.Background(), zero, how) {
			how = io.EOF
		}
	}
	if how != io.EOF {
		// No waiter is left that a panic could be delivered to. A failed job without a
		// holder is reported to the hook for unobserved failures.
		job.FromError[T](how)
	}
}

// request is one wait for an element. The promise decides between its context and the
// element, which is never delivered to a request that has given up.
type request[T any] struct {
	promise promise.Promise[T]
	watch   ctxwatch.Watch
	ctx     context.Context
	of      *Puller[T]
	element *list.Element // in of.requests
}

func (r *request[T]) end(ctx context.Context, v T, err error) bool {
	waiters, ok := r.promise.TryComplete(ctx, v, err)
	if ok {
		r.watch.Stop()
		waiters.Deliver(nil)
	}
	return ok
}

// ContextEnded implements ctxwatch.Listener.
func (r *request[T]) ContextEnded(*ctxwatch.Watch) {
	r.giveUp(&job.WaitError{Err: ctxwatch.Reason(r.ctx)})
}

// giveUp ends the request without an element, and reports whether it did.
func (r *request[T]) giveUp(why error) bool {
	var zero T
	ok := r.end(r.ctx, zero, why)
	r.of.remove(r)
	return ok
}
