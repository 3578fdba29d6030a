// Package future is step 1 of "Build your own": a result that has not arrived, and
// goroutines that wait for it.
package future

import "sync"

// Future is a result that arrives once. Make one with [New]. All methods are safe for
// concurrent use.
type Future[T any] struct {
	once  sync.Once
	done  chan struct{}
	value T     // written before done is closed, read after
	err   error // the same
}

// New returns a future that has not arrived.
func New[T any]() *Future[T] { return &Future[T]{done: make(chan struct{})} }

// Complete lets the result arrive, and reports whether it did: only the first result counts.
func (f *Future[T]) Complete(value T, err error) (first bool) {
	f.once.Do(func() {
		f.value, f.err = value, err
		close(f.done)
		first = true
	})
	return first
}

// Done returns a channel that is closed when the result has arrived.
func (f *Future[T]) Done() <-chan struct{} { return f.done }

// Wait blocks until the result has arrived, and returns it, the same one each time.
func (f *Future[T]) Wait() (T, error) {
	<-f.done
	return f.value, f.err
}
