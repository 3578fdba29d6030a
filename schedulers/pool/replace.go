package pool

import (
	"time"

	"github.com/movenext/movenext/internal/census"
	"github.com/movenext/movenext/internal/runloop"
)

// replacement immediately replaces workers whose work blocks. Pool.mu guards it.
//
// # The difficulty
//
// A worker whose work waits in a channel operation, a lock, a sleep or a system
// call does not report it. The stall watch waits for a whole interval without any
// progress, because a blocking worker looks like a computing one to the pool, and
// extra workers do not help those that compute. Ten thousand jobs that block for
// a millisecond each make progress all the time: two workers would need five
// seconds for them.
//
// # What can be known
//
// The Go runtime counts the goroutines that are running or runnable. It does not say which
// they are; but
//
//	workers alive - workers in Block - goroutines running or runnable <= workers that wait
//
// since at best all these goroutines are workers. Other goroutines can only make the
// number on the left too small, never too large. Each waiting worker allows
// another one, and a worker that returns while too many run ends instead of taking more
// work. So however many workers are alive, the number that compute is one to four times
// the width of the pool. This is, one level up, the rule by which the runtime hands off a
// processor when a goroutine makes a system call.
//
// # Workers that wait for the pool
//
// On a machine that gives the process little processor time, a worker that is preempted
// while it holds the pool's own lock makes all others wait for it. If those were replaced,
// there would be more workers to wait for it, up to hundreds. They are distinguished by
// their state: the number of a worker's steps is odd while it runs work, so
//
//	workers that wait in their work <= workers whose steps are odd - workers in Block
//
// Checking every worker takes long if there are a thousand. So the result of one check
// vouches for half as many workers again, a chain of starting workers makes a dozen checks,
// and the timer starts over. (The obvious way, a count of the workers that want the lock,
// makes each of them write to one cache line: ten thousand jobs that block took twice as
// long.)
//
// # When to check
//
// Reading the counters costs 80 ns: too much for each work item, nothing for one
// that blocks. So at first only a timer checks, while work is queued and all workers are
// busy, and only if work items take so long that the check can pay. Once it has
// found a waiting worker, every worker that comes for work checks. A fresh worker
// starts the next one if needed, so a thousand start within a millisecond,
// without a timer in between.
type replacement struct {
	runloop.Watch
	interval time.Duration // how often to check; <= 0: never
	pause    time.Duration // until the next check: longer while nothing is found
	// assumedWaiting is how many workers may be assumed to wait in their work without another
	// check of each.
	assumedWaiting int

	countActive func(*replacement) int // goroutines that are running or runnable
	census      census.Counter
}

const (
	defaultReplace = time.Millisecond
	maxPause       = 16 // intervals
	// shortWork is the duration below which work items do not have their workers
	// replaced: such a worker is back before a replacement would help. If work items are
	// short, the workers also wait for the pool's own lock, and that must not start more
	// of them.
	shortWork = 20 * time.Microsecond
)

// shouldStart reports whether the watch should be on and is not.
func (r *replacement) shouldStart(p *Pool) bool {
	return !r.Armed() && r.interval > 0 && p.climb == nil && p.capacity.limit < p.max
}

func (r *replacement) watch(p *Pool) {
	r.pause, r.LastProgress = r.interval, p.progress()
	r.Arm(r.pause)
}

// checkWaiting checks for waiting workers when the timer expires.
func (p *Pool) checkWaiting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.replacement
	r.End()
	p.updateNeedsDispatch() // before the check: a poster after it has to see the new value
	if p.shutdown.Finished() || !p.anyQueued() {
		p.setWaiting(0)
		return
	}
	before := r.LastProgress
	r.LastProgress, r.assumedWaiting = p.progress(), 0
	items := (r.LastProgress - before) / 2 // counts starts and ends
	if items*uint64(shortWork) < uint64(r.pause)*uint64(p.capacity.running) {
		p.countWaiting(1)
	} else {
		p.setWaiting(0)
	}
	if p.capacity.waiting > 0 {
		r.pause = r.interval
	} else {
		r.pause = min(2*r.pause, maxPause*r.interval)
	}
	r.Arm(r.pause)
	p.dispatch()
}

// countWaiting counts the waiting workers; mu is held. others is how many of the
// running goroutines are known not to be workers.
func (p *Pool) countWaiting(others int) {
	r := &p.replacement
	active := r.countActive(r) - others
	waiting := p.capacity.running - p.capacity.blocked - active
	if waiting > r.assumedWaiting {
		inside := p.countBusy() - p.capacity.blocked
		waiting, r.assumedWaiting = min(waiting, inside), inside+inside/2
	}
	if waiting <= 0 {
		p.setWaiting(0)
		return
	}
	// The width of the pool is added; otherwise the chain of workers that start one another
	// would break whenever one is not quite asleep yet.
	p.setWaiting(min(waiting+p.capacity.goal, p.max-p.capacity.limit))
}

// countBusy returns how many workers run work; mu is held.
func (p *Pool) countBusy() int {
	n := 0
	for _, w := range p.slots.all {
		if w.loop.Busy() {
			n++
		}
	}
	return n
}

// setWaiting sets how many additional workers may run because others wait; mu is held.
func (p *Pool) setWaiting(n int) {
	p.tellInjected(n - p.capacity.waiting)
	p.capacity.waiting = n
	if limited := n > 0; p.overLimit.Load() != limited {
		p.overLimit.Store(limited)
	}
}

// readActive is the usual active function: it reads the runtime's counters.
func readActive(r *replacement) int { return r.census.Active() }
