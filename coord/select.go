package coord

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Case is one of the alternatives of a [Select]. It is a plain value, made by
// [OnReceive], [OnEnd], [OnTimeout] or [Default], and can be reused.
type Case struct {
	// poll takes the case if it is ready, and reports whether it was; nil: the case is
	// never ready, or a timeout.
	poll func() (ready bool, err error)
	// watch returns a job that ends when the case may be ready, and a function that
	// stops the watching; nil: there is nothing to wait for.
	watch func() (job.Handle, func())
	// after is the time of a timeout.
	after time.Duration
}

// OnReceive is ready when c has an element, which it takes and stores in *to, unless to
// is nil. It is also ready when c is closed and nothing is left, with the error of
// [Channel.Receive]. A nil channel is never ready, so a nil channel disables a case, as
// in Go. Waiting calls of Receive are served first.
func OnReceive[T any](c *Channel[T], to *T) Case {
	if c == nil {
		return Case{}
	}
	poll := func() (bool, error) {
		v, mustWait, err := c.poll()
		if !mustWait && err == nil && to != nil {
			*to = v
		}
		return !mustWait, err
	}
	watch := func() (job.Handle, func()) {
		w := newJobWaiter(c.watcherHost(), job.Void{})
		w.enter(nil, nil)
		return w.promise.Job(), func() { w.giveUp(context.Canceled) }
	}
	return Case{poll: poll, watch: watch}
}

// OnEnd is ready when j has ended; the job itself has the outcome. A job that is Created
// is started if Select has to wait. A nil job counts as one that has ended.
func OnEnd(j job.Handle) Case {
	return Case{
		poll:  func() (bool, error) { return j == nil || j.IsCompleted(), nil },
		watch: func() (job.Handle, func()) { return j, func() {} },
	}
}

// OnTimeout is ready when Select has waited for d, by the clock of the scheduler in its
// context. With a d of zero or less it is [Default].
func OnTimeout(d time.Duration) Case {
	if d <= 0 {
		return Default()
	}
	return Case{after: d}
}

// Default is always ready: a Select with it does not wait. Cases after it are ignored.
func Default() Case {
	return Case{poll: func() (bool, error) { return true, nil }}
}

// Select waits until one of the cases is ready and returns its index. Of several that
// are ready it takes the first in the order given, and leaves the others unchanged:
// nothing that was not chosen is received, started or lost. The error is that of the
// chosen case, such as [ErrClosed]. If ctx ends, Select returns -1 and the reason. If no
// case can ever become ready, it waits until ctx ends.
//
// In a loop, a first case that is always ready starves the others, as with Kotlin's select
// and tokio's biased one. Go's select takes one at random. To be fair, rotate the cases.
//
// It blocks; its twin is [SelectAsync].
func Select(ctx context.Context, cases ...Case) (chosen int, err error) {
	return selectCase(ctx, cases)
}

// SelectAsync returns a job that completes with the index of the chosen case, or is
// Canceled when ctx ends first. If the chosen case has an error, the job has faulted
// with it, and its value is still the index. It does not block.
func SelectAsync(ctx context.Context, cases ...Case) *job.Job[int] {
	return selectCaseAsync(ctx, cases)
}

// # Look, and wait for a change
//
// A select must take one element of one channel. The obvious way is to receive from all
// and to put back the surplus: then another receiver would see elements in another
// order. Go locks all channels of a select. Here a select never waits for an element. It
// checks its cases in order, and takes from the first that has something, as TryReceive
// does. If none has, it becomes a watcher of its channels: a waiter that receives
// nothing, and is notified that there may be something. Then it checks again.
//
// No change is missed: a watcher is admitted under the channel's lock, and notified at
// once if there is something. A channel notifies all its watchers, since the first one
// may take another case. The price is that a select which checks too late waits again,
// and that it has no place in the order of receivers.

// selectCase implements both forms of Select. It is a separate function because the frame
// of its machine would otherwise be an exported name.
//
//movenext:async
func selectCase(ctx context.Context, cases []Case) (chosen int, err error) {
	s := &selection{cases: cases}
	defer s.end()
	for {
		// A machine that always finds a case yields.
		if _, err := completedVoid().Await(); err != nil {
			return -1, err
		}
		if s.ctx, err = checkContext(ctx); err != nil {
			return -1, err
		}
		if i, err := s.poll(); i >= 0 {
			return i, err
		}
		if _, err := s.change().Await(); err != nil {
			return -1, waitEndReason(err)
		}
	}
}

// selection is one call of Select. It is used by one goroutine at a time.
type selection struct {
	ctx     context.Context
	cases   []Case
	waits   []caseWait            // one for each case, once it has waited
	wake    *job.Source[job.Void] // ends a wait when the call or its context ends
	unwatch func() bool           // ends the watch over the context
}

// caseWait is the wait of a selection for one case; the handle is nil if there is nothing
// to wait for.
type caseWait struct {
	handle job.Handle
	stop   func()
}

// poll takes the first case that is ready and returns its index, or -1.
func (s *selection) poll() (int, error) {
	for i, c := range s.cases {
		switch {
		case c.after > 0:
			if s.waits != nil && s.waits[i].handle.IsCompleted() {
				return i, nil
			}
		case c.poll != nil:
			if ready, err := c.poll(); ready {
				return i, err
			}
		}
	}
	return -1, nil
}

// change returns a job that ends when a case may be ready, or the context has ended.
func (s *selection) change() *job.Job[job.Handle] {
	if s.waits == nil {
		s.begin()
	}
	all := []job.Handle{s.wake.Job()}
	for i, c := range s.cases {
		w := &s.waits[i]
		if c.watch != nil && (w.handle == nil || w.handle.IsCompleted()) {
			w.handle, w.stop = c.watch()
		}
		if w.handle != nil {
			all = append(all, w.handle)
		}
	}
	return job.WhenAnyOf(all...)
}

// begin prepares for the first wait.
func (s *selection) begin() {
	s.waits = make([]caseWait, len(s.cases))
	s.wake = job.NewSource[job.Void]()
	if s.ctx.Done() != nil {
		s.unwatch = context.AfterFunc(s.ctx, func() { s.wake.TrySetResult(job.Void{}) })
	}
	for i, c := range s.cases {
		if c.after > 0 {
			a := newAlarm(s.ctx, c.after)
			s.waits[i] = caseWait{a.promise.Job(), a.stop}
		}
	}
}

// end leaves nothing behind in channels, jobs, timers and the context.
func (s *selection) end() {
	if s.waits == nil {
		return
	}
	for _, w := range s.waits {
		if w.stop != nil {
			w.stop()
		}
	}
	if s.unwatch != nil {
		s.unwatch()
	}
	s.wake.TrySetResult(job.Void{})
}

// alarm is a sleep that can be ended early, without a context.
type alarm struct {
	promise promise.Promise[job.Void]
	timer   schedulers.Timer
	timers  schedulers.Timers
}

func newAlarm(ctx context.Context, d time.Duration) *alarm {
	a := &alarm{timers: ambient.Timers(ambient.Home(ctx))}
	a.promise.Init()
	a.timer.OnExpire = a
	a.timers.StartTimer(&a.timer, d)
	return a
}

// Expire implements schedulers.Expirer.
func (a *alarm) Expire(*schedulers.Timer) {
	waiters, _ := a.promise.TryComplete(context.Background(), job.Void{}, nil)
	waiters.Deliver(nil)
}

func (a *alarm) stop() { a.timers.StopTimer(&a.timer) }

// watcherHost is a channel as the host of its watchers.
type watcherHost[T any] channel[T]

func (c *channel[T]) watcherHost() *watcherHost[T] { return (*watcherHost[T])(c) }

func (h *watcherHost[T]) waitName() string { return typeName((*Channel[T])(nil)) + " in a Select" }

func (h *watcherHost[T]) buffer() buffer { return (*channelReport[T])(h) }

func (h *watcherHost[T]) guard() *interleave.Mutex { return &h.mu }

// admit notifies the watcher at once if there is something to receive, or never will be.
// A receiver may be seated meanwhile: an element that is handed to it without the lock was
// never available to others, and an element that the channel keeps is put under the lock.
// A sender may not: it would not notify the watcher.
func (h *watcherHost[T]) admit(w *waiter[job.Void, job.Void]) (decided outcomes) {
	c := (*channel[T])(h)
	if c.level.Load() == senderAlone {
		c.leaveFastPath()
	}
	if c.len() > 0 || !c.senders.empty() || c.closed != nil {
		decided.add(w)
		return decided
	}
	c.watchers.push(w)
	return decided
}

func (h *watcherHost[T]) cancel(w *waiter[job.Void, job.Void]) outcomes { return h.watchers.cancel(w) }
