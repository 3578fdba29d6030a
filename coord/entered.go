package coord

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # What a machine waits with
//
// A machine that calls a blocking form immediately waits for it, and is its only waiter.
// So in addition to its two forms each operation has a third, an entry for generated
// code (see [statemachine.Operation]), whose waiter is not a job. After reading the
// result, the machine keeps the waiter for its next wait of the same types, which then
// allocates nothing. A job cannot be reused this way: other references to it may exist.
//
// It is tempting to go further and share one store of waiters between all
// machines. That costs more than it saves: a sync.Pool takes 13 ns, a whole wait
// some 40.
//
// # When it is entered
//
// The waiter submits its request only when the machine can be resumed: while the entry
// runs, the machine's frames are still on the stack. The request and the node are then
// registered with the primitive in one step, under its lock, and a server needs no other
// protocol with the machine. The obvious order is to queue first and let the machine
// join later, by a compare-and-swap against a swap of the server. That cost 20 ns per
// message, and a machine that panics in between would stay in the queue.
//
//	the machine                            a server              a waiter that gives up
//	 1. find nothing; watch the context     1. lock               1. lock
//	 2. suspend: the frames move            2. take it out,       2. in no queue: set decided,
//	 3. lock                                   set decided           and notify no node
//	 4. decided: unlock, continue           3. unlock             3. unlock
//	 5. admit: served: unlock, continue     4. notify the node
//	 6. queued: write the node; unlock
//
// Proof. A server serves only waiters that it finds in a queue. The machine is in the
// queue from step 6 on, and its node is written by then. If the waiter gives up before
// step 3, step 4 finds it decided; the goroutine that gave it up does not touch it
// again. A waiter that gives up after step 6 follows the serving path.
//
// # Why the forms are written out
//
// The three forms of an operation begin alike: check the context, try, wait. What
// surrounds the attempt differs. A blocking form yields before it and, with a lock, after
// it; an asynchronous form does neither; an entry yields before it takes a lock, but after
// it has received a value (endEntry). A common helper would need a parameter for each of
// these, and the attempt as a function. That function is a closure over the request, or a
// method of a type parameter, which Go calls through a dictionary; neither is inlined, and
// most calls end with the attempt. So the forms share only the slow paths: wait, waitAsync
// and enterWait.
//
// # When it may be used again
//
// A waiter whose context was watched is kept only if the watch was stopped in time.
// Otherwise ContextEnded is about to be called for a wait that is over, and would end
// another wait.
//
// # Where users do not meet it
//
// Only generated code calls entries, and documentation should not show them.
// Documentation lists a method under the name of its receiver, as written. So the
// receiver of an entry is an unexported name: an alias of the type (mutex for [Mutex])
// or, since Go has no methods on generic aliases, a struct that the type embeds (channel
// in [Channel]). The type embeds it through an alias, because documentation shows methods
// that are promoted from an unexported type. An entry returns a [statemachine.Waiting].

// machineCall is a call of a machine and its handle for generated code, in one allocation.
type machineCall[R, P any] struct {
	call   call[R, P]
	handle statemachine.Waiting[R]
}

// waitMachine is the slow path of an entry: the machine of r will wait, unless its
// request can be served once it is suspended. The caller suspends it.
func waitMachine[R, P any](r *statemachine.Run, ctx context.Context, h host, request P) *call[R, P] {
	c := spareOf[R, P](r)
	c.request = request
	c.waiter.prepare(r, ctx, h)
	return c
}

// prepare makes w wait at h. ctx may be nil.
func (w *waiter) prepare(r *statemachine.Run, ctx context.Context, h host) {
	w.spare, w.host = false, h
	if ctx == nil {
		return
	}
	if o := ctxwatch.OriginOf(ctx); o.CanEnd() {
		w.ctx, w.watched = ctx, true
		r.Watch(ctx, o, &w.watch, w)
	}
}

// Join implements [statemachine.Pending].
func (w *waiter) Join(n *continuation.Node, worker schedulers.Worker) bool {
	return w.enter(n, worker)
}

// JoinQuietly is Join without notifying others: it returns those that were served.
func (w *waiter) JoinQuietly(n *continuation.Node) (waits bool, served continuation.Chain) {
	return w.enterQuietly(n)
}

// exclusiveHost is a host whose waiter, once served, excludes others: it holds a lock or permits.
type exclusiveHost interface{ excludesOthers() }

func (*Mutex) excludesOthers()          {}
func (*RWMutex) excludesOthers()        {}
func (*Semaphore) excludesOthers()      {}
func (*AutoResetEvent) excludesOthers() {}

// Holds reports whether the machine holds a lock or permits after its wait. A search of
// schedules uses it to let other work find them held.
func (w *waiter) Holds() bool {
	_, is := w.host.(exclusiveHost)
	return is && w.err == nil
}

// spareOf returns the call that the machine of r has kept, or a new one.
func spareOf[R, P any](r *statemachine.Run) *call[R, P] {
	if kept, ok := r.Kept().(*waiter); ok && kept.spare {
		if c, ok := kept.call.(*call[R, P]); ok {
			return c
		}
	}
	m := new(machineCall[R, P])
	c := &m.call
	c.waiter.call, c.handle = c, &m.handle
	m.handle.Init(c)
	return c
}

// enterWait is waitMachine for an operation with a value.
func enterWait[R, P any](r *statemachine.Run, ctx context.Context, h host, request P) *statemachine.Waiting[R] {
	c := waitMachine[R](r, ctx, h, request)
	r.Suspend(&c.waiter)
	return c.handle
}

// enterWaitVoid is waitMachine for an operation without a value.
func enterWaitVoid[P any](r *statemachine.Run, ctx context.Context, h host, request P) *statemachine.WaitingVoid[job.Void] {
	return (*statemachine.WaitingVoid[job.Void])(enterWait[job.Void](r, ctx, h, request))
}

// endEntry ends an entry that need not wait, with v and err: at once or, if the machine
// has to yield, when its turn comes. A lock is not taken before that turn, but in it:
// see [mutex.LockEnter].
func endEntry[P, R any](r *statemachine.Run, h host, v R, err error) (*statemachine.Waiting[R], R, error) {
	if r.Proceed() {
		return nil, v, err
	}
	c := spareOf[R, P](r)
	c.waiter.prepare(r, nil, h)
	c.value, c.waiter.err, c.waiter.decided = v, err, true
	r.Suspend(&c.waiter)
	return c.handle, v, nil
}

// endSoon notifies those that an entry has served, the one for machines that soon wait again.
func endSoon(r *statemachine.Run, suspends bool, served continuation.Chain) {
	if suspends {
		served.Deliver(r.Worker())
	} else {
		r.HandOver(served)
	}
}

// endEntryVoid is endEntry for an operation without a value.
func endEntryVoid[P any](r *statemachine.Run, h host, err error) (*statemachine.WaitingVoid[job.Void], error) {
	w, _, err := endEntry[P](r, h, job.Void{}, err)
	return (*statemachine.WaitingVoid[job.Void])(w), err
}

// end is complete for a machine's waiter. It notifies the node last: from then on the
// waiter belongs to the machine. A machine that was served as it joined is the caller,
// and need not be notified.
func (w *waiter) end() (waiters continuation.Chain) {
	if w.watch.Stop() {
		w.ctx = nil
	}
	if w.node != nil {
		return continuation.Only(w.node)
	}
	return waiters
}

// Results implements [statemachine.Outcome]. It leaves c to the machine as its spare call.
func (c *call[R, P]) Results(r *statemachine.Run) (R, error) {
	c.waiter.resumed(r)
	var (
		none R
		ask  P
	)
	v := c.value
	c.value, c.request = none, ask
	return v, c.waiter.leaveMachine(r)
}

// resumed is called when the machine of r continues.
func (w *waiter) resumed(r *statemachine.Run) {
	if refusal := r.Refusal(); refusal != nil {
		w.refuse(refusal)
	}
	if probe.On(probe.Holders) {
		w.recordHolder(r)
	}
}

// leaveMachine returns the error of the wait, and leaves w to the machine of r.
func (w *waiter) leaveMachine(r *statemachine.Run) error {
	err := w.err
	w.err = nil
	if w.gaveUp {
		rethrow.From(err)
	}
	if w.ctx == nil {
		if w.watched {
			r.KeepWatch(&w.watch)
			w.watched = false
		}
		w.decided, w.gaveUp, w.spare, w.node = false, false, true, nil
		r.Keep(w)
	}
	return err
}

// refuse is called if the home of the machine turns out to be gone after the waiter was
// decided. It gives back what the waiter was granted, before the machine is notified. If
// that is impossible, the machine keeps the grant and no error is reported. Otherwise a
// machine that gets the error would keep a lock without knowing it, and no later call
// could lock it again.
func (w *waiter) refuse(refusal error) {
	h, ok := w.host.(revocable)
	if !ok {
		return
	}
	if !w.gaveUp && w.err == nil {
		w.takeBack(h.giveBack).deliver(nil)
	}
	w.err = refusal
}

// takeBack calls back, a method of the host, with its lock.
func (w *waiter) takeBack(back func(*waiter) outcomes) outcomes {
	mu := w.host.guard()
	mu.Lock()
	defer mu.Unlock() // a key that was unlocked meanwhile makes giveBack panic
	return back(w)
}

// revocable is a host that can take back what it has granted. An element that was sent
// or received, and a phase of a barrier that has ended, cannot be taken back: their
// hosts are not revocable.
type revocable interface {
	// giveBack takes back what w was granted, and returns the waiters that this serves.
	// The guard is held, and w is in no queue.
	giveBack(w *waiter) outcomes
}
