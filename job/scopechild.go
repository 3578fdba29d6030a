package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/longrun"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// # Children without handles
//
// Nothing can refer to a child without a handle, so when it has ended its object is
// reused for the next one: a fan-out of any width allocates only as many objects as
// there are children alive at a time. They are allocated in slabs, which is safe: none
// of them can keep its neighbours alive longer than their scope.
//
// The scheduler holds a child while it is queued. A waiter may claim a queued child and
// run it in place; the scheduler then still has its entry, and finds nothing to do when
// the turn of the entry comes. If the object were reused for another child by then, the
// old entry would run that child early or, worse, abandon it if the entry is abandoned.
// So a child that was run in place is not reused, unless the scheduler has given it back.

// child is a child of a scope that has no handle.
type child struct {
	scope *Scope
	fn    func(context.Context) error
	state interleave.Uint32
	next  *child // in the free list
}

const (
	childUnused  uint32 = iota // not used yet
	childQueued                // left by its claimer: worker, waiter, or abandoner
	childClaimed               // it runs, or is in the free list
	childHeld                  // it waits for a slot; see scopelimit.go
)

func (c *child) claim() bool { return c.state.CompareAndSwap(childQueued, childClaimed) }

// children are the objects of a scope. It is guarded by Scope.mu.
type children struct {
	free  *child
	slabs [][]child
	used  int // of the last slab
}

// Slabs double up to 64 children.
const minSlab, doublings = 4, 4

func (k *children) take(s *Scope) *child {
	if c := k.free; c != nil {
		k.free, c.next = c.next, nil
		return c
	}
	if n := len(k.slabs); n == 0 || k.used == len(k.slabs[n-1]) {
		k.slabs = append(k.slabs, make([]child, minSlab<<min(n, doublings)))
		k.used = 0
	}
	last := k.slabs[len(k.slabs)-1]
	c := &last[k.used]
	k.used++
	c.scope = s
	return c
}

func (k *children) giveBack(c *child) { c.next, k.free = k.free, c }

// Go starts fn as a child without a handle and reports whether it did; it does not
// block. The context of fn ends with the scope, and carries its scheduler and the
// worker. If fn returns an error, panics or calls runtime.Goexit, the child has failed.
//
// It returns false, and fn will not run, if the scope has ended or is canceled. A nil
// fn, and a refusal by the scheduler, are failures of the scope. Start the children of
// a scope where it was made, or from its children: they go to that worker's queue.
func (s *Scope) Go(fn func(context.Context) error) bool {
	c := s.newChild(fn == nil)
	if c == nil {
		return false
	}
	c.fn = fn
	return s.submit(c)
}

// newChild returns a child that the scope has counted, or nil if none should be started.
func (s *Scope) newChild(nilFunc bool) *child {
	s.mu.Lock()
	if s.left == 0 {
		s.mu.Unlock()
		return nil
	}
	s.left++
	if nilFunc || s.ctx.Err() != nil {
		s.leaveUnstartedAndUnlock(nilFunc)
		return nil
	}
	c := s.children.take(s)
	if !s.gate.enter() {
		c.state.Store(childHeld)
	}
	s.mu.Unlock()
	return c
}

// submit passes a child that has its function to the scheduler, and reports whether the
// scheduler took it. Without a free slot it puts the child into the queue instead.
func (s *Scope) submit(c *child) bool {
	if c.state.Load() == childHeld {
		s.hold(c)
		return true
	}
	return s.offer(c)
}

// offer is submit for a child that has a slot.
func (s *Scope) offer(c *child) bool {
	flags := s.flags
	if f := s.home.LongRunning; f != nil && f.Has(longrun.Code(c.fn)) {
		flags |= schedulers.LongRunning
	}
	c.state.Store(childQueued) // from now on a waiter may run it, and drop fn
	err := schedulers.TryOffer(s.home.Scheduler, c, schedulers.Hint{From: s.from, Flags: flags})
	if err != nil && c.claim() {
		c.end(Faulted, refusalError(err), false, s.from)
		return false
	}
	return true
}

// leaveUnstartedAndUnlock ends a child that was counted and is not started. mu is
// held.
func (s *Scope) leaveUnstartedAndUnlock(nilFunc bool) {
	final, err := Canceled, error(nil)
	if nilFunc {
		final, err = Faulted, ErrNilFunc
	}
	s.leaveAndUnlock(final, err, false).Deliver(nil)
}

// Run implements schedulers.Work.
func (c *child) Run(worker schedulers.Worker) {
	if c.claim() {
		c.run(worker, true, true)
	}
}

// Abandon implements schedulers.Work.
func (c *child) Abandon(reason error) {
	if c.claim() {
		c.end(Faulted, orElse(reason, ErrShutdown), true, nil)
	}
}

// run runs a claimed child to its end, or until it suspends; see suspendedChild. last
// reports that the worker has nothing else to do in its current work.
func (c *child) run(worker schedulers.Worker, recycle, last bool) {
	final, err, returned := c.call(worker, recycle)
	switch rest := suspension.Of(err); {
	case !returned: // and so it has ended
	case rest != nil:
		c.suspend(recycle).goOn(rest, worker, last)
	default:
		c.end(final, err, recycle, worker)
	}
}

// call runs the function. It returns false if that did not return; the child has then
// ended.
func (c *child) call(worker schedulers.Worker, recycle bool) (final Status, err error, returned bool) {
	defer func() {
		if !returned {
			c.end(Faulted, c.scope.crashError(recover(), worker), recycle, worker)
		}
	}()
	s := c.scope
	if s.ctx.Err() != nil {
		return Canceled, nil, true
	}
	err = s.invokeWithDiagnostics(s.views.forWorker(s, worker), c.fn)
	if suspension.Of(err) != nil {
		return Running, err, true
	}
	return s.judge(err), err, true
}

// end counts the child as ended. Only its claimer calls it, once.
func (c *child) end(final Status, err error, recycle bool, worker schedulers.Worker) {
	s := c.scope
	c.fn = nil
	s.mu.Lock()
	if recycle {
		s.children.giveBack(c)
	}
	s.leaveAndUnlock(final, err, true).Deliver(worker)
}

// judge returns the final status that a child's error means for the scope.
func (s *Scope) judge(err error) Status {
	switch {
	case err == nil:
		return Completed
	case endedBy(s.ctx, err):
		return Canceled
	}
	return Faulted
}

// crashError returns the error of a child that panicked with v on worker, or called
// runtime.Goexit if v is nil.
func (s *Scope) crashError(v any, worker schedulers.Worker) error {
	if v == nil {
		return ErrGoexit
	}
	p := newPanicError(v)
	schedulers.ReportPanic(worker, p.Value, p.Stack)
	if p != v {
		p.Async = append([]Frame{{What: "child"}}, s.promise.job.asyncStack()...)
		p.Async[1].What = "scope"
	}
	return p
}

// help runs queued children on the goroutine that waits for them, as long as their
// scheduler consents. It takes the newest first: a thief begins at the other end.
func (s *Scope) help() {
	consenter, ok := s.home.Scheduler.(schedulers.Consenter)
	if !ok {
		return
	}
	worker := s.from
	if worker == nil {
		worker = schedulers.Here()
	}
	for ran, consent := true, true; ran && consent; {
		ran, consent = s.helpOnce(consenter, worker)
	}
	s.mode.restoreLabels(s.parent)
}

// helpOnce visits each child once, and reports whether it ran any. Children that are
// started meanwhile are left for the next round.
func (s *Scope) helpOnce(consenter schedulers.Consenter, worker schedulers.Worker) (ran, consent bool) {
	reclaimer, _ := consenter.(schedulers.Reclaimer)
	s.mu.Lock()
	slabs := s.children.slabs // only grows; the part seen here stays as it is
	s.mu.Unlock()
	for i := len(slabs) - 1; i >= 0; i-- {
		for k := len(slabs[i]) - 1; k >= 0; k-- {
			c := &slabs[i][k]
			if c.state.Load() != childQueued {
				continue
			}
			reclaimed := reclaimer != nil && reclaimer.Reclaim(c, worker)
			if !reclaimed && !consenter.MayRunInPlace(c, worker) {
				return ran, false
			}
			if c.claim() {
				ran = true
				c.run(worker, reclaimed, false)
			}
		}
	}
	return ran, true
}

// The following is for children without a handle that suspend; those of [Spawn] are jobs
// already.
//
// When such a child suspends, an invisible job takes its place, and the child's object
// can be reused at once:
//
//	queued ──claim──▶ fn ──ended──────▶ the scope counts one child less
//	                   └──suspended──▶ suspendedChild ──▶ … ──▶ the scope counts one child less
//	                                    └──▶ the free list
//
// The context that fn received is the one that children without handles share, and not
// the context of that job: as in the plain form, work that fn leaves behind may use it
// until the scope ends.

// suspendedChild is a child without a handle that has suspended: a job whose first
// continuation notifies the scope.
type suspendedChild struct {
	task[Void]
	scope *Scope
	node  continuation.Node
}

// suspend makes the job of a child that has suspended.
func (c *child) suspend(recycle bool) *suspendedChild {
	s := c.scope
	m := &suspendedChild{scope: s}
	m.mode = reported | s.mode&labeled
	m.state.claim()
	m.state.suspend()
	m.node.Prepare(m)
	m.waiting.Add(&m.node)
	if Diagnostics(tracking.Jobs.Load())&lifeTold != 0 && m.tellMade(&m.Job, nil) {
		m.ensureExtra().tellStart()
	}
	c.fn = nil
	// A worker must not block on this lock: it would count as a worker whose work blocks.
	if recycle && s.mu.TryLock() {
		s.children.giveBack(c)
		s.mu.Unlock()
	}
	return m
}

// goOn lets the child continue on worker; last as in child.run.
func (m *suspendedChild) goOn(rest suspension.Suspended, worker schedulers.Worker, last bool) {
	m.enclose(m, m.scope.home, m.scope.views.forWorker(m.scope, worker))
	m.worker = worker
	if !last {
		m.spent = jobcore.Unproven | 1 // a goroutine that waits for the scope runs it
	}
	rest.GoOn(&m.task, worker, m.spent)
}

// Run implements schedulers.Work. It is never called: a child that has begun is not
// submitted again.
func (m *suspendedChild) Run(schedulers.Worker) {}

func (m *suspendedChild) runClaimed(schedulers.Worker) {}

func (m *suspendedChild) drop() {}

// Completed implements continuation.Target: the child has ended.
func (m *suspendedChild) Completed(schedulers.Worker) continuation.Chain {
	return m.scope.exit(Status(m.final), m.err(), &childSlot{holds: true})
}

func (m *suspendedChild) waitingJob() (*core, string) { return m.scope.promise.job.base(), "scope" }

// view is a scope's context as children on one worker see it. Children without a handle
// share it: a separate context for each would cost more than the child.
type view struct {
	context.Context // the scope's
	scope           *Scope
	worker          schedulers.Worker
}

// Value implements context.Context.
func (v *view) Value(key any) any {
	switch key {
	case jobKey{}:
		return v.scope.promise.job.base()
	case schedulers.SchedulerKey:
		return v.scope.home
	case schedulers.WorkerKey:
		return v.worker
	}
	return v.Context.Value(key)
}

// HasLabels reports to [schedulers.HasLabels].
func (v *view) HasLabels() bool { return v.scope.mode&labeled != 0 }

// views caches the latest views. A worker whose entry is taken by another worker gets a
// new view: views of one worker differ only in identity.
type views [8]interleave.Pointer[view]

// forWorker returns the view of worker.
func (v *views) forWorker(s *Scope, worker schedulers.Worker) *view {
	slot := &v[0]
	if worker != nil {
		slot = &v[uint(worker.ID())%uint(len(v))]
	}
	if found := slot.Load(); found != nil && found.worker == worker {
		return found
	}
	made := &view{s.ctx, s, worker}
	slot.Store(made)
	return made
}

// Spawn starts fn as a child of s with a handle. It is [Run] in the scope: the child's
// context ends with the scope too, and the scope does not end before the child has.
// Options are those of Run; the child runs on the scope's scheduler unless [On] names
// another.
//
// If the child fails, a fail-fast scope has failed, even if the handle is observed; a
// supervising one leaves the failure to the handle. If the scope has ended, Spawn
// returns a job that has faulted with [ErrScopeEnded]. It does not block.
func Spawn[T any](s *Scope, fn func(context.Context) (T, error), opts ...Option) *Job[T] {
	t := &spawned[T]{scope: s}
	t.fn = fn
	if s == nil || !s.enter(&t.slot) {
		return t.faultWith(ErrScopeEnded)
	}
	err := t.prepare(t, s.views.forWorker(s, s.from), opts, forJob, fn == nil)
	return spawn(s, &t.task, t, &t.node, err, &t.slot)
}

// spawn starts a child that the scope has counted, and registers n, which notifies the
// scope of the child's end. err is the reason why the child could not be made, or nil.
func spawn[T any](s *Scope, t *task[T], end heldTarget, n *continuation.Node, err error, l *childSlot) *Job[T] {
	if err != nil {
		s.exit(Faulted, err, l).Deliver(nil)
		return t.faultWith(err)
	}
	holds := l.holds // the child is not shared yet
	if !holds {
		t.state.set(WaitingForActivation)
	}
	n.Prepare(end)
	t.waiting.Add(n) // first of all: no waiter may see the child end before the scope does
	if holds {
		_ = t.submit(t.home, t.flags|s.flags)
	} else {
		s.hold(end)
	}
	return &t.Job
}

// heldTarget is a child with a handle, as the scope and its queue see it.
type heldTarget interface {
	continuation.Target
	heldChild
}

// spawned is a child with a handle: a job whose first continuation notifies the scope.
type spawned[T any] struct {
	runJob[T]
	slot  childSlot
	scope *Scope
	node  continuation.Node
}

// Run implements schedulers.Work.
func (t *spawned[T]) Run(worker schedulers.Worker) { t.run(t, worker, nil) }

func (t *spawned[T]) runClaimed(worker schedulers.Worker) { t.execute(t, worker) }

// Completed implements continuation.Target: the child has ended.
func (t *spawned[T]) Completed(schedulers.Worker) continuation.Chain {
	return t.scope.exitSpawned(&t.core, &t.slot)
}

func (t *spawned[T]) waitingJob() (*core, string) { return t.scope.promise.job.base(), "scope" }

// exitSpawned counts a child with a handle as ended.
func (s *Scope) exitSpawned(child *core, l *childSlot) continuation.Chain {
	final, err := Status(child.final), child.err()
	switch {
	case final == Faulted && s.mode&supervising != 0:
		final = Completed // as far as the scope is concerned
	case final == Faulted:
		child.observe() // from here on it is the scope's failure
	}
	return s.exit(final, err, l)
}
