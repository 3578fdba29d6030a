package simulation

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// task is one work from its beginning to its end, and the worker that it sees.
type task struct {
	of    *Scheduler
	id    int
	label string
}

func (s *Scheduler) newTask(w schedulers.Work) *task {
	return &task{of: s, id: s.ids.Take(), label: label(w)}
}

// run runs the work and puts the baton down, when the books are in order again.
func (t *task) run(w schedulers.Work) {
	defer t.end()
	t.of.books.Run(w, t, nil)
}

func (t *task) end() {
	s := t.of
	s.ids.Give(t.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.putDown(t)
	s.waits = slices.DeleteFunc(s.waits, func(w *wait) bool { return w.letGo(t) })
	s.ready = slices.DeleteFunc(s.ready, func(r turn) bool { return r.wait != nil && r.wait.letGo(t) })
}

// letGo ends a wait on behalf of t, which has ended: so it was another goroutine's, to which t's context was given.
func (w *wait) letGo(t *task) bool {
	if w.task != t {
		return false
	}
	w.foreign = true
	close(w.resume)
	return true
}

// Scheduler implements [schedulers.Worker].
func (t *task) Scheduler() schedulers.Scheduler { return t.of }

// ID implements [schedulers.Worker].
func (t *task) ID() int { return t.id }

// wait is a task that has put the baton down. It is guarded by Scheduler.mu.
type wait struct {
	task  *task
	ctx   context.Context
	until <-chan struct{} // nil: nobody has said
	since time.Duration
	where []uintptr
	err   error // how it ends

	foreign bool          // it is not the task's goroutine that waits
	resume  chan struct{} // closed when the wait is over
}

// Pump implements [schedulers.Pumper]: it waits for done without holding up the simulation. It returns nil, or the cause of ctx if
// that ends first, or a *[Deadlock] if neither will ever happen.
func (t *task) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	if w := t.park(ctx, done); w != nil {
		<-w.resume
		if !w.foreign {
			return w.err
		}
	}
	// The caller is not the work that has the baton: a context was given to another goroutine.
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Block implements [schedulers.Blocker]. It returns when nothing else can happen, with an error: that
// for which the caller is going to wait has happened, or never will.
func (t *task) Block() (unblock func(), err error) {
	if w := t.park(context.Background(), nil); w != nil {
		<-w.resume
		if !w.foreign {
			return nil, w.err
		}
	}
	return func() {}, nil
}

// park puts the baton down, or returns nil if t does not have it.
func (t *task) park(ctx context.Context, until <-chan struct{}) *wait {
	s := t.of
	w := &wait{task: t, ctx: ctx, until: until, since: s.clock.Now(), resume: make(chan struct{})}
	w.where = make([]uintptr, 32)
	w.where = w.where[:runtime.Callers(3, w.where)] // the caller of Pump or Block
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.putDown(t) {
		return nil
	}
	s.waits = append(s.waits, w)
	return w
}

// lookAtWaits makes those ready whose wait is over; mu is held.
func (s *Scheduler) lookAtWaits() {
	s.waits = slices.DeleteFunc(s.waits, func(w *wait) bool {
		select {
		case <-w.until:
		case <-w.ctx.Done():
			w.err = context.Cause(w.ctx)
		default:
			return false
		}
		s.ready = append(s.ready, turn{wait: w})
		return true
	})
}

// resume hands the baton to the task of w; mu is held, and nobody has the baton.
func (s *Scheduler) resume(w *wait) {
	s.holder = w.task
	close(w.resume)
}

// endBlock makes the latest wait ready that has not said what it waits for, since nothing else can happen.
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

// fail makes the latest wait that matches ready, with an error.
func (s *Scheduler) fail(match func(*wait) bool, with func(*wait) error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range slices.Backward(s.waits) {
		if match(w) {
			w.err = with(w)
			s.waits = slices.Delete(s.waits, i, i+1)
			s.ready = append(s.ready, turn{wait: w})
			return true
		}
	}
	return false
}
