package parallel

import (
	"runtime"
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// helperGroup lets an operation get helpers: workers of a scheduler that take part in it
// alongside its caller. It is the only type of this package that a scheduler sees.
//
// # The easy part
//
// The caller submits a work item that requests help, and begins. A worker that takes it
// helps until nothing is left, and then takes its next work.
//
// # No helper came
//
// All workers may be busy, or the caller may be the only one. A caller that waited for
// its helpers would then wait forever. So helpers are optional, never required: the
// caller does everything that no helper has taken, and when nothing is left it closes
// the group. A helper that comes too late finds it closed and leaves. The caller waits
// only for the helpers inside, each of which is running a body and will finish it.
//
//	enter, under mu                      dismiss, under mu
//	  E1 the group is closed: leave        D1 close the group
//	  E2 inside++                          D2 inside is 0: done
//	leave, under mu                        D3 else make a channel, and wait for it
//	  L1 inside--
//	  L2 0 and there is a channel: close it
//
// Both lists run under one lock, so either a helper is inside before D1, and D2 counts
// it, or E1 refuses it. After D1 inside only falls, so L2 is reached if D3 was.
//
// # How many
//
// Not all helpers are called at once. Each calls the next when it has found work itself
// and more is left. So a short operation costs one submission, and a long one as many as
// there are idle workers. At most one call is under way (pending), so the group, which
// is one work item, is in at most one queue at a time.
//
// # Unanswered calls
//
// A loop in a loop makes many short operations while all workers are busy with
// the outer one. Their calls stay in a queue long after the operations have
// ended: a million inner loops would leave a million groups there. So a group is
// reused while its call is still under way: the next operation of the same scheduler
// takes it over, and the worker that answers the call helps that operation. Thus a queue
// never holds more calls than the maximum number of operations that were open at the
// same time.
//
// For the same reason a group is not a part of the operation, and refers to no user
// objects while it is closed.
type helperGroup struct {
	mu      sync.Mutex
	sched   schedulers.Scheduler // constant while pending
	effort  effort               // nil: closed
	caller  schedulers.Worker    // the caller's
	limit   int                  // how many helpers may be inside at a time
	inside  int
	pending bool          // submitted, and Run or Abandon not called yet
	refused bool          // the scheduler has refused during this operation, or cannot help
	empty   chan struct{} // made by dismiss; closed when no helper is inside
}

// effort is the work of an operation, as a helper sees it.
type effort interface {
	// help takes part until nothing is left to take. It survives whatever bodies do,
	// except for a runtime.Goexit. Any number of goroutines may call it concurrently.
	help(on schedulers.Worker)

	// hasWork reports whether untaken work is left.
	hasWork() bool
}

// groups holds groups that no operation uses. Of a user's objects it keeps alive only
// the schedulers of calls under way.
var groups = sync.Pool{New: func() any { return new(helperGroup) }}

// closedGroup returns a closed group for an operation on s. The operation has to know
// its group before it opens it: a call under way may be answered at that very moment.
func closedGroup(s schedulers.Scheduler) *helperGroup {
	g := groups.Get().(*helperGroup)
	if !g.fits(s) {
		g = new(helperGroup) // the other one is kept by its scheduler until it has answered
	}
	return g
}

// fits reports whether a closed group can be used with s: it has no call under
// way at another scheduler.
func (g *helperGroup) fits(s schedulers.Scheduler) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.pending || dispatch.Same(g.sched, s)
}

// open lets up to limit helpers into an operation that has not called any yet. A
// scheduler that runs work in Submit is not called: its helper would be the very
// goroutine that needs help.
func (g *helperGroup) open(s schedulers.Scheduler, caller schedulers.Worker, limit int, e effort) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sched, g.caller, g.limit, g.effort = s, caller, limit, e
	g.refused = dispatch.RunsInPlace(s)
}

// invite calls one more helper, if one is missing and none is on the way. It is
// called only from inside the operation. A scheduler that refuses is not called again.
func (g *helperGroup) invite() {
	g.mu.Lock()
	ask := !g.pending && !g.refused && g.inside < g.limit
	if ask {
		g.pending = true
	}
	s, caller := g.sched, g.caller
	g.mu.Unlock()
	if !ask {
		return
	}
	err := dispatch.TryOffer(s, g, schedulers.Hint{From: caller}) // unlocked: may call Run
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.pending, g.refused = false, true
	}
}

// Run implements schedulers.Work: a helper has come.
//
// A helper leaves before it checks whether something is left. In the other order, work
// that appears after the check would find the helper still inside and call no other;
// then the helper would leave.
func (g *helperGroup) Run(on schedulers.Worker) {
	g.noteAnswer()
	for e := g.enter(); e != nil; e = g.enter() {
		g.host(e, on)
		if !e.hasWork() {
			return
		}
	}
}

// noteAnswer records that the call has been answered: from now on the group may be
// submitted again.
func (g *helperGroup) noteAnswer() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending = false
}

// Abandon implements schedulers.Work: no helper will come.
func (g *helperGroup) Abandon(error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending, g.refused = false, true
}

// host lets a helper take part, and counts it as gone afterwards, however it ends.
func (g *helperGroup) host(e effort, on schedulers.Worker) {
	defer g.leave()
	e.help(on)
}

func (g *helperGroup) enter() effort {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.effort == nil || g.inside >= g.limit {
		return nil
	}
	g.inside++
	return g.effort
}

func (g *helperGroup) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// dismiss closes the group and blocks until no helper is inside. The group must
// not be used afterwards.
func (g *helperGroup) dismiss() {
	caller := g.close()
	if empty := g.emptySignal(); empty != nil {
		defer announceBlock(caller)()
		<-empty
	}
	groups.Put(g)
}

// close admits no more helpers, and clears the group's owner.
func (g *helperGroup) close() (caller schedulers.Worker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	caller, g.caller, g.effort = g.caller, nil, nil
	if !g.pending {
		g.sched = nil
	}
	return caller
}

// emptySignal returns a channel to wait for, or nil if no helper is inside.
func (g *helperGroup) emptySignal() <-chan struct{} {
	for range spins {
		if g.isEmpty() {
			return nil
		}
		runtime.Gosched()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside > 0 {
		// New: a pooled one could not be used across synctest bubbles.
		g.empty = make(chan struct{})
	}
	return g.empty
}

func (g *helperGroup) isEmpty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside == 0
}

// spins is how often a goroutine yields before it parks. Parking and waking cost as much
// as some hundred yields, and the event has usually occurred by then.
const spins = 50

// announceBlock notifies a worker that its goroutine is going to block, and returns the
// function to call afterwards.
//
// This package waits for bodies that run on other goroutines. A scheduler that
// answers schedulers.ErrWouldDeadlock cannot know that, and a structured
// operation never returns while a body runs; so the answer is ignored.
func announceBlock(w schedulers.Worker) (unblock func()) {
	if w == nil {
		w = schedulers.Here()
	}
	if b, ok := w.(schedulers.Blocker); ok {
		if unblock, err := b.Block(); err == nil {
			if !probe.On(probe.Events) {
				return unblock
			}
			ended := dispatch.TellWait(w)
			return func() { unblock(); ended() }
		}
	}
	return func() {}
}
