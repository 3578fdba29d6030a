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
	if r.takeBack() {
		r.of.Completed(nil)
	}
}

// registerForeign registers c with an awaiter that takes any continuation. A panic in
// OnCompleted belongs to the await: it is raised in the awaiting frame. So does runtime.Goexit.
func (r *Run) registerForeign(c *chain, w awaiter.Completion) (registered bool) {
	resumed := &resumption{of: c}
	returned := false
	defer func() {
		if !returned && resumed.takeBack() {
			r.exitInWait(c)
		}
	}()
	ok := r.try(func() { w.OnCompleted(resumed) })
	returned = true
	if ok {
		return true
	}
	if resumed.takeBack() {
		r.locateTried()
		return false
	}
	r.failure = nil // of a chain that has continued
	return true
}

// takeBack reports whether the chain continues without the awaiter. It does not if OnCompleted
// resumed it before it panicked or exited.
func (r *resumption) takeBack() bool { return r.used.CompareAndSwap(false, true) }
