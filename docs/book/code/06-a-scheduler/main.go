// A custom scheduler: a queue, a loop, and what the contract requires.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

func main() {
	loop := New()
	ctx := schedulers.With(context.Background(), loop)

	var log []string // no lock: all jobs run on one goroutine, one after the other
	var all []*job.Job[job.Void]
	for _, name := range []string{"first", "second", "third"} {
		all = append(all, job.Go(ctx, func(context.Context) error {
			log = append(log, name)
			return nil
		}))
	}
	_, err := job.WhenAll(all...).Wait(context.Background())
	fmt.Println(log, err)

	fmt.Println(loop.Shutdown(context.Background()))
	_, err = job.Go(ctx, func(context.Context) error { return nil }).Wait(context.Background())
	fmt.Println(err)
}
