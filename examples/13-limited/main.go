// Three of a pool's sixteen workers for queries, which here are plain functions
// that block. Queries wait for their turn in a queue, not on a worker: the other
// workers stay free. Each query waits until two others run next to it, which
// shows that three run at a time; the counter shows that it is never four. A
// query that suspended would not be running while it waits, and would not count:
// for those, see Scope.Limit.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
)

// gauge counts the queries inside, and opens when three have come.
type gauge struct {
	mu        sync.Mutex
	now, most int
	came      int
	three     chan struct{}
}

func (g *gauge) enter() (three <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now++
	g.most = max(g.most, g.now)
	if g.came%3 == 0 {
		g.three = make(chan struct{})
	}
	three = g.three
	if g.came++; g.came%3 == 0 {
		close(g.three)
	}
	return three
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

func main() {
	workers := pool.New(pool.Workers(16, 16))
	database := limited.New(workers, 3)
	ctx := schedulers.With(context.Background(), database)

	var g gauge
	var queries []*job.Job[job.Void]
	for range 30 {
		queries = append(queries, job.Go(ctx, func(context.Context) error {
			<-g.enter()
			g.leave()
			return nil
		}))
	}
	_, err := job.WhenAll(queries...).Wait(context.Background())
	fmt.Println("queries:", len(queries), "at a time:", g.most, err)
	fmt.Println(database.Shutdown(context.Background()), workers.Shutdown(context.Background()))
}
