// Waiting inside a job, on a pool with a single worker. The worker is busy with the job that
// waits, so the wait runs the awaited job in place, before the newer jobs of the queue. A sub-job
// that waits for an earlier sibling does not hang either. A wait for any of several runs none of
// them in place, since it would have to finish each that it begins: the pool adds a worker until
// the wait is over, and that worker takes the oldest.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// load returns a job's function that loads a number.
func load(name string, value int) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		fmt.Println("  loading", name)
		return value, nil
	}
}

func oneByOne(ctx context.Context) (int, error) {
	data1 := job.Run(ctx, load("data1", 1))
	data2 := job.Run(ctx, load("data2", 10))
	data3 := job.Run(ctx, load("data3", 100)) // the newest: without waits it would run first

	sum := 0
	for _, data := range []*job.Job[int]{data1, data2, data3} {
		value, err := data.Wait(ctx)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}

// all waits for all of them at once. The wait runs the queued ones in place, the newest first,
// which is the order in which a worker takes the jobs that its own job has started.
func all(ctx context.Context) (int, error) {
	data1 := job.Run(ctx, load("data1", 1))
	data2 := job.Run(ctx, load("data2", 10))
	data3 := job.Run(ctx, load("data3", 100))
	values, err := job.WhenAll(data1, data2, data3).Wait(ctx)
	sum := 0
	for _, value := range values {
		sum += value
	}
	return sum, err
}

// anyOfThem waits for the first of them to end. The other two print nothing: whether
// they run before the wait is over is a matter of chance.
func anyOfThem(ctx context.Context) (int, error) {
	quiet := func(context.Context) (int, error) { return 0, nil }
	data1 := job.Run(ctx, load("data1", 1))
	data2, data3 := job.Run(ctx, quiet), job.Run(ctx, quiet)
	first, err := job.WhenAny(data1, data2, data3).Wait(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Println("  the oldest was first:", first == data1)
	return first.Wait(ctx)
}

// sibling makes data2 wait for data1, which was started before it.
func sibling(ctx context.Context) (int, error) {
	data1 := job.Run(ctx, load("data1", 1))
	data2 := job.Run(ctx, func(ctx context.Context) (int, error) {
		fmt.Println("  data2 needs data1")
		value, err := data1.Wait(ctx)
		return value + 10, err
	})
	return data2.Wait(ctx)
}

func main() {
	workers := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), workers)

	for _, c := range []struct {
		name string
		body func(context.Context) (int, error)
	}{{"one after the other", oneByOne}, {"all at once", all}, {"any of them", anyOfThem}, {"a sub-job that waits for its sibling", sibling}} {
		fmt.Println(c.name)
		sum, err := job.Run(ctx, c.body).Wait(ctx)
		fmt.Println("  sum:", sum, err)
	}
	if err := workers.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
