package main

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/pool"
)

// ender is a scheduler that can end.
type ender interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// threads runs operations of about a microsecond: each on a separate thread, on a separate
// goroutine, and in a pool, with a limit on how many run at a time.
func threads(out io.Writer, processors, works int) error {
	t := table(out, "where", "each")
	for _, w := range []struct {
		where string
		s     ender
		works int
	}{
		{"a thread each", dedicated.NewRunner(""), max(1, works/100)},
		{"a goroutine each", goroutine.New(), works},
		{"a pool", pool.New(pool.Workers(processors, processors)), works},
	} {
		took, err := operations(w.s, w.works)
		if err != nil {
			return err
		}
		row(t, w.where, took)
	}
	return t.Flush()
}

// operations runs work items, at most 64 at a time, and returns the time of each.
func operations(s ender, works int) (time.Duration, error) {
	var all sync.WaitGroup
	room := make(chan struct{}, 64)
	began := time.Now()
	for range works {
		room <- struct{}{}
		all.Add(1)
		err := s.Submit(do(func(schedulers.Worker) {
			defer all.Done()
			compute(1_000)
			<-room
		}), schedulers.Hint{})
		if err != nil {
			return 0, err
		}
	}
	all.Wait()
	took := time.Since(began)
	return (took / time.Duration(works)).Round(time.Nanosecond), s.Shutdown(context.Background())
}
