package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/ums"
)

// shims submits empty work items from one goroutine: to a pool, to each shim over such a pool,
// and to user-mode scheduling. So a row is the cost of a scheduler itself for each work item,
// including its submission.
func shims(out io.Writer, processors, items int) error {
	t := table(out, "scheduler", "each", "times the pool")
	var base time.Duration
	for _, s := range []struct {
		name string
		over func(*pool.Pool) shutdownScheduler
	}{
		{"pool", func(p *pool.Pool) shutdownScheduler { return p }},
		{"observed", func(p *pool.Pool) shutdownScheduler { return observed.New(p, func(observed.Event) {}) }},
		{"cancellable", func(p *pool.Pool) shutdownScheduler { return cancellable.New(p) }},
		{"limited", func(p *pool.Pool) shutdownScheduler { return limited.New(p, processors) }},
		{"exclusive", func(p *pool.Pool) shutdownScheduler { return exclusive.NewStrand(p) }},
		{"roundrobin", func(p *pool.Pool) shutdownScheduler { return roundrobin.New(p) }},
		{"priority", func(p *pool.Pool) shutdownScheduler { return priority.New(p, 3) }},
		{"ums, no shim", func(*pool.Pool) shutdownScheduler { return ums.New(processors) }},
	} {
		p := pool.New(pool.Workers(processors, processors))
		took, err := submitEmpty(s.over(p), items)
		if err != nil {
			return err
		}
		if err := p.Shutdown(context.Background()); err != nil {
			return err
		}
		if base == 0 {
			base = max(1, took)
		}
		row(t, s.name, took, fmt.Sprintf("%.1f", float64(took)/float64(base)))
	}
	return t.Flush()
}

// submitEmpty submits the given number of empty work items, and returns the time of each.
func submitEmpty(s shutdownScheduler, items int) (time.Duration, error) {
	var all sync.WaitGroup
	all.Add(items)
	began := time.Now()
	for range items {
		if err := s.Submit(do(func(schedulers.Worker) { all.Done() }), schedulers.Hint{}); err != nil {
			return 0, err
		}
	}
	all.Wait()
	took := time.Since(began)
	return (took / time.Duration(items)).Round(time.Nanosecond), s.Shutdown(context.Background())
}
