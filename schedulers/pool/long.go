package pool

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// submitLong starts w on a goroutine of its own. That goroutine is not a worker: it has no
// queue and no ID, and the work receives a nil worker. Shutdown waits for it.
func (p *Pool) submitLong(w schedulers.Work) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutdown.Begun() {
		return p.refuse(schedulers.ErrShutdown)
	}
	p.count.accepted++
	p.count.longRunning++
	p.count.alive++
	interleave.Go(func() { runloop.Once(p, w, nil, p.endLong) })
	return nil
}

func (p *Pool) endLong(panicked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.longRunning--
	p.count.longDone++
	if panicked {
		p.count.longPanicked++
	}
	p.count.alive--
	p.finish()
}
