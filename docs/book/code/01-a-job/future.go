package main

// future is a result that has not arrived, in its smallest form.
type future[T any] struct {
	arrived chan struct{} // closed when value and err are there
	value   T
	err     error
}

// start begins fn and returns at once.
func start[T any](fn func() (T, error)) *future[T] {
	f := &future[T]{arrived: make(chan struct{})}
	go func() {
		defer close(f.arrived)
		f.value, f.err = fn()
	}()
	return f
}

// wait blocks until the result has arrived.
func (f *future[T]) wait() (T, error) {
	<-f.arrived
	return f.value, f.err
}
