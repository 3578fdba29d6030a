package main

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// long gives a pool computations that take much longer than its stall interval,
// and short work items behind them. A pool cannot distinguish computing from
// waiting: it adds workers, which compute no faster, but share the processors
// with all the others. Computations that are flagged as long-running do not
// concern the pool.
func long(out io.Writer, processors, works int) error {
	t := table(out, "the long ones are", "workers at most", "short works took", "long ones took")
	for _, flagged := range []bool{false, true} {
		words, flags := "not flagged", schedulers.Flags(0)
		if flagged {
			words, flags = "flagged LongRunning", schedulers.LongRunning
		}
		l := &computations{
			pool:  pool.New(pool.Workers(processors, 64*processors), pool.AddAfter(5*time.Millisecond)),
			steps: works * 500,
		}
		if err := l.run(flags, 8*processors, works/100); err != nil {
			return err
		}
		row(t, words, l.most.Load(), l.short.Round(10*time.Microsecond), l.long.Round(time.Millisecond))
	}
	return t.Flush()
}

type computations struct {
	pool  *pool.Pool
	steps int // of a long work item

	most        atomic.Uint64 // workers
	short, long time.Duration
}

func (l *computations) run(flags schedulers.Flags, long, short int) error {
	var longs, shorts sync.WaitGroup
	began := time.Now()
	for range long {
		longs.Add(1)
		err := l.pool.Submit(do(func(schedulers.Worker) {
			defer longs.Done()
			compute(l.steps)
			l.look()
		}), schedulers.Hint{Flags: flags})
		if err != nil {
			return err
		}
	}
	for range short {
		shorts.Add(1)
		err := l.pool.Submit(do(func(schedulers.Worker) {
			defer shorts.Done()
			compute(100)
			l.look()
		}), schedulers.Hint{})
		if err != nil {
			return err
		}
	}
	shorts.Wait()
	l.short = time.Since(began)
	longs.Wait()
	l.long = time.Since(began)
	return l.pool.Shutdown(context.Background())
}

// look records the number of workers.
func (l *computations) look() {
	for n, most := l.pool.Metrics().Workers, l.most.Load(); n > most && !l.most.CompareAndSwap(most, n); most = l.most.Load() {
	}
}
