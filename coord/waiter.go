package coord

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # The one race of this package
//
// A caller waits for a lock. The lock is released, and at the same moment the context
// ends. The following must hold:
//
//	the waiter gets the lock, or it gets the error; and if it gets the error, then
//	the next waiter gets the lock.
//
// The tempting way is to let the waiter's promise decide: the first to complete it wins.
// The unlocker then takes the waiter out of the queue, tries to complete it, finds that
// it was canceled, and has to go back for the next one. With weights, readers and
// elements, "going back" means undoing: the state was changed for a waiter that is gone.
// Each primitive would have its own version of that, and its own bug.
//
// Here the promise decides nothing. The decision is one plain bool of the waiter,
// guarded by the lock of the primitive in which it waits, the same lock that guards the
// primitive's state:
//
//	               in queue   decided
//	fresh          no         no       made; its context may be watched already. A machine's is
//	                                   until the machine can be resumed (entered.go)
//	waiting        yes        no       admit has put it into a queue
//	decided        (1)        yes      value and err are final
//
//	fresh ──admit: not yet──▶ waiting ──a release───────▶ decided, served
//	  │  └──admit: free─────────────────────────────────▶ decided, served
//	  │                         └──context ends──▶ decided, given up
//	  └──context ends──────────────────────────▶ decided, given up
//
//	(1) Only a Cond's waiter is in a queue when it is decided: the outcome of its wait
//	    is known, and it queues for the Cond's mutex, which does not check decided.
//
// (One kind of waiter takes no part in this race: that of a machine whose context
// cannot end. A channel may let it wait without the lock; see channel_single.go. And a select
// has waiters in several queues, of which one is served; see selection.go.)
//
//	a server                               a waiter that gives up
//	 1. lock the primitive                  1. lock the primitive
//	 2. take the first of the queue         2. decided: unlock, do nothing
//	 3. write its value, set decided        3. take it out of the queue, set decided
//	 4. change the primitive's state        4. serve those that can continue because of that
//	 5. unlock                              5. unlock
//	 6. complete the promises, in order     6. complete the promises, in order
//
// Proof. Both lists run under one lock up to step 5, so one runs first. If it is the
// left one, the right one finds decided set in its step 2: the waiter gets what it
// requested, though its context has ended. If it is the right one, the left one does not
// find the waiter in the queue: nothing is handed to a waiter that is gone, so nothing
// has to be undone. Only the side that sets decided completes the promise, so it is
// completed once. Step 6 is outside the lock: completing runs continuations, which may
// call this same primitive again.
//
// Step 4 on the right is not always empty. A heavy request that gives up at the
// head of a semaphore's queue may uncover a light one that can be served; a writer that
// gives up may uncover readers. Without step 4 they would hang, and no test with a
// single waiter would show that.
//
// # What watches the context
//
// A blocked goroutine watches its context itself: it sleeps in the job's Wait, which the
// end of the context interrupts, and then gives up. A job has no goroutine, so its
// context is watched by package ctxwatch. The watch starts before the primitive is
// locked, because calling Done on a context may run user code. So the context may end
// before admit: that is the edge from fresh to decided.

// # What depends on a type
//
// gc compiles an instance of a type with parameters, with all its methods, in each package that
// mentions the type, even as a field of another one. So the waiter, its queue and its host have no
// parameters. What a call requests and gets is in the [call] that contains the waiter; a host
// whose requests or results have a type asks [callOf] for it.

// waiter is one call that could not be served at once.
type waiter struct {
	// The node of the machine that is notified, if isJob is unset (entered.go). Written under
	// the host's lock.
	node *continuation.Node

	// Written before the waiter is shared.
	call    typedCall // contains w
	host    host
	ctx     context.Context // nil: not watched
	of      *alternative    // of a select, or nil
	isJob   bool            // the outcome is reported to the waiters for the job of the call
	spare   bool            // a machine's, which does not wait with it
	watched bool            // a machine's, whose context can end

	// Guarded by the host's lock. Once decided is set they belong to the goroutine that
	// set it. So does the value of the call.
	decided     bool
	gaveUp      bool // decided, and not served
	queue       *queue
	next, prev  *waiter
	err         error
	nextDecided outcome // links the waiters that one step has decided

	watch ctxwatch.WaitWatch
}

// call is a call that waits. R is the type of its result, P that of its request.
type call[R, P any] struct {
	waiter  waiter
	promise *promise.Promise[R]      // of a job, or nil
	handle  *statemachine.Waiting[R] // of a machine, or nil
	request P                        // cleared by the completer, or by the machine
	value   R
}

// typedCall is a [call] of any type.
type typedCall interface {
	// finish completes the job of the call, in which ctx and err decide the status.
	finish(ctx context.Context, err error) continuation.Chain

	// await waits for the job of the call, which is decided.
	await()
}

// callOf returns the call of w. Its types are those with which its host waits.
func callOf[R, P any](w *waiter) *call[R, P] { return w.call.(*call[R, P]) }

// host is a primitive in which calls wait; its methods are the primitive's rules. The
// guard is held when admit and cancel are called; neither runs user code.
type host interface {
	// guard returns the lock.
	guard() *interleave.Mutex

	// admit serves a fresh waiter at once or puts it into a queue, and returns the
	// served waiters.
	admit(w *waiter) outcomes

	// cancel removes a waiter that gives up from its queue; err is set. It returns that
	// waiter and the waiters that this serves.
	cancel(w *waiter) outcomes
}

// jobCall is a call and its job, in one allocation.
type jobCall[R, P any] struct {
	call call[R, P]
	job  promise.Promise[R]
}

func newJobCall[R, P any](h host, request P) *call[R, P] {
	j := new(jobCall[R, P])
	c := &j.call
	promise.Init(&j.job.Job)
	c.promise, c.request = &j.job, request
	c.waiter.call, c.waiter.isJob, c.waiter.host = c, true, h
	return c
}

// wait is the slow path of a blocking form.
func wait[R, P any](ctx context.Context, h host, request P) (R, error) {
	c := newJobCall[R](h, request)
	left := true
	defer func() {
		if left {
			desert(c, request)
		}
	}()
	c.waiter.enter(nil, nil)
	v, err := block(ctx, c)
	left = false
	return v, err
}

// waitAsync is the slow path of an asynchronous form.
func waitAsync[R, P any](ctx context.Context, h host, request P) *job.Job[R] {
	c := newJobCall[R](h, request)
	c.waiter.watchOver(ctx)
	c.waiter.enter(nil, nil)
	return &c.promise.Job
}

// watchOver makes w give up when ctx ends. w is fresh.
func (w *waiter) watchOver(ctx context.Context) {
	if ctxwatch.OriginOf(ctx).CanEnd() {
		w.ctx = ctx
		w.watch.Start(ctx, nil, w)
	}
}

// enter submits w to the host, unless w has already given up, and reports whether its
// outcome is still open. In that case n is the node to notify, if w is the waiter of a
// machine. worker is the one that the caller believes it runs on, or nil.
func (w *waiter) enter(n *continuation.Node, worker schedulers.Worker) (mustWait bool) {
	mustWait, served := w.enterQuietly(n)
	served.Deliver(worker)
	return mustWait
}

// enterQuietly is enter, but leaves it to the caller to notify those that were served.
func (w *waiter) enterQuietly(n *continuation.Node) (mustWait bool, served continuation.Chain) {
	mu := w.host.guard()
	mu.Lock()
	var decided outcomes
	if !w.decided {
		decided = w.host.admit(w)
	}
	if mustWait = !w.decided; mustWait {
		w.node = n
	}
	mu.Unlock()
	return mustWait, decided.complete()
}

// block waits for the outcome of c, until ctx ends or the worker in ctx refuses to be blocked.
func block[R, P any](ctx context.Context, c *call[R, P]) (R, error) {
	w, j := &c.waiter, &c.promise.Job
	ctx = w.withReason(ctx)
	v, err := j.Wait(ctx)
	if err == nil {
		return v, nil
	}
	w.giveUp(waitEndReason(err))
	// The waiter is decided now, so the result is there or about to be: no user code
	// runs between deciding and completing. But it may have to wait for a Cond's lock.
	// The first attempt involves the worker; if the worker refuses, the second one
	// bypasses it.
	_, _ = j.Wait(context.WithoutCancel(ctx))
	return j.Wait(context.Background())
}

// ContextEnded implements ctxwatch.Listener. A context that fails instead of returning its error
// fails in the caller: a machine goes on with the panic or the Goexit, as its plain form does.
func (w *waiter) ContextEnded(*ctxwatch.Watch) {
	why := job.ErrGoexit
	defer func() {
		if v := recover(); v != nil {
			why = promise.Panic(v)
		}
		w.giveUp(why)
	}()
	why = endReason(w.ctx)
}

// giveUp performs the right-hand list above. It does nothing if the waiter was served.
func (w *waiter) giveUp(why error) { w.withdraw(why).deliver(nil) }

// withdraw is giveUp up to its step 5.
func (w *waiter) withdraw(why error) (decided outcomes) {
	mu := w.host.guard()
	mu.Lock()
	defer mu.Unlock()
	if w.decided {
		return decided
	}
	w.decided, w.gaveUp, w.err = true, true, why
	switch {
	case w.queue != nil:
		decided = w.host.cancel(w)
	case w.isJob:
		decided.add(w)
	} // otherwise a machine's, which will find it decided
	return decided
}

// decide implements outcome.
func (w *waiter) decide() { w.decided = true }

// complete implements outcome.
func (w *waiter) complete() (waiters continuation.Chain, more outcomes) {
	switch {
	case w.of != nil:
		if w.gaveUp {
			return waiters, more // another case of the select was chosen
		}
		return w.of.complete(w.err)
	case !w.isJob:
		return w.end(), more
	}
	err := w.err
	w.err = nil
	if w.watch.Stop() {
		w.ctx = nil // not read any more; if Stop fails, ContextEnded may be about to read it
	}
	// The status follows from the decision. The waiter's own context is not checked again:
	// it may be a user's, and waiters completed after this one must not depend on it.
	var ctx context.Context
	if w.gaveUp && !promise.Thrown(err) {
		ctx = endedContext{context.Background(), err}
	}
	return w.call.finish(ctx, err), more
}

// finish implements typedCall. The job may be kept for a long time; it must not keep alive what
// was needed only for the wait.
func (c *call[R, P]) finish(ctx context.Context, err error) continuation.Chain {
	var (
		none R
		ask  P
	)
	v := c.value
	c.value, c.request = none, ask
	waiters, _ := promise.TryComplete(c.promise, ctx, v, err)
	return waiters
}

// endedContext is a context that has ended with err.
type endedContext struct {
	context.Context
	err error
}

// Err implements context.Context.
func (e endedContext) Err() error { return e.err }

// nextOutcome implements outcome.
func (w *waiter) nextOutcome() *outcome { return &w.nextDecided }

// completedVoid returns the job of an operation that succeeded at once and has no value.
func completedVoid() *job.Job[job.Void] { return job.FromResult(job.Void{}) }
