// Three levels of urgency over a pool of one worker. Urgent work comes first, but
// not forever: work that has waited while enough other work arrived is no longer
// overtaken. A group of work can be moved to another level while it is queued.
//
// The document behind it, step by step: docs/sources/round-robin.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
)

func main() {
	workers := pool.New(pool.Workers(1, 1))
	levels := priority.New(workers, 3, priority.Age(2)) // a level is worth two later items
	ctx := context.Background()

	open := make(chan struct{}) // holds the worker until all is queued
	_ = job.Go(schedulers.With(ctx, workers), func(context.Context) error { <-open; return nil })

	queue := func(g *priority.Group, what string) {
		_ = job.Go(ctx, func(context.Context) error { fmt.Println(what); return nil }, job.On(g))
	}
	report := levels.Group(2)
	queue(report, "the monthly report: overtaken by three payments that came after it, and not by the fourth")
	for i := range 4 {
		queue(levels.Group(0), fmt.Sprintf("payment %d", i+1))
	}
	mail := levels.Group(2)
	queue(mail, "a mail that was queued last, and moved to the most urgent level")
	queue(levels.Group(1), "a thumbnail")
	mail.Move(0)

	close(open)
	fmt.Println("shut down:", levels.Shutdown(ctx), workers.Shutdown(ctx))
}
