package main

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// longRunning gives a pool computations that take much longer than its stall interval, and short
// work items behind them. A pool cannot distinguish computing from waiting: it adds workers, which
// do not speed up the computation, but share the processors with all the others. The pool ignores
// computations that are flagged as long-running.
func longRunning(out io.Writer, processors, items int) error {
	t := table(out, "the long ones are", "workers at most", "short items took", "long ones took")
	for _, c := range []struct {
		words string
		flags []job.Option
	}{
		{words: "not flagged"},
		{words: "flagged LongRunning", flags: []job.Option{job.LongRunning()}},
	} {
		l := &computations{pool: pool.New(pool.Workers(processors, 64*processors), pool.AddAfter(5*time.Millisecond)), steps: items * 500, flags: c.flags}
		if err := l.run(8*processors, items/100); err != nil {
			return err
		}
		row(t, c.words, l.maxWorkers.Load(), l.short.Round(10*time.Microsecond), l.long.Round(time.Millisecond))
	}
	return t.Flush()
}

type computations struct {
	pool  *pool.Pool
	steps int // of a long work item
	flags []job.Option

	maxWorkers  atomic.Uint64 // workers
	short, long time.Duration
}

// run measures how long the short work items take behind the long ones. Long and short are
// separate functions, as in a program. In all cases one long run comes first.
func (l *computations) run(long, short int) error {
	ctx := schedulers.With(context.Background(), l.pool)
	aLong := func(context.Context) error { compute(l.steps); l.noteWorkers(); return nil }
	aShort := func(context.Context) error { compute(100); l.noteWorkers(); return nil }
	if _, err := job.Go(ctx, aLong, l.flags...).Wait(ctx); err != nil {
		return err
	}
	began := time.Now()
	longs, shorts := make([]job.Handle, long), make([]job.Handle, short)
	for i := range longs {
		longs[i] = job.Go(ctx, aLong, l.flags...)
	}
	for i := range shorts {
		shorts[i] = job.Go(ctx, aShort)
	}
	if _, err := job.WhenAllOf(shorts...).Wait(ctx); err != nil {
		return err
	}
	l.short = time.Since(began)
	if _, err := job.WhenAllOf(longs...).Wait(ctx); err != nil {
		return err
	}
	l.long = time.Since(began)
	return l.pool.Shutdown(context.Background())
}

// noteWorkers records the number of workers.
func (l *computations) noteWorkers() {
	for n, highest := l.pool.Metrics().Workers, l.maxWorkers.Load(); n > highest && !l.maxWorkers.CompareAndSwap(highest, n); highest = l.maxWorkers.Load() {
	}
}
