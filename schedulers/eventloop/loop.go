package eventloop

import (
	"context"
	"errors"
	"sync"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Loop has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// ErrOwned is returned when a second goroutine wants to run the loop.
var ErrOwned = errors.New("eventloop: another goroutine runs the loop")

// Loop runs work on the goroutine that owns it. Make one with [New] or [Start]. All
// methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter, Limiter and Meter, and its worker implements Blocker and Pumper. Timers
// expire on a goroutine of their own and submit the work that they wake to the loop.
type Loop struct {
	timerQueue
	tally  tally.Tally
	worker worker
	onWake schedulers.Hook[struct{}]
	wake   chan struct{} // holds one token; see the package comment

	mu    sync.Mutex
	queue deque.Deque
	owner owner
}

// Option changes a loop that is being made.
type Option func(*Loop)

// OnWake sets a function that is called when work arrives at an empty queue, on the
// goroutine that submits it. The function makes a foreign main loop call
// [Loop.RunPending]. It must not block. A panic in it is contained: see
// [schedulers.Hook].
func OnWake(f func()) Option {
	return func(l *Loop) { l.onWake = dispatch.NewHook0("eventloop.OnWake", f) }
}

// New returns a loop that has no owner yet. Work can already be submitted to it.
func New(opts ...Option) *Loop {
	l := &Loop{wake: make(chan struct{}, 1)}
	l.worker.loop = l
	for _, o := range opts {
		if o != nil {
			o(l)
		}
	}
	return l
}

// Start returns a loop that runs on a goroutine and an OS thread of its own until
// Shutdown. Without a Shutdown it keeps both.
func Start(opts ...Option) *Loop {
	l := New(opts...)
	go l.serve()
	return l
}

// serve runs the loop until it is shut down. Each goroutine that work ends by
// runtime.Goexit is replaced by another one.
func (l *Loop) serve() {
	labels.Clear()
	ended := false
	defer func() {
		if !ended {
			go l.serve()
		}
	}()
	// The error is nil: ctx never ends, and another goroutine that wants to run a
	// started loop gets ErrOwned or, in the moment between two goroutines, is served
	// first.
	for l.Run(context.Background()) != nil {
		<-l.releaseSignal()
	}
	ended = true
}

// Submit queues w, or refuses it with [schedulers.ErrShutdown] after Shutdown and with
// [schedulers.ErrRejected] if w is nil. It never blocks and never runs w. Hints make no
// difference.
func (l *Loop) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if err := l.tally.Enter("eventloop", l, w); err != nil {
		return err
	}
	l.mu.Lock()
	first := l.queue.Len() == 0
	l.queue.PushBack(w)
	l.mu.Unlock()
	if first {
		l.announce()
	}
	return nil
}

// announce makes the owner check for work, whether it is a goroutine or a foreign loop.
func (l *Loop) announce() {
	l.wakeOwner()
	l.onWake.Call(struct{}{})
}

// wakeOwner makes the goroutine that runs the loop check for work.
func (l *Loop) wakeOwner() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *Loop) pop() schedulers.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.PopFront()
}

func (l *Loop) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Len()
}

// MayRunInPlace reports true if caller is the loop's worker and the caller is on the
// owner's thread. It is always false on systems that provide no thread ids.
func (l *Loop) MayRunInPlace(_ schedulers.Work, caller schedulers.Worker) bool {
	return caller == schedulers.Worker(&l.worker) && l.OnOwner()
}

// MaxConcurrency returns 1.
func (l *Loop) MaxConcurrency() int { return 1 }

// Metrics implements [schedulers.Meter].
func (l *Loop) Metrics() schedulers.Metrics { return l.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (l *Loop) Snapshot() []schedulers.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.AppendTo(nil)
}

// Shutdown refuses all further work, and returns nil when the owner has run the
// accepted work; [Loop.Run] returns then, too. If ctx ends first, work that is still
// queued is abandoned with [schedulers.ErrShutdown] and the cause of ctx is returned.
//
// The caller does not become the owner: if the loop has no owner, Shutdown waits for
// ctx, unless nothing is queued. So a foreign main loop that ends runs the pending work
// and then calls Shutdown with a ctx that has ended. Work of the loop must not wait for
// the loop's end.
//
// Shutdown blocks, and may be called any number of times, also concurrently. A nil ctx
// never ends.
func (l *Loop) Shutdown(ctx context.Context) error {
	l.tally.Close()
	l.wakeOwner()
	return l.tally.Shutdown(ctx, l.abandonQueued)
}

func (l *Loop) abandonQueued() {
	l.mu.Lock()
	all := l.queue
	l.queue = deque.Deque{}
	l.mu.Unlock()
	for w := all.PopFront(); w != nil; w = all.PopFront() {
		l.tally.Abandon(l, w, schedulers.ErrShutdown)
	}
	l.wakeOwner() // the owner may have nothing left to run
}
