// Cancellation and timeouts: what ends, and what continues.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

const patience = 10 * time.Millisecond

// answer returns its answer when the event is set, or prints that its context has ended before.
//
//movenext:async
func answer(ctx context.Context, known *coord.ManualResetEvent) (int, error) {
	if err := known.Wait(ctx); err != nil {
		fmt.Println("  the operation ends:", context.Cause(ctx))
		return 0, err
	}
	return 42, nil
}

// endsBoth bounds the operation: it ends, and with it the wait.
//
//movenext:async
func endsBoth(ctx context.Context, known *coord.ManualResetEvent) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("ten milliseconds are over"))
	defer cancel()
	return answer(ctx, known)
}

// endsTheWait bounds only the wait: the operation continues, and its result may still be read.
//
//movenext:async
func endsTheWait(ctx context.Context, known *coord.ManualResetEvent) (int, error) {
	j := answerAsync(ctx, known)
	_, err := job.WaitTimeout(ctx, j, patience).Await()
	var wait *job.WaitError
	fmt.Println("  the wait ends:", errors.As(err, &wait), "the operation ended:", j.IsCompleted())
	known.Set()
	return j.Await()
}

// cleansUp has work to do after its context has ended. It uses a context that has not ended, with
// its own limit.
//
//movenext:async
func cleansUp(ctx context.Context, known *coord.ManualResetEvent) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Hour)
		defer cancel()
		known.Set()
		m, late := answer(ctx, known)
		fmt.Println("  the cleanup:", m, late)
	}()
	return answer(ctx, known)
}

func main() {
	ctx := context.Background()
	fmt.Println("a timeout of the operation")
	n, err := endsBothAsync(ctx, new(coord.ManualResetEvent)).Wait(ctx)
	fmt.Println(" ", n, err)
	fmt.Println("a timeout of the wait")
	n, err = endsTheWaitAsync(ctx, new(coord.ManualResetEvent)).Wait(ctx)
	fmt.Println(" ", n, err)
	fmt.Println("a cleanup after the timeout")
	n, err = cleansUpAsync(ctx, new(coord.ManualResetEvent)).Wait(ctx)
	fmt.Println(" ", n, err)
}
