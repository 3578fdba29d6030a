package pool

import "runtime"

// bounds are the limits that least and most stand for, as [Workers] documents them.
func bounds(least, most int) (int, int) {
	if least < 1 {
		least = runtime.GOMAXPROCS(0)
	}
	if most < 1 {
		most = DefaultMax
	}
	return least, max(least, most)
}

// SetWorkers changes, while the pool runs, what the option [Workers] has set: numbers below 1 mean the
// same as there. More workers start as soon as there is work for them. Fewer come about as work ends: a worker that is one too many
// ends instead of taking more from the queues that are for all, and at the latest after 61 works of its own
// queue, which then become everybody's. Workers that a stall has added stay added. It does not block.
func (p *Pool) SetWorkers(least, most int) {
	least, most = bounds(least, most)
	p.mu.Lock()
	defer p.mu.Unlock()
	added := p.room.limit - p.room.goal // for stalls
	p.min, p.max = least, most
	p.room.goal = least
	if p.climbing != nil {
		p.room.goal = p.climbing.confine(least, most)
	}
	p.room.limit = min(p.room.goal+added, most)
	p.setWaiting(min(p.room.waiting, most-p.room.limit))
	p.settle()
}

// WorkerLimits returns how many workers the pool runs as soon as there is work for them, to how many it may grow, and
// how many it would run now: between the two, if work has stalled, or if hill climbing has found a better number.
func (p *Pool) WorkerLimits() (least, most, now int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.min, p.max, p.room.limit
}
