// Ten thousand short workers on two threads. A quarter of them block in a call, and a quarter
// yield. On two scheduler threads, a worker that blocks leaves its thread to the others: all
// blocking workers wait at the same time, while never more than two run. On two plain threads each
// of them keeps its thread, so two wait and no other worker runs.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/ums"
)

const workers = 10_000

// gauge counts, and keeps the highest count.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) enter() {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// outside answers requests when so many wait for an answer.
func outside(requests <-chan chan<- int, batch int) {
	var waiting []chan<- int
	for answer := range requests {
		if waiting = append(waiting, answer); len(waiting) == batch {
			for _, a := range waiting {
				a <- 42
			}
			waiting = waiting[:0]
		}
	}
}

// scheduler has two threads. Its workers block and yield by calling it.
type scheduler struct {
	schedulers.Scheduler
	block func(ctx context.Context, f func())
	yield func(ctx context.Context, param any)
}

// run runs the workers, and returns how many ran, and how many waited, at the same time.
// The outside world answers when batch of them wait.
func run(s scheduler, batch int) (running, waiting int64, err error) {
	ctx := schedulers.With(context.Background(), s.Scheduler)
	requests := make(chan chan<- int)
	var world sync.WaitGroup
	world.Go(func() { outside(requests, batch) })

	var runs, waits gauge
	jobs := make([]*job.Job[job.Void], workers)
	for i := range jobs {
		jobs[i] = job.Go(ctx, func(ctx context.Context) error {
			runs.enter()
			defer runs.leave()
			switch i % 4 {
			case 0:
				runs.leave()
				s.block(ctx, func() {
					waits.enter()
					answer := make(chan int)
					requests <- answer
					<-answer
					waits.leave()
				})
				runs.enter()
			case 1:
				runs.leave()
				s.yield(ctx, nil)
				runs.enter()
			}
			return nil
		})
	}
	_, err = job.WhenAll(jobs...).Wait(context.Background())
	close(requests)
	world.Wait()
	return runs.most.Load(), waits.most.Load(), err
}

// show prints how many of the workers ran, and how many waited, at the same time.
func show(threads string, running, waiting int64, err error) {
	fmt.Printf("%-22s %9t %14d   %v\n", threads, running <= 2, waiting, err)
}

func main() {
	fmt.Println("ten thousand workers, 2500 of them wait for an answer")
	fmt.Println("                       two run at most   wait at once   error")
	u := ums.New(2, ums.Notice(0))
	running, waiting, err := run(scheduler{u, ums.Block, ums.Yield}, workers/4)
	show("two scheduler threads", running, waiting, err)

	d := dedicated.New(2)
	unmarked := func(_ context.Context, f func()) { f() }
	running, waiting, err = run(scheduler{d, unmarked, func(context.Context, any) {}}, 2)
	show("two plain threads", running, waiting, err)

	fmt.Println("shut down:", u.Shutdown(context.Background()), d.Shutdown(context.Background()))
	fmt.Println("contexts that are left:", len(u.Workers()))
}
