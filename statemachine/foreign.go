package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/interleave"
)

// resumption is what a user's own awaiter gets. It cannot get the chain itself: an
// awaiter that calls back twice, or once more during a later await, would run the same
// machine on two goroutines. So each such await has an object of its own, which works
// once.
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

// registerForeign registers c with an awaiter that takes any continuation. A
// panic in OnCompleted is the await's: it is raised in the frame that awaits.
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
// does not if OnCompleted had resumed the chain before.
func (r *Run) takeBack(resumed *resumption, v any) bool {
	if !resumed.used.CompareAndSwap(false, true) {
		return false
	}
	r.outcome = r.newPanic(v)
	return true
}
