package pool

import (
	"fmt"
	"time"

	"github.com/movenext/movenext/internal/hillclimb"
	"github.com/movenext/movenext/schedulers"
)

// Climbing says what a pool does about the number of its workers, beside adding some where work stalls.
type Climbing uint8

const (
	// ClimbingOff leaves the number alone: as many as [Workers] says.
	ClimbingOff Climbing = iota
	// ClimbingObserved measures, reports what it would decide, and leaves the number alone.
	ClimbingObserved
	// ClimbingOn measures, reports, and does what it has decided.
	ClimbingOn
)

// ClimbingInterval is how often hill climbing takes a sample, if enough work ends in it to say something.
const ClimbingInterval = 50 * time.Millisecond

const (
	// A sample of fewer works than enough says more about chance than about throughput, so its
	// interval is made longer, up to patience.
	enough   = 20
	patience = 10 * ClimbingInterval

	// For so long nothing has ended in a pool that hangs.
	hanging = 4 * ClimbingInterval
)

// Sample is one step of hill climbing: what was seen in an interval, and what was concluded. A sequence of them is
// a trace of the number of workers against throughput.
type Sample struct {
	At        time.Duration // since the pool was made
	Elapsed   time.Duration // since the last sample
	Workers   int           // that ran at its end, but for those inside of [schedulers.Blocker]
	Completed int           // works that have ended in the interval
	Next      int           // the workers that there should be in the next interval
}

// String returns the sample as a line of a log.
func (s Sample) String() string {
	return fmt.Sprintf("%v: %d workers, %.0f works/s, next %d", s.At.Round(time.Millisecond), s.Workers,
		hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed}.Throughput(), s.Next)
}

// HillClimbing has the pool search, between the two numbers of [Workers], the number of workers that gets the most
// work done. It pays where work waits for something that the pool cannot see, and that has a best number of
// users: a disk, a lock, a server; work that computes is best served by GOMAXPROCS, which is the default. How it searches is told in
// package hillclimb.
//
// It bounds what is done about stalls: as long as work ends now and then, a stall adds nothing, since the number of workers is then
// the search's business; where nothing ends, stalls add workers as ever, and the search goes on from there.
//
// With this option, observed or on, workers that are seen to wait are not replaced otherwise (see [AddAfter]): that would change
// the number that is searched for.
//
// If observe is not nil, it is called with each sample, one after the other, on a goroutine of
// the pool's choice. It must not block; a panic in it is contained: see [schedulers.Hook]. While
// the pool is idle there are no samples, and no timer.
func HillClimbing(mode Climbing, observe func(Sample)) Option {
	return func(p *Pool) {
		p.climbing = nil
		if mode == ClimbingOn || mode == ClimbingObserved {
			p.climbing = &climbing{follow: mode == ClimbingOn, observe: schedulers.NewHook("pool.HillClimbing", observe)}
		}
	}
}

// climbing takes samples and does what the climber makes of them. It is guarded by Pool.mu, but for what is constant.
type climbing struct {
	// Constant after New.

	follow  bool
	observe schedulers.Hook[Sample]
	clock   clock
	of      *Pool

	climber  *hillclimb.Climber
	timer    schedulers.Timer
	watching bool          // the timer is armed
	at       time.Duration // of the last sample
	last     uint64        // works that had ended then
	seen     uint64        // works that had ended when that was last looked at
	moved    time.Duration // when seen was last seen to change
}

// clock is what samples are timed with.
type clock interface {
	schedulers.Timers
	Now() time.Duration
}

// wall is the pool's own timers, and the time since the pool was made.
type wall struct {
	schedulers.Timers
	made time.Time
}

func (w wall) Now() time.Duration { return time.Since(w.made) }

func (c *climbing) begin(p *Pool) {
	c.of = p
	c.climber = hillclimb.New(p.min, p.max)
	c.timer.OnExpire = c
	if c.clock == nil {
		c.clock = wall{p, time.Now()}
	}
}

// watch begins an interval, unless one has begun; mu is held. It is called when a worker starts.
func (c *climbing) watch(p *Pool) {
	if !c.watching {
		c.watching = true
		c.at, c.last = c.clock.Now(), p.completed()
		c.seen, c.moved = c.last, c.at
		c.clock.StartTimer(&c.timer, ClimbingInterval)
	}
}

// Expire implements [schedulers.Expirer]: an interval has passed.
func (c *climbing) Expire(*schedulers.Timer) {
	if s, ok := c.sample(c.of); ok {
		c.observe.Call(s)
	}
}

// sample ends an interval, and begins the next one if workers are running. An interval at whose end no work waits is
// not counted: it was not the number of workers that held throughput down.
func (c *climbing) sample(p *Pool) (s Sample, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending.Reached() || p.room.running == 0 {
		c.watching = false
		return s, false
	}
	c.clock.StartTimer(&c.timer, ClimbingInterval)
	c.moves(p)
	now, done := c.clock.Now(), c.seen
	if done-c.last < enough && now-c.at < patience {
		return s, false
	}
	s = Sample{At: now, Elapsed: now - c.at, Workers: p.room.running - p.room.blocked, Completed: int(done - c.last)}
	c.at, c.last = now, done
	if ok = p.anyQueued(); ok {
		s.Next = c.climber.Next(hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed})
		if c.follow {
			p.room.goal, p.room.limit = s.Next, s.Next
			p.settle()
		}
	}
	return s, ok
}

// stop ends the interval without a sample; mu is held.
func (c *climbing) stop() {
	if c.watching {
		c.clock.StopTimer(&c.timer)
		c.watching = false
	}
}

// confine tells the climber its new bounds and returns the goal; mu is held.
func (c *climbing) confine(least, most int) (goal int) {
	c.climber.Confine(least, most)
	if !c.follow {
		return least
	}
	return c.climber.Goal()
}

// allow returns how many of the workers that a stall asks for may be added; mu is held.
//
// If nothing at all has ended for some time, the pool hangs, and all of them may. If something has, the pool is slow,
// perhaps for having too many workers already, and what to do about it is the climber's decision. Without this
// bound, work that takes longer the more of it runs would be given workers until there are no more.
func (c *climbing) allow(p *Pool, asked int) int {
	if !c.follow {
		return asked
	}
	if c.moves(p); c.clock.Now()-c.moved < hanging {
		return 0
	}
	c.climber.Force(p.room.limit + asked)
	return asked
}

// moves notes when work has last ended; mu is held.
func (c *climbing) moves(p *Pool) {
	if done := p.completed(); done != c.seen {
		c.seen, c.moved = done, c.clock.Now()
	}
}

// completed returns how many works of the workers have ended, or were taken back by who waits for them; mu is held.
func (p *Pool) completed() uint64 {
	sum := p.slots.completed + p.count.reclaimed
	for _, w := range p.slots.all {
		w.mu.Lock()
		sum += w.completed()
		w.mu.Unlock()
	}
	return sum
}
