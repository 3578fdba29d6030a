package exclusive_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/pool"
)

// An account is a strand: its balance needs no lock.
func ExampleStrand() {
	account := exclusive.NewStrand(pool.New())
	ctx := schedulers.With(context.Background(), account)
	balance := 0

	var all []*job.Job[job.Void]
	for range 1000 {
		all = append(all, job.Go(ctx, func(context.Context) error {
			balance++
			return nil
		}))
	}
	_, err := job.WhenAll(all...).Wait(context.Background())
	fmt.Println(balance, err)
	// Output: 1000 <nil>
}

// A map is read by many readers at a time, and written by one writer.
func ExamplePair() {
	pair := exclusive.New(pool.New(), 0)
	ctx := context.Background()
	stock := map[string]int{}

	write := job.Go(ctx, func(context.Context) error {
		stock["apples"] = 3
		return nil
	}, job.On(pair.Exclusive()))
	read := job.Run(ctx, func(context.Context) (int, error) {
		return stock["apples"], nil
	}, job.On(pair.Concurrent()))

	fmt.Println(read.Wait(ctx))
	fmt.Println(write.Status(), pair.Shutdown(ctx))
	// Output:
	// 3 <nil>
	// Completed <nil>
}
