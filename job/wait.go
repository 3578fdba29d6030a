package job

import (
	"context"
	"errors"
	"strconv"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// wait blocks until the job has ended, and returns nil, or until the wait has ended
// without it, and returns a *WaitError.
func (c *core) wait(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if c.status() == Created {
		return ErrNotStarted
	}
	if ctx.Err() != nil {
		return &WaitError{Err: contextError(ctx)}
	}
	if c.isCompleted() {
		return nil
	}
	worker := workerOf(ctx)
	if worker == nil {
		// The certain answer is worth its microsecond: the goroutine is about to park.
		worker = schedulers.Here()
	}
	if c.serve(ctx, worker, maxServeDepth) {
		return nil
	}
	return c.park(ctx, current(ctx), worker)
}

// maxServeDepth is how deep a wait searches for jobs that it may run in place: behind
// continuations, and in a WhenAll of a WhenAll.
const maxServeDepth = 32

// serve runs, on the waiter's goroutine, the jobs that must run before this one can
// complete, and reports whether this one has ended. A queued job is run in place; for a
// [WhenAll] its queued jobs, the newest first, as their worker would take them; for a
// continuation first its antecedent. A wait with a deadline runs nothing, since running
// cannot be bounded.
//
// For a [WhenAny], a [Race] and a [Completions.Next] it runs nothing, although one of
// their jobs would end the wait: the waiter would have to finish the job that it has
// begun, and another one may end long before.
func (c *core) serve(ctx context.Context, worker schedulers.Worker, depth int) bool {
	if _, bounded := ctx.Deadline(); bounded || depth == 0 {
		return c.isCompleted()
	}
	if before := c.antecedents(); before != nil {
		for i := before.count() - 1; i >= 0; i-- {
			if b := before.get(i); b != nil && !b.isCompleted() {
				b.serve(ctx, worker, depth-1)
			}
		}
	}
	return c.isCompleted() || c.runInPlace(ctx, worker)
}

// antecedents are the jobs that all have to end before another one can.
type antecedents interface {
	count() int
	get(i int) *core // nil: it has ended, or there is none
}

// antecedents returns the jobs that this one waits for, or nil if there are none, or if
// they are not known.
func (c *core) antecedents() antecedents {
	if c.own == nil {
		if r := interleave.LoadPointer(&c.extra); r != nil && r.countdown != nil {
			return r.countdown.remaining()
		}
		return nil
	}
	if c.status() != WaitingForActivation {
		return nil
	}
	if o, ok := c.own.owner.(successor); ok {
		return o.continues()
	}
	return nil
}

// runInPlace runs a job that is still queued on the waiter's own goroutine, if its
// scheduler consents: otherwise a job that the only worker waits for would never run.
// (serve has excluded waits with a deadline: running cannot be bounded.) If such a job
// calls runtime.Goexit, the goroutine of its waiter ends too.
func (c *core) runInPlace(ctx context.Context, worker schedulers.Worker) bool {
	if c.own == nil || c.status() != Scheduled {
		return false
	}
	if !c.mayRun(c.scheduler(), worker) {
		return false
	}
	return c.runFor(ctx, worker)
}

// mayRun reports whether s, where the job is queued, permits worker to run it in place.
func (c *core) mayRun(s schedulers.Scheduler, worker schedulers.Worker) bool {
	if r, ok := s.(dispatch.Reclaimer); ok && r.Reclaim(c.work(), worker) {
		return true
	}
	consenter, ok := s.(schedulers.Consenter)
	return ok && consenter.MayRunInPlace(c.work(), worker)
}

// runFor runs the job on the goroutine of ctx's job, if no worker has claimed it
// meanwhile, and reports whether it has ended.
func (c *core) runFor(ctx context.Context, worker schedulers.Worker) bool {
	behalf := current(ctx)
	if behalf != nil && c.enclosingJob() == behalf {
		// The waiting job has started this one itself; a mark records the wait.
		if c.state.claimInPlace(Scheduled) {
			c.own.spent = jobcore.Unproven | 1
			c.runClaimed(worker)
			c.leavePlace()
			c.mode.restoreLabels(ctx)
		}
		return c.isCompleted()
	}
	c.runOnBehalf(behalf, func() {
		if c.state.claim() {
			c.own.spent = jobcore.Unproven | 1
			c.runClaimed(worker)
		}
	})
	c.mode.restoreLabels(ctx)
	return c.isCompleted()
}

// enclosingJob returns the job that started this one, or nil.
func (c *core) enclosingJob() *core {
	if b := enclosingBody(c.own.parent); b != nil {
		return b.owner.base()
	}
	return nil
}

// leavePlace ends the wait of a job that has run this one on its own goroutine, and reports
// whether this one has suspended: it then continues elsewhere.
func (c *core) leavePlace() (suspended bool) {
	if c.isCompleted() {
		return false
	}
	c.state.leavePlace()
	return true
}

// runner returns the enclosing job if it waits for this one by running it, or nil.
func (c *core) runner() *core {
	if c.own == nil || !c.state.isInPlace() || c.isCompleted() {
		return nil
	}
	return c.enclosingJob()
}

// runOnBehalf calls f, which works towards the end of the job. If behalf is not nil, f
// runs on the goroutine of behalf, which is registered as a waiter of this job meanwhile.
func (c *core) runOnBehalf(behalf *core, f func()) {
	if behalf == nil {
		f()
		return
	}
	p := &onBehalf{job: behalf}
	p.node.Prepare(p)
	if c.waiting.Add(&p.node) {
		defer c.waiting.Remove(&p.node) // does nothing if the job has ended
	}
	f()
}

// onBehalf is a job whose goroutine runs another one.
type onBehalf struct {
	node continuation.Node
	job  *core
}

func (p *onBehalf) waitingJob() (*core, string) { return p.job, "job" }

// Completed implements continuation.Target.
func (p *onBehalf) Completed(schedulers.Worker) continuation.Chain { return continuation.Chain{} }

// park blocks the goroutine until the job or the context has ended. If behalf is not
// nil, the wait is on its behalf.
func (c *core) park(ctx context.Context, behalf *core, worker schedulers.Worker) error {
	p := &parked{awake: make(chan struct{}), job: behalf, bounded: bounded(ctx, behalf)}
	p.node.Prepare(p)
	if !c.waiting.Add(&p.node) {
		return nil
	}
	defer c.waiting.Remove(&p.node) // for a wait that is unwound; otherwise it does nothing
	if p.job != nil && !p.bounded {
		// After adding: of two jobs that close a cycle at the same moment, one sees
		// the other.
		if err := findCycle(p.job, c); err != nil {
			return c.giveUp(p, err)
		}
	}
	err := schedulers.Wait(c.withReason(ctx), worker, c.homeFor(ctx), p.awake)
	select {
	case <-p.awake:
		return nil
	default: // even if a foreign worker claims otherwise
	}
	if err == nil || ctx.Err() != nil && !errors.Is(err, ErrWouldDeadlock) {
		err = contextError(ctx)
	}
	return c.giveUp(p, err)
}

// withReason returns ctx for a wait for c. It carries the awaited job, if a listener
// reports such waits.
func (c *core) withReason(ctx context.Context) context.Context {
	if !probe.On(probe.Holders) || ctx.Value(contract.ReasonKey) != nil {
		return ctx
	}
	return context.WithValue(ctx, contract.ReasonKey, reason{c})
}

// reason is a job that is waited for.
type reason struct{ awaited *core }

// Reason implements [probe.Reasoner].
func (r reason) Reason() (what, holder string) {
	if x := interleave.LoadPointer(&r.awaited.extra); x != nil && x.name != "" {
		return "job " + x.name, ""
	}
	return "job #" + strconv.FormatUint(r.awaited.ensureExtra().id, 10), ""
}

// homeFor returns the scheduler whose work a wait with ctx depends on for its end, or nil.
func (c *core) homeFor(ctx context.Context) schedulers.Scheduler {
	if _, bounded := ctx.Deadline(); bounded || !c.needsHome() {
		return nil
	}
	return c.scheduler()
}

// needsHome reports whether the job is queued at its scheduler or runs there, so that
// only that scheduler will complete it. It returns false if that is not certain: for
// jobs that others complete (including machines, which may be anywhere), for jobs that
// end as another one does, which may run anywhere, and for jobs that their creator runs
// on a goroutine.
func (c *core) needsHome() bool {
	if c.own == nil || c.mode&synchronous != 0 {
		return false
	}
	if c.own.users.isOutside() {
		return false
	}
	s := c.status()
	return s == Scheduled || s == Running && !c.state.isSuspended()
}

// giveUp withdraws a parked waiter. If the job has ended at the same moment, the wait
// has succeeded.
func (c *core) giveUp(p *parked, why error) error {
	if !c.waiting.Remove(&p.node) {
		return nil
	}
	return &WaitError{Err: why}
}

// parked is a goroutine that waits for a job. Its channel is new: a pooled one could not
// be used across synctest bubbles.
type parked struct {
	node    continuation.Node
	awake   chan struct{}
	job     *core // on whose behalf it waits, or nil
	bounded bool  // it ends though neither job does
}

// endsOtherwise reports whether the wait ends by itself, so that the job behind it
// continues.
func (p *parked) endsOtherwise() bool { return p.bounded }

func (p *parked) waitingJob() (*core, string) {
	if p.job == nil {
		return nil, "goroutine"
	}
	return p.job, "job"
}

// Completed implements continuation.Target.
func (p *parked) Completed(schedulers.Worker) continuation.Chain {
	close(p.awake)
	return continuation.Chain{}
}
