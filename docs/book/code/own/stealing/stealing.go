// Package stealing is step 6 of "Build your own": a queue for each worker, and workers that take
// half of another one's queue when their own is empty.
package stealing

import (
	"sync"
	"sync/atomic"
)

// Work receives the worker that runs it, so that it can start more work there.
type Work func(on *Worker)

// Pool runs work on several workers. Make one with [New]. An idle one holds no goroutine.
type Pool struct {
	workers []*Worker
	outside queue
	thefts  atomic.Int64

	mu   sync.Mutex
	free []*Worker // guarded by mu: those that have no goroutine
}

// Worker has a queue of its own, and a goroutine while there is work.
type Worker struct {
	pool *Pool
	own  queue
}

// New returns a pool with so many workers, at least one.
func New(workers int) *Pool {
	p := new(Pool)
	for range max(1, workers) {
		p.workers = append(p.workers, &Worker{pool: p})
	}
	p.free = append(p.free, p.workers...)
	return p
}

// Start queues work from outside, in order of arrival. It does not block, and is safe for
// concurrent use.
func (p *Pool) Start(work Work) {
	p.outside.put(work) // 1
	p.wake()            // 2
}

// Thefts returns how often a worker has taken work from another one. It is safe for
// concurrent use.
func (p *Pool) Thefts() int64 { return p.thefts.Load() }

// Start queues work on this worker, which runs its newest first. It does not block, and is safe
// for concurrent use.
func (w *Worker) Start(work Work) {
	w.own.put(work) // 1
	w.pool.wake()   // 2
}

// wake gives a free worker a goroutine.
func (p *Pool) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		w := p.free[last]
		p.free = p.free[:last]
		go w.run()
	}
}

// run ends when there is no work. No work is lost between the last look and the end: either
// the submitter's step 2 comes after step A, and finds a free worker, or its step 1 comes
// before step A, and step B finds the work.
func (w *Worker) run() {
	for work := w.find(); work != nil; work = w.find() {
		work(w)
	}
	w.pool.mu.Lock()
	w.pool.free = append(w.pool.free, w) // A
	w.pool.mu.Unlock()
	if w.pool.queued() { // B
		w.pool.wake()
	}
}

// find checks the worker's own queue, then the queue from outside, then those of the other
// workers.
func (w *Worker) find() Work {
	if work := w.own.newest(); work != nil {
		return work
	}
	if work := w.pool.outside.oldest(); work != nil {
		return work
	}
	for _, victim := range w.pool.workers {
		if loot := victim.own.half(); len(loot) > 0 { // nothing, if the victim is w
			w.pool.thefts.Add(1)
			w.own.put(loot[1:]...)
			return loot[0]
		}
	}
	return nil
}

func (p *Pool) queued() bool {
	for _, w := range p.workers {
		if w.own.len() > 0 {
			return true
		}
	}
	return p.outside.len() > 0
}

// queue is a list of work, the oldest first. Each method is safe for concurrent use.
type queue struct {
	mu   sync.Mutex
	work []Work
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.work)
}

func (q *queue) put(work ...Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work = append(q.work, work...)
}

func (q *queue) newest() (work Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := len(q.work) - 1; last >= 0 {
		work, q.work = q.work[last], q.work[:last]
	}
	return work
}

func (q *queue) oldest() (work Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.work) > 0 {
		work, q.work = q.work[0], q.work[1:]
	}
	return work
}

// half takes out the older half, rounded up.
func (q *queue) half() (loot []Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := (len(q.work) + 1) / 2
	loot = append(loot, q.work[:n]...)
	q.work = q.work[n:]
	return loot
}
