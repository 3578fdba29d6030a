package roundrobin

import (
	"container/list"
	"context"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Queue is one batch of work, and a scheduler itself: work begins in the order of
// submission. Make one with [Scheduler.CreateQueue]. All methods are safe for
// concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers,
// Snapshotter, Limiter (the limit of the scheduler beneath) and Meter, and its workers
// implement HomeBlocker and Pumper.
type Queue struct {
	*clock
	scheduler *Scheduler
	name      string
	tally     tally.Tally
	place     *list.Element // in of.queues; under of.mu

	items shim.WorkQueue // in the ring if it is listed

	weight int // constant; beside what the ring's users need with it
	// Guarded by the ring's lock.
	taken         uint64 // out of items, to run or to be abandoned
	before, after *Queue // nil unless q is in the ring
}

// QueueOption configures a queue that is being made.
type QueueOption func(*Queue)

// Name names the queue, for logs. The default is "queue".
func Name(name string) QueueOption { return func(q *Queue) { q.name = name } }

// Weight sets the number of items that the queue may run in each of its turns: a queue
// of weight 3 gets three times the share of one of weight 1, which is the default. An n
// below 1 means 1.
func Weight(n int) QueueOption { return func(q *Queue) { q.weight = max(1, n) } }

// Name returns the name given by the option [Name].
func (q *Queue) Name() string { return q.name }

// Weight returns the number of items that the queue may run in each of its turns.
func (q *Queue) Weight() int { return q.weight }

// Submit adds w to the queue, or refuses it: with [schedulers.ErrShutdown] after Close
// or Shutdown, with [schedulers.ErrRejected] if w is nil, and with the error of the
// scheduler beneath if that refuses. It blocks only if Submit of that scheduler does.
// Of the hint, only the flags other than LongRunning are passed on.
func (q *Queue) Submit(w schedulers.Work, from schedulers.Hint) error {
	err := q.tally.Enter("roundrobin", q, w)
	if err == nil {
		err = q.scheduler.tickets.Submit(q, w, from)
	}
	if err != nil {
		q.scheduler.refused.Add(1)
	}
	return err
}

// put adds w to the queue, and the queue to the ring if w is its first item.
func (q *Queue) put(w schedulers.Work) (number uint64) {
	number, listed := q.items.PushListed(w, nil)
	if listed {
		return number
	}
	r := &q.scheduler.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	number, first := q.items.Push(w, nil)
	if first {
		r.insert(q)
	}
	return number
}

// remove implements the policy's Remove for work of q.
func (q *Queue) remove(number uint64) schedulers.Work {
	r := &q.scheduler.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.removeFrom(q, number)
	if w != nil {
		q.taken++
	}
	return w
}

// withdraw implements the policy's Withdraw for work of q.
func (q *Queue) withdraw(number uint64) (w schedulers.Work, surplus bool) {
	r := &q.scheduler.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	if w = r.removeFrom(q, number); w == nil {
		return nil, r.surplus.Use()
	}
	return w, false
}

// countTaken is called by the tally.
func (q *Queue) countTaken() uint64 {
	q.scheduler.ring.mu.Lock()
	defer q.scheduler.ring.mu.Unlock()
	return q.taken
}

// Close refuses all further work. Work that was accepted before still runs; then the
// queue is removed. Close does not block. Closing again does nothing.
func (q *Queue) Close() { q.tally.Close() }

// Done closes the queue and returns a channel that is closed when its last work has
// ended. (The channel of an open queue would never be closed.)
func (q *Queue) Done() <-chan struct{} { return q.tally.Close() }

// Shutdown closes the queue and returns nil when its last work has ended. If ctx ends
// first, work that is still in the queue is abandoned with [schedulers.ErrShutdown] and
// the cause of ctx is returned. It blocks, and may be called any number of times, also
// concurrently. A nil ctx never ends.
func (q *Queue) Shutdown(ctx context.Context) error {
	return q.tally.Shutdown(ctx, q.giveUp)
}

func (q *Queue) giveUp() {
	for _, w := range q.empty() {
		q.tally.Abandon(q, w, schedulers.ErrShutdown)
	}
}

// empty takes all items out of the queue, and the queue out of the ring.
func (q *Queue) empty() []schedulers.Work {
	r := &q.scheduler.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []schedulers.Work
	for w := q.items.Pop(); w != nil; w = q.items.Pop() {
		all = append(all, w)
	}
	q.taken += uint64(len(all))
	r.surplus += shim.Surplus(len(all))
	if len(all) > 0 {
		r.remove(q)
	}
	return all
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (q *Queue) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return q.scheduler.tickets.MayRunInPlace(w, caller)
}

// Beneath implements [schedulers.Layered]: it returns the scheduler beneath all queues.
func (q *Queue) Beneath() schedulers.Scheduler { return q.scheduler.tickets.Beneath }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (q *Queue) MaxConcurrency() int { return shim.MaxConcurrency(q.scheduler.tickets.Beneath) }

// Metrics implements [schedulers.Meter] for this queue.
func (q *Queue) Metrics() schedulers.Metrics { return q.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (q *Queue) Snapshot() []schedulers.Work {
	q.scheduler.ring.mu.Lock()
	defer q.scheduler.ring.mu.Unlock()
	var all []schedulers.Work
	for _, w := range q.items.All() {
		all = append(all, w)
	}
	return all
}
