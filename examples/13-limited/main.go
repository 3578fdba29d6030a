// Three queries at a time, in two meanings. A limited scheduler bounds how many run: that is right
// for queries that block their worker, and wrong for machines, since a machine that waits for its
// answer does not run. A scope's limit bounds how many are in flight, waiting ones included. The
// program counts the queries between their beginning and their end, and answers none until as many
// have begun as can.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
)

const queries = 30

// database answers when so many queries are in flight.
type database struct {
	batch int

	mu        sync.Mutex
	now, most int
	came      int
	answer    *job.Source[string]
}

// begin begins a query and returns its answer.
func (d *database) begin() *job.Job[string] {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now++
	d.most = max(d.most, d.now)
	if d.came%d.batch == 0 {
		d.answer = job.NewSource[string]()
	}
	answer := d.answer
	if d.came++; d.came%d.batch == 0 {
		answer.TrySetResult("a row")
	}
	return answer.Job()
}

func (d *database) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now--
}

// query waits for its answer: it blocks as plain Go, and suspends as a machine.
//
//movenext:async
func query(_ context.Context, d *database) error {
	answer := d.begin()
	_, err := answer.Await()
	d.end()
	return err
}

func main() {
	workers := pool.New(pool.Workers(16, 16))
	three := limited.New(workers, 3)
	ctx := schedulers.With(context.Background(), three)

	show := func(what string, batch int, all func(*database) error) {
		d := &database{batch: batch}
		err := all(d)
		fmt.Printf("%-44s %2d in flight, %v\n", what, d.most, err)
	}
	show("blocking queries, a scheduler for three:", 3, func(d *database) error {
		var all []*job.Job[job.Void]
		for range queries {
			all = append(all, job.Go(ctx, func(context.Context) error {
				answer := d.begin()
				<-answer.Done() // blocks the worker, and the scheduler is not notified
				d.end()
				return nil
			}))
		}
		_, err := job.WhenAll(all...).Wait(context.Background())
		return err
	})
	show("machines, the same scheduler:", queries, func(d *database) error {
		var all []*job.Job[job.Void]
		for range queries {
			all = append(all, queryAsync(ctx, d))
		}
		_, err := job.WhenAll(all...).Wait(context.Background())
		return err
	})
	show("machines, in a scope with a limit of three:", 3, func(d *database) error {
		_, err := limitedScopeAsync(ctx, d).Wait(context.Background())
		return err
	})
	fmt.Println("shut down:", three.Shutdown(context.Background()), workers.Shutdown(context.Background()))
}

//movenext:async
func limitedScope(ctx context.Context, d *database) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(3)
		for range queries {
			s.Go(func(ctx context.Context) error { return query(ctx, d) })
		}
		return nil
	})
}
