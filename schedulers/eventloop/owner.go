package eventloop

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// owner records which goroutine runs the loop. All but thread is guarded by Loop.mu.
type owner struct {
	taken    bool
	released chan struct{} // closed when taken becomes false; made for the first waiter
	thread   atomic.Int64  // the id of the owner's OS thread; 0: none, or not known
}

// claim makes the caller the owner and locks it to its thread, or returns false.
func (l *Loop) claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner.taken {
		return false
	}
	l.owner.taken = true
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(schedulers.WorkerStarted, &l.worker))
	}
	runtime.LockOSThread()
	l.owner.thread.Store(int64(dedicated.ThreadID()))
	return true
}

func (l *Loop) release() {
	l.mu.Lock()
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(schedulers.WorkerEnded, &l.worker))
	}
	l.owner.taken = false
	l.owner.thread.Store(0)
	runtime.UnlockOSThread()
	if l.owner.released != nil {
		close(l.owner.released)
		l.owner.released = nil
	}
	left := l.queue.Len() > 0
	l.mu.Unlock()
	if left { // it did not arrive at an empty queue, so it was not announced
		l.announce()
	}
}

// releaseSignal returns a channel that is closed when the loop has no owner.
func (l *Loop) releaseSignal() <-chan struct{} {
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
// loop now. It does not block. On systems other than Linux and Windows, which provide no
// thread ids without cgo, it is always false.
func (l *Loop) OnOwner() bool {
	id := l.owner.thread.Load()
	return id != 0 && id == int64(dedicated.ThreadID())
}

// hasThreadIDs reports whether OnOwner can be true at all.
func hasThreadIDs() bool { return dedicated.ThreadID() != 0 }

// Run makes the caller the owner, locks it to its OS thread, and runs work. It returns
// nil when Shutdown has been called and all work has ended, or the cause of ctx when
// ctx ends; the loop can then be run again. It blocks in between. A nil ctx never ends.
// It returns [ErrOwned] if another goroutine, or the caller itself, already runs the
// loop.
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

// RunPending makes the caller the owner for as long as it takes to run the work
// that is queued now, and returns how many work items it ran. It does not wait
// for more; work that has arrived meanwhile is announced to [OnWake]. It returns
// 0 if another goroutine runs the loop. Called by the owner in the middle of work, it
// runs the queued work inside that work, on systems where the owner can be identified.
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

// drain runs queued work while more returns a number above zero, and returns how
// many work items it ran.
func (l *Loop) drain(more func() int) int {
	n := 0
	for more() > 0 {
		w := l.pop()
		if w == nil {
			break
		}
		l.tally.Run(w, &l.worker, nil)
		n++
	}
	return n
}

// Pump runs work until done is closed (or delivers a value, which it then consumes) and
// returns nil; it sleeps while nothing is queued. It returns the cause of ctx if ctx
// ends first. A nil ctx never ends.
//
// It must be called by the owner, from inside work. Where threads have ids, other callers
// get [ErrOwned].
func (l *Loop) Pump(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if hasThreadIDs() && !l.OnOwner() {
		return ErrOwned
	}
	return l.pump(ctx, done)
}

// pump runs work until done is closed or ctx ends. A nil done means the end of the loop.
// A nested pump may take the token that was meant for the outer one: the outer one checks
// the queue anyway before it sleeps.
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
			l.tally.Run(w, &l.worker, nil)
			continue
		}
		if done == nil && l.tally.Closed() && l.tally.Pending() == 0 {
			return nil
		}
		if over, err := l.sleep(ctx, done); over {
			return err
		}
	}
}

// sleep waits for work (false), or for the end of the pump.
func (l *Loop) sleep(ctx context.Context, done <-chan struct{}) (over bool, err error) {
	if probe.On(probe.Events) {
		defer dispatch.TellPark(&l.worker)()
	}
	select {
	case <-done:
		return true, nil
	case <-ctx.Done():
		return true, context.Cause(ctx)
	case <-l.wake:
		return false, nil
	}
}

// worker is the owner as work sees it.
type worker struct{ loop *Loop }

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.loop }

// ID implements [schedulers.Worker].
func (*worker) ID() int { return 1 }

// Block implements [schedulers.Blocker]: on the owner's goroutine it runs the queued
// work before it lets the wait begin. Elsewhere it does nothing.
func (w *worker) Block() (unblock func(), err error) {
	l := w.loop
	switch {
	case l.OnOwner():
		l.drain(l.len)
	case !hasThreadIDs() && l.len() > 0:
		return nil, schedulers.ErrWouldDeadlock
	}
	return func() {}, nil
}

// Pump implements [schedulers.Pumper]: it waits for done and, on the owner's goroutine,
// runs work meanwhile. Elsewhere it only waits.
func (w *worker) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	if w.loop.OnOwner() {
		return w.loop.pump(ctx, done)
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
