package statemachine

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// # Work before the machine continues
//
// Some waits end with a step that must run at the machine's home, and after which the wait
// may have to continue: a read, for example, when the system reports that a socket is
// ready. The poller that learns of the readiness must not take the step, since it has many
// sockets to serve. The machine cannot take it either: its next step reads the result.
//
// So the operation is a separate [schedulers.Work]. It is submitted to the home and
// takes the step there. Then it either waits again or runs the machine itself, on the
// same worker: the wait costs one turn in a queue, like any other.

// Rest is a machine that waits for an operation which itself runs the machine. An
// operation gets it in its Join (see [Pending]), and then, after Join has returned true,
// calls Run or Abandon once. It is for packages whose operations machines wait for
// without a job.
type Rest struct{ chain *chain }

// RestOf returns the machine behind n, the node that a Join received. It must be called
// within that Join.
func RestOf(n *continuation.Node) Rest { return Rest{n.Target().(*chain)} }

// Submit submits w to the home of the machine. If the home refuses, w is abandoned on a
// new goroutine. It does not block.
func (r Rest) Submit(w schedulers.Work, hint schedulers.Hint) {
	if err := r.chain.top.home.TrySubmit(w, hint); err != nil {
		go w.Abandon(err)
	}
}

// Run lets the machine continue on the calling goroutine, which must be at its home:
// within the Run of a work item that was submitted there. It must be the last call of
// that work item.
func (r Rest) Run(worker schedulers.Worker) {
	r.chain.resumesNow()
	r.chain.Run(worker)
}

// Abandon lets the machine continue elsewhere, where [Run.Refusal] returns the reason.
// It does not block.
func (r Rest) Abandon(reason error) {
	r.chain.resumesNow()
	r.chain.Abandon(reason)
}
