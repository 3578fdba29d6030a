// How many workers are best for work that waits for a disk? Up to a number, more
// workers have a higher throughput; beyond it they get in each other's way. The
// pool cannot see the disk, but it sees the throughput: it climbs to the top of
// that hill, and the trace shows the way.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// disk serves so many users well; with more users, each waits longer than it is worth.
type disk struct {
	best  float64
	users atomic.Int64
}

func (d *disk) read() {
	crowd := float64(d.users.Add(1)) / d.best
	defer d.users.Add(-1)
	time.Sleep(time.Duration(float64(5*time.Millisecond) * (1 + crowd*crowd)))
}

// work is a function as work.
type work func()

func (f work) Run(schedulers.Worker) { f() }
func (f work) Abandon(error)         {}

// climb reads from a disk for so long and returns the trace.
func climb(best float64, long time.Duration) (trace []pool.Sample, err error) {
	workers := pool.New(pool.Workers(2, 200), pool.AddAfter(0),
		pool.HillClimbing(pool.ClimbingOn, func(s pool.Sample) { trace = append(trace, s) }))
	d := &disk{best: best}
	end := time.Now().Add(long)
	var all sync.WaitGroup
	var read work
	submit := func() {
		all.Add(1)
		if err := workers.Submit(read, schedulers.Hint{}); err != nil {
			all.Done()
		}
	}
	read = func() {
		defer all.Done()
		d.read()
		if time.Now().Before(end) {
			submit()
		}
	}
	for range 400 {
		submit()
	}
	all.Wait()
	return trace, workers.Shutdown(context.Background())
}

func main() {
	trace, err := climb(16, 5*time.Second)
	for i, s := range trace {
		if i%5 == 0 {
			fmt.Println(s)
		}
	}
	fmt.Println(err)
}
