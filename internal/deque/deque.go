// Package deque implements the work queue that the schedulers of this module are built
// from: first in, first out at the front; last in, first out at the back.
//
// It has no lock. Each scheduler guards its queues with the lock that its own
// protocol needs, as documented where it declares them.
package deque

import "github.com/movenext/movenext/schedulers"

const (
	smallest = 16   // the first buffer, in work items
	keep     = 1024 // an empty deque releases a larger buffer
)

// Deque is a double-ended queue in a circular buffer. The buffer doubles when it
// is full, and is released when a queue that was long becomes empty. The zero
// value is an empty deque. A Deque is not safe for concurrent use.
type Deque struct {
	buf  []schedulers.Work // its length is zero or a power of two
	head int               // index of the oldest work
	n    int
	gap  int // 1 + the index where Remove has last closed a gap, before its successor; 0: nowhere
}

// Len returns the number of work items in d.
func (d *Deque) Len() int { return d.n }

// PushBack adds w as the newest work.
func (d *Deque) PushBack(w schedulers.Work) {
	if d.n == len(d.buf) {
		d.grow()
	}
	d.buf[(d.head+d.n)&(len(d.buf)-1)] = w
	d.n++
}

// PopFront removes and returns the oldest work, or returns nil if d is empty.
func (d *Deque) PopFront() schedulers.Work {
	if d.n == 0 {
		return nil
	}
	w := d.buf[d.head]
	d.buf[d.head] = nil // or the queue would keep the work alive
	d.head = (d.head + 1) & (len(d.buf) - 1)
	d.n--
	d.trim()
	return w
}

// PopBack removes and returns the newest work, or returns nil if d is empty.
func (d *Deque) PopBack() schedulers.Work {
	if d.n == 0 {
		return nil
	}
	d.n--
	i := (d.head + d.n) & (len(d.buf) - 1)
	w := d.buf[i]
	d.buf[i] = nil
	d.trim()
	return w
}

// near is how many of the newest work items Remove checks.
const near = 16

// Remove removes w and returns true if w is the oldest work in d, one of the newest few, or the
// work that was added after the one that Remove has removed last. w must be comparable.
//
// The last case is a caller that waits for many in order, while older work of others is queued.
// Without it, the last children of ten each took half of ten comparisons (W4: 3 %).
func (d *Deque) Remove(w schedulers.Work) bool {
	if d.n == 0 {
		return false
	}
	if d.buf[d.head] == w {
		d.PopFront()
		return true
	}
	mask := len(d.buf) - 1
	if i := d.gap - 1; i >= 0 && d.buf[i] == w { // outside of the queue, it is nil
		d.close(i)
		return true
	}
	last := (d.head + d.n - 1) & mask
	for k := range min(near, d.n) {
		i := (last - k) & mask
		if d.buf[i] == w {
			d.close(i)
			return true
		}
	}
	return false
}

// close removes the entry at i of buf, and moves the newer ones.
func (d *Deque) close(i int) {
	d.gap = i + 1
	mask := len(d.buf) - 1
	for last := (d.head + d.n - 1) & mask; i != last; i = (i + 1) & mask {
		d.buf[i] = d.buf[(i+1)&mask]
	}
	d.PopBack()
}

// AppendTo appends the work items of d to s, the oldest first, and returns the
// extended slice. It does not change d.
func (d *Deque) AppendTo(s []schedulers.Work) []schedulers.Work {
	for i := range d.n {
		s = append(s, d.buf[(d.head+i)&(len(d.buf)-1)])
	}
	return s
}

func (d *Deque) grow() {
	bigger := make([]schedulers.Work, max(smallest, 2*len(d.buf)))
	k := copy(bigger, d.buf[d.head:])
	copy(bigger[k:], d.buf[:d.head])
	if d.gap > 0 {
		d.gap = 1 + (d.gap-1-d.head)&(len(d.buf)-1)
	}
	d.buf, d.head = bigger, 0
}

// trim releases the buffer of a burst once the burst is over. It waits until the
// queue is empty: halving the buffer step by step would copy work items that are
// about to leave anyway.
func (d *Deque) trim() {
	if d.n == 0 && len(d.buf) > keep {
		d.buf, d.head, d.gap = nil, 0, 0
	}
}
