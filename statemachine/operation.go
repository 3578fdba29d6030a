package statemachine

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Waiting without a job
//
// A handwritten function with a twin may also have an entry for machines, as generated
// ones do. FEnter takes the run before F's parameters and returns, before F's results, a
// pointer that is nil if the results are ready. Otherwise it points to the object that
// the call waits for. The object's method Results, called once when the machine
// continues, returns the results. Its type belongs to the package of F, or is a
// [Waiting], which spares that package a type that its users would see and never need.
//
// A twin has to make a job, since any code may keep it. The object that an entry returns
// is seen by one machine only, which waits for it at once and never uses it again after
// Results. So it needs no list of waiters, no status and no context, and the machine's
// next wait can reuse it ([Run.Keep]). A rendezvous of two machines over a channel,
// there and back, took 575 ns and two objects of 208 bytes with jobs (BenchmarkPingPong
// in package coord).
//
//	the entry                            the side that ends the wait
//	 1. publish the request               1. write the result
//	 2. Suspend; the frames move to       2. Complete: swap(over); was it joined? notify
//	    the heap                             the chain
//	 3. Join: CAS(open, joined); over?
//	    continue
//
// Proof. Either the compare-and-swap or the swap comes first. If it is the
// compare-and-swap, the swap finds the chain, and the chain is notified; if it is the
// swap, the compare-and-swap fails, and the chain continues by itself. Either way the
// result was written before. After its step 2 the ending side never touches the object
// again, so that the object belongs to the machine alone.
//
// An entry that need not wait calls [Run.Proceed] first; see budget.go.
//
// # Where the result is guarded by a lock
//
// Step 1 need not come before step 2. A request to an object with its own lock is better
// made in step 3, when the frames have moved: a specific Join takes that lock, and
// either gets the result or registers the node with its request. The ending side finds
// both under the same lock, and needs neither of the two instructions above. Package
// coord waits this way.

// Operation is an operation that a machine waits for without a job. It is embedded in an
// object that has the result. The zero Operation is open.
type Operation struct {
	state interleave.Uint32
	node  *continuation.Node // of the joined waiter
}

// The states of an Operation.
const (
	open   uint32 = iota
	joined        // a chain waits
	over          // the result is there
)

// Pending is an operation that a machine waits for without a job: an object that embeds
// an Operation, or has its own Join.
type Pending interface {
	// Join is called once, when the machine can be resumed, as the last thing that the
	// machine does on worker (nil: on none). It registers n to be notified of the
	// end and returns true, after which the machine belongs to another goroutine. Or it
	// returns false: the result is ready. It does not block and runs no user code.
	Join(n *continuation.Node, on schedulers.Worker) bool
}

// Complete records that the result is ready, and returns the waiter to notify. The
// caller must not use the operation after that. Complete is called once.
func (o *Operation) Complete() (waiters continuation.Chain) {
	if o.state.Swap(over) == joined {
		return continuation.Only(o.node)
	}
	return waiters
}

// Join implements [Pending].
func (o *Operation) Join(n *continuation.Node, _ schedulers.Worker) bool {
	o.node = n
	return o.state.CompareAndSwap(open, joined)
}

// Waiting is the return value of an entry for a call with the results (T, error): a handle
// of the object that has them. It is a field of that object, or made by [WaitingFor].
type Waiting[T any] struct{ outcome Outcome[T] }

// WaitingVoid is [Waiting] for a call whose only result is an error. The object's T is
// dropped.
type WaitingVoid[T any] Waiting[T]

// Outcome is an object that has the results of a call. The machine gets them once, when
// it continues.
type Outcome[T any] interface {
	Results(r *Run) (T, error)
}

// Init makes w, a field of the object of, its handle.
func (w *Waiting[T]) Init(of Outcome[T]) { w.outcome = of }

// Results returns the outcome of the call when the machine continues. It is called once.
func (w *Waiting[T]) Results(r *Run) (T, error) { return w.outcome.Results(r) }

// Results returns the outcome of the call when the machine continues. It is called once.
func (w *WaitingVoid[T]) Results(r *Run) error {
	_, err := w.outcome.Results(r)
	return err
}

// WaitingFor returns a handle of the suspended frame m, or nil if m is nil, which an
// entry returns for a call that has its results. An exported method with a handwritten
// entry uses it to hide the frame of an unexported function.
func WaitingFor[T, E any, M interface {
	*E
	Outcome[T]
}](m M) *Waiting[T] {
	if m == nil {
		return nil
	}
	return &Waiting[T]{m}
}

// WaitingForVoid is [WaitingFor] for a frame whose only result is an error.
func WaitingForVoid[E any, M interface {
	*E
	Results(r *Run) error
}](m M) *WaitingVoid[job.Void] {
	if m == nil {
		return nil
	}
	v := &voidOutcome{frame: m}
	v.Init(v)
	return (*WaitingVoid[job.Void])(&v.Waiting)
}

// voidOutcome is a frame without a result, and its handle.
type voidOutcome struct {
	Waiting[job.Void]
	frame interface{ Results(r *Run) error }
}

// Results implements [Outcome].
func (v *voidOutcome) Results(r *Run) (job.Void, error) { return job.Void{}, v.frame.Results(r) }

// Suspend is [Run.Await] for an operation.
func (r *Run) Suspend(p Pending) bool {
	r.awaiting = p
	return false
}

// Keep makes the run keep p, whose result was read, for its next wait. A run keeps one
// object, until it waits for another one, or has suspended.
func (r *Run) Keep(p Pending) { r.awaiting = p }

// Kept returns the object that [Run.Keep] has kept, if nothing has replaced it. The
// caller asserts its type.
func (r *Run) Kept() any { return r.awaiting }
