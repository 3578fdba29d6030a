package awaiter

import (
	"context"
	"errors"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// ErrNilAwaitable is returned by [Await] for a nil Awaitable or a nil Awaiter.
var ErrNilAwaitable = errors.New("awaiter: nil awaitable")

// Await returns the result of a. In a function marked //movenext:async a call of
// Await is a suspension point: the generated machine suspends there without
// holding a goroutine. Everywhere else it blocks the calling goroutine until the result
// is available, and notifies the worker of that goroutine. If it would block forever, it
// returns an error that wraps [schedulers.ErrWouldDeadlock]. It is safe for concurrent
// use if a is.
func Await[T any](a Awaitable[T]) (T, error) {
	if a == nil {
		return none[T]()
	}
	w := a.GetAwaiter()
	if w == nil {
		return none[T]()
	}
	if !w.IsCompleted() {
		e := newEvent()
		w.OnCompleted(e)
		if err := schedulers.Wait(context.Background(), nil, nil, e.happened); err != nil {
			var zero T
			return zero, err
		}
	}
	return w.GetResult()
}

func none[T any]() (T, error) {
	var zero T
	return zero, ErrNilAwaitable
}

// event is a continuation that wakes one goroutine. It has a new channel for each
// wait: a reused channel would not work across synctest bubbles.
type event struct {
	once     sync.Once
	happened chan struct{}
}

func newEvent() *event { return &event{happened: make(chan struct{})} }

// Resume implements continuation.Continuation.
func (e *event) Resume() { e.once.Do(func() { close(e.happened) }) }
