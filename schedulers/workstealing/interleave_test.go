//go:build interleave

package workstealing

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. They try the proof
// in spin.go: the scheduler has no goroutine when it is idle, so work that missed its
// wake-up is still there at rest. What must hold in all of them:
//
//   - accepted work is run once, or abandoned once, before all goroutines have ended
//   - work that waits for work in a queue does not wait while a processor is idle
//   - at rest no worker is counted or spins, all processors are idle, and no queue has work
//   - after Shutdown nothing is accepted, and its end is reached
//   - at most as many work items run as there are processors

// business is a scheduler and its work.
type business struct {
	sched   *Scheduler
	tasks   []*task
	running interleave.Int32
	most    int32
	done    bool // Shutdown was called
	over    bool // and has abandoned what was queued
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
		w.of.wrong = errors.New("more work runs than there are processors")
	}
	if w.of.sched.ending.Reached() {
		w.of.wrong = errors.New("work runs after the end")
	}
	w.ran++
	if w.then != nil {
		w.then(on)
	}
	if w.of.over && w.of.sched.anyQueued() {
		w.of.wrong = errors.New("work is queued after Shutdown has abandoned all")
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
	closed := b.closed()
	if b.sched.Submit(w, hint) == nil {
		w.accepted++
		if closed {
			b.wrong = errors.New("work is accepted after Shutdown")
		}
	}
}

// closed reports whether nothing can be accepted any more: one goroutine runs at a time, so no
// lock is needed to look.
func (b *business) closed() bool {
	if !b.sched.ending.Begun() {
		return false
	}
	for _, p := range b.sched.procs {
		if p.open {
			return false
		}
	}
	return true
}

// shutdown abandons what is queued.
func (b *business) shutdown() {
	b.done = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.sched.Shutdown(ctx)
	b.over = true
}

// until waits for what other work does.
func until(happened *interleave.Bool) {
	for !happened.Load() {
		interleave.Spin()
	}
}

// close lets what is queued run. A test cannot wait for it: it looks when all is at rest.
func (b *business) close() {
	b.done = true
	b.sched.close()
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
	s := b.sched
	switch {
	case s.anyQueued():
		return errors.New("work is left in a queue")
	case s.count.alive != 0 || len(s.spare) != len(s.workers):
		return fmt.Errorf("at rest, workers are counted: %+v", s.count)
	case s.spinning.Load() != 0:
		return errors.New("at rest, a worker spins")
	case int(s.idle.Load()) != len(s.procs) || len(s.free) != len(s.procs):
		return errors.New("at rest, a processor is not idle")
	case b.done && !s.ending.Reached():
		return errors.New("the end is not reached")
	}
	return nil
}

func explore(t *testing.T, processors int, program func(s *interleave.Schedule, b *business)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		b := &business{sched: New(Processors(processors)), most: int32(processors)}
		b.sched.looks, b.sched.watch.patience = 1, 0
		program(s, b)
		return b.check
	})
}

func onProcessors(t *testing.T, program func(s *interleave.Schedule, b *business)) {
	t.Helper()
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint("processors=", n), func(t *testing.T) { explore(t, n, program) })
	}
}

func TestInterleavingsOfSubmitters(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business) {
		for i := range 2 {
			w := b.task(nil)
			s.Go(fmt.Sprint("submitter ", i), func() { b.submit(w, schedulers.Hint{}) })
		}
	})
}

// The second work meets the first worker at each step of its end.
func TestInterleavingsOfASubmitterThatComesBack(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business) {
		first, second := b.task(nil), b.task(nil)
		s.Go("submitter", func() {
			b.submit(first, schedulers.Hint{})
			b.submit(second, schedulers.Hint{})
		})
	})
}

// While the first worker spins, the second submission starts none: the worker that stops
// spinning does, although its work does not end before the other work has run.
func TestInterleavingsOfWorkThatWaitsForQueuedWork(t *testing.T) {
	for name, hint := range map[string]schedulers.Flags{"own queue": 0, "global queue": schedulers.PreferFairness} {
		t.Run(name, func(t *testing.T) {
			explore(t, 2, func(s *interleave.Schedule, b *business) {
				var happened interleave.Bool
				other := b.task(func(schedulers.Worker) { happened.Store(true) })
				waits := b.task(func(on schedulers.Worker) {
					if hint == 0 {
						b.submit(other, schedulers.Hint{From: on})
					}
					until(&happened)
				})
				s.Go("submitter", func() {
					b.submit(waits, schedulers.Hint{})
					if hint != 0 {
						b.submit(other, schedulers.Hint{Flags: hint})
					}
				})
			})
		})
	}
}

// Work that submits work to its own worker's queue, where another worker may steal it.
func TestInterleavingsOfNestedWork(t *testing.T) {
	for name, flags := range map[string]schedulers.Flags{"own queue": 0, "fair": schedulers.PreferFairness} {
		t.Run(name, func(t *testing.T) {
			onProcessors(t, func(s *interleave.Schedule, b *business) {
				inner, second := b.task(nil), b.task(nil)
				outer := b.task(func(on schedulers.Worker) {
					b.submit(inner, schedulers.Hint{From: on, Flags: flags})
					b.submit(second, schedulers.Hint{From: on, Flags: flags})
				})
				s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
			})
		})
	}
}

// A queue holds three work items here, one of them in its slot. The fourth makes half of them
// move to the global queue, while thieves and the end meet them.
func TestInterleavingsOfAFullQueue(t *testing.T) {
	for _, closes := range []bool{false, true} {
		t.Run(fmt.Sprint("shutdown=", closes), func(t *testing.T) {
			onProcessors(t, func(s *interleave.Schedule, b *business) {
				var inner []*task
				for range 5 {
					inner = append(inner, b.task(nil))
				}
				outer := b.task(func(on schedulers.Worker) {
					for _, w := range inner {
						b.submit(w, schedulers.Hint{From: on})
					}
				})
				s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
				if closes {
					s.Go("closer", b.shutdown)
				}
			})
		})
	}
}

// Thieves that rob each other, while a wrong hint fills the queue of one of them.
func TestInterleavingsOfThieves(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business) {
		many := func() (all []*task) {
			for range 3 {
				all = append(all, b.task(nil))
			}
			return all
		}
		first, second, third := many(), many(), many()
		fill := func(works []*task, on schedulers.Worker) {
			for _, w := range works {
				b.submit(w, schedulers.Hint{From: on})
			}
		}
		one := b.task(func(on schedulers.Worker) {
			interleave.Go(func() { fill(third, on) })
			fill(first, on)
		})
		two := b.task(func(on schedulers.Worker) { fill(second, on) })
		s.Go("submitter", func() {
			b.submit(one, schedulers.Hint{})
			b.submit(two, schedulers.Hint{})
		})
	})
}

// A hint that is wrong: the work goes to the queue of a processor whose worker may just end.
func TestInterleavingsOfAWrongHint(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business) {
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

func TestInterleavingsOfShutdown(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business) {
		inner := b.task(nil)
		outer := b.task(func(on schedulers.Worker) { b.submit(inner, schedulers.Hint{From: on}) })
		other := b.task(nil)
		s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
		s.Go("other", func() { b.submit(other, schedulers.Hint{}) })
		s.Go("closer", b.shutdown)
	})
}

// The end is that of the last work, also if no worker is there yet to run it.
func TestInterleavingsOfAShutdownThatWaits(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business) {
		inner := b.task(nil)
		outer := b.task(func(on schedulers.Worker) { b.submit(inner, schedulers.Hint{From: on}) })
		s.Go("submitter", func() { b.submit(outer, schedulers.Hint{}) })
		s.Go("closer", b.close)
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
