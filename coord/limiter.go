package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Limiter bounds work in flight: work counts from its Acquire until its Release, even
// while it waits for a database and does not run. Make one with [NewLimiter].
//
// Work belongs to a key: a tenant, a host, a queue. When work of several keys waits,
// the keys take turns, one permit each, so a tenant with thousands of requests delays
// another by one request. Within a key it is first come, first served. [PerKey] also
// bounds each key. A key without work takes no memory; use a constant key if you need no
// distinction. See [KeyedMutex] for what a key may be.
//
// A scheduler's limit is different: it counts what runs, and a waiting machine
// does not run. A [Semaphore] has weights, and a single queue.
type Limiter[K comparable] struct{ hiddenLimiter[K] }

// limiter is a Limiter as its entry sees it; see entered.go for the two names. What depends on the
// type of the keys is compiled in each package that has a Limiter, so it is little.
type limiter[K comparable] struct {
	permits permits
	lanes   shrinkmap.Map[K, *limitLane]
}

type hiddenLimiter[K comparable] = limiter[K]

// permits is a limiter without its keys.
type permits struct {
	perKey, queueLimit int // constant after NewLimiter

	mu      interleave.Mutex
	limit   int
	ready   readyLanes // whose first waiter lacks only a permit of the limiter
	held    int
	waiting int
	granted uint64
	refused uint64
}

// limitLane is one key with work. It is guarded by permits.mu.
type limitLane struct {
	queue      queue
	held       int
	isReady    bool
	next, prev *limitLane // in ready
}

// readyLanes is a list of lanes. (A list of package linked is a type with parameters, which each
// package that has a Limiter would compile.)
type readyLanes struct{ first, last *limitLane }

func (l *readyLanes) empty() bool { return l.first == nil }

func (l *readyLanes) add(lane *limitLane) {
	lane.isReady, lane.prev = true, l.last
	if l.last == nil {
		l.first = lane
	} else {
		l.last.next = lane
	}
	l.last = lane
}

func (l *readyLanes) remove(lane *limitLane) {
	if lane.prev == nil {
		l.first = lane.next
	} else {
		lane.prev.next = lane.next
	}
	if lane.next == nil {
		l.last = lane.prev
	} else {
		lane.next.prev = lane.prev
	}
	lane.isReady, lane.next, lane.prev = false, nil, nil
}

// LimiterOption configures a [Limiter]. It is a plain value.
type LimiterOption struct{ perKey, queueLimit int }

// PerKey limits the work in flight for one key to n. Zero or less leaves only the limit
// of the limiter.
func PerKey(n int) LimiterOption { return LimiterOption{perKey: max(0, n)} }

// QueueLimit limits the calls that may wait, for all keys together, to n: a call that
// would have to wait beyond that immediately fails with [ErrQueueFull]. Zero or less
// means no limit. To never wait, use [Limiter.TryAcquire].
func QueueLimit(n int) LimiterOption { return LimiterOption{queueLimit: max(0, n)} }

// NewLimiter returns a limiter of inFlight permits, all of them free. It panics
// if inFlight is less than one: nothing could ever be acquired. Of two options of one
// kind the later one counts, unless it sets no limit.
func NewLimiter[K comparable](inFlight int, opts ...LimiterOption) *Limiter[K] {
	if inFlight < 1 {
		panic("coord: limiter without a permit")
	}
	l := &Limiter[K]{limiter[K]{permits: permits{limit: inFlight}}}
	for _, o := range opts {
		if o.perKey > 0 {
			l.permits.perKey = o.perKey
		}
		if o.queueLimit > 0 {
			l.permits.queueLimit = o.queueLimit
		}
	}
	return l
}

// Acquire waits for a permit for key and takes it. It returns nil, the reason why ctx
// ended, or [ErrQueueFull]. After nil the caller must call [Limiter.Release] with the
// same key, once. It blocks; its twin is [Limiter.AcquireAsync].
func (l *Limiter[K]) Acquire(ctx context.Context, key K) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if l.TryAcquire(key) {
		// Yield with the permits held: in a search, others must be able to find them taken.
		budget.Yield()
		return nil
	}
	_, err = wait[job.Void](ctx, limitHostOf(&l.hiddenLimiter), key)
	return err
}

// AcquireAsync returns a job that completes once a permit is held, is Canceled when ctx
// ends first, or has faulted with [ErrQueueFull]. If it need not wait it allocates
// nothing, except for the key.
func (l *Limiter[K]) AcquireAsync(ctx context.Context, key K) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if l.TryAcquire(key) {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, limitHostOf(&l.hiddenLimiter), key)
}

// AcquireEnter is [Limiter.Acquire] as generated machines call it.
func (l *limiter[K]) AcquireEnter(r *statemachine.Run, ctx context.Context, key K) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[K](r, limitHostOf(l), err)
	}
	mustEqualItself(key)
	if r.Proceed() && tryPermit(l, key) {
		return nil, nil
	}
	return enterWaitVoid(r, ctx, limitHostOf(l), key), nil
}

// TryAcquire takes a permit for key if that is possible without waiting and without
// overtaking, and reports whether it did.
func (l *Limiter[K]) TryAcquire(key K) bool { return tryPermit(&l.hiddenLimiter, key) }

func tryPermit[K comparable](l *limiter[K], key K) bool {
	mustEqualItself(key)
	p := &l.permits
	p.mu.Lock()
	defer p.mu.Unlock() // a map may panic because of its key
	if !p.free() {
		return false
	}
	lane := laneOf(l, key)
	if !p.passes(lane) {
		dropIfUnused(l, key, lane)
		return false
	}
	p.grant(lane)
	return true
}

// Release returns a permit of key, and serves waiters. It panics if none is held for key.
func (l *Limiter[K]) Release(key K) { releasePermit(&l.hiddenLimiter, key).deliver(nil) }

func releasePermit[K comparable](l *limiter[K], key K) outcomes {
	l.permits.mu.Lock()
	defer l.permits.mu.Unlock()
	return endPermit(l, key)
}

// Resize changes the number of permits. More permits serve waiters at once, key by key in
// turn. Fewer take none away: while more are held than there are, all calls wait until enough
// have been released. It panics if inFlight is less than one.
func (l *Limiter[K]) Resize(inFlight int) { l.permits.resize(inFlight) }

func (p *permits) resize(inFlight int) {
	if inFlight < 1 {
		panic("coord: limiter without a permit")
	}
	p.mu.Lock()
	p.limit = inFlight
	decided := p.serve()
	p.mu.Unlock()
	decided.deliver(nil)
}

// LimiterMetrics is the state of a [Limiter] at one moment, and what it has done so
// far.
type LimiterMetrics struct {
	InFlight int    // permits held
	Waiting  int    // calls that wait
	Keys     int    // keys with work in flight or waiting
	Granted  uint64 // permits granted so far
	Refused  uint64 // calls that failed with ErrQueueFull so far
}

// Metrics returns the current numbers.
func (l *Limiter[K]) Metrics() LimiterMetrics {
	p := &l.permits
	p.mu.Lock()
	defer p.mu.Unlock()
	return LimiterMetrics{p.held, p.waiting, shrinkmap.Len(&l.lanes), p.granted, p.refused}
}

// limitHost is the limiter as a host. Methods of limiter would be methods of Limiter, too.
type limitHost[K comparable] limiter[K]

func limitHostOf[K comparable](l *limiter[K]) *limitHost[K] { return (*limitHost[K])(l) }

func (*limitHost[K]) excludesOthers() {}

func (h *limitHost[K]) guard() *interleave.Mutex { return &h.permits.mu }

func (h *limitHost[K]) admit(w *waiter) outcomes {
	key := callOf[job.Void, K](w).request
	if h.permits.queueFull() {
		if lane, _ := shrinkmap.Get(&h.lanes, key); !h.permits.free() || !h.permits.passes(lane) {
			return h.permits.refuse(w)
		}
	}
	return h.permits.enqueue(w, laneOf((*limiter[K])(h), key))
}

// cancel serves no other waiter: the waiter that gives up held no permit. Its key may
// have no waiters left.
func (h *limitHost[K]) cancel(w *waiter) outcomes {
	l, key := (*limiter[K])(h), callOf[job.Void, K](w).request
	lane := laneOf(l, key)
	decided := h.permits.dequeue(w, lane)
	dropIfUnused(l, key, lane)
	return decided
}

func (h *limitHost[K]) giveBack(w *waiter) outcomes {
	return endPermit((*limiter[K])(h), callOf[job.Void, K](w).request)
}

// endPermit takes a permit of key back and serves waiters.
func endPermit[K comparable](l *limiter[K], key K) outcomes {
	lane, _ := shrinkmap.Get(&l.lanes, key)
	l.permits.takeBack(lane)
	dropIfUnused(l, key, lane)
	return l.permits.serve()
}

// laneOf returns the lane of key, making it if necessary.
func laneOf[K comparable](l *limiter[K], key K) *limitLane {
	lane, known := shrinkmap.Get(&l.lanes, key)
	if !known {
		lane = new(limitLane)
		shrinkmap.Put(&l.lanes, key, lane)
	}
	return lane
}

// dropIfUnused forgets the lane of key if nothing is left of it.
func dropIfUnused[K comparable](l *limiter[K], key K, lane *limitLane) {
	if lane.held == 0 && lane.queue.empty() {
		shrinkmap.Delete(&l.lanes, key)
	}
}

// free reports whether a permit is free that nobody waits for.
func (p *permits) free() bool { return p.held < p.limit && p.ready.empty() }

// passes reports whether a newcomer of the lane, which may be nil, lacks only a free permit.
func (p *permits) passes(lane *limitLane) bool {
	return lane == nil || lane.queue.empty() && !p.full(lane)
}

// queueFull reports whether the queue has no room for a newcomer that has to wait.
func (p *permits) queueFull() bool { return p.queueLimit > 0 && p.waiting >= p.queueLimit }

func (p *permits) refuse(w *waiter) (decided outcomes) {
	p.refused++
	w.err = ErrQueueFull
	decided.add(w)
	return decided
}

func (p *permits) enqueue(w *waiter, lane *limitLane) outcomes {
	lane.queue.push(w)
	p.waiting++
	p.requeue(lane)
	return p.serve()
}

// dequeue takes out a waiter that gives up.
func (p *permits) dequeue(w *waiter, lane *limitLane) outcomes {
	p.waiting--
	decided := lane.queue.cancel(w)
	p.requeue(lane)
	return decided
}

// takeBack takes a permit back from the lane of a key; nil: the key has none.
func (p *permits) takeBack(lane *limitLane) {
	if lane == nil || lane.held == 0 {
		panic("coord: release of a permit that is not held")
	}
	lane.held--
	p.held--
	p.requeue(lane)
}

// serve gives the free permits to the keys that are ready, one each in turn.
func (p *permits) serve() (decided outcomes) {
	for p.held < p.limit && !p.ready.empty() {
		lane := p.ready.first
		p.ready.remove(lane)
		decided.add(lane.queue.pop())
		p.waiting--
		p.grant(lane)
		p.requeue(lane)
	}
	return decided
}

func (p *permits) grant(lane *limitLane) {
	lane.held++
	p.held++
	p.granted++
}

func (p *permits) full(lane *limitLane) bool { return p.perKey > 0 && lane.held >= p.perKey }

// requeue puts a lane at the end of the ready lanes, or takes it out, according to its state.
func (p *permits) requeue(lane *limitLane) {
	switch ready := !lane.queue.empty() && !p.full(lane); {
	case ready && !lane.isReady:
		p.ready.add(lane)
	case !ready && lane.isReady:
		p.ready.remove(lane)
	}
}
