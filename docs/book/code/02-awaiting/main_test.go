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

// Exercise 2: an error ends the chain, and all three forms return it. In the first, no word is
// said: the function of a canceled job is not called. The others call say for foo, whose Sleep
// returns at once, and for no other word: straight returns before the next call.
func TestExercise2AnErrorEndsTheChain(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text, err := callbacks(ctx).Wait(context.Background())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, text)
	text, err = straight(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, text)
	text, err = straightAsync(ctx).Wait(context.Background())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, text)
}
