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
	// foo bar baz <nil>
	// foo bar baz <nil>
	// foo bar baz <nil>
	// plain:   1000 goroutines
	// machine: 0 goroutines
}

// Exercise 1: two words at once. Concurrency is explicit: the first call is
// started, the second one awaited.
func TestExercise1TwoAtOnce(t *testing.T) {
	ctx := context.Background()
	first := sayAsync(ctx, "foo")
	second, err := say(ctx, "bar")
	require.NoError(t, err)
	text, err := first.Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, "foo bar", text+" "+second)
}

// Exercise 2: an error ends the chain. The calls after it do not run in any of
// the three forms.
func TestExercise2AnErrorEndsTheChain(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := callbacks(ctx).Wait(context.Background())
	assert.ErrorIs(t, err, context.Canceled)
	_, err = straight(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = straightAsync(ctx).Wait(context.Background())
	assert.ErrorIs(t, err, context.Canceled)
}
