package pool

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Pool has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Pool is the pool. Make one with [New]. All methods are safe for concurrent use.
//
// Beside [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Reclaimer, Admitter, Snapshotter, Limiter and Meter, and its workers implement Blocker.
type Pool struct {
	timerQueue

	// Constant after New.

	name     string
	stallFor time.Duration // <= 0: no worker is ever added for a stall
	bound    *bound        // nil: the queues have no limit
	climbing *climbing     // nil: off; guarded by mu beyond its being there

	// hungry says that whoever puts work into a local queue must come to
	// settle. It is written under mu and read by anybody; see idle.go.
	hungry atomic.Bool

	// called says that work which gives way has to do so by way of mu: the global queue may have work, or the pool is
	// closed. It is written under mu; see yield.go.
	called atomic.Bool

	// closed says that Shutdown was called, to who need not know it to the instant. It is written under mu.
	closed  atomic.Bool
	crowded atomic.Bool // room.waiting > 0; written under mu
	inbox   inbox
	brisk   brisk
	refused atomic.Uint64

	// mu guards everything below. It comes before the lock of any worker, and of the inbox.
	mu          sync.Mutex
	min, max    int
	global      deque.Deque // what is older than the inbox
	room        room
	slots       slots
	stall       stall
	replacement replacement
	count       counts
	ending      ending.Ending
}

// counts are counters that belong to no worker.
type counts struct {
	accepted  uint64 // by the older part of the global queue, or as long-running
	abandoned uint64
	reclaimed uint64 // from the global queue, by those who wait
	alive     int    // goroutines, those of long-running work included

	longRunning, longDone, longPanicked uint64
}

// New returns a pool without any goroutine. It cannot fail: an option that makes no
// sense is replaced as its documentation says.
func New(opts ...Option) *Pool {
	p := &Pool{stallFor: DefaultStall}
	p.replacement = replacement{every: defaultReplace, active: readActive}
	for _, o := range opts {
		if o != nil {
			o(p)
		}
	}
	p.settleOptions()
	p.room.limit, p.room.goal = p.min, p.min
	if p.climbing != nil {
		p.climbing.begin(p)
	}
	p.announce()
	return p
}

// Name returns the name given by the option [Name], or "pool".
func (p *Pool) Name() string { return p.name }

// Submit accepts w, or refuses it with [schedulers.ErrShutdown] after Shutdown has been called and
// with [schedulers.ErrRejected] if w is nil. It never blocks and never runs w itself, unless the pool was made
// so by [QueueLimit].
//
// Work whose hint names a worker of this pool goes to that worker's local queue,
// unless the hint asks for fairness; all other work goes to the global queue.
// Work flagged as long-running gets a goroutine of its own at once.
func (p *Pool) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		return p.refuse(fmt.Errorf("pool: work is nil: %w", schedulers.ErrRejected))
	}
	if hint.Flags.Has(schedulers.LongRunning) {
		return p.submitLong(w)
	}
	if p.bound != nil {
		return p.submitBounded(w, hint)
	}
	from := p.own(hint.From)
	if from == nil {
		return p.submitGlobal(w)
	}
	leaves := hint.From == schedulers.Worker(&from.leaving)
	if hint.Flags.Has(schedulers.PreferFairness) {
		if leaves && !from.some.Load() {
			return p.giveWay(w, from)
		}
		return p.submitGlobal(w)
	}
	accepted, lone := from.push(w)
	if !accepted {
		return p.submitGlobal(w)
	}
	if !lone || !leaves {
		p.pushed(lone, hint)
	}
	return nil
}

// pushed sees to it that what was pushed to a local queue is run. lone says that the queue was empty before.
func (p *Pool) pushed(lone bool, hint schedulers.Hint) {
	if !p.hungry.Load() || p.brisk.alone(lone, hint) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if lone && hint.Flags.Has(schedulers.Resumed) {
		p.brisk.watch(p)
	}
	p.settle()
}

// submitGlobal puts w into the global queue.
func (p *Pool) submitGlobal(w schedulers.Work) error {
	if p.hungry.Load() || p.crowded.Load() {
		return p.submitSettling(w)
	}
	return p.submitToInbox(w)
}

// submitToInbox is submitGlobal where nobody need be started, as far as is known before.
func (p *Pool) submitToInbox(w schedulers.Work) error {
	if !p.inbox.accept(w) {
		return p.refuse(schedulers.ErrShutdown)
	}
	p.call()
	if p.hungry.Load() { // since a moment
		p.mu.Lock()
		p.settle()
		p.mu.Unlock()
	}
	return nil
}

// submitSettling is submitGlobal where the lock has to be taken anyway.
func (p *Pool) submitSettling(w schedulers.Work) error {
	p.mu.Lock()
	if p.ending.Begun() {
		p.mu.Unlock()
		return p.refuse(schedulers.ErrShutdown)
	}
	p.post(w)
	p.mu.Unlock()
	return nil
}

// post puts w into the global queue and sees to it that it is run; mu is held.
func (p *Pool) post(w schedulers.Work) {
	p.enqueue(w)
	if p.hungry.Load() || p.room.waiting > 0 { // else there is nothing to settle
		p.settle()
	}
}

// refuse counts work that is refused and returns why.
func (p *Pool) refuse(reason error) error {
	p.refused.Add(1)
	return reason
}

// own returns by as a worker of this pool, or nil.
func (p *Pool) own(by schedulers.Worker) *worker {
	w, ok := by.(*worker)
	if !ok {
		l, leaves := by.(*leaving)
		if !leaves || l == nil {
			return nil
		}
		w = l.worker
	}
	if w != nil && w.pool == p {
		return w
	}
	return nil
}

// MayRunInPlace reports true if by is a worker of this pool. What waits there
// holds a place in the pool already, so running the awaited work in it adds
// nothing to what runs at a time, and with a single worker it is
// the only way out that costs nothing.
//
// For everybody else it is false: a goroutine outside of the pool that ran
// queued work itself would be one more than the pool's limit, and the pool has
// workers for it.
func (p *Pool) MayRunInPlace(_ schedulers.Work, by schedulers.Worker) bool {
	return p.own(by) != nil
}

// MaxConcurrency returns the upper bound given by [Workers]: the pool never lets more
// workers than this run at a time. Two kinds of work do not count: what waits
// inside of [schedulers.Blocker], until the end of its current piece, and what was
// submitted as long-running, or was run by its submitter for lack of room.
func (p *Pool) MaxConcurrency() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.max
}
