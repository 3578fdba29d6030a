// Two tenants share one worker. One has a hundred requests waiting, the other three.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

func main() {
	ctx := context.Background()
	workers := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	fair := roundrobin.New(workers)
	big, err := fair.CreateQueue(roundrobin.Name("big"))
	if err != nil {
		fmt.Println(err)
		return
	}
	small, err := fair.CreateQueue(roundrobin.Name("small"))
	if err != nil {
		fmt.Println(err)
		return
	}

	// The worker is held until all requests are queued, so that the order can be seen.
	queued := make(chan struct{})
	job.Go(ctx, func(context.Context) error { <-queued; return nil }, job.On(workers))

	var order []string
	var all sync.WaitGroup
	request := func(q *roundrobin.Queue) {
		all.Add(1)
		job.Go(ctx, func(context.Context) error {
			defer all.Done()
			order = append(order, q.Name())
			return nil
		}, job.On(q))
	}
	for range 100 {
		request(big)
	}
	for range 3 {
		request(small)
	}
	close(queued)
	all.Wait()
	fmt.Println(order[:8], len(order))
	if err := fair.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	if err := workers.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
}
