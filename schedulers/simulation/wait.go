package simulation

import (
	"context"
	"runtime"
	"time"

	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/schedulers"
)

// wait is a task that has put down the baton. Scheduler.mu guards it.
type wait struct {
	task  *task
	ctx   context.Context
	until <-chan struct{} // nil: not reported by the caller
	since time.Duration
	where []uintptr
	err   error // how it ends

	earlier   *wait // of the same task; see park
	links     linked.Node[wait]
	at        int           // its position in Scheduler.ready; 0: still waiting, or over
	over      bool          // it was released
	abandoned bool          // its task has ended: another goroutine waits on its behalf
	resume    chan struct{} // closed when it is released
}

// Pump implements [schedulers.Pumper]: it waits for done without holding up the
// simulation. It returns nil, or the cause of ctx if that ends first, or a *[Deadlock]
// if neither will ever happen.
func (t *task) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	if w := t.park(ctx, done); w != nil {
		<-w.resume
		if !w.abandoned {
			return w.err
		}
	}
	// The caller does not have the baton: a context was given to another goroutine.
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Block implements [schedulers.Blocker]. It returns when nothing else can happen, with
// an error: what the caller is going to wait for has happened, or never will.
func (t *task) Block() (unblock func(), err error) {
	if w := t.park(context.Background(), nil); w != nil {
		<-w.resume
		if !w.abandoned {
			return nil, w.err
		}
	}
	return func() {}, nil
}

// closed is what a task waits for that only lets others come first.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Yield lets others come first: the caller continues in a step of its own. It is for
// searches: see package budget.
func (t *task) Yield() {
	if w := t.park(context.Background(), closed); w != nil {
		<-w.resume
	}
}

// park puts down the baton, which a new runner takes up, or returns nil if t does not
// have it.
func (t *task) park(ctx context.Context, until <-chan struct{}) *wait {
	s := t.scheduler
	w := &wait{task: t, ctx: ctx, until: until, resume: make(chan struct{})}
	w.where = make([]uintptr, 32)
	w.where = w.where[:runtime.Callers(3, w.where)] // the caller of Pump or Block
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.putDown(t) {
		return nil
	}
	w.since = s.clock.Now()
	for w.earlier = t.parked; w.earlier != nil && w.earlier.over; w.earlier = w.earlier.earlier {
	}
	t.parked = w
	s.waits.Add(&w.links, w)
	s.newRunner()
	return w
}

// waits are the waits that are not over, in the order in which they began.
type waits struct {
	linked.List[wait]
	from *wait // where the next look begins; nil: at the first
}

func (l *waits) remove(w *wait) {
	if l.from == w {
		l.from = w.links.Next()
	}
	l.Remove(&w.links)
}

// looks is how many waits are checked between two steps. Each has to be checked, since
// a channel only tells its receivers. If more wait, the rest have to wait for their
// turn, or until nothing can run.
const looks = 256

// collectEndedWaits makes waits ready that are over; mu is held.
func (s *Scheduler) collectEndedWaits() {
	n := s.waits.Len()
	if s.ready.len() > 0 {
		n = min(n, looks)
	}
	for range n {
		w := s.waits.from
		if w == nil {
			w = s.waits.First()
		}
		s.waits.from = w.links.Next()
		select {
		case <-w.until:
		case <-w.ctx.Done():
			w.err = context.Cause(w.ctx)
		default:
			continue
		}
		s.letGo(w)
	}
}

// letGo makes w ready to continue; mu is held.
func (s *Scheduler) letGo(w *wait) {
	s.waits.remove(w)
	s.enqueue(turn{kind: Resume, what: w})
}

// endBlock makes the latest wait ready that has not reported what it waits for, since
// nothing else can happen.
func (s *Scheduler) endBlock() bool {
	return s.fail(func(w *wait) bool { return w.until == nil }, func(*wait) error { return schedulers.ErrWouldDeadlock })
}

// breakDeadlock makes the latest wait fail.
func (s *Scheduler) breakDeadlock() bool {
	return s.fail(func(*wait) bool { return true }, func(*wait) error {
		err := s.report()
		if s.failure == nil {
			s.failure = err
		}
		return err
	})
}

// fail makes the latest matching wait ready, with an error, unless something was woken
// at the last moment.
func (s *Scheduler) fail(match func(*wait) bool, with func(*wait) error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.progressPossible() {
		return true
	}
	for w := s.waits.Last(); w != nil; w = w.links.Prev() {
		if match(w) {
			w.err = with(w)
			s.letGo(w)
			return true
		}
	}
	return false
}
