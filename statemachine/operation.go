package statemachine

import (
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// # Waiting without a job
//
// A function that is written by hand and has a twin may have an entry for machines too, as generated
// ones do: FEnter takes the task in front of F's parameters and returns, before F's results, a pointer
// that is nil if they are there. Otherwise it points to what the call waits for, and its method
// Results, which is called once, when the machine goes on, has the results.
//
// A twin has to make a job, since nobody knows who will keep it. What an entry returns is seen by one machine alone, which
// waits for it at once and never looks at it again after Results. So it needs no list of who waits, no status, no
// context; and the same object does for the machine's next wait ([Task.Keep]). A rendezvous of two machines over a channel, there and
// back, took 575 ns and two objects of 208 bytes with jobs.
//
//	the entry                            whoever ends the wait
//	 1. let it be known what is wanted    1. write the result
//	 2. Suspend; the frames move to       2. Complete: swap(over); was it joined? tell
//	    the heap                             the chain
//	 3. Join: CAS(open, joined); over?
//	    go on
//
// Proof. Of the compare-and-swap and the swap one comes first. If it is the left one, the right one finds the
// chain and tells it; if it is the right one, the left one fails, and the chain goes on by itself. Either way
// the result was written before. After its step 2 who ends the wait never touches the object again, so
// that it is the machine's alone.
//
// # Where the result is guarded by a lock
//
// Step 1 need not come before step 2. What is wanted of an object with a lock of its own is better said in step 3, when the frames have
// moved: a Join of its own takes that lock, and either finds what it wants or leaves the node with its wish. Who ends the wait
// finds both under the same lock, and neither of the two instructions above is needed. Package coord waits so.

// Operation is what a machine waits for without a job, to be embedded in an object that
// has the result. The zero Operation is open.
type Operation struct {
	state atomic.Uint32
	node  *continuation.Node // of who has joined
}

// The states of an Operation.
const (
	open   uint32 = iota
	joined        // a chain waits
	over          // the result is there
)

// Pending is what a machine waits for without a job: an object that embeds an Operation, or has a Join of its own.
type Pending interface {
	// Join is called once, when the machine can be resumed, as the last thing that it does on the worker on (nil: on none). It
	// has n told of the end and returns true, after which the machine is somebody else's; false says that the result is there. It
	// does not block and runs no user's code.
	Join(n *continuation.Node, on schedulers.Worker) bool
}

// Complete says that the result is there, and returns whom to tell; the caller must not use the
// operation any more. It is called once.
func (o *Operation) Complete() (told continuation.Chain) {
	if o.state.Swap(over) == joined {
		return continuation.Only(o.node)
	}
	return told
}

// Join implements [Pending].
func (o *Operation) Join(n *continuation.Node, _ schedulers.Worker) bool {
	o.node = n
	return o.state.CompareAndSwap(open, joined)
}

// Suspend is [Task.Await] for an operation.
func (t *Task) Suspend(p Pending) bool {
	t.awaiting = p
	return false
}

// Keep has the task keep p, whose result was read, for its next wait. A task keeps one object, until it
// waits for something else, or has suspended.
func (t *Task) Keep(p Pending) { t.awaiting = p }

// Kept returns what [Task.Keep] was given last, or something else.
func (t *Task) Kept() any { return t.awaiting }
