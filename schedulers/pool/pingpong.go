package pool

import (
	"time"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// pingPong keeps two machines that take turns on one worker. Pool.mu guards it,
// except for enabled.
//
// # The difficulty
//
// A machine that sends to another one makes it ready, and a moment later waits
// for the answer. The ready machine is alone in the local queue of a worker that
// is about to be free for it. Starting another worker takes longer than that moment.
// Worse, the new worker may start just in time: it steals the machine, the first
// worker finds nothing and ends, and the two machines change processors with each
// message. A round trip then took 389 ns, against 235 ns on a pool of one worker.
//
// But the pool cannot know whether the worker is about to be free. If the worker
// computes for another second, the machine waits for a second while a processor
// idles.
//
// # What can be known
//
// If all work items of an interval were short, the next one is probably short
// too. While that holds, no worker is started for a single machine that its
// worker has just made ready. A timer checks after each interval, and starts a worker if
// work items have become long; this bounds the cost of a wrong guess. New work (a job that
// was just started) is never treated this way: it may be half of a divided computation,
// and a second worker should run it.
//
// # Why nothing is lost
//
// Not starting a worker breaks the invariant of idle.go, for at most one interval:
//
//	poster                                  timer, under mu
//	 1. push, under the queue's lock         1. enabled = false
//	 2. read enabled; true: start no worker  2. dispatch, which checks every queue
//
// If the poster read true, its push precedes the timer's check, by the same argument
// as for needsDispatch; and while enabled is true, the timer runs. Even without the timer, two
// rules hold as before: the worker that pushed takes the machine when its work ends,
// and a worker that is about to block announces that, which calls dispatch.
type pingPong struct {
	runloop.Watch
	enabled interleave.Bool
}

const (
	pingPongPause = time.Millisecond
	// pingPongWork is the longest average duration of a work item for which this
	// pays: less than a thread takes to wake up.
	pingPongWork = 2 * time.Microsecond
)

// leaveToWorker reports whether submitted work is a machine that may be left to the worker that
// made it ready. wasEmpty reports that the worker's queue was empty.
func (p *pingPong) leaveToWorker(wasEmpty bool, hint schedulers.Hint) bool {
	return wasEmpty && p.enabled.Load() && hint.Flags.Has(schedulers.Resumed)
}

// watch schedules a check after one interval; mu is held.
func (p *pingPong) watch(pool *Pool) {
	if p.Armed() {
		return
	}
	p.LastProgress = pool.progress()
	p.Arm(pingPongPause)
}

// checkPingPong runs when an interval has passed.
func (p *Pool) checkPingPong() {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.pingPong
	b.End()
	items := (p.progress() - b.LastProgress) / 2 // counts starts and ends
	if p.shutdown.Begun() || items*uint64(pingPongWork) < uint64(pingPongPause) {
		b.enabled.Store(false) // before the check: a poster after it has to see this
		p.dispatch()
		return
	}
	b.enabled.Store(true)
	b.watch(p)
}
