// Package list is step 3 of "Build your own": a list of continuations in one word, and a
// promise that holds no goroutine for its waiters.
package list

import "sync/atomic"

type node struct {
	resume func()
	next   *node // added before this one
}

// closed is the head of every list that has been closed.
var closed = new(node)

// List holds the waiters for one event. The zero value is empty and open. All methods are safe for
// concurrent use, and none blocks.
type List struct{ head atomic.Pointer[node] }

// Closed reports whether the event has happened.
func (l *List) Closed() bool { return l.head.Load() == closed }

// Add lets resume be called when the list is closed, and reports whether it will be: false
// means that the list is closed already.
func (l *List) Add(resume func()) bool {
	n := &node{resume: resume}
	for {
		n.next = l.head.Load()
		if n.next == closed {
			return false
		}
		if l.head.CompareAndSwap(n.next, n) {
			return true
		}
	}
}

// Close closes the list and calls the added functions, the oldest first. It must be called only
// once.
func (l *List) Close() {
	var oldest *node
	for n := l.head.Swap(closed); n != nil; {
		n.next, oldest, n = oldest, n, n.next
	}
	for n := oldest; n != nil; n = n.next {
		n.resume()
	}
}

// Promise is a result that arrives once. It implements the protocol of step 2. The zero
// value has not arrived. All methods are safe for concurrent use, and none blocks.
type Promise[T any] struct {
	claimed atomic.Bool
	waiting List
	value   T     // written before waiting is closed, read after
	err     error // the same
}

// Complete lets the result arrive, and reports whether it did: only the first result counts. It
// calls the waiters' functions.
func (p *Promise[T]) Complete(value T, err error) (first bool) {
	if !p.claimed.CompareAndSwap(false, true) {
		return false
	}
	p.value, p.err = value, err
	p.waiting.Close()
	return true
}

// IsCompleted reports whether the result is there.
func (p *Promise[T]) IsCompleted() bool { return p.waiting.Closed() }

// OnCompleted calls resume once when the result is there. If it is there already, it calls
// resume before it returns.
func (p *Promise[T]) OnCompleted(resume func()) {
	if !p.waiting.Add(resume) {
		resume()
	}
}

// Result returns the result. It must be called only after completion.
func (p *Promise[T]) Result() (T, error) { return p.value, p.err }
