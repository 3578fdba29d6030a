package pool

import "runtime"

// bounds returns the limits for least and most, as documented at [Workers].
func bounds(least, most int) (int, int) {
	if least < 1 {
		least = runtime.GOMAXPROCS(0)
	}
	if most < 1 {
		most = DefaultMax
	}
	return least, max(least, most)
}

// SetWorkers changes the bounds of the option [Workers] while the pool runs; numbers
// below 1 mean the same as there. More workers start as soon as there is work for them. A
// surplus worker ends instead of taking more work from the shared queues, at the latest
// after 61 work items of its own queue; the rest of that queue moves to the global one.
// Workers added for a stall stay. It does not block.
func (p *Pool) SetWorkers(least, most int) {
	least, most = bounds(least, most)
	p.mu.Lock()
	defer p.mu.Unlock()
	added := p.capacity.limit - p.capacity.goal // because of stalls
	p.min, p.max = least, most
	p.capacity.goal = least
	if p.climbing != nil {
		p.capacity.goal = p.climbing.confine(least, most)
	}
	p.capacity.limit = min(p.capacity.goal+added, most)
	p.setWaiting(min(p.capacity.waiting, most-p.capacity.limit))
	p.dispatch()
}

// WorkerLimits returns how many workers the pool runs as soon as there is work for them
// (least), how many it may grow to (most), and how many it would run now. The last number
// is between the other two if work has stalled or hill climbing has found a better number.
func (p *Pool) WorkerLimits() (least, most, now int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.min, p.max, p.capacity.limit
}
