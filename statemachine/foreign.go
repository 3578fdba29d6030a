package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
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

// try calls f, which may be user code, for an operation that a machine waits for. It returns
// false if f panics; the panic is kept, for the machine, which then continues.
//
// The panic does not have the calls below yet. f may have let the machine continue elsewhere
// before it panicked, and then its frames belong to another goroutine. A caller that finds that
// the machine is still its own calls locateTried.
func (r *Run) try(f func()) (returned bool) {
	defer func() {
		if v := recover(); v != nil {
			r.failure = &failure{value: v, stack: stackOf(v)}
		}
	}()
	f()
	return true
}

// locateTried adds the calls below to the panic that try has kept, if there is one. The caller
// owns the chain.
func (r *Run) locateTried() {
	if f := r.failure; f != nil {
		f.async = r.asyncStack()
	}
}

// exitInWait lets c, which the caller owns, continue after a wait that could not begin, because
// what begins it has called runtime.Goexit.
func (r *Run) exitInWait(c *chain) {
	r.locateTried()
	c.submit(r.exited(), schedulers.Hint{From: r.Worker(), Flags: schedulers.Resumed})
}
