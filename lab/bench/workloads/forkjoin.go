package workloads

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// forkJoin is W3: the recursion fib without a cutoff, where each addition forks one of
// its halves. Next to nothing is computed, so this is the price of a fork.
func forkJoin() *suite.Work {
	return &suite.Work{
		ID:      "W3",
		Title:   "fork-join: the recursion fib, with a fork at each call",
		Op:      "fork",
		N:       400_000,
		Size:    suite.Fibonacci,
		Workers: true,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "a channel for each result", Start: still(forkJoinGoroutines)},
			{Name: "one goroutine", Note: "the recursion alone", Start: still(forkJoinNot)},
		}, append(append(forkJoinOurs(), forkJoinParallel()...), forkJoinPeers()...)...),
	}
}

func forkJoinOurs() []suite.Contender {
	places := everywhere()
	awaiting := suite.On(places, "await", "a job and a machine for each fork", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error { return forkJoinUnder(ctx, n) }
	})
	waiting := suite.On(places, "wait", "a job for each fork, waited for inside of jobs", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error { return forkJoinWaitingUnder(ctx, n) }
	})
	return append(awaiting, waiting...)
}

func fibWaiting(ctx context.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	fork := job.Run(ctx, func(ctx context.Context) (int, error) { return fibWaiting(ctx, n-1) })
	b, err := fibWaiting(ctx, n-2)
	if err != nil {
		return 0, err
	}
	a, err := fork.Wait(ctx)
	return a + b, err
}

// fibonacci computes the right answer, in a way that is unrelated to the contenders'.
func fibonacci(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

func forkJoinGoroutines(_ *suite.Meter, n int) error {
	return suite.Check(fibGoroutines(n), fibonacci(n))
}

func fibGoroutines(n int) int {
	if n < 2 {
		return n
	}
	fork := make(chan int, 1)
	go func() { fork <- fibGoroutines(n - 1) }()
	b := fibGoroutines(n - 2)
	return <-fork + b
}

func forkJoinNot(_ *suite.Meter, n int) error {
	return suite.Check(fibCalls(n), fibonacci(n))
}

func fibCalls(n int) int {
	if n < 2 {
		return n
	}
	return fibCalls(n-1) + fibCalls(n-2)
}
