package pool

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/schedulers"
)

// Shutdown refuses all further work with [schedulers.ErrShutdown] (work submitted
// by work that still runs, too, and resumed work, too), lets everything run that
// is queued, and returns nil when the last work has ended, long-running work
// included. If ctx ends first, what is still queued is abandoned with ErrShutdown and
// the cause of ctx is returned; running work goes on.
//
// Shutdown blocks, and must therefore not be called by work of this pool with a
// ctx that never ends. It may be called any number of times, at the same time
// too: each call waits for the same end. A nil ctx never ends. Timers are not
// affected: they expire as before, and what they submit is refused.
func (p *Pool) Shutdown(ctx context.Context) error {
	return ending.Await(ctx, p.close(), func() { ending.Abandon(p.takeQueued()) })
}

// close shuts all queues. A queue is shut under its own lock, which is the lock under which
// work is accepted: so when close returns, no work will be accepted any more.
func (p *Pool) close() (done <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done, first := p.ending.Begin()
	if first {
		p.closed.Store(true)
		p.inbox.close()
		p.call()
		for _, w := range p.slots.all {
			w.setOpen(false)
		}
		if p.bound != nil {
			p.bound.refuseWaiting(p)
		}
		p.finish()
	}
	return done
}

// finish closes done if nothing is left; mu is held. Work that is queued while no
// goroutine is alive is left: its poster is on the way to start a worker.
func (p *Pool) finish() {
	if !p.ending.Begun() || p.ending.Reached() || p.count.alive > 0 || p.anyQueued() {
		return
	}
	for _, t := range []*time.Timer{p.stall.timer, p.replacement.timer, p.brisk.timer} {
		if t != nil {
			t.Stop()
		}
	}
	if p.climbing != nil {
		p.climbing.stop()
	}
	p.ending.Reach()
}

func (p *Pool) takeQueued() []schedulers.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []schedulers.Work
	p.inbox.empty(&p.global)
	for w := p.global.PopFront(); w != nil; w = p.global.PopFront() {
		all = append(all, w)
	}
	for _, from := range p.slots.all {
		for w := from.popOldest(); w != nil; w = from.popOldest() {
			all = append(all, w)
		}
	}
	p.count.abandoned += uint64(len(all))
	p.finish()
	return all
}
