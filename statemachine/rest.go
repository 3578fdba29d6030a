package statemachine

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// # Work before the machine continues
//
// Some waits end with a step that must run at the machine's home, and that may find
// that the wait continues: a read, when the system says that a socket is ready. The
// poller that learns of the readiness must not take the step, since it has many sockets
// to serve. The machine cannot take it either: its next step reads the result.
//
// So the operation is a [schedulers.Work] of its own. It goes home, takes the step
// there, and then either waits again or runs the machine in its own place, on its own
// worker: the wait costs one turn in a queue, like any other.

// Rest is a machine that waits for an operation which runs it by itself. An operation
// gets it in its Join (see [Pending]), and then, after Join has returned true, calls
// Run or Abandon once. It is for packages whose operations machines wait for without a
// job.
type Rest struct{ of *chain }

// RestOf returns the machine behind n, the node that a Join was given. It must be
// called within that Join.
func RestOf(n *continuation.Node) Rest { return Rest{n.Target().(*chain)} }

// Submit hands w to the home of the machine. If that refuses, w is abandoned on a
// goroutine of its own. It does not block.
func (r Rest) Submit(w schedulers.Work, hint schedulers.Hint) {
	if err := r.of.top.home.TrySubmit(w, hint); err != nil {
		go w.Abandon(err)
	}
}

// Run lets the machine continue on the calling goroutine, which is at its home: in the
// Run of a work that was submitted there. It is the last thing that the work does.
func (r Rest) Run(on schedulers.Worker) {
	r.of.awake()
	r.of.Run(on)
}

// Abandon lets the machine continue elsewhere, and has [Run.Refusal] return the reason
// there. It does not block.
func (r Rest) Abandon(reason error) {
	r.of.awake()
	r.of.Abandon(reason)
}
