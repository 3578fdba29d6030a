//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"context"
	"sync"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// operation is a transfer that has to wait: for its turn, or for the system.
//
// The waiter is a goroutine, which sleeps on wake, or a machine. A machine's operation is a
// [schedulers.Work]: when it is granted its turn, it is submitted to the machine's home, makes
// its system calls there, and either waits again or resumes the machine at once. So the poller,
// which serves all sockets, never touches a user's buffer, and a machine's wait costs one pass
// through a run queue.
type operation struct {
	transfer
	socket *socket
	wake   chan struct{}     // of a goroutine; nil: a machine waits
	rest   statemachine.Rest // of a machine, from its Join on

	// Guarded by the socket's lock. Once state is decided, they belong to the waiter.
	state    state
	next     *operation    // in the direction's queue
	ctxWatch *contextWatch // nil if no context has ever bounded it

	hasTurn bool // it had the turn when it was made
	spare   bool // a machine keeps it and does not use it now

	handle statemachine.Waiting[int] // for generated code
}

// state is the progress of an operation.
//
//	state     meaning                               next
//	fresh     made, not queued                      waiting: always, unless the socket has ended
//	waiting   in the direction's queue, or runs     granted: an event, or the turn is free;
//	          at once because its turn has come     decided: it ran through, or has to end
//	granted   has the turn, on its way to its       waiting: a call returned EAGAIN;
//	          home, or runs there                   decided: it ran through, or has to end
//	decided   its results are final                 –
//
// An operation has to end on close, at its deadline, or with its context.
//
// Each step out of waiting notifies the waiter once.
type state uint8

const (
	fresh state = iota
	waiting
	granted
	decided
)

// Hints of submissions.
var (
	resumed       = schedulers.Hint{Flags: schedulers.Resumed}
	resumedFairly = schedulers.Hint{Flags: schedulers.Resumed | schedulers.PreferFairness}
)

// byMachine reports whether a machine waits.
func (o *operation) byMachine() bool { return o.wake == nil }

// notify wakes the waiter. It is called by the goroutine that granted the operation, or decided it
// while it waited. A nil operation has no waiter. No lock is held.
func (o *operation) notify() {
	switch {
	case o == nil:
	case o.byMachine():
		o.rest.Submit(o, resumed)
	default:
		o.wake <- struct{}{}
	}
}

// Run implements schedulers.Work: the machine runs here, at its home.
func (o *operation) Run(worker schedulers.Worker) {
	if o.socket.proceed(o) == finished {
		o.rest.Run(worker)
	}
}

// Abandon implements schedulers.Work: the machine's home has ended. Data that have arrived stay
// in the socket for other operations.
func (o *operation) Abandon(reason error) {
	s := o.socket
	s.mu.Lock()
	var next *operation
	if o.state == granted {
		o.state, o.err = decided, reason
		d := s.directionOf(o.kind)
		d.taken = false
		next = d.grant()
	}
	s.mu.Unlock()
	next.notify()
	o.rest.Abandon(reason)
}

// Join implements [statemachine.Pending].
func (o *operation) Join(n *continuation.Node, _ schedulers.Worker) bool {
	o.rest = statemachine.RestOf(n)
	return o.socket.enqueue(o, o.hasTurn) != finished
}

// contextWatch watches the context that ends an operation. An operation kept for reuse keeps its
// contextWatch.
type contextWatch struct {
	op     *operation
	ctx    context.Context // nil: none
	watch  ctxwatch.WaitWatch
	reason error // it has ended; guarded by the socket's lock
}

// watchContext makes ctx, whose origin is end, end o, which is fresh.
func (o *operation) watchContext(r *statemachine.Run, ctx context.Context, end ctxwatch.Origin) {
	if o.ctxWatch == nil {
		o.ctxWatch = &contextWatch{op: o}
	}
	b := o.ctxWatch
	b.ctx = ctx
	r.Watch(ctx, end, &b.watch, b)
}

// stop undoes watchContext, and reports whether the operation can be used again. False means that
// ContextEnded has used it or is about to.
func (w *contextWatch) stop(r *statemachine.Run) bool {
	switch {
	case w == nil || w.ctx == nil:
		return true
	case !w.watch.Stop():
		return false
	}
	r.KeepWatch(&w.watch)
	w.ctx = nil
	return true
}

// ContextEnded implements ctxwatch.Listener.
func (w *contextWatch) ContextEnded(*ctxwatch.Watch) {
	why := ctxwatch.Reason(w.ctx) // it may run a user's code: call it before taking the lock
	if why == nil {
		why = context.Canceled
	}
	o := w.op
	s := o.socket
	s.mu.Lock()
	w.reason = why
	if o.state != waiting {
		s.mu.Unlock()
		return
	}
	d := s.directionOf(o.kind)
	d.remove(o)
	o.state, o.err = decided, why
	next := d.grant()
	s.mu.Unlock()
	o.notify()
	next.notify()
}

// sleepers are the operations of goroutines.
var sleepers = sync.Pool{New: func() any { return &operation{wake: make(chan struct{}, 1)} }}

// do runs t to its end, and blocks the calling goroutine until then.
func (s *socket) do(t *transfer) {
	v := s.try(t, false)
	if v == finished {
		return
	}
	o := sleepers.Get().(*operation)
	o.transfer, o.socket, o.state = *t, s, fresh
	if s.enqueue(o, v == keepsTurn) != finished {
		<-o.wake
		for s.proceed(o) != finished {
			<-o.wake
		}
	}
	*t = o.transfer
	o.transfer, o.socket = transfer{}, nil
	sleepers.Put(o)
}

// enter is do for the machine of r, with a context that may end the wait (nil: none). It returns
// nil if tr is already finished.
func (s *socket) enter(r *statemachine.Run, ctx context.Context, tr *transfer) *operation {
	v := mustWait
	if r.Proceed() {
		if v = s.try(tr, true); v == finished {
			return nil
		}
	}
	o, ok := r.Kept().(*operation)
	if !ok || !o.spare {
		o = new(operation)
		o.handle.Init(o)
	}
	o.transfer, o.socket, o.state, o.hasTurn, o.spare = *tr, s, fresh, v == keepsTurn, false
	if ctx != nil {
		if end := ctxwatch.OriginOf(ctx); end.CanEnd() {
			o.watchContext(r, ctx, end)
		}
	}
	r.Suspend(o)
	return o
}

// Results implements [statemachine.Outcome].
func (o *operation) Results(r *statemachine.Run) (int, error) {
	tr := o.results(r)
	return tr.n, tr.err
}

// results returns the outcome of an operation when its machine resumes. The
// machine keeps the operation for its next wait.
func (o *operation) results(r *statemachine.Run) transfer {
	_ = r.Refusal() // Abandon has made it the error, unless the operation ended before
	tr := o.transfer
	if !o.ctxWatch.stop(r) {
		return tr
	}
	*o = operation{spare: true, handle: o.handle, ctxWatch: o.ctxWatch}
	r.Keep(o)
	return tr
}
