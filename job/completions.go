package job

import (
	"container/list"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/pullcontext"
	"github.com/movenext/movenext/schedulers"
)

// Completions yields several jobs in the order in which they end, each once. Make one
// with [CompletionsOf]. All methods are safe for concurrent use: concurrent calls of
// Next are served in the order in which they were made.
//
// In plain code [WhenEach] is more convenient. In a function marked
// //movenext:async a call of Next is a suspension point, as it has a twin.
type Completions[T any] struct {
	mu       interleave.Mutex
	nodes    []completionNode[T] // registrations; nil when stopped
	ended    []*Job[T]           // and not yielded yet, the oldest first
	requests list.List           // of *nextRequest[T], the oldest first; empty unless ended is
	left     int                 // how many are still to be yielded
	stopped  bool                // by Stop
}

type completionNode[T any] struct {
	continuation.Node
	completions *Completions[T]
	job         *Job[T]
}

// CompletionsOf returns the completions of jobs. Those that have ended already come
// first, in the order given. Jobs that are Created are started. A nil job counts as one
// that has faulted with [ErrNilJob].
//
// Call Stop unless you take all of them; otherwise the jobs that have not ended keep the
// Completions in memory.
func CompletionsOf[T any](jobs ...*Job[T]) *Completions[T] {
	c := &Completions[T]{left: len(jobs)}
	nodes := make([]completionNode[T], len(jobs))
	c.nodes = nodes
	for i, j := range jobs {
		n := &nodes[i]
		n.completions, n.job = c, j
		n.Prepare(n)
		if j == nil {
			n.job = FromError[T](ErrNilJob)
		}
		if !n.job.core.register(&n.Node) {
			n.Completed(nil).Deliver(nil)
		}
	}
	return c
}

// Next returns the next job that ends, waiting for it if need be. It returns
// [ErrNoJobs] when all were yielded or Stop was called, and a *[WaitError] when ctx ends
// first; the job that would have been next is then left for the next call. A machine
// that gets a job continues with it, even if its home has been shut down meanwhile. It
// blocks; its twin is [Completions.NextAsync].
func (c *Completions[T]) Next(ctx context.Context) (*Job[T], error) {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := c.ask(ctx)
	if known != nil {
		return known.GetResult()
	}
	var j *Job[T]
	var err error
	orDesert(r.desert, func() { j, err = r.promise.job.Wait(context.WithoutCancel(ctx)) })
	if err != nil && !r.giveUp(err) {
		return r.promise.job.GetResult() // the request's own error, or a refusal that came late
	}
	return j, err
}

// desert ends a request whose wait is unwound: a job that it has got goes to the next call.
func (r *nextRequest[T]) desert() {
	if r.giveUp(context.Canceled) {
		return
	}
	if j, err := r.promise.job.GetResult(); err == nil {
		r.completions.putBack(j).Deliver(nil)
	}
}

// putBack makes j, which has ended, the next job again.
func (c *Completions[T]) putBack(j *Job[T]) continuation.Chain {
	c.mu.Lock()
	var next *nextRequest[T]
	if !c.stopped {
		if next = c.oldestRequest(); next == nil {
			c.left++
			c.ended = append([]*Job[T]{j}, c.ended...)
		}
	}
	c.mu.Unlock()
	if next == nil {
		return continuation.Chain{}
	}
	return next.end(Completed, j, nil)
}

// NextAsync returns a job that completes with the next job that ends, or fails as Next
// does. It is the twin of [Completions.Next].
func (c *Completions[T]) NextAsync(ctx context.Context) *Job[*Job[T]] {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := c.ask(ctx)
	if known != nil {
		return known
	}
	return &r.promise.job
}

// Stop unregisters from the jobs that have not ended. Waiters for the next job get
// [ErrNoJobs]. Calling it again does nothing.
func (c *Completions[T]) Stop() {
	c.mu.Lock()
	nodes := c.nodes
	c.stopped = true
	c.finish()
	requests := c.takeRequests()
	c.mu.Unlock()
	for i := range nodes {
		nodes[i].job.core.waiting.Remove(&nodes[i].Node)
	}
	c.forget(nodes)
	for _, r := range requests {
		r.end(Faulted, nil, ErrNoJobs).Deliver(nil)
	}
}

// finish records that no more jobs will be yielded; mu is held.
func (c *Completions[T]) finish() { c.nodes, c.ended, c.left = nil, nil, 0 }

// forget drops the references to the jobs: a withdrawn node may stay linked in the list
// of one job, and it keeps its neighbours in memory, and so the other jobs.
func (c *Completions[T]) forget(nodes []completionNode[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range nodes {
		nodes[i].job = nil
	}
}

// ask returns the next job if one has ended, or the error, as a completed job; else it
// returns a request.
func (c *Completions[T]) ask(ctx context.Context) (known *Job[*Job[T]], r *nextRequest[T]) {
	var why error
	if ctx.Err() != nil {
		why = contextError(ctx)
	}
	known, r = c.take(ctx, why)
	if r != nil {
		r.watchContext()
	}
	return known, r
}

// watchContext ends r with its context. If a method of the context fails there, nobody gets r, so
// it must not get a job.
func (r *nextRequest[T]) watchContext() {
	orDesert(r.desert, func() { r.watch.Start(r.ctx, r) })
	if r.promise.job.core.taken() {
		r.watch.Stop()
	}
}

func (c *Completions[T]) take(ctx context.Context, why error) (known *Job[*Job[T]], r *nextRequest[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left == 0:
		return FromError[*Job[T]](ErrNoJobs), nil
	case len(c.ended) > 0:
		j := c.ended[0]
		c.ended[0] = nil
		c.ended = c.ended[1:]
		if c.left--; c.left == 0 {
			c.finish()
		}
		return FromResult(j), nil
	case why != nil:
		return failedWait[*Job[T]](why), nil
	}
	r = &nextRequest[T]{ctx: ctx, completions: c}
	r.promise.job.core.initDependent()
	r.promise.job.core.setExclusive()
	r.element = c.requests.PushBack(r)
	return nil, r
}

// Completed implements continuation.Target: a job has ended.
func (n *completionNode[T]) Completed(schedulers.Worker) continuation.Chain {
	c := n.completions
	c.mu.Lock()
	if c.left == 0 { // stopped
		c.mu.Unlock()
		return continuation.Chain{}
	}
	r := c.oldestRequest()
	if r == nil {
		c.ended = append(c.ended, n.job)
		c.mu.Unlock()
		return continuation.Chain{}
	}
	c.left--
	var late []*nextRequest[T]
	if c.left == 0 {
		c.finish()
		late = c.takeRequests()
	}
	j := n.job
	c.mu.Unlock()

	waiters := r.end(Completed, j, nil)
	for _, r := range late {
		waiters = waiters.Join(r.end(Faulted, nil, ErrNoJobs))
	}
	return waiters
}

// endsOtherwise reports whether another job can still be the next one.
func (n *completionNode[T]) endsOtherwise() bool {
	n.completions.mu.Lock()
	defer n.completions.mu.Unlock()
	return n.completions.left > 1
}

func (n *completionNode[T]) waitingJob() (*core, string) {
	c := n.completions
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.requests.Front()
	if first == nil {
		return nil, "WhenEach"
	}
	return &first.Value.(*nextRequest[T]).promise.job.core, "WhenEach"
}

// oldestRequest takes the oldest request that has not given up, and reserves it; mu is held.
func (c *Completions[T]) oldestRequest() *nextRequest[T] {
	for first := c.requests.Front(); first != nil; first = c.requests.Front() {
		r := c.requests.Remove(first).(*nextRequest[T])
		if r.promise.job.core.reserve() {
			return r
		}
	}
	return nil
}

// takeRequests takes and reserves all requests that have not given up; mu is held.
func (c *Completions[T]) takeRequests() (all []*nextRequest[T]) {
	for r := c.oldestRequest(); r != nil; r = c.oldestRequest() {
		all = append(all, r)
	}
	return all
}

// nextRequest is one wait for the next job. The promise decides between its context and
// the job: a job is delivered only to a request that could be reserved, so a request
// that gives up loses none.
type nextRequest[T any] struct {
	promise     promise[*Job[T]]
	watch       ctxwatch.Watch
	ctx         context.Context
	completions *Completions[T]
	element     *list.Element // in of.requests
}

// end publishes the outcome of a reserved request.
func (r *nextRequest[T]) end(final Status, j *Job[T], err error) continuation.Chain {
	r.watch.Stop()
	return publish(&r.promise, final, j, err)
}

// ContextEnded implements ctxwatch.Listener.
func (r *nextRequest[T]) ContextEnded(*ctxwatch.Watch) {
	whenEnded(r.ctx, func(why error) { r.giveUp(&WaitError{Err: why}) })
}

// giveUp ends the request without a job, and reports whether it did.
func (r *nextRequest[T]) giveUp(why error) bool {
	if !r.promise.job.core.reserve() {
		return false
	}
	c := r.completions
	c.mu.Lock()
	c.requests.Remove(r.element) // does nothing if it has been taken out
	c.mu.Unlock()
	r.end(Canceled, nil, why).Deliver(nil)
	return true
}

// WhenEach returns a sequence of jobs in the order in which they end, each once. Jobs
// that have ended already come first, in the order given. Ranging over it blocks until
// the next has ended; in a function marked //movenext:async a range over it suspends,
// since its twin is [WhenEachAsync]. Leaving the loop early leaves nothing behind in the
// jobs that have not ended. When ctx ends, the last pair is a nil job and a
// *[WaitError]; in all other pairs the error is nil, and the job has its own error.
//
// Jobs that are Created are started. A nil job counts as one that has faulted with
// [ErrNilJob].
func WhenEach[T any](ctx context.Context, jobs ...*Job[T]) iter.Seq2[*Job[T], error] {
	return func(yield func(*Job[T], error) bool) {
		c := CompletionsOf(jobs...)
		defer c.Stop()
		for {
			j, err := c.Next(ctx)
			if errors.Is(err, ErrNoJobs) || !yield(j, err) || err != nil {
				return
			}
		}
	}
}

// WhenEachAsync is [WhenEach] as a stream. A range over it holds neither a worker nor a
// goroutine between jobs, and each range starts from the beginning.
func WhenEachAsync[T any](ctx context.Context, jobs ...*Job[T]) *Stream[*Job[T]] {
	return &Stream[*Job[T]]{&completionSource[T]{ctx, jobs}}
}

// completionSource is the source of WhenEachAsync.
type completionSource[T any] struct {
	ctx  context.Context
	jobs []*Job[T]
}

// All implements streamSource.
func (e *completionSource[T]) All() iter.Seq2[*Job[T], error] { return WhenEach(e.ctx, e.jobs...) }

// Each is the form that a machine ranges over: next returns the job of the next value,
// which fails with [ErrNoJobs] at the end, and stop ends the range early. A machine whose own
// consumer may leave passes the context of that, or else nil.
func (e *completionSource[T]) Each(consumer context.Context) (next func() *Job[*Job[T]], stop func()) {
	c := CompletionsOf(e.jobs...)
	ctx, over := e.ctx, func() {}
	if consumer != nil {
		pulled := pullcontext.New(e.ctx, consumer)
		ctx, over = pulled, pulled.Over
	}
	next = func() *Job[*Job[T]] {
		j := c.NextAsync(ctx)
		if j.IsCompleted() && j.core.err() != nil {
			over()
		}
		return j
	}
	return next, func() { c.Stop(); over() }
}

// Steps is the form for pulling.
func (e *completionSource[T]) Steps(consumer context.Context) (next func(context.Context) *Job[*Job[T]], stop func(context.Context) *Job[Void], leave func()) {
	p := &completionPull[T]{of: e, ctx: pullcontext.New(e.ctx, consumer)}
	return p.next, p.stop, p.ctx.Leave
}

// completionPull is one pull of a completionSource. Its methods are called one after the other.
type completionPull[T any] struct {
	of          *completionSource[T]
	ctx         *pullcontext.Context
	completions *Completions[T] // nil: it has not begun
	last        *Job[*Job[T]]
}

// next begins the step to the next job. As in WhenEach, an error is the last value.
func (p *completionPull[T]) next(context.Context) *Job[*Job[T]] {
	if p.completions == nil {
		p.completions = CompletionsOf(p.of.jobs...)
	} else if _, err := p.last.GetResult(); err != nil {
		p.stop(p.ctx)
		return FromError[*Job[T]](io.EOF)
	}
	p.last = p.completions.NextAsync(p.ctx)
	if p.last.IsCompleted() && p.last.core.err() == ErrNoJobs {
		p.last = FromError[*Job[T]](io.EOF)
		p.ctx.Over()
	}
	return p.last
}

func (p *completionPull[T]) stop(context.Context) *Job[Void] {
	if p.completions == nil {
		p.completions, p.last = CompletionsOf[T](), FromError[*Job[T]](io.EOF)
	}
	p.completions.Stop()
	p.ctx.Over()
	return FromResult(Void{})
}
