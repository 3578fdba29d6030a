package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// [3 4 3 3] <nil>
	// asked: 2
	// 1 <nil>
}

// TestBothForms has a cache in front of a cache: each is a store.
func TestBothForms(t *testing.T) {
	for name, all := range map[string]func(context.Context, storePair[string, int], []string) ([]int, error){
		"plain": all[string, int, storePair[string, int]],
		"machine": func(ctx context.Context, s storePair[string, int], keys []string) ([]int, error) {
			return allAsync(ctx, s, keys).Wait(ctx)
		},
	} {
		p := &prices{of: map[string]int{"tea": 3}}
		inner := &cache[string, int]{from: p, known: map[string]int{}}
		outer := &cache[string, int]{from: inner, known: map[string]int{}}
		values, err := all(t.Context(), outer, []string{"tea", "tea", "tea"})
		require.NoError(t, err, name)
		assert.Equal(t, []int{3, 3, 3}, values, name)
		assert.EqualValues(t, 1, p.asked.Load(), name)
		_, err = all(t.Context(), outer, []string{"tea", "milk"})
		assert.ErrorIs(t, err, errUnknown, name)
	}
}
