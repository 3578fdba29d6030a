package coord

import (
	"context"
	"time"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # A select waits at several hosts
//
// A select takes an element, a lock or permits from one of several hosts, and must leave the
// others unchanged. The obvious way is to take from all and to put back the surplus: then other
// receivers would see elements in another order, and a lock would be held that nobody asked for.
// Go locks all channels of a select, in the order of their addresses. Here a host is locked alone,
// as always. What is decided under a lock that all hosts share is who may serve the select: it
// is the lock of the select itself.
//
// So a select is a host too, the [selection]. It has one waiter, its caller, and serves it with
// the number of a case. At the hosts of its cases it has a waiter each, in the same queues as all
// others. A server that finds such a waiter claims the select, which means that it serves the
// caller in it. If that fails, another host was faster: the server drops the waiter, with its own
// state unchanged, and goes on with the next one. A caller that gives up is the waiter that gives
// up in waiter.go.
//
//	a server at one of the hosts           the caller
//	 1. lock the host                       1. poll the cases: one is ready: take it, and return
//	 2. take the first of the queue;        2. for each case: lock its host; can it be served?
//	    none: leave                            claim, change the state; else into the queue;
//	 3. claim: lock the selection; is the      unlock
//	    caller in its queue? take it out,   3. arrive
//	    write the number; unlock            4. wait for the promise
//	 4. claimed by another: go to 2
//	 5. change the state, write the value
//	 6. unlock the host
//	 7. arrive
//
//	the second to arrive
//	 1. for each case: lock its host; still in its queue? take it out, and serve those
//	    that can continue because of that; unlock
//	 2. store the element
//	 3. complete the promise
//
// The side that has claimed is a server, or the caller in its step 2, or the one that gives up.
// It arrives once, and so does the caller in its step 3.
//
// Proof that one case takes effect. The state of a host is changed for the select only after a
// claim. The caller is taken out of the selection's queue once, under its lock, and is never put
// back. Before step 2 of the caller nobody else knows the select, so step 1 needs no claim.
//
// Proof that the select does not miss a case. Step 2 of the caller and a server's steps run under
// the lock of the host, so one is first. If it is the server, the caller sees the changed state.
// If it is the caller, the server finds its waiter in the queue, and a claim fails only if the
// select is served.
//
// Proof that nothing is left behind. There are two arrivals, and the second one comes when all
// waiters of the select are in their queues or were taken out, and the outcome is written. After
// its step 1 none is in a queue. The promise is completed after that, by one goroutine.
//
// # Two selects
//
// A select that comes to a channel as a receiver may find a sender that belongs to another select.
// Both have to be claimed, or neither: a claim cannot be undone, since others have acted on it.
// So both selections are locked at the same time. Two goroutines that lock the same two selections
// in opposite order would wait for each other; a lock of the whole process, meeting, lets only
// one lock two. Everybody else locks one, and holds it for a few instructions. The order of locks
// is: a host, meeting, selections.
//
// The two waiters of a select that sends to and receives from the same channel pass each other
// by: see sameSelect.

// selection is a call of Select that waits: the host of its caller. One allocation is the caller's
// waiter, its job and this.
type selection struct {
	call    call[int, job.Void] // its value is the number of the case
	promise promise.Promise[int]

	// One for each case; nil: the case is never ready. The two that arrive own them.
	branches []branch
	arrived  interleave.Int32

	mu     interleave.Mutex
	caller queue // empty once the select is claimed
}

// branch is a case of a select that waits.
type branch interface {
	// enter begins to wait, and returns the waiters that were decided, perhaps itself.
	enter() outcomes
	// leave ends the wait, unless the case was chosen, and returns the waiters that this serves.
	leave() outcomes
	// store stores the value, if the case was chosen.
	store()
	// comeBack takes back what the chosen case was granted, and returns the waiters that this
	// serves.
	comeBack() outcomes
}

func newSelection(cases []Case) *selection {
	s := &selection{branches: make([]branch, len(cases))}
	promise.Init(&s.promise.Job)
	promise.SetExclusive(&s.promise.Job)
	c := &s.call
	c.promise, c.value = &s.promise, -1
	c.waiter.call, c.waiter.isJob, c.waiter.host = c, true, s
	s.caller.push(&c.waiter)
	return s
}

// wait is the blocking form.
func (s *selection) wait(ctx context.Context, cases []Case) (int, error) {
	branches := s.branches
	s.enter(ctx, cases)
	left := true
	defer func() {
		if left {
			s.desert(branches)
		}
	}()
	chosen, err := block(ctx, &s.call)
	left = false
	return chosen, err
}

// start is the asynchronous form.
func (s *selection) start(ctx context.Context, cases []Case) *job.Job[int] {
	s.call.waiter.watchOver(ctx)
	s.enter(ctx, cases)
	return &s.promise.Job
}

// enter performs the steps 2 and 3 of the caller. It may be unwound: a scheduler may run a job
// that it starts in place.
func (s *selection) enter(ctx context.Context, cases []Case) {
	branches := s.branches
	var decided outcomes
	entered := false
	defer func() {
		waiters := decided.complete()
		ended, more := s.arrive()
		waiters.Join(ended).Join(more.complete()).Deliver(nil)
		if !entered {
			s.desert(branches)
		}
	}()
	for i, c := range cases {
		if c.kind != nil && !s.isClaimed() {
			branches[i] = c.kind.branch(ctx, alternative{&s.call.waiter, i})
			decided.append(branches[i].enter())
		}
	}
	entered = true
}

// isClaimed reports whether the select is served, or has given up.
func (s *selection) isClaimed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caller.empty()
}

// arrive is called once by the caller and once by the side that has claimed the select.
func (s *selection) arrive() (waiters continuation.Chain, more outcomes) {
	if s.arrived.Add(1) < 2 {
		return waiters, more
	}
	for _, b := range s.branches {
		if b != nil {
			more.append(b.leave())
		}
	}
	if !s.call.waiter.gaveUp {
		s.branches[s.call.value].store()
	}
	s.branches = nil // the job may be kept for a long time
	waiters, _ = s.call.waiter.complete()
	return waiters, more
}

// desert ends the wait of a caller that unwinds: see desert.go.
func (s *selection) desert(branches []branch) {
	if !s.call.waiter.leave() {
		return
	}
	chosen, _ := s.promise.Job.GetResult()
	branches[chosen].comeBack().deliver(nil)
}

// waitName names what the caller waits for.
func (s *selection) waitName() string { return "coord.Select" }

func (s *selection) guard() *interleave.Mutex { return &s.mu }

// admit is not called: the caller waits from the beginning.
func (s *selection) admit(*waiter) (none outcomes) { return none }

// cancel claims the select for a caller that gives up.
func (s *selection) cancel(w *waiter) (decided outcomes) {
	s.caller.remove(w)
	decided.add(s)
	return decided
}

// claim serves the caller with the number of a case; mu is held, and the select is not claimed.
func (s *selection) claim(chosen int) {
	s.caller.pop().decided = true
	s.call.value = chosen
}

// decide implements outcome: the caller was decided.
func (s *selection) decide() {}

// complete implements outcome.
func (s *selection) complete() (continuation.Chain, outcomes) { return s.arrive() }

// nextOutcome implements outcome.
func (s *selection) nextOutcome() *outcome { return &s.call.waiter.nextDecided }

// alternative is a case of a select that waits, as its host sees it. A nil alternative is that of
// a waiter that belongs to no select. It does not mention the selection, since packages that have
// only a lock would compile the types of that.
type alternative struct {
	caller *waiter // of the select
	index  int
}

// selectionOf returns the selection that a is a case of.
func selectionOf(a *alternative) *selection { return a.caller.host.(*selection) }

// claim reports whether the waiter may be served. If it may, it must be, and the select gets
// nothing from other hosts.
func (a *alternative) claim() bool { return a == nil || a.claimSelect() }

func (a *alternative) claimSelect() bool {
	s := selectionOf(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.caller.empty() {
		return false
	}
	s.claim(a.index)
	return true
}

// complete ends the select, which a host has served with err.
func (a *alternative) complete(err error) (continuation.Chain, outcomes) {
	a.caller.err = err
	return selectionOf(a).arrive()
}

// meeting is locked while two selections are.
var meeting interleave.Mutex

// claims is the result of claimBoth.
type claims uint8

const (
	claimed        claims = iota // both
	newcomerServed               // neither: the newcomer is served by another host
	waiterServed                 // neither: the waiter is
	sameSelect                   // neither: the two belong to the same select, which does not meet itself
)

// claimBoth claims two alternatives that meet at a host, or neither.
func claimBoth(newcomer, waiter *alternative) claims {
	switch {
	case newcomer == nil || waiter == nil:
		switch {
		case !newcomer.claim():
			return newcomerServed
		case !waiter.claim():
			return waiterServed
		}
		return claimed
	case newcomer.caller == waiter.caller:
		return sameSelect
	}
	return claimTwo(newcomer, waiter)
}

// claimTwo is claimBoth for two selects.
func claimTwo(newcomer, waiter *alternative) claims {
	one, two := selectionOf(newcomer), selectionOf(waiter)
	meeting.Lock()
	defer meeting.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	two.mu.Lock()
	defer two.mu.Unlock()
	switch {
	case one.caller.empty():
		return newcomerServed
	case two.caller.empty():
		return waiterServed
	}
	one.claim(newcomer.index)
	two.claim(waiter.index)
	return claimed
}

// caseWaiter is the waiter of a case in the queue of a host.
type caseWaiter[R, P any] struct {
	call call[R, P]
	of   alternative
	to   *R // nil: the value is not stored
}

func newCaseWaiter[R, P any](a alternative, h host, request P, to *R) branch {
	b := &caseWaiter[R, P]{of: a, to: to}
	c := &b.call
	c.request = request
	c.waiter.call, c.waiter.host, c.waiter.of = c, h, &b.of
	return b
}

func (b *caseWaiter[R, P]) enter() outcomes {
	w := &b.call.waiter
	mu := w.host.guard()
	mu.Lock()
	defer mu.Unlock()
	return w.host.admit(w)
}

func (b *caseWaiter[R, P]) leave() outcomes { return b.call.waiter.withdraw(nil) }

func (b *caseWaiter[R, P]) store() {
	if b.to != nil && b.call.waiter.err == nil {
		*b.to = b.call.value
	}
}

func (b *caseWaiter[R, P]) comeBack() outcomes { return b.call.waiter.comeBack() }

// endBranch waits for the end of a job.
type endBranch struct {
	alternative
	job         job.Handle
	node        continuation.Node
	nextDecided outcome
}

func (b *endBranch) enter() (decided outcomes) {
	b.node.Prepare(b)
	if !jobcore.Of(b.job).Register(&b.node) && b.claim() {
		decided.add(b)
	}
	return decided
}

func (b *endBranch) leave() (none outcomes) {
	jobcore.Of(b.job).Unregister(&b.node)
	return none
}

func (b *endBranch) store() {}

func (b *endBranch) comeBack() (none outcomes) { return none }

// Completed implements continuation.Target.
func (b *endBranch) Completed(schedulers.Worker) (waiters continuation.Chain) {
	if b.claim() {
		var decided outcomes
		decided.add(b)
		waiters = decided.complete()
	}
	return waiters
}

func (b *endBranch) decide() {}

func (b *endBranch) complete() (continuation.Chain, outcomes) { return b.alternative.complete(nil) }

func (b *endBranch) nextOutcome() *outcome { return &b.nextDecided }

// timeoutBranch waits for a timer.
type timeoutBranch struct {
	alternative
	after  time.Duration
	timer  schedulers.Timer
	timers schedulers.Timers
}

func newTimeoutBranch(ctx context.Context, a alternative, after time.Duration) branch {
	b := &timeoutBranch{alternative: a, after: after, timers: ambient.Timers(ambient.Home(ctx))}
	b.timer.OnExpire = b
	return b
}

func (b *timeoutBranch) enter() (none outcomes) {
	b.timers.StartTimer(&b.timer, b.after)
	return none
}

func (b *timeoutBranch) leave() (none outcomes) {
	b.timers.StopTimer(&b.timer)
	return none
}

func (b *timeoutBranch) store() {}

func (b *timeoutBranch) comeBack() (none outcomes) { return none }

// Expire implements schedulers.Expirer.
func (b *timeoutBranch) Expire(*schedulers.Timer) {
	if b.claim() {
		waiters, more := b.complete(nil)
		waiters.Join(more.complete()).Deliver(nil)
	}
}
