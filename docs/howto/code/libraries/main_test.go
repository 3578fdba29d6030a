package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/movenext/movenext/coord"
)

// Package ants starts goroutines for a pool of its own when it is imported.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func TestEachPairDoesTheSame(t *testing.T) {
	for name, f := range map[string]func(context.Context, []string) ([]int, error){
		"errgroup": withErrgroup, "conc": withConc, "ants": withAnts, "pond": withPond,
		"a scope": aScope, "a map": aMap, "C#'s WhenAll": all,
		"a scope in a machine": func(ctx context.Context, urls []string) ([]int, error) { return aScopeAsync(ctx, urls).Wait(ctx) },
		"a map in a machine":   func(ctx context.Context, urls []string) ([]int, error) { return aMapAsync(ctx, urls).Wait(ctx) },
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
	} {
		size, err := f("four")
		require.NoError(t, err, name)
		assert.Equal(t, 4, size, name)
		_, err = f("")
		assert.ErrorIs(t, err, errBad, name)
	}
}
