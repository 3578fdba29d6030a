package coord

// ring is a queue of elements in a slice that grows when it is full and shrinks when it
// is mostly empty. The zero ring is empty.
type ring[T any] struct {
	buf  []T
	head int // the index of the oldest
	n    int
}

const minRing = 8

func (r *ring[T]) len() int { return r.n }

// at returns the address of the element that is i positions behind the oldest.
func (r *ring[T]) at(i int) *T { return &r.buf[(r.head+i)%len(r.buf)] }

func (r *ring[T]) push(v T) {
	r.grow()
	r.n++
	*r.at(r.n - 1) = v
}

// unpop puts v before the oldest.
func (r *ring[T]) unpop(v T) {
	r.grow()
	r.head = (r.head + len(r.buf) - 1) % len(r.buf)
	r.n++
	*r.at(0) = v
}

// grow makes room for one more element.
func (r *ring[T]) grow() {
	if r.n == len(r.buf) {
		r.resize(max(minRing, 2*r.n))
	}
}

// pop takes out the oldest; r is not empty.
func (r *ring[T]) pop() T {
	var none T
	oldest := r.at(0)
	v := *oldest
	*oldest = none // a removed element must not be kept alive
	r.head = (r.head + 1) % len(r.buf)
	r.n--
	// At a quarter, not at a half: a queue whose length oscillates around one
	// value must not pay for it each time.
	if len(r.buf) > minRing && r.n <= len(r.buf)/4 {
		r.resize(len(r.buf) / 2)
	}
	return v
}

func (r *ring[T]) resize(size int) {
	buf := make([]T, size)
	for i := range r.n {
		buf[i] = *r.at(i)
	}
	r.buf, r.head = buf, 0
}
