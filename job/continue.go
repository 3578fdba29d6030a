package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
)

// continued is the job of a continuation: outcome, context, function, work item
// and registration in one allocation.
//
//	WaitingForActivation ──antecedent ends──▶ Scheduled ─▶ Running ─▶ …
//	          └──────────its own ctx ends───▶ Canceled
type continued[T, U any] struct {
	task[U]
	node  continuation.Node
	watch ctxwatch.Watch
	after *Job[T]
	fn    func(context.Context, *Job[T]) (U, error)
}

// ContinueWith returns a job that runs fn with j once j has ended, in
// whatever way. A continuation is a job like any other: it can be waited for and
// continued itself. Several continuations of one job are siblings: each becomes runnable when j
// ends, in the order in which they were added.
//
// It runs on the scheduler of the option [On], else on the ambient one of ctx, else
// on the default; never on the goroutine that completes j. Only ctx cancels it: when ctx ends
// before j does, the continuation is Canceled at once and j does not keep it.
// What becomes of j does not cancel it; fn can ask j. A Created j is not started.
func ContinueWith[T, U any](ctx context.Context, j *Job[T], fn func(context.Context, *Job[T]) (U, error), opts ...Option) *Job[U] {
	if j == nil {
		return FromError[U](ErrNilJob)
	}
	c := &continued[T, U]{after: j, fn: fn}
	if err := c.prepare(c, ctx, opts, fn == nil); err != nil {
		return FromError[U](err)
	}
	c.state.word.Store(uint32(WaitingForActivation))
	c.node.Prepare(c)
	c.watch.Start(c.parent, c)
	if !j.waiting.Add(&c.node) {
		c.activate(schedulers.WorkerFrom(c.parent))
	}
	return &c.Job
}

// Completed implements continuation.Target: the antecedent has ended.
func (c *continued[T, U]) Completed(from schedulers.Worker) continuation.Chain {
	c.activate(from)
	return continuation.Chain{}
}

// activate submits the job, unless it was canceled before.
func (c *continued[T, U]) activate(from schedulers.Worker) {
	c.watch.Stop()
	if c.state.activate() {
		_ = c.submitFrom(c.scheduler(), schedulers.Hint{From: from, Flags: c.flags})
	}
}

// ContextEnded implements ctxwatch.Ender.
func (c *continued[T, U]) ContextEnded(*ctxwatch.Watch) { c.cancel(nil) }

// Run implements schedulers.Work.
func (c *continued[T, U]) Run(on schedulers.Worker) { c.run(c, on) }

// invoke lets go of the antecedent before it runs: in a long chain each job would
// otherwise keep all jobs before it alive.
func (c *continued[T, U]) invoke(ctx context.Context) (U, error) {
	j := c.after
	c.after = nil
	return c.fn(ctx, j)
}

// drop forgets the function. A continuation that will not run is also taken out of its
// antecedent's list.
func (c *continued[T, U]) drop() {
	c.watch.Stop()
	if j := c.after; j != nil {
		j.waiting.Remove(&c.node)
		c.after = nil
	}
	c.fn = nil
}
