package limited_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
)

func Example() {
	database := limited.New(pool.New(pool.Workers(16, 16)), 3)
	ctx := schedulers.With(context.Background(), database)

	var now, most atomic.Int64
	var queries []*job.Job[job.Void]
	for range 100 {
		queries = append(queries, job.Go(ctx, func(context.Context) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			now.Add(-1)
			return nil
		}))
	}
	_, err := job.WhenAll(queries...).Wait(context.Background())
	fmt.Println("three or less at a time:", most.Load() <= 3, err)
	// Output: three or less at a time: true <nil>
}
