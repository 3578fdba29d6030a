package shim

import (
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/schedulers"
)

// # Regaining a turn
//
// Work that has waited needs its turn back before it continues, and it takes
// precedence over all work that has not begun. Precedence over waiting turns is
// easy: those simply wait longer. The hard case is a turn that was given to work
// that is queued beneath:
//
//	A strand over one thread: A runs, and waits; its turn passes to C, queued for the thread.
//	The wait ends, and A needs its turn back: C has it, and needs the thread that A occupies.
//
// Waiting for C would never end. So C's turn is taken back: C moves to the head of the queue
// of waiting turns and keeps its queue entry beneath. Then one of two events comes first:
//
//	C leaves the queue beneath            C is admitted again
//	 1. it is not held: nothing to do      1. still queued beneath (sent): nothing to do
//	 2. it is no longer sent               2. not sent: it is submitted again
//
// Both flags change under the lock, so C is never queued beneath twice, and a held C is
// queued beneath or running.
//
// Work that has begun is never interrupted; waiting for it is safe, since it has
// a worker beneath to run on.

// yield gives up the turn, unless it was given up before.
func (t *Turn) yield() {
	ts := t.turns
	ts.mu.Lock()
	t.blocks++
	ts.leave(t)
	ts.mu.Unlock()
	ts.admit(t.Beneath())
}

// regain waits until t has its turn again, unless another goroutine is still in Block
// on its behalf, or t is over. worker is the one to which that wait is announced, or nil if
// the worker beneath still counts as blocked.
func (t *Turn) regain(worker schedulers.Worker) {
	ts := t.turns
	ts.mu.Lock()
	t.blocks--
	if t.ended || t.blocks > 0 || t.held {
		ts.mu.Unlock()
		return
	}
	if t.regained == nil { // otherwise another goroutine already waits for the same turn
		t.regained = make(chan struct{})
		ts.resuming = append(ts.resuming, t)
	}
	regained := t.regained
	ts.mu.Unlock()
	ts.admit(t.Beneath())
	select {
	case <-regained:
		return
	default:
	}
	if unblock, err := Block(worker); err == nil {
		defer unblock()
	} // if refused, it waits anyway: the work continues with its turn, or not at all
	<-regained
}

// resumeTurns resumes the turns that may be held again, and reports whether no turn is left
// that waits to continue; mu is held.
func (ts *Turns) resumeTurns() bool {
	for len(ts.resuming) > 0 {
		t := ts.resuming[0]
		if !t.ended && !ts.admitResumed(t.kind) {
			return false
		}
		t.held = !t.ended
		close(t.regained)
		t.regained = nil
		ts.resuming[0] = nil
		ts.resuming = ts.resuming[1:]
	}
	return true
}

// admitResumed is Admit for work that continues: if need be, it takes turns back from
// work that has not begun.
func (ts *Turns) admitResumed(kind Kind) bool {
	for !ts.rule.Admit(kind) {
		t := ts.notBegun.Last()
		if t == nil {
			return false
		}
		ts.leave(t)
		ts.waiting.pushFirst(t)
	}
	return true
}

// queue is a list of turns, each of which is in one queue at most.
type queue struct{ linked.List[Turn] }

func (q *queue) push(t *Turn) {
	t.queue = q
	q.Add(&t.links, t)
}

func (q *queue) pushFirst(t *Turn) {
	t.queue = q
	q.AddFirst(&t.links, t)
}

// remove takes t out of the queue, if it is there.
func (q *queue) remove(t *Turn) {
	if t.queue == q {
		t.queue = nil
		q.Remove(&t.links)
	}
}
