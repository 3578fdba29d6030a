package shim

// itemList is a list of items, oldest first. It is not package linked's, whose nodes also point
// to their elements.
type itemList struct{ first, last *Item }

func (l *itemList) add(it *Item) {
	it.prev, it.next = l.last, nil
	if l.last == nil {
		l.first = it
	} else {
		l.last.next = it
	}
	l.last = it
}

// remove removes it, which is in the list.
func (l *itemList) remove(it *Item) {
	if it.prev == nil {
		l.first = it.next
	} else {
		it.prev.next = it.next
	}
	if it.next == nil {
		l.last = it.prev
	} else {
		it.next.prev = it.prev
	}
	it.prev, it.next = nil, it
}

// listed reports whether it is in the list. It was added before.
func (it *Item) listed() bool { return it.next != it }
