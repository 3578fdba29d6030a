package main

import (
	"errors"
	"sync"
)

// task is a function, and whether it has begun and ended.
type task struct {
	fn    func(*worker)
	begun bool // guarded by pool.mu
	ended chan struct{}
}

// pool is a small pool with one queue, the newest first. remedies determines what a wait inside
// its work does.
type pool struct {
	remedies remedies

	mu      sync.Mutex
	idle    sync.Cond
	queue   []*task
	running int // workers that have a goroutine and do not wait
	width   int // how many of them there may be
	started int // workers that were ever started
}

// remedies are the ways to handle a wait inside work.
type remedies struct {
	inPlace bool // run the awaited task on the waiter's goroutine if it has not begun
	inject  bool // let another worker run while one waits
}

// errHangs is returned by a wait that no worker could ever end.
var errHangs = errors.New("all workers wait")

func newPool(width int, r remedies) *pool {
	p := &pool{width: width, remedies: r}
	p.idle.L = &p.mu
	return p
}

// worker is the argument of a task.
type worker struct{ of *pool }

// start queues fn.
func (p *pool) start(fn func(*worker)) *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &task{fn: fn, ended: make(chan struct{})}
	p.queue = append(p.queue, t)
	p.dispatch()
	return t
}

// dispatch starts a worker if there is work and capacity; mu is held.
func (p *pool) dispatch() {
	if len(p.queue) > 0 && p.running < p.width {
		p.running++
		p.started++
		go p.work()
	}
}

// work is the goroutine of a worker. It ends when there is nothing to do, or too many workers run.
func (p *pool) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) > 0 && p.running <= p.width {
		t := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		if !t.begun {
			p.run(t, &worker{p})
		}
	}
	p.running--
	p.idle.Broadcast()
}

// run runs t; mu is held, except during the call.
func (p *pool) run(t *task, on *worker) {
	t.begun = true
	p.mu.Unlock()
	t.fn(on)
	close(t.ended)
	p.mu.Lock()
}

// wait waits for t, which may be queued in the same pool.
func (w *worker) wait(t *task) error {
	p := w.of
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.remedies.inPlace && !t.begun:
		p.run(t, w) // on top of the waiter's stack, before all others of the queue
		return nil
	case p.remedies.inject:
		p.running-- // another worker may run meanwhile
		p.dispatch()
		p.mu.Unlock()
		<-t.ended
		p.mu.Lock()
		p.running++
		return nil
	case !t.begun && p.width == 1:
		return errHangs // the waiter holds the only worker
	}
	p.mu.Unlock()
	<-t.ended
	p.mu.Lock()
	return nil
}

// drain waits until no worker runs.
func (p *pool) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running > 0 {
		p.idle.Wait()
	}
}
