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

// kept keeps the compiler from leaving out an object that is not used.
var kept *job.Job[int]

// Exercise 1: a call that does not wait makes one object, the complete job that its twin returns.
// It makes none if the result is a frequent one, whose job exists already.
func TestExercise1ACallThatDoesNotWaitMakesOnlyItsJob(t *testing.T) {
	for b, objects := range map[int]float64{1: 0, 1000: 1} {
		a, b := job.FromResult(0), job.FromResult(b)
		assert.Equal(t, objects, testing.AllocsPerRun(100, func() { kept = sumAsync(a, b) }))
	}
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
