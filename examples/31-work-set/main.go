// Waiting for a set of queued work of unknown size: a search in a tree, in which each
// node queues its children. The set is done when none of it is queued or running. It is
// also possible to wait for the first of some items.
//
// The document behind it, step by step: docs/sources/round-robin.md.
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workset"
)

// work is a function as a work item.
type work func(on schedulers.Worker)

func (f work) Run(on schedulers.Worker) { f(on) }
func (f work) Abandon(error)            {}

// visit returns the work of visiting a node of a tree with so many levels below it.
func visit(set *workset.Set, visited *atomic.Int64, below int) work {
	return func(on schedulers.Worker) {
		visited.Add(1)
		for range 2 * min(below, 1) {
			if err := set.Submit(visit(set, visited, below-1), schedulers.Hint{From: on}); err != nil {
				fmt.Println(err)
			}
		}
	}
}

func main() {
	workers := pool.New()
	set := workset.New(workers)
	ctx := context.Background()

	var visited atomic.Int64
	if err := set.Submit(visit(set, &visited, 10), schedulers.Hint{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println("waited for all:", set.Wait(ctx), "nodes visited:", visited.Load())

	open := make(chan struct{})
	slow, err := set.Queue(work(func(schedulers.Worker) { <-open }), schedulers.Hint{})
	if err != nil {
		fmt.Println(err)
	}
	fast, err := set.Queue(work(func(schedulers.Worker) {}), schedulers.Hint{Flags: schedulers.LongRunning})
	if err != nil {
		fmt.Println(err)
	}
	first, err := workset.WaitAny(ctx, slow, fast)
	fmt.Println("the first to end is number", first, err)
	close(open)
	fmt.Println("both:", workset.WaitAll(ctx, slow, fast))
	fmt.Println("shut down:", set.Shutdown(ctx), workers.Shutdown(ctx))
}
