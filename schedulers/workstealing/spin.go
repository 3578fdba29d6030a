package workstealing

import (
	"runtime"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// This file decides when a worker starts, and what it does before it ends.
//
// # Three approaches that do not work
//
// (Go's scheduler rejects the same three.) Keeping all state in one structure would show
// exactly how many workers are needed, but would need one lock for everything. Passing
// work directly to a new worker would always move it away from the processor that has its
// data. Starting a worker whenever work appears and a processor is idle creates workers
// that find nothing and end at once.
//
// # The approach that works
//
// When work appears, a worker is started only if a processor is idle and no worker is
// spinning, that is, searching for work to steal. A spinning worker that finds work
// starts the next one if it was the last spinning worker. So a burst starts as many
// workers as it needs, one after the other. At most half as many workers spin as run,
// since spinning trades processor time for the chance of lower latency.
//
// # Why no work is stranded
//
//	the submitter                      the worker that stops searching
//	 S1 put the work into a queue       L1 give the processor back: idle + 1
//	 S2 read idle and spinning          L2 stop spinning: spinning - 1
//	 S3 idle > 0 and spinning = 0:      L3 check all queues once more
//	    start a worker                  L4 work there: take a processor, spin again
//
// All steps are locked or atomic, so they have one order. If S3 starts no worker, one of
// two cases holds. First, no processor was idle at S2. Then each processor has a worker
// that has not passed L1 since. When such a worker passes L1, it reaches L3 after S1 and
// finds the work, if it was spinning. If it was not, other workers spin at that moment,
// and the last of them reaches L3. Second, a worker was spinning at S2. Its L2 is after
// S2, so its L3 is after S1. Checking the queues before L2 would lose a wake-up.

// wake starts a worker if one is needed.
func (s *Scheduler) wake() {
	if s.idle.Load() == 0 || s.spinning.Load() != 0 || !s.spinning.CompareAndSwap(0, 1) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.startOnIdle(true) {
		s.spinning.Add(-1)
	}
}

// startOnIdle starts a worker on an idle processor, if any; mu is held.
func (s *Scheduler) startOnIdle(spinning bool) bool {
	p := s.takeIdle()
	if p == nil {
		return false
	}
	s.start(p, spinning)
	return true
}

// start starts a worker that holds p; mu is held.
func (s *Scheduler) start(p *processor, spinning bool) {
	w := s.vacantWorker()
	w.hold(p)
	w.state.Store(looking)
	w.spinning = spinning
	if s.tracing() {
		s.report(w.event(Started, 0))
		if spinning {
			s.report(w.event(Spinning, 0))
		}
	}
	s.count.alive++
	w.tell(schedulers.WorkerStarted)
	interleave.Go(w.main)
}

// takeIdle takes an idle processor, or returns nil; mu is held.
func (s *Scheduler) takeIdle() *processor {
	n := len(s.free)
	if n == 0 {
		return nil
	}
	p := s.free[n-1]
	s.free = s.free[:n-1]
	if s.idle.Add(-1) == 0 {
		s.startWatch()
	}
	return p
}

// makeIdle makes p idle; mu is held.
func (s *Scheduler) makeIdle(p *processor) {
	p.holder = nil
	s.free = append(s.free, p)
	s.idle.Add(1)
}

// next is the worker's loop condition: the work to run, or nil to end.
func (w *worker) next() schedulers.Work {
	if !w.state.CompareAndSwap(running, looking) && w.state.Load() == lost {
		w.state.Store(looking)
		if !w.regainProcessor() {
			return nil
		}
	}
	for looks := 1; ; looks++ {
		if work := w.find(); work != nil {
			w.stopSpinning()
			w.state.Store(running)
			return work
		}
		if w.spinning && looks < w.sched.looks {
			runtime.Gosched() // a spinning worker must not delay goroutines that submit work
			continue
		}
		if !w.lookOnceMore() {
			return nil
		}
	}
}

// stopSpinning is called by a worker that has found work.
func (w *worker) stopSpinning() {
	if w.spinning {
		w.spinning = false
		last := w.sched.spinning.Add(-1) == 0
		if w.sched.tracing() {
			w.sched.report(w.event(StoppedSpinning, 0))
		}
		if last {
			w.sched.wake() // the queues may hold more
		}
	}
}

// startSpinning makes w a spinning worker, if it may become one, and reports whether it is
// one.
func (w *worker) startSpinning() bool {
	if w.spinning {
		return true
	}
	s := w.sched
	w.spinning = s.admitSpinning()
	if s.tracing() {
		s.report(w.event(spinDecision(w.spinning), 0))
	}
	return w.spinning
}

// admitSpinning counts one more spinning worker and returns true, unless half as many as run
// already spin.
func (s *Scheduler) admitSpinning() bool {
	for {
		n, busy := s.spinning.Load(), int32(len(s.procs))-s.idle.Load()
		if 2*n >= max(busy, 1) {
			return false
		}
		if s.spinning.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// find searches for work, in the order of the package comment.
func (w *worker) find() schedulers.Work {
	p := interleave.LoadPointer(&w.proc)
	p.tick++
	if p.tick%fairTick == 0 {
		if work := w.popGlobal(TookGlobalFirst); work != nil {
			return work
		}
	}
	if work, fromNext := p.pop(); work != nil {
		if w.sched.tracing() {
			w.sched.report(w.event(localDecision(fromNext), 1))
		}
		return work
	}
	if w.startSpinning() {
		if work := w.steal(p); work != nil {
			return work
		}
	}
	return w.popGlobal(TookGlobal)
}

// steal takes half of another processor's queue: one work item to run, the rest for p.
func (w *worker) steal(p *processor) schedulers.Work {
	if work := w.stealFrom(p, false); work != nil {
		return work
	}
	return w.stealFrom(p, true)
}

func (w *worker) stealFrom(p *processor, includeNext bool) schedulers.Work {
	procs := w.sched.procs
	first := int(w.random() % uint32(len(procs)))
	for i := range procs {
		victim := procs[(first+i)%len(procs)]
		if victim == p {
			continue
		}
		if work, n := victim.stealHalf(&p.runQueue, includeNext); n > 0 {
			w.stolen.Add(uint64(n))
			w.tellStolen(work, victim, n)
			if w.sched.tracing() {
				e := w.event(Stole, n)
				e.Victim = victim.id
				w.sched.report(e)
			}
			return work
		}
	}
	return nil
}

// lookOnceMore does the steps L1 to L4. It returns false if w has ended.
func (w *worker) lookOnceMore() bool {
	s := w.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.spinning && s.tracing() {
		s.report(w.event(StoppedSpinning, 0))
	}
	s.makeIdle(w.release())
	if w.spinning {
		w.spinning = false
		s.spinning.Add(-1)
	}
	if s.anyQueued() {
		if p := s.takeIdle(); p != nil {
			w.hold(p)
			w.spinning = true
			s.spinning.Add(1)
			if s.tracing() {
				s.report(w.event(LookedAgain, 0))
				s.report(w.event(Spinning, 0))
			}
			return true
		}
	}
	s.end(w)
	return false
}

// popGlobal takes the oldest work of the global queue. why is the decision that the trace
// shows.
func (w *worker) popGlobal(why Decision) schedulers.Work {
	s := w.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	work := s.global.PopFront()
	if work != nil && s.tracing() {
		s.report(w.event(why, 1))
	}
	return work
}

// anyQueued reports whether any queue has work; mu is held.
func (s *Scheduler) anyQueued() bool {
	if s.global.Len() > 0 {
		return true
	}
	for _, p := range s.procs {
		if p.size.Load() > 0 {
			return true
		}
	}
	return false
}
