package workstealing

import (
	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// maxNext is how many times in a row the slot next precedes the queue. Without the limit,
// two work items that submit each other would keep all work behind them waiting.
const maxNext = 3

// runQueue is the queue of one processor: a ring, and next for the newest work. It is
// safe for concurrent use. A plain mutex (5 ns if uncontended) costs less here than the
// three sequentially consistent operations of a lock-free deque, and lets half of the
// queue move in one step.
type runQueue struct {
	order int // the locking order of several queues; constant

	mu       interleave.Mutex
	ring     [capacity]schedulers.Work
	head, n  int
	next     schedulers.Work
	inRow    int // times next was served in a row, before the ring
	open     bool
	accepted uint64

	size interleave.Int32 // n, plus one for next; for readers without the lock
}

// pushOutcome is the outcome of push.
type pushOutcome uint8

const (
	added  pushOutcome = iota
	closed             // not pushed: the queue no longer accepts work
	full               // not pushed: pushAndSpill makes room
)

// push adds w, the newest, to next, whose former content moves to the ring's end.
func (q *runQueue) push(w schedulers.Work) pushOutcome {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.open:
		return closed
	case q.n == capacity && q.next != nil:
		return full
	}
	q.add(w)
	return added
}

// pushAndSpill is push for a queue that was full: if it still is, the older half of the
// ring moves to the end of global, whose lock the caller holds. Both locks are held
// meanwhile, so that a reader of all queues always finds accepted work in one queue or the
// other. pushAndSpill returns the number of work items that it moved, and false if the
// queue is closed.
func (q *runQueue) pushAndSpill(w schedulers.Work, global *deque.Deque) (spilled int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.open {
		return 0, false
	}
	if q.n == capacity && q.next != nil {
		for ; spilled < capacity/2; spilled++ {
			global.PushBack(q.front())
		}
	}
	q.add(w)
	return spilled, true
}

func (q *runQueue) add(w schedulers.Work) {
	q.accepted++
	w, q.next = q.next, w
	if w != nil {
		q.append(w)
	}
	q.resize()
}

// append adds w to the ring's end, which must have room.
func (q *runQueue) append(w schedulers.Work) {
	q.ring[(q.head+q.n)%capacity] = w
	q.n++
}

func (q *runQueue) front() schedulers.Work {
	w := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) % capacity
	q.n--
	return w
}

// pop returns the work that the processor runs next, or nil, and whether it comes from
// next.
func (q *runQueue) pop() (w schedulers.Work, fromNext bool) {
	if q.size.Load() == 0 {
		return nil, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.resize()
	if q.next != nil && (q.inRow < maxNext || q.n == 0) {
		w, q.next = q.next, nil
		q.inRow++
		return w, true
	}
	q.inRow = 0
	if q.n == 0 {
		return nil, false
	}
	return q.front(), false
}

// stealHalf takes the older half of the ring, rounded up: the oldest is returned,
// to be run at once, and the others move to the ring of the thief. The work in
// next was most likely submitted by work that is about to end, and is left to the owner.
// A thief that has found nothing else anywhere (includeNext) takes that, too. taken is the
// total number of work items taken.
//
// Both queues are locked, in the order of their processors: with one lock at a
// time, stolen work would be in no queue for a moment, and a Shutdown that gives
// up at that moment would miss it.
func (q *runQueue) stealHalf(thief *runQueue, includeNext bool) (first schedulers.Work, taken int) {
	if q.size.Load() == 0 {
		return nil, 0
	}
	lockBoth(q, thief)
	defer q.mu.Unlock()
	defer thief.mu.Unlock()
	defer q.resize()
	if q.n == 0 {
		if includeNext && q.next != nil {
			first, q.next = q.next, nil
			return first, 1
		}
		return nil, 0
	}
	half := q.n - q.n/2
	first, taken = q.front(), 1
	// The thief's ring was empty when the thief checked it, but other goroutines may push
	// there because of a hint.
	for ; taken < half && thief.n < capacity; taken++ {
		thief.append(q.front())
	}
	thief.resize()
	return first, taken
}

func lockBoth(a, b *runQueue) {
	if b.order < a.order {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
}

// drain removes everything; q is locked.
func (q *runQueue) drain(all []schedulers.Work) []schedulers.Work {
	for q.n > 0 {
		all = append(all, q.front())
	}
	if q.next != nil {
		all = append(all, q.next)
		q.next = nil
	}
	q.resize()
	return all
}

// list appends the queued work to all, next last; q is locked.
func (q *runQueue) list(all []schedulers.Work) []schedulers.Work {
	for i := range q.n {
		all = append(all, q.ring[(q.head+i)%capacity])
	}
	if q.next != nil {
		all = append(all, q.next)
	}
	return all
}

func (q *runQueue) setOpen(open bool) {
	q.mu.Lock()
	q.open = open
	q.mu.Unlock()
}

func (q *runQueue) resize() {
	size := q.n
	if q.next != nil {
		size++
	}
	q.size.Store(int32(size))
}
