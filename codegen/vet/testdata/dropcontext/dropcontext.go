package dropcontext

import (
	"context"

	"example.com/vet/twins"

	"github.com/movenext/movenext/job"
)

//movenext:async
func machine(ctx context.Context) error {
	if err := twins.Pause(context.Background()); err != nil { // want `ctx is not passed on; the callee gets no home, and the end of ctx does not reach it; pass ctx \[dropcontext\]`
		return err
	}
	if err := twins.Pause(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return twins.Pause(context.Background()) // want `ctx is not passed on`
}

func jobs(ctx context.Context) {
	_ = job.Go(ctx, func(c context.Context) error {
		return use(ctx) // want `ctx is not the context of this job; it does not end with the job, and does not know the job's worker; use the function's own context \[dropcontext\]`
	})

	_ = job.Go(ctx, func(_ context.Context) error {
		return use(ctx) // want `ctx is not the context of this job`
	})

	_ = job.Go(ctx, func(context.Context) error {
		return use(ctx) // want `ctx is not the context of this job`
	})

	_ = job.Go(ctx, func(ctx context.Context) error {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		return use(child)
	})
}

func plain(ctx context.Context) error { return use(context.Background()) }

func use(ctx context.Context) error { return ctx.Err() }
