package ums

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// threadLoop is one of a scheduler's threads. It is used only by the goroutine that is the
// thread.
type threadLoop struct {
	scheduler *Scheduler
	id        int // from 1 on
	thread    *Thread
	last      *Worker   // the worker that was executed last
	busy      bool      // it has been counted as busy
	scratch   []*Worker // an empty slice for reuse
	spare     *Worker   // for work that has no worker yet; see queue
}

func (s *Scheduler) startThreads() {
	s.idle.Store(int64(s.threads))
	for id := range s.threads {
		c := &threadLoop{scheduler: s, id: id + 1}
		c.thread = &Thread{id: c.id, list: s.list, back: make(chan Activation, 1), host: func(a Activation) { go c.run(a) }}
		s.loops = append(s.loops, c)
	}
	s.alive.Add(s.threads)
	for _, c := range s.loops {
		go c.run(c.startupActivation())
	}
}

func (tl *threadLoop) startupActivation() Activation {
	return Activation{Reason: Startup, Param: tl.id}
}

// run is the thread on one goroutine. It lends the goroutine to each new worker that it
// picks. Most workers end without having blocked, so this usually saves a goroutine and
// two handovers.
//
//	the goroutine                          another one
//	decide, pick a new worker
//	   its function begins
//	   ⋮                                   if it blocks, yields, or is noticed:
//	   the goroutine is the worker's          decide, pick the next …
//	   its function ends
//	still the thread: decide again
//	else: end
//
// The state transition that takes the worker off its thread decides between the two, so
// exactly one goroutine is the thread at each moment. If a policy ends the goroutine by
// runtime.Goexit, the thread continues on a new one.
func (tl *threadLoop) run(a Activation) {
	labels.Clear()
	tl.thread.current.Store(nil)
	here := true
	defer func() {
		if here {
			go tl.run(tl.startupActivation())
		}
	}()
	tl.pin()
	for here {
		w := tl.decide(a)
		here = false
		if w == nil {
			tl.scheduler.alive.Done()
			return
		}
		a, here = tl.thread.runWorker(w)
	}
}

// decide returns the next worker, which the thread has claimed, or nil at the end.
func (tl *threadLoop) decide(a Activation) *Worker {
	if !tl.scheduler.plain {
		return tl.thread.decide(tl.enter, a)
	}
	tl.markBusy()
	return tl.pick(a.Worker)
}

func (tl *threadLoop) markBusy() {
	if !tl.busy {
		tl.busy = true
		tl.scheduler.idle.Add(-1)
	}
}

// enter is the entry point: it adds the ready workers to the ready queue and executes the
// first worker in it.
func (tl *threadLoop) enter(t *Thread, a Activation) {
	tl.report(Event{Step: Activated, Reason: a.Reason, Cause: a.Cause, Param: a.Param, Worker: tl.lastID(a)})
	tl.markBusy()
	for w := tl.pick(a.Worker); w != nil; w = tl.pick(nil) {
		err := t.Execute(w)
		tl.report(Event{Step: Executed, Worker: w.id, Err: err})
		if err == nil {
			tl.last = w
			return
		}
		// A locked worker returns through the list; a terminated one is done.
	}
}

// lastID returns the ID of the worker that the activation is about.
func (tl *threadLoop) lastID(a Activation) int {
	if a.Reason == Startup || tl.last == nil {
		return 0
	}
	return tl.last.id
}

// pick waits until there is a worker to run and returns it, or returns nil when the
// scheduler has ended. These are the steps T1 to T3. If yielded is not nil, it is put into
// the ready queue behind the others.
func (tl *threadLoop) pick(yielded *Worker) *Worker {
	s := tl.scheduler
	for {
		w := tl.choose(yielded)
		if w != nil {
			return w
		}
		yielded = nil
		s.idle.Add(1)
		if w = tl.choose(nil); w != nil { // step P2
			s.idle.Add(-1)
			return w
		}
		if tl.sleep() {
			s.list.sweep(nil, nil) // deletes the terminated workers
			return nil
		}
		s.idle.Add(-1)
	}
}

// sleep waits for work (false), or for the scheduler's end.
func (tl *threadLoop) sleep() (closing bool) {
	s := tl.scheduler
	if probe.On(probe.Events) {
		defer dispatch.TellPark(idleThread{tl})()
	}
	select {
	case <-s.list.Event():
	case <-s.wake:
	case <-s.closing:
		return true
	}
	return false
}

// idleThread stands for a sleeping thread, which has no worker, in its events.
type idleThread struct{ loop *threadLoop }

// Scheduler implements [schedulers.Worker].
func (t idleThread) Scheduler() schedulers.Scheduler { return t.loop.scheduler }

// ID implements [schedulers.Worker].
func (t idleThread) ID() int { return 0 }

// Processor returns the number of the thread.
func (t idleThread) Processor() int { return t.loop.id }

// choose puts the workers of the completion list into the ready queue, cleans up terminated ones,
// and takes the next worker out of the queue, or returns nil. If more are left, it wakes
// another thread.
func (tl *threadLoop) choose(yielded *Worker) *Worker {
	s := tl.scheduler
	next := tl.chooseByPolicy
	if s.plain {
		next = tl.chooseFirst
	}
	w, more := next(yielded)
	if more {
		s.wakeThread()
		s.watchIfBusy()
	}
	return w
}

// chooseFirst is choose for a scheduler without policy and observer: no user code runs
// between two workers, and nothing observes the steps. So the steps T1 and T2, the claim
// and the cleanup are one critical section of the list's lock, which then guards the
// queue, too. With a policy there are three such sections, and one of the ready queue's lock,
// since user code must not run under the list's.
func (tl *threadLoop) chooseFirst(yielded *Worker) (w *Worker, more bool) {
	s, l := tl.scheduler, tl.scheduler.list
	if tl.spare == nil {
		tl.spare = new(Worker) // not under the lock
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clearListed(l.items)
	s.collect()
	if s.queue.n == 0 || yielded != nil {
		s.emptyInbox()
	}
	if yielded != nil {
		s.queue.push(entry{worker: yielded})
	}
	for w == nil && s.queue.n > 0 {
		w = tl.claim(s.queue.pop())
	}
	more = s.queue.n > 0 || s.inbox.nonEmpty.Load()
	s.setHasReady(more)
	return w, more
}

// claim claims the entry that was first in the queue. It returns nil if its worker has
// terminated, or is locked and will return through the list.
func (tl *threadLoop) claim(e entry) (w *Worker) {
	if w = e.worker; w == nil {
		w, tl.spare = tl.spare, nil
		tl.scheduler.initWorker(w, e)
		w.list.link(w)
	}
	if w.claimLocked(tl.thread) != nil {
		return nil
	}
	return w
}

func (tl *threadLoop) chooseByPolicy(yielded *Worker) (w *Worker, more bool) {
	s := tl.scheduler
	var events []Event
	if s.observe.IsSet() {
		events = make([]Event, 0, 4)
	}
	ready, events := s.list.sweep(tl.scratch, events)
	if yielded != nil {
		ready = append(ready, yielded) // behind the workers that are ready
	}
	tl.scratch = nil
	s.withDecisions(func(d *decisions) {
		d.addReady(ready...) // all in one call: a policy may exit in the middle
		w = d.next()
		more = d.queue.first != nil
		s.setHasReady(more)
	})
	tl.scratch = clearForReuse(ready)
	for _, e := range events {
		tl.report(e)
	}
	return w, more
}

// clearForReuse clears a slice for reuse. It drops a slice that a burst has made large.
func clearForReuse(ws []*Worker) []*Worker {
	if cap(ws) > maxScratch {
		return nil
	}
	clear(ws)
	return ws[:0]
}

const maxScratch = 1024

// withDecisions calls f under the lock of the threads. It reports a failure of the policy,
// even one that has ended the goroutine.
func (s *Scheduler) withDecisions(f func(*decisions)) {
	if s.lock.Lock(SchedulerSide) != nil {
		return // never: the lock is not shared
	}
	defer func() {
		failed := s.decisions.failed
		tell := failed != nil && !s.decisions.reported
		s.decisions.reported = failed != nil
		s.lock.Unlock()
		if tell {
			s.failure.Call(failed)
		}
	}()
	f(&s.decisions)
}
