package bridge

import (
	"context"
	"errors"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

var (
	// ErrClosed is the error of a receive from a channel that is closed and empty, and
	// of a send to one that is closed.
	ErrClosed = errors.New("bridge: channel is closed")

	// ErrNil is the error of a bridge from a nil channel or function.
	ErrNil = errors.New("bridge: nothing to wait for")
)

// FromChan receives from ch and returns a job that yields the element. The job is
// Canceled when ctx ends first; nothing is received then. It has faulted with
// [ErrClosed] if ch is closed, and with [ErrNil] if it is nil. An available element is
// taken at once; else a goroutine is held until the job ends. It does not block.
func FromChan[T any](ctx context.Context, ch <-chan T) *job.Job[T] {
	if ch == nil {
		return job.FromError[T](ErrNil)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	s := new(promise.Promise[T])
	promise.Init(&s.Job)
	select {
	case v, open := <-ch:
		settle(context.Background(), s, v, received(open))
	default:
		go promise.Perform(s, ctx, func() (T, error) { return receive(ctx, ch) })
	}
	return &s.Job
}

func receive[T any](ctx context.Context, ch <-chan T) (v T, err error) {
	// A context that has ended comes first: select would choose by chance.
	if ctx.Err() == nil {
		select {
		case v, open := <-ch:
			return v, received(open)
		case <-ctx.Done():
		}
	}
	return v, ctxwatch.Reason(ctx)
}

func received(open bool) error {
	if open {
		return nil
	}
	return ErrClosed
}

// settle completes the job and wakes its waiters.
func settle[T any](ctx context.Context, s *promise.Promise[T], v T, err error) bool {
	waiters, ok := promise.TryComplete(s, ctx, v, err)
	waiters.Deliver(nil)
	return ok
}

// SendTo sends v to ch and returns a job that completes when it is sent. The job is
// Canceled when ctx ends first; nothing is sent then. It has faulted with [ErrClosed]
// if ch is closed, and with [ErrNil] if it is nil. A send that can proceed does so at
// once; else a goroutine is held until the job ends. It does not block.
func SendTo[T any](ctx context.Context, ch chan<- T, v T) *job.Job[job.Void] {
	if ch == nil {
		return job.FromError[job.Void](ErrNil)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	sent, err := trySend(ch, v)
	switch {
	case err != nil:
		return job.FromError[job.Void](err)
	case sent:
		return job.FromResult(job.Void{})
	}
	s := new(promise.Promise[job.Void])
	promise.Init(&s.Job)
	go promise.Perform(s, ctx, func() (job.Void, error) { return job.Void{}, send(ctx, ch, v) })
	return &s.Job
}

// trySend and sendUntil turn the panic of a send to a closed channel, which cannot be
// foreseen, into an error.

func trySend[T any](ch chan<- T, v T) (sent bool, err error) {
	defer closedError(&err)
	select {
	case ch <- v:
		return true, nil
	default:
		return false, nil
	}
}

func send[T any](ctx context.Context, ch chan<- T, v T) error {
	if ctx.Err() == nil {
		if sent, err := sendUntil(ctx.Done(), ch, v); sent || err != nil {
			return err
		}
	}
	return ctxwatch.Reason(ctx)
}

func sendUntil[T any](done <-chan struct{}, ch chan<- T, v T) (sent bool, err error) {
	defer closedError(&err)
	select {
	case ch <- v:
		return true, nil
	case <-done:
		return false, nil
	}
}

func closedError(err *error) {
	if recover() != nil { // nothing else in there can panic
		*err = ErrClosed
	}
}
