package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// switching is what a machine waits for that moves to another scheduler: its turn there. It is
// queued there in place of the chain, since the target may be busy for long, or stuck, and the
// context may end meanwhile. A chain that is in a queue itself cannot leave it.
//
// The swap of the chain decides between the turn, the end of the context, and the end of the
// target. The frame's home changes only if its turn has come: a machine whose SwitchTo has failed
// has not moved.
type switching struct {
	chain interleave.Pointer[chain] // nil: decided
	to    *schedulers.Home
	ctx   context.Context
	watch ctxwatch.Watch
	job   job.Handle // for observers; nil if there were none
}

// SwitchTo moves the running frame to s: it continues there, even after each later suspension. Its
// caller does not move. SwitchTo always returns false. After the resumption, [Run.Refusal] returns
// nil, or the reason why the frame did not move: s has refused it, or ctx has ended. ctx may be
// nil.
func (r *Run) SwitchTo(ctx context.Context, s schedulers.Scheduler) bool {
	if ctx == nil {
		ctx = context.Background()
	}
	r.awaiting = &switching{to: dispatch.HomeFor(s), ctx: ctx}
	return false
}

// queueSwitch queues w for c, and reports whether c continues later. It watches the context first:
// from then on, the chain may belong to another goroutine.
func (r *Run) queueSwitch(w *switching, c *chain) (waits bool) {
	if probe.On(probe.Events | probe.Holders) {
		w.job = c.WaitingJob()
	}
	interleave.StorePointer(&w.chain, c)
	hint := schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness}
	returned := false
	defer func() {
		if !returned && interleave.SwapPointer(&w.chain, nil) != nil {
			r.exitInWait(c)
		}
	}()
	watched := r.try(func() { w.watch.Start(w.ctx, w) })
	returned = true
	switch {
	case watched && interleave.LoadPointer(&w.chain) == nil:
		return true
	case watched:
		err := w.to.TrySubmit(w, hint)
		if err == nil || w.take() == nil {
			return true
		}
		r.failure = &failure{refusal: err}
		return false
	case interleave.SwapPointer(&w.chain, nil) == nil: // it ended, then it panicked
		r.failure = nil
		return true
	}
	r.locateTried()
	return false
}

// take decides that the switch is over, and returns the chain, or nil if it was over.
func (w *switching) take() *chain {
	c := interleave.SwapPointer(&w.chain, nil)
	if c != nil {
		w.watch.Stop()
	}
	return c
}

// Run implements [schedulers.Work]: the turn has come.
func (w *switching) Run(worker schedulers.Worker) {
	c := w.take()
	if c == nil {
		return
	}
	home := w.to
	if l := c.top.home.Labels; l != nil {
		home = home.WithLabels(l)
	}
	c.top.home = home
	c.Run(worker)
}

// Abandon implements [schedulers.Work]: the target has ended.
func (w *switching) Abandon(reason error) {
	if c := w.take(); c != nil {
		c.submit(&failure{refusal: reason}, schedulers.Hint{Flags: schedulers.Resumed})
	}
}

// ContextEnded implements [ctxwatch.Listener].
func (w *switching) ContextEnded(*ctxwatch.Watch) {
	c := interleave.SwapPointer(&w.chain, nil)
	if c == nil {
		return
	}
	e := &endedWait{c, w.ctx}
	if err := c.top.home.TrySubmit(e, schedulers.Hint{Flags: schedulers.Resumed}); err != nil {
		e.Abandon(err)
	}
}

// WaitingJob tells a recording which job the work is about.
func (w *switching) WaitingJob() job.Handle { return w.job }

// StandsFor returns the chain, so that a schedule sees one actor.
func (w *switching) StandsFor() any {
	if c := interleave.LoadPointer(&w.chain); c != nil {
		return c
	}
	return w
}

// endedWait is a chain whose wait was ended by ctx.
type endedWait struct {
	chain *chain
	ctx   context.Context
}

// Run implements [schedulers.Work].
func (e *endedWait) Run(worker schedulers.Worker) { e.chain.runEnded(e.ctx, worker) }

// Abandon implements [schedulers.Work]. The frame gets the reason, and not only the error that the
// home has ended.
func (e *endedWait) Abandon(error) { go e.Run(nil) }
