package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job/root"
	"github.com/movenext/movenext/schedulers"
)

// InScope calls body with a new [Scope] and its context, waits until all children have
// ended, and returns the scope's error. The error of body counts like that of a child,
// and cancels the children even in a supervising scope. If body panics or calls
// runtime.Goexit, the children are canceled and waited for, and then the panic or the
// Goexit continues; failures of children are then reported to [OnUnobserved]. If ctx has
// ended, body is not called. A child that the wait runs in place and that calls
// runtime.Goexit ends the caller's goroutine, too ([Scope.Wait]).
//
// It blocks, and body runs on the calling goroutine; its twin is [InScopeAsync].
func InScope(ctx context.Context, body func(context.Context, *Scope) error, opts ...Option) error {
	s := newScope(ctx, opts, 3)
	if !s.mayBegin(body == nil) {
		return s.Wait()
	}
	returned := false
	defer func() {
		if !returned {
			s.Close() // and the panic, or the Goexit, continues
		}
	}()
	err := body(s.views.forWorker(s, s.from), s)
	returned = true
	s.recordBodyError(err)
	return s.Wait()
}

// InScopeAsync returns the job of a new [Scope] whose body runs on the scope's
// scheduler. The job ends when body and all children have ended. If body panics, the
// panic is the job's only error. It does not block, and is the twin of [InScope].
func InScopeAsync(ctx context.Context, body root.ActionOf[*Scope], opts ...Option) *Job[Void] {
	s := newScope(ctx, opts, 3)
	return s.run(body)
}

// run starts the body of a new scope.
func (s *Scope) run(body func(context.Context, *Scope) error) *Job[Void] {
	if !s.mayBegin(body == nil) {
		return s.WaitAsync()
	}
	b := &scopeBody{scope: s, fn: body}
	c := &b.job.core
	c.mode = reported | s.mode&labeled
	b.end.job.core.initDependent()
	s.promise.job.core.mode |= reported
	if r := interleave.LoadPointer(&s.promise.job.core.extra); r != nil {
		e := b.end.job.core.ensureExtra()
		e.name, e.diagnostics = r.name, r.diagnostics
	}
	c.enclose(&b.body, b, s.home, s.views.forWorker(s, s.from))
	b.node.Prepare(b)
	c.waiting.Add(&b.node)
	b.left.Store(2)
	b.ended.body = b
	b.ended.node.Prepare(&b.ended)
	s.promise.job.core.waiting.Add(&b.ended.node) // early: stacks and cycles go through it
	j := &b.end.job
	_ = c.submit(s.home, s.flags) // a refusal is how the body has ended
	return j
}

// scopeBody is the body of a scope, run as a separate job. It is not a child: it acts
// for the scope's creator, as the caller of InScope does. So a body may wait for the
// scope, or close it, and continue when all children have ended. Counting it as a child
// is tempting and wrong: it would wait for itself.
//
//	body ends ──▶ the creator's count is released ──▶ the last child has ended ──┐
//	     └───────────────────────────────────────────────────────────────────────┴──▶ job ends
type scopeBody struct {
	job    Job[Void]
	body   body
	scope  *Scope
	fn     func(context.Context, *Scope) error
	node   continuation.Node // of the body's end
	thrown bool              // the body has not returned

	end   promise[Void]
	ended scopeEnd
	left  interleave.Int32 // of the two that end waits for: the body, and the scope
}

func (b *scopeBody) base() *core { return &b.job.core }

func (b *scopeBody) completer() jobCompleter { return (*completer[Void])(&b.job) }

func (b *scopeBody) invoke(context.Context) error {
	return b.fn(b.scope.views.forWorker(b.scope, b.body.worker), b.scope)
}

func (b *scopeBody) drop() { b.fn = nil }

// crashError implements keeper.
func (b *scopeBody) crashError(err error) error {
	b.thrown = true
	return err
}

// Completed implements continuation.Target: the body has ended.
func (b *scopeBody) Completed(schedulers.Worker) continuation.Chain {
	s := b.scope
	s.recordBodyOutcome(Status(b.job.core.final), b.job.core.err(), b.thrown)
	return s.release().Join(b.countOne())
}

// countOne counts one of the two as ended. The last publishes the outcome.
func (b *scopeBody) countOne() (waiters continuation.Chain) {
	if b.left.Add(-1) > 0 {
		return waiters
	}
	scope := &b.scope.promise.job
	final, err := Status(scope.core.final), scope.core.err()
	if b.thrown { // even if the scope had ended before
		final, err = Faulted, b.job.core.err()
	}
	waiters, _ = tryComplete(&b.end, final, Void{}, err)
	return waiters
}

func (b *scopeBody) waitingJob() (*core, string) { return &b.end.job.core, "scope" }

// scopeEnd waits for the end of the scope.
type scopeEnd struct {
	node continuation.Node
	body *scopeBody
}

// Completed implements continuation.Target: the creator's count has been released, and
// all children have ended.
func (e *scopeEnd) Completed(schedulers.Worker) continuation.Chain { return e.body.countOne() }

func (e *scopeEnd) waitingJob() (*core, string) { return &e.body.end.job.core, "scope" }

// mayBegin reports whether the body should be called; if not, the reason is in the
// scope's outcome.
func (s *Scope) mayBegin(nilFunc bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.left == 0: // its options do not apply
		return false
	case nilFunc:
		s.recordOutcome(Faulted, ErrNilFunc)
		return false
	case s.ctx.Err() != nil:
		s.recordOutcome(Canceled, nil)
		return false
	}
	return true
}

// recordBodyError counts the body's error as the outcome of a child.
func (s *Scope) recordBodyError(err error) { s.recordBodyOutcome(s.statusOf(err), err, false) }

// recordBodyOutcome records the outcome of the body. If it was thrown, by a panic or a Goexit,
// it is the scope's only error: a suspended caller raises it again.
func (s *Scope) recordBodyOutcome(final Status, err error, thrown bool) {
	s.mu.Lock()
	if thrown {
		s.body = err
	} else {
		s.recordOutcome(final, err)
	}
	s.mu.Unlock()
	if final == Faulted {
		s.cancel(err)
	}
}
