package parallel

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Worker is the right to fork on the goroutine that it was handed to. [Run] hands
// one to its body, and [Join], [Join2] and [Fork] hand one to each function they
// call: the worker of the goroutine that runs it.
//
// A Worker must be used by the function that it was handed to, and by its
// callees, on the same goroutine, until that function returns. It is not safe for
// concurrent use, which is what keeps forks cheap. Handing it to another
// goroutine is a data race; using it after its Run has returned panics.
//
// A context could carry the same information, but it proves nothing: users pass
// contexts to other goroutines, and may do so. A parameter that is only good for
// forking has no reason to travel.
type Worker struct {
	// Of the goroutine that the worker was handed to.
	stack
	team    *team
	current *header         // the innermost fork that was taken and runs here
	foreign *job.PanicError // the last panic that a Join has brought here from elsewhere
	on      schedulers.Worker
	ctx     context.Context // made when asked for
	victim  int             // where it last found something to take

	taken bool // the seat is taken; guarded by team.mu

	_      [64]byte // others write what follows
	offers offers
}

// Context returns the context of the operation for this goroutine: a child of the one
// given to [Run], which also names the current worker of the scheduler. It ends when
// that one does, when [Worker.Cancel] is called, and when Run returns.
func (w *Worker) Context() context.Context {
	if w.ctx == nil {
		w.ctx = &bodyContext{&w.team.operation, w.on}
	}
	return w.ctx
}

// Err returns nil until the operation's context has ended, and then why: it is
// w.Context().Err(). A body that takes long asks now and then, and returns early;
// nothing else ends it. It does not block.
func (w *Worker) Err() error { return w.team.contextErr() }

// Cancel ends the operation's context with a cause; a nil cause means
// context.Canceled. Forks that have been made still run, since their joins need
// their results; they may check [Worker.Err]. It does not block, and may be
// called any number of times: the first call counts.
func (w *Worker) Cancel(cause error) { w.team.materialize().cancel(cause) }
