package observed_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
)

func Example() {
	s := observed.New(pool.New(pool.Workers(1, 1)), func(e observed.Event) {
		fmt.Println("event:", e)
	})
	ctx := schedulers.With(context.Background(), s)

	// The failures of these jobs are reported although no goroutine waits for them.
	job.Run(ctx, observed.Errors(func(context.Context) (int, error) { return 0, errors.New("disk full") }))
	job.Run(ctx, func(context.Context) (int, error) { panic("index out of range") })
	job.Run(ctx, func(context.Context) (int, error) { fmt.Println("work continues"); return 0, nil })

	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// event: worker 1: disk full
	// event: worker 1: panic: index out of range
	// work continues
	// <nil>
}
