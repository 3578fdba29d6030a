package workloads

import (
	"context"

	"github.com/samber/mo"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// chain is W7: links that each wait for the previous one; then the first is completed.
func chain() *suite.Work {
	return &suite.Work{
		ID:      "W7",
		Title:   "a chain of a hundred thousand continuations, of which the first is then completed",
		Op:      "link",
		N:       100_000,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "a goroutine and a channel for each link", Most: 2_000_000, Start: still(chainFutures)},
			{Name: "mo", Most: 2_000_000, Start: still(chainMo)},
		}, chainOurs()...),
	}
}

func chainOurs() []suite.Contender {
	places := everywhere()
	form := func(name, note string, next func(context.Context, *job.Job[int]) *job.Job[int]) []suite.Contender {
		return suite.On(places, name, note, func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error { return chainJobs(ctx, n, next) }
		})
	}
	all := form("ContinueWith", "", func(ctx context.Context, j *job.Job[int]) *job.Job[int] {
		return job.ContinueWith(ctx, j, increment)
	})
	all = append(all, form("Then", "", func(ctx context.Context, j *job.Job[int]) *job.Job[int] {
		return job.Then(ctx, j, addOne)
	})...)
	return append(all, form("await", "a machine for each link", linkAsync)...)
}

func chainJobs(ctx context.Context, n int, next func(context.Context, *job.Job[int]) *job.Job[int]) error {
	first := job.NewSource[int]()
	last := first.Job()
	for range n {
		last = next(ctx, last)
	}
	first.TrySetResult(0)
	return sumOf([]*job.Job[int]{last}, n)
}

func increment(_ context.Context, j *job.Job[int]) (int, error) {
	v, err := j.GetResult()
	return v + 1, err
}

func addOne(_ context.Context, v int) (int, error) { return v + 1, nil }

func chainFutures(_ *suite.Meter, n int) error {
	first := &future{done: make(chan struct{})}
	last := first
	for range n {
		before := last
		last = start(func() int { return before.await() + 1 })
	}
	close(first.done)
	return suite.Check(last.await(), n)
}

func chainMo(_ *suite.Meter, n int) error {
	gate := make(chan struct{})
	last := mo.NewFuture(func(resolve func(int), _ func(error)) {
		<-gate
		resolve(0)
	})
	for range n {
		last = last.Then(func(v int) (int, error) { return v + 1, nil })
	}
	close(gate)
	return sumOfMo([]*mo.Future[int]{last}, n)
}
