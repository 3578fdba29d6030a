package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// schedules until the bug is found, and deviations before and after shrinking
	//                     random    few deviations             delay
	// oversell            2 ( 0,  0)        1 ( 0,  0)        2 ( 2,  0)
	// philosophers       42 ( 5,  4)      272 ( 4,  4)       14 ( 4,  4)
	// overtaken            not found      149 (14, 14)       14 (16, 14)
}

// The tree in the chapter, level by level: each schedule, and whether the item is sold twice.
func TestTheTreeOfOversell(t *testing.T) {
	var tree []string
	for waiting := []schedule{nil}; len(waiting) > 0; {
		s := waiting[0]
		waiting = waiting[1:]
		made, among, err := follow(oversellAsync, s)
		tree = append(tree, fmt.Sprint(made, err != nil))
		for at := len(s); at < len(made); at++ {
			assert.Equal(t, 2, among[at])
			waiting = append(waiting, append(slices.Clone(made[:at]), 1))
		}
	}
	assert.Equal(t, []string{
		"[0 0 0 0] true",
		"[1 0 0] true", "[0 1 0] false", "[0 0 1] true", "[0 0 0 1] true",
		"[1 1] false", "[1 0 1 0] true", "[0 1 1] false",
		"[1 0 1 1] true",
	}, tree)
}

func TestAScheduleRepeats(t *testing.T) {
	_, found := wander(philosophersAsync, 1000)
	require.NotNil(t, found)
	for range 3 {
		made, _, err := follow(philosophersAsync, found)
		assert.ErrorContains(t, err, "deadlock")
		assert.Equal(t, found, made)
	}
}

// Exercise 1: a choice that took part in the failure may be smaller than it is. Trying
// the turns before it makes schedules that are easier to read.
func smaller(p program, s schedule) schedule {
	for at := range s {
		for c := range s[at] {
			less := append(append(schedule{}, s[:at]...), c)
			less = append(less, s[at+1:]...)
			if made, _, err := follow(p, less); err != nil && made.deviations() <= s.deviations() {
				s = less
				break
			}
		}
	}
	return s
}

func TestExercise1SmallerChoices(t *testing.T) {
	sum := func(s schedule) (n int) {
		for _, c := range s {
			n += c
		}
		return n
	}
	_, found := wander(philosophersAsync, 1000)
	small := smaller(philosophersAsync, shrink(philosophersAsync, found))
	_, _, err := follow(philosophersAsync, small)
	require.Error(t, err)
	assert.LessOrEqual(t, sum(small), sum(found))
}

// orderly is exercise 2: the table of philosophers, of whom each takes the fork with the lower
// number first.
//
//movenext:async
func orderly(ctx context.Context) error {
	var forks forks
	a := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[0], &forks[1]) })
	b := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[1], &forks[2]) })
	c := job.Go(ctx, func(ctx context.Context) error { return dine(ctx, &forks[0], &forks[2]) })
	_, first := a.Await()
	_, second := b.Await()
	_, third := c.Await()
	return errors.Join(first, second, third)
}

// Exercise 2: all take their forks in one order, so there is no cycle. The search of the chapter
// tries all 174 schedules, and no other is left.
func TestExercise2NoCycle(t *testing.T) {
	tried, failing := enumerate(orderlyAsync, 5000)
	assert.Nil(t, failing)
	assert.Equal(t, 174, tried)
}
