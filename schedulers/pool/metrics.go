package pool

import "github.com/movenext/movenext/schedulers"

// Metrics returns the pool's counters. It adds up the counts of all queues and workers, so
// its cost is proportional to the number of workers.
func (p *Pool) Metrics() schedulers.Metrics {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := schedulers.Metrics{
		Submitted: p.count.accepted + p.slots.accepted,
		Refused:   p.refused.Load(),
		Completed: p.count.apartDone + p.count.reclaimed + p.slots.completed,
		Abandoned: p.count.abandoned,
		Panicked:  p.count.apartPanicked + p.slots.panicked,
		Queued:    uint64(p.global.Len()),
		Running:   p.count.apart,
		Workers:   uint64(p.capacity.running),
		Stolen:    p.slots.stolen,
	}
	p.inbox.addTo(&m)
	for _, w := range p.slots.all {
		w.addTo(&m)
	}
	return m
}

func (w *worker) addTo(m *schedulers.Metrics) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.Submitted += w.accepted + w.loop.Repeated()
	m.Queued += uint64(w.local.Len())
	m.Completed += w.countCompleted()
	m.Panicked += w.loop.Panicked()
	m.Stolen += w.stolen
	if w.loop.Busy() {
		m.Running++
	}
}

// Snapshot returns the queued work: the global queue in its order, then the local
// queues, each oldest first.
func (p *Pool) Snapshot() []schedulers.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox.moveTo(&p.global)
	all := p.global.AppendTo(nil)
	for _, w := range p.slots.all {
		w.mu.Lock()
		all = w.local.AppendTo(all)
		w.mu.Unlock()
	}
	return all
}
