package ums

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// # Work without a context
//
// In a scheduler without policy and observer, no code reads the context of work that has
// not begun. So its ready queue is a queue of work, and a worker is made when a thread picks the
// work. A burst then keeps 32 bytes in memory for each work item, instead of a context.
//
// A worker whose work has ended on its thread is as good as a new one if it has never
// left that thread. Then it runs the next work itself: no context is made, none is
// deleted, and the thread decides without leaving the worker. For short work these three
// steps would take most of the time.
//
// Workers that have left their threads wait in the same queue, so that whatever became
// ready first runs first. When they are put there, the inbox is emptied before them, since
// its work arrived earlier.

// entry is ready to run: a worker, or work for which no worker was made yet.
type entry struct {
	worker *Worker // nil: none was made
	work   schedulers.Work
	class  *Class // the class that the work was submitted to; nil: none
}

// entryQueue holds the ready entries, in the order in which they became ready. It is a list of
// blocks, because a growing slice would copy a burst again and again, under the lock.
type entryQueue struct {
	first, last *block
	next, end   int    // indexes of the first entry, in first, and behind the last, in last
	spare       *block // an empty block for reuse, or nil
	n           int
}

type block struct {
	entries [62]entry // with after, this fills a size class of the allocator
	after   *block
}

func (q *entryQueue) push(e entry) {
	if q.last == nil || q.end == len(q.last.entries) {
		q.extend()
	}
	q.last.entries[q.end] = e
	q.end++
	q.n++
}

func (q *entryQueue) extend() {
	b := q.spare
	q.spare = nil
	if b == nil {
		b = new(block)
	}
	if q.last == nil {
		q.first, q.next = b, 0
	} else {
		q.last.after = b
	}
	q.last, q.end = b, 0
}

// pop removes and returns the first entry; there must be one.
func (q *entryQueue) pop() entry {
	b := q.first
	e := b.entries[q.next]
	b.entries[q.next] = entry{} // otherwise the queue would keep it alive
	q.next++
	q.n--
	switch {
	case q.n == 0:
		q.next, q.end = 0, 0 // of the same block
	case q.next == len(b.entries):
		q.first, q.next = b.after, 0
		b.after, q.spare = nil, b
	}
	return e
}

// forEach calls f for each entry, the first one first.
func (q *entryQueue) forEach(f func(*entry)) {
	i := q.next
	for b := q.first; b != nil; b, i = b.after, 0 {
		end := len(b.entries)
		if b == q.last {
			end = q.end
		}
		for ; i < end; i++ {
			f(&b.entries[i])
		}
	}
}

// appendAll moves everything of r to the end of q.
func (q *entryQueue) appendAll(r *entryQueue) {
	switch {
	case r.n == 0:
	case q.n == 0:
		*q, *r = *r, *q
	default:
		for r.n > 0 {
			q.push(r.pop())
		}
	}
}

// inbox receives work that has no worker yet. It has its own lock, so that submitters
// seldom wait for threads: a thread takes the whole inbox at once.
type inbox struct {
	mu       sync.Mutex
	queue    entryQueue
	nonEmpty atomic.Bool // the queue is not empty; written under mu
}

// enqueue puts work into the inbox, and wakes a thread.
func (s *Scheduler) enqueue(e entry) {
	i := &s.inbox
	i.mu.Lock()
	i.queue.push(e)
	if !i.nonEmpty.Load() {
		i.nonEmpty.Store(true)
	}
	i.mu.Unlock()
	if s.idle.Load() > 0 {
		s.wakeThread()
	}
}

// wakeThread makes one more thread search for work.
func (s *Scheduler) wakeThread() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// emptyInbox moves the inbox to the queue. The list's lock is held.
func (s *Scheduler) emptyInbox() {
	i := &s.inbox
	if !i.nonEmpty.Load() {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	s.queue.appendAll(&i.queue)
	i.nonEmpty.Store(false)
}

// collect puts the workers of the list into the queue and cleans up those that have
// terminated. The list's lock is held.
func (s *Scheduler) collect() {
	l := s.list
	if len(l.items) == 0 {
		return
	}
	s.emptyInbox() // the work there arrived earlier
	for _, w := range l.items {
		w.listed = false
		if w.state == Terminated {
			w.delete()
		} else {
			s.queue.push(entry{worker: w})
		}
	}
	l.items = clearForReuse(l.items)
}

// initWorker makes w the worker of an entry that has none.
func (s *Scheduler) initWorker(w *Worker, e entry) {
	w.list, w.fn, w.scheduler, w.home = s.list, runWork, s, s.homeOf(e)
	w.setWork(e)
}

// homeOf returns the scheduler that the work of an entry sees.
func (s *Scheduler) homeOf(e entry) schedulers.Scheduler {
	if e.class != nil {
		return e.class
	}
	return s
}

// setWork gives w the work of an entry, whose home is that of w.
func (w *Worker) setWork(e entry) {
	w.work, w.user = e.work, nil
	if e.class != nil {
		w.user = e.class.user
	}
}

// workSeries is a scheduler's worker on the goroutine of a thread: its work, and the work that
// it runs after that. One entry of [schedulers.RunOn] is enough for all of it.
type workSeries Worker

// Run implements [schedulers.Work].
func (r *workSeries) Run(schedulers.Worker) {
	w := (*Worker)(r)
	for w.fn(w); w.takeNext(); {
		w.fn(w)
	}
}

// Abandon implements [schedulers.Work].
func (r *workSeries) Abandon(error) {}

// takeNext gives w, whose work has ended, the next work, if that has no worker yet and w is as
// good as a new worker: it has never left its thread, and is not held. A context that
// outlives its work may then name a worker that runs other work, as with the pool; see "A
// context given to another goroutine". Code with such a context reads the worker's
// scheduler without a lock, so the next work must belong to the same scheduler or class.
func (w *Worker) takeNext() bool {
	s := w.scheduler
	if s == nil || !s.plain {
		return false
	}
	more, ok := s.takeNextFor(w)
	if more {
		s.wakeThread()
		s.watchIfBusy()
	}
	return ok
}

// takeNextFor is the part of takeNext under the list's lock. It also reports whether more work is
// left for another thread.
func (s *Scheduler) takeNextFor(w *Worker) (more, ok bool) {
	l := s.list
	l.mu.Lock()
	defer l.mu.Unlock()
	if !w.hosted || w.listed || w.holds > 0 || w.markedCalls > 0 || w.wake != nil || len(l.items) > 0 {
		return false, false
	}
	if s.queue.n == 0 {
		s.emptyInbox()
	}
	if s.queue.n == 0 {
		return false, false
	}
	if e := s.queue.first.entries[s.queue.next]; e.worker != nil || s.homeOf(e) != w.home {
		return false, false
	}
	w.setWork(s.queue.pop())
	w.count.executed++
	more = s.queue.n > 0 || s.inbox.nonEmpty.Load()
	s.setHasReady(more)
	return more, true
}

// registerAll makes workers for all work in the queue, for a caller that lists contexts.
func (s *Scheduler) registerAll() {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	s.emptyInbox()
	s.queue.forEach(func(e *entry) {
		if e.worker == nil {
			w := new(Worker)
			s.initWorker(w, *e)
			s.list.link(w)
			*e = entry{worker: w}
		}
	})
}

// queuedWork returns the work in the queue that has not begun, the oldest first.
func (s *Scheduler) queuedWork() (all []schedulers.Work) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	s.emptyInbox()
	s.queue.forEach(func(e *entry) {
		switch {
		case e.worker == nil:
			all = append(all, e.work)
		case e.worker.state == Created:
			all = append(all, e.worker.work)
		}
	})
	return all
}
