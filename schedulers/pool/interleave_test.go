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
	over    bool // and has returned
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
	closed := b.over || b.pool.ending.Reached()
	if b.pool.Submit(w, hint) == nil {
		w.accepted++
		if closed {
			b.wrong = errors.New("work is accepted after Shutdown")
		}
	}
}

// shutdown abandons what is queued.
func (b *business) shutdown() {
	b.done = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.pool.Shutdown(ctx)
	b.over = true
}

// until waits for what other work does.
func until(happened *interleave.Bool) {
	for !happened.Load() {
		interleave.Spin()
	}
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

// What a worker that blocks waits for is run, whenever it was submitted.
func TestInterleavingsOfAWorkerThatBlocks(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business) {
		b.most = 2
		var happened interleave.Bool
		other := b.task(func(schedulers.Worker) { happened.Store(true) })
		blocks := b.task(func(on schedulers.Worker) {
			unblock, _ := on.(schedulers.Blocker).Block()
			until(&happened)
			unblock()
		})
		s.Go("submitter", func() { b.submit(blocks, schedulers.Hint{}) })
		s.Go("other", func() { b.submit(other, schedulers.Hint{}) })
	})
}

// A wrong hint names a worker whose slot is dropped when it ends.
func TestInterleavingsOfAWrongHintToAnExtraWorker(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business) {
		b.most = 2
		var happened interleave.Bool
		late := b.task(nil)
		extra := b.task(func(on schedulers.Worker) {
			interleave.Go(func() { b.submit(late, schedulers.Hint{From: on}) })
			happened.Store(true)
		})
		blocks := b.task(func(on schedulers.Worker) {
			unblock, _ := on.(schedulers.Blocker).Block()
			b.submit(extra, schedulers.Hint{})
			until(&happened)
			unblock()
		})
		s.Go("submitter", func() { b.submit(blocks, schedulers.Hint{}) })
	})
}

// A worker that looks at the global queue before its own asks for help: what it finds there may
// wait for what it has left behind.
func TestInterleavingsOfAWorkerThatLooksElsewhere(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business) {
		var happened interleave.Bool
		inner := b.task(func(schedulers.Worker) { happened.Store(true) })
		waits := b.task(func(schedulers.Worker) { until(&happened) })
		outer := b.task(func(on schedulers.Worker) {
			on.(*worker).tick = fairTick - 1 // it is due
			leaving := schedulers.Hint{From: on.(schedulers.Leaver).Leaving()}
			b.submit(waits, schedulers.Hint{From: leaving.From, Flags: schedulers.PreferFairness})
			b.submit(inner, leaving)
		})
		s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
	})
}

// A worker that ends because there are too many leaves nothing in its queue.
func TestInterleavingsOfALowerLimit(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business) {
		inner, other := b.task(nil), b.task(nil)
		outer := b.task(func(on schedulers.Worker) {
			b.submit(inner, schedulers.Hint{From: on})
			on.(*worker).tick = fairTick - 1
		})
		s.Go("submitter", func() {
			b.submit(other, schedulers.Hint{})
			b.submit(outer, schedulers.Hint{})
		})
		s.Go("limiter", func() { b.pool.SetWorkers(1, 1) })
	})
}

// A wrong hint meets a worker that has just found its own queue empty.
func TestInterleavingsOfAWrongHintToAQueueThatWasUsed(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business) {
		inner, late := b.task(nil), b.task(nil)
		first := b.task(func(on schedulers.Worker) {
			b.submit(inner, schedulers.Hint{From: on})
			interleave.Go(func() { b.submit(late, schedulers.Hint{From: on}) })
		})
		s.Go("submitter", func() { b.submit(first, schedulers.Hint{}) })
	})
}

// A wrong hint leads to a worker that is starting. It looks for what it was started for first.
func TestInterleavingsOfAWrongHintToAWorkerThatStarts(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business) {
		var happened interleave.Bool
		other := b.task(func(schedulers.Worker) { happened.Store(true) })
		late := b.task(func(schedulers.Worker) { until(&happened) })
		first := b.task(func(on schedulers.Worker) {
			interleave.Go(func() {
				b.submit(other, schedulers.Hint{})
				b.submit(late, schedulers.Hint{From: on})
			})
		})
		s.Go("submitter", func() { b.submit(first, schedulers.Hint{}) })
	})
}

// Work that yields lets what was submitted meanwhile go first. One turn may have begun, and
// another one may have looked before.
func TestInterleavingsOfYieldingToANewcomer(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business) {
		var submitted interleave.Bool
		turns, after := 0, 0
		other := b.task(nil)
		var yields *task
		yields = b.task(func(on schedulers.Worker) {
			if submitted.Load() && other.ran == 0 {
				if after++; after > 2 {
					b.wrong = errors.New("work that yields overtakes what was submitted")
				}
			}
			if turns++; turns < 6 {
				b.submit(yields, schedulers.Hint{From: on.(schedulers.Leaver).Leaving(), Flags: schedulers.PreferFairness})
			}
		})
		s.Go("submitter", func() { b.submit(yields, schedulers.Hint{}) })
		s.Go("other", func() {
			b.submit(other, schedulers.Hint{})
			submitted.Store(true)
		})
	})
}
