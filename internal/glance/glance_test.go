package glance_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/glance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// looks is a source that counts the calls of Look.
type looks int

func (n *looks) Look() { *n++ }

func Example() {
	var n looks
	glance.Open(&n)
	var t glance.Turns
	t.Next()
	glance.Close()
	t.Next()
	fmt.Println(n)
	// Output: 1
}

// With short items there are few polls, but there is always a next one.
func TestShortItemsAreFollowedByFewLooks(t *testing.T) {
	var n looks
	glance.Open(&n)
	defer glance.Close()
	const items = 1_000_000
	var turns glance.Turns
	for range items {
		turns.Next()
	}
	assert.GreaterOrEqual(t, int(n), items/257)
	assert.Less(t, int(n), items/10)
}

// With items of 20 µs there is a poll every few items, even after many short items.
func TestLongItemsAreFollowedByLooks(t *testing.T) {
	var n looks
	glance.Open(&n)
	defer glance.Close()
	var turns glance.Turns
	for range 100_000 {
		turns.Next()
	}
	for range 300 { // the first poll among them may be late
		spin(20 * time.Microsecond)
		turns.Next()
	}
	before := n
	for range 1000 {
		spin(20 * time.Microsecond)
		turns.Next()
	}
	assert.GreaterOrEqual(t, int(n-before), 100)
}

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

func TestAWorkerInABubbleDoesNotLook(t *testing.T) {
	var n looks
	glance.Open(&n)
	defer glance.Close()
	var turns glance.Turns
	assert.False(t, glance.InBubble())
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, glance.InBubble())
		turns.Begin()
		for range 10_000 {
			turns.Next()
		}
	})
	assert.Zero(t, n)
	turns.Begin() // its goroutine was replaced by one outside
	for range 10_000 {
		turns.Next()
	}
	assert.NotZero(t, n)
}

func TestWithoutASourceNothingIsLookedAt(t *testing.T) {
	var n looks
	glance.Open(&n)
	glance.Close()
	assert.False(t, glance.Opened())
	var turns glance.Turns
	assert.NotPanics(t, turns.Next)
	assert.Zero(t, n)
}

// A worker that looked a moment ago, outside, is served by a goroutine in a bubble now. Even
// one in which decades pass does not look.
func TestABubbleIsNoticedAfterALookOutside(t *testing.T) {
	var n looks
	glance.Open(&n)
	defer glance.Close()
	var turns glance.Turns
	turns.Next()
	before := n
	require.NotZero(t, before)
	synctest.Test(t, func(t *testing.T) {
		for range 40 {
			turns.Begin()
			for range 300 {
				turns.Next()
			}
			time.Sleep(365 * 24 * time.Hour)
		}
	})
	assert.Equal(t, before, n)
	turns.Begin()
	for range 300 {
		turns.Next()
	}
	assert.Greater(t, n, before)
}
