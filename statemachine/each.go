package statemachine

import (
	"context"

	"github.com/movenext/movenext/job"
)

// eacher is implemented by a stream of package job that a machine may range over
// without a goroutine: next returns the job of the next value, which fails with
// job.ErrNoJobs at the end. A consumer with a context passes that, or else nil.
type eacher[T any] interface {
	Each(consumer context.Context) (next func() *job.Job[T], stop func())
}

// each is such a stream as an [Iteration]. An error is its last value, as in
// job.WhenEach.
type each[T any] struct {
	Producer[T]
	source   eacher[T]
	consumer context.Context
	next     func() *job.Job[T]
	stop     func()
	step     *job.Job[T]
	failed   bool // the last value came with an error
}

// The states of an each, in addition to those of all frames.
const (
	eachAwaits int32 = 1 + iota // the step
	eachYields                  // it is in a yield
)

// MoveNext implements StateMachine: it runs to the next value or the end.
func (f *each[T]) MoveNext(r *Run) bool {
	switch state := f.State; state {
	case eachAwaits:
		_ = r.Refusal() // a lost home is reported at awaits only
		return f.arrive()
	case NotStarted:
		f.next, f.stop = f.source.Each(f.consumer)
	case eachYields:
		if f.wanted.stopped || f.wanted.failure != nil || f.failed {
			return f.end(r)
		}
	default:
		Misuse(state)
		return true
	}
	if f.step = f.next(); f.step.IsCompleted() && r.Proceed() {
		return f.arrive()
	}
	f.State = eachAwaits
	return r.Await(f.step)
}

// arrive takes the value that has arrived.
func (f *each[T]) arrive() bool {
	v, err := f.step.GetResult()
	f.step = nil
	if err == job.ErrNoJobs { // itself: nothing wraps it
		f.State = Finished
		return true
	}
	f.value, f.err, f.failed = v, err, err != nil
	f.State = eachYields
	return true
}

// end ends the range early, and raises the panic of the loop's body, if any.
func (f *each[T]) end(r *Run) bool {
	f.State = Finished
	f.stop()
	f.wanted.raise(r)
	return true
}
