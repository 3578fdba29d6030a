package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
	xrate "golang.org/x/time/rate"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// Package ants starts goroutines for its own pool when it is imported.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func TestEachPairDoesTheSame(t *testing.T) {
	for name, f := range map[string]func(context.Context, []string) ([]int, error){
		"errgroup": withErrgroup, "conc": withConc, "ants": withAnts, "pond": withPond,
		"a scope": aScope, "a map": aMap, "C#'s WhenAll": all, "JavaScript's all": allOrNone,
		"a scope in a machine": func(ctx context.Context, urls []string) ([]int, error) { return aScopeAsync(ctx, urls).Wait(ctx) },
		"a map in a machine":   func(ctx context.Context, urls []string) ([]int, error) { return aMapAsync(ctx, urls).Wait(ctx) },
		"JavaScript's all in a machine": func(ctx context.Context, urls []string) ([]int, error) {
			return allOrNoneAsync(ctx, urls).Wait(ctx)
		},
		"WhenAll in a machine": func(ctx context.Context, urls []string) ([]int, error) { return allAsync(ctx, urls).Wait(ctx) },
	} {
		sizes, err := f(t.Context(), []string{"a", "bb", "ccc", "dddd"})
		require.NoError(t, err, name)
		assert.Equal(t, []int{1, 2, 3, 4}, sizes, name)
		_, err = f(t.Context(), []string{"a", "", "ccc"})
		assert.ErrorIs(t, err, errBad, name)
	}
}

func TestOneAtATime(t *testing.T) {
	ctx := t.Context()
	var flights coord.SingleFlight[string, int]
	var group singleflight.Group
	for name, f := range map[string]func(url string) (int, error){
		"semaphore":    func(url string) (int, error) { return withSemaphore(ctx, semaphore.NewWeighted(1), url) },
		"a semaphore":  func(url string) (int, error) { return aSemaphoreAsync(ctx, coord.NewSemaphore(1), url).Wait(ctx) },
		"singleflight": func(url string) (int, error) { return withSingleflight(ctx, &group, url) },
		"a flight":     func(url string) (int, error) { return aFlightAsync(ctx, &flights, url).Wait(ctx) },
		"Kotlin's": func(url string) (int, error) {
			n, err := totalAsync(ctx, url, url).Wait(ctx)
			return n / 2, err
		},
		"Python's": func(url string) (int, error) {
			n, err := bothInTimeAsync(ctx, url, url).Wait(ctx)
			return n / 2, err
		},
		"a rate": func(url string) (int, error) {
			return withRate(ctx, xrate.NewLimiter(xrate.Every(time.Millisecond), 1), []string{url})
		},
		"our rate": func(url string) (int, error) {
			return aRateAsync(ctx, rate.NewLimiter(rate.Every(time.Millisecond), 1), []string{url}).Wait(ctx)
		},
	} {
		size, err := f("four")
		require.NoError(t, err, name)
		assert.Equal(t, 4, size, name)
		_, err = f("")
		assert.ErrorIs(t, err, errBad, name)
	}
}

func TestWhatArrivesInTime(t *testing.T) {
	for name, f := range map[string]func(context.Context, []string, time.Duration) ([]int, error){
		"plain": inTime,
		"machine": func(ctx context.Context, urls []string, patience time.Duration) ([]int, error) {
			return inTimeAsync(ctx, urls, patience).Wait(ctx)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := schedulers.With(t.Context(), pool.New())
			sizes, err := f(ctx, []string{"a", "bb", "ccc"}, time.Second)
			require.NoError(t, err, name)
			assert.ElementsMatch(t, []int{1, 2, 3}, sizes, name)
			began := time.Now()
			sizes, err = f(ctx, []string{"a", "bb"}, time.Microsecond)
			require.NoError(t, err, name)
			assert.Empty(t, sizes, name)
			assert.Less(t, time.Since(began), time.Millisecond, "%s: the others are canceled", name)
			_, err = f(ctx, []string{"a", "", "ccc"}, time.Second)
			assert.ErrorIs(t, err, errBad, name)
			sizes, err = f(ctx, nil, time.Second)
			assert.NoError(t, err, name)
			assert.Empty(t, sizes, name)
		})
	}
}

func TestSomethingElseInsteadOfAFailure(t *testing.T) {
	for name, f := range map[string]func(a, b string) (int, error){
		"plain":   func(a, b string) (int, error) { return totalOr(t.Context(), a, b, -1) },
		"machine": func(a, b string) (int, error) { return totalOrAsync(t.Context(), a, b, -1).Wait(t.Context()) },
	} {
		n, err := f("a", "bb")
		require.NoError(t, err, name)
		assert.Equal(t, 3, n, name)
		n, err = f("a", "")
		require.NoError(t, err, name)
		assert.Equal(t, -1, n, name)
	}
}

// TestTheRateIsTheSame compares the two limiters under a clock that jumps.
func TestTheRateIsTheSame(t *testing.T) {
	urls := []string{"a", "bb", "ccc", "dddd", "eeeee"}
	for name, f := range map[string]func(context.Context) (int, error){
		"x/time": func(ctx context.Context) (int, error) {
			return withRate(ctx, xrate.NewLimiter(xrate.Every(time.Second), 2), urls)
		},
		"plain": func(ctx context.Context) (int, error) {
			return aRate(ctx, rate.NewLimiter(rate.Every(time.Second), 2), urls)
		},
		"machine": func(ctx context.Context) (int, error) {
			return aRateAsync(ctx, rate.NewLimiter(rate.Every(time.Second), 2), urls).Wait(ctx)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, began := schedulers.With(t.Context(), pool.New()), time.Now()
			sum, err := f(ctx)
			require.NoError(t, err, name)
			assert.Equal(t, 15, sum, name)
			assert.Equal(t, 3*time.Second, time.Since(began).Truncate(time.Second), name)
		})
	}
}
