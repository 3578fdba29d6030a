package ums

import (
	"errors"
	"fmt"
	"sync"

	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/schedulers"
)

var (
	// ErrLocked is returned by Execute for a context that is held. The attempt is
	// remembered: when the context is no longer locked, it appears on its completion
	// list, to be tried again.
	ErrLocked = errors.New("ums: the worker's context is locked")

	// ErrNotReady is returned by Execute for a context that is running or blocked, or that
	// is still on its completion list and must be dequeued first.
	ErrNotReady = errors.New("ums: the worker is not ready")

	// ErrTerminated is returned by Execute for a worker that has ended.
	ErrTerminated = errors.New("ums: the worker has terminated")

	// ErrNotTerminated is returned by Delete for a worker that has not ended, or was not
	// dequeued after its end.
	ErrNotTerminated = errors.New("ums: the worker has not terminated, or is on its completion list")
)

// Worker is a worker thread and its context. Unlike a fibre, which borrows the goroutine
// that runs it, a worker keeps one goroutine from beginning to end. A thread of a
// [Scheduler] lends the worker its own goroutine, and continues on another one if the
// worker blocks. Make one with [CompletionList.NewWorker], or submit work to a
// [Scheduler].
//
// The context belongs to the system: it can be queried ([Worker.Information]), and its
// user part can be set ([Worker.SetUser]). All methods are safe for concurrent use.
//
// It implements [schedulers.Worker] and [schedulers.Blocker].
type Worker struct {
	id   int
	list *CompletionList
	fn   func(*Worker)

	// Set for workers of a Scheduler.
	scheduler *Scheduler
	home      schedulers.Scheduler
	work      schedulers.Work

	// Guarded by list.mu.
	state          State
	begun          bool // it has a goroutine; used by the thread that has claimed it
	hosted         bool // its goroutine is that of its thread
	noticed        bool // its blocking was not marked, and was noticed
	listed         bool // it is on the list
	deleted        bool
	retryAfterHold bool // Execute has failed because of a hold
	holds          int32
	markedCalls    int32 // marked calls on its behalf that have not ended
	thread         *Thread
	wake           chan struct{} // where its goroutine parks; nil: it never did
	user           any
	count          counts
	older, newer   *Worker // neighbours among all contexts of the list

	queueLinks // in the ready queue of its scheduler
}

type counts struct{ executed, blocked, yielded uint32 }

// NewWorker returns a worker that will call fn on its own goroutine when it is first
// executed. It appears on the list at once. A nil fn does nothing.
//
// A panic of fn is not recovered: it ends the program, as in a go statement. If fn
// calls runtime.Goexit, the worker ends.
func (l *CompletionList) NewWorker(fn func(*Worker)) *Worker {
	if fn == nil {
		fn = func(*Worker) {}
	}
	w := &Worker{list: l, fn: fn}
	l.register(w)
	return w
}

func (w *Worker) main() {
	labels.Clear()
	defer func() { w.end().activate(Activation{Reason: WorkerBlocked, Cause: Ended}) }()
	w.fn(w)
}

// mainHosted is main on the goroutine of a thread. It reports whether the thread is still
// on that goroutine: it is on another one if w has blocked, was noticed, or has yielded
// meanwhile. If the function calls runtime.Goexit, the thread moves to another one, too.
func (w *Worker) mainHosted() (here bool) {
	returned := false
	defer func() {
		left := w.end()
		if here = left.hosted && returned; !here {
			left.activate(Activation{Reason: WorkerBlocked, Cause: Ended})
		}
	}()
	if w.scheduler != nil {
		schedulers.RunOn((*workSeries)(w), w)
	} else {
		w.fn(w)
	}
	returned = true
	return false
}

func (w *Worker) end() departure {
	left, parked := w.terminate()
	if parked != nil {
		parked <- struct{}{} // has room, or will have: see the package comment
	}
	return left
}

// Withdraw ends a worker that has never run, and reports whether it did. Such a worker
// never runs, and appears on its list as terminated. It does not block.
func (w *Worker) Withdraw() bool { return w.withdraw() }

// Delete deletes the context of a worker that has terminated and was dequeued afterwards;
// the worker's ID may then be used again. It returns nil, even if w was deleted before, or
// [ErrNotTerminated]. It does not block.
func (w *Worker) Delete() error {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	if w.state != Terminated || w.listed {
		return ErrNotTerminated
	}
	w.delete()
	return nil
}

// delete is Delete for a worker that has terminated and is not on the list; mu is held.
func (w *Worker) delete() {
	if !w.deleted {
		w.deleted = true
		w.list.unlink(w)
		w.list.ids.Give(w.id)
	}
}

// Hold locks the context: until release is called, the worker does not begin to run,
// nor continue after its next marked call or yield. Holds are counted. A running worker
// is not stopped. Hold and release do not block, and each release takes effect once.
func (w *Worker) Hold() (release func()) {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	w.holds++
	return sync.OnceFunc(w.release)
}

func (w *Worker) release() {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	w.holds--
	if w.holds == 0 && w.retryAfterHold {
		w.list.put(w)
	}
}

// Information is what a context reports about its worker.
type Information struct {
	ID     int
	State  State
	Locked bool // it is held
	User   any  // the last argument of SetUser; nil before

	Executed int // how often it was picked
	Blocked  int // how many marked calls took it off its thread
	Yielded  int
}

// String returns the information as one line of a log.
func (i Information) String() string {
	locked := ""
	if i.Locked {
		locked = ", locked"
	}
	return fmt.Sprintf("worker %d: %v%s, executed %d, blocked %d, yielded %d", i.ID, i.State, locked, i.Executed, i.Blocked, i.Yielded)
}

// Information returns a copy of the context's information at one moment. It does not
// block.
func (w *Worker) Information() Information {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	return Information{
		ID: w.id, State: w.state, Locked: w.holds > 0, User: w.user,
		Executed: int(w.count.executed), Blocked: int(w.count.blocked), Yielded: int(w.count.yielded),
	}
}

// SetUser sets the user part of the context: a class, a deadline, anything that helps
// the policy or entry point. It does not block.
func (w *Worker) SetUser(v any) {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	w.user = v
}

// State returns what the worker is doing. It does not block.
func (w *Worker) State() State {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	return w.state
}

// Processor returns the number of the [Scheduler]'s thread that runs the worker, from 1
// on, or 0. It does not block.
func (w *Worker) Processor() int {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	if w.thread == nil {
		return 0
	}
	return w.thread.id
}

// ID implements [schedulers.Worker]. It is unique among the workers of a list that were
// not deleted.
func (w *Worker) ID() int { return w.id }

// Scheduler implements [schedulers.Worker]: the [Scheduler] or [Class] that the work
// was submitted to, and nil for a worker made without one.
func (w *Worker) Scheduler() schedulers.Scheduler { return w.home }
