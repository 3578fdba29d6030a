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

func (l *workQueue) len() int { return len(l.list) - l.first }

func (l *workQueue) push(e entry) {
	if l.first > len(l.list)/2 && len(l.list) == cap(l.list) { // half of it is free
		n := copy(l.list, l.list[l.first:])
		clear(l.list[n:])
		l.list, l.first = l.list[:n], 0
	}
	l.list = append(l.list, e)
}

// pop returns the oldest work, or nil.
func (l *workQueue) pop() schedulers.Work {
	if l.len() == 0 {
		return nil
	}
	w := l.list[l.first].work
	l.list[l.first] = entry{}
	l.first++
	l.trim()
	return w
}

// lookBack is how many of the newest entries a thread searches for one that it may run.
// The work that it has just started is among them.
const lookBack = 64

// popOnTop returns the newest work that the waiting thread w may run. If all such work
// yields, it returns the oldest; if there is none, it returns nil.
func (l *workQueue) popOnTop(w *thread) schedulers.Work {
	last := len(l.list) - 1
	oldest := -1
	for i := last; i >= l.first && i > last-lookBack; i-- {
		switch e := l.list[i]; {
		case !e.onTop && e.from != w:
		case e.yields:
			oldest = i
		default:
			return l.take(i)
		}
	}
	if oldest < 0 {
		return nil
	}
	return l.take(oldest)
}

// take removes the entry at i.
func (l *workQueue) take(i int) schedulers.Work {
	last := len(l.list) - 1
	w := l.list[i].work
	copy(l.list[i:], l.list[i+1:])
	l.list[last] = entry{}
	l.list = l.list[:last]
	l.trim()
	return w
}

// trim releases the memory of a queue that has become empty.
func (l *workQueue) trim() {
	if l.len() > 0 {
		return
	}
	l.first = 0
	if l.list = l.list[:0]; cap(l.list) > 1024 {
		l.list = nil
	}
}

// all returns a copy, oldest first.
func (l *workQueue) all() (works []schedulers.Work) {
	for _, e := range l.list[l.first:] {
		works = append(works, e.work)
	}
	return works
}
