package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// hello, Ann, 42 <nil>
	// 42 <nil>
}

// Exercise 1: a call that does not wait makes no object. Its twin's job is one of the
// cached ones for frequent results.
func TestExercise1NothingIsAllocatedForACallThatDoesNotWait(t *testing.T) {
	a, b := job.FromResult(0), job.FromResult(1)
	assert.Zero(t, testing.AllocsPerRun(100, func() { sumAsync(a, b) }))
}

// each is exercise 2: a machine with a deferred call, which runs whenever the machine
// ends.
//
//movenext:async
func each(parts []*job.Job[int], ended *bool) (err error) {
	defer func() { *ended = true }()
	for _, part := range parts {
		if _, err = part.Await(); err != nil {
			return err
		}
	}
	return nil
}

func TestExercise2ADeferredCallRunsAtTheEndOfTheMachine(t *testing.T) {
	part, ended := job.NewSource[int](), false
	j := eachAsync([]*job.Job[int]{part.Job()}, &ended)
	assert.False(t, ended, "eachAsync has returned, and the function has not")
	part.TrySetError(errors.New("lost"))
	_, err := j.Wait(context.Background())
	assert.EqualError(t, err, "lost")
	assert.True(t, ended)
}
