package ums

import (
	"github.com/movenext/movenext/schedulers"
)

// carrier is one of a scheduler's threads. It is used only by the goroutine that is the
// thread.
type carrier struct {
	of      *Scheduler
	id      int // from 1 on
	thread  *Thread
	ran     *Worker   // the worker that was executed last
	started bool      // it has been counted as busy
	scratch []*Worker // an empty slice for reuse
	spare   *Worker   // for work that has no worker yet; see queue
}

func (s *Scheduler) startThreads() {
	s.idle.Store(int64(s.threads))
	for id := range s.threads {
		c := &carrier{of: s, id: id + 1}
		c.thread = &Thread{id: c.id, list: s.list, back: make(chan Activation, 1), host: func(a Activation) { go c.run(a) }}
		s.carriers = append(s.carriers, c)
	}
	s.alive.Add(s.threads)
	for _, c := range s.carriers {
		go c.run(c.startup())
	}
}

func (c *carrier) startup() Activation { return Activation{Reason: Startup, Param: c.id} }

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
func (c *carrier) run(a Activation) {
	schedulers.ClearLabels()
	c.thread.carries.Store(nil)
	here := true
	defer func() {
		if here {
			go c.run(c.startup())
		}
	}()
	c.pin()
	for here {
		w := c.decide(a)
		here = false
		if w == nil {
			c.of.alive.Done()
			return
		}
		a, here = c.thread.carry(w)
	}
}

// decide returns the next worker, which the thread has claimed, or nil at the end.
func (c *carrier) decide(a Activation) *Worker {
	if !c.of.plain {
		return c.thread.decide(c.entry, a)
	}
	c.begin()
	return c.pick(a.Worker)
}

func (c *carrier) begin() {
	if !c.started {
		c.started = true
		c.of.idle.Add(-1)
	}
}

// entry is the entry point: it puts the ready workers in line and executes the first in
// line.
func (c *carrier) entry(t *Thread, a Activation) {
	c.tell(Event{Step: Activated, Reason: a.Reason, Cause: a.Cause, Param: a.Param, Worker: c.before(a)})
	c.begin()
	for w := c.pick(a.Worker); w != nil; w = c.pick(nil) {
		err := t.Execute(w)
		c.tell(Event{Step: Executed, Worker: w.id, Err: err})
		if err == nil {
			c.ran = w
			return
		}
		// A locked worker returns through the list; a terminated one is done.
	}
}

// before returns the ID of the worker that the activation is about.
func (c *carrier) before(a Activation) int {
	if a.Reason == Startup || c.ran == nil {
		return 0
	}
	return c.ran.id
}

// pick waits until there is a worker to run and returns it, or returns nil when the
// scheduler has ended. These are the steps T1 to T3. If yielded is not nil, it is put in
// line behind the ready workers.
func (c *carrier) pick(yielded *Worker) *Worker {
	s := c.of
	for {
		w := c.choose(yielded)
		if w != nil {
			return w
		}
		yielded = nil
		s.idle.Add(1)
		if w = c.choose(nil); w != nil { // step P2
			s.idle.Add(-1)
			return w
		}
		if c.sleep() {
			s.list.sweep(nil, nil) // deletes the terminated workers
			return nil
		}
		s.idle.Add(-1)
	}
}

// sleep waits for work (false), or for the scheduler's end.
func (c *carrier) sleep() (closing bool) {
	s := c.of
	if schedulers.Observed() {
		defer schedulers.TellPark(idleThread{c})()
	}
	select {
	case <-s.list.Event():
	case <-s.more:
	case <-s.closing:
		return true
	}
	return false
}

// idleThread stands for a sleeping thread, which has no worker, in its events.
type idleThread struct{ of *carrier }

// Scheduler implements [schedulers.Worker].
func (t idleThread) Scheduler() schedulers.Scheduler { return t.of.of }

// ID implements [schedulers.Worker].
func (t idleThread) ID() int { return 0 }

// Processor returns the number of the thread.
func (t idleThread) Processor() int { return t.of.id }

// choose puts the workers of the completion list in line, cleans up terminated ones,
// and takes the next worker out of the line, or returns nil. If more are left, it wakes
// another thread.
func (c *carrier) choose(yielded *Worker) *Worker {
	s := c.of
	next := c.chooseByPolicy
	if s.plain {
		next = c.chooseFirst
	}
	w, more := next(yielded)
	if more {
		s.token()
		s.attend()
	}
	return w
}

// chooseFirst is choose for a scheduler without policy and observer: no user code runs
// between two workers, and nothing observes the steps. So the steps T1 and T2, the claim
// and the cleanup are one critical section of the list's lock, which then guards the
// queue, too. With a policy there are three such sections, and one of the line's lock,
// since user code must not run under the list's.
func (c *carrier) chooseFirst(yielded *Worker) (w *Worker, more bool) {
	s, l := c.of, c.of.list
	if c.spare == nil {
		c.spare = new(Worker) // not under the lock
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken(l.items)
	s.collect()
	if s.queue.n == 0 || yielded != nil {
		s.empty()
	}
	if yielded != nil {
		s.queue.push(entry{worker: yielded})
	}
	for w == nil && s.queue.n > 0 {
		w = c.claim(s.queue.pop())
	}
	more = s.queue.n > 0 || s.inbox.some.Load()
	s.setLined(more)
	return w, more
}

// claim claims the entry that was first in the queue. It returns nil if its worker has
// terminated, or is locked and will return through the list.
func (c *carrier) claim(e entry) (w *Worker) {
	if w = e.worker; w == nil {
		w, c.spare = c.spare, nil
		c.of.equip(w, e)
		w.list.know(w)
	}
	if w.take(c.thread) != nil {
		return nil
	}
	return w
}

func (c *carrier) chooseByPolicy(yielded *Worker) (w *Worker, more bool) {
	s := c.of
	var events []Event
	if s.observe.IsSet() {
		events = make([]Event, 0, 4)
	}
	ready, events := s.list.sweep(c.scratch, events)
	if yielded != nil {
		ready = append(ready, yielded) // behind the workers that are ready
	}
	c.scratch = nil
	s.deciding(func(d *decisions) {
		d.ready(ready...) // all in one call: a policy may exit in the middle
		w = d.next()
		more = d.line.first != nil
		s.setLined(more)
	})
	c.scratch = emptied(ready)
	for _, e := range events {
		c.tell(e)
	}
	return w, more
}

// emptied clears a slice for reuse. It drops a slice that a burst has made large.
func emptied(ws []*Worker) []*Worker {
	if cap(ws) > mostScratch {
		return nil
	}
	clear(ws)
	return ws[:0]
}

const mostScratch = 1024

// deciding calls f under the lock of the threads. It reports a failure of the policy,
// even one that has ended the goroutine.
func (s *Scheduler) deciding(f func(*decisions)) {
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
