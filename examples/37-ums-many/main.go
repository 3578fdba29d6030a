// Ten thousand short workers on two scheduler threads. A quarter of them block in
// a call, which the outside world answers in its own time, and a quarter yield. A
// thread is never idle while a worker is ready, and never runs more than one.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/ums"
)

const workers = 10_000

// gauge counts the computing workers.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) enter() {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// outside answers requests, one after the other.
func outside(requests <-chan chan<- int) {
	for answer := range requests {
		answer <- 42
	}
}

func main() {
	s := ums.New(2)
	ctx := schedulers.With(context.Background(), s)
	requests := make(chan chan<- int)
	var world sync.WaitGroup
	world.Go(func() { outside(requests) })

	var g gauge
	var answered, yielded atomic.Int64
	jobs := make([]*job.Job[job.Void], workers)
	for i := range jobs {
		jobs[i] = job.Go(ctx, func(ctx context.Context) error {
			g.enter()
			defer g.leave()
			switch i % 4 {
			case 0:
				g.leave()
				ums.Block(ctx, func() {
					answer := make(chan int)
					requests <- answer
					<-answer
				})
				g.enter()
				answered.Add(1)
			case 1:
				g.leave()
				ums.Yield(ctx, nil)
				g.enter()
				yielded.Add(1)
			}
			return nil
		})
	}
	_, err := job.WhenAll(jobs...).Wait(context.Background())
	fmt.Println("workers:", len(jobs), "blocked:", answered.Load(), "yielded:", yielded.Load(), err)
	fmt.Println(s.Shutdown(context.Background()))
	close(requests)
	world.Wait()
	fmt.Println("never more than two at a time:", g.most.Load() <= 2)
	fmt.Println("contexts that were not cleaned up:", len(s.Workers()))
}
