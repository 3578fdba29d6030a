package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// level=INFO msg="asks for the stock" service=shop request=r1
	// level=INFO msg="asks for the stock" service=shop request=r2
	// level=INFO msg="has an answer" service=shop left=10 request=r2
	// level=INFO msg="has an answer" service=shop left=0 request=r1
}

// threads is a handler that records the thread on which each line was written.
type threads struct {
	slog.Handler
	mu *sync.Mutex
	of *[]int
}

func (h threads) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	*h.of = append(*h.of, dedicated.ThreadID())
	h.mu.Unlock()
	return h.Handler.Handle(ctx, r)
}

// TestTheRequestIsKnownOnAnotherWorker has two workers. One is held while the machine
// begins, and the other one while it continues.
func TestTheRequestIsKnownOnAnotherWorker(t *testing.T) {
	workers := dedicated.New(2)
	ctx := schedulers.With(context.WithValue(t.Context(), requestKey{}, "r7"), workers)
	releaseFirst := hold(ctx)

	var text bytes.Buffer
	var of []int
	log := slog.New(threads{logger(&text).Handler(), &sync.Mutex{}, &of})
	var stock job.Source[int]
	began := make(chan struct{})
	machine := job.Run(ctx, func(ctx context.Context) (*job.Job[job.Void], error) {
		defer close(began)
		return checkoutAsync(ctx, log, stock.Job()), nil
	})
	<-began
	end, err := machine.Wait(t.Context())
	require.NoError(t, err)

	// This holds the worker on which the machine began: it is the only one that is free.
	releaseSecond := hold(ctx)
	releaseFirst()
	stock.TrySetResult(3)
	_, err = end.Wait(t.Context())
	releaseSecond()
	require.NoError(t, err)
	require.NoError(t, workers.Shutdown(t.Context()))

	require.Len(t, of, 2)
	if of[0] != 0 { // some systems do not tell threads apart
		assert.NotEqual(t, of[0], of[1], "the machine has changed its worker")
	}
	assert.Equal(t, 2, strings.Count(text.String(), " request=r7"), text.String())
}

// hold occupies a worker until release is called, which returns when it is free.
func hold(ctx context.Context) (release func()) {
	held, let := make(chan struct{}), make(chan struct{})
	j := job.Go(ctx, func(context.Context) error {
		close(held)
		<-let
		return nil
	})
	<-held
	return func() {
		close(let)
		<-j.Done()
	}
}
