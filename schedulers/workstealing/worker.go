package workstealing

import (
	"runtime"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// fairTick is how often a processor's worker checks the global queue first: every 61st
// time. It is a prime, to avoid resonance with periodic work. The number is Go's.
const fairTick = 61

// worker is an ID that can be reused, and counters. It outlives its goroutine, so
// starting one allocates nothing.
type worker struct {
	sched *Scheduler
	id    int
	loop  runloop.Loop
	main  func() // serve, made once: a method value at each start would be an allocation

	// state is running while the goroutine runs work with its processor, looking
	// while it searches for work, and lost while it runs work without a processor.
	//
	//	looking ──takes work──▶ running ──Block, or the watch──▶ lost
	//	   ▲                       │                              │
	//	   └──────work returns─────┴──────────work returns────────┘
	//
	// Only the edge from running to lost takes a processor away, by compare-and-swap
	// under mu. So a looking worker never loses its processor, and it knows before it
	// searches whether it has one.
	state interleave.Uint32

	// The processor, or nil. It is written under Scheduler.mu and read without a lock,
	// because other goroutines find the worker through a hint.
	proc interleave.Pointer[processor]

	// Used only by the worker's goroutine, or by the one that starts it.
	spinning bool
	seed     uint32
	room     any // see [dispatch.Keeper]

	stolen interleave.Uint64
}

const (
	looking uint32 = iota
	running
	lost
)

// vacantWorker returns a worker without a goroutine; mu is held.
func (s *Scheduler) vacantWorker() *worker {
	if n := len(s.spare); n > 0 {
		w := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return w
	}
	w := &worker{sched: s, id: len(s.workers) + 1}
	w.seed = uint32(w.id) * 2654435761
	w.loop.Worker = w
	w.loop.Next = w.next
	w.main = w.serve
	w.loop.Restart = func() { interleave.Go(w.main) }
	s.workers = append(s.workers, w)
	return w
}

// serve is the goroutine of a worker. If there are few workers, it registers the goroutine,
// so that a wait can find the worker even if its context does not name it: the remaining
// workers may not be enough.
func (w *worker) serve() {
	labels.Clear()
	if n := len(w.sched.procs); n == 1 || n < runtime.GOMAXPROCS(0) {
		w.loop.RunHere()
		return
	}
	w.loop.Run()
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.sched }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// Room implements [dispatch.Keeper].
func (w *worker) Room() *any { return &w.room }

// hold gives w a processor; mu is held.
func (w *worker) hold(p *processor) {
	p.holder = w
	interleave.StorePointer(&w.proc, p)
}

// release takes the processor from w and returns it; mu is held.
func (w *worker) release() *processor {
	p := interleave.LoadPointer(&w.proc)
	interleave.StorePointer(&w.proc, nil)
	return p
}

// end ends w, which has no processor; mu is held.
func (s *Scheduler) end(w *worker) {
	w.tell(schedulers.WorkerEnded)
	if s.tracing() {
		s.report(Event{Decision: Ended, Worker: w.id})
	}
	s.spare = append(s.spare, w)
	s.count.alive--
	s.finish()
}

// random is a xorshift generator, which is good enough to choose the first queue.
func (w *worker) random() uint32 {
	w.seed ^= w.seed << 13
	w.seed ^= w.seed >> 17
	w.seed ^= w.seed << 5
	return w.seed
}

// Block implements [schedulers.Blocker]: it hands off the worker's processor. It
// never returns an error. After the wait the worker finishes its current work without
// a processor, so one more work item runs for a moment; then the worker needs a processor
// again.
func (w *worker) Block() (unblock func(), err error) {
	s := w.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handOff(w, HandedOn)
	return func() {}, nil
}

// handOff takes the processor of w, if w runs work with it. It gives the processor to a new
// worker if work is queued, and otherwise makes it idle; mu is held. why is the decision
// that the trace shows.
func (s *Scheduler) handOff(w *worker, why Decision) {
	if s.count.workers() >= s.maxWorkers || !w.state.CompareAndSwap(running, lost) {
		return
	}
	// First give back, then check the queues: the order of the steps L1 and L3 in spin.go.
	// In the reverse order, work pushed in between finds no idle processor to start a
	// worker on, and is stranded.
	p := w.release()
	if why == Retaken {
		w.tellRetaken(p)
	}
	if s.tracing() {
		s.report(Event{Decision: why, Worker: w.id, Processor: p.id})
	}
	s.makeIdle(p)
	if s.anyQueued() {
		s.startOnIdle(false)
	}
}

// regainProcessor gives w, which has lost its processor, an idle one. It returns false
// if w has ended because all are in use.
func (w *worker) regainProcessor() bool {
	s := w.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.takeIdle(); p != nil {
		w.hold(p)
		return true
	}
	s.end(w)
	return false
}
