package statemachine

import (
	"fmt"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Chains that are watched
//
// The home of a chain may want to know that the chain is suspended: see
// [probe.Follower]. It is notified before the chain is registered, since after that
// the chain may be anywhere, and before and after the chain is submitted again. It is
// not notified of a sleep: the timer is armed, so the sleep will end.
//
// Package inspect may want to know it of all chains: see [tracking.Enter]. Then sleeps
// are entered too.
//
// Neither is notified of a chain that yields or moves, until its turn has come. Listeners to
// lives are notified of the same events as package inspect, and of the making of machines.

// registerWatched is register while anybody watches suspensions. f is nil if the home does
// not follow the chain.
func (r *Run) registerWatched(c *chain, f probe.Follower) bool {
	var told any
	if r.holder != nil || probe.On(probe.Lives) {
		told = r.introduce(c)
	}
	if budget.Spent(r.ready) && r.yieldFirst(c) {
		return true
	}
	on := r.awaiting
	switch on.(type) {
	case nil, *switching:
		return r.begin(c)
	case sleeping, *guardedSleeping:
		on, f = tracking.Sleep(r.pause), nil
	}
	c.top.ticket = tracking.Enter(c, on, told)
	if f != nil {
		f.Suspended(c, on)
	}
	if r.begin(c) {
		return true
	}
	c.leave()
	if f != nil {
		f.Resumed(c)
		f.Arrived() // it already runs
	}
	return false
}

// submitWatched submits w, which is c or stands for it, if anybody may have watched its
// suspension.
func (c *chain) submitWatched(w schedulers.Work, from schedulers.Hint) {
	home, told := c.top.home, c.untrack()
	f := home.Follower
	if f != nil {
		f.Resumed(c)
	}
	switch {
	case told && w == schedulers.Work(c):
		w = &resumed{c}
	case told:
		c.tellResumed()
	}
	if err := home.TrySubmit(w, from); err != nil {
		w.Abandon(err)
	}
	if f != nil {
		f.Arrived()
	}
}

// resumesNow notifies those who watch c that it continues, at once or very soon.
func (c *chain) resumesNow() {
	if !probe.On(probe.Resumptions) {
		return
	}
	told := c.untrack()
	if f := c.top.home.Follower; f != nil {
		f.Resumed(c)
	}
	if told {
		c.tellResumed()
	}
}

// isWatched reports whether somebody has to be notified when c, which is suspended, continues.
func (c *chain) isWatched() bool { return c.top.ticket != 0 || c.top.home.Follower != nil }

// introduce names c to the locks that it has taken, and returns its job if its life is told. It
// tells listeners of a new machine: one is made when it first suspends, and has started before
// that. The job of a function literal is older than its machine.
func (r *Run) introduce(c *chain) (told any) {
	h := outermostJob(c.top)
	if r.holder != nil {
		r.holder.Is(named(h))
	}
	in := jobcore.Of(h)
	if in == nil || !probe.On(probe.Lives) {
		return nil
	}
	if r.cache == nil {
		in.TellMade(h, c)
	}
	if !in.IsTold() {
		return nil
	}
	return h
}

// leave ends what is recorded of the suspension of c, which continues.
func (c *chain) leave() {
	if c.untrack() {
		c.tellResumed()
	}
}

// untrack removes c, which continues, from the table, and reports whether its life is told.
func (c *chain) untrack() (told bool) {
	n := c.top.ticket
	if n == 0 {
		return false
	}
	c.top.ticket = 0
	tracking.Leave(n)
	return c.listenedJob() != nil
}

// tellResumed tells listeners that c continues, if its life is told. The caller owns c.
func (c *chain) tellResumed() {
	if h := c.listenedJob(); h != nil {
		tracking.Tell(tracking.Life{Moment: tracking.Resumed, Job: h})
	}
}

// listenedJob returns the job of c if its life is told, else nil.
func (c *chain) listenedJob() any {
	if !probe.On(probe.Lives) {
		return nil
	}
	h := outermostJob(c.top)
	if in := jobcore.Of(h); in == nil || !in.IsTold() {
		return nil
	}
	return h
}

// resumed is a chain that tells listeners when it runs again, which may be long after
// the awaited operation has ended. Only chains whose lives are told pay for that.
type resumed struct{ *chain }

// Run implements [schedulers.Work].
func (r *resumed) Run(worker schedulers.Worker) {
	r.tellResumed()
	r.chain.Run(worker)
}

// Abandon implements [schedulers.Work].
func (r *resumed) Abandon(reason error) {
	r.tellResumed()
	r.chain.Abandon(reason)
}

// Root is the end of a chain: its job and the part of the machine that completes it, of a
// [Builder] or a [Spawned]. The zero Root is none.
type Root struct {
	job job.Handle
	end interface {
		fail(j job.Handle, f *failure, on schedulers.Worker)
	}
}

// rootMachine is a machine at the end of a chain. The location is that of its frame: one method
// returns both, since each method of generated types is one more function to compile.
type rootMachine interface {
	StateMachine
	Root() (Root, Location)
}

// rootOf returns the root of a chain, whose outermost frame is f, or none if f is another one.
func rootOf(f *Frame) (root Root) {
	if m, ok := f.self.(rootMachine); ok {
		root, _ = m.Root()
	}
	return root
}

// WaitingJob is for reports of package job: the job of the outermost call, or nil if that is
// more than 1024 calls away.
func (c *chain) WaitingJob() job.Handle { return outermostJob(c.top) }

// outermostJob is [chain.WaitingJob] for the calls from f outwards.
func outermostJob(f *Frame) job.Handle {
	for range maxKnownCalls {
		if f == nil {
			return nil
		}
		if f.caller == nil {
			return rootOf(f).job
		}
		f = f.caller
	}
	return nil
}

// Name implements [probe.Suspension].
func (c *chain) Name() string {
	h := outermostJob(c.top)
	switch {
	case h == nil:
		return "a machine"
	case h.Name() != "":
		return h.Name()
	default:
		return fmt.Sprintf("#%d", h.ID())
	}
}

// Where implements [probe.Suspension].
func (c *chain) Where() (function, file string, line int) {
	level := describe(c.top)
	return level.Function, level.File, level.Line
}

// Points implements [tracking.Machine].
func (c *chain) Points(buf []tracking.Point) (points []tracking.Point, more int) {
	for f := c.top; f != nil; f = f.caller {
		if len(buf) == cap(buf) {
			more++
			continue
		}
		buf = append(buf, tracking.Point{Frame: f.self, State: f.State})
	}
	return buf, more
}

// Handle implements [tracking.Machine].
func (c *chain) Handle() any {
	if h := outermostJob(c.top); h != nil {
		return h
	}
	return nil
}

// Home implements [tracking.Machine].
func (c *chain) Home() *schedulers.Home { return c.top.home }

// named returns the name of the machine whose job is h, as that of the holder of a lock. Unlike
// the reports of a chain, it remains valid after the suspension.
func named(h job.Handle) schedulers.Named {
	if h != nil {
		return h
	}
	return unknown{}
}

// unknown is a machine whose job cannot be found.
type unknown struct{}

// Name implements [schedulers.Named].
func (unknown) Name() string { return "a machine" }

// Holder returns the record that a lock keeps when the machine takes it, so that a
// report can name the holder. It is for locks whose waiters are followed
// ([probe.Holders]), and does not block.
func (r *Run) Holder() *probe.Holder {
	if r.holder == nil {
		r.holder = new(probe.Holder)
	}
	return r.holder
}

var (
	_ probe.Suspension = (*chain)(nil)
	_ tracking.Machine = (*chain)(nil)
)
