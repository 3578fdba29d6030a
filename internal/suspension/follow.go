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

// TwinWait is a function that has suspended until the job of its twin ends. It is
// embedded by a [Suspended] that also reports, in the words of package job, where the
// function waits.
type TwinWait[T any] struct { //nolint:errname // an error by type alone
	Twin         Twin[T]
	IsThrown     func(error) bool // reports whether a function that has not returned has the error
	ToPanicError func(any) error  // returns the error for a recovered value

	node      continuation.Node
	completer Completer[T]
}

// Error implements error. The error never reaches user code.
func (*TwinWait[T]) Error() string { return "movenext: the function has suspended" }

// Begin implements the method GoOn of self, which embeds f.
func (f *TwinWait[T]) Begin(self continuation.Target, end any, on schedulers.Worker) {
	f.completer = end.(Completer[T])
	f.node.Prepare(self)
	if !f.Twin.Register(&f.node) {
		f.Completed(on).Deliver(on)
	}
}

// Completed implements continuation.Target: the twin's job has ended.
func (f *TwinWait[T]) Completed(schedulers.Worker) continuation.Chain {
	v, err := f.Twin.GetResult()
	if f.IsThrown(err) {
		return f.completer.Fault(err)
	}
	return f.completeWith(v, err)
}

// completeWith calls methods of a user's error on the goroutine that completed the job, and
// contains a panic in them.
func (f *TwinWait[T]) completeWith(v T, err error) (waiters continuation.Chain) {
	defer func() {
		if v := recover(); v != nil {
			waiters = f.completer.Fault(f.ToPanicError(v))
		}
	}()
	return f.completer.Return(v, err)
}

// Above returns the job that is completed when the function has ended: see [Completer]'s Handle.
func (f *TwinWait[T]) Above() any { return f.completer.Handle() }
