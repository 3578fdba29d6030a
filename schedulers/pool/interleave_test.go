//go:build interleave

package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. Workers are
// goroutines of the program. The pool has no goroutine when it is idle, so work that
// missed its worker is still there at rest. What must hold in all of them:
//
//   - accepted work is run once, or abandoned once, before all goroutines have ended
//   - at rest no worker is counted, and no queue has work
//   - after Shutdown nothing is accepted, and its end is reached
//   - at most as many work items run as there are workers

// business is a pool and its work.
type business struct {
	pool    *Pool
	tasks   []*task
	running interleave.Int32
	most    int32
	done    bool // Shutdown was called
	wrong   error
}

// task is work that may submit more.
type task struct {
	of                       *business
	then                     func(on schedulers.Worker)
	accepted, ran, abandoned int
}

// Run implements schedulers.Work.
func (w *task) Run(on schedulers.Worker) {
	if w.of.running.Add(1) > w.of.most {
		w.of.wrong = errors.New("more work runs than there are workers")
	}
	w.ran++
	if w.then != nil {
		w.then(on)
	}
	w.of.running.Add(-1)
}

// Abandon implements schedulers.Work.
func (w *task) Abandon(error) { w.abandoned++ }

func (b *business) task(then func(on schedulers.Worker)) *task {
	w := &task{of: b, then: then}
	b.tasks = append(b.tasks, w)
	return w
}

func (b *business) submit(w *task, hint schedulers.Hint) {
	closed := b.pool.ending.Reached()
	if b.pool.Submit(w, hint) == nil {
		w.accepted++
		if closed {
			b.wrong = errors.New("work is accepted after the end")
		}
	}
}

// shutdown abandons what is queued.
func (b *business) shutdown() {
	b.done = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.pool.Shutdown(ctx)
}

func (b *business) check() error {
	if b.wrong != nil {
		return b.wrong
	}
	for i, w := range b.tasks {
		if w.ran+w.abandoned != w.accepted {
			return fmt.Errorf("work %d was accepted %d times, run %d times and abandoned %d times", i, w.accepted, w.ran, w.abandoned)
		}
	}
	p := b.pool
	switch {
	case p.anyQueued():
		return errors.New("work is left in a queue")
	case p.room.running != 0 || p.count.alive != 0 || p.room.starting:
		return fmt.Errorf("at rest, workers are counted: %+v", p.room)
	case b.done && !p.ending.Reached():
		return errors.New("the end is not reached")
	case !b.done && !p.hungry.Load():
		return errors.New("an idle pool is not hungry")
	}
	return nil
}

func explore(t *testing.T, workers int, program func(s *interleave.Schedule, b *business)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		b := &business{pool: New(Workers(workers, workers), AddAfter(0)), most: int32(workers)}
		program(s, b)
		return b.check
	})
}

func onWorkers(t *testing.T, program func(s *interleave.Schedule, b *business)) {
	t.Helper()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) { explore(t, workers, program) })
	}
}

func TestInterleavingsOfSubmitters(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business) {
		for i := range 2 {
			w := b.task(nil)
			s.Go(fmt.Sprint("submitter ", i), func() { b.submit(w, schedulers.Hint{}) })
		}
	})
}

func TestInterleavingsOfASubmitterThatComesBack(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business) {
		first, second := b.task(nil), b.task(nil)
		s.Go("submitter", func() {
			b.submit(first, schedulers.Hint{})
			b.submit(second, schedulers.Hint{})
		})
	})
}

// Work that submits work to its own worker's queue, or says that it leaves.
func TestInterleavingsOfNestedWork(t *testing.T) {
	for name, hint := range map[string]func(on schedulers.Worker) schedulers.Hint{
		"own queue": func(on schedulers.Worker) schedulers.Hint { return schedulers.Hint{From: on} },
		"leaving": func(on schedulers.Worker) schedulers.Hint {
			return schedulers.Hint{From: on.(schedulers.Leaver).Leaving()}
		},
		"fair": func(on schedulers.Worker) schedulers.Hint {
			return schedulers.Hint{From: on, Flags: schedulers.PreferFairness}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onWorkers(t, func(s *interleave.Schedule, b *business) {
				inner := b.task(nil)
				outer := b.task(func(on schedulers.Worker) { b.submit(inner, hint(on)) })
				other := b.task(nil)
				s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
				s.Go("other", func() { b.submit(other, schedulers.Hint{}) })
			})
		})
	}
}

// A hint that is wrong: the work goes to the queue of a worker that may just end.
func TestInterleavingsOfAWrongHint(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business) {
		late, again := b.task(nil), b.task(nil)
		first := b.task(func(on schedulers.Worker) {
			interleave.Go(func() { b.submit(late, schedulers.Hint{From: on}) })
		})
		s.Go("submitter", func() {
			b.submit(first, schedulers.Hint{})
			b.submit(again, schedulers.Hint{})
		})
	})
}

// Work that yields stays with its worker, unless other work waits.
func TestInterleavingsOfYielding(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business) {
		turns := 0
		var yields *task
		yields = b.task(func(on schedulers.Worker) {
			if turns++; turns < 3 {
				b.submit(yields, schedulers.Hint{From: on.(schedulers.Leaver).Leaving(), Flags: schedulers.PreferFairness})
			}
		})
		other := b.task(nil)
		s.Go("submitter", func() { b.submit(yields, schedulers.Hint{}) })
		s.Go("other", func() { b.submit(other, schedulers.Hint{}) })
	})
}

func TestInterleavingsOfShutdown(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business) {
		inner := b.task(nil)
		outer := b.task(func(on schedulers.Worker) { b.submit(inner, schedulers.Hint{From: on}) })
		other := b.task(nil)
		s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
		s.Go("other", func() { b.submit(other, schedulers.Hint{}) })
		s.Go("closer", b.shutdown)
	})
}
