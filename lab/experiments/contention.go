package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// contention runs trees of work items, in which each makes two: once with the local queues of a
// pool, and once without them ([schedulers.PreferFairness]). Without them all workers compete for
// the global queue, twice for each work item. The smaller a work item is, the larger the share of
// the time spent there.
func contention(out io.Writer, processors, items int) error {
	t := table(out, "steps of an item", "local queues, each", "global queue, each", "times")
	for _, steps := range []int{10, 100, 1_000} {
		n := max(1, min(items, items*100/steps))
		local, err := tree(processors, n, steps, 0)
		if err != nil {
			return err
		}
		global, err := tree(processors, n, steps, schedulers.PreferFairness)
		if err != nil {
			return err
		}
		row(t, steps, local, global, fmt.Sprintf("%.1f", float64(global)/float64(max(1, local))))
	}
	return t.Flush()
}

// tree runs a tree of work items in a pool and returns the time of each.
func tree(workers, items, steps int, flags schedulers.Flags) (time.Duration, error) {
	p := pool.New(pool.Workers(workers, workers))
	var all sync.WaitGroup
	all.Add(items)
	var failed error
	var once sync.Once
	var grow func(worker schedulers.Worker, left int)
	grow = func(worker schedulers.Worker, left int) {
		if left == 0 {
			return
		}
		err := p.Submit(do(func(worker schedulers.Worker) {
			defer all.Done()
			compute(steps)
			grow(worker, (left-1)/2)
			grow(worker, left-1-(left-1)/2)
		}), schedulers.Hint{From: worker, Flags: flags})
		if err != nil {
			once.Do(func() { failed = err })
			all.Add(-left)
		}
	}
	began := time.Now()
	grow(nil, items)
	all.Wait()
	took := time.Since(began)
	if err := p.Shutdown(context.Background()); err != nil {
		return 0, err
	}
	return (took / time.Duration(items)).Round(time.Nanosecond), failed
}
