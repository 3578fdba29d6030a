// Package awaiter is step 2 of "Build your own": the protocol of awaiting, and the blocking wait
// as one of its users.
package awaiter

import "github.com/movenext/movenext/docs/book/code/own/future"

// Awaitable is an operation with a result. The methods are called in this order.
type Awaitable[T any] interface {
	// IsCompleted reports whether the result is there. It does not block.
	IsCompleted() bool

	// OnCompleted calls resume once when the result is there: at once, later, or on another
	// goroutine. It does not block.
	OnCompleted(resume func())

	// Result returns the result. It is called only after completion.
	Result() (T, error)
}

// Await blocks until the operation has ended, and returns its result.
func Await[T any](a Awaitable[T]) (T, error) {
	if !a.IsCompleted() {
		ended := make(chan struct{})
		a.OnCompleted(func() { close(ended) })
		<-ended
	}
	return a.Result()
}

// Future makes a future of step 1 awaitable. It needs a goroutine for each waiter.
type Future[T any] struct{ *future.Future[T] }

// IsCompleted implements [Awaitable].
func (f Future[T]) IsCompleted() bool {
	select {
	case <-f.Done():
		return true
	default:
		return false
	}
}

// OnCompleted implements [Awaitable].
func (f Future[T]) OnCompleted(resume func()) {
	go func() {
		<-f.Done()
		resume()
	}()
}

// Result implements [Awaitable].
func (f Future[T]) Result() (T, error) { return f.Wait() }
