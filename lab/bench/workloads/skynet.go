package workloads

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// skynets is W4: a tree of tasks with ten children each, whose leaves return their
// numbers and whose nodes add up.
func skynets() *suite.Work {
	return &suite.Work{
		ID:      "W4",
		Title:   "skynet: a tree of tasks with ten children each and a million leaves, sums flow up",
		Op:      "task",
		N:       1_000_000,
		Size:    suite.Tree,
		Workers: true,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "a channel for each node", Most: 2_000_000, Start: still(skynetGoroutines)},
		}, append(append(skynetOurs(), skynetParallel()...), skynetPeers()...)...),
	}
}

func skynetOurs() []suite.Contender {
	places := everywhere()
	awaiting := suite.On(places, "await", "a job and a machine for each task", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error { return skynetUnder(ctx, n) }
	})
	waiting := suite.On(places, "wait", "a job for each task, waited for inside of jobs", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			root := job.Run(ctx, func(ctx context.Context) (int, error) { return skynetWaiting(ctx, 0, n) })
			return sumOf([]*job.Job[int]{root}, skynetSum(n))
		}
	})
	return append(awaiting, waiting...)
}

func skynetWaiting(ctx context.Context, first, size int) (int, error) {
	if size == 1 {
		return first, nil
	}
	var kids [10]*job.Job[int]
	for i := range kids {
		kids[i] = job.Run(ctx, func(ctx context.Context) (int, error) { return skynetWaiting(ctx, first+i*(size/10), size/10) })
	}
	sum := 0
	for _, kid := range kids {
		v, err := kid.Wait(ctx)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

// skynetSum is the sum of 0, 1, … n-1, for n a power of ten. It divides by two before it
// multiplies, so that with a 32-bit int it overflows in the same way as the contenders' sums.
func skynetSum(n int) int { return n / 2 * (n - 1) }

func skynetGoroutines(_ *suite.Meter, n int) error {
	result := make(chan int)
	go skynetGoroutine(result, 0, n)
	return suite.Check(<-result, skynetSum(n))
}

func skynetGoroutine(result chan<- int, first, size int) {
	if size == 1 {
		result <- first
		return
	}
	kids := make(chan int)
	for i := range 10 {
		go skynetGoroutine(kids, first+i*(size/10), size/10)
	}
	sum := 0
	for range 10 {
		sum += <-kids
	}
	result <- sum
}
