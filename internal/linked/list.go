// Package linked implements an intrusive list, whose links are in its elements: adding an
// element allocates nothing, and removing it from the middle needs no search.
//
// Some lists of the module do not use this package. The waiters of package coord, the watches
// of package ctxwatch and the operations of a netio.Conn are linked directly: there is one for
// each wait of a program, and a [Node] is a word larger than two pointers. The workers of a
// policy of package ums also record which of several lists they are in.
package linked

import "iter"

// List is a list of elements E, in the order in which they were added. The zero List is
// empty. It is not safe for concurrent use.
type List[E any] struct {
	first, last *Node[E]
	count       int
}

// Node holds the links of an element. An element has one such field for each list that it
// may be in. The zero Node is in no list.
type Node[E any] struct {
	owner      *E // nil: in no list
	next, prev *Node[E]
}

// In reports whether the element is in a list.
func (n *Node[E]) In() bool { return n.owner != nil }

// Len returns the number of elements.
func (l *List[E]) Len() int { return l.count }

// First returns the oldest element, or nil if the list is empty.
func (l *List[E]) First() *E { return element(l.first) }

// Last returns the newest element, or nil if the list is empty.
func (l *List[E]) Last() *E { return element(l.last) }

// Next returns the element after that of n, or nil. n must be in a list.
func (n *Node[E]) Next() *E { return element(n.next) }

// Prev returns the element before that of n, or nil. n must be in a list.
func (n *Node[E]) Prev() *E { return element(n.prev) }

func element[E any](n *Node[E]) *E {
	if n == nil {
		return nil
	}
	return n.owner
}

// Add adds e at the end. n are the links of e, which must be in no list.
func (l *List[E]) Add(n *Node[E], e *E) {
	n.owner, n.prev = e, l.last
	if l.last == nil {
		l.first = n
	} else {
		l.last.next = n
	}
	l.last = n
	l.count++
}

// AddFirst adds e at the beginning. n are the links of e, which must be in no list.
func (l *List[E]) AddFirst(n *Node[E], e *E) {
	n.owner, n.next = e, l.first
	if l.first == nil {
		l.last = n
	} else {
		l.first.prev = n
	}
	l.first = n
	l.count++
}

// Remove removes the element with the links n, which must be in l.
func (l *List[E]) Remove(n *Node[E]) {
	if n.prev == nil {
		l.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	*n = Node[E]{}
	l.count--
}

// All returns the elements, oldest first. During the iteration, only the element that was
// yielded last may be removed.
func (l *List[E]) All() iter.Seq[*E] {
	return func(yield func(*E) bool) {
		for n := l.first; n != nil; {
			next := n.next
			if !yield(n.owner) {
				return
			}
			n = next
		}
	}
}
