package workstealing

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// capacity is how much work a processor's queue holds. Go's has the same size.
const capacity = 256

// maxNext is how often in a row the slot may go before the queue. A pair of works that
// submit each other would otherwise keep everybody behind them waiting.
const maxNext = 3

// runQueue is the queue of one processor: a ring, and a slot for the newest. It is safe for
// concurrent use. A plain mutex, uncontended 5 ns, costs less here than the three
// sequentially consistent operations of a lock-free deque, and takes half in one go.
type runQueue struct {
	mu       sync.Mutex
	ring     [capacity]schedulers.Work
	head, n  int
	next     schedulers.Work
	inRow    int // how often the slot has gone first since the queue was served
	open     bool
	accepted uint64

	size atomic.Int32 // n, and one for next: for who only looks
}

// push adds w, the newest, to the slot. If the ring is full, half of it is returned as overflow.
// ok is false if the queue is closed.
func (q *runQueue) push(w schedulers.Work) (overflow []schedulers.Work, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.open {
		return nil, false
	}
	q.accepted++
	w, q.next = q.next, w
	if w != nil {
		overflow = q.append(w)
	}
	q.resize()
	return overflow, true
}

// append adds w to the ring's end.
func (q *runQueue) append(w schedulers.Work) (overflow []schedulers.Work) {
	if q.n == capacity {
		overflow = q.take(capacity / 2)
	}
	q.ring[(q.head+q.n)%capacity] = w
	q.n++
	return overflow
}

// take removes the k oldest of the ring.
func (q *runQueue) take(k int) []schedulers.Work {
	taken := make([]schedulers.Work, k)
	for i := range taken {
		taken[i] = q.front()
	}
	return taken
}

func (q *runQueue) front() schedulers.Work {
	w := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) % capacity
	q.n--
	return w
}

// pop returns the work that the processor runs next, or nil.
func (q *runQueue) pop() schedulers.Work {
	if q.size.Load() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.resize()
	if q.next != nil && (q.inRow < maxNext || q.n == 0) {
		w := q.next
		q.next = nil
		q.inRow++
		return w
	}
	q.inRow = 0
	if q.n == 0 {
		return nil
	}
	return q.front()
}

// stealHalf removes the older half of the ring, rounded up, and returns it. What is in the slot was
// most likely submitted by work that is about to end, and is left for the owner; a thief that
// has found nothing else anywhere takes that too.
func (q *runQueue) stealHalf(slotToo bool) (taken []schedulers.Work) {
	if q.size.Load() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.resize()
	if q.n > 0 {
		return q.take(q.n - q.n/2)
	}
	if slotToo && q.next != nil {
		taken = append(taken, q.next)
		q.next = nil
	}
	return taken
}

// put adds work that was taken elsewhere, for a queue that has room for it: a
// thief's, which was empty when it stole. What finds no room after all is returned.
func (q *runQueue) put(works []schedulers.Work) (left []schedulers.Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n < capacity && len(works) > 0 {
		q.append(works[0])
		works = works[1:]
	}
	q.resize()
	return works
}

// drain removes everything.
func (q *runQueue) drain() []schedulers.Work {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.take(q.n)
	if q.next != nil {
		all = append(all, q.next)
		q.next = nil
	}
	q.resize()
	return all
}

// list copies what is queued, the slot last.
func (q *runQueue) list() (all []schedulers.Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
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

func (q *runQueue) acceptedWorks() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.accepted
}

func (q *runQueue) resize() {
	size := q.n
	if q.next != nil {
		size++
	}
	q.size.Store(int32(size))
}
