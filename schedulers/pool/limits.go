package pool

import "runtime"

// bounds returns the limits for minWorkers and maxWorkers, as documented at [Workers].
func bounds(minWorkers, maxWorkers int) (int, int) {
	if minWorkers < 1 {
		minWorkers = runtime.GOMAXPROCS(0)
	}
	if maxWorkers < 1 {
		maxWorkers = DefaultMax
	}
	return minWorkers, max(minWorkers, maxWorkers)
}

// SetWorkers changes the bounds of the option [Workers] while the pool runs; numbers
// below 1 mean the same as there. More workers start as soon as there is work for them. A
// surplus worker ends instead of taking more work from the shared queues, at the latest
// after 61 work items of its own queue; the rest of that queue moves to the global one.
// Workers added for a stall stay. It does not block.
func (p *Pool) SetWorkers(minWorkers, maxWorkers int) {
	minWorkers, maxWorkers = bounds(minWorkers, maxWorkers)
	p.mu.Lock()
	defer p.mu.Unlock()
	added := p.capacity.limit - p.capacity.goal // because of stalls
	p.min, p.max = minWorkers, maxWorkers
	p.capacity.goal = minWorkers
	if p.climb != nil {
		p.capacity.goal = p.climb.confine(minWorkers, maxWorkers)
	}
	p.capacity.limit = min(p.capacity.goal+added, maxWorkers)
	p.setWaiting(min(p.capacity.waiting, maxWorkers-p.capacity.limit))
	p.dispatch()
}

// WorkerLimits returns how many workers the pool runs as soon as there is work for them
// (minWorkers), how many it may grow to (maxWorkers), and how many it would run now. The last
// number is between the other two if work has stalled or hill climbing has found a better
// number.
func (p *Pool) WorkerLimits() (minWorkers, maxWorkers, now int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.min, p.max, p.capacity.limit
}
