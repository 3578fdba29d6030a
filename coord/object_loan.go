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
//	idle + on loan + pending ≤ most
//	a call waits  ⇒  none is idle, and on loan + pending = most
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

// lent implements both forms of Get. It is a separate function because the frame of its
// machine would otherwise be an exported name.
//
//movenext:async
func lent[T any](ctx context.Context, p *objectPool[T]) (T, error) {
	l, err := p.borrow(ctx)
	if err != nil || l.hasObject {
		return l.object, err
	}
	return made(ctx, p)
}

// made makes an object in the room that was reserved for its caller.
//
//movenext:async
func made[T any](ctx context.Context, p *objectPool[T]) (v T, err error) {
	m := &making[T]{of: p}
	defer m.end()
	if ctx == nil {
		ctx = context.Background()
	}
	m.job = p.maker(ctx)
	v, err = m.job.Await()
	m.good = err == nil
	return v, err
}

// used implements UseAsync.
//
//movenext:async
func used[T any](ctx context.Context, p *ObjectPool[T], fn func(context.Context, T) error) error { //nolint:unused // its machine is
	v, err := p.Get(ctx)
	if err != nil {
		return err
	}
	u := &use[T]{of: p, with: v}
	defer u.end()
	u.job = job.Go(ctx, func(ctx context.Context) error { return fn(ctx, v) })
	_, err = u.job.Await()
	u.good = usable(err)
	return err
}

// use is one call of a user's function with an object.
type use[T any] struct {
	of   *ObjectPool[T]
	with T
	job  *job.Job[job.Void] // nil if the function runs on its caller's goroutine
	good bool               // the function has returned, and the object is not broken
	node continuation.Node
}

// end ends the loan. If the caller's wait was refused while the function runs, the end
// of the job ends the loan instead.
func (u *use[T]) end() {
	if u.job != nil && !u.job.IsCompleted() {
		u.node.Prepare(u)
		if u.job.Register(&u.node) {
			return
		}
	}
	if u.good {
		u.of.Put(u.with)
	} else {
		u.of.Discard(u.with)
	}
}

// Completed implements continuation.Target: the function of a use without a caller has ended.
func (u *use[T]) Completed(schedulers.Worker) (none continuation.Chain) {
	u.good = usable(u.job.Err())
	u.end()
	return none
}

// usable reports whether an object may be lent again after a function returned err.
func usable(err error) bool {
	_, panicked := errors.AsType[*job.PanicError](err)
	return !panicked && !errors.Is(err, job.ErrGoexit) && !errors.Is(err, ErrBroken)
}

// making is the making of one object.
type making[T any] struct {
	of   *objectPool[T]
	job  *job.Job[T]
	good bool // the caller has the object
	node continuation.Node
}

// end ends the making. A caller whose wait was refused, since its home is gone or would
// deadlock, has no object, but the job may still make one: its room is kept until the
// job has ended.
func (m *making[T]) end() {
	if m.good {
		m.of.delivered()
		return
	}
	m.node.Prepare(m)
	if m.job == nil || !m.job.Register(&m.node) {
		m.Completed(nil).Deliver(nil)
	}
}

// Completed implements continuation.Target: the job of a making without a caller has ended.
func (m *making[T]) Completed(schedulers.Worker) (none continuation.Chain) {
	if m.job == nil || m.job.Status() != job.Completed {
		return m.of.vacate().complete()
	}
	v, _ := m.job.GetResult()
	m.of.mu.Lock()
	m.of.made++
	m.of.mu.Unlock()
	m.of.back(v, true)
	return none
}

// borrow waits for an object or for room.
func (p *objectPool[T]) borrow(ctx context.Context) (loan[T], error) {
	ctx, err := bound(ctx)
	if err != nil {
		return loan[T]{}, err
	}
	l, mustWait, err := p.poll()
	if mustWait {
		return wait(ctx, p, job.Void{})
	}
	return l, err
}

// borrowAsync is the twin of borrow.
func (p *objectPool[T]) borrowAsync(ctx context.Context) *job.Job[loan[T]] { //nolint:unused // the generator looks for it
	ctx, err := bound(ctx)
	if err != nil {
		return promise.Failed[loan[T]](ctx, err)
	}
	l, mustWait, err := p.poll()
	switch {
	case mustWait:
		return waitAsync(ctx, p, job.Void{})
	case err != nil:
		return job.FromError[loan[T]](err)
	}
	return job.FromResult(l)
}

// borrowEnter is borrow as generated machines call it.
func (p *objectPool[T]) borrowEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[loan[T]], loan[T], error) {
	ctx, err := bound(ctx)
	if err != nil {
		return endEntry(r, p, loan[T]{}, err)
	}
	if r.Proceed() {
		l, mustWait, err := p.poll()
		if !mustWait {
			return nil, l, err
		}
	}
	return entered(r, ctx, p, job.Void{}), loan[T]{}, nil
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
	case p.onLoan+p.pending < p.most:
		p.pending++
	default:
		mustWait = true
	}
	return l, mustWait, nil
}

// delivered records that a caller has the object that it made.
func (p *objectPool[T]) delivered() {
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

// back ends the pending state of v, which is good or is discarded.
func (p *objectPool[T]) back(v T, good bool) {
	if good {
		p.mu.Lock()
		if !p.closed {
			p.pending--
			told := p.shelve(v)
			p.mu.Unlock()
			told.deliver(nil)
			return
		}
		p.mu.Unlock()
	}
	p.onDiscard.Call(v) // before another is made in its place
	p.mu.Lock()
	p.discarded++
	told := p.leave()
	p.mu.Unlock()
	told.deliver(nil)
}

// shelve gives v to the first caller that waits, or keeps it; mu is held.
func (p *objectPool[T]) shelve(v T) (told outcomes) {
	if p.queue.empty() {
		p.idle = append(p.idle, v)
		return told
	}
	w := p.queue.pop()
	w.value = loan[T]{v, true}
	p.onLoan++
	told.add(w)
	return told
}

// vacate gives the room of an object that no longer exists to the first caller that waits.
func (p *objectPool[T]) vacate() outcomes {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leave()
}

// leave is vacate with mu held.
func (p *objectPool[T]) leave() (told outcomes) {
	if p.queue.empty() {
		p.pending--
		return told
	}
	told.add(p.queue.pop()) // it stays pending: the caller now makes an object
	return told
}

func (p *objectPool[T]) letGo(old []T) {
	for _, v := range old {
		p.onDiscard.Call(v)
	}
}

func (p *objectPool[T]) guard() *interleave.Mutex { return &p.mu }

func (p *objectPool[T]) admit(w *waiter[loan[T], job.Void]) (told outcomes) {
	l, mustWait, err := p.take()
	if mustWait {
		p.queue.push(w)
		return told
	}
	w.value, w.err = l, err
	told.add(w)
	return told
}

func (p *objectPool[T]) cancel(w *waiter[loan[T], job.Void]) outcomes { return p.queue.cancel(w) }

// giveBack takes an object, or the room for one, from a machine whose home is gone.
func (p *objectPool[T]) giveBack(w *waiter[loan[T], job.Void]) outcomes {
	if !w.value.hasObject {
		return p.leave()
	}
	p.onLoan--
	if !p.closed {
		return p.shelve(w.value.object)
	}
	p.discarded++
	var told outcomes
	told.add(&discarding[T]{of: p, object: w.value.object})
	return told
}

// discarding is an object that is discarded once the lock is released.
type discarding[T any] struct {
	of     *objectPool[T]
	object T
	after  outcome
}

func (f *discarding[T]) decide() {}

func (f *discarding[T]) complete() (none continuation.Chain) {
	f.of.onDiscard.Call(f.object)
	return none
}

func (f *discarding[T]) nextOutcome() *outcome { return &f.after }

// described names what a caller waits for.
func (p *objectPool[T]) described() string { return typeName((*ObjectPool[T])(nil)) + ".Get" }
