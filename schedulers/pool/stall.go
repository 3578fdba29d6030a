package pool

import "github.com/movenext/movenext/internal/runloop"

// stall is the watch over work that waits while all workers are busy. Pool.mu
// guards it.
//
// To the pool, a worker whose work blocks on a channel looks like one that computes. If
// all of them block, and the work that they wait for is queued behind them, the pool would
// hang forever. So while work is queued and all workers are busy, a timer runs. If no work
// is taken or finished during a whole interval, the pool is allowed more workers. The
// timer is armed for the first work that finds all workers busy, and disarmed when it
// fires and finds no work waiting, so a pool without such work has no timer.
//
// One worker per interval would be enough not to hang, but a thousand blocked
// work items would need a thousand intervals. So each consecutive stalled
// interval adds twice as many as the one before. This is affordable because a
// worker is a goroutine, not a thread: in the worst case, work that computes for
// long, it costs one goroutine per work item.
//
// The rule deliberately applies to no progress, not to slow progress: another mechanism
// finds the number of workers with the best throughput (HillClimbing).
type stall struct {
	runloop.Watch
	added int // workers allowed when the interval began; their first work is not progress
	step  int // how many the next stalled interval allows
}

// shouldStart reports whether the watch should be on and is not.
func (s *stall) shouldStart(p *Pool) bool {
	return !s.Armed() && p.stallTimeout > 0 && p.capacity.limit < p.max
}

// watch begins an interval.
func (s *stall) watch(p *Pool) {
	s.LastProgress, s.added, s.step = p.progress(), 0, 1
	s.Arm(p.stallTimeout)
}

// lowerLimit takes back one worker that a stall has added. It is called when a worker has found
// nothing to do.
func (s *stall) lowerLimit(p *Pool) {
	p.capacity.limit = max(p.capacity.goal, p.capacity.limit-1)
}

// checkStall runs when an interval has passed.
func (p *Pool) checkStall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.stall
	if p.shutdown.Finished() {
		return
	}
	s.End()
	p.updateNeedsDispatch()
	if !p.anyQueued() {
		return
	}
	s.addWorkers(p)
	s.Arm(p.stallTimeout)
	p.dispatch()
}

// addWorkers allows more workers if the interval that has passed was a stalled one.
func (s *stall) addWorkers(p *Pool) {
	now := p.progress()
	if now-s.LastProgress > uint64(s.added) || p.capacity.free() {
		s.added, s.step = 0, 1
		s.lowerLimit(p)
	} else {
		s.added = min(s.step, p.max-p.capacity.limit)
		if p.climb != nil {
			s.added = p.climb.allow(p, s.added)
		}
		if s.added == s.step {
			s.step *= 2
		}
		p.capacity.limit += s.added
		p.tellInjected(s.added)
	}
	s.LastProgress = now
}

// progress returns a number that grows when a worker takes or finishes work.
func (p *Pool) progress() uint64 {
	sum := 2 * p.slots.completed
	for _, w := range p.slots.all {
		sum += w.steps()
	}
	return sum
}
