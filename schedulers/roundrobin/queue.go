package roundrobin

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
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
	of     *Scheduler
	name   string
	weight int
	tally  tally.Tally
	place  *list.Element // in of.queues; under of.mu

	mu    sync.Mutex
	items deque.Deque // of *item

	inRing        bool   // written under the ring's lock and mu
	before, after *Queue // under the ring's lock, while inRing
}

// item is one work item of a queue, and its ticket.
type item = shim.Ticket[place]

// place says where an item belongs.
type place struct {
	queue *Queue
	put   atomic.Bool // has been put into the queue; written under the queue's lock
}

// QueueOption changes a queue that is being made.
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
		_, err = q.of.tickets.Submit(&q.tally, q, w, from, place{queue: q})
	}
	if err != nil {
		q.of.refused.Add(1)
	}
	return err
}

// put implements the policy's Put for an item of q.
func (q *Queue) put(it *item) {
	q.mu.Lock()
	if !it.Item.put.Load() {
		it.Item.put.Store(true)
		q.items.PushBack(it)
	}
	outside := !q.inRing && q.items.Len() > 0
	q.mu.Unlock()
	if outside {
		q.of.ring.enter(q)
	}
}

// takeThis takes it out of the queue, and reports whether it was there.
func (q *Queue) takeThis(it *item) bool {
	q.mu.Lock()
	found := q.items.Extract(it)
	q.mu.Unlock()
	if found {
		q.of.ring.leave(q)
	}
	return found
}

// Close refuses all further work. Work that was accepted before still runs, and then
// the queue is gone. It does not block. Closing again does nothing.
func (q *Queue) Close() { q.tally.Close() }

// Done returns a channel that is closed when the queue was closed and its last work has
// ended. It closes the queue, since the channel would never be closed otherwise.
func (q *Queue) Done() <-chan struct{} { return q.tally.Close() }

// Shutdown closes the queue and returns nil when its last work has ended. If ctx ends
// first, work that is still in the queue is abandoned with [schedulers.ErrShutdown] and
// the cause of ctx is returned. It blocks, and may be called any number of times, also
// concurrently. A nil ctx never ends.
func (q *Queue) Shutdown(ctx context.Context) error {
	return q.tally.Shutdown(ctx, q.giveUp)
}

func (q *Queue) giveUp() {
	q.mu.Lock()
	all := q.items
	q.items = deque.Deque{}
	q.mu.Unlock()
	q.of.ring.leave(q)
	for w := all.PopFront(); w != nil; w = all.PopFront() {
		w.(*item).GiveUp(schedulers.ErrShutdown)
	}
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (q *Queue) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return q.of.tickets.MayRunInPlace(w, by)
}

// Beneath implements [schedulers.Layered]: it returns the scheduler beneath all queues.
func (q *Queue) Beneath() schedulers.Scheduler { return q.of.tickets.Over }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (q *Queue) MaxConcurrency() int { return shim.MaxConcurrency(q.of.tickets.Over) }

// Metrics implements [schedulers.Meter] for this queue.
func (q *Queue) Metrics() schedulers.Metrics { return q.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (q *Queue) Snapshot() []schedulers.Work {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items.AppendTo(nil)
	for i, w := range all {
		all[i] = w.(*item).Work
	}
	return all
}
