//go:build interleave

package workstealing

import (
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/interleave/business"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. They test the proof
// in spin.go: the scheduler has no goroutine when it is idle, so work that missed its wake-up is
// still there at rest. In addition to the invariants of every scheduler, which package business
// checks, the following hold in all programs:
//
//   - work that waits for work in a queue does not wait while a processor is idle
//   - at rest no worker is counted or spins, all processors are idle, and no queue has work
//   - after Shutdown its end is reached
//   - after Shutdown has abandoned the queued work, no work is queued

func explore(t *testing.T, processors int, program func(s *interleave.Schedule, b *business.Business)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		sched := New(Processors(processors))
		sched.looks, sched.watch.timeout = 1, 0
		b := &business.Business{Scheduler: sched, MaxRunning: int32(processors), Closed: sched.closed, EndReached: sched.shutdown.Finished}
		b.CheckAlways = func() error { return sched.always(b.Abandoned()) }
		b.CheckAtEnd = func() error { return sched.atRest(b.ShutdownCalled) }
		program(s, b)
		return b.Check
	})
}

// closed reports whether no work can be accepted any more. It needs no lock, since one goroutine
// runs at a time.
func (s *Scheduler) closed() bool {
	if !s.shutdown.Begun() {
		return false
	}
	for _, p := range s.procs {
		if p.open {
			return false
		}
	}
	return true
}

// always returns a violation, or nil. It is called while work runs, and after a submission.
func (s *Scheduler) always(abandoned bool) error {
	if abandoned && s.anyQueued() {
		return errors.New("work is queued after Shutdown has abandoned all")
	}
	return nil
}

// atRest returns a violation when all goroutines have ended, or nil.
func (s *Scheduler) atRest(ended bool) error {
	switch {
	case s.anyQueued():
		return errors.New("work is left in a queue")
	case s.count.alive != 0 || len(s.spare) != len(s.workers):
		return fmt.Errorf("at rest, workers are counted: %+v", s.count)
	case s.spinning.Load() != 0:
		return errors.New("at rest, a worker spins")
	case int(s.idle.Load()) != len(s.procs) || len(s.free) != len(s.procs):
		return errors.New("at rest, a processor is not idle")
	case ended && !s.shutdown.Finished():
		return errors.New("the end is not reached")
	}
	return nil
}

func onProcessors(t *testing.T, program func(s *interleave.Schedule, b *business.Business)) {
	t.Helper()
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint("processors=", n), func(t *testing.T) { explore(t, n, program) })
	}
}

func TestInterleavingsOfSubmitters(t *testing.T) { onProcessors(t, business.Submitters) }

func TestInterleavingsOfASubmitterThatComesBack(t *testing.T) {
	onProcessors(t, business.SubmitterThatComesBack)
}

// While the first worker spins, the second submission starts no worker. The worker that stops
// spinning starts one; its own work does not end before the other work has run.
func TestInterleavingsOfWorkThatWaitsForQueuedWork(t *testing.T) {
	for name, hint := range map[string]schedulers.Flags{"own queue": 0, "global queue": schedulers.PreferFairness} {
		t.Run(name, func(t *testing.T) {
			explore(t, 2, func(s *interleave.Schedule, b *business.Business) {
				var happened interleave.Bool
				other := b.Task(func(schedulers.Worker) { happened.Store(true) })
				waits := b.Task(func(on schedulers.Worker) {
					if hint == 0 {
						b.Submit(other, schedulers.Hint{From: on})
					}
					business.Until(&happened)
				})
				s.Go("submitter", func() {
					b.Submit(waits, schedulers.Hint{})
					if hint != 0 {
						b.Submit(other, schedulers.Hint{Flags: hint})
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
			onProcessors(t, func(s *interleave.Schedule, b *business.Business) {
				inner, second := b.Task(nil), b.Task(nil)
				outer := b.Task(func(on schedulers.Worker) {
					b.Submit(inner, schedulers.Hint{From: on, Flags: flags})
					b.Submit(second, schedulers.Hint{From: on, Flags: flags})
				})
				s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
			})
		})
	}
}

// A queue holds three work items here, one of them in its slot. The fourth makes half of them
// move to the global queue, at the same time as thieves and a shutdown.
func TestInterleavingsOfAFullQueue(t *testing.T) {
	for _, closes := range []bool{false, true} {
		t.Run(fmt.Sprint("shutdown=", closes), func(t *testing.T) {
			onProcessors(t, func(s *interleave.Schedule, b *business.Business) {
				var inner []*business.Task
				for range 5 {
					inner = append(inner, b.Task(nil))
				}
				outer := b.Task(func(on schedulers.Worker) {
					for _, w := range inner {
						b.Submit(w, schedulers.Hint{From: on})
					}
				})
				s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
				if closes {
					s.Go("closer", b.Shutdown)
				}
			})
		})
	}
}

// Two thieves steal from each other, while a wrong hint fills the queue of one of them.
func TestInterleavingsOfThieves(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business.Business) {
		many := func() (all []*business.Task) {
			for range 3 {
				all = append(all, b.Task(nil))
			}
			return all
		}
		first, second, third := many(), many(), many()
		fill := func(works []*business.Task, on schedulers.Worker) {
			for _, w := range works {
				b.Submit(w, schedulers.Hint{From: on})
			}
		}
		one := b.Task(func(on schedulers.Worker) {
			interleave.Go(func() { fill(third, on) })
			fill(first, on)
		})
		two := b.Task(func(on schedulers.Worker) { fill(second, on) })
		s.Go("submitter", func() {
			b.Submit(one, schedulers.Hint{})
			b.Submit(two, schedulers.Hint{})
		})
	})
}

func TestInterleavingsOfAWrongHint(t *testing.T) { onProcessors(t, business.WrongHint) }

func TestInterleavingsOfShutdown(t *testing.T) { onProcessors(t, business.Shutdown) }

// Shutdown waits for the last work, even if no worker has started yet to run it.
func TestInterleavingsOfAShutdownThatWaits(t *testing.T) {
	onProcessors(t, func(s *interleave.Schedule, b *business.Business) {
		inner := b.Task(nil)
		outer := b.Task(func(on schedulers.Worker) { b.Submit(inner, schedulers.Hint{From: on}) })
		s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
		// Queued work runs. The program cannot wait for that; the check runs at rest.
		s.Go("closer", func() {
			b.ShutdownCalled = true
			b.Scheduler.(*Scheduler).close()
		})
	})
}

func TestInterleavingsOfAWorkerThatBlocks(t *testing.T) { explore(t, 1, business.WorkerThatBlocks) }
