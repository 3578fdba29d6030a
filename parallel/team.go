package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// team is the operation of one [Run]: a caller that forks, and helpers that take forks.
type team struct {
	operation
	group *helperGroup // nil: no helpers

	workers []atomic.Pointer[Worker] // by seat; made when the seat is first taken
	mu      sync.Mutex               // guards seating
	over    atomic.Bool              // the body has returned: nothing is left to take

	_ [64]byte // demand is read at each fork

	// demand is the number of forks that each worker should have on offer: one for each
	// member of the team that is idle or has not joined yet, and one more, so that the
	// next member to become idle need not wait for a fork. It is zero in a team of one.
	demand atomic.Int32

	_ [60]byte
}

// assemble returns the worker of the caller.
func (t *team) assemble(s settings) *Worker {
	helpers := s.helpers(t.home.Scheduler, t.caller)
	t.workers = make([]atomic.Pointer[Worker], helpers+1)
	if helpers > 0 {
		t.demand.Store(int32(helpers) + 1)
		t.group = closedGroup(t.home.Scheduler)
		t.group.open(t.home.Scheduler, t.caller, helpers, t)
	}
	return t.takeSeat(t.caller)
}

// carryOut runs the body. When it returns, or when the caller's goroutine exits,
// everything that was forked has ended.
func (t *team) carryOut(w *Worker, body func() error) error {
	defer t.end()
	defer t.disband()
	return w.root(body)
}

// disband dismisses the helpers and makes the workers unusable: a user may still
// hold one.
func (t *team) disband() {
	t.over.Store(true)
	if t.group != nil {
		t.group.dismiss()
	}
	for i := range t.workers {
		if w := t.workers[i].Load(); w != nil {
			w.invalidate()
		}
	}
}

// help implements effort: a helper takes forks until it finds none.
func (t *team) help(on schedulers.Worker) {
	t.label()
	defer t.unlabel()
	w := t.takeSeat(on)
	defer t.leaveSeat(w)
	for misses := 0; misses < spins && !t.over.Load(); misses++ {
		f := t.take(w)
		if f == nil {
			runtime.Gosched()
			continue
		}
		misses = -1
		t.group.invite()
		w.serve(f)
	}
}

// hasWork implements effort.
func (t *team) hasWork() bool {
	if t.over.Load() {
		return false
	}
	for i := range t.workers {
		if w := t.workers[i].Load(); w != nil && w.offers.count.Load() > 0 {
			return true
		}
	}
	return false
}

// take takes the oldest offered fork, or returns nil.
func (t *team) take(w *Worker) anyFork {
	n := len(t.workers)
	for range n {
		if v := t.workers[w.victim].Load(); v != nil && v != w && v.offers.count.Load() > 0 {
			if f := v.offers.takeOldest(w); f != nil {
				return f
			}
		}
		w.victim = (w.victim + 1) % n
	}
	return nil
}

// takeSeat returns the worker of a free seat. There are as many seats as members.
func (t *team) takeSeat(on schedulers.Worker) *Worker {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := 0
	w := t.workers[i].Load()
	for w != nil && w.taken {
		i++
		w = t.workers[i].Load()
	}
	if w == nil {
		w = &Worker{team: t}
		t.workers[i].Store(w)
	}
	w.taken, w.on, w.ctx = true, on, nil
	return w
}

func (t *team) leaveSeat(w *Worker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.taken = false
}
