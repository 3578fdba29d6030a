// A large batch comes first, and a small one later, when the large one is already running. In a
// pool with one queue the small one waits for the rest of the large one. With a queue for each
// batch, over the same pool, its first item runs after one more of the large one, and it gets half
// of the workers until it is done; then the large one has all of them again.
//
// The document behind it, step by step: docs/sources/round-robin.md.
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

const large, small = 20_000, 100

// figures record how many items of the large batch had ended before the first, before the last,
// and before most items of the small one began.
type figures struct{ first, last, most int }

// most of the small batch are all items but those that a worker may have taken when the
// system put its thread aside.
const most = small * 9 / 10

// progress counts the items of the large batch that have ended.
type progress struct {
	mu          sync.Mutex
	large       int
	smallBefore []int // for each item of the small batch
}

// processBatch queues so many items and closes the queue at once: queued items still
// run.
func processBatch(ctx context.Context, tenants *roundrobin.Scheduler, n int, item func(i int)) ([]*job.Job[job.Void], error) {
	queue, err := tenants.CreateQueue()
	if err != nil {
		return nil, err
	}
	defer queue.Close()
	return submit(ctx, queue, n, item), nil
}

func submit(ctx context.Context, to schedulers.Scheduler, n int, item func(i int)) (items []*job.Job[job.Void]) {
	for i := range n {
		items = append(items, job.Go(ctx, func(context.Context) error { item(i); return nil }, job.On(to)))
	}
	return items
}

// story runs both batches on so many workers. The first items of the large batch, one for each
// worker, are running when the small batch arrives. fair reports whether each batch has its own
// queue.
func story(ctx context.Context, workers int, fair bool) (f figures, err error) {
	shared := pool.New(pool.Workers(workers, workers))
	tenants := roundrobin.New(shared)
	batch := func(n int, item func(int)) ([]*job.Job[job.Void], error) {
		if fair {
			return processBatch(ctx, tenants, n, item)
		}
		return submit(ctx, shared, n, item), nil
	}

	p := &progress{}
	var running sync.WaitGroup
	running.Add(workers)
	late := make(chan struct{})
	first, err := batch(large, func(i int) {
		if i < workers {
			running.Done()
			<-late
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.large++
	})
	if err != nil {
		return f, err
	}
	running.Wait()
	second, err := batch(small, func(int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.smallBefore = append(p.smallBefore, p.large)
	})
	if err != nil {
		return f, err
	}
	close(late)
	if _, err := job.WhenAll(append(first, second...)...).Wait(ctx); err != nil {
		return f, err
	}
	if err := tenants.Shutdown(ctx); err != nil {
		return f, err
	}
	return figures{p.smallBefore[0], p.smallBefore[small-1], p.smallBefore[most-1]}, shared.Shutdown(ctx)
}

func main() {
	ctx := context.Background()
	fmt.Println("one worker; items of the large batch before the small batch's")
	for _, c := range []struct {
		name string
		fair bool
	}{{"one queue:       ", false}, {"a queue for each:", true}} {
		f, err := story(ctx, 1, c.fair)
		fmt.Printf("  %s first item %5d, last item %5d, %v\n", c.name, f.first, f.last, err)
	}

	f, err := story(ctx, 4, true)
	share := float64(most) / float64(most+f.most)
	fmt.Printf("four workers: the small batch's share is within 10 %% of a half: %t, %v\n", share > 0.4 && share < 0.6, err)
}
