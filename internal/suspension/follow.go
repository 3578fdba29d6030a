package suspension

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Twin is the job of an async function.
type Twin[T any] interface {
	Register(*continuation.Node) bool
	GetResult() (T, error)
}

// Following is a function that has suspended until the job of its twin ends. It is
// embedded by a [Suspended] that also reports, in the words of package job, where the
// function waits.
type Following[T any] struct { //nolint:errname // an error by type alone
	Twin   Twin[T]
	Thrown func(error) bool // reports whether the error is of a function that has not returned
	Caught func(any) error  // returns the error for a recovered value

	node continuation.Node
	end  Ender[T]
}

// Error implements error. The error never reaches user code.
func (*Following[T]) Error() string { return "movenext: the function has suspended" }

// Begin implements the method GoOn of self, which embeds f.
func (f *Following[T]) Begin(self continuation.Target, end any, on schedulers.Worker) {
	f.end = end.(Ender[T])
	f.node.Prepare(self)
	if !f.Twin.Register(&f.node) {
		f.Completed(on).Deliver(on)
	}
}

// Completed implements continuation.Target: the twin's job has ended.
func (f *Following[T]) Completed(schedulers.Worker) continuation.Chain {
	v, err := f.Twin.GetResult()
	if f.Thrown(err) {
		return f.end.Fault(err)
	}
	return f.returned(v, err)
}

// returned calls methods of a user's error on the goroutine that completed the job, and
// contains a panic in them.
func (f *Following[T]) returned(v T, err error) (waiters continuation.Chain) {
	defer func() {
		if v := recover(); v != nil {
			waiters = f.end.Fault(f.Caught(v))
		}
	}()
	return f.end.Return(v, err)
}

// Above returns the job that is completed when the function has ended: see [Ender]'s Handle.
func (f *Following[T]) Above() any { return f.end.Handle() }
