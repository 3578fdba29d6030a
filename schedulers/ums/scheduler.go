package ums

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Scheduler has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Scheduler makes a worker for each work item and runs it on its own scheduler
// threads, in the order that a policy decides. Make one with [New]. All methods are safe
// for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter, Limiter and Meter, and its workers implement Blocker.
type Scheduler struct {
	timerQueue
	name    string
	threads int
	observe schedulers.Hook[Event]
	failure schedulers.Hook[*PolicyError]

	tally    tally.Tally
	list     *CompletionList
	delegate delegate

	start   sync.Once
	loops   []*threadLoop  // constant after start
	alive   sync.WaitGroup // of threads that have not ended, whatever their goroutines
	idle    atomic.Int64   // threads that are parked, or have not started
	wake    chan struct{}  // a token: there may be workers in the queue for one more thread
	closing chan struct{}  // closed when all work has ended after Shutdown
	cpus    []int          // see Affinity
	watch   watch

	plain    bool        // no policy and no observer; constant after New, see chooseFirst
	hasReady atomic.Bool // the ready queue has a worker; written under the lock of the queue
	queue    entryQueue  // the ready queue of a plain scheduler; guarded by the list's lock
	inbox    inbox       // the work behind it

	lock      Mutex // of the scheduler side
	decisions decisions
}

// Option configures a scheduler that is being made.
type Option func(*Scheduler)

// Name names the scheduler, for logs. The default is "ums".
func Name(name string) Option { return func(s *Scheduler) { s.name = name } }

// Decide sets the policy that decides which worker runs next. Without it, or with nil,
// the longest-ready worker runs next.
func Decide(p Policy) Option { return func(s *Scheduler) { s.decisions.policy = p } }

// Observe sets a function that is called for each [Event], by the thread that the event
// is about: several threads may call it at the same time. It must not wait for a lock
// that workers use. A panic in it is contained: see [schedulers.Hook].
func Observe(f func(Event)) Option {
	return func(s *Scheduler) { s.observe = schedulers.NewHook("ums.Observe", f) }
}

// OnPolicyFailure sets a function that a scheduler thread calls once, if the policy
// fails. It must not wait for a lock that workers use. A panic in it is contained: see
// [schedulers.Hook].
func OnPolicyFailure(f func(*PolicyError)) Option {
	return func(s *Scheduler) { s.failure = schedulers.NewHook("ums.OnPolicyFailure", f) }
}

// maxThreads is more threads than an operating system usually allows a process.
const maxThreads = 1 << 16

// New returns a scheduler of the given number of threads; fewer than 1 means
// GOMAXPROCS, and at most 65 536 are made. The threads start with the first work and
// then stay, parked while idle, until Shutdown.
func New(threads int, opts ...Option) *Scheduler {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	s := &Scheduler{
		name: "ums", threads: min(threads, maxThreads), list: NewCompletionList(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	s.delegate.scheduler = s
	s.tally.SkipRegistration, s.tally.WorkerPerItem = true, true
	s.watch.scheduler, s.watch.interval = s, defaultNotice
	s.tally.OnDrained = func() {
		s.watch.stop()
		close(s.closing)
	}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	s.plain = s.decisions.policy == nil && !s.observe.IsSet()
	return s
}

// Name returns the name given by the option [Name], or "ums".
func (s *Scheduler) Name() string { return s.name }

// Submit makes a worker for w, or refuses w: with [schedulers.ErrShutdown] after
// Shutdown, and with [schedulers.ErrRejected] if w is nil. It never blocks and never
// runs w. All hints are ignored.
func (s *Scheduler) Submit(w schedulers.Work, _ schedulers.Hint) error {
	return s.submit(s, entry{work: w})
}

func (s *Scheduler) submit(home schedulers.Scheduler, e entry) error {
	if err := s.tally.Enter("ums", home, e.work); err != nil {
		return err
	}
	s.start.Do(s.startThreads)
	if s.plain {
		s.enqueue(e)
	} else {
		w := new(Worker)
		s.initWorker(w, e)
		s.list.register(w)
	}
	s.watchIfBusy()
	return nil
}

// setHasReady sets hasReady; the lock of the queue is held.
func (s *Scheduler) setHasReady(ready bool) {
	if s.hasReady.Load() != ready {
		s.hasReady.Store(ready)
	}
}

// runWork is the function of all workers of schedulers.
func runWork(w *Worker) { w.scheduler.tally.Run(w.work, w, nil) }

// Class is a scheduler whose work runs on workers with the same user part, which a
// [Policy] sees. It needs no closing. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Consenter, Timers and Limiter as its
// scheduler does, and its workers implement Blocker.
type Class struct {
	*timerQueue
	scheduler *Scheduler
	user      any
}

// Class returns a scheduler for work whose workers have the given user part.
func (s *Scheduler) Class(user any) *Class { return &Class{&s.timerQueue, s, user} }

// Submit is [Scheduler.Submit] for a worker of the class.
func (c *Class) Submit(w schedulers.Work, _ schedulers.Hint) error {
	return c.scheduler.submit(c, entry{work: w, class: c})
}

// MayRunInPlace is [Scheduler.MayRunInPlace].
func (c *Class) MayRunInPlace(w schedulers.Work, worker schedulers.Worker) bool {
	return c.scheduler.MayRunInPlace(w, worker)
}

// MaxConcurrency returns the number of threads.
func (c *Class) MaxConcurrency() int { return c.scheduler.threads }

// MayRunInPlace reports true if worker is a worker of s: a worker that waits has a thread on
// which it can run the awaited work.
func (s *Scheduler) MayRunInPlace(_ schedulers.Work, worker schedulers.Worker) bool {
	w, ok := worker.(*Worker)
	return ok && w != nil && w.scheduler == s
}

// MaxConcurrency returns the number of threads. Workers inside marked calls do not
// count, nor do workers whose blocking was noticed ([Notice]), until their next marked
// call.
func (s *Scheduler) MaxConcurrency() int { return s.threads }

// Metrics implements [schedulers.Meter]. Workers counts the workers whose work has begun
// and not ended, including blocked ones.
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the work that has not begun, the oldest
// first.
func (s *Scheduler) Snapshot() []schedulers.Work {
	if s.plain {
		return s.queuedWork()
	}
	var all []schedulers.Work
	for _, w := range s.list.listCreated() {
		all = append(all, w.work)
	}
	return all
}

// Workers returns the information of all workers whose contexts were not deleted yet, the
// oldest first.
func (s *Scheduler) Workers() []Information {
	s.registerAll()
	s.list.mu.Lock()
	var workers []*Worker
	for w := s.list.oldest; w != nil; w = w.newer {
		workers = append(workers, w)
	}
	s.list.mu.Unlock()
	all := make([]Information, len(workers))
	for i, w := range workers {
		all[i] = w.Information()
	}
	return all
}

// Shutdown refuses all further work, runs everything that was accepted, ends the
// threads, and returns nil when the last has ended. If ctx ends first, work that has
// not begun is abandoned with [schedulers.ErrShutdown] and the cause of ctx is
// returned; running work continues. It blocks, and may be called any number of times,
// also concurrently, but not by work of s with a ctx that never ends. A nil ctx never
// ends. Timers are not affected.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	err := s.tally.Shutdown(ctx, s.abandonCreated)
	if err == nil {
		s.alive.Wait() // all work has ended, so nothing holds a thread
	}
	return err
}

func (s *Scheduler) abandonCreated() {
	s.registerAll()
	for _, w := range s.list.listCreated() {
		if w.withdraw() {
			s.tally.Abandon(w.home, w.work, schedulers.ErrShutdown)
		}
	}
}
