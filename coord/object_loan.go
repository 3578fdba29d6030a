package coord

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # The capacity of an object pool
//
//	idle + on loan + pending ≤ limit
//	a call waits  ⇒  none is idle, and on loan + pending = limit
//
// An object that is returned is pending until it is known to be good, since user
// functions run outside the lock; an object that is being made is pending too. Each of
// the four ways out of pending checks the queue: a good object goes to the first caller
// in it, and a bad one makes room for that caller to make another.
//
//	 (room) ──▶ pending ──made──▶ on loan ──Put, Discard──▶ pending ──good──▶ idle ──▶ on loan
//	    ▲         │                                            │
//	    └─failed──┴───────────────────bad──────────────────────┘

// loan is the result of a wait in the pool's queue: an object, or the room to make one.
type loan[T any] struct {
	object    T
	hasObject bool
}

// getObject implements both forms of Get. It is a separate function because the frame of its
// machine would otherwise be an exported name.
//
//movenext:async
func getObject[T any](ctx context.Context, p *objectPool[T]) (T, error) {
	l, err := p.borrow(ctx)
	if err != nil || l.hasObject {
		return l.object, err
	}
	return makeObject(ctx, p)
}

// makeObject makes an object in the room that was reserved for its caller.
//
//movenext:async
func makeObject[T any](ctx context.Context, p *objectPool[T]) (v T, err error) {
	m := &creation[T]{pool: p}
	defer m.end()
	if ctx == nil {
		ctx = context.Background()
	}
	m.job = p.maker(ctx)
	v, err = awaitJob(ctx, m.job)
	m.good = err == nil
	return v, m.reason(err)
}

// awaitJob waits until a job has ended, or until ctx has, which the job of a maker may ignore.
// It involves the worker of ctx, as any wait for a job does.
func awaitJob[T any](ctx context.Context, j *job.Job[T]) (T, error) {
	_ = j.Start() // fails if it was started before
	return j.Wait(ctx)
}

// awaitJobAsync is the twin of awaitJob.
func awaitJobAsync[T any](ctx context.Context, j *job.Job[T]) *job.Job[T] {
	_ = j.Start()
	return job.WaitAsync(ctx, j)
}

// useHere is [ObjectPool.Use].
//
//movenext:async
func useHere[T any](ctx context.Context, p *objectPool[T], fn func(context.Context, T) error) error {
	if fn == nil {
		return job.ErrNilFunc
	}
	v, err := getObject(ctx, p)
	if err != nil {
		return err
	}
	u := &usage[T]{pool: p, object: v}
	defer u.end()
	if ctx == nil {
		ctx = context.Background()
	}
	err = fn(ctx, v)
	u.good = usable(err)
	return err
}

// useObject implements UseAsync.
//
//movenext:async
func useObject[T any](ctx context.Context, p *objectPool[T], fn func(context.Context, T) error) error { //nolint:unused // its machine is
	v, err := getObject(ctx, p)
	if err != nil {
		return err
	}
	u := &usage[T]{pool: p, object: v}
	defer u.end()
	u.job = job.Go(ctx, func(ctx context.Context) error { return fn(ctx, v) })
	_, err = u.job.Await()
	u.good = usable(err)
	return err
}

// usage is one call of a user's function with an object.
type usage[T any] struct {
	pool   *objectPool[T]
	object T
	job    *job.Job[job.Void] // nil if the function runs on its caller's goroutine
	good   bool               // the function has returned, and the object is not broken
	node   continuation.Node
}

// end ends the loan. If the caller's wait was refused while the function runs, the end
// of the job ends the loan instead.
func (u *usage[T]) end() {
	if u.job != nil && !u.job.IsCompleted() {
		u.node.Prepare(u)
		if u.job.Register(&u.node) {
			return
		}
	}
	if u.good {
		u.pool.put(u.object)
	} else {
		u.pool.discard(u.object)
	}
}

// Completed implements continuation.Target: the function of a use without a caller has ended.
func (u *usage[T]) Completed(schedulers.Worker) (none continuation.Chain) {
	u.good = usable(u.job.Err())
	u.end()
	return none
}

// usable reports whether an object may be lent again after a function returned err.
func usable(err error) bool {
	_, panicked := errors.AsType[*job.PanicError](err)
	return !panicked && !errors.Is(err, job.ErrGoexit) && !errors.Is(err, ErrBroken)
}

// creation is one call of the maker. Its room belongs to the job of the maker from then on: a
// caller that gives up gives up the object, and the job puts it into the pool.
type creation[T any] struct {
	pool *objectPool[T]
	job  *job.Job[T]
	good bool // the caller has the object
	node continuation.Node
}

// reason returns the error of a caller whose wait has ended with err. The job of the maker may
// have ended meanwhile, and its error may be that of another wait.
func (c *creation[T]) reason(err error) error {
	ended, _ := errors.AsType[*job.WaitError](err)
	if of, _ := errors.AsType[*job.WaitError](c.job.Err()); ended == of {
		return err
	}
	return waitEndReason(err)
}

// end ends the creation. A caller whose context has ended, or whose wait was refused, since
// its home is gone or would deadlock, has no object, but the job may still make one: its
// room is kept until the job has ended.
func (c *creation[T]) end() {
	if c.good {
		c.pool.recordMade()
		return
	}
	c.node.Prepare(c)
	if c.job == nil || !c.job.Register(&c.node) {
		c.Completed(nil).Deliver(nil)
	}
}

// Completed implements continuation.Target: the job of a creation without a caller has ended.
func (c *creation[T]) Completed(schedulers.Worker) (none continuation.Chain) {
	if c.job == nil || c.job.Status() != job.Completed {
		return c.pool.freeSpace().complete()
	}
	v, _ := c.job.GetResult()
	c.pool.mu.Lock()
	c.pool.made++
	c.pool.mu.Unlock()
	c.pool.endPending(v, true)
	return none
}

// borrow waits for an object or for room.
func (p *objectPool[T]) borrow(ctx context.Context) (loan[T], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return loan[T]{}, err
	}
	l, mustWait, err := p.poll()
	if mustWait {
		return wait[loan[T]](ctx, p, job.Void{})
	}
	return l, err
}

// borrowAsync is the twin of borrow.
func (p *objectPool[T]) borrowAsync(ctx context.Context) *job.Job[loan[T]] { //nolint:unused // the generator looks for it
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[loan[T]](ctx, err)
	}
	l, mustWait, err := p.poll()
	switch {
	case mustWait:
		return waitAsync[loan[T]](ctx, p, job.Void{})
	case err != nil:
		return job.FromError[loan[T]](err)
	}
	return job.FromResult(l)
}

// borrowEnter is borrow as generated machines call it.
func (p *objectPool[T]) borrowEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[loan[T]], loan[T], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntry[job.Void](r, p, loan[T]{}, err)
	}
	if r.Proceed() {
		l, mustWait, err := p.poll()
		if !mustWait {
			return nil, l, err
		}
	}
	return enterWait[loan[T]](r, ctx, p, job.Void{}), loan[T]{}, nil
}

// poll borrows if that is possible at once, or reports that the call must wait.
func (p *objectPool[T]) poll() (l loan[T], mustWait bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take()
}

// take is poll with mu held.
func (p *objectPool[T]) take() (l loan[T], mustWait bool, err error) {
	switch last := len(p.idle) - 1; {
	case p.closed:
		return l, false, ErrClosed
	case last >= 0: // then no call waits
		l = loan[T]{p.idle[last], true}
		clear(p.idle[last:])
		p.idle = p.idle[:last]
		p.onLoan++
	case p.onLoan+p.pending < p.limit:
		p.pending++
	default:
		mustWait = true
	}
	return l, mustWait, nil
}

// recordMade records that a caller has the object that it made.
func (p *objectPool[T]) recordMade() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending--
	p.onLoan++
	p.made++
}

// endLoan takes an object back from its caller.
func (p *objectPool[T]) endLoan() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.onLoan == 0 {
		panic("coord: an object is put back into a pool that has lent none")
	}
	p.onLoan--
	p.pending++
}

// endPending ends the pending state of v, which is good or is discarded.
func (p *objectPool[T]) endPending(v T, good bool) {
	if good {
		p.mu.Lock()
		if !p.closed {
			p.pending--
			decided := p.giveOrKeep(v)
			p.mu.Unlock()
			decided.deliver(nil)
			return
		}
		p.mu.Unlock()
	}
	p.onDiscard.Call(v) // before another is made in its place
	p.mu.Lock()
	p.discarded++
	decided := p.freeSpaceLocked()
	p.mu.Unlock()
	decided.deliver(nil)
}

// giveOrKeep gives v to the first caller that waits, or keeps it; mu is held.
func (p *objectPool[T]) giveOrKeep(v T) (decided outcomes) {
	if p.queue.empty() {
		p.idle = append(p.idle, v)
		return decided
	}
	w := p.queue.pop()
	callOf[loan[T], job.Void](w).value = loan[T]{v, true}
	p.onLoan++
	decided.add(w)
	return decided
}

// freeSpace gives the room of an object that no longer exists to the first caller that waits.
func (p *objectPool[T]) freeSpace() outcomes {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.freeSpaceLocked()
}

// freeSpaceLocked is freeSpace with mu held.
func (p *objectPool[T]) freeSpaceLocked() (decided outcomes) {
	if p.queue.empty() {
		p.pending--
		return decided
	}
	decided.add(p.queue.pop()) // it stays pending: the caller now makes an object
	return decided
}

func (p *objectPool[T]) discardAll(old []T) {
	for _, v := range old {
		p.onDiscard.Call(v)
	}
}

func (p *objectPool[T]) guard() *interleave.Mutex { return &p.mu }

func (p *objectPool[T]) admit(w *waiter) (decided outcomes) {
	l, mustWait, err := p.take()
	if mustWait {
		p.queue.push(w)
		return decided
	}
	callOf[loan[T], job.Void](w).value, w.err = l, err
	decided.add(w)
	return decided
}

func (p *objectPool[T]) cancel(w *waiter) outcomes { return p.queue.cancel(w) }

// giveBack takes an object, or the room for one, from a machine whose home is gone.
func (p *objectPool[T]) giveBack(w *waiter) outcomes {
	lent := callOf[loan[T], job.Void](w).value
	if !lent.hasObject {
		return p.freeSpaceLocked()
	}
	p.onLoan--
	if !p.closed {
		return p.giveOrKeep(lent.object)
	}
	p.discarded++
	var decided outcomes
	decided.add(&discardOutcome[T]{pool: p, object: lent.object})
	return decided
}

// discardOutcome is an object that is discarded once the lock is released.
type discardOutcome[T any] struct {
	pool        *objectPool[T]
	object      T
	nextDecided outcome
}

func (f *discardOutcome[T]) decide() {}

func (f *discardOutcome[T]) complete() (none continuation.Chain, more outcomes) {
	f.pool.onDiscard.Call(f.object)
	return none, more
}

func (f *discardOutcome[T]) nextOutcome() *outcome { return &f.nextDecided }

// waitName names what a caller waits for.
func (p *objectPool[T]) waitName() string { return typeName((*ObjectPool[T])(nil)) + ".Get" }
