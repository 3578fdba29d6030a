package main

import (
	"context"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/pool"
)

// shutdownScheduler is a scheduler that can end.
type shutdownScheduler interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// threads runs operations of about a microsecond: each on a separate thread, on a separate
// goroutine, and in a pool, with a limit on how many run at a time.
func threads(out io.Writer, processors, items int) error {
	t := table(out, "where", "each")
	for _, w := range []struct {
		where string
		s     shutdownScheduler
		begin func()
		items int
	}{
		{"a thread each", goroutine.New(), runtime.LockOSThread, max(1, items/100)}, // it ends with its goroutine
		{"a goroutine each", goroutine.New(), func() {}, items},
		{"a pool", pool.New(pool.Workers(processors, processors)), func() {}, items},
	} {
		took, err := operations(w.s, w.begin, w.items)
		if err != nil {
			return err
		}
		row(t, w.where, took)
	}
	return t.Flush()
}

// operations runs work items, at most 64 at a time, each after begin. It returns the time of each.
func operations(s shutdownScheduler, begin func(), items int) (time.Duration, error) {
	var all sync.WaitGroup
	room := make(chan struct{}, 64)
	began := time.Now()
	for range items {
		room <- struct{}{}
		all.Add(1)
		err := s.Submit(do(func(schedulers.Worker) {
			defer all.Done()
			begin()
			compute(1_000)
			<-room
		}), schedulers.Hint{})
		if err != nil {
			return 0, err
		}
	}
	all.Wait()
	took := time.Since(began)
	return (took / time.Duration(items)).Round(time.Nanosecond), s.Shutdown(context.Background())
}
