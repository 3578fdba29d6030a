package works

import (
	"context"
	"iter"
	"runtime"

	"github.com/movenext/movenext/benchmarks/contest"
)

// suspend is W6b: a function that yields, again and again.
func suspend() *contest.Work {
	return &contest.Work{
		ID:      "W6b",
		Title:   "suspend and resume one function through its scheduler",
		Op:      "suspension",
		N:       1_000_000,
		Bases:   []string{goroutines},
		Guarded: []contest.Measure{contest.Bytes, contest.Allocs},
		Contenders: append([]contest.Contender{
			{Name: goroutines, Note: "runtime.Gosched", Start: still(gosched)},
			{Name: "iter.Pull", Note: "a coroutine switch there and back, without a scheduler", Start: still(pull)},
		}, contest.On(everywhere(), "", "", func(ctx context.Context, _ contest.Setting) contest.Run {
			return func(_ *contest.Meter, n int) error { return yieldsUnder(ctx, n) }
		})...),
	}
}

func gosched(_ *contest.Meter, n int) error {
	count := start(func() int {
		count := 0
		for range n {
			runtime.Gosched()
			count++
		}
		return count
	})
	return contest.Check(count.await(), n)
}

// giveWay is runtime.Gosched for a goroutine that can be stopped.
func giveWay(ctx context.Context) error {
	runtime.Gosched()
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

func pull(_ *contest.Meter, n int) error {
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
	return contest.Check(count, n)
}
