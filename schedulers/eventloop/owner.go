package eventloop

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// owner is who runs the loop. It is guarded by Loop.mu, but for thread.
type owner struct {
	taken    bool
	released chan struct{} // closed when taken becomes false; made when somebody waits for it
	thread   atomic.Int64  // the id of the owner's OS thread; 0: nobody's, or nobody knows
}

// claim makes the caller the owner and locks it to its thread, or returns false.
func (l *Loop) claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner.taken {
		return false
	}
	l.owner.taken = true
	runtime.LockOSThread()
	l.owner.thread.Store(int64(dedicated.ThreadID()))
	return true
}

func (l *Loop) release() {
	l.mu.Lock()
	l.owner.taken = false
	l.owner.thread.Store(0)
	runtime.UnlockOSThread()
	if l.owner.released != nil {
		close(l.owner.released)
		l.owner.released = nil
	}
	left := l.queue.Len() > 0
	l.mu.Unlock()
	if left { // it did not arrive at an empty queue, so nobody was told
		l.announce()
	}
}

// released returns a channel that is closed when the loop has no owner.
func (l *Loop) released() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.owner.released
	if c == nil {
		c = make(chan struct{})
	}
	if l.owner.taken {
		l.owner.released = c
	} else {
		close(c)
	}
	return c
}

// OnOwner reports whether the caller is on the thread of the goroutine that runs the
// loop now. It does not block. On systems other than Linux and Windows, which do not tell
// threads apart without cgo, it is always false.
func (l *Loop) OnOwner() bool {
	id := l.owner.thread.Load()
	return id != 0 && id == int64(dedicated.ThreadID())
}

// knowsThreads says whether OnOwner can be true at all.
func knowsThreads() bool { return dedicated.ThreadID() != 0 }

// Run makes the caller the owner, locks it to its OS thread, and runs work until Shutdown has been called and all work has
// ended, which is nil, or until ctx ends, which is its cause; the loop can then be run again. It
// blocks in between. A nil ctx never ends. It returns [ErrOwned] if somebody else runs the
// loop, or the caller itself does.
func (l *Loop) Run(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if !l.claim() {
		return ErrOwned
	}
	defer l.release()
	return l.pump(ctx, nil)
}

// RunPending makes the caller the owner for as long as it takes to run what is queued
// now, and returns how many works that were. It does not wait for more; what has arrived meanwhile
// is announced to [OnWake]. It returns 0 if
// somebody else runs the loop. Called by the owner in the middle of work, it runs what is queued
// inside of that work, as far as it is known there that it is the owner.
func (l *Loop) RunPending() int {
	n := l.len()
	left := func() int { n--; return n + 1 }
	if l.OnOwner() {
		return l.drain(left)
	}
	if !l.claim() {
		return 0
	}
	defer l.release()
	return l.drain(left)
}

// drain runs work while more is above zero and work is queued, and returns how many.
func (l *Loop) drain(more func() int) int {
	n := 0
	for more() > 0 {
		w := l.pop()
		if w == nil {
			break
		}
		l.books.Run(w, &l.worker, nil)
		n++
	}
	return n
}

// Pump runs work until done is closed (or delivers, which it then consumes) and returns
// nil; it sleeps while nothing is queued. It returns the cause of ctx if that ends first. A nil
// ctx never ends.
//
// It must be called by the owner, from inside of work. Where threads can be told
// apart, others get [ErrOwned].
func (l *Loop) Pump(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if knowsThreads() && !l.OnOwner() {
		return ErrOwned
	}
	return l.pump(ctx, done)
}

// pump runs work until done or ctx has ended. A nil done is the end of the loop. One that runs inside
// of another may take the token that was meant for that: the outer one looks
// into the queue anyway before it sleeps.
func (l *Loop) pump(ctx context.Context, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if w := l.pop(); w != nil {
			l.books.Run(w, &l.worker, nil)
			continue
		}
		if done == nil && l.books.Closed() && l.books.Pending() == 0 {
			return nil
		}
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.wake:
		}
	}
}

// worker is the owner as work sees it.
type worker struct{ of *Loop }

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.of }

// ID implements [schedulers.Worker].
func (*worker) ID() int { return 1 }

// Block implements [schedulers.Blocker]: on the owner's goroutine it runs what is
// queued before it lets the wait begin. Elsewhere it does nothing.
func (w *worker) Block() (unblock func(), err error) {
	l := w.of
	switch {
	case l.OnOwner():
		l.drain(l.len)
	case !knowsThreads() && l.len() > 0:
		return nil, schedulers.ErrWouldDeadlock
	}
	return func() {}, nil
}

// Pump implements [schedulers.Pumper]: it waits for done and runs work meanwhile, if it is called by the owner. Elsewhere it
// only waits.
func (w *worker) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	if w.of.OnOwner() {
		return w.of.pump(ctx, done)
	}
	unblock, err := w.Block()
	if err != nil {
		return err
	}
	defer unblock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
