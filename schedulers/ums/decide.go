package ums

// seat is one of a scheduler's threads.
type seat struct {
	of  *Scheduler
	id  int     // from 1 on
	ran *Worker // the worker that was executed last
}

func (s *Scheduler) startThreads() {
	for id := range s.threads {
		s.alive.Go((&seat{of: s, id: id + 1}).main)
	}
}

// main is the goroutine of a thread. It is started again if a policy has ended it by runtime.Goexit.
func (p *seat) main() {
	ended := false
	defer func() {
		if !ended {
			p.of.alive.Go(p.main)
		}
	}()
	// The list and the entry point are there, so there is no error.
	_ = EnterSchedulingMode(p.of.list, p.entry, p.id)
	ended = true
}

// entry is the entry point: what can run is put in line, the next of the line is executed.
func (p *seat) entry(t *Thread, a Activation) {
	p.tell(Event{Step: Activated, Reason: a.Reason, Cause: a.Cause, Param: a.Param, Worker: p.before(a)})
	if a.Reason == WorkerYielded {
		p.of.deciding(func(d *decisions) { d.ready(a.Worker) })
	}
	for w := p.pick(); w != nil; w = p.pick() {
		err := t.Execute(w)
		p.tell(Event{Step: Executed, Worker: w.id, Err: err})
		if err == nil {
			p.ran = w
			return
		}
		// A locked one comes back by the list, and one that has terminated meanwhile has done so.
	}
}

// before returns whom the activation is about.
func (p *seat) before(a Activation) int {
	if a.Reason == Startup || p.ran == nil {
		return 0
	}
	return p.ran.id
}

// pick returns the worker that is to run next, and waits until there is one; nil when the scheduler has ended. These are the
// steps T1 to T3.
func (p *seat) pick() *Worker {
	s := p.of
	for {
		p.collect()
		if w := s.next(); w != nil {
			return w
		}
		select {
		case <-s.list.Event():
		case <-s.more:
		case <-s.closing:
			p.collect() // for the sake of those that have to be cleaned up
			return nil
		}
	}
}

// collect puts in line who is on the completion list, and cleans up who has terminated.
func (p *seat) collect() {
	s := p.of
	var events []Event
	var ready []*Worker
	for _, w := range s.list.Dequeue(0) {
		if state := w.State(); state != Terminated {
			ready = append(ready, w)
			events = append(events, Event{Step: Dequeued, Worker: w.id, State: state})
		} else if w.Delete() == nil {
			events = append(events, Event{Step: Deleted, Worker: w.id})
		}
	}
	if len(ready) > 0 {
		s.deciding(func(d *decisions) { d.ready(ready...) })
	}
	for _, e := range events {
		p.tell(e)
	}
}

// next takes the next worker out of the line, or returns nil. If more are left, another thread is woken.
func (s *Scheduler) next() (w *Worker) {
	s.deciding(func(d *decisions) {
		w = d.next()
		if d.line.first != nil {
			select {
			case s.more <- struct{}{}:
			default:
			}
		}
	})
	return w
}

// deciding calls f under the lock of the threads, and tells if the policy has failed, also if that has ended the goroutine.
func (s *Scheduler) deciding(f func(*decisions)) {
	if s.lock.Lock(SchedulerSide) != nil {
		return // never: nobody else knows the lock
	}
	defer func() {
		failed := s.decisions.failed
		tell := failed != nil && !s.decisions.told
		s.decisions.told = failed != nil
		s.lock.Unlock()
		if tell {
			s.failure.Call(failed)
		}
	}()
	f(&s.decisions)
}
