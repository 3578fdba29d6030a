package main

import (
	"context"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

// aScope replaces an errgroup with a limit, or a pool of ants.
//
//movenext:async
func aScope(ctx context.Context, urls []string) ([]int, error) {
	sizes := make([]int, len(urls))
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(3)
		for i, url := range urls {
			s.Go(func(ctx context.Context) (err error) {
				sizes[i], err = fetch(ctx, url)
				return err
			})
		}
		return nil
	})
	return sizes, err
}

// aSemaphore replaces a semaphore.Weighted.
//
//movenext:async
func aSemaphore(ctx context.Context, s *coord.Semaphore, url string) (int, error) {
	if err := s.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer s.Release(1)
	return fetch(ctx, url)
}

// aFlight replaces a singleflight.Group.
//
//movenext:async
func aFlight(ctx context.Context, g *coord.SingleFlight[string, int], url string) (int, error) {
	return g.Do(ctx, url, func(ctx context.Context) (int, error) { return fetch(ctx, url) })
}

// aMap replaces a pool of conc or a result pool of pond.
//
//movenext:async
func aMap(ctx context.Context, urls []string) ([]int, error) {
	return parallel.Map(ctx, urls, fetch, parallel.Degree(3))
}

// all is Task.WhenAll of C#.
//
//movenext:async
func all(ctx context.Context, urls []string) ([]int, error) {
	jobs := make([]*job.Job[int], len(urls))
	for i, url := range urls {
		jobs[i] = fetchAsync(ctx, url)
	}
	return job.WhenAll(jobs...).Await()
}

// total is withTimeout, coroutineScope and async of Kotlin.
//
//movenext:async
func total(ctx context.Context, a, b string) (sum int, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		first := job.Spawn(s, func(ctx context.Context) (int, error) { return fetch(ctx, a) })
		second, err := fetch(ctx, b)
		if err != nil {
			return err
		}
		n, err := first.Await()
		sum = n + second
		return err
	})
	return sum, err
}
