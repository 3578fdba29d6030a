package bridge

import (
	"context"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// FromContext returns a job that completes when ctx ends; its result is the cause
// (context.Cause). For a context that never ends it never completes. No goroutine is
// held. The context keeps the job in memory until it ends: to wait for one context many
// times, make one job and reuse it. It does not block.
func FromContext(ctx context.Context) *job.Job[error] {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return job.FromResult(context.Cause(ctx))
	}
	e := &ended{ctx: ctx}
	promise.Init(&e.promise.Job)
	e.watch.Start(ctx, e)
	return &e.promise.Job
}

type ended struct {
	promise promise.Promise[error]
	watch   ctxwatch.Watch
	ctx     context.Context
}

// ContextEnded implements ctxwatch.Listener.
func (e *ended) ContextEnded(*ctxwatch.Watch) {
	promise.Perform(&e.promise, context.Background(), func() (error, error) { return context.Cause(e.ctx), nil })
}
