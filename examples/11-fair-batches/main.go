// A large batch comes first and a small one second. In a pool with one queue the small
// one would wait for the large one's end. With a queue for each batch, over the same
// pool, it gets half of the workers; when it is done, the large one gets all of them.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

const large, small = 2000, 200

// counter counts the items of each batch that have run, and looks at both when
// the small batch is nearly done.
type counter struct {
	mu                 sync.Mutex
	large, small       int
	largeThen, smallAt int
}

func (c *counter) count(batch *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*batch++
	if c.small == small*9/10 && c.smallAt == 0 {
		c.largeThen, c.smallAt = c.large, c.small
	}
}

// processBatch queues so many items and closes the queue at once: queued items
// still run.
func processBatch(ctx context.Context, tenants *roundrobin.Scheduler, n int, item func()) ([]*job.Job[job.Void], error) {
	queue, err := tenants.CreateQueue()
	if err != nil {
		return nil, err
	}
	defer queue.Close()
	var items []*job.Job[job.Void]
	for range n {
		items = append(items, job.Go(ctx, func(context.Context) error { item(); return nil }, job.On(queue)))
	}
	return items, nil
}

func run(ctx context.Context) (*counter, error) {
	workers := pool.New(pool.Workers(4, 4))
	tenants := roundrobin.New(workers)
	c := &counter{}

	// All workers are held until both batches are queued.
	var held sync.WaitGroup
	open := make(chan struct{})
	for range 4 {
		held.Add(1)
		_ = job.Go(schedulers.With(ctx, workers), func(context.Context) error { held.Done(); <-open; return nil })
	}
	held.Wait()
	first, err := processBatch(ctx, tenants, large, func() { c.count(&c.large) })
	if err != nil {
		return nil, err
	}
	second, err := processBatch(ctx, tenants, small, func() { c.count(&c.small) })
	if err != nil {
		return nil, err
	}
	close(open)

	if _, err := job.WhenAll(append(first, second...)...).Wait(ctx); err != nil {
		return nil, err
	}
	if err := tenants.Shutdown(ctx); err != nil {
		return nil, err
	}
	return c, workers.Shutdown(ctx)
}

func main() {
	c, err := run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	share := float64(c.smallAt) / float64(c.smallAt+c.largeThen)
	fmt.Println("items that have run:", c.large, "and", c.small)
	fmt.Println("the small batch's share while both had work is within 10 % of a half:", share > 0.45 && share < 0.55)
}
