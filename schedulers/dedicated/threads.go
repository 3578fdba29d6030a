package dedicated

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that Threads has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Threads is a scheduler of dedicated OS threads. Make one with [New]. All methods are
// safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter, Limiter and Meter, and its workers implement HomeBlocker and Pumper.
type Threads struct {
	timerQueue
	name string

	// Functions that each thread runs before its first and after its last work,
	// in execution order.
	begin, finally []schedulers.Hook[*thread]

	refused atomic.Uint64

	// mu guards everything below.
	mu        sync.Mutex
	queue     workQueue
	all       []*thread // all[i].id == i+1
	started   int       // all[:started] have started
	parked    []*thread // the last parked is woken first: its caches are warm
	alive     int
	accepted  uint64
	abandoned uint64
	// Counts of the work items that ran on top of waits.
	helping, completed, panicked uint64
	shutdown                     shutdown.State
}

// thread is a worker.
type thread struct {
	threads *Threads
	id      int
	loop    runloop.Loop
	wake    chan struct{} // made by the instance, so that it belongs to its synctest bubble

	osThread atomic.Int64    // the id of its OS thread; 0 if not known
	awaits   <-chan struct{} // ends the wait of BlockFor, or nil; guarded by Threads.mu
	pump     *pumpWait       // nil: it does not wait in Pump; guarded by Threads.mu
	onTop    bool            // it runs work on top of a wait; used by the thread alone
	bindErr  error           // why it is bound to no processor; guarded by Threads.mu
	state    any             // see [State]; used by the thread alone
	room     any             // see [dispatch.Keeper]; used by the thread alone
}

// Option configures a scheduler that is being made.
type Option func(*Threads)

// Name gives the scheduler a name, for logs.
func Name(name string) Option { return func(t *Threads) { t.name = name } }

// OnThread runs start on each thread before its first work, and end after its
// last; either may be nil. Use it for state that is bound to a thread. After work
// that called runtime.Goexit, a new thread replaces the old one and runs start
// again; end does not run on the thread that died. The option may be given several
// times: the start functions run in that order, the end functions in reverse. A panic in
// either function is contained (see [schedulers.Hook]): the thread still runs its work,
// without the state that start would have made.
func OnThread(start, end func()) Option {
	return func(t *Threads) {
		t.addStart(schedulers.NewHook("dedicated.OnThread", func(*thread) { start() }), start != nil)
		t.addEnd(schedulers.NewHook("dedicated.OnThread", func(*thread) { end() }), end != nil)
	}
}

func (t *Threads) addStart(h schedulers.Hook[*thread], wanted bool) {
	if wanted {
		t.begin = append(t.begin, h)
	}
}

// addEnd makes h run before the end functions of earlier options.
func (t *Threads) addEnd(h schedulers.Hook[*thread], wanted bool) {
	if wanted {
		t.finally = slices.Insert(t.finally, 0, h)
	}
}

// New returns a scheduler of n threads, or of one if n is less than one. A thread
// starts when it is first needed.
func New(n int, opts ...Option) *Threads {
	t := &Threads{name: "dedicated"}
	for _, o := range opts {
		if o != nil {
			o(t)
		}
	}
	for id := 1; id <= max(1, n); id++ {
		w := &thread{threads: t, id: id, wake: make(chan struct{}, 1)}
		w.loop.Worker = w
		w.loop.Polls.Stays = true
		w.loop.Next = w.next
		w.loop.Restart = w.restart
		t.all = append(t.all, w)
	}
	return t
}

// Name returns the name given by the option [Name], or "dedicated".
func (t *Threads) Name() string { return t.name }

// Submit accepts w, or refuses it with [schedulers.ErrShutdown] after Shutdown has been
// called and with [schedulers.ErrRejected] if w is nil. Hints matter only while all
// threads wait: they decide which work may run on top of a wait. It never blocks and
// never runs w itself.
func (t *Threads) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		t.refused.Add(1)
		return fmt.Errorf("dedicated: work is nil: %w", schedulers.ErrRejected)
	}
	from := t.submitter(hint.From)
	if !probe.On(probe.Events) {
		return t.submit(w, hint, from)
	}
	e := schedulers.Event{Kind: schedulers.Submitted, Scheduler: t, Work: w}
	if from != nil && from.threads == t {
		e.Worker = from.id
	}
	schedulers.Tell(e)
	err := t.submit(w, hint, from)
	if err != nil {
		e.Kind = schedulers.Refused
		schedulers.Tell(e)
	}
	return err
}

// submit is Submit for work that is not nil. from is the submitting thread, or nil.
func (t *Threads) submit(w schedulers.Work, hint schedulers.Hint, from *thread) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shutdown.Begun() {
		t.refused.Add(1)
		return schedulers.ErrShutdown
	}
	t.accepted++
	t.queue.push(entry{w, hint.Flags.Has(schedulers.Resumed), hint.Flags.Has(schedulers.PreferFairness), from})
	t.wakeOrStart()
	return nil
}

// submitter returns the thread that the hint names. If the hint names none, it
// returns the thread on which it is called, since a machine's context does not
// know its worker.
func (t *Threads) submitter(caller schedulers.Worker) *thread {
	if from, ok := caller.(*thread); ok {
		return from
	}
	id := int64(ThreadID())
	if id == 0 {
		return nil
	}
	for _, w := range t.all {
		if w.osThread.Load() == id {
			return w
		}
	}
	return nil
}

// wakeOrStart wakes a parked thread, or starts a thread for the first time; mu is held.
func (t *Threads) wakeOrStart() {
	if n := len(t.parked); n > 0 {
		w := t.parked[n-1]
		t.parked = t.parked[:n-1]
		w.wake <- struct{}{} // has room: a thread is parked once before it is woken
		return
	}
	if t.started < len(t.all) {
		w := t.all[t.started]
		t.started++
		t.alive++
		if probe.On(probe.Events) {
			schedulers.Tell(dispatch.EventOf(schedulers.WorkerStarted, w))
		}
		go w.main()
		return
	}
	t.wakeOthers(nil)
}

// main is the goroutine of a thread. It never unlocks: when it returns, the Go runtime
// ends the OS thread, with any state that work left on it.
func (w *thread) main() {
	labels.Clear()
	runtime.LockOSThread()
	w.osThread.Store(int64(ThreadID()))
	for _, f := range w.threads.begin {
		f.Call(w)
	}
	w.loop.RunHere()
	for _, f := range w.threads.finally {
		f.Call(w)
	}
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(schedulers.WorkerEnded, w))
	}
	w.threads.countEnd()
}

// restart is called when work has called runtime.Goexit, on the dying thread.
func (w *thread) restart() {
	w.threads.mu.Lock()
	w.awaits, w.pump, w.state, w.onTop = nil, nil, nil, false
	w.threads.mu.Unlock()
	go w.main()
}

// next is the thread's loop condition: it returns work, or nil when the scheduler has
// been shut down and nothing is left.
func (w *thread) next() schedulers.Work {
	t := w.threads
	for {
		t.mu.Lock()
		if work := t.queue.pop(); work != nil {
			t.mu.Unlock()
			return work
		}
		if t.shutdown.Begun() {
			t.mu.Unlock()
			return nil
		}
		t.parked = append(t.parked, w)
		t.mu.Unlock()
		woken := dispatch.TellPark(w)
		<-w.wake
		woken()
	}
}

// Scheduler implements [schedulers.Worker].
func (w *thread) Scheduler() schedulers.Scheduler { return w.threads }

// ID implements [schedulers.Worker]: 1 to n; a replacement thread keeps the ID.
func (w *thread) ID() int { return w.id }

// Room implements [dispatch.Keeper].
func (w *thread) Room() *any { return &w.room }

// MayRunInPlace reports true if caller is a worker of this scheduler and the caller is on
// its thread: work that is awaited there may run there. Any other caller is on the
// wrong thread, including a goroutine that merely has the context of work.
func (t *Threads) MayRunInPlace(_ schedulers.Work, caller schedulers.Worker) bool {
	w, ok := caller.(*thread)
	return ok && w != nil && w.threads == t && w.isCurrent()
}

// isCurrent reports whether the calling goroutine is that of w. If the operating system
// provides no thread ids, it reports true.
func (w *thread) isCurrent() bool { return w.osThread.Load() == int64(ThreadID()) }

// MaxConcurrency returns n.
func (t *Threads) MaxConcurrency() int { return len(t.all) }

// Snapshot implements [schedulers.Snapshotter].
func (t *Threads) Snapshot() []schedulers.Work {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue.all()
}

// Metrics implements [schedulers.Meter].
func (t *Threads) Metrics() schedulers.Metrics {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := schedulers.Metrics{
		Submitted: t.accepted,
		Refused:   t.refused.Load(),
		Abandoned: t.abandoned,
		Queued:    uint64(t.queue.len()),
		Completed: t.completed,
		Panicked:  t.panicked,
		Running:   t.helping,
		Workers:   uint64(t.alive),
	}
	for _, w := range t.all {
		m.Completed += w.loop.Completed()
		m.Panicked += w.loop.Panicked()
		if w.loop.Busy() {
			m.Running++
		}
	}
	return m
}
