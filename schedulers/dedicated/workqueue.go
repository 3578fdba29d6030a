package dedicated

import "github.com/movenext/movenext/schedulers"

// workQueue is the queue of Threads, oldest first. It also records the thread that
// each work item belongs to; see wait.go. The zero workQueue is empty.
type workQueue struct {
	list  []entry
	first int // index in list; entries before it are gone
}

// entry is queued work.
type entry struct {
	work   schedulers.Work
	onTop  bool // a waiting thread may run it on top of its wait
	yields bool // it yields: it runs after all other work items that the thread may run
	from   *thread
}

func (q *workQueue) len() int { return len(q.list) - q.first }

func (q *workQueue) push(e entry) {
	if q.first > len(q.list)/2 && len(q.list) == cap(q.list) { // half of it is free
		n := copy(q.list, q.list[q.first:])
		clear(q.list[n:])
		q.list, q.first = q.list[:n], 0
	}
	q.list = append(q.list, e)
}

// pop returns the oldest work, or nil.
func (q *workQueue) pop() schedulers.Work {
	if q.len() == 0 {
		return nil
	}
	w := q.list[q.first].work
	q.list[q.first] = entry{}
	q.first++
	q.trim()
	return w
}

// lookBack is how many of the newest entries a thread searches for one that it may run.
// The work that it has just started is among them.
const lookBack = 64

// popOnTop returns the newest work that the waiting thread w may run. If all such work
// yields, it returns the oldest; if there is none, it returns nil.
func (q *workQueue) popOnTop(w *thread) schedulers.Work {
	last := len(q.list) - 1
	oldest := -1
	for i := last; i >= q.first && i > last-lookBack; i-- {
		switch e := q.list[i]; {
		case !e.onTop && e.from != w:
		case e.yields:
			oldest = i
		default:
			return q.take(i)
		}
	}
	if oldest < 0 {
		return nil
	}
	return q.take(oldest)
}

// take removes the entry at i.
func (q *workQueue) take(i int) schedulers.Work {
	last := len(q.list) - 1
	w := q.list[i].work
	copy(q.list[i:], q.list[i+1:])
	q.list[last] = entry{}
	q.list = q.list[:last]
	q.trim()
	return w
}

// trim releases the memory of a queue that has become empty.
func (q *workQueue) trim() {
	if q.len() > 0 {
		return
	}
	q.first = 0
	if q.list = q.list[:0]; cap(q.list) > 1024 {
		q.list = nil
	}
}

// all returns a copy, oldest first.
func (q *workQueue) all() (works []schedulers.Work) {
	for _, e := range q.list[q.first:] {
		works = append(works, e.work)
	}
	return works
}
