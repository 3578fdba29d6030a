package job

import (
	"sync"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// lane is a scheduler that runs each work item on a goroutine of its own, and no more than
// a given number at a time.
//
// It is tempting to use a pool. But the whole process shares a lane, and in tests
// synctest bubbles share it with the world outside. A worker that was started in a
// bubble and takes work from outside would run it on the bubble's clock, and break on
// its channels. Here work runs in the bubble of its submitter; or, if it had to wait
// for a slot, in the bubble of the work whose slot it gets. And the lane has no
// timer, which would belong to the bubble that first set it. Work that blocks does not
// notice the few hundred nanoseconds that a goroutine takes to start.
type lane struct {
	mu    sync.Mutex
	slots int
	taken int
	queue []schedulers.Work // waits for a slot; the oldest first

	submitted, completed, panicked uint64

	full   schedulers.Hook[schedulers.Metrics]
	warned bool // of this time that the lane is full
}

// Submit implements schedulers.Scheduler.
func (l *lane) Submit(w schedulers.Work, _ schedulers.Hint) error {
	l.mu.Lock()
	l.submitted++
	if l.taken < l.slots {
		l.taken++
		l.mu.Unlock()
		go l.run(w)
		return nil
	}
	l.queue = append(l.queue, w)
	warn := !l.warned
	l.warned = true
	m, full := l.metrics(), l.full
	l.mu.Unlock()
	if warn {
		full.Call(m)
	}
	return nil
}

func (l *lane) run(w schedulers.Work) { runloop.Once(w, nil, l.ended) }

// ended gives a slot to the next. It is called though work panics, or exits.
func (l *lane) ended(panicked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.completed++
	if panicked {
		l.panicked++
	}
	l.admit()
}

// admit starts what waits, as long as there are slots; mu is held.
func (l *lane) admit() {
	for len(l.queue) > 0 && l.taken < l.slots {
		w := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.taken++
		go l.run(w)
	}
	if len(l.queue) == 0 {
		l.warned = false
	}
}

// resize changes the slots and returns how many there were. Slots that are taken stay
// so.
func (l *lane) resize(slots int) (before int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, l.slots = l.slots, slots
	l.admit()
	return before
}

// tell sets what is called when the lane becomes full.
func (l *lane) tell(h schedulers.Hook[schedulers.Metrics]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = h
}

// metrics are the numbers of this moment; mu is held.
func (l *lane) metrics() schedulers.Metrics {
	return schedulers.Metrics{
		Submitted: l.submitted, Completed: l.completed, Panicked: l.panicked,
		Queued: uint64(len(l.queue)), Running: uint64(l.taken), Workers: uint64(l.taken),
	}
}

// Metrics implements schedulers.Meter.
func (l *lane) Metrics() schedulers.Metrics {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.metrics()
}
