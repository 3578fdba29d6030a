package cancellable

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/schedulers"
)

// State is the progress of an item.
type State uint8

// The states; the package comment has the graph.
const (
	Queued State = iota
	Running
	Ended     // the work has returned, panicked, or exited
	Withdrawn // the work was abandoned, by Cancel or by a Shutdown that gave up
)

// String returns the name of the state.
func (s State) String() string {
	switch s {
	case Queued:
		return "Queued"
	case Running:
		return "Running"
	case Ended:
		return "Ended"
	case Withdrawn:
		return "Withdrawn"
	default:
		return fmt.Sprintf("State(%d)", uint8(s))
	}
}

// Item is work that was queued and can be canceled. All methods are safe for concurrent
// use. The caller may drop an Item at any time.
type Item struct{ t ticket }

// Cancel withdraws the work if it is queued, asks it to stop if it runs, and otherwise
// does nothing. It returns the state in which it found the item: Queued means that the
// work will never run. Withdrawn work is abandoned with an error that wraps
// [ErrWithdrawn] and cause; for running work, context.Cause returns cause. A nil cause
// means context.Canceled. It does not block.
func (it *Item) Cancel(cause error) State {
	if cause == nil {
		cause = context.Canceled
	}
	t := &it.t
	found, w := t.withdraw()
	switch found {
	case Queued:
		t.Drop(w, fmt.Errorf("%w: %w", ErrWithdrawn, cause))
	case Running:
		t.abort(cause)
	case Ended, Withdrawn:
	}
	return found
}

// Withdraw is Cancel for queued work only: it reports whether it has withdrawn the
// work, and leaves running work alone.
func (it *Item) Withdraw() bool {
	found, w := it.t.withdraw()
	if found == Queued {
		it.t.Drop(w, ErrWithdrawn)
	}
	return found == Queued
}

// State returns the current state, which may be outdated when the call returns.
func (it *Item) State() State { return it.t.state() }

// Done returns a channel that is closed when the work has ended or was withdrawn. The
// channel is made on the first call.
func (it *Item) Done() <-chan struct{} { return it.t.Done() }

// Context returns a child of ctx that also ends, with the cause, when the item is
// canceled to whose work ctx belongs. This is how a job's function learns that it was
// canceled through its scheduler. The returned function releases the resources of the
// child. If ctx belongs to no work of this package, the child ends with ctx.
func Context(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	child, cancel := context.WithCancelCause(ctx)
	item := Of(schedulers.WorkerFrom(ctx))
	stop := context.AfterFunc(item, func() { cancel(context.Cause(item)) })
	return child, func() {
		stop()
		cancel(nil)
	}
}
