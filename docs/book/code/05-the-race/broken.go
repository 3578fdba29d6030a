package main

import "sync"

// broken is an operation that first checks and then appends. Each step holds the lock, and that
// does not help.
type broken struct {
	mu        sync.Mutex
	completed bool
	waiting   []func()

	between func() // what another goroutine does between the check and the append
}

func (b *broken) onCompleted(f func()) {
	if b.isCompleted() {
		f()
		return
	}
	b.between()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, f)
}

func (b *broken) isCompleted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.completed
}

func (b *broken) complete() {
	b.mu.Lock()
	b.completed = true
	waiting := b.waiting
	b.mu.Unlock()
	for _, f := range waiting {
		f()
	}
}
