package parallel

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Worker is the right to fork on the goroutine that it was passed to. [Run] passes one
// to its body, and [Join], [Join2] and [Fork] pass one to each function they call: the
// worker of the goroutine that runs the function.
//
// A Worker may be used only by the function that it was passed to, and by its callees,
// on the same goroutine, until that function returns. It is not safe for concurrent use,
// which keeps forks cheap. Passing it to another goroutine is a data race; using it
// after its Run has returned panics.
//
// A context could carry the same information, but it would prove nothing: users may and
// do pass contexts to other goroutines. A parameter that is useful only for forking is
// not passed around without need.
type Worker struct {
	// Used by the goroutine that the worker was passed to.
	stack
	team    *team
	current *header         // the innermost fork that was taken and runs here
	foreign *job.PanicError // the last panic that a Join has brought here from another goroutine
	on      schedulers.Worker
	ctx     context.Context // made on demand
	victim  int             // the worker that it last took a fork from

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

// Err returns nil until the operation's context has ended, and then the reason: it is
// w.Context().Err(). A body that takes long should check it from time to time, and
// return early; nothing else ends it. Err does not block.
func (w *Worker) Err() error { return w.team.contextErr() }

// Cancel ends the operation's context with a cause; a nil cause means
// context.Canceled. Forks that have been made still run, since their joins need
// their results; they may check [Worker.Err]. It does not block, and may be
// called any number of times: the first call counts.
func (w *Worker) Cancel(cause error) { w.team.materialize().cancel(cause) }
