//go:build interleave

package business

import (
	"fmt"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// The programs below are of interest for every scheduler with workers.

// Submitters submits from two goroutines.
func Submitters(s *interleave.Schedule, b *Business) {
	for i := range 2 {
		w := b.Task(nil)
		s.Go(fmt.Sprint("submitter ", i), func() { b.Submit(w, schedulers.Hint{}) })
	}
}

// SubmitterThatComesBack submits twice: the second submission coincides with each step of the
// end of the first worker.
func SubmitterThatComesBack(s *interleave.Schedule, b *Business) {
	first, second := b.Task(nil), b.Task(nil)
	s.Go("submitter", func() {
		b.Submit(first, schedulers.Hint{})
		b.Submit(second, schedulers.Hint{})
	})
}

// WrongHint submits with a hint that names a worker on which the caller does not run, and which
// may be about to end.
func WrongHint(s *interleave.Schedule, b *Business) {
	late, again := b.Task(nil), b.Task(nil)
	first := b.Task(func(on schedulers.Worker) {
		interleave.Go(func() { b.Submit(late, schedulers.Hint{From: on}) })
	})
	s.Go("submitter", func() {
		b.Submit(first, schedulers.Hint{})
		b.Submit(again, schedulers.Hint{})
	})
}

// Shutdown ends the scheduler while work submits more work.
func Shutdown(s *interleave.Schedule, b *Business) {
	inner := b.Task(nil)
	outer := b.Task(func(on schedulers.Worker) { b.Submit(inner, schedulers.Hint{From: on}) })
	other := b.Task(nil)
	s.Go("submitter", func() { b.Submit(outer, schedulers.Hint{}) })
	s.Go("other", func() { b.Submit(other, schedulers.Hint{}) })
	s.Go("closer", b.Shutdown)
}

// WorkerThatBlocks makes one worker wait for other work, which is submitted at any time.
func WorkerThatBlocks(s *interleave.Schedule, b *Business) {
	b.MaxRunning = 2
	var happened interleave.Bool
	other := b.Task(func(schedulers.Worker) { happened.Store(true) })
	blocks := b.Task(func(on schedulers.Worker) {
		unblock, _ := on.(schedulers.Blocker).Block()
		Until(&happened)
		unblock()
	})
	s.Go("submitter", func() { b.Submit(blocks, schedulers.Hint{}) })
	s.Go("other", func() { b.Submit(other, schedulers.Hint{}) })
}
