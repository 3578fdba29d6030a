package coord

// subscriptions are the subscriptions of a broadcast in order of creation: a map would
// notify them in a different order each time.
type subscriptions[T any] struct {
	first, last *subscription[T]
	count       int
}

func (r *subscriptions[T]) add(s *subscription[T]) {
	s.prev = r.last
	if r.last == nil {
		r.first = s
	} else {
		r.last.next = s
	}
	r.last = s
	r.count++
}

func (r *subscriptions[T]) remove(s *subscription[T]) {
	if s.prev == nil {
		r.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		r.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
	r.count--
}
