//go:build interleave

package pool

import (
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/interleave/business"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. Workers are
// goroutines of the program. The pool has no goroutine when it is idle, so work that
// missed its worker is still there at rest. In addition to the invariants of every scheduler,
// which package business checks, the following hold in all programs:
//
//   - at rest no worker is counted, and no queue has work
//   - after Shutdown its end is reached

func explore(t *testing.T, workers int, program func(s *interleave.Schedule, b *business.Business)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		p := New(Workers(workers, workers), AddAfter(0))
		b := &business.Business{Scheduler: p, MaxRunning: int32(workers), Closed: p.shutdown.Finished, EndReached: p.shutdown.Finished}
		b.CheckAtEnd = func() error { return p.atRest(b.ShutdownCalled) }
		b.CheckAlways = p.oneStarts
		program(s, b)
		return b.Check
	})
}

// atRest returns a violation when all goroutines have ended, or nil.
func (p *Pool) atRest(ended bool) error {
	switch {
	case p.anyQueued():
		return errors.New("work is left in a queue")
	case p.capacity.running != 0 || p.count.alive != 0 || p.capacity.starting:
		return fmt.Errorf("at rest, workers are counted: %+v", p.capacity)
	case ended && !p.shutdown.Finished():
		return errors.New("the end is not reached")
	case !ended && !p.needsDispatch.Load():
		return errors.New("an idle pool is not hungry")
	}
	return nil
}

// oneStarts returns an error if two workers are starting.
func (p *Pool) oneStarts() error {
	starting := 0
	for _, w := range p.slots.all {
		if w.live && w.fresh {
			starting++
		}
	}
	if starting > 1 {
		return fmt.Errorf("%d workers are starting", starting)
	}
	return nil
}

func onWorkers(t *testing.T, program func(s *interleave.Schedule, b *business.Business)) {
	t.Helper()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) { explore(t, workers, program) })
	}
}

func TestInterleavingsOfSubmitters(t *testing.T) { onWorkers(t, business.Submitters) }

func TestInterleavingsOfASubmitterThatComesBack(t *testing.T) {
	onWorkers(t, business.SubmitterThatComesBack)
}

// Work submits work to its own worker's queue, or with the hint that it is leaving.
func TestInterleavingsOfNestedWork(t *testing.T) {
	for name, hint := range map[string]func(self schedulers.Worker) schedulers.Hint{
		"own queue": func(self schedulers.Worker) schedulers.Hint { return schedulers.Hint{From: self} },
		"leaving": func(self schedulers.Worker) schedulers.Hint {
			return schedulers.Hint{From: self.(dispatch.Leaver).Leaving()}
		},
		"fair": func(self schedulers.Worker) schedulers.Hint {
			return schedulers.Hint{From: self, Flags: schedulers.PreferFairness}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onWorkers(t, func(s *interleave.Schedule, b *business.Business) {
				inner := b.Task(nil)
				outer := b.Task(func(self schedulers.Worker) { b.Submit(inner, hint(self)) })
				other := b.Task(nil)
				s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
				s.Go("other", func() { b.Submit(other, schedulers.Hint{}) })
			})
		})
	}
}

func TestInterleavingsOfAWrongHint(t *testing.T) { onWorkers(t, business.WrongHint) }

// Work that yields stays with its worker, unless other work waits.
func TestInterleavingsOfYielding(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business.Business) {
		turns := 0
		var yields *business.Task
		yields = b.Task(func(self schedulers.Worker) {
			if turns++; turns < 3 {
				b.Submit(yields, schedulers.Hint{From: self.(dispatch.Leaver).Leaving(), Flags: schedulers.PreferFairness})
			}
		})
		other := b.Task(nil)
		s.Go("submitter", func() { b.Submit(yields, schedulers.Hint{}) })
		s.Go("other", func() { b.Submit(other, schedulers.Hint{}) })
	})
}

func TestInterleavingsOfShutdown(t *testing.T) { onWorkers(t, business.Shutdown) }

func TestInterleavingsOfAWorkerThatBlocks(t *testing.T) { explore(t, 1, business.WorkerThatBlocks) }

// A wrong hint names a worker whose slot is dropped when it ends.
func TestInterleavingsOfAWrongHintToAnExtraWorker(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business.Business) {
		b.MaxRunning = 2
		var happened interleave.Bool
		late := b.Task(nil)
		extra := b.Task(func(self schedulers.Worker) {
			interleave.Go(func() { b.Submit(late, schedulers.Hint{From: self}) })
			happened.Store(true)
		})
		blocks := b.Task(func(self schedulers.Worker) {
			unblock, _ := self.(schedulers.Blocker).Block()
			b.Submit(extra, schedulers.Hint{})
			business.Until(&happened)
			unblock()
		})
		s.Go("submitter", func() { b.Submit(blocks, schedulers.Hint{}) })
	})
}

// A worker that searches the global queue before its own starts another worker: the work that
// it finds there may wait for work in its own queue.
func TestInterleavingsOfAWorkerThatLooksElsewhere(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business.Business) {
		var happened interleave.Bool
		inner := b.Task(func(schedulers.Worker) { happened.Store(true) })
		waits := b.Task(func(schedulers.Worker) { business.Until(&happened) })
		outer := b.Task(func(self schedulers.Worker) {
			self.(*worker).tick = fairTick - 1 // it must check the other queues next
			leaving := schedulers.Hint{From: self.(dispatch.Leaver).Leaving()}
			b.Submit(waits, schedulers.Hint{From: leaving.From, Flags: schedulers.PreferFairness})
			b.Submit(inner, leaving)
		})
		s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
	})
}

// A worker that ends because there are too many leaves nothing in its queue.
func TestInterleavingsOfALowerLimit(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business.Business) {
		inner, other := b.Task(nil), b.Task(nil)
		outer := b.Task(func(self schedulers.Worker) {
			b.Submit(inner, schedulers.Hint{From: self})
			self.(*worker).tick = fairTick - 1
		})
		s.Go("submitter", func() {
			b.Submit(other, schedulers.Hint{})
			b.Submit(outer, schedulers.Hint{})
		})
		s.Go("limiter", func() { b.Scheduler.(*Pool).SetWorkers(1, 1) })
	})
}

// A worker that starts, or stays, after the pool was closed accepts no work.
func TestInterleavingsOfWorkInAClosedPool(t *testing.T) {
	onWorkers(t, func(s *interleave.Schedule, b *business.Business) {
		p := b.Scheduler.(*Pool)
		b.ShutdownCalled = true
		var closed interleave.Bool
		submits := func() *business.Task {
			inner := b.Task(nil)
			return b.Task(func(self schedulers.Worker) {
				late := closed.Load()
				b.Submit(inner, schedulers.Hint{From: self})
				if late && inner.Accepted() > 0 {
					b.Fail(errors.New("a closed pool accepts work of its own work"))
				}
			})
		}
		outer, other := submits(), submits()
		s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
		s.Go("other", func() { b.Submit(other, schedulers.Hint{}) })
		s.Go("closer", func() { p.close(); closed.Store(true) })
	})
}

// A wrong hint names a worker that has just found its own queue empty.
func TestInterleavingsOfAWrongHintToAQueueThatWasUsed(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business.Business) {
		inner, late := b.Task(nil), b.Task(nil)
		first := b.Task(func(self schedulers.Worker) {
			b.Submit(inner, schedulers.Hint{From: self})
			interleave.Go(func() { b.Submit(late, schedulers.Hint{From: self}) })
		})
		s.Go("submitter", func() { b.Submit(first, schedulers.Hint{}) })
	})
}

// A wrong hint names a worker that is starting. That worker first searches for the work for
// which it was started.
func TestInterleavingsOfAWrongHintToAWorkerThatStarts(t *testing.T) {
	explore(t, 2, func(s *interleave.Schedule, b *business.Business) {
		var happened interleave.Bool
		other := b.Task(func(schedulers.Worker) { happened.Store(true) })
		late := b.Task(func(schedulers.Worker) { business.Until(&happened) })
		first := b.Task(func(self schedulers.Worker) {
			interleave.Go(func() {
				b.Submit(other, schedulers.Hint{})
				b.Submit(late, schedulers.Hint{From: self})
			})
		})
		s.Go("submitter", func() { b.Submit(first, schedulers.Hint{}) })
	})
}

// Work that yields lets work that was submitted meanwhile run first, with two exceptions: one
// run may have begun, and another one may have made its check before the submission.
func TestInterleavingsOfYieldingToANewcomer(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, b *business.Business) {
		var submitted interleave.Bool
		turns, after := 0, 0
		other := b.Task(nil)
		var yields *business.Task
		yields = b.Task(func(self schedulers.Worker) {
			if submitted.Load() && other.Ran() == 0 {
				if after++; after > 2 {
					b.Fail(errors.New("work that yields overtakes what was submitted"))
				}
			}
			if turns++; turns < 6 {
				b.Submit(yields, schedulers.Hint{From: self.(dispatch.Leaver).Leaving(), Flags: schedulers.PreferFairness})
			}
		})
		s.Go("submitter", func() { b.Submit(yields, schedulers.Hint{}) })
		s.Go("other", func() {
			b.Submit(other, schedulers.Hint{})
			submitted.Store(true)
		})
	})
}
