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
	Thrown func(error) bool // whether it is the error of a function that has not returned
	Caught func(any) error  // the error of a recovered value

	node continuation.Node
	end  Ender[T]
}

// Error implements error. No user's code is given it.
func (*Following[T]) Error() string { return "movenext: the function has suspended" }

// Begin is what the method GoOn of self does, which embeds f.
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

// returned asks a user's error what it is, on the goroutine that completed the job: a
// panic in it goes no further.
func (f *Following[T]) returned(v T, err error) (waiters continuation.Chain) {
	defer func() {
		if v := recover(); v != nil {
			waiters = f.end.Fault(f.Caught(v))
		}
	}()
	return f.end.Return(v, err)
}

// Above returns what is completed when the function has ended: see [Ender]'s Handle.
func (f *Following[T]) Above() any { return f.end.Handle() }
