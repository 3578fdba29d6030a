// Package debug has the function run of the example, whose machine is in the form to step through
// in a debugger.
package debug

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
)

// Run waits for foo, bar and baz.
//
//movenext:async
func Run(ctx context.Context) error {
	if err := foo(ctx); err != nil {
		return err
	}
	if err := bar(ctx); err != nil {
		return err
	}
	return baz(ctx)
}

//movenext:async
func foo(ctx context.Context) error { return job.Sleep(ctx, 1000*time.Millisecond) }

//movenext:async
func bar(ctx context.Context) error { return job.Sleep(ctx, 100*time.Millisecond) }

//movenext:async
func baz(ctx context.Context) error { return job.Sleep(ctx, 10*time.Millisecond) }
