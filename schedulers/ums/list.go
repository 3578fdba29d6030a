package ums

import (
	"sync"
	"time"

	"github.com/movenext/movenext/internal/idpool"
)

// Forever is a time that does not end, for [CompletionList.Dequeue].
const Forever time.Duration = 1<<63 - 1

// CompletionList holds workers that are new, whose blocking has ended, or that have
// terminated. Only the system adds to it. One list may serve many threads, and a thread
// may dequeue from any list. Make one with [NewCompletionList]. All methods are safe for
// concurrent use.
type CompletionList struct {
	event chan struct{} // has a token while items is not empty, unless a receiver has taken it

	// mu guards everything below and the state of all workers of the list. No user code
	// runs under it.
	mu       sync.Mutex
	ids      idpool.Guarded
	items    []*Worker
	signaled bool // the event was sent for the present items

	// All undeleted contexts, in the order of their creation.
	oldest, newest *Worker
	contexts       int
}

// NewCompletionList returns an empty list.
func NewCompletionList() *CompletionList {
	return &CompletionList{event: make(chan struct{}, 1)}
}

// put appends w unless it is there; mu is held.
func (l *CompletionList) put(w *Worker) {
	l.putSilently(w)
	l.signal()
}

// signal sends the event, if none is pending; mu is held.
func (l *CompletionList) signal() {
	if !l.signaled {
		l.signaled = true
		select {
		case l.event <- struct{}{}:
		default:
		}
	}
}

// putSilently is put, for a thread that dequeues immediately afterwards; mu is held.
func (l *CompletionList) putSilently(w *Worker) {
	w.retryAfterHold = false
	if !w.listed {
		w.listed = true
		l.items = append(l.items, w)
	}
}

// Dequeue removes all workers from the list and returns them in the order in which they
// appeared. If the list is empty and wait is zero or less, it immediately returns nil.
// Otherwise it blocks until a worker appears or until wait has passed, and then returns
// nil.
//
// From then on only the caller can pick the workers: a worker that the caller loses never
// runs.
func (l *CompletionList) Dequeue(wait time.Duration) []*Worker {
	all := l.drain()
	if len(all) > 0 || wait <= 0 {
		return all
	}
	var late <-chan time.Time
	if wait < Forever {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-l.event:
			if all = l.drain(); len(all) > 0 {
				return all
			}
		case <-late:
			return l.drain()
		}
	}
}

func (l *CompletionList) drain() []*Worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.items
	l.items = nil
	l.clearListed(all)
	return all
}

// clearListed records that all workers were taken off the list, which is now empty; mu is held.
func (l *CompletionList) clearListed(all []*Worker) {
	for _, w := range all {
		w.listed = false
	}
	if l.signaled {
		l.signaled = false
		select {
		case <-l.event:
		default:
		}
	}
}

// sweep is Dequeue and Delete in one critical section: it returns the listed workers that
// have not terminated, and deletes the rest. It appends its steps to events, unless that is
// nil. scratch is an empty slice that the list may keep in exchange for the one that it
// returns.
func (l *CompletionList) sweep(scratch []*Worker, events []Event) ([]*Worker, []Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	items := l.items
	l.items = scratch
	l.clearListed(items)
	ready := items[:0]
	for _, w := range items {
		e := Event{Step: Dequeued, Worker: w.id, State: w.state}
		if w.state == Terminated {
			w.delete()
			e = Event{Step: Deleted, Worker: w.id}
		} else {
			ready = append(ready, w)
		}
		if events != nil {
			events = append(events, e)
		}
	}
	clear(items[len(ready):])
	return ready, events
}

// Event returns a channel that delivers when the list turns from empty to non-empty,
// for a select over several lists. It delivers once, to one receiver, which must then
// dequeue. It is always the same channel.
func (l *CompletionList) Event() <-chan struct{} { return l.event }

// Len returns how many workers are on the list now.
func (l *CompletionList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}

// Contexts returns how many workers were made for the list and have not been deleted.
func (l *CompletionList) Contexts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.contexts
}

// register adds w to the contexts of the list and puts it on the list.
func (l *CompletionList) register(w *Worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.link(w)
	l.put(w)
}

// link adds w to the contexts of the list; mu is held.
func (l *CompletionList) link(w *Worker) {
	w.id = l.ids.Take()
	w.older = l.newest
	if l.newest != nil {
		l.newest.newer = w
	} else {
		l.oldest = w
	}
	l.newest = w
	l.contexts++
}

// unlink removes w from the contexts of the list; mu is held.
func (l *CompletionList) unlink(w *Worker) {
	if w.older != nil {
		w.older.newer = w.newer
	} else {
		l.oldest = w.newer
	}
	if w.newer != nil {
		w.newer.older = w.older
	} else {
		l.newest = w.older
	}
	w.older, w.newer = nil, nil
	l.contexts--
}

// listCreated returns the workers that have never run, oldest first.
func (l *CompletionList) listCreated() (all []*Worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := l.oldest; w != nil; w = w.newer {
		if w.state == Created {
			all = append(all, w)
		}
	}
	return all
}
