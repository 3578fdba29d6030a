package dedicated

import (
	"context"

	"github.com/movenext/movenext/schedulers"
)

// WithState gives each thread a value of its own: the handle of a C library, say, which
// one thread must open, use and close. The function start makes the value on the thread
// before its first work. The function end, if not nil, receives it on the same thread
// after its last. Work finds the value with [State]. A nil start makes the zero value.
// As with [OnThread], a thread that is lost to runtime.Goexit is replaced by one with a
// new value, and end is not called for the old one. If start panics, the thread has no
// value: State returns false, and end is not called for it.
func WithState[T any](start func() T, end func(T)) Option {
	return func(t *Threads) {
		t.addStart(schedulers.NewHook("dedicated.WithState", func(w *thread) {
			var v T
			if start != nil {
				v = start()
			}
			w.state = &state[T]{v}
		}), true)
		t.addEnd(schedulers.NewHook("dedicated.WithState", func(w *thread) {
			if s, made := w.state.(*state[T]); made { // else start has panicked
				end(s.value)
			}
		}), end != nil)
	}
}

// state is the value of a thread. It is boxed, since a T may be an interface that
// is nil.
type state[T any] struct{ value T }

// State returns the value that [WithState] made for the thread that runs the caller,
// whose context is ctx, and true. It returns false if ctx does not come from work of a
// scheduler of this package, or if the option was not given or has another type. It
// also returns false to any other goroutine that has the context, since the value belongs
// to the thread. If the operating system provides no thread ids (see [ThreadID]), the
// caller must ensure that last point itself. It does not block.
func State[T any](ctx context.Context) (value T, ok bool) {
	w, ok := schedulers.WorkerFrom(ctx).(*thread)
	if !ok || w == nil || !w.isCurrent() {
		return value, false
	}
	s, ok := w.state.(*state[T])
	if !ok {
		return value, false
	}
	return s.value, true
}
