package main

import (
	"context"
	"errors"
	"time"

	xrate "golang.org/x/time/rate"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

// inTime is JoinSet and select! of tokio: the sizes that arrive before the deadline, in
// the order in which they arrive.
//
//movenext:async
func inTime(ctx context.Context, urls []string, patience time.Duration) (sizes []int, err error) {
	err = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		jobs := make([]*job.Job[int], len(urls))
		for i, url := range urls {
			jobs[i] = job.Spawn(s, func(ctx context.Context) (int, error) { return fetch(ctx, url) })
		}
		ended, deadline := job.CompletionsOf(jobs...), job.SleepAsync(ctx, patience)
		defer ended.Stop()
		defer deadline.Cancel()
		for range jobs {
			next := ended.NextAsync(ctx)
			chosen, err := coord.Select(ctx, coord.OnEnd(next), coord.OnEnd(deadline))
			if err != nil {
				return err
			}
			if chosen == 1 {
				s.Cancel(errEnough)
				break
			}
			j, err := next.Await()
			if err != nil {
				return err
			}
			size, err := j.Await()
			if err != nil {
				return err
			}
			sizes = append(sizes, size)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return sizes, err
}

var errEnough = errors.New("the time is over")

// allOrNone is Promise.all of JavaScript with an AbortController.
//
//movenext:async
func allOrNone(ctx context.Context, urls []string) ([]int, error) {
	return parallel.Map(ctx, urls, fetch, parallel.Degree(len(urls)))
}

// bothInTime is asyncio.timeout and TaskGroup of Python.
//
//movenext:async
func bothInTime(ctx context.Context, a, b string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var first, second int
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Go(func(ctx context.Context) (err error) {
			first, err = fetch(ctx, a)
			return err
		})
		s.Go(func(ctx context.Context) (err error) {
			second, err = fetch(ctx, b)
			return err
		})
		return nil
	})
	return first + second, err
}

// totalOr is thenCombine, orTimeout and exceptionally of Java's CompletableFuture.
//
//movenext:async
func totalOr(ctx context.Context, a, b string, otherwise int) (int, error) {
	both := job.WhenAll(fetchAsync(ctx, a), fetchAsync(ctx, b))
	sizes, err := job.WaitTimeout(ctx, both, time.Minute).Await()
	if errors.Is(err, errBad) {
		return otherwise, nil
	}
	if err != nil {
		return 0, err
	}
	return sizes[0] + sizes[1], nil
}

func withRate(ctx context.Context, l *xrate.Limiter, urls []string) (sum int, err error) {
	for _, url := range urls {
		if err := l.Wait(ctx); err != nil {
			return sum, err
		}
		size, err := fetch(ctx, url)
		if err != nil {
			return sum, err
		}
		sum += size
	}
	return sum, nil
}

// aRate replaces a rate.Limiter of golang.org/x/time.
//
//movenext:async
func aRate(ctx context.Context, l *rate.Limiter, urls []string) (sum int, err error) {
	for _, url := range urls {
		if err := l.Wait(ctx); err != nil {
			return sum, err
		}
		size, err := fetch(ctx, url)
		if err != nil {
			return sum, err
		}
		sum += size
	}
	return sum, nil
}
