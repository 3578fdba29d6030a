package pool

import (
	"context"

	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// Shutdown refuses all further work with [schedulers.ErrShutdown], including resumed
// work and work submitted by running work. It runs everything that is queued, and
// returns nil when the last work has ended, long-running work included. If ctx ends
// first, it abandons the work that is still queued with ErrShutdown and returns the cause
// of ctx; running work continues.
//
// Shutdown blocks, so work of this pool must not call it with a ctx that never ends. It
// may be called any number of times, also concurrently: each call waits for the same
// end. A nil ctx never ends. Timers are not affected: they expire as before, and the work
// that they submit is refused.
func (p *Pool) Shutdown(ctx context.Context) error {
	return shutdown.Await(ctx, p.close(), func() { shutdown.Abandon(p, p.takeQueued()) })
}

// close closes all queues. A queue accepts work under its own lock and is closed
// under the same lock, so after close returns no work is accepted.
func (p *Pool) close() (done <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done, first := p.shutdown.Begin()
	if first {
		p.closed.Store(true)
		p.inbox.close()
		p.setCheckGlobal()
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

// finish closes done if nothing is left; mu is held. Queued work counts as left even if
// no goroutine is alive: its poster is about to start a worker.
func (p *Pool) finish() {
	if !p.shutdown.Begun() || p.shutdown.Finished() || p.count.alive > 0 || p.anyQueued() {
		return
	}
	p.stall.Stop()
	p.replacement.Stop()
	p.pingPong.Stop()
	if p.climb != nil {
		p.climb.stop()
	}
	p.shutdown.Finish()
}

func (p *Pool) takeQueued() []schedulers.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []schedulers.Work
	p.inbox.moveTo(&p.global)
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
