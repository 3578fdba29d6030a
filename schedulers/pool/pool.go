package pool

import (
	"time"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Pool has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Pool is the pool. Make one with [New]. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Reclaimer, Admitter, Snapshotter, Limiter and Meter, and its workers implement
// Blocker.
type Pool struct {
	timerQueue

	// Constant after New.

	name         string
	stallTimeout time.Duration    // <= 0: stalls never add a worker
	bound        *bound           // nil: the queues have no limit
	climb        *climbController // nil: off; otherwise mu guards what it points to

	// needsDispatch is true if a poster to a local queue must call dispatch. It is written under
	// mu and read without it; see idle.go.
	needsDispatch interleave.Bool

	// checkGlobal is true if yielding work must take mu: the global queue may have work, or
	// the pool is closed. It is cleared under mu; see yield.go.
	checkGlobal interleave.Bool

	// closed is true if Shutdown was called. It may lag; its readers tolerate a stale
	// value. It is written under mu.
	closed    interleave.Bool
	overLimit interleave.Bool // capacity.waiting > 0; written under mu
	inbox     inbox
	pingPong  pingPong
	refused   interleave.Uint64

	// mu guards everything below. It is locked before the locks of workers and of the
	// inbox.
	mu          interleave.Mutex
	min, max    int
	global      deque.Deque // its work is older than that in the inbox
	capacity    capacity
	slots       slots
	stall       stall
	replacement replacement
	count       counts
	shutdown    shutdown.State
}

// counts holds the counters that belong to no worker.
type counts struct {
	accepted  uint64 // by the older part of the global queue, or without a queue
	abandoned uint64
	reclaimed uint64 // from the global queue, by waiters
	alive     int    // goroutines, including those of long-running work

	// Work that was never queued: long-running, or run by its submitter.
	apart, apartDone, apartPanicked uint64
}

// New returns a pool without any goroutine. It cannot fail: an invalid option is replaced
// as its documentation says.
func New(opts ...Option) *Pool {
	p := &Pool{stallTimeout: DefaultStall}
	p.replacement = replacement{interval: defaultReplace, countActive: readActive}
	p.stall.Expired, p.replacement.Expired, p.pingPong.Expired = p.checkStall, p.checkWaiting, p.checkPingPong
	for _, o := range opts {
		if o != nil {
			o(p)
		}
	}
	p.resolveOptions()
	p.capacity.limit, p.capacity.goal = p.min, p.min
	if p.climb != nil {
		p.climb.init(p)
	}
	p.updateNeedsDispatch()
	return p
}

// Name returns the name given by the option [Name], or "pool".
func (p *Pool) Name() string { return p.name }

// MayRunInPlace reports true if caller is a worker of this pool. Work that waits there already
// occupies a worker, so running the awaited work there does not increase the number of
// running work items. In a pool with a single worker, any other remedy needs another one.
//
// For any other caller it returns false: a goroutine outside the pool that ran queued work
// itself would exceed the pool's limit.
func (p *Pool) MayRunInPlace(_ schedulers.Work, caller schedulers.Worker) bool {
	return p.ownWorker(caller) != nil
}

// AcceptsRepeats implements [dispatch.Repeater]: it returns true.
func (p *Pool) AcceptsRepeats() bool { return true }

// MaxConcurrency returns the upper bound given by [Workers]: the pool never lets more
// workers than this run at a time. Three kinds of work do not count: work that waits
// inside [schedulers.Blocker], until the end of its current piece; work submitted as
// long-running; and work that its submitter ran for lack of space.
func (p *Pool) MaxConcurrency() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.max
}
