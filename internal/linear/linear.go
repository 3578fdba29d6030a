// Package linear checks whether the results of concurrent calls can be explained by an
// order in which the calls ran one after the other. Only tests use it.
//
// A history is linearizable if its calls have an order with two properties: a call that
// ended before another began precedes it, and a sequential program would have returned
// the same results. Package porcupine finds such an order, or that there is none.
package linear

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/movenext/movenext/internal/interleave"
)

// Call is one call of a history, or the attempt to make one.
type Call struct {
	Op  string
	Arg int
	OK  bool // its result
	Got int

	begin, end int64
	history    *History
}

// History records the calls of several goroutines. The zero History is empty. Its
// methods are safe for concurrent use. In a build for interleavings, the beginning and
// the end of a call are steps, so all their orders are tried.
type History struct {
	clock interleave.Int64
	mu    interleave.Mutex
	calls []Call
}

// Begin records the beginning of a call.
func (h *History) Begin(op string, arg int) Call {
	return Call{Op: op, Arg: arg, begin: h.clock.Add(1), history: h}
}

// End records the result of the call. A call that gave up, or still waits, has had no
// effect and needs no End. If the history can be explained without such calls, they really
// had none.
func (c Call) End(got int, ok bool) {
	c.end = c.history.clock.Add(1)
	c.Got, c.OK = got, ok
	c.history.mu.Lock()
	c.history.calls = append(c.history.calls, c)
	c.history.mu.Unlock()
}

// Calls returns the calls that have ended, in the order in which they did.
func (h *History) Calls() []Call { return h.calls }

// Model executes c in the given state as a sequential program would: it returns the next
// state, or false if such a program could not have returned the result of c. It does not
// modify state.
type Model func(state []int, c Call) ([]int, bool)

// Linearizable reports whether the calls of the history have an order that begins in the state
// initial and ends in an accepted state. All calls must have ended.
func (h *History) Linearizable(initial []int, model Model, accept func(state []int) bool) bool {
	return Linearizable(h.calls, initial, model, accept)
}

// finalCheck is the last operation of each history: it checks the final state.
type finalCheck struct{}

// Linearizable is [History.Linearizable] for a list of calls.
func Linearizable(calls []Call, initial []int, model Model, accept func(state []int) bool) bool {
	checked := porcupine.Model{
		Init: func() any { return initial },
		Step: func(state, in, _ any) (bool, any) {
			c, isCall := in.(Call)
			if !isCall {
				return accept(state.([]int)), state
			}
			next, ok := model(state.([]int), c)
			return ok, next
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	}
	last := int64(0)
	var all []porcupine.Operation
	for i, c := range calls {
		all = append(all, porcupine.Operation{ClientId: i, Input: c, Call: c.begin, Return: c.end})
		last = max(last, c.end)
	}
	all = append(all, porcupine.Operation{ClientId: len(calls), Input: finalCheck{}, Call: last + 1, Return: last + 2})
	return porcupine.CheckOperations(checked, all)
}

// At returns the call with the times at which it began and ended, for histories written by
// hand.
func (c Call) At(begin, end int64) Call {
	c.begin, c.end = begin, end
	return c
}
