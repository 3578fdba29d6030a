package main

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/schedulers"
)

// dealer implements work sharing: each processor has a queue, new work goes to the processor with
// the shortest queue, and no processor takes work from another's queue. It exists for comparison.
type dealer struct {
	processors []*dealt
	migrated   atomic.Uint64
}

// dealt is a processor of a dealer.
type dealt struct {
	of   *dealer
	id   int
	load atomic.Int64 // queued and running

	mu    sync.Mutex
	came  sync.Cond
	queue deque.Deque
	shut  bool
	ended sync.WaitGroup
}

func newDealer(processors int) *dealer {
	d := &dealer{}
	for i := range processors {
		p := &dealt{of: d, id: i + 1}
		p.came.L = &p.mu
		d.processors = append(d.processors, p)
	}
	for _, p := range d.processors {
		p.ended.Go(p.run)
	}
	return d
}

// Scheduler implements [schedulers.Worker].
func (p *dealt) Scheduler() schedulers.Scheduler { return p.of }

// ID implements [schedulers.Worker].
func (p *dealt) ID() int { return p.id }

// Submit gives w to the least loaded processor; among equals, to the submitter's own.
func (d *dealer) Submit(w schedulers.Work, from schedulers.Hint) error {
	own, _ := from.From.(*dealt)
	least := own
	if least == nil {
		least = d.processors[0]
	}
	for _, p := range d.processors {
		if p.load.Load() < least.load.Load() {
			least = p
		}
	}
	if own != nil && least != own {
		d.migrated.Add(1)
	}
	return least.push(w)
}

func (p *dealt) push(w schedulers.Work) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return fmt.Errorf("experiments: %w", schedulers.ErrShutdown)
	}
	p.load.Add(1)
	p.queue.PushBack(w)
	p.came.Signal()
	return nil
}

func (p *dealt) run() {
	for w := p.next(); w != nil; w = p.next() {
		w.Run(p)
		p.load.Add(-1)
	}
}

func (p *dealt) next() schedulers.Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queue.Len() == 0 && !p.shut {
		p.came.Wait()
	}
	return p.queue.PopFront()
}

// stop ends the processors and abandons what is queued.
func (d *dealer) stop() {
	for _, p := range d.processors {
		p.mu.Lock()
		p.shut = true
		left := p.queue.AppendTo(nil)
		p.queue = deque.Deque{}
		p.came.Signal()
		p.mu.Unlock()
		ending.Abandon(nil, left)
		p.ended.Wait()
	}
}
