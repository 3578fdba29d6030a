package pool

import (
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// brisk sees to it that two machines which take turns do so on one worker. Beside on, it is guarded by Pool.mu.
//
// # The difficulty
//
// A machine that sends to another one makes it ready, and waits for the answer a moment later. The one that is ready lies alone
// in the local queue of the worker that is about to be free for it. Starting a worker for it costs more than that moment, and
// what is worse, the new worker may be in time: it steals the machine, the first worker finds nothing and ends, and with each
// message the two change their processor. A round trip took 389 ns so, with 235 on a pool of one worker.
//
// But nobody knows whether the worker is about to be free. If it computes on for a second, the machine waits for a second beside
// a processor that has nothing to do.
//
// # What can be known
//
// Where works have been short for a whole interval, the next one will likely be. So for as long as they are, no worker is started
// for a single machine that its worker has just made ready. A timer looks again after each interval, and starts one if works have become
// long; this is what bounds the mistake. Work that is new (a job that was just started) is never treated so: it
// may be the half of a division, and a second worker is what it was made for.
//
// # Why nothing is lost
//
// Not to start a worker breaks the invariant of idle.go, for at most an interval:
//
//	poster                                  timer, under mu
//	 1. push, under the queue's lock         1. on = false
//	 2. read on: leave it                    2. settle, which looks into every queue
//
// If the poster read true, its push comes before the timer's look, by the same argument as for hungry; and while on is true,
// the timer runs. What happens without it stays as it was: the worker that pushed takes the machine when its work ends; a worker
// that is going to block says so, and settle is called.
type brisk struct {
	on    atomic.Bool
	timer *time.Timer
	armed bool
	last  uint64 // progress at the last look
}

const (
	briskPause = time.Millisecond
	// briskWork is what works take at most, on the average, for which this pays: less than a thread takes to wake up.
	briskWork = 2 * time.Microsecond
)

// alone reports whether a machine that was made ready by its worker, whose queue was empty, may be left to it.
func (b *brisk) alone(lone bool, hint schedulers.Hint) bool {
	return lone && b.on.Load() && hint.Flags.Has(schedulers.Resumed)
}

// watch has a look taken after an interval; mu is held.
func (b *brisk) watch(p *Pool) {
	if b.armed {
		return
	}
	b.armed, b.last = true, p.progress()
	if b.timer == nil {
		b.timer = time.AfterFunc(briskPause, p.onBrisk)
		return
	}
	b.timer.Reset(briskPause)
}

// onBrisk is called when an interval has passed.
func (p *Pool) onBrisk() {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.brisk
	b.armed = false
	works := (p.progress() - b.last) / 2 // it counts beginnings and ends
	if p.ending.Begun() || works*uint64(briskWork) < uint64(briskPause) {
		b.on.Store(false) // before looking: who posts behind our look has to see it
		p.settle()
		return
	}
	b.on.Store(true)
	b.watch(p)
}
