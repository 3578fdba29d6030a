package pool

import (
	"fmt"
	"time"

	"github.com/movenext/movenext/internal/hillclimb"
	"github.com/movenext/movenext/schedulers"
)

// Climbing selects how a pool adjusts the number of its workers, apart from adding
// workers when work stalls.
type Climbing uint8

const (
	// ClimbingOff keeps the number that [Workers] sets.
	ClimbingOff Climbing = iota
	// ClimbingObserved measures and reports its decisions, but does not apply them.
	ClimbingObserved
	// ClimbingOn measures, reports, and applies its decisions.
	ClimbingOn
)

// ClimbingInterval is the time between two samples of hill climbing, if enough work ends
// in it to be significant.
const ClimbingInterval = 50 * time.Millisecond

const (
	// A sample of fewer work items than this reflects chance rather than throughput, so
	// its interval is extended, up to sampleTimeout.
	minCompleted  = 20
	sampleTimeout = 10 * ClimbingInterval

	// If no work has ended for this long, the pool counts as hung.
	hangTimeout = 4 * ClimbingInterval
)

// Sample is one step of hill climbing: the measurements of an interval, and the resulting
// decision. A sequence of samples traces the number of workers against throughput.
type Sample struct {
	At        time.Duration // since the pool was made
	Elapsed   time.Duration // since the last sample
	Workers   int           // running at its end, except those inside [schedulers.Blocker]
	Completed int           // work items that ended in the interval
	Next      int           // how many workers should run in the next interval
}

// String formats the sample as a line of a log.
func (s Sample) String() string {
	return fmt.Sprintf("%v: %d workers, %.0f works/s, next %d", s.At.Round(time.Millisecond), s.Workers,
		hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed}.Throughput(), s.Next)
}

// HillClimbing makes the pool search, between the two bounds of [Workers], for the
// number of workers with the highest throughput. It pays where work waits for a
// resource that the pool cannot see and that has an optimal number of users: a disk, a
// lock, a server. Work that computes is best served by GOMAXPROCS, the default. Package
// hillclimb explains the search.
//
// Hill climbing limits the reaction to stalls. As long as work ends now and then, a stall
// adds no workers, since the search decides their number. If no work ends at all, stalls
// add workers as usual, and the search continues from the new number.
//
// With this option, observed or on, the pool does not replace workers that it sees
// waiting (see [AddAfter]): that would change the number that the search varies.
//
// If observe is not nil, it is called with each sample, one call at a time, on a
// goroutine of the pool's choice. It must not block; a panic in it is contained: see
// [schedulers.Hook]. While the pool is idle it takes no samples and arms no timer.
func HillClimbing(mode Climbing, observe func(Sample)) Option {
	return func(p *Pool) {
		p.climb = nil
		if mode == ClimbingOn || mode == ClimbingObserved {
			p.climb = &climbController{follow: mode == ClimbingOn, observe: schedulers.NewHook("pool.HillClimbing", observe)}
		}
	}
}

// Replay returns a function that makes the decisions of [HillClimbing] without a pool. It
// takes one sample after another, reads their Workers, Completed and Elapsed, and returns
// how many workers should run next, between minWorkers and maxWorkers. Given the samples of a pool
// with these bounds, it repeats the decisions of that pool, unless the bounds were changed
// or a stall has added workers. Given the samples of a model, it predicts the decisions of
// a pool. Bounds are as in [Workers]. The function does not block; it is not safe for
// concurrent use.
func Replay(minWorkers, maxWorkers int) func(Sample) (next int) {
	c := hillclimb.New(bounds(minWorkers, maxWorkers))
	return func(s Sample) int {
		return c.Next(hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed})
	}
}

// climbController takes samples and applies the climber's decisions. Pool.mu guards it, except
// for its constant fields.
type climbController struct {
	// Constant after New.

	follow  bool
	observe schedulers.Hook[Sample]
	clock   clock
	pool    *Pool

	climber          *hillclimb.Climber
	timer            schedulers.Timer
	watching         bool          // the timer is armed
	sampledAt        time.Duration // of the last sample
	sampledCompleted uint64        // work items that had ended then
	lastCompleted    uint64        // work items that had ended at the last check
	lastProgressAt   time.Duration // when lastCompleted last changed
}

// clock times the samples.
type clock interface {
	schedulers.Timers
	Now() time.Duration
}

// wallClock is the pool's own timers and the time since the pool was made.
type wallClock struct {
	schedulers.Timers
	start time.Time
}

func (w wallClock) Now() time.Duration { return time.Since(w.start) }

func (c *climbController) init(p *Pool) {
	c.pool = p
	c.climber = hillclimb.New(p.min, p.max)
	c.timer.OnExpire = c
	if c.clock == nil {
		c.clock = wallClock{p, time.Now()}
	}
}

// watch begins an interval, unless one has already begun; mu is held. It is called when
// a worker starts.
func (c *climbController) watch(p *Pool) {
	if !c.watching {
		c.watching = true
		c.sampledAt, c.sampledCompleted = c.clock.Now(), p.countCompleted()
		c.lastCompleted, c.lastProgressAt = c.sampledCompleted, c.sampledAt
		c.clock.StartTimer(&c.timer, ClimbingInterval)
	}
}

// Expire implements [schedulers.Expirer]: an interval has passed.
func (c *climbController) Expire(*schedulers.Timer) {
	if s, ok := c.sample(c.pool); ok {
		c.observe.Call(s)
	}
}

// sample ends an interval, and begins the next one if workers are running. An interval
// that ends with empty queues does not count, since the number of workers did not limit its
// throughput.
func (c *climbController) sample(p *Pool) (s Sample, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutdown.Finished() || p.capacity.running == 0 {
		c.watching = false
		return s, false
	}
	c.clock.StartTimer(&c.timer, ClimbingInterval)
	c.noteProgress(p)
	now, done := c.clock.Now(), c.lastCompleted
	if done-c.sampledCompleted < minCompleted && now-c.sampledAt < sampleTimeout {
		return s, false
	}
	s = Sample{At: now, Elapsed: now - c.sampledAt, Workers: p.capacity.running - p.capacity.blocked, Completed: int(done - c.sampledCompleted)}
	c.sampledAt, c.sampledCompleted = now, done
	if ok = p.anyQueued(); ok {
		s.Next = c.climber.Next(hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed})
		if c.follow {
			p.capacity.goal, p.capacity.limit = s.Next, s.Next
			p.dispatch()
		}
	}
	return s, ok
}

// stop ends the interval without a sample; mu is held.
func (c *climbController) stop() {
	if c.watching {
		c.clock.StopTimer(&c.timer)
		c.watching = false
	}
}

// confine sets the climber's bounds and returns the goal; mu is held.
func (c *climbController) confine(minWorkers, maxWorkers int) (goal int) {
	c.climber.Confine(minWorkers, maxWorkers)
	if !c.follow {
		return minWorkers
	}
	return c.climber.Goal()
}

// allow returns how many of the workers that a stall asks for may be added; mu is held.
//
// If no work at all has ended for some time, the pool hangs, and all of them may be
// added. Otherwise the pool is merely slow, perhaps because of too many workers, and the
// climber decides. Without this bound, work that slows down as more of it runs would get
// workers up to the limit.
func (c *climbController) allow(p *Pool, requested int) int {
	if !c.follow {
		return requested
	}
	if c.noteProgress(p); c.clock.Now()-c.lastProgressAt < hangTimeout {
		return 0
	}
	c.climber.Force(p.capacity.limit + requested)
	return requested
}

// noteProgress records when work last ended; mu is held.
func (c *climbController) noteProgress(p *Pool) {
	if done := p.countCompleted(); done != c.lastCompleted {
		c.lastCompleted, c.lastProgressAt = done, c.clock.Now()
	}
}

// countCompleted returns how many work items of the workers have ended or were
// reclaimed by a waiter; mu is held.
func (p *Pool) countCompleted() uint64 {
	sum := p.slots.completed + p.count.reclaimed
	for _, w := range p.slots.all {
		w.mu.Lock()
		sum += w.countCompleted()
		w.mu.Unlock()
	}
	return sum
}
