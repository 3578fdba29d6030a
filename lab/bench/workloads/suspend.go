package workloads

import (
	"context"
	"iter"
	"runtime"

	"github.com/movenext/movenext/lab/bench/suite"
)

// suspend is W6b: a function that yields, again and again.
func suspend() *suite.Work {
	return &suite.Work{
		ID:      "W6b",
		Title:   "suspend and resume one function through its scheduler",
		Op:      "suspension",
		N:       1_000_000,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "runtime.Gosched", Start: still(gosched)},
			{Name: "iter.Pull", Note: "a coroutine switch there and back, without a scheduler", Start: still(pull)},
		}, suite.On(everywhere(), "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error { return yieldsUnder(ctx, n) }
		})...),
	}
}

func gosched(_ *suite.Meter, n int) error {
	count := start(func() int {
		count := 0
		for range n {
			runtime.Gosched()
			count++
		}
		return count
	})
	return suite.Check(count.await(), n)
}

// yieldToOthers is runtime.Gosched for a goroutine that can be stopped.
func yieldToOthers(ctx context.Context) error {
	runtime.Gosched()
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

func pull(_ *suite.Meter, n int) error {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	})
	defer stop()
	count := 0
	for range n {
		if _, ok := next(); ok {
			count++
		}
	}
	return suite.Check(count, n)
}
