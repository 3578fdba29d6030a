// Package idpool allocates small numbers as IDs of short-lived workers.
package idpool

import "sync"

// IDs allocates numbers from 1 on, each of which has at most one user at a time. The zero
// value is ready for use. All methods are safe for concurrent use.
type IDs struct {
	mu  sync.Mutex
	ids Guarded
}

// Take returns an unused number. The number never exceeds the high-water mark of numbers in
// use at the same time.
func (p *IDs) Take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids.Take()
}

// Give returns a number to the pool.
func (p *IDs) Give(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids.Give(id)
}

// Guarded is [IDs] for a caller that holds a lock of its own.
type Guarded struct {
	free []int
	last int
}

// Take is [IDs.Take].
func (p *Guarded) Take() int {
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		return id
	}
	p.last++
	return p.last
}

// Give is [IDs.Give].
func (p *Guarded) Give(id int) { p.free = append(p.free, id) }
