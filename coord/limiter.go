package coord

import (
	"context"
	"errors"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// ErrQueueFull is returned by [Limiter.Acquire] if the limiter's queue has no room for
// another waiter.
var ErrQueueFull = errors.New("coord: too many wait for the limiter")

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

// limiter is a Limiter as its entry sees it; see entered.go for the two names.
type limiter[K comparable] struct {
	perKey, queueLimit int // constant after NewLimiter

	mu      interleave.Mutex
	limit   int
	lanes   shrinkmap.Map[K, *limitLane[K]]
	ready   linked.List[limitLane[K]] // whose first waiter lacks only a permit of the limiter
	held    int
	waiting int
	granted uint64
	refused uint64
}

type hiddenLimiter[K comparable] = limiter[K]

// limitLane is one key with work. It is guarded by Limiter.mu.
type limitLane[K comparable] struct {
	queue queue[job.Void, K]
	held  int
	links linked.Node[limitLane[K]] // in ready
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
	l := &Limiter[K]{limiter[K]{limit: inFlight}}
	for _, o := range opts {
		if o.perKey > 0 {
			l.perKey = o.perKey
		}
		if o.queueLimit > 0 {
			l.queueLimit = o.queueLimit
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
	_, err = wait(ctx, &l.hiddenLimiter, key)
	return err
}

// AcquireAsync returns a job that completes once a permit is held, is Canceled when ctx
// ends first, or has faulted with [ErrQueueFull]. If it need not wait it allocates
// nothing, except for the key.
func (l *Limiter[K]) AcquireAsync(ctx context.Context, key K) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[job.Void](ctx, err)
	}
	if l.TryAcquire(key) {
		return completedVoid()
	}
	return waitAsync(ctx, &l.hiddenLimiter, key)
}

// AcquireEnter is [Limiter.Acquire] as generated machines call it.
func (l *limiter[K]) AcquireEnter(r *statemachine.Run, ctx context.Context, key K) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid(r, l, err)
	}
	mustEqualItself(key)
	if r.Proceed() && l.try(key) {
		return nil, nil
	}
	return enterWaitVoid(r, ctx, l, key), nil
}

// TryAcquire takes a permit for key if that is possible without waiting and without
// overtaking, and reports whether it did.
func (l *Limiter[K]) TryAcquire(key K) bool { return l.try(key) }

func (l *limiter[K]) try(key K) bool {
	mustEqualItself(key)
	l.mu.Lock()
	defer l.mu.Unlock() // a map may panic because of its key
	if l.held >= l.limit || l.ready.Len() > 0 {
		return false
	}
	lane := l.lane(key)
	if !lane.queue.empty() || l.full(lane) {
		l.dropIfUnused(key, lane)
		return false
	}
	l.grant(lane)
	return true
}

// Release returns a permit of key, and serves waiters. It panics if none is held for key.
func (l *Limiter[K]) Release(key K) { l.release(key).deliver(nil) }

func (l *limiter[K]) release(key K) outcomes {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.releasePermit(key)
}

// Resize changes the number of permits. More permits serve waiters at once, key by key in
// turn. Fewer take none away: while more are held than there are, all calls wait until enough
// have been released. It panics if inFlight is less than one.
func (l *Limiter[K]) Resize(inFlight int) {
	if inFlight < 1 {
		panic("coord: limiter without a permit")
	}
	l.mu.Lock()
	l.limit = inFlight
	decided := l.serve()
	l.mu.Unlock()
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
	l.mu.Lock()
	defer l.mu.Unlock()
	return LimiterMetrics{l.held, l.waiting, l.lanes.Len(), l.granted, l.refused}
}

// waitName names what a waiter waits for.
func (l *limiter[K]) waitName() string { return typeName((*Limiter[K])(nil)) }

func (l *limiter[K]) guard() *interleave.Mutex { return &l.mu }

func (l *limiter[K]) admit(w *waiter[job.Void, K]) (decided outcomes) {
	if l.queueLimit > 0 && l.waiting >= l.queueLimit && !l.canServe(w.request) {
		l.refused++
		w.err = ErrQueueFull
		decided.add(w)
		return decided
	}
	lane := l.lane(w.request)
	lane.queue.push(w)
	l.waiting++
	l.requeue(lane)
	return l.serve()
}

// cancel serves no other waiter: the waiter that gives up held no permit. Its key may
// have no waiters left.
func (l *limiter[K]) cancel(w *waiter[job.Void, K]) outcomes {
	lane := l.lane(w.request)
	l.waiting--
	decided := lane.queue.cancel(w)
	l.requeue(lane)
	l.dropIfUnused(w.request, lane)
	return decided
}

func (l *limiter[K]) giveBack(w *waiter[job.Void, K]) outcomes { return l.releasePermit(w.request) }

// canServe reports whether a newcomer of key would be served at once.
func (l *limiter[K]) canServe(key K) bool {
	lane, _ := l.lanes.Get(key)
	return l.held < l.limit && l.ready.Len() == 0 && (lane == nil || lane.queue.empty() && !l.full(lane))
}

// releasePermit takes a permit of key back and serves waiters.
func (l *limiter[K]) releasePermit(key K) outcomes {
	lane, known := l.lanes.Get(key)
	if !known || lane.held == 0 {
		panic("coord: release of a permit that is not held")
	}
	lane.held--
	l.held--
	l.requeue(lane)
	l.dropIfUnused(key, lane)
	return l.serve()
}

// serve gives the free permits to the keys that are ready, one each in turn.
func (l *limiter[K]) serve() (decided outcomes) {
	for l.held < l.limit && l.ready.Len() > 0 {
		lane := l.ready.First()
		l.ready.Remove(&lane.links)
		decided.add(lane.queue.pop())
		l.waiting--
		l.grant(lane)
		l.requeue(lane)
	}
	return decided
}

func (l *limiter[K]) grant(lane *limitLane[K]) {
	lane.held++
	l.held++
	l.granted++
}

func (l *limiter[K]) full(lane *limitLane[K]) bool { return l.perKey > 0 && lane.held >= l.perKey }

// requeue puts a lane at the end of the ready lanes, or takes it out, according to its state.
func (l *limiter[K]) requeue(lane *limitLane[K]) {
	switch ready := !lane.queue.empty() && !l.full(lane); {
	case ready && !lane.links.In():
		l.ready.Add(&lane.links, lane)
	case !ready && lane.links.In():
		l.ready.Remove(&lane.links)
	}
}

// lane returns the lane of key, making it if necessary.
func (l *limiter[K]) lane(key K) *limitLane[K] {
	lane, known := l.lanes.Get(key)
	if !known {
		lane = new(limitLane[K])
		l.lanes.Put(key, lane)
	}
	return lane
}

// dropIfUnused forgets the lane of key if nothing is left of it.
func (l *limiter[K]) dropIfUnused(key K, lane *limitLane[K]) {
	if lane.held == 0 && lane.queue.empty() {
		l.lanes.Delete(key)
	}
}
