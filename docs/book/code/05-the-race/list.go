package main

import "sync/atomic"

// list is the waiting side of an operation: one word that is both the status and the
// continuations.
type list struct {
	head atomic.Pointer[node] // the newest, or nil, or closed
}

type node struct {
	resume func()
	next   *node
}

var closed = new(node)

// add returns false if the operation has completed.
func (l *list) add(n *node) bool {
	for {
		h := l.head.Load() // 1
		if h == closed {   // 2
			return false
		}
		n.next = h                       // 3
		if l.head.CompareAndSwap(h, n) { // 4
			return true
		}
	}
}

// complete resumes all nodes that were added. It is called once, when the result can be
// read.
func (l *list) complete() {
	for n := l.head.Swap(closed); n != nil; {
		next := n.next // resume may add n to another list, which writes n.next
		n.resume()
		n = next
	}
}
