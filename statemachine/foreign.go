package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/interleave"
)

// resumption is the continuation that a user's awaiter gets. The awaiter cannot get the
// chain itself: if it called back twice, or again during a later await, the same machine
// would run on two goroutines. So each such await has a separate object, which works once.
type resumption struct {
	of   *chain
	used interleave.Bool
}

// Resume implements continuation.Continuation.
func (r *resumption) Resume() {
	if r.used.CompareAndSwap(false, true) {
		r.of.Completed(nil)
	}
}

// registerForeign registers c with an awaiter that takes any continuation. A panic in
// OnCompleted belongs to the await: it is raised in the awaiting frame.
func (r *Run) registerForeign(c *chain, w awaiter.Completion) (registered bool) {
	resumed := &resumption{of: c}
	defer func() {
		if v := recover(); v != nil {
			registered = !r.takeBack(resumed, v)
		}
	}()
	w.OnCompleted(resumed)
	return true
}

// takeBack reports whether the chain continues here, with the panic of OnCompleted. It
// does not if OnCompleted resumed the chain before the panic.
func (r *Run) takeBack(resumed *resumption, v any) bool {
	if !resumed.used.CompareAndSwap(false, true) {
		return false
	}
	r.failure = r.newPanic(v)
	return true
}
