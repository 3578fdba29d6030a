package shim

import (
	"cmp"
	"iter"
	"slices"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// WorkQueue is a queue of a [Policy]: work items, first in, first out. Its zero value is empty.
//
// # Two parts
//
// Submitters and workers meet at a queue for each work item, and a lock that moves back and
// forth between two processors costs more than everything else that a shim does. So the two
// sides have parts of their own:
//
//	submitters ──▶ inbox ──(all at once, when out is empty)──▶ out ──▶ workers
//
// A submitter needs only the inbox's lock, and a worker only that of its policy, until out is
// empty. On two processors this halved the surplus of a shim over the scheduler beneath, to
// which not even the object that each work item had contributed as much.
//
// # Listed
//
// A policy lists the queues that have work. A submitter that finds its queue listed has nothing
// to tell the policy, and need not take the policy's lock:
//
//	# Submitter                               # Worker, under the policy's lock
//	 1. under mu: listed? Push, done           1. Pop
//	 2. under the policy's lock, and mu:       2. First: out is empty? Under mu, take the
//	    push, list the queue                      inbox; that is empty, too? Not listed
//
// The field listed changes only while both locks are held, and its queue is in the policy's list
// whenever the policy's lock is free. So work is never in a queue that is not listed: step 1 on
// the left and step 2 on the right exclude each other by mu, and step 2 on the left and both
// on the right by the policy's lock.
//
// The tempting alternative, to push first and to list afterwards, leaves a moment in which a
// second submitter finds the queue listed, and its ticket finds no work.
type WorkQueue struct {
	_ [64]byte // submitters write the lines up to the next one, and workers those after that

	mu     interleave.Mutex // guards the next three fields; locked after the policy's lock
	inbox  entries
	pushed uint64 // how many entries there ever were, unless arrivals counts them
	listed bool

	_   [64]byte
	out entries // the policy's lock guards it
}

// PushListed adds w at the end, if the queue is listed, and reports whether it did. The entry
// gets a number that is greater than those before it: the next of arrivals or, if that is nil,
// of the queue itself.
func (q *WorkQueue) PushListed(w schedulers.Work, arrivals *interleave.Uint64) (number uint64, listed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.listed {
		return 0, false
	}
	return q.push(w, arrivals), true
}

// Push is PushListed for any queue. It reports whether the caller must list it now. The policy's
// lock is held.
func (q *WorkQueue) Push(w schedulers.Work, arrivals *interleave.Uint64) (number uint64, list bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list = !q.listed
	q.listed = true
	return q.push(w, arrivals), list
}

func (q *WorkQueue) push(w schedulers.Work, arrivals *interleave.Uint64) uint64 {
	q.pushed++
	number := q.pushed
	if arrivals != nil {
		number = arrivals.Add(1)
	}
	q.inbox.push(entry{w, number})
	return number
}

// First returns the number of the first entry, or false if the queue is empty: then it is not
// listed anymore. Call it after each Pop and Remove. The policy's lock is held.
func (q *WorkQueue) First() (number uint64, ok bool) {
	if q.out.empty() && !q.refill() {
		return 0, false
	}
	return q.out.first().number, true
}

// refill moves the inbox to out, which is empty. It returns false if there was nothing to move.
func (q *WorkQueue) refill() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inbox.empty() {
		q.listed = false
		q.out.release()
		q.inbox.release()
		return false
	}
	q.out, q.inbox = q.inbox, q.out
	return true
}

// Pop removes and returns the first work item, or returns nil if there is none. The policy's
// lock is held.
func (q *WorkQueue) Pop() schedulers.Work {
	if q.out.empty() && !q.refill() {
		return nil
	}
	return q.out.pop()
}

// Remove removes and returns the work with that number, or returns nil if it is not in the
// queue anymore. The policy's lock is held.
func (q *WorkQueue) Remove(number uint64) schedulers.Work {
	if w := q.out.remove(number); w != nil {
		return w
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inbox.remove(number)
}

// Len returns the number of work items. The policy's lock is held.
func (q *WorkQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.out.len() + q.inbox.len()
}

// All returns the work items and their numbers, the oldest first. The policy's lock is held, and
// the queue must not be used meanwhile.
func (q *WorkQueue) All() iter.Seq2[uint64, schedulers.Work] {
	return func(yield func(uint64, schedulers.Work) bool) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, part := range []*entries{&q.out, &q.inbox} {
			for _, e := range part.all[part.head:] {
				if e.work != nil && !yield(e.number, e.work) {
					return
				}
			}
		}
	}
}

// entry is one work item of a queue.
type entry struct {
	work   schedulers.Work // nil: a gap, which was removed
	number uint64
}

// entries is a queue of entries with ascending numbers. The first one and the last one are never
// gaps. Removals from the middle leave gaps, and those from the front leave a part of the buffer
// unused, so a removal compacts the buffer when these outnumber the work items.
type entries struct {
	all  []entry
	head int // the index of the first entry
	gaps int
}

// keep is the size up to which a buffer is not worth a release or a compaction.
const keep = 64

func (s *entries) empty() bool { return s.head == len(s.all) }

func (s *entries) len() int { return len(s.all) - s.head - s.gaps }

func (s *entries) first() *entry { return &s.all[s.head] }

func (s *entries) push(e entry) { s.all = append(s.all, e) }

// pop removes the first entry, which exists, and returns its work.
func (s *entries) pop() schedulers.Work {
	w := s.first().work
	s.first().work = nil // or the buffer would keep the work alive
	s.head++
	s.trimFront()
	return w
}

func (s *entries) remove(number uint64) schedulers.Work {
	i, found := slices.BinarySearchFunc(s.all[s.head:], number, func(e entry, number uint64) int {
		return cmp.Compare(e.number, number)
	})
	if !found {
		return nil
	}
	e := &s.all[s.head+i]
	w := e.work
	if w != nil {
		e.work = nil
		s.gaps++
		s.trimBack()
		s.trimFront()
		if unused := s.head + s.gaps; unused > s.len()+keep {
			s.compact()
		}
	}
	return w
}

// compact moves the work items to the beginning of the buffer.
func (s *entries) compact() {
	live := s.all[:0]
	for _, e := range s.all[s.head:] {
		if e.work != nil {
			live = append(live, e)
		}
	}
	clear(s.all[len(live):])
	s.all, s.head, s.gaps = live, 0, 0
}

// trimFront drops gaps at the front, and uses the buffer from its beginning if nothing is left.
func (s *entries) trimFront() {
	for !s.empty() && s.first().work == nil {
		s.head++
		s.gaps--
	}
	if s.empty() {
		s.all, s.head = s.all[:0], 0
	}
}

// release releases the buffer of a burst that is over; s is empty.
func (s *entries) release() {
	if cap(s.all) > keep {
		s.all = nil
	}
}

// trimBack drops gaps at the end. They are the usual ones: work that a full scheduler beneath
// refuses is removed right after it was added.
func (s *entries) trimBack() {
	for !s.empty() && s.all[len(s.all)-1].work == nil {
		s.all = s.all[:len(s.all)-1]
		s.gaps--
	}
}
