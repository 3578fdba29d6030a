package eventloop

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Post queues f to run on the loop. It returns nil, or [schedulers.ErrShutdown]
// after Shutdown, or [schedulers.ErrRejected] if f is nil. It does not block. A
// posted function is dropped if a Shutdown that gives up abandons it.
func (l *Loop) Post(f func()) error {
	if f == nil {
		return fmt.Errorf("eventloop: function is nil: %w", schedulers.ErrRejected)
	}
	return l.Submit(postedWork(f), schedulers.Hint{})
}

// postedWork is a function without a waiter.
type postedWork func()

// Run implements [schedulers.Work].
func (f postedWork) Run(schedulers.Worker) { f() }

// Abandon implements [schedulers.Work].
func (postedWork) Abandon(error) {}

// Send runs f on the loop and returns when f has returned: nil, or an error if f
// panicked or called runtime.Goexit. On the owner's thread it calls f at once. It
// returns [schedulers.ErrShutdown] if f will not run. If ctx ends first, it
// returns the cause, and f still runs when its turn comes. It blocks. A nil ctx
// never ends.
//
// If ctx names a worker of a scheduler, the wait is announced to that worker.
func (l *Loop) Send(ctx context.Context, f func()) error {
	if f == nil {
		return fmt.Errorf("eventloop: function is nil: %w", schedulers.ErrRejected)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	s := &sentWork{f: f, done: make(chan struct{})}
	if l.OnOwner() {
		s.Run(&l.worker)
		return s.err
	}
	if err := l.Submit(s, schedulers.Hint{}); err != nil {
		return err
	}
	if err := schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, s.done); err != nil {
		return err
	}
	return s.err
}

// sentWork is a function with a waiter.
type sentWork struct {
	f    func()
	done chan struct{}
	err  error // written before done is closed
}

// Run implements [schedulers.Work]. A panic ends here: it is reported to the waiter.
func (s *sentWork) Run(schedulers.Worker) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			s.err = fmt.Errorf("eventloop: the function that was sent panicked: %v", v)
		} else if !returned {
			s.err = errGoexit
		}
		close(s.done)
	}()
	s.f()
	returned = true
}

var errGoexit = errors.New("eventloop: the function that was sent called runtime.Goexit")

// Abandon implements [schedulers.Work].
func (s *sentWork) Abandon(reason error) {
	s.err = reason
	close(s.done)
}

// Timer is a function that will be posted. It is made by [Loop.AfterFunc].
type Timer struct {
	loop  *Loop
	f     func()
	timer schedulers.Timer
	ended atomic.Bool // f was called, or never will be
}

// AfterFunc posts f after d, and returns a timer that can be stopped until then. If the
// loop is shut down meanwhile, f is dropped. It does not block. A nil f does nothing.
func (l *Loop) AfterFunc(d time.Duration, f func()) *Timer {
	t := &Timer{loop: l, f: f}
	t.timer.OnExpire = t
	l.StartTimer(&t.timer, d)
	return t
}

// Stop keeps the function from being called, and reports whether it did: false means
// that the function has been called, is being called, or was stopped before. After a
// Stop on the loop's own goroutine the function is never called, even if it had been
// posted already. It does not block.
func (t *Timer) Stop() bool {
	t.loop.StopTimer(&t.timer)
	return t.ended.CompareAndSwap(false, true)
}

// Expire implements [schedulers.Expirer].
func (t *Timer) Expire(*schedulers.Timer) {
	_ = t.loop.Post(func() { // after Shutdown it is not called
		if t.f != nil && t.ended.CompareAndSwap(false, true) {
			t.f()
		}
	})
}
