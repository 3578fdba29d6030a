package main

import "sync"

// The reasons for which an entry point is called.
const (
	startup = "startup"
	blocked = "blocked"
	yielded = "yielded"
	ended   = "ended"
)

// activation is one call of an entry point. Only a yield names its worker.
type activation struct {
	reason string
	worker *worker
}

// worker is a goroutine that runs only while it has the turn.
type worker struct {
	name string
	list *list
	turn chan struct{}
	back chan activation // to the thread that has picked it
}

// newWorker makes a worker for fn, which appears on the list.
func newWorker(l *list, name string, fn func(*worker)) *worker {
	w := &worker{name: name, list: l, turn: make(chan struct{})}
	go func() {
		<-w.turn
		fn(w)
		w.back <- activation{reason: ended}
	}()
	l.put(w)
	return w
}

// yield gives the thread back. The worker continues when it is picked again.
func (w *worker) yield() {
	w.back <- activation{yielded, w}
	<-w.turn
}

// block gives the thread back and calls f next to it. When f has returned, the worker
// does not continue, but appears on the list.
func (w *worker) block(f func()) {
	w.back <- activation{reason: blocked}
	f()
	w.list.put(w)
	<-w.turn
}

// list is a completion list. Only the system puts workers there.
type list struct {
	mu    sync.Mutex
	some  sync.Cond
	items []*worker
}

func newList() *list {
	l := &list{}
	l.some.L = &l.mu
	return l
}

func (l *list) put(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, w)
	l.some.Signal()
}

// dequeue takes all workers off the list. If wait is set, it waits until there is one.
func (l *list) dequeue(wait bool) []*worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	for wait && len(l.items) == 0 {
		l.some.Wait()
	}
	all := l.items
	l.items = nil
	return all
}

// enter makes the calling goroutine a scheduler thread: it calls entry, lets the worker
// that entry has picked run until it gives the thread back, and calls entry again. It
// returns when entry picks none.
func enter(entry func(activation) *worker) {
	back := make(chan activation)
	a := activation{reason: startup}
	for {
		w := entry(a)
		if w == nil {
			return
		}
		w.back = back
		w.turn <- struct{}{}
		a = <-back
	}
}
