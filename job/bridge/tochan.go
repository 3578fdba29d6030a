package bridge

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Outcome is the result and the error of a job that has ended.
type Outcome[T any] struct {
	Value  T
	Err    error
	Status job.Status
}

// ToChan returns a channel that yields the outcome of j once and is then closed: for a
// select over jobs and channels. No goroutine is held. A receiver may drop the channel
// without receiving; j keeps it in memory until j ends. A Created j is started. ToChan
// does not block.
func ToChan[T any](j *job.Job[T]) <-chan Outcome[T] {
	s := &sender[T]{job: j, out: make(chan Outcome[T], 1)}
	s.Prepare(s)
	if !j.Register(&s.Node) {
		s.Completed(nil)
	}
	return s.out
}

type sender[T any] struct {
	continuation.Node
	job *job.Job[T]
	out chan Outcome[T]
}

// Completed implements continuation.Target.
func (s *sender[T]) Completed(schedulers.Worker) continuation.Chain {
	v, err := s.job.GetResult()
	s.out <- Outcome[T]{v, err, s.job.Status()}
	close(s.out)
	return continuation.Chain{}
}
