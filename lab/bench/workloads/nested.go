package workloads

import (
	"context"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// nested is W2: each root has as many children as there are roots, and workers start them. In
// first-in, first-out order all of them exist at once: a million goroutines, gigabytes.
func nested() *suite.Work {
	return &suite.Work{
		ID:      "W2",
		Title:   "start a thousand roots, each of which starts a thousand children and waits for them",
		Op:      "job",
		N:       1_000_000,
		Size:    suite.Square,
		Workers: true,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Most: 2_000_000, Start: still(nestedGoroutines)},
			{Name: spawnFuture, Most: 2_000_000, Start: still(nestedFutures)},
		}, append(append(nestedOurs(), nestedParallel()...), nestedPeers()...)...),
	}
}

// still turns a function that prepares nothing into a contender's Start.
func still(run suite.Run) func(suite.Setting) (suite.Run, func()) {
	return func(suite.Setting) (suite.Run, func()) { return run, func() {} }
}

func nestedOurs() []suite.Contender {
	places := everywhere()
	awaiting := suite.On(places, "await", "jobs with handles, awaited by machines", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error { return nestedUnder(ctx, n) }
	})
	waiting := suite.On(places, "wait", "jobs with handles, waited for inside of jobs", func(ctx context.Context, _ suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			roots := make([]*job.Job[int], n)
			for i := range roots {
				roots[i] = job.Run(ctx, func(ctx context.Context) (int, error) { return familyWaiting(ctx, n) })
			}
			return sumOf(roots, n*n)
		}
	})
	return append(awaiting, waiting...)
}

func familyWaiting(ctx context.Context, children int) (int, error) {
	kids := make([]*job.Job[int], children)
	for i := range kids {
		kids[i] = job.Run(ctx, one)
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

func nestedGoroutines(_ *suite.Meter, n int) error {
	sums := make([]int, n)
	var roots sync.WaitGroup
	for i := range sums {
		roots.Go(func() {
			results := make([]int, n)
			var kids sync.WaitGroup
			kids.Add(n)
			for j := range results {
				go func() {
					results[j] = 1
					kids.Done()
				}()
			}
			kids.Wait()
			sums[i] = total(results)
		})
	}
	roots.Wait()
	return suite.Check(total(sums), n*n)
}

func total(values []int) int {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum
}

func nestedFutures(_ *suite.Meter, n int) error {
	roots := make([]*future, n)
	for i := range roots {
		roots[i] = start(func() int {
			kids := make([]*future, n)
			for j := range kids {
				kids[j] = start(returnOne)
			}
			sum := 0
			for _, kid := range kids {
				sum += kid.await()
			}
			return sum
		})
	}
	sum := 0
	for _, root := range roots {
		sum += root.await()
	}
	return suite.Check(sum, n*n)
}
