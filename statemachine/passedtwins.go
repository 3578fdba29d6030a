package statemachine

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// This file is for functions with twins that are passed to the runtime by their names.
// Source, then result:
//
//	s.Go(fetch)
//
//	s.Go(statemachine.Action1(fetchAsync))

// Func1 returns the function with the twin start in a form that the runtime can call: it
// suspends until the twin's job has ended. The digit is the number of parameters.
func Func1[A, T any](start func(A) *job.Job[T]) func(A) (T, error) {
	return func(a A) (T, error) { return awaitTwin(start(a)) }
}

// Func2 is [Func1] for two parameters.
func Func2[A, B, T any](start func(A, B) *job.Job[T]) func(A, B) (T, error) {
	return func(a A, b B) (T, error) { return awaitTwin(start(a, b)) }
}

// Action1 is [Func1] for a function that returns only an error.
func Action1[A any](start func(A) *job.Job[job.Void]) func(A) error {
	return func(a A) error {
		_, err := awaitTwin(start(a))
		return err
	}
}

// Action2 is [Action1] for two parameters.
func Action2[A, B any](start func(A, B) *job.Job[job.Void]) func(A, B) error {
	return func(a A, b B) error {
		_, err := awaitTwin(start(a, b))
		return err
	}
}

// awaitTwin returns the results of a job that has ended, or an error saying that the
// function has suspended until j ends.
func awaitTwin[T any](j *job.Job[T]) (T, error) {
	var none T
	if j == nil {
		return none, job.ErrNilJob
	}
	if j.IsCompleted() {
		if v, err := j.GetResult(); !promise.Thrown(err) {
			return v, err
		}
	}
	return none, &suspendedOnTwin[T]{twin: j}
}

func toPanicError(value any) error { return promise.Panic(value) }

// suspendedOnTwin is a function that has suspended until the job of its twin ends.
type suspendedOnTwin[T any] struct { //nolint:errname // an error only for the way out
	twin      *job.Job[T]
	node      continuation.Node
	completer suspension.Completer[T]
}

// Error implements error. The error never reaches user code.
func (*suspendedOnTwin[T]) Error() string { return "movenext: the function has suspended" }

// GoOn implements suspension.Suspended.
func (s *suspendedOnTwin[T]) GoOn(end any, worker schedulers.Worker, _ uint8) {
	s.completer = end.(suspension.Completer[T])
	s.node.Prepare(s)
	if !s.twin.Register(&s.node) {
		s.Completed(worker).Deliver(worker)
	}
}

// Completed implements continuation.Target: the twin's job has ended.
func (s *suspendedOnTwin[T]) Completed(schedulers.Worker) continuation.Chain {
	v, err := s.twin.GetResult()
	if promise.Thrown(err) {
		return s.completer.Fault(err)
	}
	return s.completeWith(v, err)
}

// completeWith calls methods of a user's error on the goroutine that completed the job, and
// contains a panic in them.
func (s *suspendedOnTwin[T]) completeWith(v T, err error) (waiters continuation.Chain) {
	defer func() {
		if v := recover(); v != nil {
			waiters = s.completer.Fault(toPanicError(v))
		}
	}()
	return s.completer.Return(v, err)
}

// WaitingFrames is for reports of package job: this waiter has no frames.
func (s *suspendedOnTwin[T]) WaitingFrames() []job.Frame { return nil }

// WaitingJob is for reports of package job: asynchronous stacks, and searches for cycles, go
// through it.
func (s *suspendedOnTwin[T]) WaitingJob() job.Handle {
	h, _ := s.completer.Handle().(job.Handle)
	return h
}
