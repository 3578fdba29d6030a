package job

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Scope runs children and does not end before the last of them has: structured
// concurrency, as in Trio's nurseries and Kotlin's coroutine scopes.
//
//	s := job.NewScope(ctx)
//	defer s.Close()                          // no child outlives this function
//	s.Go(func(ctx context.Context) error { … })
//	a := job.Spawn(s, fetch)                 // a child with a handle
//	if err := s.Wait(); err != nil { … }
//
// [InScope] is the form that cannot be left without waiting. In a function marked
// //movenext:async, children that are function literals or functions with twins suspend
// where they wait, and so does the body of InScope: they hold no worker meanwhile.
//
// There are two kinds. In a fail-fast scope the first child that fails cancels all
// others, and the scope has failed. In a scope that was made with [Supervisor], a failed
// child does not affect the others. In both, the end of ctx cancels all children, and a
// child that was canceled, by the scope or by its own handle, does not count as failed,
// unless its error contains more than the end of its context.
//
// The scope's error is all its failures, joined by errors.Join in the order in which
// they occurred. If there was none and children were canceled because the scope's
// context has ended, it is that context's error.
//
// All methods are safe for concurrent use.
type Scope struct {
	promise promise[Void]

	// Constant after NewScope.

	parent context.Context // what the scope was made with
	ctx    context.Context // ends with the scope; below parent, unless the scope is shielded
	cancel context.CancelCauseFunc
	home   *schedulers.Home
	flags  schedulers.Flags
	mode   mode
	from   schedulers.Worker // of the scope's creator, which probably fills it

	views views // of ctx, one for each worker

	mu       interleave.Mutex
	left     int // children that have not ended, and one for the scope's creator until it waits
	released bool
	body     error // InScope's body panicked with it, or ErrGoexit; then the scope's only error
	errs     []error
	canceled bool // a child was canceled because ctx has ended
	children children
	gate     gate

	freeStarted *startedChild // see startedChild
}

// Supervisor makes a scope in which a child that fails does not cancel the others. The
// failure of a child with a handle is then its own: it is not part of the scope's
// error.
func Supervisor() Option { return Option{mode: supervising} }

// NewScope returns a scope without children. Its children run on the scheduler of the
// option [On], else on the ambient one of ctx, else on the default. [PreferFairness],
// [LongRunning], [Named] and [Shielded] mean what they mean for jobs. A scope with an
// option that does not apply has failed with [ErrOption].
func NewScope(ctx context.Context, opts ...Option) *Scope {
	return newScope(ctx, opts, 3)
}

// newScope is NewScope; depth is the number of calls between runtime.Callers in record
// and the user's code.
func newScope(ctx context.Context, opts []Option, depth int) *Scope {
	if ctx == nil {
		ctx = context.Background()
	}
	s := &Scope{parent: ctx, left: 1}
	o := merge(opts)
	if err := o.check(forScope); err != nil {
		s.errs, s.left = []error{err}, 0
		s.ctx, s.cancel = context.WithCancelCause(ctx)
		s.promise.job.core.initDependent()
		s.finish().Deliver(nil)
		return s
	}
	s.prepare(&o)
	if d := o.diagnose | Diagnostics(probe.OfJobs()); d != 0 {
		s.record(d, depth+1)
	}
	return s
}

func (s *Scope) prepare(o *Option) {
	s.promise.job.core.initDependent()
	s.flags, s.mode = o.flags, o.mode
	if labels.Has(s.parent) {
		s.mode |= labeled
	}
	s.from = schedulers.WorkerFrom(s.parent)
	if s.home = o.home(); s.home == nil {
		s.home = homeOf(s.parent)
	}
	c := &s.promise.job.core
	if o.name != "" {
		c.ensureExtra().name = o.name
	}
	ctx := s.parent
	if o.mode&shielded != 0 {
		ctx = context.WithoutCancel(ctx)
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
}

// Context returns the context of the scope: it carries the scope's scheduler, and ends
// when the scope ends, is canceled, or fails. Each child gets it, or a context below it.
func (s *Scope) Context() context.Context { return s.views.forWorker(s, nil) }

// Cancel cancels the scope's context with cause, as context.CancelCauseFunc does.
// Children that have not begun to run will not run; those that run are notified by their
// context. It does not wait.
func (s *Scope) Cancel(cause error) { s.cancel(cause) }

// Wait waits until all children have ended, including those that are started meanwhile,
// and returns the scope's error; then the scope has ended, and starts no more children.
// A child must not call it. Called on a worker, it runs children that are still queued
// itself, if their scheduler consents. If waiting is refused ([ErrWouldDeadlock]), it
// returns a *[WaitError] and the scope has not ended. A child that it runs and that calls
// runtime.Goexit ends the caller's goroutine, as with [Job.Wait].
//
// It blocks; its twin is [Scope.WaitAsync].
func (s *Scope) Wait() error {
	if err := s.wait(); err != nil {
		return err
	}
	return s.promise.job.Err()
}

// wait waits for the scope's end and ignores its outcome.
func (s *Scope) wait() error {
	j := s.WaitAsync()
	behalf := current(s.parent)
	if !j.core.isCompleted() {
		j.core.runOnBehalf(behalf, s.help)
	}
	if j.core.isCompleted() {
		return nil
	}
	return j.core.park(context.Background(), behalf, s.from)
}

// WaitAsync returns the job that ends when all children have ended. It is the twin of
// [Scope.Wait].
func (s *Scope) WaitAsync() *Job[Void] {
	s.release().Deliver(s.from)
	return &s.promise.job
}

// release returns the count of the scope's creator, if it is still held.
func (s *Scope) release() continuation.Chain {
	s.mu.Lock()
	last := !s.released && s.left == 1
	if !s.released {
		s.released = true
		s.left--
	}
	s.mu.Unlock()
	if last {
		return s.finish()
	}
	return continuation.Chain{}
}

// Close cancels the scope with [ErrScopeEnded] as the cause and waits for its children.
// On a scope that has ended it does nothing, so defer it where the scope is made: then
// no child outlives the function, however the function is left. It ignores the scope's
// error: failures that Wait did not return are reported to [OnUnobserved]. It blocks;
// its twin is [Scope.CloseAsync].
func (s *Scope) Close() {
	s.cancel(ErrScopeEnded)
	_ = s.wait()
}

// CloseAsync is the twin of [Scope.Close]. Its job does not fail.
func (s *Scope) CloseAsync() *Job[Void] {
	s.cancel(ErrScopeEnded)
	c := &closing{}
	c.promise.job.core.initDependent()
	c.node.Prepare(c)
	if !s.WaitAsync().core.register(&c.node) {
		c.Completed(nil).Deliver(nil)
	}
	return &c.promise.job
}

// closing is the job of a scope that is closed, whatever its outcome.
type closing struct {
	promise promise[Void]
	node    continuation.Node
}

func (c *closing) waitingJob() (*core, string) { return &c.promise.job.core, "scope" }

// Completed implements continuation.Target.
func (c *closing) Completed(schedulers.Worker) continuation.Chain {
	waiters, _ := tryComplete(&c.promise, Completed, Void{}, nil)
	return waiters
}

// enter counts one more child with a handle, and gives it a free slot, if any; false:
// the scope has ended.
func (s *Scope) enter(t *spawnedChild) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 {
		return false
	}
	s.left++
	t.scope, t.slot.holds = s, s.gate.enter()
	return true
}

// exit counts a child as ended, with err as its error.
func (s *Scope) exit(final Status, err error, l *childSlot) continuation.Chain {
	s.mu.Lock()
	held := l.end()
	if !held {
		s.gate.forget()
	}
	return s.leaveAndUnlock(final, err, held)
}

// leaveAndUnlock is exit with mu held. holds reports whether the child had a slot.
func (s *Scope) leaveAndUnlock(final Status, err error, holds bool) continuation.Chain {
	cancel := s.recordOutcome(final, err)
	s.left--
	last := s.left == 0
	if holds {
		s.gate.inFlight--
	}
	queued := len(s.gate.queue) > 0
	s.mu.Unlock()
	if cancel {
		s.cancel(err)
	}
	if queued {
		s.admit()
	}
	if last {
		return s.finish()
	}
	return continuation.Chain{}
}

// recordOutcome records the outcome of a child, and reports whether it cancels the
// others; mu is held.
func (s *Scope) recordOutcome(final Status, err error) (cancel bool) {
	switch final {
	case Canceled:
		s.canceled = s.canceled || s.ctx.Err() != nil
	case Faulted:
		s.errs = append(s.errs, err)
		return s.mode&supervising == 0 && len(s.errs) == 1
	}
	return false
}

// finish ends the scope: the last child has ended, and no other can be started.
func (s *Scope) finish() continuation.Chain {
	final, err, hidden := s.outcome()
	s.cancel(nil)
	if hidden != nil {
		FromError[Void](hidden) // nobody can ask for it: it is reported to OnUnobserved
	}
	waiters, _ := tryComplete(&s.promise, final, Void{}, err)
	return waiters
}

// outcome returns the outcome of the scope, and what went wrong besides.
func (s *Scope) outcome() (final Status, err, hidden error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.children, s.freeStarted = children{}, nil
	failed := errors.Join(s.errs...)
	switch {
	case s.body != nil:
		return Faulted, s.body, failed
	case failed != nil:
		return Faulted, failed, nil
	case s.canceled:
		return Canceled, contextError(s.ctx), nil
	}
	return Completed, nil, nil
}
