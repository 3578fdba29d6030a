// A million functions, and a loop over a million indexes, in a few hundred pieces. The
// loop is cut into ranges. Workers take them, and so does the caller, which would
// otherwise only wait.
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

const million = 1_000_000

func main() {
	workers := pool.New(pool.Workers(2, 2))
	ctx := schedulers.With(context.Background(), workers)

	var called atomic.Int64
	funcs := make([]func(context.Context) error, million)
	for i := range funcs {
		funcs[i] = func(context.Context) error { called.Add(1); return nil }
	}
	err := parallel.Invoke(ctx, funcs...)
	fmt.Println("functions called:", called.Load(), err)
	fmt.Println("work items for them: less than a thousand:", workers.Metrics().Submitted < 1000)

	var sum atomic.Int64
	err = parallel.ForBlocks(ctx, 0, million, func(_ context.Context, from, to int) error {
		part := 0
		for i := from; i < to; i++ {
			part += i
		}
		sum.Add(int64(part)) // once a block, not once an index
		return nil
	})
	fmt.Println("sum of the indexes:", sum.Load(), err)

	before := workers.Metrics().Submitted
	err = parallel.For(ctx, 0, million, func(context.Context, int) error { called.Add(1); return nil }, parallel.Degree(1))
	fmt.Println("by the caller alone:", called.Load()-million, err, "work items:", workers.Metrics().Submitted-before)
	fmt.Println(workers.Shutdown(context.Background()))
}
