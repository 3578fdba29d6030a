package job

import (
	"context"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job/root"
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
func (s *Scope) Go(fn root.Action) bool {
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
	c.state.Store(childQueued) // from now on a waiter may run it, and drop fn
	err := dispatch.TryOffer(s.home.Scheduler, c, schedulers.Hint{From: s.from, Flags: s.flags})
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
		c.suspend(recycle).continueOn(rest, worker, last)
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
	ctx := s.views.forWorker(s, worker)
	if s.mode&labeled == 0 {
		err = c.fn(ctx)
	} else {
		err = s.invokeWithLabels(ctx, c.fn)
	}
	if suspension.Of(err) != nil {
		return Running, err, true
	}
	return s.statusOf(err), err, true
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

// statusOf returns the final status that a child's error means for the scope.
func (s *Scope) statusOf(err error) Status {
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
	dispatch.ReportPanic(worker, p.Value, p.Stack)
	if p != v {
		p.Async = append([]Frame{{What: "child"}}, s.promise.job.core.asyncStack()...)
		p.Async[1].What = "scope"
	}
	return p
}
