package coord

// queue holds waiters in order of arrival. The lock of its primitive guards it. The
// links are in the waiters, so queueing allocates nothing and leaving from the middle
// needs no search.
type queue struct {
	first, last *waiter
	count       int
}

func (q *queue) empty() bool { return q.first == nil }

// push puts w at the end.
func (q *queue) push(w *waiter) {
	w.queue, w.prev = q, q.last
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
	q.count++
}

// next takes out the first waiter that can be served, and claims it, since a waiter of a select
// may have been served elsewhere. newcomer is claimed with it: the alternative of the select that
// comes to serve it, or nil. If there is no such waiter, or newcomer was claimed elsewhere, next
// returns nil.
func (q *queue) next(newcomer *alternative) *waiter {
	for w := q.first; w != nil; {
		behind := w.next
		switch claimBoth(newcomer, w.of) {
		case claimed:
			q.remove(w)
			return w
		case newcomerServed:
			return nil
		case waiterServed:
			q.remove(w)
		case sameSelect:
		}
		w = behind
	}
	return nil
}

// pop takes the first out, and leaves it to the caller to claim it; the queue is not empty.
func (q *queue) pop() *waiter {
	w := q.first
	q.remove(w)
	return w
}

// remove takes out w, which is in q.
func (q *queue) remove(w *waiter) {
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.queue, w.next, w.prev = nil, nil, nil
	q.count--
}

// serveAll takes all out and serves each with err, and with the zero value.
func (q *queue) serveAll(err error) (served outcomes) {
	for w := q.next(nil); w != nil; w = q.next(nil) {
		w.err = err
		served.add(w)
	}
	return served
}

// cancel takes out w and returns it. It is the cancel of hosts where a waiter that gives
// up makes no room for others.
func (q *queue) cancel(w *waiter) (decided outcomes) {
	q.remove(w)
	decided.add(w)
	return decided
}
