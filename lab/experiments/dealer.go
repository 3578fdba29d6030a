package main

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// dealer implements work sharing: each processor has a queue, new work goes to the processor with
// the shortest queue, and no processor takes work from another's queue. It exists for comparison.
type dealer struct {
	processors []*dealerWorker
	migrated   atomic.Uint64
}

// dealerWorker is a processor of a dealer.
type dealerWorker struct {
	dealer *dealer
	id     int
	load   atomic.Int64 // queued and running

	mu       sync.Mutex
	nonEmpty sync.Cond
	queue    deque.Deque
	stopped  bool
	ended    sync.WaitGroup
}

func newDealer(processors int) *dealer {
	d := &dealer{}
	for i := range processors {
		p := &dealerWorker{dealer: d, id: i + 1}
		p.nonEmpty.L = &p.mu
		d.processors = append(d.processors, p)
	}
	for _, p := range d.processors {
		p.ended.Go(p.run)
	}
	return d
}

// Scheduler implements [schedulers.Worker].
func (p *dealerWorker) Scheduler() schedulers.Scheduler { return p.dealer }

// ID implements [schedulers.Worker].
func (p *dealerWorker) ID() int { return p.id }

// Submit gives w to the least loaded processor; among equals, to the submitter's own.
func (d *dealer) Submit(w schedulers.Work, from schedulers.Hint) error {
	own, _ := from.From.(*dealerWorker)
	target := own
	if target == nil {
		target = d.processors[0]
	}
	for _, p := range d.processors {
		if p.load.Load() < target.load.Load() {
			target = p
		}
	}
	if own != nil && target != own {
		d.migrated.Add(1)
	}
	return target.push(w)
}

func (p *dealerWorker) push(w schedulers.Work) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return fmt.Errorf("experiments: %w", schedulers.ErrShutdown)
	}
	p.load.Add(1)
	p.queue.PushBack(w)
	p.nonEmpty.Signal()
	return nil
}

func (p *dealerWorker) run() {
	for w := p.next(); w != nil; w = p.next() {
		w.Run(p)
		p.load.Add(-1)
	}
}

func (p *dealerWorker) next() schedulers.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queue.Len() == 0 && !p.stopped {
		p.nonEmpty.Wait()
	}
	return p.queue.PopFront()
}

// stop ends the processors and abandons what is queued.
func (d *dealer) stop() {
	for _, p := range d.processors {
		p.mu.Lock()
		p.stopped = true
		left := p.queue.AppendTo(nil)
		p.queue = deque.Deque{}
		p.nonEmpty.Signal()
		p.mu.Unlock()
		shutdown.Abandon(nil, left)
		p.ended.Wait()
	}
}
