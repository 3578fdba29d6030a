package polling_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/polling"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pollCounter is a source that counts the calls of Poll.
type pollCounter int

func (n *pollCounter) Poll() { *n++ }

func Example() {
	var n pollCounter
	polling.Open(&n)
	var t polling.Countdown
	t.Next()
	polling.Close()
	t.Next()
	fmt.Println(n)
	// Output: 1
}

// With short items there are few polls, but there is always a next one.
func TestShortItemsAreFollowedByFewPolls(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	const items = 1_000_000
	var countdown polling.Countdown
	for range items {
		countdown.Next()
	}
	assert.GreaterOrEqual(t, int(n), items/1025)
	assert.Less(t, int(n), items/10)
}

// With items of 20 µs there is a poll every few items, even after many short items.
func TestLongItemsAreFollowedByPolls(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	var countdown polling.Countdown
	for range 100_000 {
		countdown.Next()
	}
	for looks := n + 2; n < looks; { // the first is as late as short items allow; it counts them too
		spin(20 * time.Microsecond)
		countdown.Next()
	}
	before := n
	for range 1000 {
		spin(20 * time.Microsecond)
		countdown.Next()
	}
	assert.GreaterOrEqual(t, int(n-before), 100)
}

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

func TestAWorkerInABubbleDoesNotPoll(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	var countdown polling.Countdown
	assert.False(t, polling.InBubble())
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, polling.InBubble())
		countdown.Begin()
		for range 10_000 {
			countdown.Next()
		}
	})
	assert.Zero(t, n)
	countdown.Begin() // its goroutine was replaced by one outside
	for range 10_000 {
		countdown.Next()
	}
	assert.NotZero(t, n)
}

func TestWithoutASourceNothingIsPolled(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	polling.Close()
	assert.False(t, polling.HasSource())
	var countdown polling.Countdown
	assert.NotPanics(t, countdown.Next)
	assert.Zero(t, n)
}

// A worker that polled a moment ago, outside, is served by a goroutine in a bubble now. Even
// one in which decades pass does not poll.
func TestABubbleIsNoticedAfterAPollOutside(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	var countdown polling.Countdown
	countdown.Next()
	before := n
	require.NotZero(t, before)
	synctest.Test(t, func(t *testing.T) {
		for range 40 {
			countdown.Begin()
			for range 1100 {
				countdown.Next()
			}
			time.Sleep(365 * 24 * time.Hour)
		}
	})
	assert.Equal(t, before, n)
	countdown.Begin()
	for range 1100 {
		countdown.Next()
	}
	assert.Greater(t, n, before)
}
