package simulation

import "github.com/movenext/movenext/schedulers"

// task is one work item from its beginning to its end, and the worker that it sees.
type task struct {
	scheduler *Scheduler
	id        int
	actor     uint64 // see Turn; 0 without a chooser
	work      schedulers.Work
	parked    *wait // the last one, if that is not over; guarded by Scheduler.mu
}

func (s *Scheduler) newTask(t turn) *task {
	n := &task{scheduler: s, id: s.ids.Take(), work: t.what.(schedulers.Work)}
	if t.id != nil {
		n.actor = t.id.Actor
	}
	return n
}

// run runs the work, and reports whether the caller has the baton afterwards. If the
// work ends the goroutine, another one takes over the baton.
func (t *task) run() (baton bool) {
	returned := false
	defer func() {
		baton = t.end()
		if baton && !returned {
			t.scheduler.mu.Lock()
			t.scheduler.newRunner()
			t.scheduler.mu.Unlock()
		}
	}()
	t.scheduler.tally.Run(t.work, t, nil)
	returned = true
	return true
}

// end takes the baton from t and reports whether t had it. Any waits still made on
// behalf of t belong to other goroutines that have its context: they are released.
func (t *task) end() bool {
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids.Give(t.id)
	for w := t.parked; w != nil; w = w.earlier {
		w.abandon(s)
	}
	t.parked = nil
	return s.putDown(t)
}

func (w *wait) abandon(s *Scheduler) {
	switch {
	case w.over:
		return
	case w.at > 0:
		s.ready.remove(w.at)
	default:
		s.waits.remove(w)
	}
	w.over, w.abandoned = true, true
	close(w.resume)
}

// putDown takes the baton from t, if t has it; mu is held.
func (s *Scheduler) putDown(t *task) bool {
	if s.holder != t {
		return false
	}
	s.holder = nil
	return true
}

// HearPanic implements [dispatch.PanicHearer].
func (t *task) HearPanic(value any, stack []byte) {
	t.scheduler.panicked.Call(&Panic{Work: name(t.work), Value: value, Stack: stack})
}

// Scheduler implements [schedulers.Worker].
func (t *task) Scheduler() schedulers.Scheduler { return t.scheduler }

// Name implements [schedulers.Named].
func (t *task) Name() string { return name(t.work) }

// ID implements [schedulers.Worker].
func (t *task) ID() int { return t.id }
